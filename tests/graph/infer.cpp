#include <messages.hpp>
#include <graph_helper.hpp>
#include <tracexpr/graph/infer.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

using namespace tx::testing;
using tx::dims;
using tx::dtype;
using tx::dyn;
using tx::inferred;
using tx::op;
using tx::slice_open;

namespace {

struct rule_case {
    op code;
    std::vector<dims> operands;
    std::vector<std::int64_t> attributes;
    dims expected;
};
struct problem_case {
    op code;
    std::vector<dims> operands;
    std::vector<std::int64_t> attributes;
    char const* expected;
};

constexpr dims any_rank{{}, dims::unknown_rank};

std::string message_of(op code, std::vector<dims> const& operands, std::vector<std::int64_t> const& attributes) {
    return ::message_of<tx::shape_error>([&] { tx::infer_or_throw(code, dims{}, operands, attributes); });
}

} // namespace

TEST_CASE("infer: shapes") {
    dims const e = extents({}), any = any_rank;
    auto const s = [](std::initializer_list<std::int64_t> list) { return extents(list); };
    std::vector<rule_case> const cases{
        {op::exp, {s({2, 3})}, {}, s({2, 3})},
        {op::population_count, {s({dyn, 3})}, {}, s({dyn, 3})},
        {op::add, {s({2, 1}), s({3})}, {}, s({2, 3})},
        {op::add, {s({dyn, 1}), s({3})}, {}, s({dyn, 3})},
        {op::add, {s({dyn}), s({1})}, {}, s({dyn})},
        {op::add, {s({0, 3}), s({1, 1})}, {}, s({0, 3})},
        {op::add, {any, s({3})}, {}, any},
        {op::where, {s({4, 1, 1}), s({3, 1}), s({2})}, {}, s({4, 3, 2})},
        {op::fma, {e, e, s({2})}, {}, s({2})},

        {op::sum, {s({2, 3, 4})}, {0, 0, 2}, s({3})},
        {op::sum, {s({2, 3, 4})}, {1, 2, 0}, s({1, 3, 1})},
        {op::sum, {s({2, 3})}, {0}, s({2, 3})},
        {op::argmax, {s({dyn, 3})}, {0, 1}, s({dyn})},
        {op::cumsum, {s({dyn, 3})}, {1}, s({dyn, 3})},
        {op::sort, {s({dyn, 3})}, {0, 1}, s({dyn, 3})},
        {op::argsort, {s({dyn, 3})}, {1, 0, -1}, s({dyn, 3})},
        {op::argsort, {s({dyn, 3})}, {0, 1, 7}, s({7, 3})},
        {op::sort, {s({4, 3})}, {0, 0, -4}, s({4, 3})},
        {op::argsort, {s({dyn, 3})}, {0, 0, -1, 9}, s({dyn, 3})},
        {op::argselect, {s({4, 3}), s({2})}, {0}, s({2, 3})},
        {op::argselect, {s({4, dyn}), s({dyn})}, {1}, s({4, dyn})},
        {op::argselect, {s({4, 3}), s({4, 2})}, {1}, s({4, 2})},
        {op::index_max, {s({4, 3}), s({2, 3}), s({2})}, {0}, s({4, 3})},
        {op::scatter_min, {s({4, 3}), s({2, 3}), s({2, 3})}, {0}, s({4, 3})},

        {op::reshape, {s({2, 6})}, {3, 4}, s({3, 4})},
        {op::reshape, {s({2, 6})}, {-1}, s({12})},
        {op::reshape, {s({2, 6})}, {-3, -1}, s({6, 2})},
        {op::reshape, {s({dyn, 4})}, {-2, 2, -1}, s({dyn, 2, 2})},
        {op::reshape, {s({dyn, 4})}, {-1}, s({dyn})},
        {op::reshape, {s({dyn, 4})}, {2, 6}, s({2, 6})},
        {op::reshape, {s({dyn, dyn, 3})}, {-2, -2, -1}, s({dyn, dyn, dyn})},
        {op::reshape, {s({2, 2, 3})}, {-2, -2, -1}, s({2, 2, 3})},
        {op::reshape, {s({0, 3})}, {0, -1}, s({0, 0})},
        {op::reshape, {s({0, 4})}, {-2, -1}, s({0, 4})},
        {op::reshape, {s({1, 1})}, {}, e},
        {op::reshape, {any}, {2, -1}, s({2, dyn})},

        {op::transpose, {s({2, 3, 4})}, {2, 0, 1}, s({4, 2, 3})},
        {op::broadcast_to, {s({3, 1})}, {2, -1, 5}, s({2, 3, 5})},
        {op::broadcast_to, {s({3})}, {-1, -1}, s({1, 3})},
        {op::broadcast_to, {s({dyn})}, {2, 4}, s({2, 4})},
        {op::broadcast_to, {s({1, dyn}), s({2, 5, 7})}, {}, s({2, 5, 7})},
        {op::expand_dims, {s({2, 3})}, {0, 2}, s({1, 2, 1, 3})},
        {op::expand_dims, {e}, {0, 1}, s({1, 1})},
        {op::squeeze, {s({1, 2, 1})}, {0, 2}, s({2})},
        {op::squeeze, {s({dyn, 2})}, {0}, s({2})},
        {op::slice, {s({10})}, {1, 8, 3}, s({3})},
        {op::slice, {s({10})}, {-3, slice_open, 1}, s({3})},
        {op::slice, {s({10})}, {slice_open, slice_open, -1}, s({10})},
        {op::slice, {s({10})}, {8, 2, -4}, s({2})},
        {op::slice, {s({10})}, {8, 2, 1}, s({0})},
        {op::slice, {s({10})}, {-100, 100, 1}, s({10})},
        {op::slice, {s({10})}, {100, -100, -1}, s({10})},
        {op::slice, {s({0})}, {slice_open, slice_open, -2}, s({0})},
        {op::slice, {s({10})}, {0, slice_open, std::numeric_limits<std::int64_t>::max()}, s({1})},
        {op::slice, {s({10})}, {slice_open, slice_open, std::numeric_limits<std::int64_t>::min()}, s({1})},
        {op::slice, {s({dyn, 4})}, {1, slice_open, 1, 0, 2, 1}, s({dyn, 2})},
        {op::diagonal, {s({3, 4})}, {0, 0, 1}, s({3})},
        {op::diagonal, {s({3, 4})}, {2, 0, 1}, s({2})},
        {op::diagonal, {s({3, 4})}, {-5, 0, 1}, s({0})},
        {op::diagonal, {s({3, 5, 4})}, {0, 2, 0}, s({5, 3})},
        {op::diagonal, {s({dyn, 4})}, {0, 0, 1}, s({dyn})},
        {op::sliding_window_view, {s({5, 4})}, {1, 3}, s({5, 2, 3})},
        {op::sliding_window_view, {s({5, dyn})}, {0, 5, 1, 2}, s({1, dyn, 5, 2})},
        {op::sliding_window_view, {s({5})}, {0, 3, 0, 2}, s({2, 3, 2})},

        {op::concatenate, {s({2, 3}), s({2, 4}), s({2, 0})}, {1}, s({2, 7})},
        {op::concatenate, {s({dyn, 3}), s({2, dyn})}, {1}, s({2, dyn})},
        {op::pad, {s({2, dyn}), e}, {1, 2, 3, 4}, s({5, dyn})},

        {op::take, {s({5, 6, 7}), s({2, 3})}, {1}, s({5, 2, 3, 7})},
        {op::take, {s({5}), e}, {0}, e},
        {op::take_along_axis, {s({5, 6}), s({5, 2})}, {1}, s({5, 2})},
        {op::matmul, {s({2, 3}), s({3, 4})}, {}, s({2, 4})},
        {op::matmul, {s({5, 1, 2, 3}), s({6, 3, 4})}, {}, s({5, 6, 2, 4})},
        {op::matmul, {s({dyn, 3}), s({dyn, 4})}, {}, s({dyn, 4})},
        {op::cholesky, {s({2, 3, 3})}, {}, s({2, 3, 3})},
        {op::cholesky, {s({dyn, 3})}, {}, s({3, 3})},
        {op::lu, {s({2, 3, 3})}, {}, s({2, 3, 3})},
        {op::lu, {s({dyn, dyn})}, {}, s({dyn, dyn})},
        {op::eigh, {s({3, dyn})}, {}, s({3, 3})},
        {op::eigh, {s({0, 0})}, {}, s({0, 0})},
        {op::qr, {s({2, 5, 3})}, {}, s({2, 5, 3})},
        {op::qr, {s({3, 5})}, {}, s({3, 3})},
        {op::qr, {s({dyn, 3})}, {}, s({dyn, dyn})},
        {op::svd, {s({2, 3, 5})}, {}, s({2, 3, 3})},
        {op::svd, {s({dyn, 0})}, {}, s({dyn, 0})},
        {op::solve_triangular, {s({3, 3}), s({2, 3, 4})}, {1, 0, 0}, s({2, 3, 4})},
        {op::solve, {s({5, 1, 3, 3}), s({2, 3, 4}), s({5, 1, 3, 3}), s({5, 1, 3})}, {0}, s({5, 2, 3, 4})},
        {op::iota, {s({2, 3})}, {1}, s({2, 3})},
        {op::axis_size, {s({2, 3})}, {0, 1}, e},
        {op::extents, {e, e}, {-2, 4, -1}, s({dyn, 4, dyn})},
    };
    for (rule_case const& c : cases) {
        CAPTURE(tx::name(c.code));
        inferred const out = tx::infer(c.code, dims{}, c.operands, c.attributes);
        CHECK(std::string(out.problem ? out.problem : "none") == "none");
        CHECK(tx::to_string(out.shape) == tx::to_string(c.expected));
    }
}

TEST_CASE("infer: what stands against a shape") {
    dims const nine = extents({1, 1, 1, 1, 1, 1, 1, 1});
    auto const s = [](std::initializer_list<std::int64_t> list) { return extents(list); };
    std::vector<problem_case> const cases{
        {op::add, {s({2}), s({3})}, {}, "shapes must broadcast: extents, aligned from the right, are equal or 1"},
        {op::add, {s({0}), s({3})}, {}, "shapes must broadcast: extents, aligned from the right, are equal or 1"},
        {op::sum, {s({2})}, {0, 1}, "axes must lie within the rank"},
        {op::sum, {s({2})}, {0, -1}, "axes must lie within the rank"},
        {op::sum, {s({2})}, {0, 0, 0}, "axes must differ"},
        {op::cumsum, {s({2})}, {1}, "the axis must lie within the rank"},
        {op::sort, {s({2})}, {1, 0}, "the axis must lie within the rank"},
        {op::argsort, {s({2})}, {0, 0, 3}, "the axis must have as many elements as are asked for"},
        {op::sort, {s({2})}, {0, 0, 2}, "the place must lie within the axis"},
        {op::argsort, {s({2})}, {0, 0, -1, -3}, "the place must lie within the axis"},
        {op::argselect, {s({2, 3}), s({2})}, {2}, "the axis must lie within the rank"},
        {op::argselect, {s({2, 3}), s({3, 3})}, {1}, "indices must have the operand's extents on all axes but the one indexed"},
        {op::index_min, {s({2}), s({3}), s({2})}, {0}, "what is added or set must have the shape of the part that it goes to"},
        {op::reshape, {s({2, 3})}, {4}, "the size must stay the same"},
        {op::reshape, {s({2, 3})}, {4, -1}, "the size must stay the same, and the extents beside -1 must divide it"},
        {op::reshape, {s({2, 3})}, {0, -1}, "the size must stay the same, and the extents beside -1 must divide it"},
        {op::reshape, {s({4})}, {-2, -2, -1}, "the size must stay the same, and the extents beside -1 must divide it"},
        {op::reshape, {s({2, 3})}, {-1, -1}, "at most one extent may be left to infer"},
        {op::reshape, {s({2, 3})}, {-4, -1}, "a copied axis must lie within the rank"},
        {op::reshape, {s({1})}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "the rank must be at most 8"},
        {op::transpose, {s({2, 3})}, {0}, "the permutation must name every axis once"},
        {op::transpose, {s({2, 3})}, {1, 1}, "the permutation must name every axis once"},
        {op::transpose, {s({2, 3})}, {0, 2}, "axes must differ and lie within the rank"},
        {op::broadcast_to, {s({2, 3})}, {3}, "the new shape must have at least the old rank"},
        {op::broadcast_to, {s({2, 3})}, {4, 3}, "an extent can only be broadcast from 1"},
        {op::broadcast_to, {s({1})}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "the rank must be at most 8"},
        {op::broadcast_to, {s({2, 3}), s({3})}, {}, "the new shape must have at least the old rank"},
        {op::broadcast_to, {s({2, 3}), s({4, 3})}, {}, "an extent can only be broadcast from 1"},
        {op::expand_dims, {s({2})}, {2}, "axes must lie within the new rank and differ"},
        {op::expand_dims, {s({2})}, {0, 0}, "axes must lie within the new rank and differ"},
        {op::expand_dims, {nine}, {0}, "the rank must be at most 8"},
        {op::squeeze, {s({2})}, {0}, "squeezed axes must have extent 1"},
        {op::squeeze, {s({1})}, {1}, "axes must lie within the rank"},
        {op::slice, {s({2})}, {0, 1, 0}, "a slice's step must not be 0"},
        {op::slice, {s({2})}, {0, 1, 1, 0, 1, 1}, "at most one index for each axis"},
        {op::diagonal, {s({2, 2})}, {0, 1, 1}, "needs two different axes within the rank"},
        {op::diagonal, {s({2})}, {0, 0, 1}, "needs two different axes within the rank"},
        {op::sliding_window_view, {s({2})}, {0}, "needs a size for each axis"},
        {op::sliding_window_view, {s({2})}, {1, 2}, "axes must lie within the rank"},
        {op::sliding_window_view, {s({2})}, {0, 3}, "a window must have an element, and no more than its axis"},
        {op::sliding_window_view, {s({dyn})}, {0, 0}, "a window must have an element, and no more than its axis"},
        {op::sliding_window_view, {s({2})}, {0, 2, 0, 2}, "a window must have an element, and no more than its axis"},
        {op::sliding_window_view, {nine}, {0, 1}, "the rank must be at most 8"},
        {op::concatenate, {s({2}), s({2, 2})}, {0}, "all operands must have the same rank"},
        {op::concatenate, {s({2, 3}), s({2, 4})}, {0}, "extents must agree on all axes but the one joined"},
        {op::concatenate, {s({2})}, {1}, "the axis must lie within the rank"},
        {op::concatenate, {}, {0}, "needs at least one operand"},
        {op::pad, {s({2}), s({})}, {1}, "needs a pair of widths for each axis"},
        {op::pad, {s({2}), s({})}, {1, -1}, "widths must not be negative"},
        {op::take, {s({2}), s({2})}, {1}, "the axis must lie within the rank"},
        {op::take, {nine, s({2, 2})}, {0}, "the rank must be at most 8"},
        {op::take_along_axis, {s({2, 2}), s({2})}, {0}, "indices must have the operand's rank"},
        {op::take_along_axis,
         {s({2, 2}), s({3, 3})},
         {0},
         "indices must have the operand's extents on all axes but the one indexed"},
        {op::matmul, {s({2, 3}), s({2, 3})}, {}, "the last extent of a must equal the last but one of b"},
        {op::matmul, {s({3}), s({3, 2})}, {}, "operands must have at least one axis"},
        {op::matmul, {s({2, 1, 3}), s({3, 3, 1})}, {}, "leading extents must broadcast"},
        {op::cholesky, {s({2, 3})}, {}, "the last two extents must be equal"},
        {op::lu, {s({3})}, {}, "takes a matrix, or several in the last two axes"},
        {op::eigh, {s({2, 2, 3})}, {}, "the last two extents must be equal"},
        {op::qr, {s({3})}, {}, "takes a matrix, or several in the last two axes"},
        {op::svd, {dims{}}, {}, "takes a matrix, or several in the last two axes"},
        {op::solve_triangular, {s({3, 3}), s({3})}, {0, 0, 0}, "the right side must have at least two axes"},
        {op::solve_triangular, {s({3, 3}), s({2, 3})}, {0, 0, 0}, "the right side must have as many rows as the matrix, and leading extents that broadcast"},
        {op::solve, {s({3, 3}), s({3, 1}), s({3, 4}), s({3})}, {0}, "the factors must be those of the matrix"},
        {op::iota, {s({2})}, {1}, "the axis must lie within the rank"},
        {op::axis_size, {s({2})}, {1}, "axes must lie within the rank"},
        {op::extents, {dims{}}, {-2}, "an extent must be a number or an operand"},
        {op::extents, {s({2})}, {-1}, "extents must be scalars"},
    };
    for (problem_case const& c : cases) {
        CAPTURE(tx::name(c.code));
        inferred const out = tx::infer(c.code, dims{}, c.operands, c.attributes);
        CHECK(std::string(out.problem ? out.problem : "none") == c.expected);
    }
}

TEST_CASE("infer: in the compiler") {
    constexpr auto sum_shape = [] {
        dims const operand[]{extents({2, 3})};
        std::int64_t const attributes[]{1, 0};
        return tx::infer(op::sum, dims{}, operand, attributes).shape;
    }();
    static_assert(sum_shape == extents({1, 3}));
    static_assert(tx::matmul_shape(extents({2, 3}), extents({3, 5})).shape == extents({2, 5}));
    static_assert(tx::resolved_slice(-2, slice_open, 1, 5).start == 3);
}

TEST_CASE("infer: the message names the op and the shapes") {
    CHECK(message_of(op::add, {extents({2, 3}), extents({4, dyn})}, {}) ==
          "tx: add: shapes must broadcast: extents, aligned from the right, are equal or 1; given (2, 3), (4, ?)");
    CHECK(message_of(op::sum, {extents({2})}, {0, 3}) == "tx: sum: axes must lie within the rank; given (2,), axis 3");
}

TEST_CASE("infer: slices are Python's") {
    // python3 -c "print([len(range(*slice(a, b, s).indices(n))) for n in (0, 1, 5) for a in (None, -7, -5, -1, 0, 3, 5, 9)
    //   for b in (None, -7, -2, 0, 4, 5, 9) for s in (1, 2, -1, -3)])" sums to 345; the starts of those not empty sum to 194
    std::int64_t counts = 0, starts = 0;
    std::int64_t const first[]{slice_open, -7, -5, -1, 0, 3, 5, 9}, last[]{slice_open, -7, -2, 0, 4, 5, 9};
    for (std::int64_t const n : {0, 1, 5})
        for (std::int64_t const a : first)
            for (std::int64_t const b : last)
                for (std::int64_t const step : {1, 2, -1, -3}) {
                    tx::slice_range const range = tx::resolved_slice(a, b, step, n);
                    counts += range.count;
                    starts += range.count ? range.start : 0;
                    if (range.count) CHECK((range.start >= 0 && range.start < n));
                }
    CHECK(counts == 345);
    CHECK(starts == 194);
}

TEST_CASE("infer_dtype") {
    auto const of = [](op code, std::initializer_list<dtype> operands, dtype declared = dtype::float32) {
        return tx::infer_dtype(code, declared, tx::table_view<dtype>(operands.begin(), operands.size()));
    };
    dtype const f = dtype::float32, d = dtype::float64, i = dtype::int32, b = dtype::boolean, c = dtype::complex64;
    CHECK(of(op::add, {f, f}).type == f);
    CHECK(of(op::less, {i, i}).type == b);
    CHECK(of(op::absolute, {c}).type == f);
    CHECK(of(op::imag, {dtype::complex128}).type == d);
    CHECK(of(op::argmax, {f}).type == dtype::int64);
    CHECK(of(op::sort, {f}).type == f);
    CHECK(of(op::argsort, {b}).type == dtype::int64);
    CHECK(of(op::argselect, {f, dtype::int64}).type == dtype::int64);
    CHECK(of(op::argselect, {f, i}).problem == std::string_view("ranks must be int64"));
    CHECK(of(op::index_max, {f, f, i}).type == f);
    CHECK(of(op::where, {b, i, i}).type == i);
    CHECK(of(op::take, {c, i}).type == c);
    CHECK(of(op::take_along_axis, {b, dtype::uint8}).type == b);
    CHECK(of(op::cast, {f}, i).type == i);
    CHECK(of(op::broadcast_to, {f, i}).type == f);
    CHECK(of(op::axis_size, {c}, d).type == d);
    CHECK(of(op::matmul, {b, b}).type == b);
    auto const problem = [&](op code, std::initializer_list<dtype> operands, dtype declared = dtype::float32) {
        char const* const text = of(code, operands, declared).problem;
        return std::string(text ? text : "none");
    };
    CHECK(problem(op::add, {f, f}) == "none");
    CHECK(problem(op::add, {f, d}) == "operands must have one dtype");
    CHECK(problem(op::where, {b, f, d}) == "operands must have one dtype");
    CHECK(problem(op::where, {i, f, f}) == "the condition must be bool");
    CHECK(problem(op::take, {f, f}) == "indices must be integers");
    CHECK(problem(op::exp, {i}) == "the op does not take operands of this dtype");
    CHECK(problem(op::subtract, {b, b}) == "the op does not take operands of this dtype");
    CHECK(problem(op::less, {c, c}) == "the op does not take operands of this dtype");
    CHECK(problem(op::iota, {}, b) == "no such dtype can be counted in");
    CHECK(problem(op::iota, {f}, i) == "none");
}

TEST_CASE("infer_dtype: every op takes some dtype and refuses none it accepts") {
    for (tx::op_info const& row : tx::op_table) {
        CAPTURE(row.name);
        int taken = 0;
        for (std::size_t t = 0; t < tx::dtype_count; ++t) {
            dtype const type = static_cast<dtype>(t);
            std::vector<dtype> operands(static_cast<std::size_t>(row.code == op::convolution ? 2 : row.arity < 0 ? 1 : row.arity), type);
            if (row.code == op::where) operands[0] = dtype::boolean;
            if (tx::has_indices(row.code) || row.code == op::solve) operands.back() = dtype::int64;
            bool const is_drawn = row.kind == tx::kind::random; // of a key, and in two dtypes only
            if (is_drawn) operands[0] = dtype::uint64;
            bool const fits = tx::infer_dtype(row.code, type, operands).problem == nullptr;
            CHECK((fits == tx::accepts(row.code, type) || (is_drawn && !fits)));
            taken += fits;
        }
        CHECK(taken > 0);
    }
}
