// This file tests few elements of a pointwise result: lookups of them, and what a gradient makes of these.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;
using tx::op;

namespace {

template <class T, std::int64_t... E> using array = tx::tensor<T, tx::shape<E...>>;

struct chosen_of_softmax {
    template <class X, class I> constexpr auto operator()(X const& x, I const& i) const {
        return tx::take_along_axis(tx::log_softmax(x), tx::expand_dims<1>(i), tx::axis<1>);
    }
};
struct two_operands {
    template <class X, class I> constexpr auto operator()(X const& x, I const& i) const { return tx::take_along_axis(tx::exp(x) * tx::flip(x) + 1.0, i, tx::axis<0>); }
};
struct cross_entropy {
    template <class X, class I> constexpr auto operator()(X const& x, I const& i) const { return -tx::mean(chosen_of_softmax{}(x, i)); }
};

// How many nodes of the simplified graph are of this op, with so many elements.
template <class F, class... A> constexpr int count(op code, std::int64_t elements) {
    tx::graph_view const g = tx::detail::stages<tx::detail::compile_time_trace<F, A...>>::graph();
    int found = 0;
    for (tx::node const& n : g) found += n.code == code && g.shape_of(n).size() == elements;
    return found;
}
template <class F, class X, class I> std::string problem(leaf_list const& arguments) {
    using stages = tx::detail::stages<tx::detail::compile_time_trace<F, X, I>>;
    auto const views = views_of(arguments);
    return strict_difference(run_reference(stages::graph(), views), run_reference(stages::trace(), views), 0);
}

leaf_list const arguments{spread({{6, 8}, 2}, -2, 2), array_of<std::int32_t>({{6}, 1}, {0, 7, -1, 3, 3, 2})};

} // namespace

TEST_CASE("lookups: of a pointwise op only the elements asked for are computed") {
    using matrix = array<double, 6, 8>;
    using labels = array<std::int32_t, 6>;
    static_assert(count<chosen_of_softmax, matrix, labels>(op::subtract, 6) == 2);
    static_assert(count<chosen_of_softmax, matrix, labels>(op::subtract, 48) == 1); // inside the exponentials
    CHECK(problem<chosen_of_softmax, matrix, labels>(arguments) == "");
    CHECK(problem<chosen_of_softmax, array<double, tx::dyn, 8>, array<std::int32_t, tx::dyn>>(arguments) == "");
}
TEST_CASE("lookups: many elements, and operands of other shapes, stay") {
    using matrix = array<double, 8, 3>;
    static_assert(count<two_operands, matrix, array<std::int64_t, 2, 3>>(op::exp, 6) == 1);
    static_assert(count<two_operands, matrix, array<std::int64_t, 3, 3>>(op::exp, 24) == 1);
    leaf_list const few{spread({{8, 3}, 2}, -2, 2), array_of<std::int64_t>({{2, 3}, 2}, {0, 7, -8, 3, 3, 2})};
    CHECK(problem<two_operands, matrix, array<std::int64_t, 2, 3>>(few) == "");
}
TEST_CASE("lookups: the gradient is added to where it was read") {
    using matrix = array<double, 6, 8>;
    using labels = array<std::int32_t, 6>;
    using gradient = std::remove_const_t<decltype(tx::value_and_grad(cross_entropy{}))>;
    static_assert(count<gradient, matrix, labels>(op::scatter_add, 48) == 1);
    static_assert(count<gradient, matrix, labels>(op::broadcast_to, 48) == 0); // no zeros to scatter into
    static_assert(count<gradient, matrix, labels>(op::add, 48) == 0);
    check_derivatives<cross_entropy, matrix, labels>(arguments);
    check_static_derivatives<cross_entropy, matrix, labels>(arguments, 4096);
    // One row after the other: nothing as large as the matrix is kept.
    using large = tx::detail::stages<tx::detail::compile_time_trace<gradient, array<float, 4096, 1000>, array<std::int32_t, 4096>>>;
    static_assert(large::plan().arena_bytes[0] < 6 * 4096 * 4);
}
