// This file tests the interpreter of a device of Thrust's on loops of any form: long sums, many results, many values at once,
// ranks, no elements.
#include <graph_helper.hpp>
#include <op_families.hpp>
#include <thrust/run_interpreted.hpp>

using namespace tx::testing;
using tx::detail::piece_rules;

namespace {

constexpr std::uint32_t floats = tx::detail::interpreted_dtypes<float, double>();
constexpr piece_rules many_pieces{1 << 15, 1, true}, some_pieces{100, 16, false};
constexpr piece_rules const* all_rules[]{&tx::detail::host_pieces, &tx::detail::gpu_pieces, &many_pieces, &some_pieces};

tx::host_array numbers(tx::dims const& shape, tx::dtype type = tx::dtype::float32) {
    tx::reference::values v(type, shape);
    for (std::int64_t i = 0; i < v.size(); ++i) v[i] = tx::reference::cast(tx::to_literal(static_cast<double>((i * 37 + 11) % 101) / 16 - 3), tx::dtype::float64, type);
    tx::host_array out{v.type, v.shape, std::vector<std::byte>(v.cells.size() * size_in_bytes(type))};
    tx::reference::store(v, out.bytes.data());
    return out;
}
void check(tx::graph const& g, std::vector<tx::host_array> const& given) {
    auto const arguments = tx::views_of(given);
    auto const wanted = tx::run_reference(g, arguments);
    INFO(tx::to_text(g.view()));
    for (piece_rules const* rules : all_rules) {
        CAPTURE(rules->threads);
        auto const got = run_interpreted<floats>(g.view(), arguments, {}, *rules);
        CHECK(difference(got, wanted) == "");
        auto const again = run_interpreted<floats>(g.view(), arguments, {}, *rules);
        for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k].bytes == again[k].bytes);
    }
}

} // namespace

TEST_CASE("interpreter: a sum of many floats is rounded little") {
    constexpr std::int64_t count = 10'000'000;
    tx::graph g;
    g.add_output(append(g, tx::op::sum, {parameter(g, {count})}, {0, 0}));
    std::vector<float> x(count);
    double exact = 0;
    for (std::int64_t i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = 0.1f + static_cast<float>(i % 1000) * 1e-3f, exact += double{x[static_cast<std::size_t>(i)]};
    for (piece_rules const* rules : {&tx::detail::host_pieces, &tx::detail::gpu_pieces}) {
        auto const got = run_interpreted<floats>(g.view(), {{x.data(), tx::dtype::float32, extents({count})}}, {}, *rules);
        float sum = 0;
        std::memcpy(&sum, got[0].bytes.data(), sizeof sum);
        CHECK(std::abs(double{sum} - exact) < 1e-6 * exact);
    }
}
TEST_CASE("interpreter: as few threads as rows are long round little, too") {
    constexpr std::int64_t count = 1'000'000;
    constexpr piece_rules whole{1, 1, false};
    tx::graph g;
    g.add_output(append(g, tx::op::sum, {parameter(g, {count})}, {0, 0}));
    std::vector<float> const x(count, 0.1f);
    auto const got = run_interpreted<floats>(g.view(), {{x.data(), tx::dtype::float32, extents({count})}}, {}, whole);
    float sum = 0;
    std::memcpy(&sum, got[0].bytes.data(), sizeof sum);
    CHECK(std::abs(double{sum} / (static_cast<double>(0.1f) * count) - 1) < 3e-6);
}
TEST_CASE("interpreter: sums of rows, of columns, of both, and between, a few or many") {
    for (tx::dims const& shape : {extents({3, 5000, 2}), extents({700, 3, 40}), extents({1, 1, 3000}), extents({3000, 1, 1}), extents({2, 4097, 3})})
        for (std::vector<std::int64_t> const& axes : {std::vector<std::int64_t>{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}}) {
            tx::graph g;
            tx::node_id const x[]{g.append_parameter(tx::dtype::float32, shape)};
            std::vector<std::int64_t> attributes{0};
            attributes.insert(attributes.end(), axes.begin(), axes.end());
            tx::dims kept;
            for (int axis = 0; axis < 3; ++axis)
                if (std::find(axes.begin(), axes.end(), axis) == axes.end()) kept.push_back(shape[axis]);
            for (tx::op const code : {tx::op::sum, tx::op::max, tx::op::min}) g.add_output(g.append(code, tx::dtype::float32, kept, x, {attributes.data(), attributes.size()}));
            check(g, {numbers(shape)});
        }
}
TEST_CASE("interpreter: no elements, one, and any number of axes") {
    check([] {
        tx::graph g;
        tx::node_id const x = parameter(g, {0, 5});
        g.add_output(append(g, tx::op::exp, {x}));
        g.add_output(append(g, tx::op::sum, {x}, {0, 0}));
        g.add_output(append(g, tx::op::sum, {x}, {0, 1}));
        g.add_output(append(g, tx::op::prod, {x}, {0, 0, 1}));
        return g;
    }(), {numbers(extents({0, 5}))});
    for (int rank = 0; rank <= tx::max_rank; ++rank) {
        tx::graph g;
        tx::dims shape, turned;
        std::vector<std::int64_t> axes;
        for (int axis = 0; axis < rank; ++axis) shape.push_back(axis % 3 + 1);
        for (int axis = rank; axis-- > 0;) turned.push_back(shape[axis]), axes.push_back(axis);
        tx::node_id const x = g.append_parameter(tx::dtype::float32, shape);
        tx::node_id const operand[]{x};
        tx::node_id const back = rank < 2 ? x : g.append(tx::op::transpose, tx::dtype::float32, turned, operand, {axes.data(), axes.size()});
        g.add_output(append(g, tx::op::exp, {back}));
        if (rank > 0) g.add_output(append(g, tx::op::sum, {back}, {0, rank - 1}));
        check(g, {numbers(shape)});
    }
}
TEST_CASE("interpreter: more values at once than a thread has room for") {
    tx::graph g;
    tx::node_id const x = parameter(g, {1000});
    std::vector<tx::node_id> values;
    for (int k = 0; k < 80; ++k) values.push_back(append(g, tx::op::sin, {append(g, tx::op::multiply, {x, append(g, tx::op::broadcast_to, {literal(g, static_cast<float>(k) * 0.25f + 0.125f)}, {1000})})}));
    tx::node_id sum = values.back();
    for (std::size_t k = values.size() - 1; k-- > 0;) sum = append(g, tx::op::add, {append(g, tx::op::multiply, {sum, values[k]}), values[(k * 7) % values.size()]});
    g.add_output(sum);
    g.add_output(append(g, tx::op::sum, {sum}, {0, 0}));
    auto const program = tx::detail::make_device_program<>(device(), g.view(), std::vector<tx::dims>{extents({1000})}, {});
    CHECK(std::any_of(program->loops.begin(), program->loops.end(), [](auto const& l) { return l.loop.slots > tx::detail::own_slots; }));
    check(g, {numbers(extents({1000}))});
}
TEST_CASE("interpreter: a dtype that a program lacks is named before anything is done") {
    tx::graph g;
    tx::node_id const x = parameter(g, {3}, tx::dtype::int16);
    g.add_output(append(g, tx::op::add, {x, x}));
    std::int16_t const elements[]{1, 2, 3};
    CHECK_THROWS_WITH_AS(run_interpreted<floats>(g.view(), {{elements, tx::dtype::int16, extents({3})}}), doctest::Contains("computes int16"), tx::device_error);
    tx::graph moved; // needs no arithmetic
    moved.add_output(append(moved, tx::op::slice, {parameter(moved, {3}, tx::dtype::int16)}, {1, 2, 1}));
    std::vector<tx::array_view> const given{{elements, tx::dtype::int16, extents({3})}};
    CHECK(difference(run_interpreted<floats>(moved.view(), given), tx::run_reference(moved, given)) == "");
}
