// This file tests initialisers and batches of data.
#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

#include <vector>

using tx::testing::difference;

namespace {
tx::random::key const key{tx::tensor<std::uint64_t, tx::shape<>>(7)};
template <class W> double variance_of(W const& w) { return tx::mean(tx::square(w)).item(); }
double greatest(auto const& w) { return static_cast<double>(tx::max(tx::abs(w)).item()); }
} // namespace

TEST_CASE("nn: initialisers have the variance of their fans") {
    // Window 3, 40 in, 60 out: fans 120 and 180.
    constexpr tx::shape<3, 40, 60> kernel{};
    CHECK(variance_of(tx::nn::glorot_uniform<double>(key, kernel)) == doctest::Approx(1.0 / 150).epsilon(0.05));
    CHECK(variance_of(tx::nn::glorot_normal<double>(key, kernel)) == doctest::Approx(1.0 / 150).epsilon(0.05));
    CHECK(variance_of(tx::nn::he_uniform<double>(key, kernel)) == doctest::Approx(2.0 / 120).epsilon(0.05));
    CHECK(variance_of(tx::nn::he_normal<double>(key, kernel)) == doctest::Approx(2.0 / 120).epsilon(0.05));
    CHECK(variance_of(tx::nn::lecun_uniform<double>(key, kernel)) == doctest::Approx(1.0 / 120).epsilon(0.05));
    CHECK(variance_of(tx::nn::lecun_normal<double>(key, kernel)) == doctest::Approx(1.0 / 120).epsilon(0.05));
    CHECK(greatest(tx::nn::glorot_uniform<double>(key, kernel)) <= std::sqrt(3.0 / 150));
    CHECK(greatest(tx::nn::he_normal<double>(key, kernel)) <= 2 * std::sqrt(2.0 / 120) / 0.87962566103423978);
    CHECK(greatest(tx::nn::truncated_normal<double>(key, kernel, 0.5)) <= 1);
    CHECK(greatest(tx::nn::truncated_normal<double>(key, kernel, 0.5)) > 0.95);
}
TEST_CASE("nn: initialisers in open shapes, of other dtypes, and without elements") {
    auto const open = tx::nn::he_normal(key, tx::shape<tx::dyn, 60>{}, 40, 60);
    CHECK(tx::equal(open, tx::nn::he_normal(key, tx::shape<40, 60>{})));
    static_assert(std::is_same_v<decltype(tx::nn::lecun_normal<tx::half>(key, tx::shape<2, 3>{})), tx::tensor<tx::half, tx::shape<2, 3>>>);
    CHECK(tx::nn::glorot_normal(key, tx::shape<0, 0>{}).size() == 0);
    tx::function f{[](auto k) { return tx::nn::glorot_uniform(k, tx::shape<40, 60>{}); }};
    CHECK(tx::equal(f(key), tx::nn::glorot_uniform(key, tx::shape<40, 60>{})));
}
TEST_CASE("nn: orthogonal") {
    auto const tall = tx::nn::orthogonal<double>(key, tx::shape<2, 3, 4>{}, 2);
    auto const m = tx::reshape<6, 4>(tall);
    CHECK(difference(tx::matmul(tx::transpose(m), m), 4 * tx::eye<double>(tx::shape<4, 4>{}), 0, 1e-13) == "");
    auto const flat = tx::nn::orthogonal<double>(key, tx::shape<3, 5>{});
    CHECK(difference(tx::matmul(flat, tx::transpose(flat)), tx::eye<double>(tx::shape<3, 3>{}), 0, 1e-13) == "");
    static_assert(std::is_same_v<decltype(tx::nn::orthogonal<tx::half>(key, tx::shape<2, 2>{})), tx::tensor<tx::half, tx::shape<2, 2>>>);
}
TEST_CASE("batches: all examples, each once, in the order of the key") {
    auto const images = tx::reshape<7, 2>(tx::arange<float, 14>());
    tx::tensor<int, tx::shape<7>> const labels{0, 1, 2, 3, 4, 5, 6};
    auto const range = tx::batches(std::tuple(images, labels), 3, key);
    CHECK(range.size() == 3);
    std::vector<int> seen;
    std::vector<std::int64_t> sizes;
    for (auto const& [x, y] : range) {
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(x)>, tx::tensor<float, tx::shape<tx::dyn, 2>>>);
        sizes.push_back(y.size());
        for (std::int64_t k = 0; k < y.size(); ++k) {
            CHECK(x.data()[2 * k] == static_cast<float>(2 * y.data()[k]));
            seen.push_back(y.data()[k]);
        }
    }
    CHECK(sizes == std::vector<std::int64_t>{3, 3, 1});
    std::vector<int> again, sorted = seen;
    for (auto const& [x, y] : range) again.insert(again.end(), y.data(), y.data() + y.size());
    CHECK(again == seen);
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
    CHECK(seen != sorted);
    CHECK(tx::batches(std::tuple(images, labels), 3, key, {.drop_last = true}).size() == 2);
}
TEST_CASE("batches: in order, of one tensor, and of a callable") {
    auto const x = tx::arange<double, 5>();
    int count = 0;
    for (auto const& part : tx::batches(x, 2)) CHECK(part.data()[0] == 2 * count++);
    CHECK(count == 3);
    for (auto const& part : tx::batches(x, 2, {.drop_last = true})) CHECK(part.size() == 2);
    CHECK(tx::batches(tx::tensor<float, tx::shape<0, 2>>{}, 4, key).size() == 0);
    auto const example = [](std::int64_t k) { return std::pair(tx::full<float>(tx::shape<2>{}, static_cast<float>(k)), static_cast<int>(k)); };
    for (auto const& [a, b] : tx::batches(example, 5, 5)) {
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(a)>, tx::tensor<float, tx::shape<tx::dyn, 2>>>);
        CHECK(a.data()[9] == 4);
        CHECK(tx::equal(b, tx::tensor<int, tx::shape<5>>{0, 1, 2, 3, 4}));
    }
    auto const parities = tx::batches([](std::int64_t k) { return k % 2 == 1; }, 4, 2)[1];
    CHECK(tx::equal(parities, tx::tensor<bool, tx::shape<2>>{false, true}));
    CHECK(tx::batches([](std::int64_t k) { return 0.5 * static_cast<double>(k); }, 4, 3, key)[1].size() == 1);
}
TEST_CASE("batches: errors") {
    tx::tensor<float, tx::shape<tx::dyn>> const a(3), b(4);
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::batches(std::tuple(a, b), 2)),
                         "tx: batches: all tensors must have one extent along the first axis; given (3,), (4,)", tx::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::batches(a, 0)), "tx: batches: a batch must have an example at least; given 0", tx::error);
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::batches(a, 2, {.drop_last = true})[1]), "tx: batches: there is no batch of that number; given 1", tx::error);
    CHECK_THROWS_AS(static_cast<void>(tx::batches([](std::int64_t k) { return k; }, 5, 2)[-1]), tx::error);
}
