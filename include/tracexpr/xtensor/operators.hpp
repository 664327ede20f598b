// This file holds operators between tensors or exprs and xtensor's expressions. xtensor's own operators take any two operands of
// which one is an xtensor expression, and treat a tensor as a scalar; those here are preferred, because they are more
// constrained.
#pragma once

#include <tracexpr/xtensor/convert.hpp>

namespace tx {

template <class A, class B> concept meets_xtensor = (own_operand<A> && xtensor_expression<std::remove_cvref_t<B>>) ||
                                                    (xtensor_expression<std::remove_cvref_t<A>> && own_operand<B>);

inline namespace TRACEXPR_TARGET {

template <class A, class B> requires meets_xtensor<A, B> auto operator+(A&& a, B&& b) { return detail::pointwise<op::add>(a, b); }
template <class A, class B> requires meets_xtensor<A, B> auto operator-(A&& a, B&& b) {
    return detail::pointwise<op::subtract>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator*(A&& a, B&& b) {
    return detail::pointwise<op::multiply>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator/(A&& a, B&& b) {
    return detail::pointwise<op::divide>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator%(A&& a, B&& b) {
    return detail::pointwise<op::remainder>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator<(A&& a, B&& b) {
    return detail::pointwise<op::less>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator<=(A&& a, B&& b) {
    return detail::pointwise<op::less_equal>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator>(A&& a, B&& b) {
    return detail::pointwise<op::greater>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator>=(A&& a, B&& b) {
    return detail::pointwise<op::greater_equal>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator&&(A&& a, B&& b) {
    return detail::pointwise<op::logical_and>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator||(A&& a, B&& b) {
    return detail::pointwise<op::logical_or>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator&(A&& a, B&& b) {
    return detail::pointwise<op::bitwise_and>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator|(A&& a, B&& b) {
    return detail::pointwise<op::bitwise_or>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator^(A&& a, B&& b) {
    return detail::pointwise<op::bitwise_xor>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator<<(A&& a, B&& b) {
    return detail::pointwise<op::left_shift>(a, b);
}
template <class A, class B> requires meets_xtensor<A, B> auto operator>>(A&& a, B&& b) {
    return detail::pointwise<op::right_shift>(a, b);
}

} // namespace TRACEXPR_TARGET
} // namespace tx
