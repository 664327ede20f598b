// This file has functions of values that derivative rules don't use, but code that records users' functions without types does.
#pragma once

#include <tracexpr/ad/value.hpp>

namespace tx::detail {

constexpr ad::value minimum_of(ad::value const& a, ad::value const& b) { return ad::record(op::minimum, {a, b}); }
constexpr ad::value maximum_of(ad::value const& a, ad::value const& b) { return ad::record(op::maximum, {a, b}); }
constexpr ad::value either(ad::value const& a, ad::value const& b) { return ad::record(op::logical_or, {a, b}); }
constexpr ad::value negated(ad::value const& a) { return ad::unary(op::logical_not, a); }
constexpr ad::value less_than(ad::value const& a, ad::value const& b) { return ad::record(op::less, {a, b}); }
constexpr ad::value chosen(ad::value const& condition, ad::value const& yes, ad::value const& no) {
    return ad::record(op::where, {condition, yes, no});
}
TRACEXPR_ONCE constexpr ad::value fixed(ad::value const& x) {
    node_id const operand[]{x.id()};
    return {x.owner(), x.owner().append(op::stop_gradient, x.type(), dims(x.shape()), operand)};
}

} // namespace tx::detail
