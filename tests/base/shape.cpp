#include <tracexpr/base/shape.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <optional>
#include <random>
#include <vector>

namespace {

constexpr tx::dims make(std::initializer_list<std::int64_t> extents) {
    tx::dims out;
    for (std::int64_t const extent : extents) out.push_back(extent);
    return out;
}

// NumPy's rule word for word, on vectors: pad with ones on the left, then each pair is equal or holds a 1.
std::optional<std::vector<std::int64_t>> broadcast_by_the_book(std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
    while (a.size() < b.size()) a.insert(a.begin(), 1);
    while (b.size() < a.size()) b.insert(b.begin(), 1);
    for (std::size_t axis = 0; axis < a.size(); ++axis) {
        if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) return std::nullopt;
        if (a[axis] == 1) a[axis] = b[axis];
    }
    return a;
}

tx::dims to_dims(std::vector<std::int64_t> const& extents) {
    tx::dims out;
    for (std::int64_t const extent : extents) out.push_back(extent);
    return out;
}

struct owner_of_2_dyn {
    static constexpr tx::dims value = tx::dims_of<tx::shape<2, tx::dyn>>;
};
struct owner_of_any {
    static constexpr tx::dims value = tx::dims_of<tx::any_shape>;
};

} // namespace

TEST_CASE("shape: types become values and come back") {
    static_assert(tx::dims_of<tx::shape<2, 3>> == make({2, 3}));
    static_assert(tx::dims_of<tx::shape<>> == make({}));
    static_assert(tx::dims_of<tx::any_shape>.rank == tx::dims::unknown_rank);
    static_assert(std::is_same_v<tx::shape_from<owner_of_2_dyn>, tx::shape<2, tx::dyn>>);
    static_assert(std::is_same_v<tx::shape_from<owner_of_any>, tx::any_shape>);
    static_assert(tx::shape_type<tx::any_shape> && tx::shape_type<tx::shape<0>> && !tx::shape_type<int>);
    CHECK(tx::dims_of<tx::shape<2, 3>> == make({2, 3}));
}

TEST_CASE("shape: size and what is known") {
    static_assert(make({}).size() == 1 && make({}).is_static());
    static_assert(make({2, 0, 3}).size() == 0);
    static_assert(make({2, tx::dyn}).size() == tx::dyn && !make({2, tx::dyn}).is_static());
    static_assert(tx::dims_of<tx::any_shape>.size() == tx::dyn && !tx::dims_of<tx::any_shape>.is_static());
    static_assert(tx::shape<2, 3>::is_static && !tx::shape<tx::dyn>::is_static && tx::shape<1, 2, 3>::rank == 3);
    CHECK(make({2, 3, 4}).size() == 24);
}

TEST_CASE("shape: broadcasting") {
    SUBCASE("known extents") {
        static_assert(tx::broadcast(make({2, 1}), make({3})) == make({2, 3}));
        static_assert(tx::broadcast(make({}), make({4, 5})) == make({4, 5}));
        static_assert(tx::broadcast(make({1}), make({0})) == make({0}));
        static_assert(!tx::broadcastable(make({2}), make({3})));
        static_assert(!tx::broadcastable(make({0}), make({3})));
        CHECK(tx::broadcast(make({8, 1, 6, 1}), make({7, 1, 5})) == make({8, 7, 6, 5}));
    }
    SUBCASE("an unknown extent takes the other's, unless that is 1") {
        static_assert(tx::broadcast(make({tx::dyn}), make({3})) == make({3}));
        static_assert(tx::broadcast(make({1}), make({tx::dyn})) == make({tx::dyn}));
        static_assert(tx::broadcast(make({tx::dyn}), make({tx::dyn})) == make({tx::dyn}));
        CHECK(tx::broadcast(make({tx::dyn, 2}), make({5, 1})) == make({5, 2}));
    }
    SUBCASE("an unknown rank stays unknown") {
        static_assert(tx::broadcast(tx::dims_of<tx::any_shape>, make({3})).rank == tx::dims::unknown_rank);
        CHECK(tx::broadcastable(tx::dims_of<tx::any_shape>, make({3})));
    }
}

TEST_CASE("shape: broadcasting random shapes as NumPy does") {
    std::mt19937 random{7};
    auto const draw = [&random](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    for (int trial = 0; trial < 5'000; ++trial) {
        std::vector<std::int64_t> a(static_cast<std::size_t>(draw(5)));
        std::vector<std::int64_t> b(static_cast<std::size_t>(draw(5)));
        for (auto& extent : a) extent = draw(4);
        for (auto& extent : b) extent = draw(4);
        auto const expected = broadcast_by_the_book(a, b);
        CAPTURE(tx::to_string(to_dims(a)));
        CAPTURE(tx::to_string(to_dims(b)));
        REQUIRE(tx::broadcastable(to_dims(a), to_dims(b)) == expected.has_value());
        if (expected) REQUIRE(tx::broadcast(to_dims(a), to_dims(b)) == to_dims(*expected));
    }
}

TEST_CASE("shape: may_equal") {
    static_assert(tx::may_equal(make({2, tx::dyn}), make({2, 5})));
    static_assert(!tx::may_equal(make({2, tx::dyn}), make({3, 5})));
    static_assert(!tx::may_equal(make({2}), make({2, 1})));
    CHECK(tx::may_equal(tx::dims_of<tx::any_shape>, make({1, 2, 3})));
}

TEST_CASE("shape: strides and axes") {
    static_assert(tx::row_major_strides(make({2, 3, 4}))[0] == 12);
    static_assert(tx::row_major_strides(make({2, 3, 4}))[1] == 4);
    static_assert(tx::row_major_strides(make({2, 3, 4}))[2] == 1);
    static_assert(tx::normalized_axis(-1, 3) == 2 && tx::normalized_axis(1, 3) == 1);
    CHECK(tx::row_major_strides(make({5}))[0] == 1);
}

TEST_CASE("shape: text in NumPy's form") {
    CHECK(tx::to_string(make({})) == "()");
    CHECK(tx::to_string(make({3})) == "(3,)");
    CHECK(tx::to_string(make({2, tx::dyn})) == "(2, ?)");
    CHECK(tx::to_string(tx::dims_of<tx::any_shape>) == "(...)");
}
