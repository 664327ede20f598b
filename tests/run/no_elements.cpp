// This file tests reductions of no elements: those that need an element throw the same error in every executor, the others give
// NumPy's values.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

// What max, min, argmax and argmin say of x, by each executor.
template <class T, int Axis> void check_no_elements(auto const& x) {
    auto const ops = std::tuple{[](auto const& a) { return tx::max(a, tx::axis<Axis>); }, [](auto const& a) { return tx::min(a, tx::axis<Axis>); },
                                [](auto const& a) { return tx::argmax(a, tx::axis<Axis>); }, [](auto const& a) { return tx::argmin(a, tx::axis<Axis>); }};
    char const* const names[]{"max", "min", "argmax", "argmin"};
    std::size_t k = 0;
    tensor<T> const of_open_rank(x);
    std::apply([&](auto const&... f) {
        ([&] {
            std::string const wanted = std::string("tx: ") + names[k++] + ": must not reduce an axis of extent 0; given " + tx::to_string(x.dimensions());
            CHECK(message_of<tx::shape_error>([&] { tx::function{f}(x); }) == wanted);
            CHECK(message_of<tx::shape_error>([&] { tx::function{[&](auto a) { return f(a); }}(x); }) == wanted);
            CHECK(message_of<tx::shape_error>([&] { f(x); }) == wanted);
            CHECK(message_of<tx::shape_error>([&] { f(of_open_rank); }) == wanted);
        }(), ...);
    }, ops);
}

} // namespace

TEST_CASE("no elements: the largest of them") {
    check_no_elements<float, 0>(tx::zeros<float, shape<dyn, 3>>(0, 3));
    check_no_elements<std::int32_t, 1>(tx::zeros<std::int32_t, shape<dyn, dyn>>(3, 0));
    SUBCASE("is no error where no result is asked for") {
        auto const none = tx::zeros<float, shape<dyn, dyn>>(0, 0);
        CHECK(tx::function{[](auto x) { return tx::max(x, tx::axis<1>); }}(none).size() == 0);
        CHECK(tx::max(none, tx::axis<1>).size() == 0);
        CHECK_THROWS_AS(tx::argmax(none, tx::axis<1>), tx::shape_error);
        CHECK(tx::max(tx::zeros<float>(shape<0, 3>{}), tx::axis<1>).size() == 0);
    }
    SUBCASE("is known of any and all") {
        auto const truths = [](auto x) { return std::tuple(tx::any(x), tx::all(x), tx::any(x, tx::axis<0>), tx::all(x, tx::axis<0>)); };
        auto const check = [&](auto const& given) {
            auto const [any, all, any_row, all_row] = given;
            CHECK(!any.item());
            CHECK(all.item());
            CHECK(same(any_row, tensor<bool, shape<dyn>>{false, false}));
            CHECK(same(all_row, tensor<bool, shape<dyn>>{true, true}));
        };
        check(tx::function{truths}(tx::zeros<float, shape<dyn, 2>>(0, 2)));
        check(tx::function{truths}(tx::zeros<bool, shape<dyn, 2>>(0, 2)));
        check(tx::function{truths}(tx::zeros<double>(shape<0, 2>{})));
        check(tx::function{[&](auto x) { return truths(x); }}(tx::zeros<float, shape<dyn, 2>>(0, 2)));
        check(truths(tx::zeros<float, shape<dyn, 2>>(0, 2)));
        check(truths(tensor<float>(tx::zeros<float, shape<dyn, 2>>(0, 2))));
    }
    SUBCASE("is an error of bool, too, though any and all have one op with max and min") {
        check_no_elements<bool, 0>(tx::zeros<bool, shape<dyn, 3>>(0, 3));
        CHECK_THROWS_AS(tx::nanmax(tx::zeros<bool, shape<dyn>>(0)), tx::shape_error);
        CHECK(same(tx::max(tensor<bool, shape<2, 2>>{{true, false}, {false, false}}, tx::axis<0>),
                   tensor<bool, shape<2>>{true, false}));
        CHECK(!tx::min(tensor<bool, shape<2>>{true, false}).item());
    }
}
