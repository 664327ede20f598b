// This file tests distributions of counts against SciPy's probabilities, and at the edges of their parameters.
#include "distributions_checks.hpp"

#include <cstdint>
#include <limits>

namespace {

namespace r = tx::random;
using tx::testing::check_deciles;
using tx::testing::check_mean_and_variance;
using tx::testing::check_probabilities;
constexpr tx::shape<20000> many{};
r::key const key{7u};
double const no_number = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("poisson: probabilities of scipy.stats.poisson below and above the change of algorithms") {
    check_probabilities(r::stateless_poisson(key, many, 0.3), 0, {0.7408182206817179, 0.22224546620451532, 0.033336819930677296, 0.0033336819930677277});
    check_probabilities(r::stateless_poisson<int>(key, many, 4.0), 0, {0.01831563888873418, 0.07326255555493673, 0.14652511110987343, 0.19536681481316454, 0.19536681481316454, 0.1562934518505317, 0.10419563456702102, 0.0595403626097263, 0.029770181304863145, 0.013231191691050305, 0.005292476676420117, 0.001924536973243679});
    check_probabilities(r::stateless_poisson<float>(key, many, 9.9), 4, {0.020082333077575253, 0.03976301949359898, 0.06560898216443839, 0.09278984620399139, 0.11482743467743926, 0.1263101781451833, 0.12504707636373127, 0.1125423687273581, 0.09284745420007093, 0.07070690742928479, 0.049999884539279754, 0.03299992379592461});
    check_probabilities(r::stateless_poisson<int>(key, many, 10.1), 5, {0.0359791878295242, 0.060564966179699045, 0.08738659405927988, 0.11032557499984103, 0.1238098119442664, 0.12504791006370872, 0.11481671742213233, 0.0966374038302951, 0.07507982912969097, 0.054164733872133705, 0.03647092080723674, 0.023022268759568226});
    check_probabilities(r::stateless_poisson(key, many, 100.0), 94, {0.03421180577717162, 0.03601242713386734, 0.037512944931108703, 0.03867313910423476, 0.03946238684105882, 0.03986099680914883, 0.03986099680914883, 0.03946633347440798, 0.03869248379843617, 0.037565518250909646, 0.036120690625877125, 0.03440065773892912});
    check_mean_and_variance(r::stateless_poisson(key, many, 1e4), 1e4, 1e4);
    check_mean_and_variance(r::stateless_poisson(key, many, 1e12), 1e12, 1e12);
}
TEST_CASE("poisson: means of 0, and those that make no sense") {
    tx::tensor<double, tx::shape<6>> const means{0, no_number, -1, infinite, 1e-300, 2};
    auto const whole = r::stateless_poisson<int>(key, means);
    CHECK(tx::equal(tx::slice(whole, tx::range<0, 5>), tx::tensor<int, tx::shape<5>>{0, -1, -1, -1, 0}));
    auto const floating = r::stateless_poisson<double>(key, means);
    CHECK(floating(0) == 0);
    for (int k : {1, 2, 3}) CHECK(std::isnan(floating(k)));
    CHECK(r::stateless_poisson<std::int8_t>(key, 1e6).item() == 127);
}
TEST_CASE("binomial: probabilities of scipy.stats.binom below and above the change of algorithms") {
    check_probabilities(r::stateless_binomial(key, many, 10, 0.3), 0, {0.0282475249, 0.12106082099999989, 0.2334744405000001, 0.2668279319999998, 0.20012094899999988, 0.10291934519999989, 0.036756908999999956, 0.009001691999999992, 0.0014467004999999982});
    check_probabilities(r::stateless_binomial<int>(key, many, 10, 0.9), 4, {0.00013778099999999974, 0.0014880347999999982, 0.011160260999999996, 0.05739562799999997, 0.1937102444999998, 0.38742048899999976});
    check_probabilities(r::stateless_binomial<int>(key, many, 25, 0.45), 6, {0.017154763859262952, 0.03809694311602556, 0.07013300891813795, 0.10838737741894056, 0.1418889304393405, 0.15830583148190863, 0.15111011186909445, 0.12363554607471382, 0.08670544789655246, 0.05202326873793146, 0.026602807877351312});
    check_probabilities(r::stateless_binomial<double>(key, many, 200, 0.7), 134, {0.03932419143059047, 0.044858707261562415, 0.05002625442159536, 0.05452983450334487, 0.05808612805791072, 0.060454147666986306, 0.06146171679476929, 0.06102581809409721, 0.05916352787056837, 0.055991590478906166, 0.05171445509510087, 0.046602451487998846});
    check_probabilities(r::stateless_binomial(key, many, 1000000, 3e-6), 0, {0.04978684432611233, 0.1493609810612801, 0.22404191967620762, 0.2240421437187994, 0.16803160778909987, 0.10081886385419273, 0.05040933110793001, 0.021603934234064114, 0.008101442931775478, 0.002700467474813103});
    check_mean_and_variance(r::stateless_binomial(key, many, 1000000000, 0.25), 2.5e8, 1.875e8);
}
TEST_CASE("binomial: probabilities of 0 and 1, no trials, and what makes no sense") {
    tx::tensor<double, tx::shape<8>> const n{10, 10, 0, 10, -1, no_number, 10, 1000};
    tx::tensor<double, tx::shape<8>> const p{0, 1, 0.5, no_number, 0.5, 0.5, 1.5, 1};
    CHECK(tx::equal(r::stateless_binomial<int>(key, n, p), tx::tensor<int, tx::shape<8>>{0, 10, 0, -1, -1, -1, -1, 1000}));
    CHECK(std::isnan(r::stateless_binomial<double>(key, 10, no_number).item()));
    CHECK(std::isnan(r::stateless_binomial<double>(key, infinite, 0.5).item()));
}
TEST_CASE("geometric: probabilities of scipy.stats.geom, and what makes no sense") {
    check_probabilities(r::stateless_geometric(key, many, 0.25), 1, {0.25, 0.1875, 0.140625, 0.10546875, 0.0791015625, 0.059326171875, 0.04449462890625, 0.0333709716796875, 0.025028228759765625, 0.01877117156982422, 0.014078378677368164, 0.010558784008026123});
    check_mean_and_variance(r::stateless_geometric<double>(key, many, 1e-3), 1e3, 999e3, 9);
    tx::tensor<double, tx::shape<5>> const p{1, 0, no_number, -0.5, 1.5};
    CHECK(tx::equal(r::stateless_geometric<int>(key, p), tx::tensor<int, tx::shape<5>>{1, -1, -1, -1, -1}));
}
TEST_CASE("counts: shapes, and parameters that broadcast to them") {
    tx::tensor<float, tx::shape<3, 1>> const mean{{0}, {1}, {20}};
    auto const x = r::stateless_poisson<int>(key, tx::shape<3, 4>{}, mean);
    CHECK(tx::equal(tx::slice(x, tx::at<0>), tx::tensor<int, tx::shape<4>>{0, 0, 0, 0}));
    auto const open = r::stateless_poisson<int, tx::shape<tx::dyn, 4>>(key, 3, 4, mean);
    CHECK(tx::equal(open, x));
    CHECK(tx::equal(r::stateless_poisson<int>(key, tx::tensor<float>(tx::broadcast_to<3, 4>(mean))), x));
    CHECK(r::stateless_poisson<int>(key, tx::shape<0, 3>{}, 2.0).size() == 0);
    static_assert(std::is_same_v<decltype(r::stateless_binomial<int>(key, mean, tx::tensor<float, tx::shape<4>>{})), tx::tensor<int, tx::shape<3, 4>>>);
}
TEST_CASE("counts: have no derivative") {
    auto const slope = tx::grad([](auto mean) { return tx::sum(r::stateless_poisson<double>(r::key{3u}, tx::shape<4>{}, mean)); });
    CHECK(slope(3.0).item() == 0);
}
