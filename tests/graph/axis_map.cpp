// This file tests which element of its operand each element of a view reads, against index formulas written out here.
#include <tracexpr/graph/infer.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <vector>

namespace {

using tx::axis_map;
using tx::dims;
using tx::dyn;
using tx::op;
using tx::slice_open;

constexpr dims extents(std::initializer_list<std::int64_t> list) {
    dims out;
    for (std::int64_t e : list) out.push_back(e);
    return out;
}

// Row-major numbers of the elements that a view reads, in its order.
std::vector<std::int64_t> read_by(op view, dims const& operand, std::vector<std::int64_t> const& attributes,
                                  dims const* like = nullptr) {
    axis_map const m = tx::view_map(view, operand, {attributes.data(), attributes.size()}, like);
    REQUIRE(m.problem == nullptr);
    tx::strided_place const place = tx::place_in(operand, m);
    std::vector<std::int64_t> out;
    dims at;
    at.rank = m.shape.rank;
    for (std::int64_t k = 0; k < m.shape.size(); ++k) {
        std::int64_t number = place.offset;
        for (int axis = 0; axis < at.rank; ++axis) number += at[axis] * place.stride[axis];
        out.push_back(number);
        for (int axis = at.rank - 1; axis >= 0 && ++at[axis] == m.shape[axis]; --axis) at[axis] = 0;
    }
    return out;
}
using numbers = std::vector<std::int64_t>;

} // namespace

TEST_CASE("axis_map: a view without a map doesn't compile") {
    static_assert(tx::detail::has_every_view(tx::detail::view_rules));
    constexpr tx::table_view<tx::detail::view_rule> all(tx::detail::view_rules);
    static_assert(!tx::detail::has_every_view(all.subspan(1)), "the first is missing");
    static_assert(!tx::detail::has_every_view(all.subspan(0, all.size() - 1)), "the last is missing");
    for (tx::op_info const& row : tx::op_table)
        if (row.kind == tx::kind::view) CHECK(tx::detail::rule_of_view(row.code).code == row.code);
}

TEST_CASE("axis_map: the elements read") {
    dims const matrix = extents({2, 3}), wider = extents({2, 2, 3});
    CHECK(read_by(op::transpose, matrix, {1, 0}) == numbers{0, 3, 1, 4, 2, 5});
    CHECK(read_by(op::transpose, extents({2, 1, 2}), {2, 0, 1}) == numbers{0, 2, 1, 3});
    CHECK(read_by(op::broadcast_to, extents({1, 3}), {2, -1}) == numbers{0, 1, 2, 0, 1, 2});
    CHECK(read_by(op::broadcast_to, extents({2, 1}), {}, &wider) == numbers{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1});
    CHECK(read_by(op::expand_dims, matrix, {0, 2}) == numbers{0, 1, 2, 3, 4, 5});
    CHECK(read_by(op::squeeze, extents({1, 3, 1, 2}), {0, 2}) == numbers{0, 1, 2, 3, 4, 5});
    CHECK(read_by(op::slice, matrix, {slice_open, slice_open, -1, 1, 3, 1}) == numbers{4, 5, 1, 2});
    CHECK(read_by(op::slice, matrix, {1, 2, 1, -1, slice_open, -2}) == numbers{5, 3});
    CHECK(read_by(op::diagonal, matrix, {1, 0, 1}) == numbers{1, 5});
    CHECK(read_by(op::diagonal, matrix, {-1, 0, 1}) == numbers{3});
    CHECK(read_by(op::diagonal, extents({2, 2, 2}), {0, 2, 0}) == numbers{0, 5, 2, 7});
    CHECK(read_by(op::sliding_window_view, matrix, {1, 2}) == numbers{0, 1, 1, 2, 3, 4, 4, 5});
    CHECK(read_by(op::sliding_window_view, matrix, {1, 2, 0, 2}) == numbers{0, 3, 1, 4, 1, 4, 2, 5});
    CHECK(tx::view_map(op::reshape, matrix, {}, &wider).keeps_numbers);
}

TEST_CASE("axis_map: extents that stay the operand's, known or not") {
    auto const whole = [](op view, dims const& operand, std::vector<std::int64_t> const& attributes) {
        axis_map const m = tx::view_map(view, operand, {attributes.data(), attributes.size()});
        numbers from(static_cast<std::size_t>(m.shape.rank), -1);
        for (int k = 0; k < m.count; ++k)
            if (m.steps[k].is_whole) from[static_cast<std::size_t>(m.steps[k].to)] = m.steps[k].from;
        return from;
    };
    CHECK(whole(op::transpose, extents({dyn, 3}), {1, 0}) == numbers{1, 0});
    CHECK(whole(op::expand_dims, extents({dyn, dyn}), {1}) == numbers{0, -1, 1});
    CHECK(whole(op::squeeze, extents({dyn, dyn}), {0}) == numbers{1});
    CHECK(whole(op::slice, extents({dyn, dyn}), {slice_open, slice_open, -1, 0, 4, 1}) == numbers{0, -1});
    CHECK(whole(op::broadcast_to, extents({dyn, dyn}), {5, -1, 4}) == numbers{-1, 0, -1});
    CHECK(whole(op::sliding_window_view, extents({dyn, dyn}), {1, 2}) == numbers{0, -1, -1});
    CHECK(whole(op::diagonal, extents({dyn, 3, dyn}), {0, 0, 1}) == numbers{2, -1});
}

TEST_CASE("axis_map: what a call may read in place") {
    auto const one_to_one = [](op view, dims const& operand, std::vector<std::int64_t> const& attributes) {
        return tx::view_map(view, operand, {attributes.data(), attributes.size()}).is_one_to_one();
    };
    CHECK(one_to_one(op::transpose, extents({dyn, 3}), {1, 0}));
    CHECK(one_to_one(op::slice, extents({dyn, 3}), {0, 4, 2, 1, 2, 1}));
    CHECK(one_to_one(op::expand_dims, extents({dyn, 3}), {0}));
    CHECK(one_to_one(op::squeeze, extents({1, 3}), {0}));
    CHECK(!one_to_one(op::diagonal, extents({3, 3}), {0, 0, 1}));
    CHECK(!one_to_one(op::broadcast_to, extents({1, 3}), {4, -1}));
    CHECK(!one_to_one(op::reshape, extents({2, 3}), {6}));
    CHECK(!one_to_one(op::sliding_window_view, extents({3}), {0, 2}));
}

TEST_CASE("axis_map: attributes that fit no view") {
    CHECK(std::string(tx::view_map(op::diagonal, extents({2, 2}), {}).problem) == "needs an offset and two axes");
    std::int64_t const reshape[]{static_cast<std::int64_t>(op::reshape), 4}, add[]{static_cast<std::int64_t>(op::add)},
        far[]{1 << 20};
    for (auto const& a : {tx::attribute_span(reshape), tx::attribute_span(add), tx::attribute_span(far), tx::attribute_span()})
        CHECK(std::string(tx::updated_map(extents({2, 2}), a).problem) == "needs a view of one operand");
}
