// This file tests what JAX's tests/random_test.py asks of keys, integers, orders and choices.
#include <run/random_checks.hpp>
#include <run/ways_to_run.hpp>

#include <map>
#include <set>
#include <string>

namespace rnd = tx::random;
using tx::shape;
using tx::tensor;
using tx::testing::check_moments;
using tx::testing::distance_from;
using tx::testing::most_distance;

namespace {

std::uint64_t number(rnd::key const& k) { return k.number.item(); }
double chi_square(std::vector<double> const& counts) {
    double total = 0, out = 0;
    for (double const c : counts) total += c;
    double const want = total / static_cast<double>(counts.size());
    for (double const c : counts) out += (c - want) * (c - want) / want;
    return out;
}
// What is exceeded once in some ten thousand times: Wilson and Hilferty's.
double most_chi_square(double freedom) {
    return freedom * std::pow(1 - 2 / (9 * freedom) + 3.7 * std::sqrt(2 / (9 * freedom)), 3);
}

} // namespace

TEST_CASE("random: fold_in is of the number, whatever its dtype, and of each bit of it") {
    rnd::key const k(3);
    std::uint64_t const five = number(rnd::fold_in(k, 5));
    CHECK(number(rnd::fold_in(k, std::uint8_t{5})) == five);
    CHECK(number(rnd::fold_in(k, std::int64_t{5})) == five);
    CHECK(number(rnd::fold_in(k, tensor<int, shape<>>(5))) == five);
    CHECK(number(rnd::fold_in(k, tensor<std::uint32_t, shape<>>(5u))) == five);
    CHECK(number(rnd::fold_in(k, tensor<std::uint64_t, shape<>>(std::uint64_t{5}))) == five);
    CHECK(number(rnd::fold_in(k, tensor<std::int8_t, shape<>>(std::int8_t{-1}))) == number(rnd::fold_in(k, -1)));
    std::set<std::uint64_t> all;
    for (int bit = 0; bit < 64; ++bit) all.insert(number(rnd::fold_in(k, std::uint64_t{1} << bit)));
    for (int bit = 0; bit < 64; ++bit) all.insert(number(rnd::fold_in(rnd::key(std::uint64_t{1} << bit), 0)));
    all.insert(number(rnd::fold_in(k, 0)));
    CHECK(all.size() == 129);
    // The order counts.
    CHECK(number(rnd::fold_in(rnd::fold_in(k, 1), 2)) != number(rnd::fold_in(rnd::fold_in(k, 2), 1)));
}

TEST_CASE("random: neighbouring keys, split ones and folded ones are not correlated") {
    constexpr int n = 4000;
    std::vector<float> seeds, folds, splits;
    rnd::key k(0);
    for (int i = 0; i < n; ++i) {
        seeds.push_back(rnd::stateless_uniform<float>(rnd::key(static_cast<std::uint64_t>(i)), shape<1>{})(0));
        folds.push_back(rnd::stateless_uniform<float>(rnd::fold_in(rnd::key(0), i), shape<1>{})(0));
        auto const [now, next] = rnd::split(k);
        splits.push_back(rnd::stateless_uniform<float>(now, shape<1>{})(0));
        k = next;
    }
    for (auto const* all : {&seeds, &folds, &splits}) {
        CHECK(distance_from(tx::from_data<shape<tx::dyn>>(all->data(), n), [](double x) { return x; }) < most_distance);
        double together = 0;
        for (int i = 1; i < n; ++i)
            together += ((*all)[static_cast<std::size_t>(i)] - .5) * ((*all)[static_cast<std::size_t>(i - 1)] - .5) * 12 / n;
        CHECK(std::abs(together) < 3.5 / std::sqrt(n));
    }
}

TEST_CASE_TEMPLATE("random: bits are fair, each of them, and pairs of neighbours", T, std::uint32_t, std::uint64_t) {
    constexpr std::int64_t n = 20000;
    auto const bits = rnd::stateless_bits<T>(rnd::key(7), shape<n>{});
    int const width = static_cast<int>(sizeof(T) * 8);
    for (int b = 0; b < width; ++b) {
        int ones = 0, turns = 0;
        for (int i = 0; i < n; ++i) {
            ones += static_cast<int>(bits(i) >> b & 1u);
            if (i > 0) turns += static_cast<int>((bits(i) ^ bits(i - 1)) >> b & 1u);
        }
        CHECK(std::abs(ones - n / 2) < 4 * std::sqrt(n) / 2);
        CHECK(std::abs(turns - n / 2) < 4 * std::sqrt(n) / 2);
    }
}

TEST_CASE("random: every order is as likely as any other") { // testShuffle, testPermutation
    std::map<std::string, double> counts;
    constexpr int n = 24000;
    auto const keys = rnd::keys(rnd::key(5), n);
    auto const orders = tx::vmap([](auto k) { return rnd::stateless_permutation<4>(k); })(keys);
    for (int i = 0; i < n; ++i) {
        std::string order;
        for (int j = 0; j < 4; ++j) order += static_cast<char>('0' + orders(i, j));
        counts[order] += 1;
    }
    CHECK(counts.size() == 24);
    std::vector<double> all;
    for (auto const& [order, count] : counts) all.push_back(count);
    CHECK(chi_square(all) < most_chi_square(23));
    auto const long_one = rnd::stateless_permutation(rnd::key(6), 100000);
    CHECK(tx::sum(long_one).item() == std::int64_t{100000} * 99999 / 2);
    std::set<std::int64_t> const different(long_one.begin(), long_one.end());
    CHECK(different.size() == 100000);
    int fixed = 0;
    for (int i = 0; i < 100000; ++i) fixed += long_one(i) == i;
    CHECK(fixed < 9);
    CHECK(rnd::stateless_permutation<0>(rnd::key(1)).size() == 0);
    CHECK(rnd::stateless_permutation<1>(rnd::key(1))(0) == 0);
}

TEST_CASE("random: shuffles of rows, of every rank and dtype") {
    auto const x = tx::reshape<6, 2, 2>(tx::arange<int>(24));
    tx::testing::in_every_way([](auto k, auto v) { return rnd::stateless_shuffle(k, v); },
                              [&](auto const& f) {
                                  auto const y = f(rnd::key(9), x);
                                  auto const order = rnd::stateless_permutation<6>(rnd::key(9));
                                  for (int i = 0; i < 6; ++i)
                                      for (int j = 0; j < 4; ++j) CHECK(y(i, j / 2, j % 2) == 4 * order(i) + j);
                              });
    auto const words = rnd::stateless_shuffle(rnd::key(1), tensor<std::string, shape<3>>{"a", "b", "c"});
    CHECK(std::set<std::string>(words.begin(), words.end()).size() == 3);
    CHECK(tx::sum(tx::cast<int>(rnd::stateless_shuffle(rnd::key(1), tensor<bool, shape<4>>{true, false, true, true}))).item() ==
          3);
    CHECK(rnd::stateless_shuffle(rnd::key(1), tensor<double, shape<0>>{}).size() == 0);
    CHECK(rnd::stateless_shuffle(rnd::key(1), tensor<double, shape<tx::dyn, 0>>(tx::zeros<double>(shape<3, 0>{}))).extent(0) ==
          3);
    // Derivatives go where the elements came from.
    auto const g = tx::grad([](auto v, auto k) { return tx::vecdot(rnd::stateless_shuffle(k, v), tx::arange<double>(5)); });
    auto const order = rnd::stateless_permutation<5>(rnd::key(2));
    auto const slopes = g(tensor<double, shape<5>>{1, 2, 3, 4, 5}, rnd::key(2).number);
    for (int i = 0; i < 5; ++i) CHECK(slopes(order(i)) == i);
}

TEST_CASE_TEMPLATE("random: randint of all of a dtype's numbers", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t) {
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    auto const x = rnd::stateless_randint<T>(rnd::key(11), shape<200000>{}, least, most);
    if constexpr (sizeof(T) == 1) {
        std::vector<double> counts(255);
        for (T const v : x) counts.at(static_cast<std::size_t>(v - least)) += 1;
        CHECK(chi_square(counts) < most_chi_square(254));
    }
    CHECK(tx::min(x).item() <= least + 2);
    CHECK(tx::max(x).item() >= most - 3);
    CHECK(tx::max(x).item() < most);
}
TEST_CASE("random: randint of ranges that reach over half of the numbers, bounds of other dtypes") {
    auto const x = rnd::stateless_randint<int>(rnd::key(12), shape<20000>{}, -2000000000, 2000000000);
    CHECK(distance_from(x, [](double v) { return (v + 2e9) / 4e9; }) < most_distance);
    auto const y = rnd::stateless_randint<std::int64_t>(rnd::key(12), shape<20000>{}, std::numeric_limits<std::int64_t>::min(),
                                                        std::numeric_limits<std::int64_t>::max());
    CHECK(distance_from(y, [](double v) { return (v + 0x1p63) * 0x1p-64; }) < most_distance);
    auto const z = rnd::stateless_randint<std::uint32_t>(rnd::key(12), shape<20000>{}, 0u, ~0u);
    CHECK(distance_from(z, [](double v) { return v * 0x1p-32; }) < most_distance);
    auto const bounds = rnd::stateless_randint<int>(rnd::key(13), shape<20000>{}, tensor<std::int16_t, shape<>>(std::int16_t{-2}),
                                                    tensor<std::uint8_t, shape<>>(std::uint8_t{3}));
    CHECK(tx::min(bounds).item() == -2);
    CHECK(tx::max(bounds).item() == 2);
    // A bound may be one more than the dtype has.
    auto const whole = rnd::stateless_randint<std::int8_t>(rnd::key(14), shape<20000>{}, -128, 128);
    std::vector<double> counts(256);
    for (std::int8_t const v : whole) counts.at(static_cast<std::size_t>(v + 128)) += 1;
    CHECK(chi_square(counts) < most_chi_square(255));
}
