// This file tests reductions, scans and softmax along an axis that the run knows: they give what they give along the same axis
// when the compiler knows it.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {
using cube = tx::tensor<float, tx::shape<3, 4, 2>>;
cube const given = tx::sin(tx::reshape<3, 4, 2>(tx::arange<float, 24>()) * 1.7f);

// f(x, axis) of a number and of a tx::axis.
template <class F> void check_axes(F const& f) {
    auto const check = [&]<int Axis>(tx::axes_t<Axis> known) {
        auto const wanted = f(given, known);
        for (int const axis : {Axis, Axis - 3}) {
            auto const got = f(given, axis);
            static_assert(std::is_same_v<typename decltype(got)::shape_type, tx::any_shape>);
            REQUIRE(got.dimensions() == wanted.dimensions());
            for (std::int64_t i = 0; i < got.size(); ++i) CHECK(static_cast<double>(got.data()[i]) == doctest::Approx(static_cast<double>(wanted.data()[i])).epsilon(1e-6));
            tx::function const traced{[&](auto x) { return f(x, axis); }};
            CHECK(tx::equal(traced(given), got));
        }
    };
    check(tx::axis<0>), check(tx::axis<1>), check(tx::axis<2>);
}
} // namespace

TEST_CASE("axes that the run knows: reductions") {
    check_axes([](auto const& x, auto axis) { return tx::sum(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::nansum(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::prod(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::mean(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::var(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::std(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::nanmax(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::nanmin(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::norm(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::logsumexp(x, axis); });
}
TEST_CASE("axes that the run knows: places, scans, softmax, flip") {
    check_axes([](auto const& x, auto axis) { return tx::argmax(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::argmin(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::count_nonzero(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::cumsum(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::cumprod(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::cummax(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::cummin(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::softmax(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::log_softmax(x, axis); });
    check_axes([](auto const& x, auto axis) { return tx::flip(x, axis); });
}
TEST_CASE("axes that the run knows: truth, open ranks, gradients, errors") {
    tx::tensor<float> const open = given;
    for (int axis = 0; axis < 3; ++axis) {
        CHECK(tx::equal(tx::any(given > 0.9f, axis), tx::count_nonzero(given > 0.9f, axis) > 0));
        CHECK(tx::equal(tx::all(open > 2, axis), tx::any(open > 2, axis)));
        auto const d = tx::grad([axis](auto x) { return tx::sum(tx::square(tx::sum(x, axis))); })(given);
        auto const total = tx::sum(given, axis);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j)
                for (int k = 0; k < 2; ++k)
                    CHECK(d(i, j, k) == doctest::Approx(2 * (axis == 0 ? total(j, k) : axis == 1 ? total(i, k) : total(i, j))));
    }
    cube x = given;
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = tx::sum(tx::sum(x, 1) * 3);
    CHECK(tx::equal(tape.gradient(y, x), given * 0 + 3));
    CHECK_THROWS_WITH_AS(tx::sum(given, 3), doctest::Contains("tx: sum: the axis must be one of the 3 of shape (3, 4, 2)"), tx::shape_error);
    CHECK_THROWS_WITH_AS(tx::softmax(open, -4), doctest::Contains("given -4"), tx::shape_error);
    CHECK_THROWS_AS(tx::sum(tx::tensor<float, tx::shape<>>(1), 0), tx::shape_error);
}
