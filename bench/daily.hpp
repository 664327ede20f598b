// Shared by the benchmarks of functions of every day (daily_*.cpp): inputs, and one call of each competitor, whose results are
// compared before they are measured. daily_ops.py has the same calls in NumPy and puts them side by side.
#pragma once

#include "harness.hpp"

#include <tracexpr/tracexpr.hpp>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace daily {

// Without and with the cost of a call, in the caches and beyond them.
inline constexpr std::int64_t few = 32, some = 10'000, many = 1'000'000;

// sort/f32/1000
template <class T> std::string subject(std::string const& op, std::int64_t n) {
    std::string name = op;
    return name.append("/").append(harness::dtype_name<T>).append("/").append(std::to_string(n));
}

// Numbers between low and high; with a step, multiples of it.
template <class T> std::vector<T> numbers(std::int64_t n, double low, double high, std::uint32_t seed, double step = 0) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> draw(low, high);
    std::vector<T> out(static_cast<std::size_t>(n));
    for (T& x : out) {
        double const value = draw(engine);
        x = static_cast<T>(step > 0 ? std::floor(value / step) * step : value);
    }
    return out;
}
// Whose extent the compiler knows, or, tx::dyn, the run.
template <class T, std::int64_t Extent> auto vector_of(std::vector<T> const& values) {
    if constexpr (Extent == tx::dyn)
        return tx::from_data<tx::shape<tx::dyn>>(values.data(), static_cast<std::int64_t>(values.size()));
    else return tx::from_data<tx::shape<Extent>>(values.data());
}

// One input after the other, a call each: of a few elements processors else foretell how branches go.
template <class Input> class in_turn {
public:
    explicit in_turn(std::vector<Input> all) : all_(std::move(all)) {} // braces would list tensors
    Input const& operator()() { return all_[next_++ % all_.size()]; }

private:
    std::vector<Input> all_;
    std::size_t next_ = 0;
};
// Several vectors of n numbers, and the same as tensors.
template <class T, std::int64_t Extent>
auto inputs(std::int64_t n, double low, double high, std::uint32_t seed, double step = 0) {
    std::vector<std::vector<T>> vectors;
    std::vector<decltype(vector_of<T, Extent>(vectors[0]))> tensors;
    for (std::uint32_t k = 0; k < (n <= few ? 256u : 1u); ++k) {
        vectors.push_back(numbers<T>(n, low, high, seed + k, step));
        tensors.push_back(vector_of<T, Extent>(vectors.back()));
    }
    return std::pair{in_turn(std::move(tensors)), in_turn(std::move(vectors))};
}

// What a competitor returns, the first of several results, as doubles.
template <class R> std::vector<double> values_of(R const& result) {
    if constexpr (std::is_arithmetic_v<R>) return {static_cast<double>(result)};
    else if constexpr (requires { std::get<0>(result); }) return values_of(std::get<0>(result));
    else return {result.data(), result.data() + result.size()};
}

// The competitors are (name, callable) pairs, one after the other. Results must agree to `tolerance` of the largest number.
template <class First, class... More>
void compare(std::string const& what, double tolerance, char const* name, First first, More... more) {
    auto const expected = values_of(First(first)());
    double largest = 0;
    for (double x : expected) largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
    auto const add = [&](auto const& self, char const* who, auto run, auto... others) -> void {
        auto const got = values_of(decltype(run)(run)());
        bool same = got.size() == expected.size();
        for (std::size_t i = 0; same && i < got.size(); ++i)
            same = std::abs(got[i] - expected[i]) <= tolerance * largest || got[i] == expected[i] || std::isnan(expected[i]);
        if (!same) {
            std::fprintf(stderr, "%s: %s and %s differ\n", what.c_str(), name, who);
            std::exit(1);
        }
        harness::add({what, 0, 0}, who, [run]() mutable { benchmark::DoNotOptimize(run()); });
        if constexpr (sizeof...(others) > 0) self(self, others...);
    };
    add(add, name, first, more...);
}

// add<Extent>(n, name of who calls): with extents that the run knows, of each size, and with known ones.
template <class Add> void for_each_size(Add add) {
    for (std::int64_t const n : {few, some, many}) add.template operator()<tx::dyn>(n, "eager");
    add.template operator()<few>(few, "known");
}

// Runs what add<T>() has added of each dtype.
template <class Add> int run(int argc, char** argv, Add add) {
    add.template operator()<float>();
    add.template operator()<double>();
#if defined(__GLIBC__)
    // Memory is kept, as daily_ops.py has it: new pages at each call cost more than what is computed there.
    mallopt(M_MMAP_MAX, 0), mallopt(M_TRIM_THRESHOLD, 1 << 30), mallopt(M_TOP_PAD, 1 << 28);
#endif
    return harness::run(argc, argv);
}

} // namespace daily
