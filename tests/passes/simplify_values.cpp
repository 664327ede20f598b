// This file tests every identity of pointwise ops on the values where identities break: zeros of both signs, infinities, NaN,
// subnormal and huge numbers, the ends of the integers. It runs all small expressions over all ops, before and after, on the
// reference executor.
#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/passes/simplify.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using tx::dtype;
using tx::node_id;
using tx::op;

namespace {

// The part of a graph that its outputs need, and all parameters.
tx::graph live_part(tx::graph_view const& in) {
    return tx::rewriter(in, [](tx::rewriter& r, tx::node const& draft) { return r.append(draft); }, {}).run();
}

template <class T> std::vector<T> special_values() {
    if constexpr (std::is_same_v<T, bool>) {
        return {false, true};
    } else if constexpr (tx::is_integer(tx::dtype_of<T>)) {
        using limits = std::numeric_limits<T>;
        return {0,
                1,
                2,
                3,
                5,
                7,
                limits::max(),
                limits::min(),
                static_cast<T>(limits::max() - 1),
                static_cast<T>(-1),
                static_cast<T>(-3),
                static_cast<T>(-8)};
    } else if constexpr (tx::is_complex(tx::dtype_of<T>)) {
        return {T(0, 0), T(1, 0), T(0, -1), T(-2, 3), T(0.5f, -0.0f), T(-0.0f, -0.0f)};
    } else {
        using limits = std::numeric_limits<T>;
        std::vector<T> out;
        for (double x : {0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.3, -7.25, 8.0, 100.0}) out.push_back(T(x));
        for (T x : {limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min()})
            out.push_back(x), out.push_back(-x);
        return out;
    }
}

// An expression under test: x has shape (n), y shape (n, 1), so that all pairs meet.
struct expression {
    tx::graph g;
    node_id x, y;

    template <class T> expression(std::vector<T> const& values) {
        auto const n = static_cast<std::int64_t>(values.size());
        x = g.append_parameter(tx::dtype_of<T>, tx::dims{{n}, 1});
        y = g.append_parameter(tx::dtype_of<T>, tx::dims{{n, 1}, 2});
    }
    node_id append(op code, std::vector<node_id> const& operands, dtype declared = dtype::float32) {
        std::vector<tx::dims> shapes;
        std::vector<dtype> types;
        for (node_id id : operands) shapes.push_back(g.shape_of(id)), types.push_back(g[id].type);
        if (tx::infer_dtype(code, declared, types).problem) return node_id::none;
        return g.append(code, tx::infer_dtype(code, declared, types).type, tx::infer(code, {}, shapes, {}).shape, operands);
    }
    node_id literal(dtype type, tx::literal_bits bits) { return g.append(op::literal, type, tx::dims{}, {}, {}, bits); }
};

template <class T> bool equal(T a, T b, double tolerance) {
    if constexpr (tx::is_complex(tx::dtype_of<T>)) {
        return equal(a.real(), b.real(), tolerance) && equal(a.imag(), b.imag(), tolerance);
    } else if constexpr (tx::dtype_of<T> == tx::dtype::string) {
        return a == b;
    } else {
        auto const p = static_cast<double>(a), q = static_cast<double>(b);
        if (std::isnan(p) || std::isnan(q)) return std::isnan(p) && std::isnan(q);
        if (tolerance == 0) return p == q && std::signbit(p) == std::signbit(q);
        // One unit more than the largest number is infinity.
        double const most = static_cast<double>(std::numeric_limits<T>::max()),
                     least = static_cast<double>(std::numeric_limits<T>::min());
        double const a_number = std::clamp(p, -most, most), b_number = std::clamp(q, -most, most);
        return std::abs(a_number - b_number) <= tolerance * std::max(std::abs(a_number), least);
    }
}

bool has_powers(tx::graph_view const& g) {
    for (tx::node const& n : g)
        if (n.code == op::power) return true;
    return false;
}

template <class T> std::vector<std::byte> bytes_of(std::vector<T> const& values) {
    std::vector<std::byte> out(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        T const value = values[i];
        std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
    }
    return out;
}

// Where two results differ first, or -1. A product in place of a power is rounded up to three times instead of once.
std::int64_t first_difference(tx::host_array const& a, tx::host_array const& b, bool powers) {
    return tx::with_element(a.type, [&]<class R>(R) -> std::int64_t {
        double tolerance = 0;
        if constexpr (tx::is_inexact(tx::dtype_of<R>))
            if (powers)
                tolerance = 2 * static_cast<double>(std::numeric_limits<tx::ctype<tx::real_part(tx::dtype_of<R>)>>::epsilon());
        for (std::int64_t i = 0; i < a.shape.size(); ++i)
            if (!equal(a.data<R>()[i], b.data<R>()[i], tolerance)) return i;
        return -1;
    });
}

// Expressions over one list of values, and how many of them simplify changed.
template <class T> struct checker {
    std::vector<T> values = special_values<T>();
    std::vector<std::byte> bytes = bytes_of(values);
    int changed = 0;

    void operator()(expression& e, node_id out) {
        if (out == node_id::none) return;
        e.g.clear_outputs();
        e.g.add_output(out);
        tx::graph const before = live_part(e.g), after = tx::simplify(e.g);
        if (tx::same_graph(before, after)) return;
        ++changed;
        std::string const text = tx::to_text(before) + "\n" + tx::to_text(after);
        CAPTURE(text);
        CHECK(tx::same_graph(after, tx::simplify(after)));
        CHECK(std::string(tx::verify(after) ? tx::verify(after) : "") == "");
        auto const n = static_cast<std::int64_t>(values.size());
        tx::array_view const views[]{{bytes.data(), tx::dtype_of<T>, tx::dims{{n}, 1}},
                                     {bytes.data(), tx::dtype_of<T>, tx::dims{{n, 1}, 2}}};
        tx::host_array const a = tx::run_reference(before, views)[0], b = tx::run_reference(after, views)[0];
        REQUIRE(a.type == b.type);
        REQUIRE(a.shape == b.shape);
        CHECK(first_difference(a, b, has_powers(before)) == -1);
    }
};

std::vector<op> pointwise_ops(int arity) {
    std::vector<op> out;
    for (tx::op_info const& row : tx::op_table)
        if (row.kind == tx::kind::pointwise && row.arity == arity && row.code != op::cast) out.push_back(row.code);
    return out;
}
// Integers have no power with a negative exponent; and the reference multiplies complex infinities, where NumPy does not.
bool may_run(op code, dtype type) { return code != op::power || tx::is_floating(type); }

} // namespace

#define ALL_DTYPES bool, std::int8_t, std::uint8_t, std::int64_t, tx::half, tx::bfloat16, float, double, std::complex<float>

TEST_CASE_TEMPLATE("simplify keeps values: ops of one operand, and ops of those", T, ALL_DTYPES) {
    checker<T> check;
    for (op const outer : pointwise_ops(1))
        for (op const inner : pointwise_ops(1)) {
            expression e(check.values);
            node_id const x = e.append(inner, {e.x});
            if (x != node_id::none) check(e, e.append(outer, {x}));
        }
    CHECK(check.changed > 0);
}

TEST_CASE_TEMPLATE("simplify keeps values: literals", T, ALL_DTYPES) {
    checker<T> check;
    for (op const code : pointwise_ops(2)) {
        for (T const value : check.values) {
            expression e(check.values);
            node_id const c = e.literal(tx::dtype_of<T>, tx::to_literal(value));
            if (may_run(code, tx::dtype_of<T>)) {
                check(e, e.append(code, {e.x, c}));
                check(e, e.append(code, {c, e.x}));
            } else if (tx::is_complex(tx::dtype_of<T>) || tx::to_literal(value).low < 100) {
                check(e, e.append(code, {e.x, c}));
            }
            for (T const second : check.values)
                if (may_run(code, tx::dtype_of<T>))
                    check(e, e.append(code, {c, e.literal(tx::dtype_of<T>, tx::to_literal(second))}));
        }
    }
    for (op const code : pointwise_ops(1))
        for (T const value : check.values) {
            expression e(check.values);
            check(e, e.append(code, {e.literal(tx::dtype_of<T>, tx::to_literal(value))}));
        }
    CHECK(check.changed > 0);
}

TEST_CASE_TEMPLATE("simplify keeps values: ops of two operands", T, ALL_DTYPES) {
    checker<T> check;
    for (op const code : pointwise_ops(2)) {
        if (!may_run(code, tx::dtype_of<T>)) continue;
        expression same(check.values);
        check(same, same.append(code, {same.x, same.x}));
        for (op const inner : pointwise_ops(1)) {
            expression e(check.values);
            node_id const x = e.append(inner, {e.x}), y = e.append(inner, {e.y});
            if (x == node_id::none) continue;
            check(e, e.append(code, {x, e.y}));
            check(e, e.append(code, {e.y, x}));
            check(e, e.append(code, {x, y}));
            check(e, e.append(code, {x, e.x}));
            for (T const value : check.values) check(e, e.append(code, {x, e.literal(tx::dtype_of<T>, tx::to_literal(value))}));
        }
        for (op const outer : pointwise_ops(1)) {
            expression e(check.values);
            node_id const inside = e.append(code, {e.x, e.y});
            if (inside != node_id::none) check(e, e.append(outer, {inside}));
        }
    }
    CHECK(check.changed > 0);
}

TEST_CASE_TEMPLATE("simplify keeps values: two literals in a row", T, ALL_DTYPES) {
    checker<T> check;
    for (op const code : pointwise_ops(2))
        for (T const first : check.values)
            for (T const second : check.values) {
                expression e(check.values);
                if (code == op::power) continue; // its error grows with the second exponent
                node_id const inside = e.append(code, {e.x, e.literal(tx::dtype_of<T>, tx::to_literal(first))});
                if (inside != node_id::none)
                    check(e, e.append(code, {inside, e.literal(tx::dtype_of<T>, tx::to_literal(second))}));
            }
    CHECK(check.changed > 0);
}

TEST_CASE_TEMPLATE("simplify keeps values: casts of casts", T, ALL_DTYPES) {
    checker<T> check;
    for (std::size_t middle = 0; middle < tx::dtype_count; ++middle)
        for (std::size_t last = 0; last < tx::dtype_count; ++last) {
            auto const has_no_cast = [](std::size_t d) { return d == std::size_t(dtype::string) || d == std::size_t(dtype::token); };
            if (has_no_cast(middle) || has_no_cast(last)) continue;
            expression e(check.values);
            check(e, e.append(op::cast, {e.append(op::cast, {e.x}, static_cast<dtype>(middle))}, static_cast<dtype>(last)));
            for (T const value : check.values)
                check(e, e.append(op::cast,
                                  {e.append(op::cast, {e.literal(tx::dtype_of<T>, tx::to_literal(value))},
                                            static_cast<dtype>(middle))},
                                  static_cast<dtype>(last)));
        }
    CHECK(check.changed > 0);
}

TEST_CASE_TEMPLATE("simplify keeps values: choices", T, ALL_DTYPES) {
    checker<T> check;
    expression e(check.values);
    node_id const yes = e.literal(dtype::boolean, {1, 0}), no = e.literal(dtype::boolean, {0, 0}),
                  c = e.append(op::equal, {e.x, e.y});
    node_id const other = e.append(op::not_equal, {e.x, e.x});
    for (node_id const condition : {yes, no, c, other, e.append(op::logical_not, {other})})
        for (node_id const a : {e.x, e.y})
            for (node_id const b : {e.x, e.y}) check(e, e.append(op::where, {condition, a, b}));
    for (node_id const condition : {c, other})
        for (node_id const a : {yes, no})
            for (node_id const b : {yes, no}) check(e, e.append(op::where, {condition, a, b}));
    CHECK(check.changed > 10);
}
