// This file tests that where memory runs out a capsule stays the caller's, and nothing is lost.
#include <failing_memory.hpp>

#include <tracexpr/arrow.hpp>
#include <bridges/dlpack_capsules.hpp>

#include <doctest/doctest.h>

using dlpack_tests::lender;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {
template <class Shape> void import_everywhere(lender<float>& from, tx::copy how) {
    int const failures =
        tx::testing::fail_everywhere([&] { static_cast<void>(tx::from_dlpack<float, Shape>(&from.capsule, how)); },
                                     [&](bool failed) { CHECK(from.discarded == (failed ? 0 : 1)); });
    CHECK(failures >= (std::is_same_v<Shape, shape<3>> ? 0 : 1));
    CHECK(from.elements == std::vector<float>{1, 2, 3});
}
// So that blocks are asked for anew: threads keep a few that are freed.
struct emptied {
    emptied() { tx::detail::thread_blocks().close(); }
};
} // namespace

TEST_CASE("dlpack: a capsule is taken whole, or not at all") {
    emptied const blocks;
    lender<float> from({1, 2, 3}, {3});
    SUBCASE("shared") { import_everywhere<shape<dyn>>(from, tx::copy::if_needed); }
    SUBCASE("copied") { import_everywhere<shape<dyn>>(from, tx::copy::always); }
    SUBCASE("copied into the object") { import_everywhere<shape<3>>(from, tx::copy::if_needed); }
    SUBCASE("of any rank") { import_everywhere<tx::any_shape>(from, tx::copy::if_needed); }
}

TEST_CASE("dlpack: a capsule is made whole, or not at all") {
    emptied const blocks;
    tensor<float, shape<dyn>> const x{1, 2, 3};
    tensor<float, shape<2>> const small{1, 2};
    auto const attempt = [](auto const& given, tx::copy how) {
        int const failures = tx::testing::fail_everywhere(
            [&] {
                auto* const made = tx::to_dlpack(given, how);
                made->deleter(made);
            },
            [&](bool) { CHECK(given(1) == 2); });
        CHECK(failures >= 1);
    };
    attempt(x, tx::copy::if_needed);
    attempt(x, tx::copy::always);
    attempt(small, tx::copy::if_needed);
    CHECK(tx::detail::tensor_access::is_exclusive(x)); // no reference is left
}

TEST_CASE("arrow: columns are taken and made whole, or not at all") {
    emptied const blocks;
    tensor<double, shape<dyn>> const x{1, 2, 3};
    int failures = tx::testing::fail_everywhere(
        [&] {
            auto [schema, array] = tx::to_arrow(x, "a name that is too long to be kept inside a string");
            schema.release(&schema);
            array.release(&array);
        },
        [&](bool) { CHECK(tx::detail::tensor_access::is_exclusive(x)); });
    CHECK(failures >= 3);
    for (tx::copy const how : {tx::copy::if_needed, tx::copy::always}) {
        auto [schema, array] = tx::to_arrow(x);
        failures =
            tx::testing::fail_everywhere([&, &s = schema, &a = array] { static_cast<void>(tx::from_arrow<double>(s, a, how)); },
                                         [&, &s = schema, &a = array](bool failed) {
                                             CHECK((s.release != nullptr) == failed);
                                             CHECK((a.release != nullptr) == failed);
                                         });
        CHECK(failures >= 1);
        CHECK(tx::detail::tensor_access::is_exclusive(x));
    }
}
