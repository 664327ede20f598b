// This file tests the splitting of short axes for an unknown number of points, and for narrow dtypes; and which programs are
// split.
#include <run/split_axes_programs.hpp>

using namespace tx::testing;

namespace {

template <class F, class... S> bool is_split(F const& f, S...) {
    return tx::function{f}.template concrete<S...>().explain_passes().find("slice(") != std::string::npos;
}

} // namespace

TEST_CASE("split axes: an unknown number of points, none among them") {
    auto const points = [](std::int64_t n, int seed) {
        auto out = tx::tensor<float, tx::shape<tx::dyn, 2>>::uninitialized(tx::dims{{n, 2}, 2});
        for (std::int64_t i = 0; i < 2 * n; ++i) out.mutable_data()[i] = static_cast<float>((i * 7919 + seed) % 1009) / 500 - 1;
        return out;
    };
    tx::function const gradient{tx::grad<0, 1>(energy)};
    for (std::int64_t const n : {0, 1, 7, 200})
        for (std::int64_t const m : {0, 1, 5, 301}) {
            CAPTURE(n);
            CAPTURE(m);
            auto const x = points(n, 1), y = points(m, 2);
            check_near(gradient(x, y), tx::grad<0, 1>(energy)(tx::cast<double>(x), tx::cast<double>(y)), 2e-5);
        }
}
TEST_CASE("split axes: sums of narrow numbers are rounded once") {
    auto const x = tx::cast<tx::half>(numbers_of<float, 100, 4>(3));
    auto const y = tx::cast<tx::half>(numbers_of<float, 90, 4>(4));
    auto const squares = [](auto a, auto b) { return tx::sum(tx::square(apart(a, b)), tx::axis<2>); };
    tx::function const f{squares};
    auto const got = f(x, y);
    auto const d = squares(tx::cast<double>(x), tx::cast<double>(y));
    for (std::int64_t i = 0; i < d.size(); ++i) // differences and squares are rounded themselves
        CHECK(std::abs(static_cast<double>(static_cast<float>(got.data()[i])) - d.data()[i]) <=
              3e-3 * std::max(1.0, d.data()[i]));
}
TEST_CASE("split axes: where it is worth it") {
    using pairs = tx::spec<float, tx::shape<200, 3>>;
    using open = tx::spec<float, tx::shape<tx::dyn, 3>>;
    CHECK(is_split(nearest, pairs{}, pairs{}));
    CHECK(is_split(boxes, open{}, open{}));
    CHECK_FALSE(is_split(shown, pairs{}, pairs{}));
    CHECK_FALSE(is_split(nearest, tx::spec<float, tx::shape<200, 17>>{}, tx::spec<float, tx::shape<200, 17>>{}));
    CHECK_FALSE(is_split(nearest, tx::spec<float, tx::shape<10, 3>>{}, tx::spec<float, tx::shape<10, 3>>{}));
    CHECK_FALSE(is_split([](auto a) { return tx::sum(a * a, tx::axis<1>); }, pairs{}));
    CHECK_FALSE(is_split(tx::with_passes<tx::pass_options{.split = false}>(nearest), pairs{}, pairs{}));
    // Tiles keep the space in the cache: only chains, or very few elements, are faster than its rows.
    auto const totals = [](auto a, auto b) { return tx::sum(tx::square(apart(a, b)), tx::axis<1>); };
    using four = tx::spec<float, tx::shape<200, 4>>;
    constexpr tx::pass_options on_tiles{.kernels = tx::execution::tiles};
    CHECK(is_split(totals, four{}, four{}));
    CHECK_FALSE(is_split(tx::with_passes<on_tiles>(totals), four{}, four{}));
    CHECK(is_split(tx::with_passes<on_tiles>(totals), pairs{}, pairs{}));
    CHECK(is_split(tx::with_passes<on_tiles>(nearest), four{}, four{}));
}
TEST_CASE("split axes: columns that a nest of blocks needs both cut and whole") {
    auto const fitted = tx::value_and_grad<0>([](auto a, auto x) {
        auto const near = tx::exp(-tx::sum(tx::square(apart(x, x)), tx::axis<2>));
        return tx::sum(tx::square(tx::sum(near * a, tx::axis<1>) - 1));
    });
    std::string const plan =
        tx::function{fitted}.concrete<tx::spec<float, tx::shape<600>>, tx::spec<float, tx::shape<600, 3>>>().explain_passes();
    CHECK(plan.find("slice(") != std::string::npos);
    CHECK(plan.find("= blocks(") != std::string::npos);
}
