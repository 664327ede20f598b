// This file holds the tile executor: it runs a program on arguments, with memory that its thread keeps.
#pragma once

#include <tracexpr/backends/arenas.hpp>
#include <tracexpr/backends/calls/blocks.hpp>
#include <tracexpr/backends/calls/control.hpp>
#include <tracexpr/backends/calls/io.hpp>
#include <tracexpr/backends/calls/iterated_values.hpp>
#include <tracexpr/backends/step_times.hpp>
#include <tracexpr/backends/tiles/build.hpp>
#include <tracexpr/backends/tiles/iterated_body.hpp>
#include <tracexpr/backends/tiles/shared_loops.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles {

namespace detail {

template <class Unused> class program_run {
public:
    program_run(program const& of, io const& args)
        : of_{of}, g_{of.graph.view()}, p_{of.plan.view()}, args_{args},
          lease_(static_cast<std::size_t>(of.memory_bytes() + shared_bytes(of))) {
        divided_memory memory(lease_.memory());
        std::byte* const arena = memory.take(p_.arena_bytes[0]);
        std::byte* const rows = memory.take(of.row_bytes);
        buffers_ = memory.take_for<std::byte*>(p_.buffers.size());
        scratch_ = memory.take(of.scratch_bytes);
        shared_ = memory.take(0);
        for (std::size_t b = 0; b < p_.buffers.size(); ++b) buffers_[b] = resolved(b, arena, rows);
    }
    // Runs single steps of a program whose other steps another executor runs: the buffers are those of the other executor, except
    // for the rows of nests.
    program_run(program const& of, std::byte* const* buffers)
        : of_{of}, g_{of.graph.view()}, p_{of.plan.view()}, args_{},
          lease_(static_cast<std::size_t>(of.memory_bytes() - p_.arena_bytes[0] + shared_bytes(of))) {
        divided_memory memory(lease_.memory());
        std::byte* const rows = memory.take(of.row_bytes);
        buffers_ = memory.take_for<std::byte*>(p_.buffers.size());
        scratch_ = memory.take(of.scratch_bytes);
        shared_ = memory.take(0);
        for (std::size_t b = 0; b < p_.buffers.size(); ++b)
            buffers_[b] = of.rows_of_buffer[b] >= 0 ? rows + of.rows_of_buffer[b] : buffers[b];
    }
    void run() {
        run_around([](std::size_t, auto const& step) { step(); });
    }
    // Runs the program by calling around(number, run) for each step; `run` is a function that runs the step.
    template <class Around> void run_around(Around&& around) {
        for (std::size_t s = 0; s < of_.steps.size(); ++s) {
            around(s, [&] { run_step(s); });
            tx::detail::progress_begun_collectives();
        }
        for (output_copy const& c : p_.copies) {
            std::size_t const bytes = static_cast<std::size_t>(p_.buffers[static_cast<std::size_t>(c.from)].bytes);
            if (bytes && args_.outputs[c.to] != buffers_[c.from]) std::memcpy(args_.outputs[c.to], buffers_[c.from], bytes);
        }
    }

    void run_step(std::size_t number) {
        tile_step const& s = of_.steps[number];
        switch (s.tag) {
        case tile_step::kind::loops: return run_loops(number);
        case tile_step::kind::call: return run_call(number);
        case tile_step::kind::check: return check_places(number);
        case tile_step::kind::branches: return run_regions(number);
        case tile_step::kind::effect: return do_effect(number);
        case tile_step::kind::routine: return run_routine(number);
        }
    }

private:
    std::byte* resolved(std::size_t b, std::byte* arena, std::byte* rows) const {
        plan_buffer const& of = p_.buffers[b];
        void const* at = nullptr;
        switch (of.place) {
        case buffer_place::argument: at = args_.arguments[of.number]; break;
        case buffer_place::output: at = args_.outputs[of.number]; break;
        case buffer_place::arena: at = of_.rows_of_buffer[b] >= 0 ? rows + of_.rows_of_buffer[b] : arena + of.offset; break;
        case buffer_place::capture: {
            captured const& c = g_.captures[static_cast<std::size_t>(of.number)];
            at = c.data(c.address);
            break;
        }
        case buffer_place::constant: at = of_.constants[b].data(); break;
        }
        alignas(64) static std::byte none[64]; // for tensors without elements
        return at ? static_cast<std::byte*>(const_cast<void*>(at)) : none;
    }

    // Returns the bytes of the step whose pieces need most, which are stored one after the other.
    static std::int64_t shared_bytes(program const& of) {
        std::int64_t most = 0;
        if (simd::detail::threads_here > 1)
            for (std::size_t s = 0; s < of.steps.size(); ++s)
                most = std::max(most, shared_step<Unused>(of.steps[s], of.plan.view(), s).memory_bytes());
        return most;
    }
    void run_loops(std::size_t number) {
        tile_step const& s = of_.steps[number];
        if (shared_step<Unused> const shared(s, p_, number); !shared.is_whole()) return shared.run(buffers_, shared_);
        divided_memory memory(scratch_);
        detail::run_loops<Unused>(s, s.outer, make_loops<Unused>(s, buffers_, memory));
    }

    std::byte* operand(plan_step const& s, std::size_t k) const {
        plan_access const& a = p_.accesses[s.operands.first + k];
        return buffers_[a.buffer] + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type));
    }
    std::byte const* indices(tile_step const& s, std::byte* from) const {
        if (!s.convert) return from;
        s.convert(scratch_, from, nullptr, nullptr, nullptr, s.index_count);
        return scratch_;
    }
    // The buffer of result k of a call; it is negative if nobody needs that result.
    std::int32_t buffer_of_result(plan_step const& s, std::size_t k) const {
        if (k == 0) return p_.buffer_of[index(s.call)];
        return p_.accesses[s.operands.first + value_operands(g_[s.call]) + k - 1].buffer;
    }
    // The address of result k of a call; a result that nobody needs goes to memory from `spare` on.
    std::byte* result(plan_step const& s, std::size_t k, value_spec const& spec, std::byte*& spare) const {
        if (std::int32_t const b = buffer_of_result(s, k); b >= 0) return buffers_[b];
        std::byte* const own = spare;
        spare += (spec.shape.size() * static_cast<std::int64_t>(size_in_bytes(spec.type)) + 63) / 64 * 64;
        return own;
    }
    void run_call(std::size_t number) {
        plan_step const& s = p_.steps[number];
        tile_step const& to = of_.steps[number];
        node const& n = g_[s.call];
        std::byte literal[32]{};
        call_operand operands[most_operands];
        std::vector<call_operand> many;
        call_operand* all = operands;
        std::size_t const count = value_operands(n);
        if (count > most_operands) many.resize(count), all = many.data();
        for (std::size_t k = 0; k < count; ++k) {
            plan_access const& a = p_.accesses[s.operands.first + k];
            if (a.buffer < 0) {
                node_id from = g_.operand(n, k);
                while (g_[from].code != op::literal) from = g_.operand(g_[from], 0);
                put_literal<Unused>(g_[from].type, {g_[from].bits[0], g_[from].bits[1]}, literal);
            }
            std::byte const* data = a.buffer < 0 ? literal : operand(s, k);
            if (k + 1 == count) data = indices(to, const_cast<std::byte*>(data));
            all[k] = {data, p_.extents[index(g_.operand(n, k))], a.outer};
        }
        std::byte* results[4];
        std::byte* spare = scratch_ + to.index_count * 8 + 64;
        for (std::size_t k = 0; k < static_cast<std::size_t>(info(n.code).results); ++k)
            results[k] = result(s, k, result_spec(g_, n, p_.extents[index(s.call)], all[0].extents, k), spare);
        to.call({all, count}, results, p_.extents[index(s.call)], g_.attributes_of(n));
    }
    void check_places(std::size_t number) {
        plan_step const& s = p_.steps[number];
        node const& n = g_[s.call];
        int const along = static_cast<int>(g_.attributes_of(n)[0]);
        auto const* const from = reinterpret_cast<std::int64_t const*>(indices(of_.steps[number], operand(s, 0)));
        check_indices(from, p_.extents[index(g_.operand(n, 1))].size(), p_.extents[index(g_.operand(n, 0))][along], along,
                      info(n.code).name.data());
    }
    buffer<tx::detail::shown_value> values_of(plan_step const& s) const {
        node const& n = g_[s.call];
        buffer<tx::detail::shown_value> values;
        for (std::size_t k = 0; k < value_operands(n); ++k) {
            node_id const id = g_.operand(n, k);
            values.push_back({operand(s, k), g_[id].type, p_.extents[index(id)]});
        }
        return values;
    }
    void run_routine(std::size_t number) {
        plan_step const& s = p_.steps[number];
        node const& n = g_[s.call];
        std::byte* results[4]{};
        for (std::size_t k = 0; k < static_cast<std::size_t>(info(n.code).results); ++k)
            if (std::int32_t const b = buffer_of_result(s, k); b >= 0) results[k] = buffers_[b];
        buffer<tx::detail::shown_value> const values = values_of(s);
        tx::detail::run_routine<>({n.code, g_.attributes_of(n), values, n.type, p_.extents[index(s.call)], results});
    }
    void do_effect(std::size_t number) {
        plan_step const& s = p_.steps[number];
        node const& n = g_[s.call];
        buffer<tx::detail::shown_value> const values = values_of(s);
        if (is_callback(n)) return call_foreign(s, values);
        auto const known = tx::detail::known_effects.load(std::memory_order_relaxed);
        if (!known)
            throw error("tx: " + std::string(name(n.code)) +
                        ": this program doesn't mention it; link tracexpr::compiled, which always has it");
        known(n.code, g_.attributes_of(n), values);
    }
    void call_foreign(plan_step const& s, table_view<tx::detail::shown_value> values) {
        buffer<std::byte*> results;
        for (std::size_t k = 0; k <= call_form(g_.attributes_of(g_[s.call])).results(); ++k) {
            std::int32_t const b = buffer_of_result(s, k);
            results.push_back(b >= 0 ? buffers_[b] : nullptr);
        }
        tx::detail::call_foreign(g_[s.call].code, g_.attributes_of(g_[s.call]), values, p_.extents[index(s.call)],
                                 results.data());
    }
    void run_regions(std::size_t number) {
        plan_step const& s = p_.steps[number];
        node const& n = g_[s.call];
        attribute_span const regions = g_.attributes_of(n);
        switch (n.code) {
        case op::cond: return run_branch(s, regions[*reinterpret_cast<bool const*>(operand(s, 0)) ? 0 : 1], nullptr);
        case op::with_range: {
            simd::detail::range_memory const range(*reinterpret_cast<std::int64_t const*>(operand(s, 0)));
            return run_branch(s, regions[0], &range);
        }
        case op::blocks: return run_blocks(s);
        default: return run_iterations(s);
        }
    }
    void run_blocks(plan_step const& s) {
        node const& n = g_[s.call];
        block_form const form = block_form::of(n);
        attribute_span const regions = g_.attributes_of(n);
        std::vector<loop_value> operands, outputs;
        buffer<dims> extents;
        auto const bytes = [](dims const& d, dtype t) { return d.size() * static_cast<std::int64_t>(size_in_bytes(t)); };
        for (std::size_t k = 0; k < n.arity; ++k) {
            node_id const id = g_.operand(n, k);
            extents.push_back(p_.extents[index(id)]);
            operands.push_back(
                {operand(s, k), bytes(k < form.sequences ? without_leading(extents[k]) : extents[k], g_[id].type)});
        }
        std::int64_t const length = extents[0][0], block = form.block > 0 ? form.block : std::max<std::int64_t>(length, 1);
        auto const program_of = [&](std::int64_t region, std::int64_t places) {
            for (std::size_t k = 0; k < form.sequences; ++k) extents[k][0] = places;
            return of_.branches->template find<Unused>(g_, region, extents);
        };
        auto const body = program_of(regions[0], block);
        auto const rest = length % block ? program_of(regions[1], length % block) : body;
        buffer<dims> pieces;
        for (std::size_t k = 0; k < body->graph.outputs().size(); ++k) {
            dims const& d = body->output_extents(k);
            std::int32_t const b = buffer_of_result(s, k);
            outputs.push_back(
                {b < 0 ? nullptr : buffers_[b], bytes(k < form.joined ? d : without_leading(d), body->output_type(k))});
            if (k < form.joined) pieces.push_back(d);
        }
        for (std::size_t k = 0; k < form.joined; ++k) pieces.push_back(dims(pieces[k]));
        auto const join = form.joined ? of_.branches->template find<Unused>(g_, regions[2], pieces) : body;
        block_run(form, length, block, {operands.data(), operands.size()}, {outputs.data(), outputs.size()})
            .run(
                simd::detail::threads_here,
                [&](io const& args, std::int64_t places) { program_run(places == block ? *body : *rest, args).run(); },
                [&](io const& args) { program_run(*join, args).run(); });
    }
    // Runs a region once.
    void run_branch(plan_step const& s, std::int64_t region, simd::detail::range_memory const* range) {
        node const& n = g_[s.call];
        std::size_t const values = value_operands(n), before = range ? 0 : 1;
        std::vector<void const*> arguments(n.arity);
        buffer<dims> extents;
        if (range) arguments[0] = range->data(), extents.push_back(range->extents());
        for (std::size_t k = 1; k < n.arity; ++k) {
            arguments[k - before] = k < values ? operand(s, k) : nullptr;
            extents.push_back(p_.extents[index(g_.operand(n, k))]);
        }
        std::shared_ptr<program const> const own = of_.branches->template find<Unused>(g_, region, extents);
        graph_view const branch = own->graph.view();
        std::vector<void*> outputs(branch.outputs.size());
        std::vector<std::unique_ptr<std::byte[]>> unneeded(outputs.size());
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            node_id const id = branch.outputs[k];
            if (std::int32_t const b = buffer_of_result(s, k); b >= 0) outputs[k] = buffers_[b];
            else {
                unneeded[k] = std::make_unique<std::byte[]>(
                    static_cast<std::size_t>(own->plan.extents[index(id)].size()) * size_in_bytes(branch[id].type) + 1);
                outputs[k] = unneeded[k].get();
            }
        }
        program_run(*own, {arguments.data(), outputs.data()}).run();
    }
    void run_iterations(plan_step const& s) {
        node const& n = g_[s.call];
        iterated_values values(
            g_, p_, n, [&](std::size_t k) { return operand(s, k); },
            [&](std::size_t k) {
                std::int32_t const b = buffer_of_result(s, k);
                return b < 0 ? nullptr : buffers_[b];
            });
        auto const body = of_.branches->template find<Unused>(g_, values.body(), values.extents);
        values.note_outputs(*body);
        loop_buffers memory(values.form, values.all_operands(), values.all_outputs());
        iterated_body<Unused> run_body(*body, {values.extents.data(), values.extents.size()});
        if (!values.is_while) return run_scan(memory, values.form, values.length, run_body);
        auto const condition = of_.branches->template find<Unused>(g_, values.condition(), values.extents);
        iterated_body<Unused> run_condition(*condition, {values.extents.data(), values.extents.size()});
        auto const goes_on = [&](void const* const* arguments) {
            bool truth = false;
            void* results[2]{&truth, nullptr};
            run_condition({arguments, results});
            return truth;
        };
        std::int64_t const times = run_while(memory, goes_on, run_body);
        if (values.iterations) *reinterpret_cast<std::int64_t*>(values.iterations) = times;
    }

    static constexpr std::size_t most_operands = 8;
    program const& of_;
    graph_view g_;
    plan_view p_;
    io args_;
    tx::detail::arena_lease lease_;
    std::byte** buffers_ = nullptr;
    std::byte *scratch_ = nullptr, *shared_ = nullptr;
};

} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles
