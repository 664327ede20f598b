// tx::check_gradients compares a callable's derivatives, in both modes and of orders 1 and 2, with central differences. It is
// meant for tests.
#pragma once

#include <tracexpr/transforms/custom_derivative.hpp>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tx {
namespace detail {

using arrays = std::vector<host_array>;

// Holds a callable that was traced for arrays of some shapes. Its program's arguments are those of the callable, then the tensors
// that it holds (`state`).
struct array_function {
    runtime_program program;
    arrays state;

    template <class Unused = void> arrays operator()(arrays const& x) const;
};
template <class A> void append_leaves(arrays& out, A const& tree) {
    for_each_leaf(tree, [&](auto const& part) {
        using reader = leaf_access<std::remove_cvref_t<decltype(part)>>;
        using T = typename reader::value_type;
        dims const shape = reader::extents(part);
        out.push_back(host_array::of(dtype_of<T>, shape));
        if (shape.size() > 0) std::memcpy(out.back().bytes.data(), reader::data(part), out.back().bytes.size());
    });
}
template <class F, class... A> array_function traced_for(arrays const& x, F const& f, A const&... a) {
    array_function out;
    callable_form<F>::visit(f, [&](auto const& part) { append_leaves(out.state, part); }, ignore_value{});
    buffer<dims> shapes;
    for (arrays const* part : {&x, static_cast<arrays const*>(&out.state)})
        for (host_array const& array : *part) shapes.push_back(array.shape);
    out.program = detail::trace_now(table_view<dims>(shapes), nullptr, f, a...);
    return out;
}

// Returns two lists: x followed by random numbers in the shapes of x, and x followed by random numbers in the shapes of y.
template <class Unused = void> std::pair<arrays, arrays> with_random(arrays const& x, arrays const& y);
// Compares the derivatives, which are functions of (x, dx) and of (x, w), with differences of f: along each number of the first
// `single` arrays of x, and along a direction of all numbers. `path` names the derivative of the user's callable that f is.
template <class Unused = void> void check_derivatives(array_function const& f, array_function const& pushforward,
                                                      array_function const& pullback, std::string const& path, arrays const& x,
                                                      std::size_t single);

// Checks f and, for higher orders, its derivatives. The first `single` arrays of x are the user's arguments; steps and weights
// follow them.
template <int Order, class F, class... A>
void check_orders(arrays const& x, std::size_t single, std::string const& path, F const& f, A const&... a) {
    using R = result_tree_of<traced_result<F, A...>>;
    auto const pushforward = transform<pushforward_rule>(f);
    auto const pullback = transform<pullback_rule>(f);
    auto const call = traced_for(x, f, a...);
    auto const [with_steps, with_weights] = with_random<>(x, call.template operator()<>(x));
    check_derivatives<>(call, detail::traced_for(with_steps, pushforward, a..., a...),
                        detail::traced_for(with_weights, pullback, a..., R{}), path, x, single);
    if constexpr (Order > 1) {
        check_orders<Order - 1>(with_steps, single, " of jvp" + path, pushforward, a..., a...);
        check_orders<Order - 1>(with_weights, single, " of vjp" + path, pullback, a..., R{});
    }
}

} // namespace detail

// Compares jvp and vjp of f at these arguments, and, up to the given order, jvp and vjp of those, with central differences.
// Throws tx::error that says where they differ by more than eps^0.45 (float64: 1e-7, float32: 8e-4), relatively. The arguments
// must not be near kinks, where differences say nothing about derivatives.
template <int Order = 2, class F, class... A> void check_gradients(F const& f, A const&... a) {
    detail::arrays x;
    (detail::append_leaves(x, a), ...);
    auto const callable = detail::transformable(f);
    detail::check_orders<Order>(x, x.size(), "", detail::unwrap(callable), a...);
}

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/transforms/check_gradients_bodies.hpp>
#endif

namespace tx::detail {
TRACEXPR_INSTANCE(arrays array_function::operator()<void>(arrays const&) const)
TRACEXPR_INSTANCE(std::pair<arrays, arrays> with_random<void>(arrays const&, arrays const&))
TRACEXPR_INSTANCE(void check_derivatives<void>(array_function const&, array_function const&, array_function const&,
                                               std::string const&, arrays const&, std::size_t))
} // namespace tx::detail
