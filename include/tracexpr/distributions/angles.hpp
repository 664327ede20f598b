// This file has von Mises's distribution of angles about a mean.
#pragma once

#include <tracexpr/distributions/source.hpp>

#include <limits>

namespace tx::detail {

// This follows D. Best and N. Fisher, Efficient simulation of the von Mises distribution (1979), in double: candidates are
// wrapped Cauchy numbers, of which at most one in three is refused. With 1 - w = (s - 1) (1 - z) / (s + z) angles near 0 keep all
// their digits. Only the mean has derivatives.
struct von_mises_builder {
    static constexpr char const* called = "von_mises";
    static constexpr std::size_t least = 2, most = 2;
    static constexpr double pi = 3.14159265358979323846264338327950288;
    static constexpr bool is_of(dtype type) { return is_floating(type) && primal(type) == type; }
    static constexpr dtype number(dtype) { return dtype::float64; }

    TRACEXPR_ONCE static constexpr ad::value draw(random_source const& from, dtype, table_view<ad::value> p) {
        ad::value const kappa = from.spread(fixed(p[1])), makes_sense = greater_equal(kappa, kappa.like(0));
        // Below 1e-9 the angles are uniform, and above 1e12 their distribution has no width.
        ad::value const k = minimum_of(maximum_of(chosen(makes_sense, kappa, kappa.like(1)), kappa.like(1e-9)), kappa.like(1e12));
        ad::value const minus = less_than(cast(from.bits(dtype::uint32, 0), dtype::float64), k.like(0x1p31));
        ad::value const half = half_versine(from, k), size = ad::unary(op::asin, sqrt(minimum_of(half, half.like(1)))) * 2.0;
        ad::value const angle = p[0] + chosen(minus, size * -1.0, size);
        ad::value const turns = ad::unary(op::floor, fixed(angle) / (2 * pi) + 0.5);
        return chosen(makes_sense, angle - turns * (2 * pi), angle.like(std::numeric_limits<double>::quiet_NaN()));
    }

private:
    // Draws (1 - cos(angle)) / 2. With r = 1 + sqrt(1 + 4 k^2), s is r / (2 k), and s - 1 = (1 + sqrt(1 + 4 k^2) - 2 k) / (2 k)
    // is computed without cancellation, by 1 / (sqrt(1 + 4 k^2) + 2 k).
    TRACEXPR_ONCE static constexpr ad::value half_versine(random_source const& from, ad::value const& k) {
        ad::value const root = sqrt(square(k) * 4.0 + 1.0);
        ad::value const s = (root + 1.0) / (k * 2.0), over = (1.0 / (root + k * 2.0) + 1.0) / (k * 2.0);
        ad::value const start = k * 0.0, all = greater_equal(start, start);
        return drawn_until_accepted(from.with_key(from.derived_key().id()), all, start,
                                    [&](random_source const& now, auto const& into) {
                                        ad::value const turn = now.unit(dtype::float64, 0), v = now.fine_unit(dtype::float64, 1);
                                        ad::value const z = cos(turn * pi), less = square(sin(turn * (pi / 2))); // (1 - z) / 2
                                        ad::value const below = into(over) * less / (into(s) + z);               // (1 - w) / 2
                                        // y = k (s - w)
                                        ad::value const y = into(k) * (into(over) + below * 2.0);
                                        ad::value const quick = greater(y * (2.0 - y), v);
                                        return std::pair(below, either(quick, greater_equal(log(y / v) + 1.0, y)));
                                    });
    }
};

} // namespace tx::detail
