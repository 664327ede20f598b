// A class with private tensors and a function as members: an exponential moving average and variance of rows that come one by
// one.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>

class running_statistics {
public:
    using row = tx::tensor<double, tx::shape<3>>;

    explicit running_statistics(double keep) : keep_(keep) {}

    void add(row const& x) {
        auto const [mean, variance] = update_(mean_, variance_, x, keep_);
        mean_ = mean;
        variance_ = variance;
        ++count_;
    }

    row mean() const { return mean_ / (1 - std::pow(keep_, count_)); }
    row deviation() const { return tx::sqrt(variance_); }
    row scaled(row const& x) const { return scale_(x, mean(), deviation()); }

private:
    static constexpr auto update = [](auto mean, auto variance, auto x, auto keep) {
        auto const d = x - mean;
        return std::pair(keep * mean + (1 - keep) * x, keep * (variance + (1 - keep) * d * d));
    };
    static constexpr auto scale = [](auto x, auto mean, auto deviation) { return (x - mean) / (deviation + 1e-9); };

    tx::function<decltype(update)> update_{update};
    tx::function<decltype(scale)> scale_{scale};
    row mean_, variance_;
    double keep_;
    int count_ = 0;
};

int main() {
    running_statistics s(0.9);
    for (int k = 0; k < 400; ++k) s.add({1, 2.0 + (k % 2), 0.5 * (k % 4)});
    auto const mean = s.mean(), deviation = s.deviation();
    std::printf("mean      %.3f %.3f %.3f\n", mean(0), mean(1), mean(2));
    std::printf("deviation %.3f %.3f %.3f\n", deviation(0), deviation(1), deviation(2));

    running_statistics copy = s; // a copy goes its own way
    copy.add({100, 100, 100});
    std::printf("the first is as it was: %d, the copy moved: %d\n", s.mean()(0) == mean(0), copy.mean()(0) > 10);
    std::printf("scaled %.3f\n", s.scaled({1, 3, 1})(1));
}
