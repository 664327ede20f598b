// Records sequences and optionals of ONNX, which exist only while a model is traced.
#pragma once

#include <tracexpr/onnx/operators/control.hpp>

namespace tx::onnx::detail {

using sequence_parts = std::vector<traced_value>;
inline traced_value sequence_of(op_call const& c, sequence_parts parts) {
    for (traced_value const& p : parts)
        if (!p.home) c.fail("a sequence has tensors, not sequences or optionals without a value");
    traced_value out;
    out.parts = std::make_shared<sequence_parts const>(std::move(parts));
    return out;
}
inline sequence_parts parts_of(op_call const& c, std::size_t k) {
    traced_value const v = c.value(k);
    if (!v.parts) c.fail("its input " + std::to_string(k) + " must be a sequence");
    sequence_parts out;
    for (traced_value const& p : *v.parts) out.push_back(c.tracer().here(p));
    return out;
}
inline std::size_t place_in(op_call const& c, std::size_t k, std::size_t count, bool may_be_end) {
    std::int64_t const given = c.known_integer(k), n = static_cast<std::int64_t>(count), place = given < 0 ? given + n : given;
    if (place < 0 || place >= n + (may_be_end ? 1 : 0))
        c.fail("position " + std::to_string(given) + " lies outside of a sequence of " + std::to_string(n));
    return static_cast<std::size_t>(place);
}
inline void record_sequence_empty(op_call& c) { c.give(0, sequence_of(c, {})); }
inline void record_sequence_construct(op_call& c) {
    sequence_parts parts;
    for (std::size_t k = 0; k < c.operands(); ++k) parts.push_back(c.value(k));
    c.give(0, sequence_of(c, std::move(parts)));
}
inline void record_sequence_insert(op_call& c) {
    sequence_parts parts = parts_of(c, 0);
    std::size_t const at = c.has(2) ? place_in(c, 2, parts.size(), true) : parts.size();
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), c.value(1));
    c.give(0, sequence_of(c, std::move(parts)));
}
inline void record_sequence_erase(op_call& c) {
    sequence_parts parts = parts_of(c, 0);
    if (parts.empty()) c.fail("an empty sequence has nothing to erase");
    std::size_t const at = c.has(1) ? place_in(c, 1, parts.size(), false) : parts.size() - 1;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
    c.give(0, sequence_of(c, std::move(parts)));
}
inline void record_sequence_at(op_call& c) {
    sequence_parts const parts = parts_of(c, 0);
    c.give(0, parts[place_in(c, 1, parts.size(), false)]);
}
inline void record_sequence_length(op_call& c) { c.give(c.integer(static_cast<std::int64_t>(parts_of(c, 0).size()))); }
inline void record_concat_from_sequence(op_call& c) {
    std::vector<node_id> parts = nodes_of(c, parts_of(c, 0));
    if (parts.empty()) c.fail("an empty sequence has nothing to join");
    bool const is_new = c.integer("new_axis", 0) != 0;
    int const axis = c.axis(c.integer("axis", 0), c.rank(parts[0]) + (is_new ? 1 : 0));
    if (is_new)
        for (node_id& p : parts) p = c.low().expand(p, axis);
    c.give(c.append(op::concatenate, {parts.data(), parts.size()}, attribute_list(axis)));
}
inline void record_split_to_sequence(op_call& c) {
    node_id const x = c[0];
    int const axis = c.axis(c.integer("axis", 0), c.rank(x));
    std::int64_t const extent = c.known_extent(x, axis);
    std::vector<std::int64_t> sizes;
    bool const is_scalar = c.has(1) && c.rank(c[1]) == 0, keeps = c.has(1) || c.integer("keepdims", 1) != 0;
    if (c.has(1) && !is_scalar) {
        sizes = c.known_integers(1);
    } else {
        std::int64_t const each = is_scalar ? c.known_integer(1) : 1;
        if (each < 1) c.fail("parts must have elements");
        for (std::int64_t left = extent; left > 0; left -= each) {
            c.tracer().count_iteration();
            sizes.push_back(std::min(left, each));
        }
    }
    sequence_parts parts;
    std::int64_t start = 0;
    for (std::int64_t const size : sizes) {
        if (size < 0 || size > extent - start) c.fail("the parts must be as long as the axis together");
        node_id part = c.low().slice(x, axis, start, start + size);
        if (!keeps) part = c.low().squeeze(part, axis);
        parts.push_back({&c.low().scope(), part, {}, false});
        start += size;
    }
    c.give(0, sequence_of(c, std::move(parts)));
}
inline void record_sequence_map(op_call& c) {
    graph_message const body = graph_attribute(c, "body");
    std::vector<sequence_parts> results(body.outputs.size());
    std::size_t const count = parts_of(c, 0).size();
    for (std::size_t i = 0; i < count; ++i) {
        c.tracer().count_iteration();
        std::vector<traced_value> inputs;
        for (std::size_t k = 0; k < c.operands(); ++k) {
            traced_value const v = c.value(k);
            if (v.parts && v.parts->size() != count) c.fail("its sequences must have equal lengths");
            inputs.push_back(v.parts ? c.tracer().here((*v.parts)[i]) : v);
        }
        std::vector<traced_value> const out = record_graph(c, body, inputs);
        for (std::size_t k = 0; k < results.size(); ++k) results[k].push_back(out[k]);
    }
    for (std::size_t k = 0; k < results.size(); ++k) c.give(k, sequence_of(c, std::move(results[k])));
}

inline void record_optional(op_call& c) {
    if (c.has(0)) return c.give(0, c.value(0));
    traced_value none;
    none.is_none = true;
    c.give(0, none);
}
inline void record_optional_has(op_call& c) { c.give(c.low().literal(c.has(0) && !c.value(0).is_none)); }
inline void record_optional_get(op_call& c) {
    traced_value const v = c.value(0);
    if (v.is_none) c.fail("the optional has no value");
    c.give(0, v);
}

} // namespace tx::onnx::detail
