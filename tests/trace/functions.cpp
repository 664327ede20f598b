// This file tests every function on every dtype that it takes, traced by the compiler: the graph must be clean.
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/trace/functions.hpp>

#include <doctest/doctest.h>

namespace {

template <class T, std::int64_t... E> constexpr tx::expr<T, tx::shape<E...>> parameter(tx::trace_scope& scope) {
    return {scope, scope.recorded.append_parameter(tx::dtype_of<T>, tx::dims_of<tx::shape<E...>>)};
}

constexpr void recorded(auto const&...) {}
constexpr void record_reductions(auto const& x) {
    recorded(tx::sum(x), tx::prod(x, tx::axis<0>), tx::mean(x), tx::var(x), tx::std(x, tx::keepdims), tx::any(x), tx::all(x, tx::axis<1>));
    recorded(tx::count_nonzero(x), tx::norm(x), tx::norm(x, tx::order<0>), tx::norm(x, tx::order<1>), tx::norm(x, tx::order<3>), tx::norm(x, tx::order_inf));
    recorded(tx::norm(x, tx::order_p(2.5)), tx::cumsum(x), tx::cumprod<1>(x));
}
constexpr void record_ordered(auto const& x) {
    recorded(tx::max(x), tx::min<0>(x), tx::argmax(x), tx::argmin<0>(x), tx::cummax<0>(x), tx::cummin(x), tx::softmax(x), tx::log_softmax(x), tx::logsumexp(x));
    recorded(tx::relu(x), tx::relu6(x), tx::leaky_relu(x), tx::elu(x), tx::selu(x), tx::softplus(x), tx::silu(x), tx::gelu(x), tx::gelu(x, tx::approximate));
    recorded(tx::clip(x, 0, 1));
}
constexpr void record_products(auto const& x) {
    recorded(tx::matmul(x, tx::transpose(x)), tx::dot(x, tx::transpose(x)), tx::inner(x, x), tx::outer(x, x), tx::vecdot(x, x), tx::tensordot(x, x));
    recorded(tx::trace(x), tx::einsum<"ij,kj">(x, x), tx::einsum<"ij->">(x));
}
constexpr void record_shapes(auto const& x) {
    recorded(tx::reshape<3, -1>(x), tx::flatten(x), tx::moveaxis<0, 1>(x), tx::expand_dims<0>(x), tx::broadcast_to<2, 2, 3>(x), tx::broadcast_arrays(x, tx::flatten(tx::slice(x, tx::at<0>))));
    recorded(tx::roll<1>(x), tx::tile<2, 2>(x), tx::repeat<2>(x), tx::sliding_window_view<2, 2>(x), tx::flip(x), tx::rot90(x), tx::tril(x), tx::triu<1>(x), tx::diag(x), tx::meshgrid(tx::flatten(x), tx::flatten(x)));
    recorded(tx::pad(x, tx::widths<1>), tx::pad(x, tx::widths<1>, tx::edge), tx::pad(x, tx::widths<1>, tx::reflect), tx::stack(tx::axis<0>, x, x));
    recorded(tx::split<3, 1>(x), tx::split_at<1>(x), tx::unstack(x), tx::take(x, 1), tx::slice(x, tx::at<0>), tx::ones_like(x));
}
template <class T> constexpr bool records_clean_graphs() {
    tx::trace_scope scope;
    auto const x = parameter<T, 2, 3>(scope);
    record_reductions(x), record_products(x), record_shapes(x), recorded(tx::softsign(x));
    if constexpr (!tx::is_complex(tx::dtype_of<T>)) record_ordered(x);
    return tx::verify(scope.recorded) == nullptr;
}

constexpr bool scalars_are_weak() {
    tx::trace_scope scope;
    auto const x = parameter<float, 2>(scope);
    tx::weak_expr<double> const w(scope, parameter<double>(scope).id());
    return std::is_same_v<decltype(tx::clip(x, w, 3)), decltype(tx::relu(x))> && std::is_same_v<decltype(tx::lerp(x, 1, w)), decltype(tx::relu(x))>;
}

} // namespace

TEST_CASE_TEMPLATE("functions: every dtype records clean graphs", T, bool, std::int8_t, std::int64_t, std::uint64_t, tx::half, tx::bfloat16, float, double,
                   std::complex<float>, std::complex<double>) {
    static_assert(records_clean_graphs<T>());
    CHECK(records_clean_graphs<T>());
}
TEST_CASE("functions: scalars do not widen") { static_assert(scalars_are_weak()); }
