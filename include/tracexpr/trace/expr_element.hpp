// This file holds the element x(i, j) of an expr, which can be assigned to.
#pragma once

#include <tracexpr/trace/expr.hpp>

#include <tuple>

namespace tx {

// x(i, j) of an expr that has a name; an assignment makes the name stand for the expr with that element set.
template <class Expr, class... Places> class expr_element : public expr<typename Expr::value_type, shape<>> {
    using element = expr<typename Expr::value_type, shape<>>;

public:
    constexpr expr_element(Expr& of, element const& value, Places const&... places)
        : element(value), of_{&of}, places_{places...} {}
    constexpr expr_element(expr_element const&) = default;
    template <class V> constexpr expr_element const& operator=(V const& v) && {
        *of_ = std::apply([&](auto const&... place) { return set(*of_, v, place...); }, places_);
        return *this;
    }
    constexpr expr_element const& operator=(expr_element const& other) && { return std::move(*this) = element(other); }
    template <class V> constexpr expr_element const& operator+=(V const& v) && { return std::move(*this) = value() + v; }
    template <class V> constexpr expr_element const& operator-=(V const& v) && { return std::move(*this) = value() - v; }
    template <class V> constexpr expr_element const& operator*=(V const& v) && { return std::move(*this) = value() * v; }
    template <class V> constexpr expr_element const& operator/=(V const& v) && { return std::move(*this) = value() / v; }

private:
    constexpr element const& value() const { return *this; }

    Expr* of_;
    std::tuple<Places...> places_;
};

template <class Expr, class... Places> inline constexpr bool is_expr<expr_element<Expr, Places...>> = true;

} // namespace tx
