// This file makes distributions from random bits. The recipe of a distribution is a composition of ops, so that it fuses with
// what surrounds it and has derivatives with respect to its parameters. Noise is made in float, or in double for double; 16-bit
// floats are rounded from it, and the dual parts of dual numbers come from their parameters alone.
#pragma once

#include <tracexpr/run/random/key.hpp>
#include <tracexpr/trace/operand_checks.hpp>

#include <limits>

namespace tx::detail {

// noise_of is the type in which the noise of a distribution over T is made, and drawn_in the one in which it is combined with
// parameters.
template <class T> using noise_of = std::conditional_t<primal(dtype_of<T>) == dtype::float64, double, float>;
template <class T> using drawn_in = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

// Converts a scalar or an operand to a dtype.
template <class T, class A> constexpr auto number_as(A const& a) {
    if constexpr (scalar_type<A>) return static_cast<T>(a);
    else return cast_to<T>(a);
}
template <class T, class S, class A> constexpr auto parameter_as(S const& from, A const& a) {
    if constexpr (scalar_type<A>) return static_cast<T>(a);
    else return from.spread(cast_to<T>(a));
}
template <class A> inline constexpr bool is_real_parameter =
    operand<A> && (dtype_of_operand<A> != dtype::string) && !is_complex(dtype_of_operand<A>);

// Makes uniform numbers in [0, 1), in steps of 2^-24 or 2^-53, which T represents exactly.
template <class T, class S> constexpr auto unit_interval(S const& from, std::uint32_t stream = 0) {
    if constexpr (std::is_same_v<T, half>)
        return cast_to<T>(cast_to<float>(from.template bits<std::uint32_t>(stream) >> 21) * 0x1p-11f);
    else if constexpr (std::is_same_v<T, bfloat16>)
        return cast_to<T>(cast_to<float>(from.template bits<std::uint32_t>(stream) >> 24) * 0x1p-8f);
    else if constexpr (std::is_same_v<noise_of<T>, float>)
        return cast_to<T>(cast_to<float>(from.template bits<std::uint32_t>(stream) >> 8) * 0x1p-24f);
    else return cast_to<T>(cast_to<double>(cast_to<std::int64_t>(from.template bits<std::uint64_t>(stream) >> 11)) * 0x1p-53);
}
// Makes uniform numbers in (0, 1] from all of 32 or 64 bits, so that small ones are much finer than the steps of unit_interval.
template <class N, class S> constexpr auto fine_unit(S const& from, std::uint32_t stream = 0) {
    if constexpr (std::is_same_v<N, float>)
        return fma(cast_to<float>(from.template bits<std::uint32_t>(stream)), 0x1p-32f, 0x1p-33f);
    else return fma(cast_to<double>(from.template bits<std::uint64_t>(stream)), 0x1p-64, 0x1p-65);
}
template <class N> inline constexpr N last_before_one = std::is_same_v<N, float> ? N(1 - 0x1p-24) : N(1 - 0x1p-53);

// Makes normal numbers by Box and Muller (1958), of whose two numbers one is used. The tails end where (0, 1] does: at 6.8 for
// float, 9.5 for double.
template <class N, class S> constexpr auto standard_normal(S const& from, std::uint32_t stream = 0) {
    auto const radius = sqrt(-2 * log(fine_unit<N>(from, stream)));
    return radius * cos(unit_interval<N>(from, stream + 1) * static_cast<N>(6.283185307179586476925286766559));
}
// Makes exponential numbers that are precise near 0, too. Their logarithms are Gumbel's numbers, of which no tail is cut before a
// probability of 2^-32 or 2^-64.
template <class N, class S> constexpr auto fine_exponential(S const& from) {
    return -log1p(-minimum(fine_unit<N>(from), last_before_one<N>));
}

// Computes the inverse of erf for |x| <= 0.995 (float), 0.999 (double) by the central polynomials of Giles, "Approximating the
// erfinv function" (GPU Computing Gems, 2011).
template <class N, class X> constexpr auto central_erfinv(X const& x) {
    auto const horner = [&](auto const& w, auto first, auto... coefficients) {
        auto const step = [&w](auto const& so_far, N c) { return fma(so_far, w, c); };
        auto const next = [&step](auto const& self, auto const& so_far, N c, auto... rest) {
            auto const here = step(so_far, c);
            if constexpr (sizeof...(rest) == 0) return here;
            else return self(self, here, rest...);
        };
        return next(next, first, coefficients...);
    };
    auto const w = -log((1 - x) * (1 + x));
    if constexpr (std::is_same_v<N, float>)
        return x * horner(w - 2.5f, 2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
                          -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f);
    else
        return x * horner(w - 3.125, -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18,
                          1.115787767802518096e-17, -1.333171662854620906e-16, 2.0972767875968561637e-17,
                          6.6376381343583238325e-15, -4.0545662729752068639e-14, -8.1519341976054721522e-14,
                          2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
                          1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08,
                          4.2347877827932403518e-07, -1.3654692000834678645e-06, -1.3882523362786468719e-05,
                          0.0001867342080340571352, -0.00074070253416626697512, -0.0060336708714301490533, 0.24015818242558961693,
                          1.6536545626831027356);
}

// floating_recipe is the base of recipes for floating-point numbers: it converts parameters, and names the routines that a run
// may need.
template <class T, std::size_t Most> struct floating_recipe {
    using noise = noise_of<T>;
    using number = drawn_in<T>;
    static constexpr bool gives = is_floating(dtype_of<T>);
    template <class... A> static constexpr bool takes =
        is_floating(dtype_of<T>) && sizeof...(A) <= Most && (is_real_parameter<A> && ...);
    using needed = dtypes_needed<noise, T>;
    template <class S, class A> static constexpr auto parameter(S const& from, A const& a) {
        return parameter_as<number>(from, a);
    }
};
// located_recipe draws numbers of mean 0 and deviation 1, and shifts and scales them.
template <class Recipe, class T> struct located_recipe : floating_recipe<T, 2> {
    using base = floating_recipe<T, 2>;
    template <class S> static constexpr auto draw(S const& from) { return cast_to<T>(Recipe::standard(from)); }
    template <class S, class M> static constexpr auto draw(S const& from, M const& mean) {
        return cast_to<T>(standard(from) + base::parameter(from, mean));
    }
    template <class S, class M, class D> static constexpr auto draw(S const& from, M const& mean, D const& deviation) {
        return cast_to<T>(fma(standard(from), base::parameter(from, deviation), base::parameter(from, mean)));
    }

private:
    template <class S> static constexpr auto standard(S const& from) {
        return cast_to<typename base::number>(Recipe::standard(from));
    }
};

template <class T> struct uniform_recipe : floating_recipe<T, 2> {
    static constexpr char const* called = "uniform";
    using base = floating_recipe<T, 2>;
    template <class... A> static constexpr bool takes = base::template takes<A...> && sizeof...(A) != 1;
    template <class S> static constexpr auto draw(S const& from) { return unit_interval<T>(from); }
    template <class S, class Lo, class Hi> static constexpr auto draw(S const& from, Lo const& lo, Hi const& hi) {
        auto const u = cast_to<number>(unit_interval<typename base::noise>(from));
        auto const first = bound(from, lo);
        auto const end = bound(from, hi);
        // Bounds may be further apart than the largest T.
        auto const scale = where(isfinite(end - first), number(1), number(0.5));
        auto const low = first * scale;
        auto const drawn = cast_to<T>(fma(u, end * scale - low, low) * (1 / scale));
        auto const last = where(first < end, maximum(before(end), first), end);
        return where(drawn == cast_to<T>(end), cast_to<T>(last), drawn); // rounding sometimes gives the end
    }

private:
    using number = typename base::number;
    // Rounds a bound to T.
    template <class S, class A> static constexpr auto bound(S const& from, A const& a) {
        if constexpr (scalar_type<A> && is_small_float<T>)
            return from.recorded(static_cast<float>(static_cast<T>(static_cast<float>(a))));
        else if constexpr (scalar_type<A>) return from.recorded(static_cast<number>(a));
        else return from.spread(cast_to<number>(cast_to<T>(a)));
    }
    // Returns the number of T before x once it is rounded to T; close to 0, one of the two before. (Rump, Zimmermann, Boldo and
    // Melquiond, Computing predecessor and successor in rounding to nearest, 2009, algorithm 1)
    template <class X> static constexpr auto before(X const& x) {
        using limits = std::numeric_limits<ctype<primal(dtype_of<T>)>>;
        constexpr double half_epsilon = 0.5 * static_cast<double>(static_cast<noise_of<T>>(limits::epsilon()));
        constexpr double least = static_cast<double>(static_cast<noise_of<T>>(limits::denorm_min()));
        return x - (abs(x) * (half_epsilon * (1 + 2 * half_epsilon)) + least);
    }
};
template <class T> struct normal_recipe : located_recipe<normal_recipe<T>, T> {
    static constexpr char const* called = "normal";
    template <class S> static constexpr auto standard(S const& from) { return standard_normal<noise_of<T>>(from); }
};
// Draws normal numbers within two deviations of the mean, by the inverse of their cumulative distribution function.
template <class T> struct truncated_normal_recipe : located_recipe<truncated_normal_recipe<T>, T> {
    static constexpr char const* called = "truncated_normal";
    template <class S> static constexpr auto standard(S const& from) {
        using noise = noise_of<T>;
        constexpr noise within = static_cast<noise>(0.95449973610364158559943472566693); // erf(sqrt(2))
        auto const centred =
            fma(unit_interval<noise>(from), 2 * within,
                -within + (std::is_same_v<noise, float> ? static_cast<noise>(0x1p-24) : static_cast<noise>(0x1p-53)));
        return static_cast<noise>(1.4142135623730950488016887242097) * central_erfinv<noise>(centred);
    }
};
template <class T> struct exponential_recipe : floating_recipe<T, 1> {
    static constexpr char const* called = "exponential";
    using base = floating_recipe<T, 1>;
    template <class S> static constexpr auto draw(S const& from) { return cast_to<T>(standard(from)); }
    template <class S, class A> static constexpr auto draw(S const& from, A const& scale) {
        return cast_to<T>(cast_to<typename base::number>(standard(from)) * base::parameter(from, scale));
    }

private:
    template <class S> static constexpr auto standard(S const& from) {
        return 0 - log(fine_unit<noise_of<T>>(from)); // -log(1) would be -0
    }
};

// Draws gamma numbers by Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for alpha + 3; by Stuart's
// theorem they are multiplied by three powers of uniform numbers. At alpha + 3 at most one in 80 of the cubes of normal numbers
// is rejected. If all four candidates are, once in 4e7, the mode is used. The derivative with respect to alpha is that of the
// candidate used, as if none were rejected.
template <class T> struct gamma_recipe : floating_recipe<T, 1> {
    static constexpr char const* called = "gamma";
    using base = floating_recipe<T, 1>;
    using noise = noise_of<T>;
    static constexpr std::uint32_t candidates = 4, raised = 3, powers_from = 3; // powers_from: their first stream
    template <class... A> static constexpr bool takes = base::template takes<A...> && sizeof...(A) == 1;

    template <class S, class A> static constexpr auto draw(S const& from, A const& alpha) {
        auto const a = from.recorded(base::parameter(from, alpha));
        auto const d = a + static_cast<noise>(raised - 1.0 / 3);
        auto power = log(fine_unit<noise>(from, powers_from)) / a;
        for (std::uint32_t k = 1; k < raised; ++k)
            power = power + log(fine_unit<noise>(from, powers_from + k)) / (a + static_cast<noise>(k));
        return cast_to<T>(d * first_of<0>(cubes(from, d)) * exp(power));
    }

private:
    // Makes the candidates; rejected ones are -1.
    template <class S, class D> static constexpr auto cubes(S const& from, D const& d) {
        auto const all = from.template stacked<candidates>();
        auto const x = standard_normal<noise>(all);
        auto const side = fma(x, 1 / sqrt(9 * d), static_cast<noise>(1)), v = side * side * side;
        auto const u = log(fine_unit<noise>(all, 2));
        return where(side > 0 && u < fma(x * x, static_cast<noise>(0.5), d * (1 - v + log(v))), v, static_cast<noise>(-1));
    }
    template <int K, class V> static constexpr auto first_of(V const& v) {
        auto const here = slice(v, at<K>);
        if constexpr (K + 1 == candidates) return where(here > 0, here, static_cast<noise>(1));
        else return where(here > 0, here, first_of<K + 1>(v));
    }
};

// Draws booleans by a comparison with all bits of a float, or of a double if the probability is a double.
struct bernoulli_recipe {
    static constexpr char const* called = "bernoulli";
    template <class... A> static constexpr bool takes = sizeof...(A) <= 1 && (is_real_parameter<A> && ...);
    using needed = dtypes_needed<float, double, bool>;
    template <class S> static constexpr auto draw(S const& from) { return from.template bits<std::uint32_t>() < 0x80000000u; }
    template <class S, class A> static constexpr auto draw(S const& from, A const& probability) {
        constexpr bool is_fine = !traits<A>::weak && primal(dtype_of_operand<A>) == dtype::float64;
        using noise = std::conditional_t<is_fine, double, float>;
        auto const u = minimum(fine_unit<noise>(from), last_before_one<noise>);
        return u < parameter_as<noise>(from, probability);
    }
};

// Draws lo + floor(bits (hi - lo) / 2^64). With so many bits each probability is right to one in 2^32 for 32-bit ranges.
template <class T> struct randint_recipe {
    static constexpr char const* called = "randint";
    template <class A> static constexpr bool is_bound =
        operand<A> && is_integer(dtype_of_operand<A>) &&
        (traits<A>::weak || promote(dtype_of_operand<A>, dtype_of<T>) == dtype_of<T>);
    template <class... A> static constexpr bool takes = is_integer(dtype_of<T>) && sizeof...(A) == 2 && (is_bound<A> && ...);
    using needed = dtypes_needed<T>;
    template <class S, class Lo, class Hi> static constexpr auto draw(S const& from, Lo const& lo, Hi const& hi) {
        using word = std::uint64_t;
        auto const first = parameter_as<word>(from, lo);
        auto const span = parameter_as<word>(from, hi) - first;
        auto const all = from.template bits<word>();
        auto const high = all >> 32, low = all & word{0xffffffff};
        if constexpr (sizeof(T) <= 4) {
            return cast_to<T>(first + ((high * span + ((low * span) >> 32)) >> 32));
        } else {
            auto const a = span >> 32, b = span & word{0xffffffff}; // four products of halves, as Knuth's TAOCP 4.3.1 M
            auto const middle = high * b + ((low * b) >> 32), other = low * a + (middle & word{0xffffffff});
            return cast_to<T>(first + high * a + (middle >> 32) + (other >> 32));
        }
    }
};

// Draws classes by Gumbel (1954): if noise -log(-log(u)) is added to each logit, the class of the largest sum has the probability
// that the logits give it.
struct categorical_fn {
    static constexpr char const* called = "categorical";
    template <class K, class A> constexpr auto operator()(K const& key, A const& logits) const {
        using noise = noise_of<typename A::value_type>;
        need_random_routines<noise>();
        lowering low(logits.scope());
        low.require_rank(op::argmax, logits.id());
        bit_source<typename A::shape_type> const from(logits.scope(), key.id(), logits.id());
        return argmax<-1>(cast_to<noise>(logits) - log(fine_exponential<noise>(from)));
    }
};

// Returns the probability that an element is kept, by which kept elements are divided, or NaN if it is no probability.
template <class T, class P> constexpr auto kept_share(P const& keep) {
    auto const share = number_as<T>(keep);
    if constexpr (scalar_type<P>) return share;
    else return where(logical_and(share >= T(0), share <= T(1)), share, std::numeric_limits<T>::quiet_NaN());
}
template <class P> constexpr void check_kept_share(char const* called, P const& keep) {
    for_each_known(keep, [&](double share) {
        if (!(share >= 0 && share <= 1))
            throw_value(called, "the probability to keep an element must lie between 0 and 1", share);
    });
}
// dropout_fn is inverted dropout: kept elements are scaled up by the reciprocal of the probability that they are kept.
struct dropout_fn {
    static constexpr char const* called = "dropout";
    template <class K, class A, class P> constexpr auto operator()(K const& key, A const& x, P const& keep) const {
        using T = mean_type<typename A::value_type>;
        auto const is_kept = drawn_fn<bernoulli_recipe, typename A::shape_type, true>{}(key, x, keep);
        return where(is_kept, cast_to<T>(x) / kept_share<T>(keep), T(0));
    }
};

} // namespace tx::detail
