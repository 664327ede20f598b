// tx::linalg::solve_tridiagonal and solve_banded solve systems of equations whose matrices have few diagonals.
#pragma once

#include <tracexpr/matrices/common.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx {
namespace detail {

// Moves an axis of the diagonals or of b to the front, where scans step along it.
constexpr ad::value with_axis_in_front(ad::value const& x, int axis) { return ad::with_moved_axis(x, axis, 0); }
constexpr ad::value last_expanded(ad::value const& x) { return ad::unary(op::expand_dims, x, attribute_list(x.rank())); }

// This is Thomas's algorithm along the first axis. With r = 1 / (d - l c[i - 1]) the forward scan computes c[i] = r u and y[i] =
// r (b - l y[i - 1]), and the backward scan x[i] = y[i] - c[i] x[i + 1].
TRACEXPR_ONCE constexpr ad::value thomas(trace_scope& scope, ad::value const& lower, ad::value const& diagonal,
                                         ad::value const& upper, ad::value const& b) {
    ad::value const zeros = b * 0.0 + (lower + diagonal + upper) * 0.0; // the shape that all operands broadcast to
    ad::value const right = ad::broadcast_like(b, zeros);
    auto const zero_state = [](ad::value const& x) {
        return ad::zeros_like(ad::unary(op::squeeze, slice(x, 0, 0, 1), attribute_list(0)));
    };
    ad::value const start[]{zero_state(diagonal), zero_state(right)}, forward[]{lower, diagonal, upper, right};
    buffer<node_id> const first =
        record_untyped_scan(scope, {start, 2}, {forward, 4}, false, [](trace_scope&, buffer<ad::value> const& s) {
            ad::value const pivot = s[3] - s[2] * s[0], c = s[4] / pivot, y = (s[5] - s[2] * s[1]) / pivot;
            buffer<ad::value> out;
            for (ad::value const& x : {c, y, c, y}) out.push_back(x);
            return out;
        });
    ad::value const ends[]{zero_state(right)}, backward[]{{scope.recorded, first[2]}, {scope.recorded, first[3]}};
    buffer<node_id> const second =
        record_untyped_scan(scope, {ends, 1}, {backward, 2}, true, [](trace_scope&, buffer<ad::value> const& s) {
            ad::value const x = s[2] - s[1] * s[0];
            buffer<ad::value> out;
            out.push_back(x);
            out.push_back(x);
            return out;
        });
    return {scope.recorded, second[1]};
}
struct tridiagonal_builder {
    static constexpr char const* called = "solve_tridiagonal";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        for (builder_spec const& s : given) {
            if (!is_real_number(s.type)) return "takes real numbers";
            if (s.shape.rank == 0) return "the diagonals and b must have axes";
        }
        if (!know_ranks(given)) return nullptr;
        inferred const all = together(given);
        if (all.problem) return "the diagonals must have one extent n, and leading extents that broadcast";
        return solution_shape(square(all.shape), given[3].shape).problem;
    }
    TRACEXPR_ONCE static constexpr std::array<dtype, 1> types(builder_specs given) {
        dtype type = to_inexact(given[0].type);
        for (builder_spec const& s : given) type = promote(type, to_inexact(s.type));
        return std::array<dtype, 1>{type};
    }
    TRACEXPR_ONCE static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{solution_shape(square(together(given).shape), given[3].shape).shape};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        builder_spec given[4]{};
        for (std::size_t k = 0; k < 4; ++k) given[k] = {scope.recorded[in[k]].type, dims(scope.recorded.shape_of(in[k]))};
        dtype const type = computed_dtype(types({given, 4})[0]);
        auto const of = [&](std::size_t k) { return cast(ad::value(scope.recorded, in[k]), type); };
        bool const is_vector = given[3].shape.rank == 1;
        ad::value const b = is_vector ? last_expanded(of(3)) : of(3);
        // The diagonals are broadcast to their common shape and get an axis for the columns of b.
        ad::value const sum = (of(0) + of(1) + of(2)) * 0.0, solution_like = last_expanded(sum) + b * 0.0;
        auto const diagonal = [&](std::size_t k) {
            return with_axis_in_front(ad::broadcast_like(last_expanded(ad::broadcast_like(of(k), sum)), solution_like),
                                      solution_like.rank() - 2);
        };
        ad::value const right = with_axis_in_front(ad::broadcast_like(b, solution_like), solution_like.rank() - 2);
        ad::value const x = thomas(scope, diagonal(0), diagonal(1), diagonal(2), right),
                        back = ad::with_moved_axis(x, 0, solution_like.rank() - 2);
        return std::array<node_id, 1>{is_vector ? ad::unary(op::squeeze, back, attribute_list(back.rank() - 1)).id() : back.id()};
    }

private:
    TRACEXPR_ONCE static constexpr inferred together(builder_specs given) {
        inferred const two = broadcast_shape(given[0].shape, given[1].shape);
        return two.problem ? two : broadcast_shape(two.shape, given[2].shape);
    }
    static constexpr dims square(dims d) {
        d.push_back(d[d.rank - 1]);
        return d;
    }
};

// A banded system is seen as one of blocks on three diagonals, whose side is the larger of the numbers of diagonals below and
// above. It is solved by Thomas's algorithm on blocks, with pivoting within each block, in O(n side^2). The last block is padded
// with rows of the identity.
class banded_system {
public:
    constexpr banded_system(trace_scope& scope, ad::value const& band, int below, int above)
        : scope_{scope}, band_{band}, below_{below}, above_{above}, side_{below > above ? below : above} {
        if (side_ == 0) side_ = 1;
        n_ = band.shape()[band.rank() - 1];
        count_ = (n_ + side_ - 1) / side_;
    }
    // b: (..., n, k)
    TRACEXPR_ONCE constexpr ad::value solve(ad::value const& b) {
        int const rank = b.rank();
        ad::value const padded = padded_rows(b);
        ad::value const rows = ad::with_moved_axis(in_blocks(padded), rank - 2, 0), start = first_of(rows) * 0.0;
        ad::value const lower = blocks(-1), middle = blocks(0), upper = blocks(1);
        ad::value const states[]{first_of(upper) * 0.0, start}, forward[]{lower, middle, upper, rows};
        buffer<node_id> const first =
            record_untyped_scan(scope_, {states, 2}, {forward, 4}, false, [](trace_scope&, buffer<ad::value> const& s) {
                ad::value const pivot = s[3] - ad::detail::product(s[2], s[0]), factors = ad::unary(op::lu, pivot);
                ad::value const places{pivot.owner(), append_result(pivot.owner(), factors.id(), 1)};
                auto const solved = [&](ad::value const& right) {
                    return ad::record(op::solve, {pivot, right, factors, places}, attribute_list(0));
                };
                ad::value const c = solved(s[4]), y = solved(s[5] - ad::detail::product(s[2], s[1]));
                buffer<ad::value> out;
                for (ad::value const& x : {c, y, c, y}) out.push_back(x);
                return out;
            });
        ad::value const ends[]{start}, backward[]{{scope_.recorded, first[2]}, {scope_.recorded, first[3]}};
        buffer<node_id> const second =
            record_untyped_scan(scope_, {ends, 1}, {backward, 2}, true, [](trace_scope&, buffer<ad::value> const& s) {
                ad::value const x = s[2] - ad::detail::product(s[1], s[0]);
                buffer<ad::value> out;
                out.push_back(x);
                out.push_back(x);
                return out;
            });
        ad::value const x = ad::with_moved_axis({scope_.recorded, second[1]}, 0, rank - 2);
        attribute_list merged;
        for (int axis = 0; axis < rank; ++axis) merged.push_back(axis == rank - 2 ? count_ * side_ : b.shape()[axis]);
        return slice(ad::unary(op::reshape, x, merged), rank - 2, 0, n_);
    }

private:
    constexpr ad::value first_of(ad::value const& x) const {
        return ad::unary(op::squeeze, slice(x, 0, 0, 1), attribute_list(0));
    }
    TRACEXPR_ONCE constexpr ad::value padded_rows(ad::value const& b) const {
        std::int64_t const more = count_ * side_ - n_;
        if (more == 0) return b;
        dims wanted = b.shape();
        wanted[b.rank() - 2] = more;
        ad::value const zeros =
            ad::unary(op::broadcast_to, b.like(0), attribute_span(wanted.extent, static_cast<std::size_t>(wanted.rank)));
        return ad::record(op::concatenate, {b, zeros}, attribute_list(b.rank() - 2));
    }
    TRACEXPR_ONCE constexpr ad::value in_blocks(ad::value const& b) const {
        attribute_list wanted;
        for (int axis = 0; axis < b.rank(); ++axis) {
            if (axis == b.rank() - 2) wanted.push_back(count_), wanted.push_back(side_);
            else wanted.push_back(b.shape()[axis]);
        }
        return ad::unary(op::reshape, b, wanted);
    }
    // Returns the blocks `beside` the diagonal (-1, 0 or 1), with an axis over all blocks in front. Within the band a[r, c] =
    // band[above + r - c, c].
    TRACEXPR_ONCE constexpr ad::value blocks(int beside) const {
        std::int64_t const shape[]{count_, side_, side_};
        ad::value const like = ad::unary(op::broadcast_to, band_.like(0), attribute_span(shape, 3));
        ad::value const block = ad::place_along(like, 0) * static_cast<double>(side_);
        ad::value const r = block + ad::place_along(like, 1),
                        c = block + ad::place_along(like, 2) + static_cast<double>(beside) * static_cast<double>(side_);
        ad::value const row = r - c + static_cast<double>(above_), zero = c.like(0), n = c.like(static_cast<double>(n_));
        ad::value const in_matrix = logical_and(logical_and(greater_equal(c, zero), less_than(c, n)), less_than(r, n));
        ad::value const in_band = logical_and(greater_equal(row, zero), less_equal(row, row.like(below_ + above_)));
        ad::value const is_inside = logical_and(in_matrix, in_band);
        ad::value const place = chosen(is_inside, row * static_cast<double>(n_) + c, zero);
        attribute_list flat;
        for (int axis = 0; axis < band_.rank() - 2; ++axis) flat.push_back(band_.shape()[axis]);
        flat.push_back((below_ + above_ + 1) * n_);
        lowering low(scope_);
        ad::value const values = ad::unary(op::reshape, band_, flat);
        int const last = values.rank() - 1;
        ad::value const elements{scope_.recorded, low.append(op::take, values.id(), place.id(), attribute_list(last))};
        ad::value const outside =
            beside == 0 ? chosen(logical_and(equal(r, c), greater_equal(r, n)), like.like(1), like.like(0)) : like.like(0);
        return ad::with_moved_axis(chosen(is_inside, elements, outside), last, 0);
    }

    trace_scope& scope_;
    ad::value band_;
    int below_, above_;
    std::int64_t side_, n_ = 0, count_ = 0;
};
template <int Below, int Above> struct banded_builder {
    static constexpr char const* called = "solve_banded";
    static constexpr char const* problem(builder_specs given) {
        for (builder_spec const& s : given)
            if (!is_real_number(s.type)) return "takes real numbers";
        dims const band = given[0].shape;
        if (band.rank == 0 || band.rank == 1) return "the diagonals must be the rows of a matrix";
        if (band.rank < 0 || given[1].shape.rank < 0) return nullptr;
        std::int64_t const rows = band[band.rank - 2];
        if (rows != dyn && rows != Below + Above + 1) return "there must be as many rows as diagonals";
        return solution_shape(square(band), given[1].shape).problem;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{promote(to_inexact(given[0].type), to_inexact(given[1].type))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{solution_shape(square(given[0].shape), given[1].shape).shape};
    }
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        ad::value const given{scope.recorded, in[1]}, band{scope.recorded, in[0]};
        dtype const type = computed_dtype(promote(to_inexact(band.type()), to_inexact(given.type())));
        if (!band.shape().is_static() || !given.shape().is_static())
            throw shape_error("tx: solve_banded: the trace must know the extents");
        bool const is_vector = given.rank() == 1;
        ad::value const columns = cast(is_vector ? last_expanded(given) : given, type);
        dims const all = solution_shape(square(band.shape()), columns.shape()).shape;
        ad::value const b = columns.shape() == all ? columns
                                                   : ad::unary(op::broadcast_to, columns,
                                                               attribute_span(all.extent, static_cast<std::size_t>(all.rank)));
        if (all.size() == 0)
            return std::array<node_id, 1>{is_vector ? ad::unary(op::squeeze, b, attribute_list(b.rank() - 1)).id() : b.id()};
        dims of_band = all;
        of_band[all.rank - 2] = Below + Above + 1, of_band[all.rank - 1] = band.shape()[band.rank() - 1];
        ad::value const band_of_all =
            ad::unary(op::broadcast_to, cast(band, type), attribute_span(of_band.extent, static_cast<std::size_t>(of_band.rank)));
        ad::value const x = banded_system(scope, band_of_all, Below, Above).solve(b);
        return std::array<node_id, 1>{is_vector ? ad::unary(op::squeeze, x, attribute_list(x.rank() - 1)).id() : x.id()};
    }

private:
    static constexpr dims square(dims d) {
        d[d.rank - 2] = d[d.rank - 1];
        return d;
    }
};

} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// Solves a x = b, where a has three diagonals: lower, diagonal and upper (..., n), of which lower[0] and upper[n - 1] are not
// used; b is (..., n, k) or a vector (n). Thomas's algorithm takes O(n k) steps and doesn't pivot: a should be diagonally
// dominant or definite. (JAX: tridiagonal_solve)
template <array_operand L, array_operand D, array_operand U, array_operand B>
[[nodiscard]] constexpr auto solve_tridiagonal(L const& lower, D const& diagonal, U const& upper, B const& b) {
    constexpr bool fits = detail::built_problem<detail::tridiagonal_builder, L, D, U, B> == nullptr;
    static_assert(fits, "tx: linalg::solve_tridiagonal: takes three diagonals (..., n), and b (..., n, k) or (n)");
    return detail::apply_if<fits>(detail::built_fn<detail::tridiagonal_builder>{}, lower, diagonal, upper, b);
}
// Solves a x = b, where a has Lower diagonals below the main one and Upper above it. They are the rows of `diagonals`, (...,
// Lower + 1 + Upper, n): a[i, j] is diagonals[Upper + i - j, j]; b is (..., n, k) or a vector (n). Rows are exchanged only within
// blocks of the band's width. (SciPy: solve_banded)
template <int Lower, int Upper, array_operand D, array_operand B>
[[nodiscard]] constexpr auto solve_banded(D const& diagonals, B const& b) {
    constexpr bool fits =
        Lower >= 0 && Upper >= 0 && detail::built_problem<detail::banded_builder<Lower, Upper>, D, B> == nullptr;
    static_assert(fits,
                  "tx: linalg::solve_banded: takes Lower + 1 + Upper diagonals in rows of n elements, and b (..., n, k) or (n)");
    return detail::apply_if<fits>(detail::built_fn<detail::banded_builder<Lower, Upper>>{}, diagonals, b);
}
template <class Unused = void, class... A> constexpr detail::failed solve_banded(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: linalg::solve_banded: takes diagonals and b, with the numbers of diagonals below "
                                        "and above in <>: tx::linalg::solve_banded<1, 1>(diagonals, b)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
