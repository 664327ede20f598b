// This file compares derivatives with central differences. A callable and its derivatives of orders 1 and 2, in every composition
// of the modes, are traced and run by the reference executor, so what is tested here are the rules; check_static_derivatives
// tests the kernels made of them.
#pragma once

#include <op_cases.hpp>

#include <tracexpr/transforms/check_gradients_bodies.hpp>

#include <random>

namespace tx::testing {

using leaf_list = std::vector<host_array>;

struct program {
    graph recorded;
    leaf_list operator()(leaf_list const& x) const { return run_reference(recorded.view(), views_of(x)); }
};
template <class F, class... A> program traced_program() { return {tx::detail::compile_time_trace<F, A...>::make()}; }

using tx::detail::numbers_in, tx::detail::with_numbers;
inline std::vector<double> random_numbers(std::size_t count, std::mt19937_64& bits, double low = -1, double high = 1) {
    std::uniform_real_distribution<double> spread(low, high);
    std::vector<double> out(count);
    for (double& x : out) x = spread(bits);
    return out;
}

// Gives the change of numbers(x) as x moves along d: (8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / 12h, whose error is of
// order h^4 f^(5) / 30. (Abramowitz and Stegun, 25.3.6)
template <class Numbers> std::vector<double> central_difference_of(Numbers const& numbers, leaf_list const& x, std::vector<double> const& d) {
    constexpr double h = 0x1p-10;
    std::vector<double> const at = numbers_in(x);
    auto const moved = [&](double by) {
        std::vector<double> to = at;
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += by * d[i];
        return numbers(with_numbers(x, to));
    };
    std::vector<double> const a = moved(h), b = moved(-h), c = moved(2 * h), e = moved(-2 * h);
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (8 * (a[i] - b[i]) - (c[i] - e[i])) / (12 * h);
    return out;
}
inline std::vector<double> central_difference(program const& f, leaf_list const& x, std::vector<double> const& d) {
    return central_difference_of([&](leaf_list const& at) { return numbers_in(f(at)); }, x, d);
}

struct first_order {
    program f, pushforward, pullback;
    std::size_t arguments;  // the number of leaves; the first argument's are stepped along one by one, the others' all at once
    double tolerance;

    void check(leaf_list const& x, std::size_t single, std::mt19937_64& bits) const {
        leaf_list const y = f(x);
        std::size_t const inputs = numbers_in(x).size(), alone = numbers_in(x, 0, single).size();
        for (std::size_t i = 0; i <= alone; ++i) {
            std::vector<double> d(inputs);
            if (i < alone) d[i] = 1;
            else d = random_numbers(inputs, bits);
            std::vector<double> const want = central_difference(f, x, d);
            leaf_list both = x;
            for (host_array const& step : with_numbers(x, d)) both.push_back(step);
            leaf_list const pushed = pushforward(both);
            compare("jvp", numbers_in(pushed, y.size(), y.size()), want, numbers_in(y));
            compare_pulled(x, y, d, want, bits);
        }
    }

private:
    // Checks w (J d) = (J^T w) d, for weights w of one output at a time.
    void compare_pulled(leaf_list const& x, leaf_list const& y, std::vector<double> const& d, std::vector<double> const& pushed, std::mt19937_64& bits) const {
        std::size_t first = 0;
        for (std::size_t k = 0; k < y.size(); ++k) {
            std::size_t const count = numbers_in(y, k, 1).size();
            std::vector<double> const some = random_numbers(count, bits), value = numbers_in(y, k, 1);
            std::vector<double> weights(numbers_in(y).size());
            double want = 0, size = 0;
            for (std::size_t i = 0; i < count; ++i) {
                weights[first + i] = some[i], want += some[i] * pushed[first + i];
                size += std::abs(some[i]) * (std::abs(value[i]) + std::abs(pushed[first + i]));
            }
            leaf_list both = x;
            for (host_array const& w : with_numbers(y, weights)) both.push_back(w);
            std::vector<double> const g = numbers_in(pullback(both));
            double got = 0;
            for (std::size_t i = 0; i < g.size(); ++i)
                if (d[i] != 0) got += g[i] * d[i];
            INFO("vjp, output " << k);
            INFO(got << ", not " << want);
            CHECK(std::abs(got - want) <= tolerance * std::abs(want) + 1e-9 * (1 + size));
            first += count;
        }
    }
    void compare(std::string const& what, std::vector<double> const& got, std::vector<double> const& want, std::vector<double> const& values) const {
        REQUIRE(got.size() == want.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            INFO(what << ", number " << i << ": " << got[i] << ", not " << want[i]);
            CHECK(std::abs(got[i] - want[i]) <= tolerance * std::abs(want[i]) + 1e-9 * (1 + std::abs(values[i])));
        }
    }
};

template <class F, class... A> using result_of_trace = tx::detail::result_tree_of<tx::detail::traced_result<F, A...>>;
template <class F> using pushforward_of = std::remove_cvref_t<decltype(tx::jvp(std::declval<F const&>()))>;
template <class F> using pullback_of = std::remove_cvref_t<decltype(tx::vjp(std::declval<F const&>()))>;

template <class F, class... A> void check_first_order(leaf_list const& x, std::size_t single, double tolerance, std::mt19937_64& bits) {
    using R = result_of_trace<F, A...>;
    first_order const checks{traced_program<F, A...>(), traced_program<pushforward_of<F>, A..., A...>(), traced_program<pullback_of<F>, A..., R>(), sizeof...(A), tolerance};
    checks.check(x, single, bits);
}

template <class F, class... A> void check_first_derivatives(leaf_list const& x) {
    std::mt19937_64 bits(17);
    check_first_order<F, A...>(x, x.size(), 1e-7, bits);
}
// The argument types with dual numbers as elements, an implementation of derivatives that shares nothing with the graph's.
template <class A> struct lifted {
    using type = A;
};
template <class Shape> struct lifted<tensor<double, Shape>> {
    using type = tensor<dual<dual<double>>, Shape>;
};
template <class A> inline constexpr bool is_complex_array = is_complex(dtype_of<typename A::value_type>);

// Gives x with steps d and e, (x + d e1) + e e2, as dual numbers.
inline leaf_list lifted_leaves(leaf_list const& x, std::vector<double> const& d, std::vector<double> const& e) {
    leaf_list out;
    std::size_t at = 0;
    for (host_array const& leaf : x) {
        out.push_back(leaf);
        if (leaf.type != dtype::float64) continue;
        auto const from = reference::loaded(leaf.type, leaf.shape, leaf.bytes.data());
        reference::values v(dtype::dual_dual_float64, leaf.shape);
        for (std::int64_t i = 0; i < v.size(); ++i, ++at) {
            reference::cell c = from[i];
            c.high = to_literal(d[at]).low, c.tangents[0] = to_literal(e[at]).low;
            v[i] = c;
        }
        out.back().type = v.type;
        out.back().bytes.resize(static_cast<std::size_t>(v.size()) * size_in_bytes(v.type));
        reference::store(v, out.back().bytes.data());
    }
    return out;
}
// Gives the numbers of one kind in leaves of duals: 0 are the values, 1 and 2 the tangents along d and e, 3 the second tangents.
// Constants have none.
inline std::vector<double> words_in(leaf_list const& leaves, std::size_t word) {
    std::vector<double> out;
    for (host_array const& leaf : leaves) {
        if (!is_inexact(leaf.type)) continue;
        auto const v = reference::loaded(leaf.type, leaf.shape, leaf.bytes.data());
        for (std::int64_t i = 0; i < v.size(); ++i) out.push_back(word < words_of(leaf.type) ? number_in(v[i], word) : 0);
    }
    return out;
}

// Compares dual numbers with jvp and with central differences, for f and for its tangents.
inline void check_duals(program const& f, program const& lifted_f, program const& pushforward, leaf_list const& x) {
    std::mt19937_64 bits(19);
    std::size_t const inputs = numbers_in(x).size();
    std::vector<double> const d = random_numbers(inputs, bits), e = random_numbers(inputs, bits), none(inputs, 0);
    leaf_list const y = f(x), both = lifted_f(lifted_leaves(x, d, e));
    leaf_list stepped = x;
    for (host_array const& step : with_numbers(x, d)) stepped.push_back(step);
    std::vector<double> const pushed = numbers_in(pushforward(stepped), y.size(), y.size()), first = central_difference(f, x, d);
    std::vector<double> const slope = central_difference_of([&](leaf_list const& at) { return words_in(lifted_f(lifted_leaves(at, d, none)), 1); }, x, e);
    std::vector<double> const value = words_in(both, 0), tangent = words_in(both, 1), second = words_in(both, 3), want = numbers_in(y);
    auto const near = [](double a, double b, double tolerance, double size) { return std::abs(a - b) <= tolerance * std::abs(b) + 1e-9 * (1 + std::abs(size)); };
    REQUIRE(value.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        INFO("number " << i << ": value " << value[i] << ", tangents " << tangent[i] << ", " << second[i]);
        CHECK(near(value[i], want[i], 1e-14, 0));
        CHECK(near(tangent[i], pushed[i], 1e-11, want[i]));
        CHECK(near(tangent[i], first[i], 1e-7, want[i]));
        CHECK(near(second[i], slope[i], 1e-5, tangent[i]));
    }
}

// Checks F's derivatives at x: to 1e-7 for order 1, and to 1e-5 for the derivatives of vjp(F) and jvp(F), for each output of F
// alone.
template <class F, class... A> void check_derivatives(leaf_list const& x) {
    using R = result_of_trace<F, A...>;
    check_first_derivatives<F, A...>(x);
    if constexpr (!(is_complex_array<A> || ...)) {
        INFO("dual numbers");
        check_duals(traced_program<F, A...>(), traced_program<F, typename lifted<A>::type...>(), traced_program<pushforward_of<F>, A..., A...>(), x);
    }
    std::mt19937_64 bits(18);
    leaf_list const y = traced_program<F, A...>()(x);
    leaf_list both = x;
    for (host_array const& step : with_numbers(x, random_numbers(numbers_in(x).size(), bits))) both.push_back(step);
    {
        INFO("derivatives of jvp");
        check_first_order<pushforward_of<F>, A..., A...>(both, x.size(), 1e-5, bits);
    }
    INFO("derivatives of vjp");
    std::size_t first = 0;
    for (std::size_t k = 0; k < y.size(); ++k) {
        std::size_t const count = numbers_in(y, k, 1).size();
        std::vector<double> weights(numbers_in(y).size());
        for (std::size_t i = first; i < first + count; ++i) weights[i] = random_numbers(1, bits)[0];
        first += count;
        leaf_list seeded = x;
        for (host_array const& w : with_numbers(y, weights)) seeded.push_back(w);
        INFO("output " << k);
        check_first_order<pullback_of<F>, A..., R>(seeded, x.size(), 1e-5, bits);
    }
}

// Checks that compiled derivatives of F compute what the reference executor computes.
template <class F, class... A> void check_static_derivatives(leaf_list const& x, double epsilons = 256) {
    using R = result_of_trace<F, A...>;
    std::mt19937_64 bits(5);
    leaf_list const y = traced_program<F, A...>()(x);
    leaf_list steps = x, seeds = x;
    for (host_array const& d : with_numbers(x, random_numbers(numbers_in(x).size(), bits))) steps.push_back(d);
    for (host_array const& w : with_numbers(y, random_numbers(numbers_in(y).size(), bits))) seeds.push_back(w);
    check_ops<pushforward_of<F>, A..., A...>(epsilons, steps);
    check_ops<pullback_of<F>, A..., R>(epsilons, seeds);
}

// The following functions make arguments: of given numbers, and of numbers spread over an interval.
template <class T> host_array array_of(dims const& shape, std::vector<T> const& values) {
    host_array out{dtype_of<T>, shape, std::vector<std::byte>(values.size() * sizeof(T))};
    if (!values.empty()) std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
    return out;
}
inline host_array spread(dims const& shape, double low, double high, unsigned seed = 1, dtype type = dtype::float64) {
    std::mt19937_64 bits(seed);
    host_array const out{type, shape, std::vector<std::byte>(static_cast<std::size_t>(shape.size()) * size_in_bytes(type))};
    return with_numbers({out}, random_numbers(static_cast<std::size_t>(shape.size()) * (is_complex(type) ? 2 : 1), bits, low, high))[0];
}

template <std::int64_t... E> using real_of_shape = tensor<double, shape<E...>>;

} // namespace tx::testing
