#include <backends/reference_cases.hpp>
#include <messages.hpp>
#include <random_graph.hpp>
#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/base/tensor.hpp>
#include <tracexpr/graph/print_bodies.hpp>
#include <tracexpr/graph/verify.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

using namespace tx::testing;
using tx::dims;
using tx::dtype;
using tx::host_array;
using tx::node_id;
using tx::op;

namespace {

// A graph of one op on as many parameters as there are operands.
tx::graph one_op(op code, std::vector<host_array> const& operands, std::vector<std::int64_t> const& attributes, dtype declared,
                 std::size_t result = 0) {
    tx::graph g;
    std::vector<node_id> ids;
    std::vector<dims> shapes;
    std::vector<dtype> types;
    for (host_array const& a : operands) {
        ids.push_back(g.append_parameter(a.type, a.shape));
        shapes.push_back(a.shape);
        types.push_back(a.type);
    }
    dims const shape = tx::infer_or_throw(code, dims{}, shapes, attributes);
    node_id const made = g.append(code, tx::infer_dtype(code, declared, types).type, shape, ids, attributes);
    g.add_output(tx::append_result(g, made, result));
    return g;
}
host_array computed(op code, std::vector<host_array> const& operands, std::vector<std::int64_t> const& attributes = {},
                    dtype declared = dtype::float64, std::size_t result = 0) {
    tx::graph const g = one_op(code, operands, attributes, declared, result);
    auto const views = tx::views_of(operands);
    return tx::run_reference(g, views)[0];
}

// Equal, both NaN, or as near as the math libraries behind NumPy and this program are to each other: 4 epsilons.
bool close(double a, double expected, double epsilon) {
    if (std::isnan(a) || std::isnan(expected)) return std::isnan(a) && std::isnan(expected);
    if (a == expected) return a != 0 || std::signbit(a) == std::signbit(expected);
    return std::abs(a - expected) <= 4 * epsilon * std::abs(expected);
}
bool same_elements(host_array const& a, host_array const& expected) {
    if (a.type != expected.type || !(a.shape == expected.shape)) return false;
    if (!tx::is_inexact(a.type)) return a.bytes == expected.bytes;
    auto const x = tx::reference::loaded(a.type, a.shape, a.bytes.data()),
               y = tx::reference::loaded(a.type, a.shape, expected.bytes.data());
    for (std::int64_t i = 0; i < x.size(); ++i) {
        double const epsilon = tx::epsilon_of(a.type);
        std::complex<double> const p = tx::reference::complex_of(x[i]), q = tx::reference::complex_of(y[i]);
        if (tx::is_complex(a.type) && std::abs(p - q) <= 4 * epsilon * std::abs(q)) continue;
        if (!close(p.real(), q.real(), epsilon) || !close(p.imag(), q.imag(), epsilon)) return false;
    }
    return true;
}
std::string text_of(host_array const& a) {
    auto const v = tx::reference::loaded(a.type, a.shape, a.bytes.data());
    return tx::spec_text(a.type, a.shape) +
           tx::detail::listed(v.cells.size(), [&](std::size_t i) { return tx::detail::value_text(a.type, v.cells[i], false); });
}

} // namespace

TEST_CASE("reference: every op gives what NumPy gives") {
    for (op_case const& c : all_op_cases()) {
        CAPTURE(tx::name(c.code));
        CAPTURE(std::string(c.numpy));
        tx::graph const g = one_op(c.code, c.operands, c.attributes, c.expected.type, c.result);
        CHECK(std::string(tx::verify(g) ? tx::verify(g) : "clean") == "clean");
        host_array const result = computed(c.code, c.operands, c.attributes, c.expected.type, c.result);
        INFO("computed ", text_of(result), ", NumPy has ", text_of(c.expected));
        CHECK(same_elements(result, c.expected));
    }
}

TEST_CASE("reference: every op has a case") {
    // These stand in graphs of their own below.
    std::set<op> covered{op::parameter, op::literal, op::constant, op::capture, op::placeholder, op::extents, op::token, op::cond, op::while_loop, op::scan, op::with_range, op::blocks, op::print, op::assert_that, op::check_finite, op::opaque, op::collective, op::result, op::fft, op::convolution, op::eig, op::checked};
    for (op_case const& c : all_op_cases()) covered.insert(c.code);
    for (tx::op_info const& row : tx::op_table) {
        CAPTURE(row.name);
        CHECK(covered.contains(row.code));
    }
}

TEST_CASE("reference: leaves") {
    tx::graph g;
    static tx::tensor<float, tx::shape<3>> const outside{1, 2, 4};
    dims const three{{3}, 1};
    std::uint64_t const words[]{tx::to_literal(1.5f).low, tx::to_literal(-2.f).low, tx::to_literal(0.f).low};
    std::uint64_t const complex_words[]{tx::to_literal(1.0).low, tx::to_literal(2.0).low};
    tx::captured const capture{&outside, [](void const* t) -> void const* { return static_cast<decltype(outside)*>(t)->data(); },
                               [](void const* t) { return static_cast<decltype(outside)*>(t)->dimensions(); }};
    node_id const constant = g.append_constant(dtype::float32, three, words);
    node_id const captured = g.append_capture(dtype::float32, dims{{tx::dyn}, 1}, capture);
    node_id const scalar = g.append(op::literal, dtype::float32, dims{}, {}, {}, tx::to_literal(10.f));
    std::int64_t const along[]{0};
    node_id const counted = g.append(op::iota, dtype::float32, three, {}, along);
    node_id both[]{constant, captured};
    both[0] = g.append(op::add, dtype::float32, three, both);
    both[1] = scalar;
    both[0] = g.append(op::add, dtype::float32, three, both);
    both[1] = counted;
    g.add_output(g.append(op::add, dtype::float32, three, both));
    g.add_output(g.append_constant(dtype::complex64, dims{}, complex_words));
    g.add_output(g.append(op::literal, dtype::int8, dims{{2}, 1}, {}, {}, tx::to_literal(std::int8_t{-3})));
    node_id const numbers[]{g.append(op::axis_size, dtype::int64, dims{}, {both, 1}), g.append(op::literal, dtype::int64, dims{}, {}, {}, {2, 0})};
    std::int64_t const codes[]{-2, 1, -1};
    g.add_output(g.append(op::extents, dtype::boolean, dims{{tx::dyn, 1, tx::dyn}, 3}, numbers, codes));
    CHECK(tx::verify(g) == nullptr);
    auto const out = tx::run_reference(g, {});
    CHECK(same_elements(out[3], {dtype::boolean, dims{{2, 1, 3}, 3}, std::vector<std::byte>(6)}));
    CHECK(same_elements(out[0], f32({3}, {12.5, 11, 16})));
    CHECK(same_elements(out[1], c64({}, {cd(1, 2)})));
    CHECK(same_elements(out[2], i8({2}, {-3, -3})));

    tx::graph wrong;
    wrong.add_output(wrong.append_capture(dtype::float32, dims{{2}, 1}, capture));
    CHECK(message_of([&] { tx::run_reference(wrong, {}); }) ==
          "tx: capture: the captured tensor must have shape (2,); it has (3,)");
}

TEST_CASE("reference: casts beyond the range go to its end, NaN to 0") {
    CHECK(same_elements(
        computed(op::cast, {f64({5}, {1e30, -1e30, inf, qnan, -0.5})}, {}, dtype::int64),
        i64({5}, {std::numeric_limits<std::int64_t>::max(), lowest64, std::numeric_limits<std::int64_t>::max(), 0, 0})));
    CHECK(same_elements(computed(op::cast, {f64({4}, {1e30, -1, 255.9, qnan})}, {}, dtype::uint8), u8({4}, {255, 0, 255, 0})));
    CHECK(same_elements(computed(op::cast, {f64({2}, {1e30, 0x1p63})}, {}, dtype::uint64),
                        u64({2}, {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 63})));
    CHECK(same_elements(computed(op::cast, {f32({3}, {127.9, 128, -129})}, {}, dtype::int8), i8({3}, {127, 127, -128})));
}

TEST_CASE("reference: rounding to 16 bits happens once") {
    // 1 + 2^-11 is a tie between two halves, and a little more is not; by way of float it would be one.
    CHECK(same_elements(computed(op::cast, {f64({2}, {1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40})}, {}, dtype::float16),
                        f16({2}, {1, 1 + 0x1p-10})));
    host_array const rounded = computed(op::cast, {f64({2}, {1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-40})}, {}, dtype::bfloat16);
    CHECK(rounded.data<tx::bfloat16>()[0].value() == 1);
    CHECK(rounded.data<tx::bfloat16>()[1].value() == 1 + 0x1p-7);
}

TEST_CASE("reference: reductions of no elements that have an answer") {
    CHECK(same_elements(computed(op::max, {b({0, 2}, {})}, {0, 0}), b({2}, {false, false})));
    CHECK(same_elements(computed(op::min, {b({0, 2}, {})}, {0, 0}), b({2}, {true, true})));
    CHECK(computed(op::max, {f64({0, 0}, {})}, {0, 1}).shape == tx::dims{{0}, 1}); // no result is asked for
}

TEST_CASE("reference: run-time errors") {
    CHECK(message_of([] { computed(op::max, {f64({0, 3}, {})}, {0, 0}); }) ==
          "tx: max: must not reduce an axis of extent 0; given (0, 3)");
    CHECK(message_of([] { computed(op::argmin, {f64({0}, {})}, {0, 0}); }) ==
          "tx: argmin: must not reduce an axis of extent 0; given (0,)");
    CHECK_THROWS_AS(computed(op::max, {f64({0, 3}, {})}, {0, 0}), tx::shape_error);
    CHECK(message_of([] { computed(op::take, {f64({5}, {0, 1, 2, 3, 4}), i32({2}, {0, 7})}, {0}); }) ==
          "tx: take: index 7 is out of bounds for axis 0 with size 5");
    CHECK(message_of([] { computed(op::take, {f64({1, 2}, {0, 1}), i8({}, {-3})}, {1}); }) ==
          "tx: take: index -3 is out of bounds for axis 1 with size 2");
    CHECK(message_of([] { computed(op::take_along_axis, {f64({2}, {0, 1}), u64({1}, {18446744073709551615u})}, {0}); }) ==
          "tx: take_along_axis: index 18446744073709551615 is out of bounds for axis 0 with size 2");
    CHECK_THROWS_AS(computed(op::argmax, {f64({0, 0}, {})}, {0, 1}), tx::shape_error);
}

TEST_CASE("reference: arguments must fit their parameters") {
    tx::graph g;
    dims const open_rows{{tx::dyn, 2}, 2};
    node_id const x = g.append_parameter(dtype::float32, open_rows), y = g.append_parameter(dtype::float32, open_rows);
    node_id const both[]{x, y};
    g.add_output(g.append(op::add, dtype::float32, open_rows, both));
    auto const run = [&](std::vector<host_array> const& arguments) { return tx::run_reference(g, tx::views_of(arguments)); };

    CHECK(same_elements(run({f32({1, 2}, {1, 2}), f32({3, 2}, {1, 2, 3, 4, 5, 6})})[0], f32({3, 2}, {2, 4, 4, 6, 6, 8})));
    CHECK(same_elements(run({f32({0, 2}, {}), f32({1, 2}, {1, 2})})[0], f32({0, 2}, {})));
    CHECK(message_of([&] { run({f32({1, 2}, {1, 2})}); }) == "tx: run_reference: the graph takes 2 arguments; given 1");
    CHECK(message_of([&] { run({f32({1, 2}, {1, 2}), f64({1, 2}, {1, 2})}); }) ==
          "tx: run_reference: argument 1 must be float32[?,2]; given float64[1,2]");
    CHECK(message_of([&] { run({f32({1, 3}, {1, 2, 3}), f32({1, 2}, {1, 2})}); }) ==
          "tx: run_reference: argument 0 must be float32[?,2]; given float32[1,3]");
    CHECK_THROWS_AS(run({f32({2}, {1, 2}), f32({1, 2}, {1, 2})}), tx::signature_error);
    // What only the extents of the arguments tell.
    CHECK(message_of([&] { run({f32({2, 2}, {1, 2, 3, 4}), f32({3, 2}, {1, 2, 3, 4, 5, 6})}); }) ==
          "tx: add: shapes must broadcast: extents, aligned from the right, are equal or 1; given (2, 2), (3, 2)");
}

TEST_CASE("reference: random graphs") {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        tx::graph const g = tx::random_graph(seed);
        CHECK(std::string(tx::verify(g) ? tx::verify(g) : "clean") == "clean");
        tx::graph const open_extents = tx::with_unknown_extents(g, seed), ordered = tx::canonicalize(g);
        CHECK(std::string(tx::verify(open_extents) ? tx::verify(open_extents) : "clean") == "clean");
        auto const arguments = tx::random_arguments(g, seed);
        auto const views = tx::views_of(arguments);
        auto const results = tx::run_reference(g, views), again = tx::run_reference(open_extents, views),
                   third = tx::run_reference(ordered, views);
        for (std::size_t k = 0; k < results.size(); ++k) {
            CHECK(results[k].shape == g.shape_of(g.outputs()[k]));
            CHECK(results[k].shape == again[k].shape);
            CHECK(results[k].bytes == again[k].bytes);
            CHECK(results[k].bytes == third[k].bytes);
        }
    }
}

TEST_CASE("random graphs use every op") {
    std::set<op> seen;
    for (std::uint64_t seed = 0; seed < 2500; ++seed) {
        tx::graph const g = tx::canonicalize(tx::random_graph(seed));
        for (tx::node const& n : g.view()) seen.insert(n.code);
    }
    for (tx::op_info const& row : tx::op_table) {
        CAPTURE(row.name);
        // Captures are tensors of a program; sum_to may sum nothing where extents are unknown; the others need indices that fit,
        // or are no values.
        bool const left_out = row.code == op::capture || row.code == op::placeholder || row.code == op::sum_to || row.code == op::string_add || row.code == op::argselect || tx::updates_indexed(row.code) || row.code == op::token || row.kind == tx::kind::effect || row.kind == tx::kind::callback || row.kind == tx::kind::routine || (row.kind == tx::kind::control && row.code != op::cond);
        CHECK((left_out || seen.contains(row.code)));
    }
}
