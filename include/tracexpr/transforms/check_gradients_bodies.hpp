// Defines the functions that transforms/check_gradients.hpp declares.
#pragma once

#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/transforms/check_gradients.hpp>

#include <cmath>

namespace tx::detail {

// Generates the same numbers in every run. It does without <random>, which would add to each program's compile time. (This is the
// generator of Knuth's MMIX: The Art of Computer Programming, volume 2, 3.3.4.)
class repeatable_numbers {
public:
    constexpr repeatable_numbers(std::uint64_t seed, double low, double high) : bits_{seed}, low_{low}, high_{high} {}
    constexpr double operator()() {
        bits_ = bits_ * 6364136223846793005u + 1442695040888963407u;
        return low_ + (high_ - low_) * (static_cast<double>(bits_ >> 11) * 0x1p-53);
    }

private:
    std::uint64_t bits_;
    double low_, high_;
};

// Returns the real numbers in the floating and complex arrays of some, one after the other.
inline std::vector<double> numbers_in(arrays const& from, std::size_t first, std::size_t count) {
    std::vector<double> out;
    for (std::size_t k = first; k < first + count; ++k) {
        if (!is_inexact(from[k].type)) continue;
        reference::values const v = reference::loaded(from[k].type, from[k].shape, from[k].bytes.data());
        for (std::int64_t i = 0; i < v.size(); ++i) {
            std::complex<double> const number = reference::complex_of(v[i]);
            out.push_back(number.real());
            if (is_complex(v.type)) out.push_back(number.imag());
        }
    }
    return out;
}
inline std::vector<double> numbers_in(arrays const& from) { return numbers_in(from, 0, from.size()); }
// Returns a copy of the arrays with these numbers; arrays that are neither floating nor complex are not changed.
inline arrays with_numbers(arrays like, std::vector<double> const& numbers) {
    std::size_t at = 0;
    for (host_array& a : like) {
        if (!is_inexact(a.type)) continue;
        auto v = reference::loaded(a.type, a.shape, a.bytes.data());
        for (std::int64_t i = 0; i < v.size(); ++i) {
            double const real = numbers[at++];
            v[i] = is_complex(a.type)
                       ? reference::rounded(a.type, std::complex<double>(real, numbers[at++]))
                       : reference::with_value(v[i], reference::rounded(a.type, static_cast<reference::wide_float>(real)));
        }
        reference::store(v, a.bytes.data());
    }
    return like;
}

// Checks one callable with its derivatives, which are functions of (x, dx) and of (x, w).
template <class = void> class gradient_check {
public:
    gradient_check(array_function const& f, array_function const& pushforward, array_function const& pullback,
                   std::string const& path)
        : f_{f}, pushforward_{pushforward}, pullback_{pullback}, path_{path} {}

    // Checks directions along each number of the first `single` arrays of x, and a direction of all numbers.
    void run(arrays const& x, std::size_t single) {
        y_ = f_(x);
        double const epsilon = coarsest(x);
        step_ = std::pow(epsilon, 0.2), tolerance_ = std::pow(epsilon, 0.45);
        std::vector<double> const at = numbers_in(x);
        std::size_t const alone = numbers_in(x, 0, single).size();
        for (std::size_t i = 0; i <= alone; ++i) {
            std::vector<double> d(at.size());
            for (std::size_t k = 0; k < d.size(); ++k)
                if (k == i || i == alone)
                    d[k] = (i == alone ? random_() : 1.0) * (at[k] == 0 ? 1.0 : std::min(1.0, std::abs(at[k])));
            std::string const direction =
                i < alone ? "number " + std::to_string(i) + " of the arguments" : "all arguments at once";
            check_direction(x, d, direction);
        }
    }

private:
    // Computes (8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / 12h: Abramowitz and Stegun, 25.3.6. Its error, of order h^4
    // + epsilon / h, is least at h = epsilon^(1/5).
    std::vector<double> central_difference(arrays const& x, std::vector<double> const& d) const {
        std::vector<double> const at = numbers_in(x);
        auto const moved = [&](double by) {
            std::vector<double> to = at;
            for (std::size_t i = 0; i < to.size(); ++i) to[i] += by * step_ * d[i];
            return numbers_in(f_(with_numbers(x, to)));
        };
        std::vector<double> const a = moved(1), b = moved(-1), c = moved(2), e = moved(-2);
        std::vector<double> out(a.size());
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = (8 * (a[i] - b[i]) - (c[i] - e[i])) / (12 * step_);
        return out;
    }
    void check_direction(arrays const& x, std::vector<double> const& d, std::string const& direction) {
        std::vector<double> const want = central_difference(x, d);
        arrays both = x;
        for (host_array const& step : with_numbers(x, d)) both.push_back(step);
        std::vector<double> const pushed = numbers_in(pushforward_(both), y_.size(), y_.size());
        std::size_t first = 0;
        for (std::size_t k = 0; k < y_.size(); ++k) {
            std::vector<double> const value = numbers_in(y_, k, 1);
            std::vector<double> weights(want.size());
            double sum = 0, size = 0, largest = 0;
            for (double v : value) largest = std::max(largest, std::abs(v));
            for (std::size_t i = 0; i < value.size(); ++i) {
                double const w = weights[first + i] = random_();
                compare("jvp", pushed[first + i], want[first + i], largest,
                        "result " + std::to_string(k) + ", element " + std::to_string(i), direction);
                sum += w * want[first + i], size += std::abs(w) * (largest + std::abs(want[first + i]));
            }
            // The check of vjp uses w (J d) = (J^T w) d.
            arrays seeded = x;
            for (host_array const& w : with_numbers(y_, weights)) seeded.push_back(w);
            std::vector<double> const g = numbers_in(pullback_(seeded));
            double got = 0;
            for (std::size_t i = 0; i < g.size(); ++i)
                if (d[i] != 0) got += g[i] * d[i];
            compare("vjp", got, sum, size, "a random combination of the elements of result " + std::to_string(k), direction);
            first += value.size();
        }
    }
    void compare(char const* mode, double got, double want, double size, std::string const& element,
                 std::string const& direction) const {
        if (std::abs(got - want) <= tolerance_ * (std::abs(want) + size) || (got == want) ||
            (std::isnan(got) && std::isnan(want)))
            return;
        auto const text = [](double x) { return digits_of(x, std::chars_format::general, 10); };
        throw error("tx: check_gradients: " + (mode + path_) + " must agree with central differences: of " + element + " by " +
                    direction + " it gives " + text(got) + ", differences give " + text(want));
    }
    double coarsest(arrays const& x) const {
        double out = 0;
        for (arrays const* part : {&x, &y_})
            for (host_array const& a : *part) {
                if (!is_inexact(a.type)) continue;
                dtype const type = real_part(a.type);
                out = std::max(out, type == dtype::float64   ? 0x1p-52
                                    : type == dtype::float32 ? 0x1p-23
                                    : type == dtype::float16 ? 0x1p-10
                                                             : 0x1p-7);
            }
        return out;
    }

    array_function const &f_, &pushforward_, &pullback_;
    std::string const& path_;
    arrays y_;
    double step_ = 0, tolerance_ = 0;
    repeatable_numbers random_{1, 0.3, 1.0};
};

template <class Unused> arrays array_function::operator()(arrays const& x) const {
    std::vector<array_view> views;
    for (arrays const* part : {&x, &state})
        for (host_array const& a : *part) views.push_back(a.view());
    return run_reference<Unused>(program.traced.view(), views);
}
template <class Unused> std::pair<arrays, arrays> with_random(arrays const& x, arrays const& y) {
    repeatable_numbers random(2, -1, 1);
    std::pair<arrays, arrays> out{x, x};
    auto const add = [&](arrays& to, arrays const& like) {
        std::vector<double> numbers(numbers_in(like).size());
        for (double& number : numbers) number = random();
        for (host_array const& part : with_numbers(like, numbers)) to.push_back(part);
    };
    add(out.first, x), add(out.second, y);
    return out;
}
template <class Unused> void check_derivatives(array_function const& f, array_function const& pushforward,
                                               array_function const& pullback, std::string const& path, arrays const& x,
                                               std::size_t single) {
    gradient_check<Unused>(f, pushforward, pullback, path).run(x, single);
}

} // namespace tx::detail
