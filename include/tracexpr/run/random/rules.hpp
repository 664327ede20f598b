// This file has the rules by which the distributions of the core make numbers of random bits. A rule is a composition of ops, so
// that it fuses with what surrounds it and has derivatives with respect to its parameters. Noise is made in float, or in double
// for double; 16-bit floats are rounded from it, and the dual parts of dual numbers come from their parameters alone.
#pragma once

#include <tracexpr/run/random/source.hpp>
#include <tracexpr/trace/extents.hpp>

#include <limits>

namespace tx::detail {

// Gives numbers x in [0, 1), in steps that `type` represents exactly.
TRACEXPR_ONCE constexpr ad::value unit_interval(random_draw const& d) {
    if (!tx::is_small_float(d.type)) return d.from.unit(d.noise(), 0);
    bool const is_half = d.type == dtype::float16;
    ad::value const bits = random_source::shifted(d.from.bits(dtype::uint32, 0), is_half ? 21 : 24);
    return cast(bits, dtype::float32) * (is_half ? 0x1p-11 : 0x1p-8);
}
// Gives numbers in (0, 1).
TRACEXPR_ONCE constexpr ad::value fine_open_unit(random_source const& from, dtype noise) {
    ad::value const u = from.fine_unit(noise, 0);
    return minimum_of(u, u.like(noise == dtype::float32 ? 1 - 0x1p-24 : 1 - 0x1p-53));
}
// Makes exponential numbers that are precise near 0, too. Their logarithms are Gumbel's numbers, of which no tail is cut before a
// probability of 2^-32 or 2^-64.
TRACEXPR_ONCE constexpr ad::value fine_exponential(random_source const& from, dtype noise) {
    return -ad::unary(op::log1p, -fine_open_unit(from, noise));
}

// Computes the inverse of erf for |x| <= 0.995 (float), 0.999 (double) by the central polynomials of Giles, "Approximating the
// erfinv function" (GPU Computing Gems, 2011).
TRACEXPR_ONCE constexpr ad::value central_erfinv(ad::value const& x) {
    constexpr double single[]{2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
                              -0.00125372503f, -0.00417768164f, 0.246640727f,    1.50140941f};
    constexpr double twice[]{
        -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
        -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
        -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
        1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
        -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
        -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
    bool const is_single = x.type() == dtype::float32;
    table_view<double> const coefficients = is_single ? table_view<double>(single) : table_view<double>(twice);
    ad::value const w = -log((1.0 - x) * (1.0 + x)) - (is_single ? 2.5 : 3.125);
    ad::value out = x.like(coefficients[0]);
    for (std::size_t k = 1; k < coefficients.size(); ++k) out = ad::record(op::fma, {out, w, x.like(coefficients[k])});
    return x * out;
}

// Returns the number of d.type before x once it is rounded to that dtype; close to 0, one of the two before. (Rump, Zimmermann,
// Boldo and Melquiond, Computing predecessor and successor in rounding to nearest, 2009, algorithm 1)
TRACEXPR_ONCE constexpr ad::value number_before(random_draw const& d, ad::value const& x) {
    auto const before = [&]<class T>(T) {
        using limits = std::numeric_limits<T>;
        double const half_epsilon = 0.5 * static_cast<double>(limits::epsilon());
        ad::value const scaled = ad::unary(op::absolute, x) * (half_epsilon * (1 + 2 * half_epsilon));
        return x - (scaled + static_cast<double>(limits::denorm_min()));
    };
    switch (primal(d.type)) {
    case dtype::float16: return before(half{});
    case dtype::bfloat16: return before(bfloat16{});
    case dtype::float32: return before(float{});
    default: return before(double{});
    }
}
TRACEXPR_ONCE constexpr ad::value draw_uniform(random_draw const& d) {
    if (d.count() == 0) return unit_interval(d);
    ad::value const u = d.as(d.from.unit(d.noise(), 0), d.number());
    auto const bound = [&](std::size_t k) { // rounded to the dtype of the result
        bool const by_float = d.is_number(k) && tx::is_small_float(d.type);
        ad::value const given = by_float ? d.as(d.given[k], dtype::float32) : d.given[k];
        return d.spread(d.as(d.as(given, d.type), d.number()));
    };
    ad::value const first = bound(0), end = bound(1);
    // Bounds may be further apart than the largest number.
    ad::value const scale = chosen(ad::unary(op::isfinite, end - first), u.like(1), u.like(0.5));
    ad::value const low = first * scale;
    ad::value const drawn = cast(ad::record(op::fma, {u, end * scale - low, low}) * (1.0 / scale), d.type);
    ad::value const last = chosen(less_than(first, end), maximum_of(number_before(d, end), first), end);
    return chosen(equal(drawn, d.as(end, d.type)), d.as(last, d.type), drawn); // rounding sometimes gives the end
}
// Makes normal numbers by Box and Muller (1958), of whose two numbers one is used. The tails end where (0, 1] does: at 6.8 for
// float, 9.5 for double.
TRACEXPR_ONCE constexpr ad::value draw_normal(random_draw const& d) { return d.located(d.from.normal(d.noise(), 0)); }
// Draws normal numbers within two deviations of the mean, by the inverse of their cumulative distribution function.
TRACEXPR_ONCE constexpr ad::value draw_truncated_normal(random_draw const& d) {
    constexpr double within = 0.95449973610364158559943472566693; // erf(sqrt(2))
    constexpr float single = static_cast<float>(within);
    ad::value const u = d.from.unit(d.noise(), 0);
    double const least = d.noise() == dtype::float32 ? static_cast<double>(-single + 0x1p-24f) : -within + 0x1p-53;
    ad::value const centred = ad::record(op::fma, {u, u.like(2 * within), u.like(least)});
    return d.located(central_erfinv(centred) * 1.4142135623730950488016887242097);
}
TRACEXPR_ONCE constexpr ad::value draw_exponential(random_draw const& d) {
    ad::value const standard = 0.0 - log(d.from.fine_unit(d.noise(), 0)); // -log(1) would be -0
    return d.count() == 0 ? standard : d.as(standard, d.number()) * d.parameter(0, d.number());
}

// Draws gamma numbers by Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for alpha + 3; by Stuart's
// theorem they are multiplied by three powers of uniform numbers. At alpha + 3 at most one in 80 of the cubes of normal numbers
// is rejected. If all four candidates are, once in 4e7, the mode is used. The derivative with respect to alpha is that of the
// candidate used, as if none were rejected.
TRACEXPR_ONCE constexpr ad::value draw_gamma(random_draw const& d) {
    constexpr std::uint32_t candidates = 4, raised = 3, powers_from = 3; // powers_from: their first stream
    dtype const noise = d.noise(), bits = random_source::bits_for(noise), type = d.number();
    auto const stacked = [&](std::uint32_t stream) { return d.from.stacked_bits(bits, stream, candidates); };
    ad::value const a = d.parameter(0, type), scale = a + (raised - 1.0 / 3);
    ad::value power = d.as(log(d.from.fine_unit(noise, powers_from)), type) / a;
    for (std::uint32_t k = 1; k < raised; ++k)
        power = power + d.as(log(d.from.fine_unit(noise, powers_from + k)), type) / (a + static_cast<double>(k));
    // Rejected candidates are -1.
    ad::value const normal = random_source::normal(stacked(0), stacked(1)), x = d.as(normal, type);
    ad::value const side = ad::record(op::fma, {x, 1.0 / sqrt(scale * 9.0), x.like(1)}), cube = side * side * side;
    ad::value const u = d.as(log(random_source::fine_unit(stacked(2))), type), square = d.as(normal * normal, type);
    ad::value const bound = ad::record(op::fma, {square, square.like(0.5), scale * ((1.0 - cube) + log(cube))});
    ad::value const passes = logical_and(greater(side, side.like(0)), less_than(u, bound));
    ad::value const all = chosen(passes, cube, cube.like(-1));
    ad::value accepted = all.like(1); // the mode
    for (std::int64_t k = candidates; k-- > 0;) {
        ad::value const one = ad::unary(op::squeeze, slice(all, 0, k, k + 1), attribute_list(0));
        accepted = chosen(greater(one, one.like(0)), one, accepted);
    }
    return scale * accepted * exp(power);
}

// Draws booleans by a comparison with all bits of a float, or of a double if the probability is a double.
TRACEXPR_ONCE constexpr ad::value draw_bernoulli(random_draw const& d) {
    if (d.count() == 0) {
        ad::value const bits = d.from.bits(dtype::uint32, 0);
        return less_than(bits, bits.like(0x1p31));
    }
    bool const is_fine = !d.is_number(0) && primal(d.given[0].type()) == dtype::float64;
    dtype const noise = is_fine ? dtype::float64 : dtype::float32;
    return less_than(fine_open_unit(d.from, noise), d.parameter(0, noise));
}

// Draws lo + floor(bits (hi - lo) / 2^64). With so many bits each probability is right to one in 2^32 for 32-bit ranges.
TRACEXPR_ONCE constexpr ad::value draw_randint(random_draw const& d) {
    ad::value const first = d.parameter(0, dtype::uint64), span = d.parameter(1, dtype::uint64) - first;
    ad::value const all = d.from.bits(dtype::uint64, 0);
    auto const high_half = [](ad::value const& x) { return random_source::shifted(x, 32); };
    auto const low_half = [](ad::value const& x) { return ad::record(op::bitwise_and, {x, x.like(0xffffffff)}); };
    ad::value const high = high_half(all), low = low_half(all);
    if (size_in_bytes(d.type) <= 4) return first + high_half(high * span + high_half(low * span));
    ad::value const a = high_half(span), b = low_half(span); // four products of halves, as Knuth's TAOCP 4.3.1 M
    ad::value const middle = high * b + high_half(low * b), other = low * a + low_half(middle);
    return first + high * a + high_half(middle) + high_half(other);
}

TRACEXPR_ONCE constexpr ad::value draw_bits(random_draw const& d) { return d.from.bits(d.type, 0); }
TRACEXPR_ONCE constexpr ad::value draw_keys(random_draw const& d) { return d.from.bits(dtype::uint64, split_stream); }
TRACEXPR_ONCE constexpr ad::value draw_permutation(random_draw const& d) { return d.from.places(); }
// The number is combined with 64 bits drawn from the key, not with the key itself: else keys made from neighbouring numbers would
// coincide.
TRACEXPR_ONCE constexpr ad::value draw_folded_key(random_draw const& d) {
    ad::value const own = d.from.bits(dtype::uint64, fold_stream);
    ad::value const mixed = ad::record(op::bitwise_xor, {own, d.as(d.given[0], dtype::uint64)});
    return d.from.with_key(mixed.id()).bits(dtype::uint64, fold_stream);
}

// Draws classes by Gumbel (1954): if noise -log(-log(u)) is added to each logit, the class of the largest sum has the probability
// that the logits give it.
TRACEXPR_ONCE constexpr ad::value draw_classes(random_draw const& d) {
    dtype const noise = primal(d.told.type()) == dtype::float64 ? dtype::float64 : dtype::float32;
    lowering(d.from.scope()).require_rank(op::argmax, d.told.id());
    ad::value const noisy = d.as(d.told, noise) - log(fine_exponential(d.from, noise));
    return ad::unary(op::argmax, noisy, attribute_list(0, noisy.rank() - 1));
}

// This is inverted dropout: kept elements are scaled up by the reciprocal of the probability that they are kept. A probability
// that is none gives NaN; one that was given as a number has been checked.
TRACEXPR_ONCE constexpr ad::value where_kept(ad::value const& is_kept, ad::value const& x, ad::value const& share) {
    ad::value const zero = share.like(0);
    if (share.code() == op::literal) return chosen(is_kept, x / share, zero);
    ad::value const makes_sense = logical_and(greater_equal(share, zero), less_equal(share, share.like(1)));
    return chosen(is_kept, x / chosen(makes_sense, share, share.like(std::numeric_limits<double>::quiet_NaN())), zero);
}
TRACEXPR_ONCE constexpr ad::value draw_dropout(random_draw const& d) {
    return where_kept(draw_bernoulli(d), d.as(d.told, d.type), d.as(d.given[0], d.type));
}

// Draws the parts of x along its first axis in another order.
TRACEXPR_ONCE constexpr ad::value draw_shuffled(random_draw const& d) {
    trace_scope& scope = d.from.scope();
    lowering low(scope);
    node_id const x = d.told.id();
    low.require_rank(op::take, x);
    if (low.rank(x) == 0) throw shape_error("tx: shuffle: x must have an axis; given ()");
    told_shape to{dims{{low.extent(x, 0)}, 1}};
    if (to.shape[0] == dyn) {
        node_id const number[]{counter(scope).elements(x, attribute_list(0))};
        to = record_shape("shuffle", scope, to.shape, number);
        if (to.like == node_id::none) to.like = record_full(low, to, low.literal(false));
    }
    ad::value const places = random_source(scope, d.from.key(), to.shape, to.like).places();
    return ad::record(op::take, {d.told, places}, attribute_list(0));
}

} // namespace tx::detail
