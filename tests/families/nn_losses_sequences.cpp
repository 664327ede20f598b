// This file tests ctc_loss against the sum over all alignments, and against optax.ctc_loss.
#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

#include <cmath>
#include <limits>
#include <vector>

using tx::testing::check_in_all_forms, tx::testing::difference;
constexpr std::int64_t batch = 4, steps = 5, classes = 3, longest = 2;
using logits_type = tx::tensor<double, tx::shape<batch, steps, classes>>;
using labels = tx::tensor<int, tx::shape<batch, longest>>;
using lengths = tx::tensor<int, tx::shape<batch>>;
using losses = tx::tensor<double, tx::shape<batch>>;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr auto each = [](auto x, auto y, auto t, auto n) { return tx::nn::ctc_loss(x, y, t, n, {.reduction = tx::none}); };
labels const y{{1, 2}, {1, 1}, {2, 0}, {1, 2}};
lengths const t{5, 4, 3, 1}, n{2, 2, 1, 2};

logits_type logits() {
    return tx::reshape<batch, steps, classes>(2 * tx::sin(7 * tx::cast<double>(tx::arange<int, batch * steps * classes>())));
}
// The probabilities of all alignments that read as the labels, added.
double enumerated(logits_type const& x, std::int64_t b) {
    auto const log_p = tx::log_softmax(x);
    std::vector<int> const wanted(y.data() + b * longest, y.data() + b * longest + n.data()[b]);
    std::int64_t const time = t.data()[b];
    double sum = 0;
    for (std::int64_t code = 0, all = static_cast<std::int64_t>(std::pow(classes, time)); code < all; ++code) {
        std::vector<int> read;
        double log_of_all = 0;
        std::int64_t rest = code;
        int before = 0;
        for (std::int64_t step = 0; step < time; ++step, rest /= classes) {
            int const label = static_cast<int>(rest % classes);
            log_of_all += log_p.data()[(b * steps + step) * classes + label];
            if (label != 0 && label != before) read.push_back(label);
            before = label;
        }
        if (read == wanted) sum += std::exp(log_of_all);
    }
    return -std::log(sum);
}
} // namespace

TEST_CASE("nn: ctc_loss is the sum over all alignments") {
    auto const x = logits();
    losses const wanted{1.975282039967885, 3.5267363695245852, 1.0573094989581651, inf}; // optax.ctc_loss; the last has no path
    for (std::int64_t b = 0; b < batch; ++b) CHECK(tx::testing::is_near(enumerated(x, b), wanted.data()[b], 1e-13, 0));
    check_in_all_forms(each, wanted, 1e-13, 0, x, y, t, n);
    CHECK(tx::nn::ctc_loss(x, y, t, n).item() == inf);
    CHECK(tx::nn::ctc_loss(x, y, t, lengths{2, 2, 1, 1}).item() < 10);
}
TEST_CASE("nn: derivatives of ctc_loss; without a path they are 0") {
    auto const slope = tx::grad([](auto x) { return tx::sum(each(x, y, t, n)); })(logits());
    // jax.grad of optax.ctc_loss, of the third sequence
    tx::tensor<double, tx::shape<steps, classes>> const third{
        {-0.1761784925556571, 0.18752737077331347, -0.011348878217656367},
        {0.02263236582403561, 0.1931093722148761, -0.2157417380389116},
        {-0.1414948254398258, 0.441059746936163, -0.29956492149633723},
        {0, 0, 0},
        {0, 0, 0}};
    CHECK(difference(tx::slice(slope, tx::at<2>), third, 1e-12, 1e-15) == "");
    CHECK(tx::equal(tx::slice(slope, tx::at<3>), tx::zeros<double>(tx::shape<steps, classes>{})));
    tx::check_gradients([](auto x) { return tx::nn::ctc_loss(x, y, t, lengths{2, 2, 1, 1}); }, logits());
}
TEST_CASE("nn: ctc_loss without labels, of impossible logits, and of labels that are no class") {
    auto const x = logits();
    auto const none = each(x, tx::tensor<int, tx::shape<batch, 0>>{}, t, lengths{0, 0, 0, 0});
    auto const blanks = -tx::sum(tx::slice(tx::log_softmax(x), tx::at<0>, tx::range<>, tx::at<0>));
    CHECK(none.data()[0] == doctest::Approx(blanks.item()).epsilon(1e-13));
    CHECK(each(x, y, lengths{0, 0, 0, 0}, lengths{0, 1, 0, 0}).data()[0] == 0);
    CHECK(each(x, y, lengths{0, 0, 0, 0}, lengths{0, 1, 0, 0}).data()[1] == inf);
    auto const never = tx::where(tx::arange<int, classes>() == 2, -inf, x); // class 2 can't be emitted
    CHECK(each(never, y, t, n).data()[0] == inf);
    auto const slope = tx::grad([](auto a) { return tx::sum(each(a, y, t, n)); })(never);
    CHECK(tx::all(tx::isfinite(slope)).item());
    CHECK(tx::equal(tx::slice(slope, tx::at<0>), tx::zeros<double>(tx::shape<steps, classes>{})));
    auto const other = each(x, labels{{3, 1}, {1, 5}, {2, -1}, {1, 2}}, t, lengths{1, 1, 1, 2});
    CHECK(std::isnan(other.data()[0]));
    CHECK(std::isfinite(other.data()[1]));
    CHECK(std::isfinite(other.data()[2]));
}
TEST_CASE("nn: ctc_loss of small floats") {
    auto const h = tx::cast<tx::bfloat16>(logits());
    static_assert(std::is_same_v<decltype(tx::nn::ctc_loss(h, y, t, n)), tx::tensor<tx::bfloat16, tx::shape<>>>);
    CHECK(static_cast<float>(each(h, y, t, n).data()[0]) == doctest::Approx(1.975).epsilon(2e-2));
}
