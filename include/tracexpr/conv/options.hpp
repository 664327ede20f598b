// This file has the options of convolutions and pools: tags that stand in a call in any order, and the one plain struct that they
// make.
#pragma once

#include <tracexpr/trace/channels.hpp>
#include <tracexpr/trace/joining.hpp>

#include <cstdint>
#include <type_traits>

namespace tx {

template <std::int64_t... Steps> struct stride_t {};
template <std::int64_t... Steps> struct dilation_t {};
template <std::int64_t Count> struct groups_t {};
template <std::int64_t... Extents> struct output_extents_t {};
// This option tells how far a window moves from one result to the next, with one number for each spatial axis or one for all:
// tx::stride<2, 2>.
template <std::int64_t... Steps> inline constexpr stride_t<Steps...> stride{};
// This option tells the distance between neighbouring elements of a window, with one number for each spatial axis or one for all:
// tx::dilation<2, 2>.
template <std::int64_t... Steps> inline constexpr dilation_t<Steps...> dilation{};
// This option splits channels and filters into that many groups, each of which sees nothing of the others: tx::groups<4>.
template <std::int64_t Count> inline constexpr groups_t<Count> groups{};
// This option gives the spatial extents of the result of tx::conv_transpose or tx::max_unpool, which their arguments leave open.
template <std::int64_t... Extents> inline constexpr output_extents_t<Extents...> output_extents{};
// This option makes tx::average_pool count the elements of the padding in its means.
enum count_padding_t { count_padding };
// This option gives a pool a last window even where only a part of it lies within the operand: extents are rounded up.
enum ceil_mode_t { ceil_mode };

namespace mode {

// This mode has only windows that lie wholly within the operand.
enum valid_t { valid };
// In this mode the operand is padded so that there is one result for each step; if the number of padding elements is odd, the
// last one goes to the end.
enum same_t { same };
// This mode has all windows that overlap the operand in at least one element.
enum full_t { full };

} // namespace mode

namespace detail {

inline constexpr int most_spatial_axes = 3;
enum class window_mode { valid, same, full, widths };
// These bits of window_options::given tell which options a call has given.
namespace window_option {
enum : unsigned {
    stride = 1,
    dilation = 2,
    groups = 4,
    output_extents = 8,
    mode = 16, // padding in any form: a tag of tx::mode, or tx::widths
    channels = 32,
    count_padding = 64,
    ceil_mode = 128,
};
}

// axis_numbers holds the numbers that a call gives for its spatial axes: none, one for all, or one for each.
struct axis_numbers {
    std::int64_t value[most_spatial_axes]{};
    int count = 0;

    constexpr void push_back(std::int64_t number) {
        if (count < most_spatial_axes) value[count] = number;
        ++count;
    }
    TRACEXPR_ONCE constexpr bool fits(int spatial, std::int64_t least) const {
        for (int k = 0; k < count && k < most_spatial_axes; ++k)
            if (value[k] < least) return false;
        return count <= most_spatial_axes && (spatial < 0 || count <= 1 || count == spatial);
    }
};

// window_options is what a call says about its windows. Numbers are in the order of the spatial axes; those that are not given
// are 1 for stride and dilation, and 0 for padding and output extents. `given` tells which options the call has given.
struct window_options {
    int spatial = -1; // the number of spatial axes; -1 while it is unknown
    std::int64_t stride[most_spatial_axes]{1, 1, 1}, dilation[most_spatial_axes]{1, 1, 1};
    std::int64_t before[most_spatial_axes]{}, after[most_spatial_axes]{}; // for window_mode::widths
    std::int64_t output_extents[most_spatial_axes]{};
    window_mode mode = window_mode::valid;
    bool channels_first = false, count_padding = false, ceil_mode = false;
    std::int64_t groups = 1;
    unsigned given = 0;
    char const* problem = nullptr; // what doesn't fit, or null

    constexpr bool has(unsigned options) const { return (given & options) != 0; }
    // Gives the axis of x or of the result, which have rank spatial + 2, for spatial axis k.
    constexpr int axis(int k) const { return k + (channels_first ? 2 : 1); }
    constexpr int channel_axis() const { return channels_first ? 1 : spatial + 1; }
};

// given_options is what the tags of a call say before the number of spatial axes is known.
struct given_options {
    axis_numbers stride, dilation, output_extents, before, after;
    window_mode mode = window_mode::valid;
    bool channels_first = false;
    std::int64_t groups = 1;
    unsigned given = 0, repeated = 0;
    bool has_pairs = true; // Each tx::widths has one number or two.

    constexpr void mark(unsigned option) {
        repeated |= given & option;
        given |= option;
    }
    TRACEXPR_ONCE constexpr void choose(window_mode chosen) {
        bool const goes_on = chosen == window_mode::widths && mode == window_mode::widths;
        if (!goes_on) mark(window_option::mode);
        mode = chosen;
    }
};
template <std::int64_t... N> constexpr void take_option(given_options& o, stride_t<N...>) {
    o.mark(window_option::stride);
    (o.stride.push_back(N), ...);
}
template <std::int64_t... N> constexpr void take_option(given_options& o, dilation_t<N...>) {
    o.mark(window_option::dilation);
    (o.dilation.push_back(N), ...);
}
template <std::int64_t... N> constexpr void take_option(given_options& o, output_extents_t<N...>) {
    o.mark(window_option::output_extents);
    (o.output_extents.push_back(N), ...);
}
template <std::int64_t N> constexpr void take_option(given_options& o, groups_t<N>) {
    o.mark(window_option::groups);
    o.groups = N;
}
template <std::int64_t... N> constexpr void take_option(given_options& o, widths_t<N...>) {
    constexpr std::int64_t given[]{N..., 0};
    constexpr std::size_t count = sizeof...(N);
    o.choose(window_mode::widths);
    o.has_pairs = o.has_pairs && (count == 1 || count == 2);
    o.before.push_back(given[0]);
    o.after.push_back(given[count == 2]);
}
constexpr void take_option(given_options& o, mode::valid_t) { o.choose(window_mode::valid); }
constexpr void take_option(given_options& o, mode::same_t) { o.choose(window_mode::same); }
constexpr void take_option(given_options& o, mode::full_t) { o.choose(window_mode::full); }
constexpr void take_option(given_options& o, channels_first_t) {
    o.mark(window_option::channels);
    o.channels_first = true;
}
constexpr void take_option(given_options& o, channels_last_t) { o.mark(window_option::channels); }
constexpr void take_option(given_options& o, count_padding_t) { o.mark(window_option::count_padding); }
constexpr void take_option(given_options& o, ceil_mode_t) { o.mark(window_option::ceil_mode); }

template <class T> inline constexpr bool is_window_option = requires(given_options& o, T tag) { take_option(o, tag); };
// window_option_tag is an argument that says something about windows: tx::stride<2>, tx::mode::same, tx::channels_first, ...
template <class T> concept window_option_tag = (std::is_empty_v<T> || std::is_enum_v<T>) && is_window_option<T>;

TRACEXPR_ONCE constexpr char const* options_problem(given_options const& o, int spatial, unsigned allowed) {
    namespace option = window_option;
    if (o.repeated) return "takes each option once; padding is one of tx::mode::valid, same, full and tx::widths";
    if (o.given & ~allowed & option::groups) return "takes no tx::groups";
    if (o.given & ~allowed & option::output_extents) return "takes no tx::output_extents";
    if (o.given & ~allowed & option::count_padding) return "takes no tx::count_padding; it is an option of average pools";
    if (o.given & ~allowed & option::ceil_mode) return "takes no tx::ceil_mode; it is an option of pools";
    if (o.given & ~allowed & option::dilation) return "takes no tx::dilation";
    if (o.given & ~allowed & option::stride) return "takes no tx::stride";
    if (o.given & ~allowed & option::mode) return "takes no padding";
    if (o.given & ~allowed & option::channels) return "takes no order of channels";
    if (!o.stride.fits(spatial, 1)) return "tx::stride needs one number of at least 1, or one for each spatial axis";
    if (!o.dilation.fits(spatial, 1)) return "tx::dilation needs one number of at least 1, or one for each spatial axis";
    if (!o.output_extents.fits(spatial, 0)) return "tx::output_extents needs one number for each spatial axis";
    if (!o.has_pairs) return "tx::widths needs one width or a pair, for all spatial axes or one tx::widths for each";
    if (!o.before.fits(spatial, 0) || !o.after.fits(spatial, 0))
        return "padding needs one tx::widths, none of them negative, or one for each spatial axis";
    return o.groups < 1 ? "tx::groups needs a number of at least 1" : nullptr;
}
// Gives the options of a call for that many spatial axes. While a type leaves the rank open, spatial is -1, and of numbers for
// each axis it is only known that they may fit. `allowed` has the bits of the options that the function takes.
TRACEXPR_ONCE constexpr window_options options_for(given_options const& o, int spatial, unsigned allowed) {
    window_options out;
    out.spatial = spatial;
    out.problem = options_problem(o, spatial, allowed);
    if (out.problem == nullptr && spatial > most_spatial_axes) out.problem = "takes one to three spatial axes";
    auto const spread = [](std::int64_t(&to)[most_spatial_axes], axis_numbers const& from) {
        for (int k = 0; k < most_spatial_axes && from.count > 0; ++k) to[k] = from.value[from.count == 1 ? 0 : k];
    };
    spread(out.stride, o.stride);
    spread(out.dilation, o.dilation);
    spread(out.output_extents, o.output_extents);
    spread(out.before, o.before);
    spread(out.after, o.after);
    out.mode = o.mode;
    out.channels_first = o.channels_first;
    out.groups = o.groups;
    out.given = o.given;
    out.count_padding = out.has(window_option::count_padding);
    out.ceil_mode = out.has(window_option::ceil_mode);
    return out;
}
template <class... Options> constexpr given_options given_options_of() {
    given_options out;
    (take_option(out, Options{}), ...);
    return out;
}

// axis_padding holds the numbers of elements that are added before and after an axis.
struct axis_padding {
    std::int64_t before = 0, after = 0;
};
// Gives the reach of a window: its elements and the gaps between them.
constexpr std::int64_t reach_of(std::int64_t window, std::int64_t dilation) {
    return window == 0 ? 0 : (window - 1) * dilation + 1;
}
// Tells whether the call alone gives the padding of axis k. With window_mode::same and a stride above 1 the padding depends on
// the extent.
constexpr bool padding_is_known(window_options const& o, int k, std::int64_t extent) {
    return o.mode != window_mode::same || o.stride[k] == 1 || extent != dyn;
}
// Gives the padding of axis k for windows of that reach; the extent is read where padding_is_known needs it. In ceil mode more
// elements are added at the end, so that what is left over has a window, too, if one begins within x and the padding before it.
TRACEXPR_ONCE constexpr axis_padding padding_of(window_options const& o, int k, std::int64_t extent, std::int64_t reach) {
    std::int64_t const step = o.stride[k];
    if (o.mode == window_mode::same) {
        std::int64_t const last =
            step == 1 ? -1 : (extent + step - 1) / step * step - step - extent; // The last window's start - extent.
        std::int64_t const total = last + reach > 0 ? last + reach : 0;
        return {total / 2, total - total / 2};
    }
    axis_padding out{o.before[k], o.after[k]};
    if (o.mode == window_mode::full) out = {reach - 1, reach - 1};
    if (o.ceil_mode) out.after = out.after + step <= reach ? out.after + step - 1 : reach - 1;
    return out;
}
// Gives the number of windows of that reach along axis k, or dyn for an extent that only the run knows.
TRACEXPR_ONCE constexpr std::int64_t window_count(window_options const& o, int k, std::int64_t extent, std::int64_t reach) {
    if (extent == dyn) return dyn;
    std::int64_t const step = o.stride[k];
    if (o.mode == window_mode::same) return (extent + step - 1) / step;
    axis_padding const p = padding_of(o, k, extent, reach);
    std::int64_t const room = extent + p.before + p.after - reach;
    return room < 0 ? 0 : room / step + 1;
}

} // namespace detail
} // namespace tx
