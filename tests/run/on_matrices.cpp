// This file tests nests of rows, columns, views and transposes on several threads: they give the bits of one.
#include <run/on_checks.hpp>

using tx::testing::check_on_threads, tx::testing::numbers;

namespace {

constexpr auto rows = [](auto const& x) { return std::tuple(tx::softmax(x), (x - tx::mean(x, tx::axis<1>, tx::keepdims)) / (1.0f + tx::std(x, tx::axis<1>, tx::keepdims)), tx::max(x, tx::axis<1>)); };
constexpr auto columns = [](auto const& x) { return std::tuple(tx::sum(x, tx::axis<0>), (x - tx::mean(x, tx::axis<0>)) / (1.0f + tx::std(x, tx::axis<0>))); };
constexpr auto moves = [](auto const& x) { return std::tuple(tx::transpose(x) + 1.0f, tx::flip(x) * x, tx::slice(x, tx::range<0, tx::open, 2>, tx::range<1, tx::open, 3>) * 2.0f, tx::cumsum(x, tx::axis<1>)); };

constexpr std::int64_t n = tx::dyn;

} // namespace

TEST_CASE("on: rows, columns and views") {
    for (auto const& extents : {tx::dims{{700, 333}, 2}, tx::dims{{3, 90'001}, 2}, tx::dims{{90'001, 3}, 2}, tx::dims{{64, 5000}, 2}}) {
        CAPTURE(tx::to_string(extents));
        auto const x = numbers<float, tx::shape<n, n>>(extents);
        check_on_threads(rows, x);
        check_on_threads(columns, x);
        check_on_threads(moves, x);
    }
    auto const known = numbers<float, tx::shape<512, 1024>>({{512, 1024}, 2});
    check_on_threads(rows, known);
    check_on_threads(columns, known);
    check_on_threads(moves, known);
}
