// Polynomials are vectors of coefficients, the highest power first, as in numpy.poly1d: this file has their sums, products,
// derivatives and integrals. Shapes don't depend on values, so leading zeros are kept.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>
#include <tracexpr/trace/joining.hpp>

namespace tx {
namespace detail {

TRACEXPR_ONCE constexpr char const* coefficients_problem(builder_specs given) {
    for (builder_spec const& s : given) {
        if (s.type == dtype::string) return "coefficients must be numbers";
        if (s.shape.rank > 1 || s.shape.rank == 0) return "takes vectors of coefficients, the highest power first";
    }
    return nullptr;
}
// Makes a vector of zeros of the given extent, or, if that is unknown, of the extent that is the value of a node.
TRACEXPR_ONCE constexpr node_id record_zeros(lowering& low, dtype type, std::int64_t extent, node_id number) {
    if (extent != dyn) {
        node_id const operand[]{low.literal(0)};
        return low.append(op::broadcast_to, low.append(op::cast, type, operand), attribute_list(extent));
    }
    node_id const operand[]{number};
    node_id const like[]{low.append(op::extents, dtype::boolean, operand, attribute_list(-1))};
    return low.append(op::cast, type, like);
}
constexpr std::int64_t larger_extent(std::int64_t a, std::int64_t b) { return a == dyn || b == dyn ? dyn : a < b ? b : a; }
TRACEXPR_ONCE constexpr node_id in_front(lowering& low, node_id zeros, node_id p, node_id place) {
    node_id const places = low.append(op::add, low.iota_like<std::int64_t>(p, 0), place);
    node_id const operands[]{zeros, p, places};
    return low.append(op::index_add, low.type(p), operands, attribute_list(0));
}
// Pads p with leading zeros, so that it has at least as many coefficients as `other`.
TRACEXPR_ONCE constexpr node_id extended(lowering& low, node_id p, node_id other) {
    std::int64_t const own = low.extent(p, 0), wanted = larger_extent(own, low.extent(other, 0));
    if (wanted != dyn) return wanted == own ? p : low.append(op::pad, p, low.zero_like(p), attribute_list(wanted - own, 0));
    node_id const count = low.axis_size<std::int64_t>(p, 0);
    node_id const all = low.append(op::maximum, count, low.axis_size<std::int64_t>(other, 0));
    return in_front(low, record_zeros(low, low.type(p), dyn, all), p, low.append(op::subtract, all, count));
}
template <op Code> struct polynomial_sum_builder {
    static constexpr char const* called = Code == op::add ? "polyadd" : "polysub";
    static constexpr char const* problem(builder_specs given) { return coefficients_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{numeric(promote(given[0].type, given[1].type))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{dims{{larger_extent(given[0].shape[0], given[1].shape[0])}, 1}};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* p) {
        dtype const type = numeric(promote(low.type(p[0]), low.type(p[1])));
        node_id const a = low.as(p[0], type), b = low.as(p[1], type);
        return std::array<node_id, 1>{low.append(Code, extended(low, a, b), extended(low, b, a))};
    }
    // bool is added as int64.
    static constexpr dtype numeric(dtype t) { return t == dtype::boolean ? dtype::int64 : t; }
};
// The products of all pairs of coefficients are added up by the sums of their powers.
struct polynomial_product_builder {
    static constexpr char const* called = "polymul";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        if (char const* const found = coefficients_problem(given)) return found;
        return any_extent_is_zero(given[0].shape) || any_extent_is_zero(given[1].shape) ? "needs a coefficient" : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return polynomial_sum_builder<op::add>::types(given); }
    TRACEXPR_ONCE static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{dims{{product_extent(given[0].shape[0], given[1].shape[0])}, 1}};
    }
    static constexpr std::int64_t product_extent(std::int64_t a, std::int64_t b) {
        return a == dyn || b == dyn ? dyn : a + b - 1;
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* p) {
        dtype const type = polynomial_sum_builder<op::add>::numeric(promote(low.type(p[0]), low.type(p[1])));
        node_id const a = low.expand(low.as(p[0], type), 1), b = low.as(p[1], type);
        node_id const products = low.append(op::multiply, a, b);
        node_id const places =
            low.append(op::add, low.iota_like<std::int64_t>(products, 0), low.iota_like<std::int64_t>(products, 1));
        node_id count = node_id::none;
        std::int64_t const extent = product_extent(low.extent(a, 0), low.extent(b, 0));
        if (extent == dyn) {
            node_id const both = low.append(op::add, low.axis_size<std::int64_t>(a, 0), low.axis_size<std::int64_t>(b, 0));
            count = low.append(op::subtract, both, low.literal(std::int64_t{1}));
        }
        attribute_list const in_a_row(-1);
        node_id const operands[]{record_zeros(low, type, extent, count), low.reshape(products, in_a_row),
                                 low.reshape(places, in_a_row)};
        return std::array<node_id, 1>{low.append(op::index_add, type, operands, attribute_list(0))};
    }
};
// Computes the power at each place of p, plus `more`, in dtype `type`.
TRACEXPR_ONCE constexpr node_id record_powers(lowering& low, node_id p, dtype type, std::int64_t more) {
    std::int64_t const extent = low.extent(p, 0);
    node_id const count = extent == dyn ? low.axis_size<std::int64_t>(p, 0) : low.literal(extent);
    node_id const first = low.append(op::add, count, low.literal(more - 1));
    return low.as(low.append(op::subtract, first, low.iota_like<std::int64_t>(p, 0)), type);
}
constexpr std::int64_t fewer(std::int64_t extent, std::int64_t times) {
    return extent == dyn ? dyn : extent < times ? 0 : extent - times;
}
template <int Times> struct polynomial_derivative_builder {
    static constexpr char const* called = "polyder";
    static constexpr char const* problem(builder_specs given) { return coefficients_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{is_inexact(given[0].type) ? given[0].type : dtype::int64};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{dims{{fewer(given[0].shape[0], Times)}, 1}};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        node_id p = is_inexact(low.type(operands[0])) ? operands[0] : low.as(operands[0], dtype::int64);
        for (int k = 0; k < Times; ++k) {
            p = low.slice(p, 0, 0, -1);
            p = low.append(op::multiply, p, record_powers(low, p, low.type(p), 1));
        }
        return std::array<node_id, 1>{p};
    }
};
// The constants are one for all integrations, or a vector with one for each.
template <int Times, std::size_t Operands> struct polynomial_integral_builder {
    static constexpr char const* called = "polyint";
    static constexpr char const* problem(builder_specs given) {
        builder_spec const of[]{given[0]};
        if (char const* const found = coefficients_problem(of)) return found;
        if (Operands == 1 || given[1].shape.rank <= 0) return nullptr;
        dims const& k = given[1].shape;
        return k.rank == 1 && (k[0] == dyn || k[0] == Times) ? nullptr : "takes one constant, or a vector of one for each time";
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{common_inexact(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        std::int64_t const extent = given[0].shape[0];
        return std::array<dims, 1>{dims{{extent == dyn ? dyn : extent + Times}, 1}};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        dtype const type = computed_dtype(common_inexact(low, operands, Operands));
        node_id p = low.as(operands[0], type);
        for (int k = 0; k < Times; ++k) {
            p = low.append(op::divide, p, record_powers(low, p, type, 1));
            node_id constant = Operands == 1 ? low.zero_like(p) : low.as(operands[Operands - 1], type);
            if (low.rank(constant) == 0) constant = low.expand(constant, 0);
            else constant = low.slice(constant, 0, k, k + 1);
            node_id const parts[]{p, constant};
            p = low.concatenate(parts, 0);
        }
        return std::array<node_id, 1>{p};
    }
};

template <class Builder, class... P> constexpr bool check_polynomials() {
    constexpr bool fit = built_problem<Builder, P...> == nullptr;
    static_assert(fit,
                  "tx: polyadd, polysub, polymul, polyder, polyint: take vectors of coefficients that are numbers; the shapes "
                  "stand in the note above");
    return fit;
}
template <class Builder, bool Counts, class... P> constexpr auto times_polynomial(P const&... p) {
    static_assert(Counts, "tx: polyder, polyint: the number of times must not be negative");
    return apply_if<(Counts && check_polynomials<Builder, P...>())>(built_fn<Builder>{}, p...);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Adds two polynomials: (m), (n) -> (max(m, n)).
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto polyadd(A const& a, B const& b) {
    using builder = detail::polynomial_sum_builder<op::add>;
    return detail::apply_if<detail::check_polynomials<builder, A, B>()>(detail::built_fn<builder>{}, a, b);
}
// Subtracts two polynomials: (m), (n) -> (max(m, n)).
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto polysub(A const& a, B const& b) {
    using builder = detail::polynomial_sum_builder<op::subtract>;
    return detail::apply_if<detail::check_polynomials<builder, A, B>()>(detail::built_fn<builder>{}, a, b);
}
// Multiplies two polynomials: (m), (n) -> (m + n - 1). Leading zeros are kept, which NumPy drops.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto polymul(A const& a, B const& b) {
    using builder = detail::polynomial_product_builder;
    return detail::apply_if<detail::check_polynomials<builder, A, B>()>(detail::built_fn<builder>{}, a, b);
}
// Differentiates the polynomial Times times: (n) -> (n - Times), or no coefficients. Integers give int64.
template <int Times = 1, array_operand P> [[nodiscard]] constexpr auto polyder(P const& p) {
    return detail::times_polynomial<detail::polynomial_derivative_builder<(Times < 0 ? 0 : Times)>, (Times >= 0)>(p);
}
// Integrates the polynomial Times times: (n) -> (n + Times). The constants are 0, or k: one for all, or a vector with one for
// each integration. Integers give float64.
template <int Times = 1, array_operand P> [[nodiscard]] constexpr auto polyint(P const& p) {
    return detail::times_polynomial<detail::polynomial_integral_builder<(Times < 0 ? 0 : Times), 1>, (Times >= 0)>(p);
}
template <int Times = 1, array_operand P, operand K> [[nodiscard]] constexpr auto polyint(P const& p, K const& k) {
    return detail::times_polynomial<detail::polynomial_integral_builder<(Times < 0 ? 0 : Times), 2>, (Times >= 0)>(p, k);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
