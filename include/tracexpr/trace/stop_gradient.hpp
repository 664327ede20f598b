// This file holds stop_gradient, which gives the value of a tensor without its derivatives.
#pragma once

#include <tracexpr/trace/apply.hpp>

namespace tx {
namespace detail {
struct stop_gradient_fn {
    template <class A> constexpr A operator()(A const& a) const {
        node_id const operand[]{a.id()};
        graph& g = a.scope().recorded;
        return A(a.scope(), g.append(op::stop_gradient, g[a.id()].type, g[a.id()].shape, operand, {}, {}));
    }
};
} // namespace detail

inline namespace TRACEXPR_CALLS {

// x, whose derivatives are 0 with respect to everything. (JAX, TensorFlow: stop_gradient)
template <array_operand A> [[nodiscard]] constexpr auto stop_gradient(A const& x) {
    return detail::apply(detail::stop_gradient_fn{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
