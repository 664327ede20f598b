// This file tests skew, kurtosis and zscore against scipy.stats.
#include <tracexpr/statistics.hpp>

#include <family_checks.hpp>

namespace {

using tx::testing::check_in_all_forms;
using tx::testing::check_open_rank;
using tx::testing::difference;
template <int... N> using doubles = tx::tensor<double, tx::shape<N...>>;
doubles<3, 4> const x{{3, 1, 7, 2}, {9, 4, 6, 8}, {5, 0, -1, 2.5}};

} // namespace

TEST_CASE("skew, kurtosis, zscore: scipy.stats' values") {
    check_in_all_forms([](auto const& a) { return tx::skew(a, tx::axis<1>); }, doubles<3>{0.8331504071506617, -0.27803055565396284, 0.33137920698487916}, 1e-13, 0, x);
    check_open_rank([](auto const& a) { return tx::skew(a); }, doubles<>(0.1129263762175195), 1e-13, 0, x);
    CHECK(difference(tx::kurtosis(x, tx::axis<0>, tx::keepdims), doubles<1, 4>{{-1.5000000000000004, -1.5000000000000004, -1.5, -1.5000000000000004}}, 1e-13) == "");
    check_in_all_forms([](auto const& a) { return tx::zscore(a, tx::axis<1>, tx::ddof<1>); },
                       doubles<3, 4>{{-0.0950586375786717, -0.8555277382080453, 1.4258795636800754, -0.4752931878933585}, {1.014722137803819, -1.2402159462046676, -0.338240712601273, 0.5637345210021216}, {1.2552483479318308, -0.6043788341894001, -0.9763042706136462, 0.3254347568712154}}, 1e-13, 1e-15, x);
    CHECK(std::isnan(tx::skew(doubles<3>{0.1, 0.1, 0.1}).item()));
    CHECK(std::isnan(tx::kurtosis(doubles<>(3)).item()));
    CHECK(std::isnan(tx::zscore(doubles<2>{1, 1})(0)));
    CHECK(tx::skew(tx::tensor<int, tx::shape<3>>{1, 2, 3}).item() == 0);
    tx::check_gradients([](auto const& a) { return tx::sum(tx::skew(a, tx::axis<1>) + tx::kurtosis(a, tx::axis<1>)); }, x);
    tx::check_gradients([](auto const& a) { return tx::sum(tx::sin(tx::zscore(a))); }, x);
}
