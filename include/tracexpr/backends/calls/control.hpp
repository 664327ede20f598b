// Steps that run a part of the graph, or do something besides computing. All operands are contiguous.
#pragma once

#include <tracexpr/backends/plans.hpp>
#include <tracexpr/backends/run_as.hpp>
#include <tracexpr/graph/foreign_call.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/graph/shown.hpp>

#include <cstddef>
#include <memory>

namespace tx::inline TRACEXPR_TARGET::simd {

// What a run reads and writes, in the order of the graph's parameters and outputs.
struct io {
    void const* const* arguments;
    void* const* outputs;
};
template <class Form, class Arch> TRACEXPR_NOINLINE void run_region(plan_view const& p, io const& args);

namespace detail {

template <class Form, std::size_t Step> std::byte* operand_of_step(plan_view const& p, std::byte* const* buffers, std::size_t k) {
    plan_access const& a = p.accesses[p.steps[Step].operands.first + k];
    return buffers[a.buffer] + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type));
}

// Where a call's result goes; what nobody needs, to memory of its own.
template <class Form, std::size_t Step> std::byte* result_of_step(plan_view const& p, std::byte* const* buffers, std::size_t k,
                                                                  value_spec const& spec, std::unique_ptr<std::byte[]>& own) {
    constexpr node_id call = Form::plan().steps[Step].call;
    constexpr std::size_t values = value_operands(Form::graph()[call]);
    std::int32_t const b = k == 0 ? p.buffer_of[index(call)] : p.accesses[p.steps[Step].operands.first + values + k - 1].buffer;
    if (b >= 0) return buffers[b];
    own = std::make_unique<std::byte[]>(static_cast<std::size_t>(spec.shape.size()) * size_in_bytes(spec.type));
    return own.get();
}

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::effect, Form, Step, Arch> {
    static void run(plan_view const& p, std::byte* const* buffers) {
        constexpr graph_view g = Form::graph();
        constexpr node_id call = Form::plan().steps[Step].call;
        constexpr node n = g[call];
        constexpr std::size_t count = value_operands(n);
        tx::detail::shown_value values[count + 1];
        for (std::size_t k = 0; k < count; ++k) {
            node_id const id = g.operand(n, k);
            values[k] = {operand_of_step<Form, Step>(p, buffers, k), g[id].type, p.extents[index(id)]};
        }
        if constexpr (is_callback(n)) {
            constexpr std::size_t results = call_form(g.attributes_of(n)).results() + 1;
            std::byte* to[results];
            for (std::size_t k = 0; k < results; ++k) {
                std::int32_t const b =
                    k == 0 ? p.buffer_of[index(call)] : p.accesses[p.steps[Step].operands.first + count + k - 1].buffer;
                to[k] = b >= 0 ? buffers[b] : nullptr;
            }
            tx::detail::call_foreign(g.attributes_of(n), {values, count}, p.extents[index(call)], to);
        } else tx::detail::do_effect<>(n.code, g.attributes_of(n), {values, count});
    }
};

// A branch: the node's operands but the first are its arguments, its outputs the node's results.
template <class Form, std::size_t Step, std::int64_t Number, class Arch>
void run_branch(plan_view const& p, std::byte* const* buffers) {
    using region = tx::detail::region_stages<Form, Number>;
    constexpr plan_step form = Form::plan().steps[Step];
    constexpr graph_view g = Form::graph();
    constexpr node n = g[form.call];
    constexpr std::size_t values = value_operands(n), results = region::graph().outputs.size();
    void const* arguments[n.arity];
    dims extents[n.arity];
    for (std::size_t k = 1; k < n.arity; ++k) {
        arguments[k - 1] = k < values ? operand_of_step<Form, Step>(p, buffers, k) : nullptr;
        extents[k - 1] = p.extents[index(g.operand(n, k))];
    }
    plan_view const& own = tx::detail::plan_for<region>(table_view<dims>(extents, n.arity - 1));
    std::unique_ptr<std::byte[]> unneeded[results];
    void* outputs[results];
    for (std::size_t k = 0; k < results; ++k) {
        node_id const output = region::graph().outputs[k];
        value_spec const spec{region::graph()[output].type, own.extents[index(output)]};
        outputs[k] = result_of_step<Form, Step>(p, buffers, k, spec, unneeded[k]);
    }
    run_region<region, Arch>(own, io{arguments, outputs});
}

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::branches, Form, Step, Arch> {
    static void run(plan_view const& p, std::byte* const* buffers) {
        constexpr table_view<std::int64_t> branches = Form::graph().attributes_of(Form::graph()[Form::plan().steps[Step].call]);
        constexpr std::int64_t taken = branches[0], other = branches[1];
        bool const truth = *reinterpret_cast<bool const*>(operand_of_step<Form, Step>(p, buffers, 0));
        if (truth) run_branch<Form, Step, taken, Arch>(p, buffers);
        else run_branch<Form, Step, other, Arch>(p, buffers);
    }
};

} // namespace detail
} // namespace tx::inline TRACEXPR_TARGET::simd
