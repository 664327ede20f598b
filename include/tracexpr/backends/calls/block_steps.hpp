// This file runs op::blocks (a part of the graph which is run for one block of an axis after the other) in programs whose graph
// the compiler knows.
#pragma once

#include <tracexpr/backends/calls/blocks.hpp>
#include <tracexpr/backends/calls/control.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::blocks, Form, Step, Arch> {
    static constexpr graph_view g = Form::graph();
    static constexpr node n = g[Form::plan().steps[Step].call];
    static constexpr block_form form = block_form::of(n);
    static constexpr table_view<std::int64_t> regions = g.attributes_of(n);
    static constexpr std::int64_t body_number = regions[0], rest_number = regions[1], join_number = regions[regions.size() - 1];
    using body = tx::detail::region_stages<Form, body_number>;
    using rest = tx::detail::region_stages<Form, rest_number>;
    using join = tx::detail::region_stages<Form, join_number>;
    static constexpr std::size_t results = body::graph().outputs.size();

    static void run(plan_view const& p, std::byte* const* buffers) {
        loop_value operands[n.arity], outputs[results];
        // The extents of the joined results are listed twice: for the earlier and for the later block.
        dims extents[n.arity], joined[2 * form.joined + 1];
        auto const bytes = [](dims const& d, dtype t) { return d.size() * static_cast<std::int64_t>(size_in_bytes(t)); };
        for (std::size_t k = 0; k < n.arity; ++k) {
            node_id const id = g.operand(n, k);
            extents[k] = p.extents[index(id)];
            dims const counted = k < form.sequences ? without_leading(extents[k]) : extents[k];
            operands[k] = {operand_of_step<Form, Step>(p, buffers, k), bytes(counted, g[id].type)};
        }
        std::int64_t const length = cut_length({extents, form.sequences}), block = block_of(extents, length);
        // The plan is valid until the next plan of a body is made.
        plan_of<body> const& own = planned<body>(extents, std::min(block, length));
        for (std::size_t k = 0; k < results; ++k) {
            node_id const id = body::graph().outputs[k];
            dims const d = own.extents[index(id)];
            if (k < form.joined) joined[k] = joined[k + form.joined] = d;
            outputs[k] = {wanted_result<Form, Step>(p, buffers, k),
                          bytes(k < form.joined ? d : without_leading(d), body::graph()[id].type)};
        }
        block_run const all(form, length, block, {operands, n.arity}, {outputs, results});
        int const threads = Form::passes.threads ? threads_here : 1;
        all.run(
            threads,
            [&](io const& args, std::int64_t places) {
                if constexpr (form.block == 0) run_region<body, Arch>(planned<body>(extents, places), args);
                else if (places == block) run_region<body, Arch>(own, args);
                else run_region<rest, Arch>(planned<rest>(extents, places), args);
            },
            [&](io const& args) {
                if constexpr (form.joined > 0)
                    run_region<join, Arch>(tx::detail::plan_for<join>(table_view<dims>(joined, 2 * form.joined)), args);
            });
    }

private:
    template <class Region> static tx::detail::plan_for_call<Region> planned(dims const* extents, std::int64_t places) {
        dims given[n.arity];
        std::size_t const cut = is_cut({extents, form.sequences}) ? form.sequences : 0;
        for (std::size_t k = 0; k < n.arity; ++k) {
            given[k] = extents[k];
            if (k < cut) given[k][0] = places;
        }
        return tx::detail::plan_for<Region>(table_view<dims>(given, n.arity));
    }
    static std::int64_t block_of(dims const* extents, std::int64_t length) {
        if constexpr (form.block > 0) return form.block;
        constexpr std::int64_t short_length = 16; // A length up to this is always one block.
        if (length <= short_length || !is_cut({extents, form.sequences})) return std::max<std::int64_t>(length, 1);
        std::int64_t const tried = std::max<std::int64_t>(std::min(length, tried_block), 1);
        return chosen_block(tried, planned<body>(extents, tried).arena_bytes[0], length);
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
