// This file tests the continuous distributions against SciPy's deciles, in float and double, from a fixed key.
#include "distributions_checks.hpp"

namespace {

namespace r = tx::random;
using tx::testing::check_deciles;
constexpr tx::shape<20000> many{};
r::key const key{7u};

} // namespace

TEST_CASE("laplace: deciles of scipy.stats.laplace") {
    check_deciles(r::stateless_laplace(key, many), {-1.6094379124341003, -0.916290731874155, -0.5108256237659907, -0.2231435513142097, 0.0, 0.2231435513142097, 0.5108256237659905, 0.9162907318741553, 1.6094379124341005});
    check_deciles(r::stateless_laplace<double>(key, many, 2.0, 3.0), {-2.8283137373023006, -0.7488721956224649, 0.46752312870202783, 1.3305693460573709, 2.0, 2.669430653942629, 3.5324768712979715, 4.748872195622466, 6.8283137373023015});
}
TEST_CASE("cauchy: deciles of scipy.stats.cauchy") {
    check_deciles(r::stateless_cauchy(key, many), {-3.077683537175254, -1.3763819204711736, -0.726542528005361, -0.32491969623290634, 0.0, 0.32491969623290634, 0.7265425280053608, 1.376381920471174, 3.0776835371752544});
    check_deciles(r::stateless_cauchy<double>(key, many, -1.0, 0.5), {-2.538841768587627, -1.6881909602355867, -1.3632712640026805, -1.1624598481164532, -1.0, -0.8375401518835468, -0.6367287359973196, -0.311809039764413, 0.5388417685876272});
}
TEST_CASE("logistic: deciles of scipy.stats.logistic") {
    check_deciles(r::stateless_logistic(key, many), {-2.197224577336219, -1.3862943611198906, -0.8472978603872037, -0.4054651081081643, 0.0, 0.4054651081081643, 0.8472978603872034, 1.3862943611198908, 2.1972245773362196});
    check_deciles(r::stateless_logistic<double>(key, many, 1.0, 2.0), {-3.3944491546724382, -1.7725887222397811, -0.6945957207744073, 0.18906978378367145, 1.0, 1.8109302162163285, 2.694595720774407, 3.7725887222397816, 5.394449154672439});
}
TEST_CASE("gumbel: deciles of scipy.stats.gumbel_r") {
    check_deciles(r::stateless_gumbel(key, many), {-0.8340324452479557, -0.47588499532711054, -0.18562675886236574, 0.08742157179075517, 0.36651292058166435, 0.6717269920921219, 1.0309304331587228, 1.4999399867595158, 2.2503673273124454});
    check_deciles(r::stateless_gumbel<double>(key, many, 1.0, 2.0), {-0.6680648904959114, 0.048230009345778924, 0.6287464822752685, 1.1748431435815103, 1.7330258411633288, 2.3434539841842437, 3.0618608663174456, 3.9998799735190316, 5.500734654624891});
}
TEST_CASE("weibull: deciles of scipy.stats.weibull_min") {
    check_deciles(r::stateless_weibull(key, many, 2.0, 0.5), {0.022201676519366127, 0.09958608898623474, 0.2544340312673959, 0.521885635791827, 0.9609060278364028, 1.6791774106369493, 2.8991010271129167, 5.180580787960471, 10.603796220956799});
    check_deciles(r::stateless_weibull<double>(key, many, 0.5, 3.0), {0.2361543592848315, 0.30327139656205404, 0.3545908610341355, 0.39969393873170567, 0.4424985222502589, 0.4856399833989629, 0.531914990728396, 0.585951153439775, 0.6602502392268427});
}
TEST_CASE("log_gamma: deciles of scipy.stats.loggamma") {
    check_deciles(r::stateless_log_gamma(key, many, 0.1), {-23.52457534248364, -16.593103480404842, -12.538449195782084, -9.6615738373976, -7.429656841018318, -5.6036338190877, -4.049690001353091, -2.66801419673569, -1.3236781098391137});
    check_deciles(r::stateless_log_gamma<double>(key, many, 2.5), {-0.2167217236084783, 0.15808619943278707, 0.40543448522592423, 0.6030855990977492, 0.7773642843279395, 0.9423223645333346, 1.109293372943554, 1.2932570637743999, 1.5300003524313937});
    check_deciles(r::stateless_log_gamma<double>(key, many, 1e-3), {-2303.161486592329, -1610.0143060323835, -1204.5491979242192, -916.8671254724383, -693.7235741582292, -511.4020173642747, -357.2513375370161, -223.7199449124937, -105.93690925610944});
}
TEST_CASE("beta: deciles of scipy.stats.beta") {
    check_deciles(r::stateless_beta(key, many, 0.5, 0.5), {0.024471741852423214, 0.09549150281252627, 0.2061073738537634, 0.3454915028125263, 0.4999999999999999, 0.6545084971874737, 0.7938926261462365, 0.9045084971874736, 0.9755282581475768});
    check_deciles(r::stateless_beta<double>(key, many, 2.0, 5.0), {0.09259525891312873, 0.1398806882699578, 0.18180347131894917, 0.2225835336154239, 0.26444998329566005, 0.3094444275453144, 0.36035769038002013, 0.42244752484627207, 0.5103163065514917});
}
TEST_CASE("student_t: deciles of scipy.stats.t") {
    check_deciles(r::stateless_student_t(key, many, 1.5), {-2.196398417565537, -1.1533643782954688, -0.651795482602357, -0.30074539256979543, 0.0, 0.30074539256979543, 0.6517954826023568, 1.1533643782954695, 2.1963984175655376});
    check_deciles(r::stateless_student_t<double>(key, many, 5.0, 1.0, 2.0), {-1.9517680976489626, -0.8390875604816534, -0.11885928893872078, 0.46563826859170976, 1.0, 1.5343617314082902, 2.1188592889387206, 2.839087560481654, 3.951768097648963});
}
TEST_CASE("von_mises: deciles of scipy.stats.vonmises") {
    check_deciles(r::stateless_von_mises(key, many, 0.0, 0.5), {-2.128474984280326, -1.3984914050403785, -0.8588939168898241, -0.4109513753169282, 0.0, 0.41095137531693343, 0.858893916889824, 1.3984914050403792, 2.1284749842803254});
    check_deciles(r::stateless_von_mises<double>(key, many, 0.0, 4.0), {-0.6799422541596323, -0.4407763889395582, -0.27306903337532773, -0.13156440608172845, 0.0, 0.1315644060817285, 0.2730690333753274, 0.44077638893955834, 0.6799422541596324});
    check_deciles(r::stateless_von_mises<double>(key, many, 0.0, 1e6), {-0.0012815515655446004, -0.0008416212335729142, -0.0005244005127080409, -0.0002533471031357997, 0.0, 0.0002533471031357997, 0.0005244005127080407, 0.0008416212335729143, 0.0012815515655446004});
}
TEST_CASE("von_mises: a concentration of 0 is uniform, and angles lie within a turn about 0") {
    check_deciles(r::stateless_von_mises<double>(key, many, 0.0, 0.0), {-2.5132741228718345, -1.8849555921538759, -1.2566370614359172, -0.6283185307179586, 0.0, 0.6283185307179586, 1.2566370614359172, 1.8849555921538759, 2.5132741228718345});
    auto const x = r::stateless_von_mises<double>(key, many, 3.0, 2.0);
    CHECK(tx::max(x).item() < 3.1415926535897932);
    CHECK(tx::min(x).item() >= -3.1415926535897932);
    check_deciles(tx::remainder(x, 6.283185307179586) - 3.0, {-1.0529816413545259, -0.6668819303493082, -0.40925923646296997, -0.19633042630050013, 0.0, 0.1963304263005, 0.4092592364629697, 0.6668819303493091, 1.052981641354525});
}
TEST_CASE("log_gamma: the logarithm of what gamma draws from the same key, also where that underflows") {
    auto const logs = r::stateless_log_gamma<double>(key, tx::shape<1000>{}, 0.7);
    CHECK(tx::testing::difference(tx::exp(logs), r::stateless_gamma<double>(key, tx::shape<1000>{}, 0.7), 1e-12) == "");
    auto const tiny = r::stateless_log_gamma(key, tx::shape<1000>{}, 1e-6f);
    CHECK(tx::all(tx::isfinite(tiny)).item());
    CHECK(tx::min(tiny).item() < -1e5f);
}
TEST_CASE("beta: tiny parameters give 0 and 1, not NaN") {
    auto const x = r::stateless_beta(key, many, 1e-4, 1e-4);
    CHECK(!tx::any(tx::isnan(x)).item());
    CHECK(std::abs(tx::mean(x).item() - 0.5f) < 0.02f);
}
TEST_CASE("distributions: parameters that make no sense give NaN") {
    double const nan = std::nan("");
    CHECK(std::isnan(r::stateless_log_gamma<double>(key, -1.0).item()));
    CHECK(std::isnan(r::stateless_log_gamma<double>(key, nan).item()));
    CHECK(std::isnan(r::stateless_beta<double>(key, 1.0, nan).item()));
    CHECK(std::isnan(r::stateless_student_t<double>(key, -2.0).item()));
    CHECK(std::isnan(r::stateless_von_mises<double>(key, 0.0, -1.0).item()));
    CHECK(std::isnan(r::stateless_von_mises<double>(key, nan, 1.0).item()));
    CHECK(std::isnan(r::stateless_weibull<double>(key, nan, 1.0).item()));
}
TEST_CASE("distributions: half and bfloat16 are rounded from float") {
    auto const wide = r::stateless_laplace<float>(key, tx::shape<500>{}, 1.0, 2.0);
    CHECK(tx::equal(r::stateless_laplace<tx::half>(key, tx::shape<500>{}, 1.0, 2.0), tx::cast<tx::half>(wide)));
    auto const beta = r::stateless_beta<float>(key, tx::shape<500>{}, 1.0, 2.0);
    CHECK(tx::equal(r::stateless_beta<tx::bfloat16>(key, tx::shape<500>{}, 1.0, 2.0), tx::cast<tx::bfloat16>(beta)));
}
