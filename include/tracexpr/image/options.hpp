// These options of the image functions say how coordinates of the result map to coordinates of the operand, how values between
// pixels are interpolated, and what lies beyond the border.
#pragma once

#include <tracexpr/trace/channels.hpp>
#include <tracexpr/trace/interpolation_kinds.hpp>
#include <tracexpr/trace/joining.hpp>

#include <type_traits>

namespace tx {

// This is the default: pixel i is centred at i + 1/2, and both images have the same borders, so element i of m reads the place (i
// + 1/2) n / m - 1/2 of n.
enum half_pixel_t { half_pixel };
// Coordinates are those of tx::half_pixel, but a result of extent 1 shows the first element. (ONNX: pytorch_half_pixel)
enum pytorch_half_pixel_t { pytorch_half_pixel };
// The first elements of both images stand in the same place, and so do the last ones: element i of m reads the place i (n - 1) /
// (m - 1) of n.
enum align_corners_t { align_corners };
// The first elements of both images stand in the same place, and element i of m reads the place i n / m of n.
enum asymmetric_t { asymmetric };
// A result smaller than its operand averages all elements of the operand: the interpolation's kernel is widened by n / m.
enum antialias_t { antialias };

namespace detail {

enum class interpolation_kind { nearest, linear, cubic };
enum class coordinate_kind { half_pixel, pytorch_half_pixel, align_corners, asymmetric };
enum class border_kind { zeros, edge, reflect };
struct image_choices {
    interpolation_kind interpolation = interpolation_kind::linear;
    coordinate_kind coordinates = coordinate_kind::half_pixel;
    border_kind border = border_kind::zeros;
    bool antialias = false, channels_first = false;

    constexpr int axis(int k) const { return k + (channels_first ? 2 : 1); }
};
constexpr void take_image_option(image_choices& o, interpolation::nearest_t) { o.interpolation = interpolation_kind::nearest; }
constexpr void take_image_option(image_choices& o, interpolation::linear_t) { o.interpolation = interpolation_kind::linear; }
constexpr void take_image_option(image_choices& o, interpolation::cubic_t) { o.interpolation = interpolation_kind::cubic; }
constexpr void take_image_option(image_choices& o, half_pixel_t) { o.coordinates = coordinate_kind::half_pixel; }
constexpr void take_image_option(image_choices& o, pytorch_half_pixel_t) { o.coordinates = coordinate_kind::pytorch_half_pixel; }
constexpr void take_image_option(image_choices& o, align_corners_t) { o.coordinates = coordinate_kind::align_corners; }
constexpr void take_image_option(image_choices& o, asymmetric_t) { o.coordinates = coordinate_kind::asymmetric; }
constexpr void take_image_option(image_choices& o, edge_t) { o.border = border_kind::edge; }
constexpr void take_image_option(image_choices& o, reflect_t) { o.border = border_kind::reflect; }
constexpr void take_image_option(image_choices& o, antialias_t) { o.antialias = true; }
constexpr void take_image_option(image_choices& o, channels_first_t) { o.channels_first = true; }
constexpr void take_image_option(image_choices&, channels_last_t) {}

template <class T, class... Allowed> inline constexpr bool is_one_of = (std::is_same_v<T, Allowed> || ...);
template <class T> concept channel_tag = is_one_of<T, channels_first_t, channels_last_t>;
template <class T> concept resize_tag =
    channel_tag<T> || is_one_of<T, interpolation::nearest_t, interpolation::linear_t, interpolation::cubic_t, half_pixel_t,
                                pytorch_half_pixel_t, align_corners_t, asymmetric_t, antialias_t>;
template <class T> concept sampling_tag =
    channel_tag<T> || is_one_of<T, interpolation::nearest_t, interpolation::linear_t, interpolation::cubic_t, half_pixel_t,
                                align_corners_t, edge_t, reflect_t>;
template <class T> concept region_tag = channel_tag<T> || is_one_of<T, half_pixel_t, asymmetric_t>;
template <class... Options> constexpr image_choices image_choices_of() {
    image_choices out;
    (take_image_option(out, Options{}), ...);
    return out;
}
// image_extents holds the extents that a call gives in <>, at most three.
struct image_extents {
    int count = 0;
    std::int64_t value[3]{};
};
template <std::int64_t... Extents> constexpr image_extents extents_given() {
    image_extents out{static_cast<int>(sizeof...(Extents))};
    std::int64_t const given[]{Extents..., 0};
    for (int k = 0; k < out.count && k < 3; ++k) out.value[k] = given[k];
    return out;
}
TRACEXPR_ONCE constexpr bool are_image_extents(image_extents const& e) {
    if (e.count < 1 || e.count > 3) return false;
    for (int k = 0; k < e.count; ++k)
        if (e.value[k] < 1) return false;
    return true;
}

} // namespace detail
} // namespace tx
