// Records operators of ONNX that look up, scatter or sort elements.
#pragma once

#include <tracexpr/arrays/places_in_axes.hpp>
#include <tracexpr/onnx/operators/shapes.hpp>

namespace tx::onnx::detail {

// Returns indices that count from the front; negative ones count from the end.
inline node_id places_from_front(op_call const& c, node_id indices, node_id x, int axis) {
    node_id const given = c.as(indices, dtype::int64);
    std::int64_t const n = c.extent(x, axis);
    node_id const extent = n == dyn ? c.low().axis_size<std::int64_t>(x, axis) : c.integer(n);
    return c.choose(c.append(op::less, given, c.integer(std::int64_t{0})), c.append(op::add, given, extent), given);
}
inline void require_integers(op_call const& c, node_id x) {
    if (!is_integer(c.type(x))) c.fail("indices must be integers");
}
inline void record_gather(op_call& c) {
    node_id const x = c[0];
    int const axis = c.axis(c.integer("axis", 0), c.rank(x));
    require_integers(c, c[1]);
    c.give(c.append(op::take, x, places_from_front(c, c[1], x, axis), attribute_list(axis)));
}
inline void record_gather_elements(op_call& c) {
    node_id x = c[0];
    int const axis = c.axis(c.integer("axis", 0), c.rank(x));
    require_integers(c, c[1]);
    node_id const places = places_from_front(c, c[1], x, axis);
    // Indices may be shorter than x along other axes; the last elements of x are then left out.
    dims const d = c.shape(x), of = c.shape(places);
    if (d.rank != of.rank) c.fail("indices must have as many axes as x");
    for (int a = 0; a < d.rank; ++a)
        if (a != axis && of[a] != d[a]) x = c.low().slice(x, a, 0, of[a]);
    c.give(c.append(op::take_along_axis, x, places, attribute_list(axis)));
}
inline void record_gather_nd(op_call& c) {
    std::int64_t const batch = c.integer("batch_dims", 0);
    dims const x = c.shape(c[0]), indices = c.shape(c[1]);
    if (batch < 0 || batch >= x.rank || batch >= indices.rank) c.fail("batch_dims must be fewer than the axes of both");
    builder_spec const given{c.type(c[1]), indices};
    if (char const* const wrong = places_problem(x, given, static_cast<int>(batch))) c.fail(wrong);
    flat_places const flat = flattened_places(c.low(), c[0], c[1], static_cast<int>(batch));
    c.give(c.append(op::take, flat.rows, flat.numbers, attribute_list(0)));
}
// Records how an update is combined with the element that it replaces.
inline node_id combined(op_call const& c, std::string_view how, node_id old, node_id update) {
    if (how == "mul") return c.append(op::multiply, old, update);
    if (how == "max") return c.append(op::maximum, old, update);
    return c.append(op::minimum, old, update);
}
inline void record_scatter_elements(op_call& c) {
    node_id const x = c[0], updates = c.as(c[2], c.type(c[0]));
    int const axis = c.axis(c.integer("axis", 0), c.rank(x));
    require_integers(c, c[1]);
    node_id const places = places_from_front(c, c[1], x, axis);
    std::string_view const how = c.text("reduction", "none");
    dims const d = c.shape(x), of = c.shape(places), given = c.shape(updates);
    if (d.rank != of.rank || !broadcastable(of, given) || of.rank != given.rank ||
        (of.is_static() && given.is_static() && of != given))
        c.fail("indices and updates must have one shape, and as many axes as x");
    attribute_list bounds;
    bool is_part = false;
    for (int a = 0; a < d.rank; ++a) {
        bool const is_whole = a == axis || of[a] == d[a]; // axes that only the run knows are compared there
        if (!is_whole && c.known_extent(places, a) > c.known_extent(x, a))
            c.fail("there are more indices than elements of x beside the axis");
        bounds.push_back(is_whole ? slice_open : 0), bounds.push_back(is_whole ? slice_open : of[a]), bounds.push_back(1);
        is_part = is_part || !is_whole;
    }
    node_id out = is_part ? c.append(op::slice, x, bounds) : x;
    if (how == "none" || how == "add") {
        op const code = how == "none" ? op::scatter_set : op::scatter_add;
        node_id const operands[]{out, updates, places};
        out = c.append(code, {operands, 3}, attribute_list(axis));
    } else {
        // Updates are applied one place after the other along the axis, as an element may be updated several times.
        constexpr std::int64_t most = 1024;
        if (c.known_extent(places, axis) > most) c.fail("reduces more than 1024 updates along an axis by " + std::string(how));
        for (std::int64_t k = 0; k < of[axis]; ++k) {
            node_id const place = c.low().slice(places, axis, k, k + 1), update = c.low().slice(updates, axis, k, k + 1);
            node_id const old = c.append(op::take_along_axis, out, place, attribute_list(axis));
            node_id const operands[]{out, combined(c, how, old, update), place};
            out = c.append(op::scatter_set, {operands, 3}, attribute_list(axis));
        }
    }
    c.give(is_part ? c.low().update(op::view_set, x, out, bounds) : out);
}
inline void record_scatter_nd(op_call& c) {
    node_id const x = c[0], indices = c[1], updates = c.as(c[2], c.type(c[0]));
    std::string_view const how = c.text("reduction", "none");
    builder_spec const places{c.type(indices), c.shape(indices)};
    op const code = how == "add" ? op::index_add : op::index_set;
    if (char const* const wrong = scatter_problem({c.type(x), c.shape(x)}, places, {c.type(updates), c.shape(updates)}, code))
        c.fail(wrong);
    if (how == "none" || how == "add") return c.give(record_scatter(c.low(), code, x, indices, updates));
    dims const d = c.known_shape(indices);
    std::int64_t count = 1;
    for (int a = 0; a + 1 < d.rank; ++a) count *= d[a];
    constexpr std::int64_t most = 1024;
    if (count > most) c.fail("reduces more than 1024 updates by " + std::string(how));
    if (c.rank(updates) - d.rank + 2 > max_rank) c.fail("has updates of too many axes");
    dims rows{{count, d[d.rank - 1]}, 2}, parts{{count}, 1};
    for (int a = d.rank - 1; a < c.rank(updates); ++a) parts.push_back(c.extent(updates, a));
    node_id const all = c.reshape(indices, rows), values = c.reshape(updates, parts);
    node_id out = x;
    for (std::int64_t k = 0; k < count; ++k) {
        node_id const place = c.low().slice(all, 0, k, k + 1);
        flat_places const flat = flattened_places(c.low(), out, place, 0);
        node_id const old = c.append(op::take, flat.rows, flat.numbers, attribute_list(0));
        out = record_scatter(c.low(), op::index_set, out, place, combined(c, how, old, c.low().slice(values, 0, k, k + 1)));
    }
    c.give(out);
}
inline void record_one_hot(op_call& c) {
    node_id const indices = c[0];
    std::int64_t const depth = c.known_integer(1);
    int const axis = c.axis(c.integer("axis", -1), c.rank(indices) + 1);
    if (depth < 0 || depth > std::int64_t{1} << 40) c.fail("the depth must be a number of elements");
    node_id const values = c[2];
    node_id const given = c.as(indices, dtype::int64), n = c.integer(depth);
    node_id const front = c.choose(c.append(op::less, given, c.integer(std::int64_t{0})), c.append(op::add, given, n), given);
    node_id const wide = c.low().expand(front, axis); // throws where there are 8 axes already
    dims column{{depth}, 1};
    for (int a = axis; a < c.rank(indices); ++a) column.push_back(1);
    node_id const is_there = c.append(op::equal, wide, c.reshape(c.low().iota<std::int64_t>(depth), column));
    auto const value = [&](std::int64_t k) { return c.low().squeeze(c.low().slice(values, 0, k, k + 1), 0); };
    c.give(c.choose(is_there, value(1), value(0)));
}
inline void record_reverse_sequence(op_call& c) {
    std::int64_t const along = c.integer("time_axis", 0), batch = c.integer("batch_axis", 1);
    int const axis = c.axis(along, c.rank(c[0])), of = c.axis(batch, c.rank(c[0]));
    if (char const* const wrong = sequence_problem({c.type(c[0]), c.shape(c[0])}, {c.type(c[1]), c.shape(c[1])}, axis, of))
        c.fail(wrong);
    c.give(record_reversed(c.low(), c[0], c[1], axis, of));
}
inline void record_top_k(op_call& c) {
    node_id const x = c[0];
    int const axis = c.axis(c.integer("axis", -1), c.rank(x));
    std::int64_t const k = c.known_integer(1);
    if (k < 0) c.fail("needs a number of elements");
    node_id const places = c.append(op::argsort, x, attribute_list(axis, c.integer("largest", 1) ? 1 : 0, k));
    c.give(0, c.append(op::take_along_axis, x, places, attribute_list(axis)));
    c.give(1, places);
}

// Returns the elements of an operand on which the shape of the result depends; the model is traced for these elements.
inline std::shared_ptr<host_array const> elements_of(op_call const& c, std::size_t k) {
    std::shared_ptr<host_array const> out = c.known(k);
    if (!out)
        c.fail("its result has as many elements as input " + std::to_string(k) +
               " tells, which must be known while the model is traced");
    return out;
}
inline std::vector<bool> truths(host_array const& a) {
    std::vector<bool> out;
    with_element(a.type, [&]<class T>(T const&) {
        for (std::int64_t k = 0; k < a.shape.size(); ++k) {
            T element;
            std::memcpy(static_cast<void*>(&element), a.bytes.data() + static_cast<std::size_t>(k) * sizeof(T), sizeof(T));
            out.push_back(!(element == T{}));
        }
    });
    return out;
}
inline void record_non_zero(op_call& c) {
    std::shared_ptr<host_array const> const x = elements_of(c, 0);
    std::vector<bool> const is_there = truths(*x);
    int const rank = std::max(x->shape.rank, 1);
    std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(rank));
    for (std::size_t k = 0; k < is_there.size(); ++k) {
        if (!is_there[k]) continue;
        std::int64_t rest = static_cast<std::int64_t>(k);
        for (int a = rank; a-- > 0;) {
            std::int64_t const n = x->shape.rank ? x->shape[a] : 1;
            places[static_cast<std::size_t>(a)].push_back(rest % n);
            rest /= n;
        }
    }
    std::vector<std::int64_t> all;
    for (auto const& p : places) all.insert(all.end(), p.begin(), p.end());
    node_id const flat = c.integers(all);
    c.give(c.low().reshape(flat, attribute_list(rank, static_cast<std::int64_t>(places[0].size()))));
}
inline void record_compress(op_call& c) {
    node_id x = c[0];
    std::vector<bool> const is_kept = truths(*elements_of(c, 1));
    int axis = 0;
    if (c.has_attribute("axis")) axis = c.axis(c.integer("axis", 0), c.rank(x));
    else x = c.reshape(x, dims{{c.known_shape(x).size()}, 1});
    std::vector<std::int64_t> places;
    for (std::size_t k = 0; k < is_kept.size(); ++k)
        if (is_kept[k]) places.push_back(static_cast<std::int64_t>(k));
    if (!places.empty() && places.back() >= c.known_extent(x, axis)) c.fail("the condition is longer than the axis");
    c.give(c.append(op::take, x, c.integers(places), attribute_list(axis)));
}
inline void record_unique(op_call& c) {
    std::shared_ptr<host_array const> const x = elements_of(c, 0);
    bool const has_axis = c.has_attribute("axis"), sorts = c.integer("sorted", 1) != 0;
    int const axis = has_axis ? c.axis(c.integer("axis", 0), x->shape.rank) : 0;
    std::int64_t const count = has_axis ? x->shape[axis] : x->shape.size();
    std::int64_t inner = 1, outer = 1;
    if (has_axis) {
        for (int a = axis + 1; a < x->shape.rank; ++a) inner *= x->shape[a];
        for (int a = 0; a < axis; ++a) outer *= x->shape[a];
    }
    std::vector<std::int64_t> first, inverse(static_cast<std::size_t>(count)), counts;
    with_element(x->type, [&]<class T>(T const&) {
        auto const element = [&](std::int64_t i, std::int64_t k) {
            std::int64_t const at = has_axis ? (k / inner * count + i) * inner + k % inner : i;
            T out;
            std::memcpy(static_cast<void*>(&out), x->bytes.data() + static_cast<std::size_t>(at) * sizeof(T), sizeof(T));
            return out;
        };
        if constexpr (requires(T a, T b) { a < b; }) {
            auto const compare = [&](std::int64_t a, std::int64_t b) {
                for (std::int64_t k = 0; k < inner * outer; ++k) {
                    T const p = element(a, k), q = element(b, k);
                    if (p < q) return -1;
                    if (q < p) return 1;
                    if ((p == p) != (q == q)) return p == p ? -1 : 1; // NaN comes last
                }
                return 0;
            };
            std::vector<std::int64_t> order(static_cast<std::size_t>(count));
            for (std::int64_t i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
            // std::stable_sort is not used, as Clang 19 warns of it: its memory comes from a function that libstdc++ 12
            // deprecates.
            std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
                int const by_value = compare(a, b);
                return by_value != 0 ? by_value < 0 : a < b;
            });
            std::vector<std::int64_t> group(static_cast<std::size_t>(count));
            for (std::size_t i = 0; i < order.size(); ++i) {
                if (i == 0 || compare(order[i - 1], order[i]) != 0) first.push_back(order[i]), counts.push_back(0);
                group[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(first.size()) - 1;
                ++counts.back();
            }
            inverse = group;
        } else {
            c.fail("takes real numbers or strings");
        }
    });
    if (!sorts) { // the order is that of their first occurrence
        std::vector<std::int64_t> order(first.size()), rank(first.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
        std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return first[static_cast<std::size_t>(a)] < first[static_cast<std::size_t>(b)];
        });
        std::vector<std::int64_t> new_first, new_counts;
        for (std::size_t i = 0; i < order.size(); ++i) {
            auto const from = static_cast<std::size_t>(order[i]);
            rank[from] = static_cast<std::int64_t>(i), new_first.push_back(first[from]), new_counts.push_back(counts[from]);
        }
        for (std::int64_t& i : inverse) i = rank[static_cast<std::size_t>(i)];
        first = new_first, counts = new_counts;
    }
    node_id const source = has_axis ? c[0] : c.reshape(c[0], dims{{count}, 1});
    c.give(0, c.append(op::take, source, c.integers(first), attribute_list(axis)));
    c.give(1, c.integers(first)), c.give(2, c.integers(inverse)), c.give(3, c.integers(counts));
}

} // namespace tx::onnx::detail
