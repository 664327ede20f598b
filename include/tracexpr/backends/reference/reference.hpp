// This file holds the reference executor: it runs any graph node by node, with plain loops, each node into a buffer of its own,
// which is freed when its last reader has run. It is slow and simple, and knows no passes: the tests compare all other executors
// with it, and it also evaluates constants and the functions that tx::check_gradients checks. Functions that call it have a
// template parameter which nothing depends on, so that only programs that use it compile all of it.
#pragma once

#include <tracexpr/backends/host_array.hpp>
#include <tracexpr/backends/reference/ops.hpp>
#include <tracexpr/graph/counting.hpp>
#include <tracexpr/graph/foreign_call.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/graph/routines.hpp>
#include <tracexpr/graph/shown.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tx {

namespace reference {

inline void check_arguments(graph_view const& g, table_view<array_view> arguments) {
    if (arguments.size() != g.parameters.size())
        throw signature_error("tx: run_reference: the graph takes " + std::to_string(g.parameters.size()) + " arguments; given " +
                              std::to_string(arguments.size()));
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (g.parameters[k] == node_id::none) continue;
        node const& n = g[g.parameters[k]];
        array_view const& given = arguments[k];
        if (given.type == n.type && given.shape.is_static() && may_equal(g.shape_of(n), given.shape)) continue;
        throw signature_error("tx: run_reference: argument " + std::to_string(k) + " must be " +
                              spec_text(n.type, g.shape_of(n)) + "; given " + spec_text(given.type, given.shape));
    }
}

inline values captured_values(graph_view const& g, node const& n) {
    captured const& tensor = g.captures[n.bits[0]];
    dims const shape = tensor.shape(tensor.address);
    if (!may_equal(g.shape_of(n), shape))
        throw shape_error("tx: capture: the captured tensor must have shape " + to_string(g.shape_of(n)) + "; it has " +
                          to_string(shape));
    return loaded(n.type, shape, tensor.data(tensor.address));
}
constexpr values constant_values(graph_view const& g, node const& n) {
    values out(n.type, g.shape_of(n));
    std::size_t const words = words_of(n.type);
    for (std::size_t i = 0; i < out.cells.size(); ++i) out.cells[i] = cell_of({g.blob.data() + n.bits[0] + words * i, words});
    return out;
}

template <class Unused = void> constexpr values pointwise_values(node const& n, table_view<values const*> x, dims const& shape) {
    values out(n.type, shape);
    for_each_position(shape, [&](dims const& at, std::int64_t number) {
        cell operand[max_pointwise_operands];
        for (std::size_t k = 0; k < x.size(); ++k) operand[k] = (*x[k])[broadcast_number(x[k]->shape, at)];
        if (n.code == op::cast) out[number] = cast(operand[0], x[0]->type, n.type);
        else if (n.code == op::where) out[number] = operand[0].low ? operand[1] : operand[2];
        else if (__builtin_is_constant_evaluated()) {
            rules::folded const constant = constant_pointwise(n.code, x[0]->type, operand);
            out[number] = constant.bits, out.is_known = out.is_known && constant.known;
        } else out[number] = pointwise<Unused>(n.code, x[0]->type, operand);
    });
    return out;
}

// Computes any op with operands. `shape` is that of the result.
template <class Unused = void>
constexpr values node_values(node const& n, table_view<values const*> x, dims const& shape, attribute_span attributes) {
    auto const axis = [&] { return static_cast<int>(attributes[0]); };
    switch (info(n.code).kind) {
    case kind::pointwise: return pointwise_values<Unused>(n, x, shape);
    case kind::reduction:
    case kind::arg_reduction: return reduced<Unused>(n.code, *x[0], shape, attributes);
    case kind::scan: return scanned<Unused>(n.code, *x[0], axis());
    case kind::order:
        return n.code == op::argselect ? selected(*x[0], *x[1], shape, axis()) : ordered(n.code, *x[0], shape, attributes);
    case kind::contraction: return product(*x[0], *x[1], shape);
    case kind::decomposition: return decomposed<Unused>(n.code, x, shape, attributes)[0];
    case kind::marker: return *x[0];
    default: break;
    }
    switch (n.code) {
    case op::iota: return iota(n.type, shape, axis());
    case op::axis_size: return axis_size(n.type, x[0]->shape, attributes);
    case op::extents: return falses(shape);
    case op::sum_to: {
        values zeros(x[0]->type, shape);
        zeros.cells.fill({});
        return updated(op::view_add, zeros, *x[0], [&](dims const& at) { return broadcast_number(shape, at); });
    }
    case op::concatenate: return concatenated(x, shape, axis());
    case op::pad: return padded(*x[0], (*x[1])[0], shape, attributes);
    case op::take: return take_values(*x[0], *x[1], shape, axis());
    case op::take_along_axis: return take_along_values(*x[0], *x[1], axis());
    case op::view_add:
    case op::view_set: {
        strided_place const place = place_in(shape, updated_map(shape, attributes));
        return updated(n.code, *x[0], *x[1], [&](dims const& at) { return number_in(place, at); });
    }
    case op::random_bits:
    case op::random_permutation: return drawn(n.code, *x[0], n.type, shape, attributes);
    case op::index_add:
    case op::index_set:
    case op::index_max:
    case op::index_min:
        return updated_where(n.code, *x[0], *x[1], take_values(row_major_numbers(shape), *x[2], x[1]->shape, axis()));
    case op::scatter_add:
    case op::scatter_set:
    case op::scatter_max:
    case op::scatter_min: return updated_where(n.code, *x[0], *x[1], take_along_values(row_major_numbers(shape), *x[2], axis()));
    default:
        if (info(n.code).kind == kind::view) return viewed(n.code, *x[0], shape, attributes, x.size() == 2);
        throw error("tx: " + std::string(name(n.code)) + ": the reference executor has no rule for it");
    }
}

inline array_view view_of(values const& x) { return {x.cells.bytes().data(), x.type, x.shape}; }

// Runs the nodes that an output needs, in order. A value that is not an output is freed after its last reader.
template <class Unused = void> class run {
public:
    constexpr run(graph_view const& g, table_view<array_view> arguments) : graph_{g}, arguments_{arguments} {
        buffer<std::size_t> last_reader(g.size()); // 0: the node is not needed; the graph's size: it is an output
        for (node_id id : g.outputs) last_reader[index(id)] = g.size();
        for (std::size_t i = g.size(); i-- > 0;)
            for (std::size_t k = 0; last_reader[i] && k < g.nodes[i].arity; ++k)
                if (std::size_t& last = last_reader[index(g.operand(g.nodes[i], k))]; !last) last = i;
        all_ = buffer<values>(g.size());
        for (std::size_t i = 0; i < g.size(); ++i) {
            if (!last_reader[i]) continue;
            at_ = to_id(i);
            all_[i] = computed(g.nodes[i]);
            is_complete_ = all_[i].is_known;
            if (!is_complete_) return;
            for (std::size_t k = 0; k < g.nodes[i].arity; ++k)
                if (std::size_t const operand = index(g.operand(g.nodes[i], k)); last_reader[operand] == i) all_[operand] = {};
        }
    }
    // False if constant evaluation has no value for an element of a node.
    constexpr bool is_complete() const { return is_complete_; }
    // The node must be an output.
    constexpr values const& operator[](node_id id) const { return all_[index(id)]; }

private:
    constexpr values const& operand(node const& n, std::size_t k) const { return all_[index(graph_.operand(n, k))]; }
    // Runs a print or a check, whose result is a token.
    constexpr values run_effect(node const& n) const {
        buffer<tx::detail::shown_value> shown;
        for (std::size_t k = 0; k < value_operands(n); ++k) {
            array_view const a = view_of(operand(n, k));
            shown.push_back({a.data, a.type, a.shape});
        }
        tx::detail::do_effect<Unused>(n.code, graph_.attributes_of(n), shown);
        return values(dtype::token, dims{});
    }
    // Calls an opaque callable or a collective.
    values called(node const& n) {
        buffer<tx::detail::shown_value> shown;
        for (std::size_t k = 0; k < value_operands(n); ++k) {
            array_view const a = view_of(operand(n, k));
            shown.push_back({a.data, a.type, a.shape});
        }
        call_form const form(graph_.attributes_of(n));
        dims extents;
        for (int axis = 0; axis < form.batch_axes; ++axis) extents.push_back(shown[shown.size() > 1 ? 1 : 0].extents[axis]);
        std::vector<host_array> made;
        buffer<std::byte*> to;
        for (std::size_t k = 0; k <= form.results(); ++k) {
            std::int64_t const like = k ? form.like(k - 1) : -1;
            dtype const type = k ? form.result_type(k - 1) : dtype::uint64;
            dims const shape = k == 0     ? extents
                               : like < 0 ? form.result_shape(extents, k - 1)
                                          : shape_like_operand(graph_, n, k, [&](node_id id) { return all_[index(id)].shape; });
            made.push_back(host_array::of(type, shape));
        }
        for (host_array& a : made) to.push_back(a.bytes.data());
        tx::detail::call_foreign(n.code, graph_.attributes_of(n), shown, extents, to.data());
        buffer<values> results;
        for (host_array const& a : made) results.push_back(loaded(a.type, a.shape, a.bytes.data()));
        results.push_back(values(dtype::token, dims{}));
        return all_results(std::move(results));
    }
    // Runs the kernel that all backends share; its own tests compare it with numbers from other sources.
    values by_routine(node const& n) {
        buffer<tx::detail::shown_value> shown;
        buffer<dims> shapes;
        for (std::size_t k = 0; k < n.arity; ++k) {
            array_view const a = view_of(operand(n, k));
            shown.push_back({a.data, a.type, a.shape});
            shapes.push_back(a.shape);
        }
        dims const shape = infer_or_throw(n.code, graph_.shape_of(n), shapes, graph_.attributes_of(n));
        std::vector<host_array> made;
        buffer<std::byte*> to;
        for (std::size_t k = 0; k < static_cast<std::size_t>(info(n.code).results); ++k) {
            value_spec const spec = result_spec(graph_, n, shape, shapes[0], k);
            made.push_back(host_array::of(spec.type, spec.shape));
        }
        for (host_array& a : made) to.push_back(a.bytes.data());
        tx::detail::run_routine<>({n.code, graph_.attributes_of(n), shown, n.type, shape, to.data()});
        buffer<values> results;
        for (host_array const& a : made) results.push_back(loaded(a.type, a.shape, a.bytes.data()));
        return all_results(std::move(results));
    }
    // Returns the results of the branch that the predicate chooses.
    constexpr values taken_branch(node const& n) {
        require_scalar_predicate(n.code, operand(n, 0).shape);
        bool const truth = cell(operand(n, 0)[0]).low != 0;
        graph_view const branch = graph_.region(graph_.attributes_of(n)[truth ? 0 : 1]);
        buffer<array_view> arguments;
        for (std::size_t k = 1; k < n.arity; ++k) arguments.push_back(view_of(operand(n, k)));
        run<Unused> const all(branch, arguments);
        buffer<values> results;
        for (node_id const id : branch.outputs) results.push_back(all[id]);
        return all_results(std::move(results));
    }
    // Returns the outputs of a region.
    constexpr buffer<values> region_values(graph_view const& region, table_view<array_view> arguments) {
        run<Unused> const all(region, arguments);
        buffer<values> out;
        for (node_id const id : region.outputs) out.push_back(all[id]);
        return out;
    }
    constexpr buffer<values> operand_values(node const& n) const {
        buffer<values> out;
        for (std::size_t k = 0; k < n.arity; ++k) out.push_back(operand(n, k));
        return out;
    }
    static constexpr buffer<array_view> views_of(buffer<values> const& all) {
        buffer<array_view> out;
        for (values const& v : all) out.push_back(view_of(v));
        return out;
    }
    constexpr values looped(node const& n) {
        loop_form const form = loop_form::of(n);
        graph_view const condition = graph_.region(graph_.attributes_of(n)[0]), body = resulting_region(graph_, n);
        buffer<values> given = operand_values(n), results;
        std::uint64_t count = 0;
        for (; cell(region_values(condition, views_of(given))[0][0]).low != 0; ++count) {
            buffer<values> next = region_values(body, views_of(given));
            for (std::size_t k = 0; k < form.states; ++k) given[k] = std::move(next[k]);
        }
        for (std::size_t k = 0; k < form.states; ++k) results.push_back(given[k]);
        results.push_back(values(dtype::int64, dims{}));
        results.back()[0] = {count, 0};
        if (n.bits[0]) results.push_back(values(dtype::token, dims{}));
        return all_results(std::move(results));
    }
    static constexpr buffer<dims> shapes_of(buffer<values> const& all) {
        buffer<dims> out;
        for (values const& v : all) out.push_back(v.shape);
        return out;
    }
    // Returns the shapes that a scan without iterations gives the outputs of its body: unknown extents are 0.
    static constexpr buffer<dims> closed_shapes(graph_view const& g) {
        buffer<dims> out;
        for (node_id const id : g.outputs) {
            out.push_back(g.shape_of(id));
            for (int axis = 0; axis < out.back().rank; ++axis)
                if (out.back()[axis] == dyn) out.back()[axis] = 0;
        }
        return out;
    }
    // Copies elements first ... first + count - 1 to elements at ... at + count - 1.
    static constexpr void copy_part(values const& from, std::int64_t first, values& to, std::int64_t at, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) to[at + i] = cell(from[first + i]);
    }
    constexpr values scanned(node const& n) {
        loop_form const form = loop_form::of(n);
        graph_view const body = resulting_region(graph_, n);
        buffer<values> const operands = operand_values(n);
        buffer<values> given(operands), results;
        std::int64_t const length = operands[form.states].shape[0];
        for (std::size_t k = 0; k < form.sequences; ++k)
            given[form.states + k] = values(operands[form.states + k].type, without_leading(operands[form.states + k].shape));
        auto const start_results = [&](table_view<dims> elements) {
            for (std::size_t k = 0; k < body.outputs.size(); ++k) {
                dtype const type = body[body.outputs[k]].type;
                bool const is_sequence = k >= form.states && type != dtype::token;
                results.push_back(values(type, is_sequence ? with_leading(elements[k], length) : dims{}));
            }
        };
        if (length == 0) start_results(closed_shapes(body));
        for (std::int64_t step = 0; step < length; ++step) {
            std::int64_t const at = form.reversed ? length - 1 - step : step;
            for (std::size_t k = form.states; k < form.states + form.sequences; ++k)
                copy_part(operands[k], at * given[k].shape.size(), given[k], 0, given[k].shape.size());
            buffer<values> next = region_values(body, views_of(given));
            if (step == 0) start_results(shapes_of(next));
            for (std::size_t k = form.states; k < next.size(); ++k)
                if (next[k].type != dtype::token)
                    copy_part(next[k], 0, results[k], at * next[k].shape.size(), next[k].shape.size());
            for (std::size_t k = 0; k < form.states; ++k) given[k] = std::move(next[k]);
        }
        for (std::size_t k = 0; k < form.states; ++k) results[k] = given[k];
        return all_results(std::move(results));
    }
    constexpr values ranged(node const& n) {
        buffer<values> given = operand_values(n);
        std::int64_t const count = static_cast<std::int64_t>(cell(given[0][0]).low);
        values range(dtype::int64, dims{{count < 0 ? 0 : count}, 1});
        for (std::int64_t i = 0; i < count; ++i) range[i] = {static_cast<std::uint64_t>(i), 0};
        given[0] = std::move(range);
        return all_results(region_values(resulting_region(graph_, n), views_of(given)));
    }
    constexpr values in_blocks(node const& n) {
        block_form const form = block_form::of(n);
        attribute_span const regions = graph_.attributes_of(n);
        buffer<values> const operands = operand_values(n);
        buffer<values> given(operands), results;
        if (form.block == 0) return all_results(region_values(graph_.region(regions[0]), views_of(operands)));
        std::int64_t const length = operands[0].shape[0], block = form.block;
        std::int64_t place = 0;
        do {
            std::int64_t const places = block < length - place ? block : length - place;
            for (std::size_t k = 0; k < form.sequences; ++k) {
                values const& all = operands[k];
                given[k] = values(all.type, with_leading(without_leading(all.shape), places));
                copy_part(all, place * without_leading(all.shape).size(), given[k], 0, given[k].shape.size());
            }
            buffer<values> made = region_values(graph_.region(regions[places == block ? 0 : 1]), views_of(given));
            buffer<values> both(results);
            both.shorten(place == 0 ? 0 : form.joined);
            for (std::size_t k = 0; k < form.joined; ++k) both.push_back(made[k]);
            if (place > 0 && form.joined > 0) both = region_values(graph_.region(regions[2]), views_of(both));
            for (std::size_t k = 0; k < made.size(); ++k) {
                bool const is_joined = k < form.joined;
                dims const element = is_joined ? made[k].shape : without_leading(made[k].shape);
                if (place == 0) results.push_back(values(made[k].type, is_joined ? element : with_leading(element, length)));
                if (is_joined) results[k] = both[k];
                else copy_part(made[k], 0, results[k], place * element.size(), made[k].shape.size());
            }
            place += places;
        } while (place < length);
        return all_results(std::move(results));
    }
    // Stores the results other than the first, which it returns.
    constexpr values all_results(buffer<values> results) {
        for (std::size_t k = 1; k < results.size(); ++k) further_.push_back({at_, k, std::move(results[k])});
        return std::move(results[0]);
    }
    constexpr values further_result(node_id of, std::size_t number) const {
        for (further const& r : further_)
            if (r.of == of && r.number == number) return r.value;
        throw error("tx: result: the reference executor has no such result");
    }
    constexpr values computed(node const& n) {
        switch (n.code) {
        case op::parameter: {
            array_view const& given = arguments_[n.bits[0]];
            return loaded(given.type, given.shape, given.data);
        }
        case op::capture: return captured_values(graph_, n);
        case op::constant: return constant_values(graph_, n);
        case op::literal: {
            values out(n.type, graph_.shape_of(n));
            out.cells.fill({n.bits[0], n.bits[1]});
            return out;
        }
        case op::opaque:
        case op::collective: return called(n);
        case op::fft:
        case op::convolution:
        case op::eig: return by_routine(n);
        case op::token: return values(dtype::token, dims{});
        case op::cond: return taken_branch(n);
        case op::while_loop: return looped(n);
        case op::scan: return scanned(n);
        case op::with_range: return ranged(n);
        case op::blocks: return in_blocks(n);
        case op::print:
        case op::assert_that:
        case op::check_finite: return run_effect(n);
        case op::result: return further_result(graph_.operand(n, 0), result_number(graph_, n));
        default: break;
        }
        buffer<values const*> operands;
        buffer<dims> shapes;
        for (std::size_t k = 0; k < n.arity; ++k) {
            operands.push_back(&all_[index(graph_.operand(n, k))]);
            shapes.push_back(operands.back()->shape);
        }
        attribute_span const attributes = graph_.attributes_of(n);
        dims shape = infer_or_throw(n.code, graph_.shape_of(n), shapes, attributes);
        if (n.code == op::extents)
            shape = shape_with_numbers(shape, attributes,
                                       [&](std::size_t k) { return rules::folded(literal_bits{(*operands[k])[0].low, 0}); });
        if (info(n.code).results > 1) return all_results(decomposed<Unused>(n.code, operands, shape, attributes));
        return node_values<Unused>(n, operands, shape, attributes);
    }

    // A `further` is a result of node `of` other than its first.
    struct further {
        node_id of = node_id::none;
        std::size_t number = 0; // at least 1
        values value{};
    };

    graph_view graph_;
    table_view<array_view> arguments_;
    buffer<values> all_;
    buffer<further> further_;
    node_id at_ = node_id::none;
    bool is_complete_ = true;
};

} // namespace reference

// Returns the outputs of the graph that are values, for these arguments. Throws signature_error for an argument that doesn't fit
// its parameter, and shape_error if extents that only the arguments tell don't fit, or an index is out of bounds.
template <class Unused = void> std::vector<host_array> run_reference(graph_view const& g, table_view<array_view> arguments) {
    reference::check_arguments(g, arguments);
    detail::recorded_calls const of_this_run;
    reference::run<Unused> const all(g, arguments);
    std::vector<host_array> out(value_outputs(g));
    for (std::size_t k = 0; k < out.size(); ++k) {
        reference::values const& from = all[g.outputs[k]];
        out[k] = {from.type, from.shape, std::vector<std::byte>(from.cells.bytes().size())};
        reference::store(from, out[k].bytes.data());
    }
    return out;
}
TRACEXPR_INSTANCE(std::vector<host_array> run_reference<void>(graph_view const&, table_view<array_view>))

} // namespace tx
