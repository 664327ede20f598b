// This file holds the compound assignments (a += b and the like) of tensors and exprs.
#pragma once

#include <tracexpr/trace/pointwise.hpp>

namespace tx {
namespace detail {

[[noreturn]] TRACEXPR_ONCE void throw_changed_shape(op code, dims const& given, dims const& result) {
    throw shape_error("tx: " + std::string(name(code)) + ", as an assignment: the left side keeps its shape " + to_string(given) +
                      "; the result would have shape " + to_string(result));
}
// a = Code(a, b), where a keeps its dtype and shape. On an expr it makes the name stand for another node.
template <op Code, class A, class B> constexpr A& assign_result(A& a, B const& b) {
    constexpr bool is_variable = variable_type<A>, is_const = std::is_const_v<A>, has_operand = operand<B> || is_failed<B>;
    static_assert(!is_variable, "tx: a variable is changed by v.assign_add(y), v.assign_sub(y) and v.assign(y)");
    static_assert(!is_const,
                  "tx: +=, -= and their kin change their left side, which is const here; a callable takes an argument by "
                  "value, auto x, to do so");
    static_assert(has_operand, "tx: +=, -= and their kin: the right side must be a tensor, an expr or a number");
    if constexpr (!is_variable && !is_const && has_operand) {
        auto const result = pointwise<Code>(a, b);
        using R = std::remove_cv_t<decltype(result)>;
        if constexpr (!is_failed<R>) {
            constexpr dims from = dims_of_operand<R>, to = dims_of_operand<A>;
            constexpr bool same_dtype = dtype_of_operand<R> == dtype_of_operand<A>;
            constexpr bool fits = expr_type<A> ? widens<typename R::shape_type, typename A::shape_type> : may_equal(from, to);
            static_assert(same_dtype,
                          "tx: +=, -= and their kin keep the dtype of their left side, which the result would not have; "
                          "tx::cast the right side, use tx::floor_divide, or give the result a name");
            static_assert(!same_dtype || fits,
                          "tx: +=, -= and their kin keep the shape of their left side, which the result would not "
                          "have; give the result a name");
            if constexpr (same_dtype && fits && expr_type<A>) {
                a = A(result.scope(), result.id());
            } else if constexpr (same_dtype && fits) {
                if (result.dimensions() != a.dimensions()) throw_changed_shape(Code, a.dimensions(), result.dimensions());
                a = A(result);
            }
        }
    }
    return a;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// a = a + b, where a keeps its dtype and shape; a result that would have others is an error.
template <own_operand A, class B> constexpr A& operator+=(A& a, B const& b) { return detail::assign_result<op::add>(a, b); }
// a = a - b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator-=(A& a, B const& b) { return detail::assign_result<op::subtract>(a, b); }
// a = a * b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator*=(A& a, B const& b) { return detail::assign_result<op::multiply>(a, b); }
// a = a / b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator/=(A& a, B const& b) { return detail::assign_result<op::divide>(a, b); }
// a = a % b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator%=(A& a, B const& b) { return detail::assign_result<op::remainder>(a, b); }
// a = a & b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator&=(A& a, B const& b) {
    return detail::assign_result<op::bitwise_and>(a, b);
}
// a = a | b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator|=(A& a, B const& b) {
    return detail::assign_result<op::bitwise_or>(a, b);
}
// a = a ^ b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator^=(A& a, B const& b) {
    return detail::assign_result<op::bitwise_xor>(a, b);
}
// a = a << b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator<<=(A& a, B const& b) {
    return detail::assign_result<op::left_shift>(a, b);
}
// a = a >> b, where a keeps its dtype and shape as in +=.
template <own_operand A, class B> constexpr A& operator>>=(A& a, B const& b) {
    return detail::assign_result<op::right_shift>(a, b);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
