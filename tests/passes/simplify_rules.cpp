// This file tests every rule of simplify by itself, on a graph that it changes: the result differs when the rule is off, and the
// values are equal to the bit. A rule without a case fails.
#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/passes/simplify.hpp>
#include <graph_helper.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace tx::testing;
using tx::dtype;
using tx::node_id;
using tx::op;

namespace {

struct sample {
    tx::graph g;
    node_id x = parameter(g, {4}), y = parameter(g, {4}), i = parameter(g, {4}, dtype::int32),
            j = parameter(g, {4}, dtype::int32), u = parameter(g, {4}, dtype::uint8), b = parameter(g, {4}, dtype::boolean),
            c = parameter(g, {4}, dtype::boolean), m = parameter(g, {2, 2}), row = parameter(g, {1, 4}),
            open = parameter(g, {tx::dyn}), unranked = g.append_parameter(dtype::float32, {{}, tx::dims::unknown_rank});

    node_id operator()(op code, std::initializer_list<node_id> operands, std::initializer_list<std::int64_t> attributes = {},
                       dtype declared = dtype::float32) {
        return append(g, code, operands, attributes, declared);
    }
    node_id number(double value, dtype type = dtype::float32) {
        return g.append(op::literal, type, tx::dims{}, {}, {}, tx::cast_literal(tx::to_literal(value), dtype::float64, type));
    }
    node_id whole(int value) { return number(value, dtype::int32); }
    node_id truth(bool value) { return g.append(op::literal, dtype::boolean, tx::dims{}, {}, {}, {value, 0}); }
};

using recorder = node_id (*)(sample&);
struct rule_case {
    std::string_view rule;
    recorder record;
    std::vector<double> values = {};
};

node_id one_hot(sample& s, node_id indices, std::int64_t classes) {
    std::int64_t const along[]{0};
    node_id const numbers = s.g.append(op::iota, dtype::int64, tx::dims{{classes}, 1}, {}, along);
    node_id const column = s(op::expand_dims, {s(op::cast, {indices}, {}, dtype::int64)}, {1});
    return s(op::where, {s(op::equal, {numbers, column}), s.number(1), s.number(0)});
}
double const infinite = std::numeric_limits<double>::infinity();

std::vector<rule_case> const cases{
    {"one-hot matrix times a table = a lookup",
     [](sample& s) {
         node_id const table = s(op::expand_dims, {s(op::pad, {s.x, s.number(0)}, {0, 12})}, {1});
         return s(op::matmul, {one_hot(s, s.i, 16), table});
     }},
    {"one-hot matrix times a table = a lookup",
     [](sample& s) {
         node_id const table = s(op::pad, {s.m, s.number(-0.)}, {0, 0, 0, 62});
         return s(op::matmul, {table, s(op::transpose, {one_hot(s, s.j, 64)}, {1, 0})});
     }},
    {"values times a one-hot matrix = sums of groups",
     [](sample& s) { return s(op::matmul, {s.row, one_hot(s, s.i, 16)}); },
     {1, infinite, -2, 4, -0.}},
    {"values times a one-hot matrix = sums of groups",
     [](sample& s) { return s(op::matmul, {s(op::broadcast_to, {s.x}, {3, 4}), one_hot(s, s.u, 64)}); },
     {1, -2, 0.5, 4}},
    {"values times a one-hot matrix = sums of groups",
     [](sample& s) {
         node_id const rows = s(op::concatenate, {s.m, s.m}, {0});
         return s(op::matmul, {s(op::transpose, {one_hot(s, s.j, 16)}, {1, 0}), rows});
     },
     {1, -infinite, -2, 4, -0.}},
    {"op of what is broadcast anyway", [](sample& s) { return s(op::add, {s(op::broadcast_to, {s.x}, {1, 4}), s.row}); }},
    {"op of literals", [](sample& s) { return s(op::add, {s.number(1), s.number(2)}); }},
    {"operands in order", [](sample& s) { return s(op::add, {s.y, s.x}); }},

    {"x + 0 = x (integers)", [](sample& s) { return s(op::add, {s.i, s.whole(0)}); }},
    {"x + -0 = x", [](sample& s) { return s(op::add, {s.x, s.number(-0.)}); }},
    {"x + 0 = x", [](sample& s) { return s(op::add, {s.x, s.number(0)}); }},
    {"x + -y = x - y", [](sample& s) { return s(op::add, {s.x, s(op::negative, {s.y})}); }},
    {"-x + y = y - x", [](sample& s) { return s(op::add, {s(op::negative, {s.x}), s(op::exp, {s.y})}); }},
    {"x - 0 = x", [](sample& s) { return s(op::subtract, {s.x, s.number(0)}); }},
    {"0 - x = -x (integers)", [](sample& s) { return s(op::subtract, {s.whole(0), s.i}); }},
    {"-0 - x = -x", [](sample& s) { return s(op::subtract, {s.number(-0.), s.x}); }},
    {"0 - x = -x", [](sample& s) { return s(op::subtract, {s.number(0), s.x}); }},
    {"x - x = 0 (integers)", [](sample& s) { return s(op::subtract, {s.i, s.i}); }},
    {"x - x = 0", [](sample& s) { return s(op::subtract, {s.x, s.x}); }},
    {"x - -y = x + y", [](sample& s) { return s(op::subtract, {s.x, s(op::negative, {s.y})}); }},
    {"x - c = x + -c (integers)", [](sample& s) { return s(op::subtract, {s.i, s.whole(3)}); }},
    {"x * 1 = x", [](sample& s) { return s(op::multiply, {s.x, s.number(1)}); }},
    {"x * 0 = 0 (integers)", [](sample& s) { return s(op::multiply, {s.i, s.whole(0)}); }},
    {"x * 0 = 0", [](sample& s) { return s(op::multiply, {s.x, s.number(0)}); }},
    {"x * -1 = -x", [](sample& s) { return s(op::multiply, {s.x, s.number(-1)}); }},
    {"-x * c = x * -c", [](sample& s) { return s(op::multiply, {s(op::negative, {s.x}), s.number(3)}); }},
    {"-x * -y = x * y", [](sample& s) { return s(op::multiply, {s(op::negative, {s.x}), s(op::negative, {s.y})}); }},
    {"x + c + d = x + (c + d) (integers)", [](sample& s) { return s(op::add, {s(op::add, {s.i, s.whole(3)}), s.whole(4)}); }},
    {"x + c + d = x + (c + d)", [](sample& s) { return s(op::add, {s(op::add, {s.x, s.number(3)}), s.number(4)}); }},
    {"x / 2^n = x * 2^-n", [](sample& s) { return s(op::divide, {s.x, s.number(8)}); }},
    {"x / c = x * (1 / c)", [](sample& s) { return s(op::divide, {s.x, s.number(3)}); }},
    {"-x / c = x / -c", [](sample& s) { return s(op::divide, {s(op::negative, {s.x}), s.number(3)}); }},
    {"-x / -y = x / y", [](sample& s) { return s(op::divide, {s(op::negative, {s.x}), s(op::negative, {s.y})}); }},
    {"x / x = 1", [](sample& s) { return s(op::divide, {s.x, s.x}); }},
    {"1 / sqrt(x) = rsqrt(x)", [](sample& s) { return s(op::divide, {s.number(1), s(op::sqrt, {s.x})}); }, {1, 4, 16}},
    {"reciprocal(x) = 1 / x", [](sample& s) { return s(op::reciprocal, {s.x}); }},
    {"x // 1 = x (integers)", [](sample& s) { return s(op::floor_divide, {s.i, s.whole(1)}); }},
    {"x % 1 = 0 (integers)", [](sample& s) { return s(op::remainder, {s.i, s.whole(1)}); }},
    {"1 ** x = 1", [](sample& s) { return s(op::power, {s.number(1), s.x}); }},
    {"2 ** x = exp2(x)", [](sample& s) { return s(op::power, {s.number(2), s.x}); }},
    {"x ** 0 = 1", [](sample& s) { return s(op::power, {s.x, s.number(0)}); }},
    {"x ** -0 = 1", [](sample& s) { return s(op::power, {s.x, s.number(-0.)}); }},
    {"x ** 1 = x", [](sample& s) { return s(op::power, {s.x, s.number(1)}); }},
    {"x ** 2 = x * x", [](sample& s) { return s(op::power, {s.x, s.number(2)}); }},
    {"x ** 3 = x * x * x", [](sample& s) { return s(op::power, {s.x, s.number(3)}); }},
    {"x ** 4 = (x * x) * (x * x)", [](sample& s) { return s(op::power, {s.x, s.number(4)}); }},
    {"x ** -1 = 1 / x", [](sample& s) { return s(op::power, {s.x, s.number(-1)}); }},
    {"x ** 0.5 = sqrt(x)", [](sample& s) { return s(op::power, {s.x, s.number(0.5)}); }, {1, 4, 16}},
    {"x ** -0.5 = rsqrt(x)", [](sample& s) { return s(op::power, {s.x, s.number(-0.5)}); }, {1, 4, 16}},
    {"square(x) = x * x", [](sample& s) { return s(op::square, {s.x}); }},
    {"f(f(x)) = x", [](sample& s) { return s(op::negative, {s(op::negative, {s.x})}); }},
    {"-(x - y) = y - x (integers)", [](sample& s) { return s(op::negative, {s(op::subtract, {s.i, s.j})}); }},
    {"-(x - y) = y - x", [](sample& s) { return s(op::negative, {s(op::subtract, {s.x, s.y})}); }},
    {"-(x * c) = x * -c", [](sample& s) { return s(op::negative, {s(op::multiply, {s.x, s.number(3)})}); }},
    {"abs(x) = x (unsigned)", [](sample& s) { return s(op::absolute, {s.u}); }},
    {"abs(abs(x)) = abs(x)", [](sample& s) { return s(op::absolute, {s(op::absolute, {s.x})}); }},
    {"abs(-x) = abs(x)", [](sample& s) { return s(op::absolute, {s(op::negative, {s.x})}); }},
    {"abs(x * x) = x * x", [](sample& s) { return s(op::absolute, {s(op::multiply, {s.x, s.x})}); }},
    {"exp(log(x)) = x", [](sample& s) { return s(op::exp, {s(op::log, {s.x})}); }, {1}},
    {"log(exp(x)) = x", [](sample& s) { return s(op::log, {s(op::exp, {s.x})}); }, {0}},
    {"sqrt(x * x) = abs(x)", [](sample& s) { return s(op::sqrt, {s(op::multiply, {s.x, s.x})}); }},
    {"max(x, x) = x", [](sample& s) { return s(op::maximum, {s.x, s.x}); }},
    {"fma(x, 1, y) = x + y", [](sample& s) { return s(op::fma, {s.x, s.number(1), s.y}); }},

    {"x < x is false", [](sample& s) { return s(op::less, {s.x, s.x}); }},
    {"x == x is true (integers)", [](sample& s) { return s(op::less_equal, {s.i, s.i}); }},
    {"x != x is false (integers)", [](sample& s) { return s(op::not_equal, {s.i, s.i}); }},
    {"x == true is x", [](sample& s) { return s(op::equal, {s.b, s.truth(true)}); }},
    {"number(b) != 0 is b", [](sample& s) { return s(op::not_equal, {s(op::cast, {s.b}), s.number(0)}); }},
    {"not x < y is x >= y", [](sample& s) { return s(op::logical_not, {s(op::less, {s.i, s.j})}); }},
    {"x and x = x", [](sample& s) { return s(op::bitwise_and, {s.i, s.i}); }},
    {"x xor x = 0", [](sample& s) { return s(op::logical_xor, {s.b, s.b}); }},
    {"x and ones = x", [](sample& s) { return s(op::bitwise_and, {s.i, s.whole(-1)}); }},
    {"x or 0 = x", [](sample& s) { return s(op::logical_or, {s.b, s.truth(false)}); }},
    {"x and 0 = 0", [](sample& s) { return s(op::bitwise_and, {s.i, s.whole(0)}); }},
    {"x or ones = ones", [](sample& s) { return s(op::bitwise_or, {s.u, s.number(255, dtype::uint8)}); }},
    {"x xor ones = not x", [](sample& s) { return s(op::bitwise_xor, {s.i, s.whole(-1)}); }},
    {"x << 0 = x", [](sample& s) { return s(op::left_shift, {s.i, s.whole(0)}); }},
    {"where(c, x, y), known c", [](sample& s) { return s(op::where, {s.truth(false), s.x, s.y}); }},
    {"where(c, x, x) = x", [](sample& s) { return s(op::where, {s.c, s.x, s.x}); }},
    {"where(not c, x, y) = where(c, y, x)", [](sample& s) { return s(op::where, {s(op::logical_not, {s.c}), s.x, s.y}); }},
    {"where(c, true, false) = c", [](sample& s) { return s(op::where, {s.c, s.truth(false), s.truth(true)}); }},
    {"cast to its own dtype", [](sample& s) { return s(op::cast, {s.x}); }},
    {"cast of a cast", [](sample& s) { return s(op::cast, {s(op::cast, {s.i}, {}, dtype::int64)}); }},
    {"floor(x) = x (integers)", [](sample& s) { return s(op::floor, {s.i}); }},
    {"floor(round(x)) = round(x)", [](sample& s) { return s(op::floor, {s(op::round, {s.x})}); }},
    {"isnan(x) is false (integers)", [](sample& s) { return s(op::isnan, {s.i}); }},
    {"isfinite(x) is true (integers)", [](sample& s) { return s(op::isfinite, {s.i}); }},

    {"view of equal elements", [](sample& s) { return s(op::reshape, {s(op::broadcast_to, {s.number(3)}, {4})}, {2, 2}); }},
    {"broadcast_to like y, of known shape", [](sample& s) { return s(op::broadcast_to, {s.number(3), s.x}); }},
    {"reshape like y, of known shape", [](sample& s) { return s(op::reshape, {s.x, s.m}); }},
    {"broadcast_to like f(y) = like y", [](sample& s) { return s(op::broadcast_to, {s.number(3), s(op::exp, {s.open})}); }},
    {"broadcast_to of a broadcast scalar",
     [](sample& s) { return s(op::broadcast_to, {s(op::broadcast_to, {s.number(3)}, {1}), s.open}); }},
    {"broadcast_to like itself", [](sample& s) { return s(op::broadcast_to, {s.unranked, s.unranked}); }},
    {"broadcast_to, extents as known", [](sample& s) { return s(op::broadcast_to, {s.x}, {3, -1}); }},
    {"broadcast_to its own shape", [](sample& s) { return s(op::broadcast_to, {s.x}, {4}); }},
    {"broadcast_to twice", [](sample& s) { return s(op::broadcast_to, {s(op::broadcast_to, {s.x}, {3, 4})}, {2, 3, 4}); }},
    {"broadcast_to of expand_dims", [](sample& s) { return s(op::broadcast_to, {s(op::expand_dims, {s.x}, {0})}, {3, 4}); }},
    {"reshape like itself", [](sample& s) { return s(op::reshape, {s.open, s.open}); }},
    {"reshape, extents as known", [](sample& s) { return s(op::reshape, {s.x}, {2, -1}); }},
    {"reshape to its own shape", [](sample& s) { return s(op::reshape, {s.x}, {4}); }},
    {"reshape of what was reshaped", [](sample& s) { return s(op::reshape, {s(op::reshape, {s.x}, {2, 2})}, {1, 4}); }},
    {"view that moves nothing", [](sample& s) { return s(op::transpose, {s.m}, {0, 1}); }},
    {"transpose twice", [](sample& s) { return s(op::transpose, {s(op::transpose, {s.m}, {1, 0})}, {1, 0}); }},
    {"view that moves nothing", [](sample& s) { return s(op::expand_dims, {s.x}); }},
    {"expand_dims of the axes that squeeze took",
     [](sample& s) { return s(op::expand_dims, {s(op::squeeze, {s.row}, {0})}, {0}); }},
    {"expand_dims twice", [](sample& s) { return s(op::expand_dims, {s(op::expand_dims, {s.x}, {0})}, {2}); }},
    {"squeeze twice", [](sample& s) { return s(op::squeeze, {s(op::squeeze, {s(op::reshape, {s.x}, {1, 4, 1})}, {0})}, {1}); }},
    {"squeeze of axes that expand_dims put in", [](sample& s) { return s(op::squeeze, {s(op::expand_dims, {s.x}, {0})}, {0}); }},
    {"slice, bounds in one form", [](sample& s) { return s(op::slice, {s.x}, {-3, 4, 1}); }},
    {"view that moves nothing", [](sample& s) { return s(op::slice, {s.x}, {tx::slice_open, tx::slice_open, 1}); }},
    {"slice twice", [](sample& s) { return s(op::slice, {s(op::slice, {s.x}, {1, 4, 1})}, {0, 2, 1}); }},

    {"reduction, axes in order", [](sample& s) { return s(op::max, {s.m}, {0, 1, 0}); }},
    {"place, axes in order", [](sample& s) { return s(op::argmax, {s.m}, {0, 1, 0}); }},
    {"reduction of equal elements", [](sample& s) { return s(op::sum, {s(op::broadcast_to, {s.number(3)}, {4})}, {0, 0}); }},
    {"reduction of one element", [](sample& s) { return s(op::max, {s.row}, {0, 0}); }},
    {"reduction of a transpose", [](sample& s) { return s(op::max, {s(op::transpose, {s.m}, {1, 0})}, {0, 0, 1}); }},
    {"reduction of all elements, reshaped", [](sample& s) { return s(op::max, {s(op::reshape, {s.x}, {2, 2})}, {0, 0, 1}); }},
    {"reduction as another one with the axes kept",
     [](sample& s) {
         s.g.add_output(s(op::sum, {s.m}, {1, 1}));
         return s(op::sum, {s.m}, {0, 1});
     }},
    {"scan or sort of one element", [](sample& s) { return s(op::cummax, {s.row}, {0}); }},
    {"axis_size of a known extent", [](sample& s) { return s(op::axis_size, {s.x}, {0}, dtype::int64); }},
    {"iota of a known shape", [](sample& s) { return s(op::iota, {s.x}, {0}, dtype::int64); }},
    {"iota like f(y) = like y", [](sample& s) { return s(op::axis_size, {s(op::exp, {s.open})}, {0}, dtype::int64); }},
    {"axis_size of extents",
     [](sample& s) {
         node_id const size[]{s(op::axis_size, {s.open}, {0}, dtype::int64)};
         node_id const more[]{s(op::add, {size[0], s.number(1, dtype::int64)})};
         std::int64_t const code[]{-1};
         return s(op::axis_size, {s.g.append(op::extents, dtype::boolean, {{tx::dyn}, 1}, more, code)}, {0}, dtype::int64);
     }},
    {"literal with axes = a broadcast",
     [](sample& s) { return s.g.append(op::literal, dtype::float32, {{4}, 1}, {}, {}, tx::to_literal(3.f)); }},
    {"pad by nothing", [](sample& s) { return s(op::pad, {s.x, s.number(3)}, {0, 0}); }},
    {"concatenate of one", [](sample& s) { return s(op::concatenate, {s.x}, {0}); }},
    {"few elements of a pointwise op",
     [](sample& s) {
         std::int64_t const axis[]{0};
         return s(op::take_along_axis, {s(op::exp, {s.x}), s.g.append(op::iota, dtype::int64, {{1}, 1}, {}, axis)}, {0});
     }},
};

// Each parameter starts elsewhere in the list.
std::vector<tx::host_array> arguments(tx::graph_view const& g, std::vector<double> const& values) {
    std::vector<tx::host_array> out;
    for (node_id id : g.parameters) {
        dtype const type = g[id].type;
        tx::dims shape = g.shape_of(id);
        if (shape.rank < 0) shape = {{4}, 1};
        for (int axis = 0; axis < shape.rank; ++axis)
            if (shape[axis] == tx::dyn) shape[axis] = 1;
        tx::reference::values v(type, shape);
        for (std::size_t k = 0; k < v.cells.size(); ++k) {
            double const value = values[(k + out.size()) % values.size()];
            if (tx::is_inexact(type)) v.cells[k] = tx::reference::rounded(type, value);
            else
                v.cells[k] =
                    tx::reference::wrapped(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(k + out.size()) - 2));
        }
        out.push_back({type, shape, std::vector<std::byte>(v.cells.size() * tx::size_in_bytes(type))});
        tx::reference::store(v, out.back().bytes.data());
    }
    return out;
}

// The same bits, or NaN both.
bool same(tx::host_array const& a, tx::host_array const& b) {
    if (a.type != b.type || !(a.shape == b.shape)) return false;
    if (a.type != dtype::float32) return a.bytes == b.bytes;
    for (std::int64_t i = 0; i < a.shape.size(); ++i) {
        float const p = a.data<float>()[i], q = b.data<float>()[i];
        if (std::memcmp(&p, &q, sizeof p) != 0 && !(std::isnan(p) && std::isnan(q))) return false;
    }
    return true;
}

} // namespace

TEST_CASE("simplify: every rule fires where it is on, not where it is off, and changes no value") {
    double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (tx::rules::rule_row const* row : tx::rules::all_rules) {
        CAPTURE(row->name);
        bool has_case = false;
        for (rule_case const& one : cases) {
            if (one.rule != row->name) continue;
            has_case = true;
            sample s;
            s.g.add_output(one.record(s));
            REQUIRE(tx::verify(s.g) == nullptr);
            tx::pass_options on, off;
            on.fast_math = off.fast_math = row->when == tx::rules::holds::fast_math;
            off.off = tx::rules_named({row->name});
            tx::graph const with = tx::simplify(s.g, on), without = tx::simplify(s.g, off);
            CHECK_MESSAGE(!tx::same_graph(tx::canonicalize(with), tx::canonicalize(without)), tx::to_text(with));
            CHECK(tx::verify(with) == nullptr);
            CHECK(tx::verify(without) == nullptr);
            std::vector<double> values{1.5, -0., 0., infinity, nan, -2.5, 3, -infinity};
            if (row->when != tx::rules::holds::exactly) values = {1, 2, 4, 8};
            if (!one.values.empty()) values = one.values;
            std::vector<tx::host_array> const given = arguments(s.g, values);
            std::vector<tx::array_view> views;
            for (tx::host_array const& a : given) views.push_back(a.view());
            auto const wanted = tx::run_reference(s.g, views), first = tx::run_reference(with, views),
                       second = tx::run_reference(without, views);
            for (std::size_t k = 0; k < wanted.size(); ++k) {
                CHECK_MESSAGE(same(first[k], wanted[k]), tx::to_text(with));
                CHECK_MESSAGE(same(second[k], wanted[k]), tx::to_text(without));
            }
        }
        CHECK_MESSAGE(has_case, "no case for this rule");
    }
}

TEST_CASE("simplify: rules have names of their own, by which they are found") {
    for (std::size_t i = 0; i < tx::rules::all_rules.size(); ++i) {
        tx::rule_set wanted;
        wanted.add(i);
        CHECK_MESSAGE(tx::rules_named({tx::rules::all_rules[i]->name}) == wanted, tx::rules::all_rules[i]->name);
    }
    for (rule_case const& one : cases) CHECK_NOTHROW(tx::rules_named({one.rule}));
    CHECK_THROWS_AS(tx::rules_named({"x = y"}), tx::error);
}

namespace {
template <tx::pass_options Options> constexpr std::size_t size_of_added_zero() {
    tx::graph g;
    g.add_output(append(g, op::add, {parameter(g, {2}), literal(g, -0.f)}));
    return tx::simplify(g, Options).size();
}
} // namespace

TEST_CASE("simplify: rules are off in constant expressions, too") {
    static_assert(size_of_added_zero<tx::pass_options{}>() == 1);
    static_assert(size_of_added_zero<tx::pass_options{.off = tx::rules_named({"x + -0 = x"})}>() == 3);
}
