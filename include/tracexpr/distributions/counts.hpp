// This file has distributions of whole numbers: the Poisson, the binomial and the geometric one. Everything is computed in
// double, whatever the dtype of the result, because probabilities of large counts are differences of large numbers.
#pragma once

#include <tracexpr/distributions/source.hpp>

#include <limits>

namespace tx::detail {

// The three distributions share count_builder. Where parameters make no sense, counts are NaN, or -1 if the result is an integer.
struct count_builder {
    static constexpr bool is_of(dtype type) { return is_integer(type) || (is_floating(type) && primal(type) == type); }
    static constexpr dtype number(dtype) { return dtype::float64; }
};
constexpr ad::value or_invalid(ad::value const& makes_sense, ad::value const& count) {
    return chosen(makes_sense, count, count.like(std::numeric_limits<double>::quiet_NaN()));
}

// Draws counts with P(0) = first and P(k + 1) / P(k) = (a - b k) / (k + 1) by sequential search: it subtracts one probability
// after the other from a uniform number until that is used up. It is meant for means of at most 10. (Kachitvichyanukul and
// Schmeiser, Binomial random variate generation, 1988: BINV) Behind the mode it ends where only rounding is left.
TRACEXPR_ONCE constexpr ad::value drawn_by_inversion(random_source const& from, ad::value const& first, ad::value const& a,
                                                     ad::value const& b) {
    constexpr double least = 1e-18;
    trace_scope& scope = from.scope();
    ad::value const u = from.fine_unit(dtype::float64, 0);
    buffer<node_id> state;
    for (ad::value const& x : {u, from.spread(first), from.spread(first.like(0))}) state.push_back(x.id());
    auto const goes_on = [](graph& g, buffer<node_id> const& s) {
        ad::value const left{g, s[0]}, probability{g, s[1]};
        return logical_and(greater(left, probability), greater(probability, left.like(least)));
    };
    auto const any_goes_on = [&](trace_scope& region, buffer<node_id> const& s) {
        return any_of(goes_on(region.recorded, s)).id();
    };
    auto const next = [&](trace_scope& region, buffer<node_id> const& s) {
        ad::value const moves = goes_on(region.recorded, s);
        ad::value const left{region.recorded, s[0]}, probability{region.recorded, s[1]}, k{region.recorded, s[2]};
        ad::value const ratio = (taken_into(region, scope, a) - taken_into(region, scope, b) * k) / (k + 1.0);
        buffer<node_id> out;
        out.push_back(chosen(moves, left - probability, left).id());
        out.push_back(chosen(moves, probability * ratio, probability).id());
        out.push_back(chosen(moves, k + 1.0, k).id());
        return out;
    };
    return {scope.recorded, record_untyped_loop(scope, state, any_goes_on, next)[2]};
}

// transformed_rejection is Hoermann's method. Candidates are floor((2 a / s + b) u + centre) with s = 1/2 - |u|; where s >= 0.07
// they are accepted at once with probability `quick`. log_odds(into, k) gives the logarithm of k's probability up to a constant,
// where into(x) is a value in the loop's region.
struct transformed_rejection {
    ad::value a, b, centre, quick, scale; // the log odds are compared with log(v scale / (a / s^2 + b))
    template <class LogOdds>
    constexpr ad::value draw(random_source const& from, ad::value const& pending, LogOdds const& log_odds) const {
        ad::value const zero = from.spread(centre.like(0));
        return drawn_until_accepted(from, pending, zero, [&](random_source const& now, auto const& into) {
            ad::value const u = now.unit(dtype::float64, 0) - 0.5, v = now.fine_unit(dtype::float64, 1);
            ad::value const s = 0.5 - ad::unary(op::absolute, u), here_a = into(a), here_b = into(b);
            ad::value const k = ad::unary(op::floor, (here_a * 2.0 / s + here_b) * u + into(centre));
            ad::value const at_once = logical_and(greater_equal(s, s.like(0.07)), less_equal(v, into(quick)));
            ad::value const rare = logical_and(less_than(s, s.like(0.013)), greater(v, s));
            ad::value const bound = log(v * into(scale) / (here_a / square(s) + here_b));
            ad::value const passes = logical_and(less_equal(bound, log_odds(into, k)), greater_equal(k, k.like(0)));
            return std::pair(k, either(at_once, logical_and(passes, negated(rare))));
        });
    }
};

// Gives log k! - log(sqrt(2 pi)) - (k + 1/2) log(k + 1) + k + 1.
TRACEXPR_ONCE constexpr ad::value stirling_rest(ad::value const& k) {
    ad::value const r = 1.0 / (k + 1.0), r2 = square(r);
    return r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 * (1.0 / 1680))));
}

// From a mean of 10 on this is algorithm PTRS of W. Hoermann, The transformed rejection method for generating Poisson random
// variables (1993); below, counts are drawn by inversion.
struct poisson_builder : count_builder {
    static constexpr char const* called = "poisson";
    static constexpr std::size_t least = 1, most = 1;
    TRACEXPR_ONCE static constexpr ad::value draw(random_source const& from, dtype, table_view<ad::value> p) {
        ad::value const mean = from.spread(fixed(p[0])), zero = mean.like(0);
        ad::value const makes_sense = logical_and(greater_equal(mean, zero), ad::unary(op::isfinite, mean));
        ad::value const is_large = logical_and(greater_equal(mean, mean.like(10)), makes_sense);
        ad::value const small = chosen(either(is_large, negated(makes_sense)), zero, mean);
        ad::value const by_inversion = drawn_by_inversion(from, exp(small * -1.0), small, zero);
        ad::value const by_rejection =
            drawn_by_rejection(from.with_key(from.derived_key(1).id()), is_large, chosen(is_large, mean, mean.like(100)));
        return or_invalid(makes_sense, chosen(is_large, by_rejection, by_inversion));
    }

private:
    TRACEXPR_ONCE static constexpr ad::value drawn_by_rejection(random_source const& from, ad::value const& pending,
                                                                ad::value const& mean) {
        ad::value const b = sqrt(mean) * 2.53 + 0.931, a = b * 0.02483 - 0.059;
        transformed_rejection const rejection{a, b, mean + 0.43, 0.9277 - 3.6224 / (b - 2.0), 1.1239 + 1.1328 / (b - 3.4)};
        ad::value const log_mean = log(mean) + 0.91893853320467274178;
        // With y = k + 1 = (1 + x) mean, the terms that cancel are -mean ((1 + x) log(1 + x) - x).
        return rejection.draw(from, pending, [&](auto const& into, ad::value const& k) {
            ad::value const m = into(mean), y = k + 1.0, x = (y - m) / m;
            ad::value const cancelling_terms = (x + 1.0) * ad::unary(op::log1p, x) - x;
            return log(y) * 0.5 - m * cancelling_terms - into(log_mean) - stirling_rest(k);
        });
    }
};

// Where n min(p, 1 - p) is at least 10 this is algorithm BTRS of W. Hoermann, The generation of binomial random variates (1993);
// below, counts are drawn by inversion.
struct binomial_builder : count_builder {
    static constexpr char const* called = "binomial";
    static constexpr std::size_t least = 2, most = 2;
    TRACEXPR_ONCE static constexpr ad::value draw(random_source const& from, dtype, table_view<ad::value> p) {
        ad::value const n = ad::unary(op::floor, from.spread(fixed(p[0]))), whole = from.spread(fixed(p[1])), zero = n.like(0);
        ad::value const is_probability = logical_and(greater_equal(whole, zero), less_equal(whole, whole.like(1)));
        ad::value const makes_sense =
            logical_and(logical_and(greater_equal(n, zero), ad::unary(op::isfinite, n)), is_probability);
        ad::value const is_flipped = greater(whole, whole.like(0.5));
        ad::value const q = chosen(makes_sense, chosen(is_flipped, 1.0 - whole, whole), zero), mean = n * q;
        ad::value const is_large = greater_equal(mean, mean.like(10));
        ad::value const small_n = chosen(either(is_large, negated(makes_sense)), zero, n), odds = q / (1.0 - q);
        ad::value const first = exp(small_n * ad::unary(op::log1p, q * -1.0));
        ad::value const by_inversion = drawn_by_inversion(from, first, small_n * odds, odds);
        ad::value const by_rejection = drawn_by_rejection(from.with_key(from.derived_key(1).id()), is_large,
                                                          chosen(is_large, n, n.like(100)), chosen(is_large, q, q.like(0.5)));
        ad::value const count = chosen(is_large, by_rejection, by_inversion);
        return or_invalid(makes_sense, chosen(is_flipped, n - count, count));
    }

private:
    TRACEXPR_ONCE static constexpr ad::value drawn_by_rejection(random_source const& from, ad::value const& pending,
                                                                ad::value const& n, ad::value const& q) {
        ad::value const deviation = sqrt(n * q * (1.0 - q)), b = deviation * 2.53 + 1.15, odds = q / (1.0 - q);
        ad::value const a = b * 0.0248 + q * 0.01 - 0.0873, mode = ad::unary(op::floor, (n + 1.0) * q);
        transformed_rejection const rejection{a, b, n * q + 0.5, 0.92 - 4.2 / b, (5.1 / b + 2.83) * deviation};
        ad::value const of_mode =
            (mode + 0.5) * log((mode + 1.0) / (odds * (n - mode + 1.0))) + stirling_rest(mode) + stirling_rest(n - mode);
        return rejection.draw(from, pending, [&](auto const& into, ad::value const& drawn) {
            ad::value const here_n = into(n), k = minimum_of(drawn, here_n), rest = here_n - k;
            ad::value const middle = (here_n + 1.0) * log((here_n - into(mode) + 1.0) / (rest + 1.0));
            ad::value const odds_of_k = into(of_mode) + middle + (k + 0.5) * log(into(odds) * (rest + 1.0) / (k + 1.0)) -
                                        stirling_rest(k) - stirling_rest(rest);
            return chosen(greater(drawn, here_n), odds_of_k.like(-std::numeric_limits<double>::infinity()), odds_of_k);
        });
    }
};

// Draws ceil(log(u) / log(1 - p)), the number of trials up to the first success, which is at least 1.
struct geometric_builder : count_builder {
    static constexpr char const* called = "geometric";
    static constexpr std::size_t least = 1, most = 1;
    TRACEXPR_ONCE static constexpr ad::value draw(random_source const& from, dtype, table_view<ad::value> p) {
        ad::value const q = fixed(p[0]), u = log(from.fine_unit(dtype::float64, 0));
        ad::value const trials = ad::unary(op::ceil, u / ad::unary(op::log1p, q * -1.0));
        ad::value const makes_sense = logical_and(greater(q, q.like(0)), less_equal(q, q.like(1)));
        return or_invalid(makes_sense, maximum_of(trials, trials.like(1)));
    }
};

// count_recipe is a recipe of counts over T; integers have -1 in place of NaN.
template <class Builder> constexpr ad::value draw_counts(random_draw const& d) {
    if (is_floating(d.type)) return draw_built<Builder>(d);
    random_draw counts = d;
    counts.type = dtype::float64;
    ad::value const x = draw_built<Builder>(counts);
    return chosen(ad::unary(op::isnan, x), x.like(-1), x);
}
template <class Builder, class T> struct count_recipe : built_recipe<Builder, T> {
    static constexpr draw_rule draw = draw_counts<Builder>;
};

} // namespace tx::detail
