// This file tests equations with many small matrices, in every way that a callable runs: each example gives what it gives alone.
#include <linalg_helper.hpp>
#include <run/ways_to_run.hpp>

#include <vector>

using namespace tx::testing;

namespace {

using tx::dyn;

// b: a vector; s: a definite matrix.
constexpr auto one = [](auto a, auto b, auto s) {
    return std::tuple(tx::linalg::solve(a, b), tx::linalg::inv(a), tx::linalg::det(a), tx::linalg::cholesky(s),
                      tx::linalg::solve_triangular(s, b, tx::linalg::lower), tx::matmul(a, s), tx::dot(b, tx::matmul(a, b)));
};
constexpr auto many = tx::vmap(one);

template <class... A, class... B>
bool all_near(std::tuple<A...> const& got, std::tuple<B...> const& alone, std::int64_t example, double tolerance) {
    auto const part_near = [&](auto const& whole, auto const& own) {
        bool good = true;
        for (std::int64_t i = 0, size = own.size(); i < size; ++i) {
            double const x = static_cast<double>(whole.data()[example * size + i]), y = static_cast<double>(own.data()[i]);
            good = good && std::abs(x - y) <= tolerance * (1 + std::abs(y));
        }
        return good;
    };
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return (part_near(std::get<K>(got), std::get<K>(alone)) && ...);
    }(std::index_sequence_for<A...>{});
}

template <class T, std::int64_t N> void check_batches(std::int64_t batch) {
    std::vector<T> a, b, s;
    for (std::int64_t e = 0; e < batch; ++e) {
        auto const m = random_matrix<T>(N, N, static_cast<unsigned>(e), 1, e % 3 ? 2 : 0.25);
        auto const d = definite_matrix<T>(N, static_cast<unsigned>(e + 100));
        auto const v = random_matrix<T>(1, N, static_cast<unsigned>(e + 200));
        a.insert(a.end(), m.data(), m.data() + N * N);
        s.insert(s.end(), d.data(), d.data() + N * N);
        b.insert(b.end(), v.data(), v.data() + N);
    }
    auto const all_a = tx::from_data<tx::shape<dyn, N, N>>(a.data(), batch, N, N),
               all_s = tx::from_data<tx::shape<dyn, N, N>>(s.data(), batch, N, N);
    auto const all_b = tx::from_data<tx::shape<dyn, N>>(b.data(), batch, N);
    double const tolerance = 2000 * static_cast<double>(std::numeric_limits<T>::epsilon());
    in_every_way(many, [&](auto const& f) {
        auto const got = f(all_a, all_b, all_s);
        for (std::int64_t e = 0; e < batch; ++e) {
            auto const alone =
                one(tx::from_data<tx::shape<N, N>>(a.data() + e * N * N), tx::from_data<tx::shape<N>>(b.data() + e * N),
                    tx::from_data<tx::shape<N, N>>(s.data() + e * N * N));
            INFO(N, " ", batch, " ", e);
            CHECK(all_near(got, alone, e, tolerance));
        }
    });
}

} // namespace

TEST_CASE("linalg: many small matrices at once are each as alone") {
    for (std::int64_t const batch : {1, 4, 9, 21}) {
        check_batches<float, 3>(batch);
        check_batches<double, 4>(batch);
    }
}
