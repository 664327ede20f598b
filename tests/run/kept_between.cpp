// This file tests reductions over axes on both sides of one that is kept, against plain loops. All numbers are small integers, so
// that sums are exact.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using tx::axis, tx::dyn, tx::shape, tx::tensor;

namespace {

constexpr auto reductions = [](auto x) {
    return std::tuple{tx::sum(x, axis<0, 2>), tx::max(x * 2 + 1, axis<0, 2>), x - tx::min(x, axis<0, 2>, tx::keepdims)};
};
template <class T> tensor<T, shape<dyn, dyn, dyn>> numbers(std::int64_t batch, std::int64_t channels, std::int64_t n) {
    auto out = tx::zeros<T, shape<dyn, dyn, dyn>>(batch, channels, n);
    for (std::int64_t k = 0; k < out.size(); ++k) out.mutable_data()[k] = static_cast<T>(static_cast<int>((k * 7 + k / 11) % 13 - (std::is_signed_v<T> ? 6 : 0)));
    return out;
}
template <class T, class Results> void check(tensor<T, shape<dyn, dyn, dyn>> const& x, Results const& results) {
    std::int64_t const batch = x.extent(0), channels = x.extent(1), n = x.extent(2);
    CAPTURE(tx::to_string(x.dimensions()));
    auto const& [sums, largest, moved] = results;
    int wrong = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
        std::vector<T> all;
        for (std::int64_t b = 0; b < batch; ++b) all.insert(all.end(), x.data() + (b * channels + c) * n, x.data() + (b * channels + c + 1) * n);
        T sum{};
        for (T const value : all) sum = static_cast<T>(sum + value);
        auto const [least, most] = std::minmax_element(all.begin(), all.end());
        wrong += static_cast<T>(sums.data()[c]) != sum;
        wrong += largest.data()[c] != static_cast<T>(*most * 2 + 1);
        for (std::int64_t b = 0; b < batch; ++b)
            for (std::int64_t i = 0; i < n; ++i) wrong += moved.data()[(b * channels + c) * n + i] != static_cast<T>(x.data()[(b * channels + c) * n + i] - *least);
    }
    CHECK(wrong == 0);
}
template <class T> void check_extents() {
    tx::function const f{reductions};
    for (std::int64_t const channels : {1, 3, 32, 45})
        for (std::int64_t const n : {1, 5, 16, 49, 64, 100, 2500}) {
            auto const x = numbers<T>(7, channels, n);
            check(x, f(x));
        }
}
template <std::int64_t... E> void check_known(shape<E...>) {
    auto const x = numbers<float>(E...);
    tx::function const f{reductions};
    check(x, f(tensor<float, shape<E...>>(x)));
}

} // namespace

TEST_CASE("kept between: extents that the run knows") {
    check_extents<float>();
    check_extents<std::int32_t>();
}
TEST_CASE("kept between: extents that the types know") {
    check_known(shape<9, 40, 21>{});
    check_known(shape<300, 2, 64>{}); // more rows than an accumulator takes
}
TEST_CASE("kept between: on threads, and in several axes") {
    tx::function const f{reductions};
    auto const x = numbers<float>(40, 200, 30);
    auto const single = f(x), shared = tx::on(tx::cpu{.threads = 2}, f)(x);
    check(x, shared);
    CHECK(tx::equal(std::get<0>(shared), std::get<0>(single)));
    auto const y = tx::reshape<5, 8, 20, 10, 3, 10>(x);
    CHECK(tx::equal(tx::sum(y, axis<1, 3, 5>), tx::sum(tx::sum(tx::sum(y, axis<5>), axis<3>), axis<1>)));
    CHECK(tx::equal(tx::sum(tx::slice(x, tx::range<>, tx::range<1, 150, 3>, tx::range<2, 29>), axis<0, 2>), tx::sum(tx::sum(tx::slice(x, tx::range<>, tx::range<1, 150, 3>, tx::range<2, 29>) * 1, axis<2>), axis<0>)));
}
TEST_CASE("kept between: no elements") {
    auto const none = tx::zeros<double, shape<dyn, dyn, dyn>>(0, 4, 20);
    CHECK(tx::equal(tx::function{[](auto x) { return tx::sum(x, axis<0, 2>); }}(none), tensor<double>{0, 0, 0, 0}));
    CHECK(tx::function{[](auto x) { return tx::sum(x, axis<0, 2>); }}(tx::zeros<double, shape<dyn, dyn, dyn>>(3, 0, 20)).size() == 0);
}
