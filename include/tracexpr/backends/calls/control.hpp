// This file runs steps that run regions of the graph, or have effects. All operands are contiguous.
#pragma once

#include <tracexpr/backends/calls/loop_buffers.hpp>
#include <tracexpr/backends/calls/scalar_states.hpp>
#include <tracexpr/backends/plans.hpp>
#include <tracexpr/backends/run_as.hpp>
#include <tracexpr/graph/foreign_call.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/graph/routines.hpp>
#include <tracexpr/graph/shown.hpp>

#include <cstddef>
#include <memory>

namespace tx::inline TRACEXPR_TARGET::simd {

using tx::detail::plan_of;

template <class Form, class Arch> TRACEXPR_NOINLINE void run_region(plan_of<Form> const& p, io const& args);
template <class Form, class Arch> TRACEXPR_INLINE void run_static(plan_of<Form> const& p, io const& args);

namespace detail {

// A range_memory holds the numbers 0 .. count - 1, in memory that the thread keeps.
class range_memory {
public:
    explicit range_memory(std::int64_t count) : count_{count < 0 ? 0 : count}, lease_(static_cast<std::size_t>(count_) * 8 + 8) {
        auto* const to = reinterpret_cast<std::int64_t*>(lease_.memory());
        for (std::int64_t i = 0; i < count_; ++i) to[i] = i;
    }
    std::byte const* data() const { return lease_.memory(); }
    dims extents() const { return dims{{count_}, 1}; }

private:
    std::int64_t count_;
    tx::detail::arena_lease lease_;
};

// A machine says what runs regions, and where their values are. This one is the processor that the program runs on, with kernels
// for Arch.
template <class Arch> struct this_machine {
    static constexpr bool has_registers = true;
    using block = std::unique_ptr<std::byte[]>;
    using loops = loop_buffers;
    static block allocate(std::int64_t bytes) {
        // the compiler considers negative sizes
        return std::make_unique<std::byte[]>(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    }
    static std::byte* address(block const& b) { return b.get(); }
    // `flag` is the result of a condition.
    struct flag {
        mutable bool truth = false;
    };
    static flag make_flag() { return {}; }
    static std::byte* address(flag const& f) { return reinterpret_cast<std::byte*>(&f.truth); }
    template <class T> static T read(std::byte const* at) { return *reinterpret_cast<T const*>(at); }
    static void write(std::byte* at, std::int64_t value) { *reinterpret_cast<std::int64_t*>(at) = value; }
    static range_memory range(std::int64_t count) { return range_memory(count); }
    template <class Region> static void run(plan_of<Region> const& p, io const& args) { run_region<Region, Arch>(p, args); }
    // Runs the body of a loop. It is inlined, so that the state of a small body stays in registers.
    template <class Region> static TRACEXPR_INLINE void iterate(plan_of<Region> const& p, io const& args) {
        run_static<Region, Arch>(p, args);
    }
    static loops make_loops(loop_form const& form, table_view<loop_value> operands, table_view<loop_value> outputs) {
        return {form, operands, outputs};
    }
};

template <class Form, std::size_t Step> std::byte* operand_of_step(plan_view const& p, std::byte* const* buffers, std::size_t k) {
    plan_access const& a = p.accesses[p.steps[Step].operands.first + k];
    return buffers[a.buffer] + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type));
}

// The address of a call's result number k, or null if nobody needs it.
template <class Form, std::size_t Step> std::byte* wanted_result(plan_view const& p, std::byte* const* buffers, std::size_t k) {
    constexpr node_id call = Form::plan().steps[Step].call;
    constexpr std::size_t values = value_operands(Form::graph()[call]);
    std::int32_t const b = k == 0 ? p.buffer_of[index(call)] : p.accesses[p.steps[Step].operands.first + values + k - 1].buffer;
    return b < 0 ? nullptr : buffers[b];
}
// The address of a call's result number k; a result that nobody needs gets memory of its own, owned by `own`.
template <class Form, std::size_t Step, class Machine>
std::byte* result_of_step(Machine const& on, plan_view const& p, std::byte* const* buffers, std::size_t k, value_spec const& spec,
                          typename Machine::block& own) {
    if (std::byte* const wanted = wanted_result<Form, Step>(p, buffers, k)) return wanted;
    own = on.allocate(spec.shape.size() * static_cast<std::int64_t>(size_in_bytes(spec.type)));
    return on.address(own);
}

// The operands of a call that takes any dtypes.
template <class Form, std::size_t Step> struct values_of_step {
    static constexpr node n = Form::graph()[Form::plan().steps[Step].call];
    static constexpr std::size_t count = value_operands(n);
    tx::detail::shown_value all[count + 1];

    values_of_step(plan_view const& p, std::byte* const* buffers) {
        constexpr graph_view g = Form::graph();
        for (std::size_t k = 0; k < count; ++k) {
            node_id const id = g.operand(n, k);
            all[k] = {operand_of_step<Form, Step>(p, buffers, k), g[id].type, p.extents[index(id)]};
        }
    }
    operator table_view<tx::detail::shown_value>() const { return {all, count}; }
};
template <class Form, std::size_t Step, class Arch> struct run_as<strategy::routine, Form, Step, Arch> {
    static void run(plan_view const& p, std::byte* const* buffers) {
        constexpr node_id call = Form::plan().steps[Step].call;
        constexpr node n = Form::graph()[call];
        values_of_step<Form, Step> const values(p, buffers);
        std::byte* results[static_cast<std::size_t>(info(n.code).results)];
        for (std::size_t k = 0; k < std::size(results); ++k) results[k] = wanted_result<Form, Step>(p, buffers, k);
        tx::detail::run_routine<>({n.code, Form::graph().attributes_of(n), values, n.type, p.extents[index(call)], results});
    }
};

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::effect, Form, Step, Arch> {
    static void run(plan_view const& p, std::byte* const* buffers) {
        constexpr graph_view g = Form::graph();
        constexpr node_id call = Form::plan().steps[Step].call;
        constexpr node n = g[call];
        values_of_step<Form, Step> const values(p, buffers);
        if constexpr (is_callback(n)) {
            constexpr std::size_t results = call_form(g.attributes_of(n)).results() + 1;
            std::byte* to[results];
            for (std::size_t k = 0; k < results; ++k) to[k] = wanted_result<Form, Step>(p, buffers, k);
            tx::detail::call_foreign(n.code, g.attributes_of(n), values, p.extents[index(call)], to);
        } else tx::detail::do_effect<>(n.code, g.attributes_of(n), values);
    }
};

// Runs a region once. The operands of the node are its arguments, except that the first is a predicate, which the region is not
// given, or is replaced by a range. Its outputs are the node's results.
template <class Form, std::size_t Step, std::int64_t Number, class Machine, class Range = range_memory>
void run_branch(Machine const& on, plan_view const& p, std::byte* const* buffers, Range const* range = nullptr) {
    using region = tx::detail::region_stages<Form, Number>;
    constexpr plan_step form = Form::plan().steps[Step];
    constexpr graph_view g = Form::graph();
    constexpr node n = g[form.call];
    constexpr graph_view branch = region::graph();
    constexpr std::size_t values = value_operands(n), results = branch.outputs.size();
    void const* arguments[n.arity];
    dims extents[n.arity];
    constexpr std::size_t before = n.code == op::cond ? 1 : 0;
    if (range) arguments[0] = range->data(), extents[0] = range->extents();
    for (std::size_t k = 1; k < n.arity; ++k) {
        arguments[k - before] = k < values ? operand_of_step<Form, Step>(p, buffers, k) : nullptr;
        extents[k - before] = p.extents[index(g.operand(n, k))];
    }
    plan_of<region> const& own = tx::detail::plan_for<region>(table_view<dims>(extents, n.arity - before));
    typename Machine::block unneeded[results];
    void* outputs[results];
    for (std::size_t k = 0; k < results; ++k) {
        node_id const output = branch.outputs[k];
        value_spec const spec{branch[output].type, own.extents[index(output)]};
        outputs[k] = result_of_step<Form, Step>(on, p, buffers, k, spec, unneeded[k]);
    }
    on.template run<region>(own, io{arguments, outputs});
}

// loop_values holds the operands and outputs of a loop's regions, and the extents of their parameters.
template <class Form, std::size_t Step> struct loop_values {
    static constexpr node n = Form::graph()[Form::plan().steps[Step].call];
    static constexpr loop_form form = loop_form::of(n);
    static constexpr std::size_t values = value_operands(n), count = result_count(Form::graph(), n),
                                 outputs_count = count - (n.code == op::while_loop ? 1 : 0);
    loop_value operands[n.arity + 1], outputs[outputs_count + 1];
    dims extents[n.arity + 1];
    std::int64_t length = 0;
    std::byte* iterations = nullptr; // The address of a while_loop's count of iterations, or null if nobody needs it.

    loop_values(plan_view const& p, std::byte* const* buffers) {
        constexpr graph_view g = Form::graph();
        for (std::size_t k = 0; k < n.arity; ++k) {
            node_id const id = g.operand(n, k);
            extents[k] = p.extents[index(id)];
            if (k >= values) continue;
            if (n.code == op::scan && form.is_sequence(k)) length = extents[k][0], extents[k] = without_leading(extents[k]);
            operands[k] = {operand_of_step<Form, Step>(p, buffers, k),
                           extents[k].size() * static_cast<std::int64_t>(size_in_bytes(g[id].type))};
        }
        for (std::size_t k = 0; k < count; ++k) {
            bool const is_count = n.code == op::while_loop && k == form.states;
            std::byte* const data = wanted_result<Form, Step>(p, buffers, k);
            if (is_count) iterations = data;
            else outputs[n.code == op::while_loop && k > form.states ? k - 1 : k].data = data;
        }
    }
    template <class Region> void note_outputs(plan_view const& own) {
        if constexpr (n.code == op::scan) note_states(form, Region::graph(), outputs, outputs_count);
        for (std::size_t k = 0; k < outputs_count; ++k) {
            node_id const output = Region::graph().outputs[k];
            if (Region::graph()[output].type != dtype::token)
                outputs[k].bytes =
                    own.extents[index(output)].size() * static_cast<std::int64_t>(size_in_bytes(Region::graph()[output].type));
        }
    }
    table_view<dims> argument_extents() const { return {extents, n.arity}; }
    // Calls run(memory), where `memory` holds the values of a loop with that body.
    template <class Body, class Machine, class F> TRACEXPR_INLINE auto with_memory(Machine const& on, F const& run) const {
        using scalars = scalar_states<Body, form>;
        if constexpr (requires { requires Machine::has_registers && scalars::are_kept; }) {
            typename scalars::elements now, next;
            typename scalars::unneeded spare;
            scalars memory(operands, outputs, now, next, spare);
            return run(memory);
        } else {
            auto memory = on.make_loops(form, {operands, n.arity}, {outputs, outputs_count});
            return run(memory);
        }
    }
};
template <class Form, std::size_t Step, class Machine>
void run_scan_step(Machine const& on, plan_view const& p, std::byte* const* buffers) {
    using body = tx::detail::region_stages<Form, Form::graph().attributes_of(Form::graph()[Form::plan().steps[Step].call])[0]>;
    loop_values<Form, Step> values(p, buffers);
    plan_of<body> const& own = tx::detail::plan_for<body>(values.argument_extents());
    values.template note_outputs<body>(own);
    values.template with_memory<body>(on, [&](auto& memory) TRACEXPR_INLINE_LAMBDA {
        run_scan(memory, values.form, values.length,
                 [&](io const& args) TRACEXPR_INLINE_LAMBDA { on.template iterate<body>(own, args); });
    });
}
template <class Form, std::size_t Step, class Machine>
void run_while_step(Machine const& on, plan_view const& p, std::byte* const* buffers) {
    constexpr table_view<std::int64_t> regions = Form::graph().attributes_of(Form::graph()[Form::plan().steps[Step].call]);
    constexpr std::int64_t condition_number = regions[0], body_number = regions[1];
    using condition = tx::detail::region_stages<Form, condition_number>;
    using body = tx::detail::region_stages<Form, body_number>;
    loop_values<Form, Step> values(p, buffers);
    plan_of<condition> const& asked = tx::detail::plan_for<condition>(values.argument_extents());
    plan_of<body> const& own = tx::detail::plan_for<body>(values.argument_extents());
    values.template note_outputs<body>(own);
    typename Machine::flag const truth = on.make_flag();
    auto const goes_on = [&](void const* const* arguments) TRACEXPR_INLINE_LAMBDA {
        void* outputs[2]{on.address(truth), nullptr};
        on.template iterate<condition>(asked, io{arguments, outputs});
        return on.template read<bool>(on.address(truth));
    };
    std::int64_t const count = values.template with_memory<body>(on, [&](auto& memory) TRACEXPR_INLINE_LAMBDA {
        return run_while(memory, goes_on, [&](io const& args) TRACEXPR_INLINE_LAMBDA { on.template iterate<body>(own, args); });
    });
    if (values.iterations) on.write(values.iterations, count);
}
template <class Form, std::size_t Step, class Machine>
void run_regions(Machine const& on, plan_view const& p, std::byte* const* buffers) {
    constexpr op code = Form::graph()[Form::plan().steps[Step].call].code;
    constexpr table_view<std::int64_t> regions = Form::graph().attributes_of(Form::graph()[Form::plan().steps[Step].call]);
    constexpr std::int64_t first = regions[0], other = regions[regions.size() - 1];
    if constexpr (code == op::scan) {
        run_scan_step<Form, Step>(on, p, buffers);
    } else if constexpr (code == op::while_loop) {
        run_while_step<Form, Step>(on, p, buffers);
    } else if constexpr (code == op::with_range) {
        auto const range = on.range(on.template read<std::int64_t>(operand_of_step<Form, Step>(p, buffers, 0)));
        run_branch<Form, Step, first>(on, p, buffers, &range);
    } else {
        bool const truth = on.template read<bool>(operand_of_step<Form, Step>(p, buffers, 0));
        if (truth) run_branch<Form, Step, first>(on, p, buffers);
        else run_branch<Form, Step, other>(on, p, buffers);
    }
}
template <class Form, std::size_t Step, class Arch> struct run_as<strategy::branches, Form, Step, Arch> {
    static void run(plan_view const& p, std::byte* const* buffers) { run_regions<Form, Step>(this_machine<Arch>(), p, buffers); }
};

} // namespace detail
} // namespace tx::inline TRACEXPR_TARGET::simd
