// This file holds the bodies of the functions in graph/print.hpp, and the texts of a graph's parts.
#pragma once

#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/graph/infer.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/graph/message.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/graph/regions.hpp>

#include <charconv>
#include <cmath>
#include <string>

TRACEXPR_BEGIN_PASSES

namespace tx {

namespace detail {
TRACEXPR_BODY void add_spec(text& out, dtype type, dims const& shape) {
    out += name(type);
    out += shape.rank < 0 ? "[..." : "[";
    for (int axis = 0; axis < shape.rank; ++axis) {
        if (axis) out += ",";
        if (shape[axis] == dyn) out += "?";
        else out += shape[axis];
    }
    out += "]";
}
} // namespace detail

TRACEXPR_BODY std::string spec_text(dtype type, dims const& shape) {
    detail::text out;
    detail::add_spec(out, type, shape);
    return out.str();
}

namespace detail {

// Returns "[a, b, c]", where item(i) is the text of each of `count` items.
template <class Item> std::string listed(std::size_t count, Item item) {
    std::string out = "[";
    for (std::size_t i = 0; i < count; ++i) {
        if (i) out += ", ";
        out += item(i);
    }
    return out + ']';
}
inline std::string listed(attribute_span numbers) {
    return listed(numbers.size(), [&](std::size_t i) { return numbers[i] == slice_open ? "null" : std::to_string(numbers[i]); });
}

// Returns a value as text (2.5, -3, true, 1+2j, inf) or as JSON, in which complex numbers are pairs and "inf" and "nan" are
// strings.
inline std::string value_text(dtype type, literal_bits value, bool json) {
    if (type == dtype::boolean) return value.low ? "true" : "false";
    if (type == dtype::string) return detail::quoted(interned::from_bits(value.low).str(), json);
    if (is_signed_integer(type)) return std::to_string(static_cast<std::int64_t>(value.low));
    if (is_unsigned_integer(type)) return std::to_string(value.low);
    auto const part = [&](std::uint64_t bits) {
        double const number = std::bit_cast<double>(bits);
        if (std::isfinite(number)) return shortest_digits(number, primal(real_part(type)), std::chars_format::general);
        std::string const word = std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
        return json ? '"' + word + '"' : word;
    };
    if (!is_complex(type)) return part(value.low);
    std::string const re = part(value.low), im = part(value.high);
    if (json) return '[' + re + ", " + im + ']';
    return re + (im[0] == '-' ? "" : "+") + im + 'j';
}

// Returns an element as text. A dual number is written with its tangent, as dual(3, 1), and in JSON as a list of its numbers.
inline std::string element_text(dtype type, std::uint64_t const* words, bool json) {
    if (!is_dual(type)) return value_text(type, {words[0], is_complex(type) ? words[1] : 0}, json);
    std::size_t const half = words_of(type) / 2;
    auto const part = [&](std::uint64_t const* from) {
        if (half == 1) return value_text(primal(type), {from[0], 0}, json);
        return element_text(dual_of(primal(type), dual_depth(type) - 1), from, json);
    };
    return (json ? "[" : "dual(") + part(words) + ", " + part(words + half) + (json ? ']' : ')');
}

// Returns the elements of a constant in row-major order; in text, the middle of a long one is left out.
inline std::string constant_text(graph_view const& g, node const& n, bool json) {
    std::size_t const words = words_of(n.type), count = n.bits[1] / words, shown = json || count <= 8 ? count : 7;
    return listed(shown, [&](std::size_t i) -> std::string {
        if (shown < count && i == 3) return "...";
        std::size_t const at = n.bits[0] + words * (shown < count && i > 3 ? count - shown + i : i);
        return element_text(n.type, g.blob.data() + at, json);
    });
}

// Calls put(name, numbers, is_list) for each attribute of the node. Open bounds of slices are given as slice_open.
template <class Put> void for_each_attribute(op code, attribute_span all, Put put) {
    auto const every = [&](std::size_t first, std::size_t step) {
        buffer<std::int64_t> out;
        for (std::size_t i = first; i < all.size(); i += step) out.push_back(all[i]);
        return out;
    };
    switch (info(code).kind) {
    case kind::reduction:
    case kind::arg_reduction:
        put("axes", all.subspan(1), true);
        put("keepdims", all.subspan(0, 1), false);
        return;
    case kind::order:
        put("axis", all.subspan(0, 1), false);
        if (code == op::argselect) return;
        put("descending", all.subspan(1, 1), false);
        if (!orders_all(code, all)) put("count", all.subspan(2, 1), false);
        if (orders_around(code, all)) put("around", all.subspan(order_attributes(code)), false);
        return;
    case kind::random:
        put("stream", all.subspan(0, 1), false);
        put("shape", all.subspan(2), true);
        return;
    default: break;
    }
    switch (code) {
    case op::slice:
        put("start", every(0, 3), true);
        put("stop", every(1, 3), true);
        put("step", every(2, 3), true);
        return;
    case op::pad:
        put("before", every(0, 2), true);
        put("after", every(1, 2), true);
        return;
    case op::diagonal:
        put("offset", all.subspan(0, 1), false);
        put("axes", all.subspan(1), true);
        return;
    case op::extents: put("shape", all, true); return;
    case op::solve_triangular:
        put("lower", all.subspan(0, 1), false);
        put("transposed", all.subspan(1, 1), false);
        put("unit_diagonal", all.subspan(2), false);
        return;
    case op::solve: put("transposed", all, false); return;
    case op::axis_size: put("axes", all, true); return;
    case op::cond:
    case op::while_loop:
    case op::scan:
    case op::with_range:
    case op::blocks: return; // regions are printed as graphs
    case op::result: put("number", all, false); return;
    case op::opaque: return; // its results show their dtypes and shapes
    case op::collective: {
        attribute_span const own = call_form(all).rest();
        detail::collective_form const form(own);
        if (has_root(form.what)) put("root", own.subspan(3, 1), false);
        if (form.what == collective_kind::permute) put("pairs", form.pairs, true);
        return;
    }
    case op::print:
    case op::assert_that:
    case op::check_finite: return; // their text is printed elsewhere
    default:
        bool const is_view = info(code).kind == kind::view;
        if (!all.empty()) put(is_view ? rule_of_view(code).attributes : "axis", all, is_view);
    }
}

// Returns the bounds of a slice in Python's notation: "[1:3, ::-1]".
inline std::string slice_text(attribute_span bounds) {
    return listed(bounds.size() / 3, [&](std::size_t axis) {
        attribute_span const b = bounds.subspan(3 * axis, 3);
        std::string out =
            (b[0] == slice_open ? "" : std::to_string(b[0])) + ':' + (b[1] == slice_open ? "" : std::to_string(b[1]));
        return b[2] == 1 ? out : out + ':' + std::to_string(b[2]);
    });
}

inline std::string attributes_text(op code, attribute_span all) {
    if (all.empty()) return {};
    if (has_message(code)) return " {" + detail::quoted(message(all).text()) + '}';
    if (code == op::slice) return " {" + slice_text(all) + '}';
    if (updates_view(code)) return ' ' + std::string(name(added_view(all))) + attributes_text(added_view(all), all.subspan(1));
    std::string out;
    for_each_attribute(code, all, [&](char const* what, attribute_span numbers, bool is_list) {
        out += out.empty() ? " {" : ", ";
        out += what + ('=' + (is_list ? listed(numbers) : std::to_string(numbers[0])));
    });
    return out.empty() ? out : out + '}';
}

inline std::string node_number(node_id id) { return '%' + std::to_string(static_cast<int>(id)); }

// Returns the expression of a node: "multiply(%1, %2)", "literal(2.5)", "arg0".
inline std::string node_text(graph_view const& g, node const& n) {
    switch (n.code) {
    case op::parameter: return "arg" + std::to_string(n.bits[0]);
    case op::capture: return "capture" + std::to_string(n.bits[0]);
    case op::placeholder: return "placeholder" + std::to_string(n.bits[0]);
    case op::literal: return "literal(" + value_text(n.type, {n.bits[0], n.bits[1]}, false) + ')';
    case op::constant: return "constant(" + constant_text(g, n, false) + ')';
    default: break;
    }
    std::string out = listed(n.arity, [&](std::size_t k) { return node_number(g.operand(n, k)); });
    out.front() = '(', out.back() = ')';
    return std::string(shown_name(g, n)) + out + attributes_text(n.code, g.attributes_of(n));
}

} // namespace detail

namespace detail {
inline std::string region_name(node const& n, std::size_t k) {
    if (n.code == op::cond) return "branch " + std::to_string(k);
    if (n.code == op::blocks && k > 0) return k == 1 ? "the last block" : "how blocks are joined";
    return n.code == op::while_loop && k == 0 ? "condition" : "body";
}
inline void add_nodes(std::string& out, graph_view const& g, std::string const& indent) {
    for (std::size_t i = 0; i < g.size(); ++i) {
        node const& n = g.nodes[i];
        out += indent + node_number(to_id(i)) + " = " + node_text(g, n) + " : " + spec_text(n.type, g.shape_of(n)) + '\n';
        for (std::size_t k = 0; has_regions(n) && k < n.attributes.count; ++k) {
            out += indent + "  " + region_name(n, k) + ":\n";
            add_nodes(out, g.region(g.attributes_of(n)[k]), indent + "    ");
        }
    }
    std::string const results = listed(g.outputs.size(), [&](std::size_t k) { return node_number(g.outputs[k]); });
    out += indent + "return " + results.substr(1, results.size() - 2) + '\n';
}
} // namespace detail

TRACEXPR_BODY std::string to_text(graph_view const& any_order) {
    graph const ordered = canonicalize(any_order);
    std::string out;
    detail::add_nodes(out, ordered.view(), "");
    return out;
}

namespace detail {
inline std::string ids_json(table_view<node_id> ids) {
    return listed(ids.size(),
                  [&](std::size_t k) { return ids[k] == node_id::none ? "null" : std::to_string(static_cast<int>(ids[k])); });
}
inline std::string graph_json(graph_view const& g);

inline std::string node_json(graph_view const& g, node_id id) {
    node const& n = g[id];
    dims const& d = g.shape_of(n);
    std::string const shape = listed(static_cast<std::size_t>(d.rank < 0 ? 0 : d.rank), [&](std::size_t axis) {
        std::int64_t const extent = d[static_cast<int>(axis)];
        return extent == dyn ? "null" : std::to_string(extent);
    });
    buffer<node_id> operands;
    for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(g.operand(n, k));
    std::string attributes;
    attribute_span const all = g.attributes_of(n);
    bool const has_view = updates_view(n.code);
    if (has_view) attributes = "\"view\": \"" + std::string(name(added_view(all))) + '"';
    for_each_attribute(has_view ? added_view(all) : n.code, all.subspan(has_view ? 1 : 0),
                       [&](char const* what, attribute_span numbers, bool is_list) {
                           attributes += (attributes.empty() ? "\"" : ", \"") + std::string(what) +
                                         "\": " + (is_list ? listed(numbers) : std::to_string(numbers[0]));
                       });
    std::string out = "{\"id\": " + std::to_string(static_cast<int>(id)) + ", \"op\": \"" + std::string(shown_name(g, n)) +
                      "\", \"dtype\": \"" + std::string(name(n.type)) + "\", \"shape\": " + (d.rank < 0 ? "null" : shape) +
                      ", \"operands\": " + ids_json(operands) + ", \"attributes\": {" + attributes + '}';
    if (n.code == op::literal) out += ", \"value\": " + value_text(n.type, {n.bits[0], n.bits[1]}, true);
    if (n.code == op::constant) out += ", \"value\": " + constant_text(g, n, true);
    if (n.code == op::parameter || n.code == op::capture) out += ", \"number\": " + std::to_string(n.bits[0]);
    if (has_message(n.code)) out += ", \"text\": " + detail::quoted(message(g.attributes_of(n)).text(), true);
    if (has_regions(n))
        out += ", \"regions\": " +
               listed(n.attributes.count, [&](std::size_t k) { return graph_json(g.region(g.attributes_of(n)[k])); });
    return out + '}';
}
inline std::string graph_json(graph_view const& g) {
    std::string out = "{\"nodes\": [";
    for (std::size_t i = 0; i < g.size(); ++i) out += (i ? ",\n  " : "\n  ") + node_json(g, to_id(i));
    return out + "\n], \"parameters\": " + ids_json(g.parameters) + ", \"outputs\": " + ids_json(g.outputs) + '}';
}
} // namespace detail

TRACEXPR_BODY std::string to_json(graph_view const& any_order) {
    graph const ordered = canonicalize(any_order);
    return detail::graph_json(ordered.view()) + '\n';
}

} // namespace tx

TRACEXPR_END_PASSES

#include <tracexpr/graph/drawing.hpp>
