// This file holds functions of all ranks' vectors, and checks derivatives of such systems: forward mode against central
// differences of what all ranks compute, reverse mode against forward mode, by the sum over all ranks of <ybar, J dx> == <J^T
// ybar, dx>.
#pragma once

#include <collectives/ranks.hpp>

namespace tx::testing {

using vec = dynamic_vector<double>;
using lists = std::vector<std::vector<double>>;  // one list for each rank

// Numbers between 0.5 and 2, all different; another `kind` gives other numbers.
inline double number(int rank, int i, int kind) { return 0.5 + 1.5 * std::abs(std::sin(1.0 + 7.3 * rank + 2.9 * i + 0.7 * kind)); }
inline lists numbers(int size, int count, int kind) {
    lists out(static_cast<std::size_t>(size));
    for (int r = 0; r < size; ++r)
        for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(r)].push_back(number(r, i, kind));
    return out;
}
inline lists plus(lists a, lists const& b, double h) {
    for (std::size_t r = 0; r < a.size(); ++r)
        for (std::size_t i = 0; i < a[r].size(); ++i) a[r][i] += h * b[r][i];
    return a;
}
inline double dot(lists const& a, lists const& b) {
    double out = 0;
    for (std::size_t r = 0; r < a.size(); ++r)
        for (std::size_t i = 0; i < a[r].size(); ++i) out += a[r][i] * b[r][i];
    return out;
}
inline void check_near(lists const& a, lists const& b, double tolerance, std::string const& what) {
    for (std::size_t r = 0; r < a.size(); ++r) {
        REQUIRE(a[r].size() == b[r].size());
        for (std::size_t i = 0; i < a[r].size(); ++i)
            CHECK_MESSAGE(std::abs(a[r][i] - b[r][i]) <= tolerance * (1 + std::abs(b[r][i])), what, ": rank ", r, " element ", i, ": ",
                          a[r][i], " is not ", b[r][i]);
    }
}

// Computes a system: on each rank f(op, communicator) makes a function of this rank's vector.
template <class F> lists values(F const& f, lists const& x) {
    return from_ranks<std::vector<double>>(static_cast<int>(x.size()), [&](communicator const& c) {
        return elements_of(function{f(c)}(as_vector(x[static_cast<std::size_t>(c.rank())])));
    });
}
template <class F> lists tangents(F const& f, lists const& x, lists const& dx) {
    return from_ranks<std::vector<double>>(static_cast<int>(x.size()), [&](communicator const& c) {
        std::size_t const r = static_cast<std::size_t>(c.rank());
        function const pushed{[g = f(c)](auto const& a, auto const& da) { return jvp(g)(a, da).second; }};
        return elements_of(pushed(as_vector(x[r]), as_vector(dx[r])));
    });
}
template <class F> lists cotangents(F const& f, lists const& x, lists const& ybar) {
    return from_ranks<std::vector<double>>(static_cast<int>(x.size()), [&](communicator const& c) {
        std::size_t const r = static_cast<std::size_t>(c.rank());
        function const pulled{[g = f(c)](auto const& a, auto const& b) { return std::get<0>(vjp(g)(a, b)); }};
        return elements_of(pulled(as_vector(x[r]), as_vector(ybar[r])));
    });
}
inline lists differences(auto const& f, lists const& x, lists const& dx) {
    double const h = 6e-6; // the cube root of epsilon
    lists out = values(f, plus(x, dx, h));
    lists const before = values(f, plus(x, dx, -h));
    for (std::size_t r = 0; r < out.size(); ++r)
        for (std::size_t i = 0; i < out[r].size(); ++i)  // an infinite tangent stays infinite
            out[r][i] = out[r][i] == before[r][i] ? 0 : (out[r][i] - before[r][i]) / (2 * h);
    return out;
}
// Checks f's derivatives in both modes; `tolerance` is that of central differences.
template <class F> void check_derivatives(F const& f, lists const& x, std::string const& name, double tolerance = 1e-7) {
    int const size = static_cast<int>(x.size()), count = static_cast<int>(x[0].size());
    lists const dx = numbers(size, count, 1), dy = tangents(f, x, dx);
    check_near(dy, differences(f, x, dx), tolerance, name + ": jvp");
    lists const ybar = numbers(size, static_cast<int>(dy[0].size()), 2);
    CHECK_MESSAGE(dot(cotangents(f, x, ybar), dx) == doctest::Approx(dot(ybar, dy)), name, ": vjp");
}

} // namespace tx::testing
