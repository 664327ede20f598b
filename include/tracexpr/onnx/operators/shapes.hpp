// Records operators of ONNX that move elements, and those that read or change shapes.
#pragma once

#include <tracexpr/onnx/operators/extents.hpp>

namespace tx::onnx::detail {

inline dims dims_from(op_call const& c, std::vector<std::int64_t> const& extents) {
    if (extents.size() > std::size_t{max_rank}) c.fail("tensors have at most 8 axes");
    dims out;
    for (std::int64_t const e : extents) {
        if (e < 0) c.fail("an extent must not be negative");
        out.push_back(e);
    }
    return out;
}
// Returns the extents of x from axis `first` up to `last`, as a vector of int64.
inline node_id extents_of(op_call const& c, node_id x, int first, int last) {
    dims const d = c.shape(x);
    bool is_known = true;
    std::vector<std::int64_t> numbers;
    for (int a = first; a < last; ++a) is_known = is_known && d[a] != dyn, numbers.push_back(d[a]);
    if (is_known) return c.integers(numbers);
    buffer<node_id> parts;
    for (int a = first; a < last; ++a) {
        parts.push_back(c.low().expand(c.size_along(x, a), 0));
    }
    return c.low().concatenate(parts, 0);
}
inline void record_shape(op_call& c) {
    node_id const x = c[0];
    std::int64_t const rank = c.rank(x);
    auto const place = [&](std::int64_t p) { return std::clamp<std::int64_t>(p < 0 ? p + rank : p, 0, rank); };
    std::int64_t const start = place(c.integer("start", 0)), end = place(c.integer("end", rank));
    c.give(extents_of(c, x, static_cast<int>(start), static_cast<int>(std::max(start, end))));
}
inline void record_size(op_call& c) {
    dims const d = c.shape(c[0]);
    if (d.is_static()) return c.give(c.integer(d.size()));
    node_id const x = c[0];
    c.give(c.low().append(op::axis_size, dtype::int64, {&x, 1}));
}
// Records Reshape to extents some of which are known only when the program runs. If that is one, and none is -1, it follows from
// the number of elements.
inline node_id reshaped_to(op_call const& c, node_id x, asked_extents asked) {
    tx::detail::counter count(c.low().scope());
    bool const zero_is_zero = c.integer("allowzero", 0) != 0;
    std::size_t left = asked.numbers.size(), unknown = 0;
    node_id others = c.integer(1);
    for (std::size_t k = 0; k < asked.numbers.size(); ++k) {
        if (asked.known[k] == 0 && !zero_is_zero && static_cast<int>(k) < c.rank(x)) {
            asked.numbers[k] = c.size_along(x, static_cast<int>(k));
            asked.known[k] = c.extent(x, static_cast<int>(k));
            if (*asked.known[k] == dyn) asked.known[k].reset();
        }
        unknown += !asked.known[k];
        if (asked.known[k] == -1 && left < asked.numbers.size()) c.fail("at most one extent may be -1");
        if (asked.known[k] == -1) left = k;
        else if (asked.known[k] && *asked.known[k] < 0) c.fail("an extent must not be negative");
        else others = count.apply(op::multiply, others, asked.numbers[k]);
    }
    if (left == asked.numbers.size() && unknown == 1) {
        attribute_list target;
        for (auto const& k : asked.known) target.push_back(k ? *k : -1);
        return c.low().reshape(x, target);
    }
    if (left < asked.numbers.size()) asked.numbers[left] = count.quotient(count.elements(x, {}), others);
    return as_told(c, op::reshape, x, asked.numbers);
}
inline void record_reshape(op_call& c) {
    node_id const x = c[0];
    asked_extents asked;
    if (c.has(1)) asked = asked_extents_of(c, 1);
    else
        for (std::int64_t const e : c.integers("shape")) asked.known.push_back(e);
    if (!asked.are_known()) return c.give(reshaped_to(c, x, std::move(asked)));
    std::vector<std::int64_t> const wanted = asked.values();
    if (wanted.size() > std::size_t{max_rank}) c.fail("tensors have at most 8 axes");
    bool const zero_is_zero = c.integer("allowzero", 0) != 0;
    attribute_list target;
    dims known; // the known extents of the result
    for (std::size_t a = 0; a < wanted.size(); ++a) {
        std::int64_t const e = wanted[a];
        if (e < -1) c.fail("an extent must not be negative");
        if (e == 0 && !zero_is_zero && a >= static_cast<std::size_t>(c.rank(x)))
            c.fail("there is no axis whose extent could be kept");
        target.push_back(e == 0 && !zero_is_zero ? c.low().copied(x, static_cast<int>(a)) : e);
        known.push_back(target[a] < 0 ? dyn : target[a]);
    }
    c.require_possible(known);
    c.give(c.low().reshape(x, target));
}
inline void record_flatten(op_call& c) {
    node_id const x = c[0];
    std::int64_t axis = c.integer("axis", 1);
    if (axis < 0) axis += c.rank(x);
    if (axis < 0 || axis > c.rank(x)) c.fail("the axis lies outside");
    std::int64_t front = 1, back = 1;
    for (int a = 0; a < c.rank(x); ++a) {
        std::int64_t& to = a < axis ? front : back;
        to = to == dyn || c.extent(x, a) == dyn ? dyn : to * c.extent(x, a);
    }
    if (front == dyn && axis == 1) front = c.low().copied(x, 0);
    if (back == dyn && axis == c.rank(x) - 1) back = c.low().copied(x, c.rank(x) - 1);
    if (front == dyn && back == dyn) static_cast<void>(c.known_shape(x));
    c.give(c.low().reshape(x, attribute_list(front, back)));
}
inline void record_transpose(op_call& c) {
    node_id const x = c[0];
    std::vector<int> order;
    for (std::int64_t const a : c.integers("perm")) order.push_back(c.axis(a, c.rank(x)));
    if (order.empty())
        for (int a = c.rank(x); a-- > 0;) order.push_back(a);
    c.give(c.transpose(x, order));
}
inline std::vector<int> axes_given(op_call const& c, std::size_t operand, int rank) {
    std::vector<int> out;
    for (std::int64_t const a : c.has(operand) ? c.known_integers(operand) : c.integers("axes")) out.push_back(c.axis(a, rank));
    std::sort(out.begin(), out.end());
    return out;
}
inline void record_squeeze(op_call& c) {
    node_id const x = c[0];
    std::vector<int> axes = axes_given(c, 1, c.rank(x));
    if (axes.empty() && !c.has(1))
        for (int a = 0; a < c.rank(x); ++a)
            if (c.extent(x, a) == 1) axes.push_back(a);
    attribute_list all;
    for (int const a : axes) all.push_back(a);
    c.give(all.count ? c.append(op::squeeze, x, all) : x);
}
inline void record_unsqueeze(op_call& c) {
    node_id const x = c[0];
    std::size_t const added = c.has(1) ? c.known_integers(1).size() : c.integers("axes").size();
    attribute_list all;
    for (int const a : axes_given(c, 1, c.rank(x) + static_cast<int>(added))) all.push_back(a);
    c.give(all.count ? c.append(op::expand_dims, x, all) : x);
}
// If one extent is 1, the result has the other; else both are equal.
inline node_id expanded_to(op_call const& c, node_id x, asked_extents asked) {
    while (asked.numbers.size() < static_cast<std::size_t>(c.rank(x)))
        asked.numbers.insert(asked.numbers.begin(), c.integer(1)), asked.known.insert(asked.known.begin(), 1);
    int const added = static_cast<int>(asked.numbers.size()) - c.rank(x);
    for (int a = 0; a < c.rank(x); ++a) {
        auto const k = static_cast<std::size_t>(a + added);
        if (c.extent(x, a) == 1) continue;
        node_id const own = c.size_along(x, a);
        bool const has_own = c.extent(x, a) != dyn || asked.known[k] == 1;
        asked.numbers[k] = has_own ? own : c.choose(c.append(op::equal, own, c.integer(1)), asked.numbers[k], own);
    }
    return as_told(c, op::broadcast_to, x, asked.numbers);
}
inline void record_expand(op_call& c) {
    node_id const x = c[0];
    asked_extents asked = asked_extents_of(c, 1);
    if (!asked.are_known()) return c.give(expanded_to(c, x, std::move(asked)));
    dims const wanted = dims_from(c, asked.values());
    if (!broadcastable(c.shape(x), wanted))
        c.fail("the shapes must broadcast; given " + to_string(c.shape(x)) + ", " + to_string(wanted));
    c.require_possible(wanted);
    c.give(c.broadcast(x, broadcast(c.shape(x), wanted)));
}
inline void record_concat(op_call& c) {
    std::vector<node_id> const parts = c.all();
    if (parts.empty() || c.rank(parts[0]) < 1) c.fail("joins tensors along an axis of theirs");
    int const axis = c.axis(c.integer("axis", 0), c.rank(parts[0]));
    c.give(c.append(op::concatenate, {parts.data(), parts.size()}, attribute_list(axis)));
}
inline void record_split(op_call& c) {
    node_id const x = c[0];
    int const axis = c.axis(c.integer("axis", 0), c.rank(x));
    std::int64_t const extent = c.known_extent(x, axis);
    std::vector<std::int64_t> sizes = c.has(1) ? c.known_integers(1) : c.integers("split");
    if (sizes.empty()) {
        std::int64_t const count = c.integer("num_outputs", static_cast<std::int64_t>(c.results()));
        if (count < 1 || count > std::max<std::int64_t>(extent, 1) + static_cast<std::int64_t>(c.results()))
            c.fail("needs a number of parts");
        std::int64_t const each = (extent + count - 1) / count;
        for (std::int64_t k = 0, left = extent; k < count; ++k, left -= each) {
            c.tracer().count_iteration();
            sizes.push_back(std::clamp<std::int64_t>(left, 0, each));
        }
    }
    std::int64_t start = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (sizes[k] < 0 || sizes[k] > extent - start) c.fail("the parts must be as long as the axis together");
        c.give(k, c.low().slice(x, axis, start, start + sizes[k]));
        start += sizes[k];
    }
    if (start != extent) c.fail("the parts must be as long as the axis together");
}
inline void record_slice(op_call& c) {
    node_id const x = c[0];
    int const rank = c.rank(x);
    bool const has_operands = c.version() >= 10;
    std::vector<std::int64_t> const starts = has_operands ? c.known_integers(1) : c.integers("starts"),
                                    ends = has_operands ? c.known_integers(2) : c.integers("ends");
    std::vector<std::int64_t> axes = has_operands ? std::vector<std::int64_t>() : c.integers("axes"), steps(starts.size(), 1);
    if (c.has(3)) axes = c.known_integers(3);
    else if (axes.empty())
        for (std::size_t k = 0; k < starts.size(); ++k) axes.push_back(static_cast<std::int64_t>(k));
    if (c.has(4)) steps = c.known_integers(4);
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
        c.fail("needs as many ends, axes and steps as starts");
    attribute_list bounds;
    for (int a = 0; a < rank; ++a) bounds.push_back(slice_open), bounds.push_back(slice_open), bounds.push_back(1);
    for (std::size_t k = 0; k < starts.size(); ++k) {
        auto const at = 3 * static_cast<std::size_t>(c.axis(axes[k], rank));
        if (steps[k] == 0) c.fail("a step must not be 0");
        std::int64_t const step = std::max(steps[k], -std::numeric_limits<std::int64_t>::max());
        std::int64_t const extent = c.extent(x, static_cast<int>(at / 3));
        std::int64_t const far = extent == dyn ? std::numeric_limits<std::int64_t>::max() / 4 : extent;
        // Places far outside mean the ends of the axis, because the place before the first element can't be written as a negative
        // number.
        auto const bound = [&](std::int64_t p) { return std::clamp(p, -far - 1, far); };
        bounds.value[at] = bound(starts[k]);
        bounds.value[at + 1] = ends[k] < -far && step < 0 ? slice_open : bound(ends[k]);
        bounds.value[at + 2] = step;
    }
    c.give(starts.empty() ? x : c.append(op::slice, x, bounds));
}
// Repeats an axis as a whole, or each of its elements, `times` times.
inline node_id repeated(op_call const& c, node_id x, int axis, std::int64_t times, bool each) {
    dims grown = c.shape(x);
    if (grown.rank < max_rank) grown.push_back(times);
    else if (times > 4096) c.fail("repeats an axis of 8 more than 4096 times");
    c.require_possible(grown);
    return c.low().repeat(x, axis, times, each);
}
inline void record_tile(op_call& c) {
    node_id out = c[0];
    std::vector<std::int64_t> const times = c.known_integers(1);
    if (times.size() != static_cast<std::size_t>(c.rank(out))) c.fail("needs a number for each axis");
    for (std::size_t a = 0; a < times.size(); ++a) {
        if (times[a] < 0) c.fail("an axis can't be repeated a negative number of times");
        out = repeated(c, out, static_cast<int>(a), times[a], false);
    }
    c.give(out);
}

// Pads an axis by looking up where each of its elements comes from.
inline node_id padded_axis(op_call const& c, node_id x, int axis, std::int64_t before, std::int64_t after,
                           std::string_view mode) {
    std::int64_t const n = c.known_extent(x, axis), m = n + before + after;
    if (m < 0) c.fail("more is cut off than an axis has");
    if (n == 0 && m > 0) c.fail("an axis without elements has none to repeat");
    constexpr std::int64_t most = std::int64_t{1} << 26;
    if (m > most) c.fail("pads an axis to more than 2^26 elements");
    std::vector<std::int64_t> places;
    for (std::int64_t i = -before; i < n + after; ++i) {
        std::int64_t p = i;
        if (mode == "edge") p = std::clamp<std::int64_t>(i, 0, n - 1);
        else if (mode == "wrap") p = (i % n + n) % n;
        else {
            std::int64_t const period = n > 1 ? 2 * (n - 1) : 1;
            p = (i % period + period) % period;
            if (p >= n) p = period - p;
        }
        places.push_back(p);
    }
    return c.append(op::take, x, c.integers(places), attribute_list(axis));
}
inline node_id padded_tensor(op_call const& c, node_id x, std::vector<std::int64_t> const& before,
                             std::vector<std::int64_t> const& after, std::string_view mode, node_id fill) {
    int const rank = c.rank(x);
    if (mode != "constant") {
        for (int a = 0; a < rank; ++a) {
            auto const k = static_cast<std::size_t>(a);
            if (before[k] != 0 || after[k] != 0) x = padded_axis(c, x, a, before[k], after[k], mode);
        }
        return x;
    }
    attribute_list widths, bounds;
    bool cuts = false, pads = false;
    for (int a = 0; a < rank; ++a) {
        auto const k = static_cast<std::size_t>(a);
        cuts = cuts || before[k] < 0 || after[k] < 0, pads = pads || before[k] > 0 || after[k] > 0;
        widths.push_back(std::max<std::int64_t>(before[k], 0)), widths.push_back(std::max<std::int64_t>(after[k], 0));
        bounds.push_back(before[k] < 0 ? -before[k] : slice_open), bounds.push_back(after[k] < 0 ? after[k] : slice_open);
        bounds.push_back(1);
    }
    if (cuts) x = c.append(op::slice, x, bounds);
    return pads ? c.append(op::pad, x, c.as(fill, c.type(x)), widths) : x;
}
inline void record_pad(op_call& c) {
    node_id const x = c[0];
    auto const rank = static_cast<std::size_t>(c.rank(x));
    std::vector<std::int64_t> const pads = c.has(1) ? c.known_integers(1) : c.integers("pads");
    std::vector<std::int64_t> before(rank), after(rank), axes;
    if (c.has(3)) axes = c.known_integers(3);
    else
        for (std::size_t a = 0; a < rank; ++a) axes.push_back(static_cast<std::int64_t>(a));
    if (pads.size() != 2 * axes.size()) c.fail("needs two widths for each axis");
    for (std::size_t k = 0; k < axes.size(); ++k) {
        auto const a = static_cast<std::size_t>(c.axis(axes[k], static_cast<int>(rank)));
        constexpr std::int64_t most = std::int64_t{1} << 40;
        for (std::int64_t const width : {pads[k], pads[k + axes.size()]})
            if (width < -most || width > most) c.fail("the result is larger than memory can be");
        before[a] = pads[k], after[a] = pads[k + axes.size()];
    }
    node_id fill = c.low().zero_like(x);
    if (c.has_attribute("value")) fill = c.number_like(x, c.number("value", 0));
    if (c.has(2)) fill = c.rank(c[2]) == 0 ? c[2] : c.reshape(c[2], dims{});
    c.give(padded_tensor(c, x, before, after, c.text("mode", "constant"), fill));
}

inline node_id floats_of(op_call const& c, std::vector<float> const& numbers) {
    stored_tensor const out = room_for(dtype::float32, dims{{static_cast<std::int64_t>(numbers.size())}, 1});
    if (!numbers.empty()) std::memcpy(writable(out), numbers.data(), numbers.size() * sizeof(float));
    return c.tracer().record_stored(out, nullptr);
}
inline node_id texts_of(op_call const& c, std::vector<std::string_view> const& texts, dims const& shape) {
    stored_tensor const out = room_for(dtype::string, shape);
    for (std::size_t k = 0; k < texts.size(); ++k) new (writable(out) + k * sizeof(interned)) interned(texts[k]);
    return c.tracer().record_stored(out, nullptr);
}
inline void record_constant(op_call& c) {
    model_tracer& at = c.tracer();
    model_files const& files = at.model().files;
    if (auto const a = c.attribute("value"))
        return c.give(at.record_stored(stored(tensor_message::read(a->bytes(5, at.file()), at.file()), files), nullptr));
    if (auto const a = c.attribute("sparse_value"))
        return c.give(at.record_stored(stored(sparse_message::read(a->bytes(22, at.file()), at.file()), files), nullptr));
    if (c.has_attribute("value_int")) return c.give(c.integer(c.integer("value_int", 0)));
    if (c.has_attribute("value_float")) return c.give(c.low().literal(static_cast<float>(c.number("value_float", 0))));
    if (c.has_attribute("value_ints")) return c.give(c.integers(c.integers("value_ints")));
    if (c.has_attribute("value_floats")) return c.give(floats_of(c, c.numbers("value_floats")));
    bool const is_one = c.has_attribute("value_string");
    if (!is_one && !c.has_attribute("value_strings")) c.fail("needs a value");
    std::vector<std::string_view> const texts = is_one ? std::vector{c.text("value_string", "")} : c.texts("value_strings");
    dims shape;
    if (!is_one) shape.push_back(static_cast<std::int64_t>(texts.size()));
    c.give(texts_of(c, texts, shape));
}
inline void record_constant_of_shape(op_call& c) {
    asked_extents const asked = asked_extents_of(c, 0);
    node_id value = c.low().literal(0.0f);
    model_tracer& at = c.tracer();
    if (auto const a = c.attribute("value"))
        value = at.record_stored(stored(tensor_message::read(a->bytes(5, at.file()), at.file()), at.model().files), nullptr);
    if (c.rank(value) > 0) value = c.reshape(value, dims{});
    if (!asked.are_known()) return c.give(as_told(c, op::broadcast_to, value, asked.numbers));
    dims const shape = dims_from(c, asked.values());
    c.require_possible(shape);
    c.give(c.broadcast(value, shape));
}
inline void record_range(op_call& c) {
    dtype const type = c.type(c[0]);
    std::int64_t count = 0;
    if (is_integer(type)) {
        std::int64_t const start = c.known_integer(0), limit = c.known_integer(1), delta = c.known_integer(2);
        if (delta == 0) c.fail("the step must not be 0");
        bool const goes_up = delta > 0, is_some = goes_up ? start < limit : limit < start;
        auto const low = static_cast<std::uint64_t>(goes_up ? start : limit),
                   high = static_cast<std::uint64_t>(goes_up ? limit : start);
        auto const step = goes_up ? static_cast<std::uint64_t>(delta) : std::uint64_t{0} - static_cast<std::uint64_t>(delta);
        if (is_some) count = whole_number(static_cast<double>((high - low - 1) / step) + 1);
    } else {
        double const start = c.known_number(0), limit = c.known_number(1), delta = c.known_number(2);
        double const steps = std::ceil((limit - start) / delta);
        if (!(delta != 0) || std::isnan(steps)) c.fail("the step must be a number, and not 0");
        count = whole_number(std::max(steps, 0.0));
    }
    c.require_possible(dims{{count}, 1});
    node_id const number = c.as(c.low().iota<std::int64_t>(count), type);
    auto const scalar = [&](std::size_t k) { return c.rank(c[k]) == 0 ? c[k] : c.reshape(c[k], dims{}); };
    c.give(c.append(op::add, c.append(op::multiply, number, scalar(2)), scalar(0)));
}
inline void record_eye_like(op_call& c) {
    node_id const x = c[0];
    if (c.rank(x) != 2) c.fail("takes a matrix");
    node_id const places = c.append(op::add, c.low().iota_like<std::int64_t>(x, 0), c.integer(c.integer("k", 0)));
    c.give(c.as(c.append(op::equal, places, c.low().iota_like<std::int64_t>(x, 1)), c.type_attribute("dtype", c.type(x))));
}
inline void record_trilu(op_call& c) {
    node_id const x = c[0];
    int const rank = c.rank(x);
    if (rank < 2) c.fail("takes matrices");
    std::int64_t const k =
        c.has(1) ? std::clamp<std::int64_t>(c.known_integer(1), -(std::int64_t{1} << 40), std::int64_t{1} << 40) : 0;
    node_id const row = c.low().iota_like<std::int64_t>(x, rank - 2), column = c.low().iota_like<std::int64_t>(x, rank - 1);
    node_id const edge = c.append(op::add, row, c.integer(k));
    bool const is_upper = c.integer("upper", 1) != 0;
    c.give(c.choose(c.append(is_upper ? op::greater_equal : op::less_equal, column, edge), x, c.low().zero_like(x)));
}
// Returns the extents of images as attributes of a reshape; there may be any number of images.
inline dims image_extents(op_call const& c, node_id x) {
    if (c.rank(x) != 4) c.fail("takes images (n, channels, rows, columns)");
    return {{c.low().copied(x, 0), c.known_extent(x, 1), c.known_extent(x, 2), c.known_extent(x, 3)}, 4};
}
inline void record_depth_to_space(op_call& c) {
    node_id const x = c[0];
    dims const d = image_extents(c, x);
    std::int64_t const b = c.integer("blocksize", 0);
    if (b < 1 || b > std::max<std::int64_t>(d[1], 1) || d[1] / b % b != 0 || d[1] % b != 0)
        c.fail("takes images with as many channels as b^2 divides");
    std::int64_t const depth = d[1] / (b * b);
    bool const is_crd = c.text("mode", "DCR") == "CRD";
    node_id const apart = c.low().reshape(x, is_crd ? attribute_list(d[0], depth, b, b, d[2], d[3])
                                                    : attribute_list(d[0], b, b, depth, d[2], d[3]));
    node_id const moved = c.low().transpose(apart, is_crd ? attribute_list(0, 1, 4, 2, 5, 3) : attribute_list(0, 3, 4, 1, 5, 2));
    c.give(c.low().reshape(moved, attribute_list(d[0], depth, d[2] * b, d[3] * b)));
}
inline void record_space_to_depth(op_call& c) {
    node_id const x = c[0];
    dims const d = image_extents(c, x);
    std::int64_t const b = c.integer("blocksize", 0);
    if (b < 1 || d[2] % b != 0 || d[3] % b != 0) c.fail("takes images whose extents b divides");
    c.require_possible(dims{{c.extent(x, 0), d[1], b, b}, 4}); // any b divides an extent of 0
    node_id const apart = c.low().reshape(x, attribute_list(d[0], d[1], d[2] / b, b, d[3] / b, b));
    c.give(c.low().reshape(c.low().transpose(apart, c.text("mode", "DCR") == "CRD" ? attribute_list(0, 1, 3, 5, 2, 4)
                                                                                   : attribute_list(0, 3, 5, 1, 2, 4)),
                           attribute_list(d[0], d[1] * b * b, d[2] / b, d[3] / b)));
}

} // namespace tx::onnx::detail
