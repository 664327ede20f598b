// tx::nn::rotary_embedding encodes positions by rotating pairs of features.
#pragma once

#include <tracexpr/nn/building.hpp>

namespace tx {

// This option of tx::nn::rotary_embedding says that the features of a pair are adjacent, instead of one in each half.
enum interleaved_t { interleaved };

namespace nn {

// The angle of the slowest pair is about 1 / base times that of the fastest one.
struct rotary_options {
    double base = 10000;
};

} // namespace nn
namespace detail {

TRACEXPR_ONCE constexpr char const* rotary_problem(builder_specs given) {
    if (!are_real(given)) return "takes real numbers";
    dims const x = given[0].shape, places = given[1].shape;
    if (x.rank >= 0 && x.rank < 2) return "x must have an axis of places and one of features, (..., n, d)";
    if (x.rank >= max_rank) return "x has at most 7 axes";
    if (x.rank < 0) return nullptr;
    if (last_extent(x) != dyn && last_extent(x) % 2 != 0) return "the features must be even in number";
    if (places.rank < 0) return nullptr;
    dims rows = x;
    --rows.rank;
    bool fits = places.rank <= rows.rank;
    for (int a = 1; fits && a <= places.rank; ++a)
        fits = last_extent(places, a) == 1 || agree(last_extent(places, a), last_extent(rows, a));
    return fits ? nullptr : "the positions must broadcast to the axes of x but the last";
}
// (x1, x2) becomes (x1 cos - x2 sin, x2 cos + x1 sin); the angle of pair k of d / 2 is position / base^(2 k / d).
TRACEXPR_ONCE constexpr node_id record_rotary(lowering& low, node_id const* operands, bool side_by_side) {
    layer_nodes on(low);
    dtype const type = computed_dtype(low.type(operands[0]));
    node_id const x = low.as(operands[0], type);
    int const axis = low.rank(x) - 1, pair = side_by_side ? axis + 1 : axis;
    std::int64_t const d = low.extent(x, axis), half = d == dyn ? dyn : d / 2;
    node_id const pairs = on.split(x, axis, side_by_side ? attribute_list(half, 2) : attribute_list(2, half));
    node_id const first = low.squeeze(low.slice(pairs, pair, 0, 1), pair);
    node_id const second = low.squeeze(low.slice(pairs, pair, 1, 2), pair);
    node_id const number = low.as(low.iota_like<std::int64_t>(first, axis), type);
    node_id const part = on.divide(number, on.count(first, attribute_list(axis)));
    node_id const frequency =
        low.append(op::exp, low.append(op::negative, on.multiply(part, low.append(op::log, low.as(operands[2], type)))));
    node_id const angle = on.multiply(low.expand(low.as(operands[1], type), low.rank(operands[1])), frequency);
    node_id const c = low.append(op::cos, angle), s = low.append(op::sin, angle);
    node_id const rotated[]{low.expand(on.subtract(on.multiply(first, c), on.multiply(second, s)), pair),
                            low.expand(on.add(on.multiply(second, c), on.multiply(first, s)), pair)};
    return on.merge(low.concatenate(rotated, pair), axis);
}
template <bool SideBySide> struct rotary_builder {
    static constexpr char const* called = "rotary_embedding";
    static constexpr char const* problem(builder_specs given) { return rotary_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[0].type)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_rotary(low, operands, SideBySide)};
    }
};

} // namespace detail

namespace nn {
inline namespace TRACEXPR_CALLS {

// Rotates each pair of features of x (..., n, d) by an angle that is proportional to the position: positions are (n), or
// broadcast to (..., n). Pair k is features k and k + d / 2, or 2 k and 2 k + 1 with tx::interleaved. Products of a query and a
// key then depend only on differences of positions. Su et al., RoFormer (2021), section 3.2.2.
template <array_operand X, operand P>
[[nodiscard]] constexpr auto rotary_embedding(X const& x, P const& positions, rotary_options options = {}) {
    constexpr bool fits = detail::built_problem<detail::rotary_builder<false>, X, P, double> == nullptr;
    static_assert(fits, "tx: rotary_embedding: takes real x (..., n, d), where d is even, and positions (n)");
    return detail::apply_if<fits>(detail::built_fn<detail::rotary_builder<false>>{}, x, positions, options.base);
}
template <array_operand X, operand P>
[[nodiscard]] constexpr auto rotary_embedding(X const& x, P const& positions, interleaved_t, rotary_options options = {}) {
    constexpr bool fits = detail::built_problem<detail::rotary_builder<true>, X, P, double> == nullptr;
    static_assert(fits, "tx: rotary_embedding: takes real x (..., n, d), where d is even, and positions (n)");
    return detail::apply_if<fits>(detail::built_fn<detail::rotary_builder<true>>{}, x, positions, options.base);
}

} // namespace TRACEXPR_CALLS
} // namespace nn
} // namespace tx
