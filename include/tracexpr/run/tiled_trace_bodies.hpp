// This file holds the bodies of run/tiled_trace.hpp.
#pragma once

#include <tracexpr/backends/nodes/small_program.hpp>
#include <tracexpr/backends/tiles/run.hpp>
#include <tracexpr/run/recent_calls.hpp>
#include <tracexpr/run/tiled_trace.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// tiled_trace is a trace, and what was made of it.
struct tiled_trace {
    std::shared_ptr<runtime_program const> program;
    simd::nodes::small_program small;
    std::unique_ptr<traced_programs> by_extents; // the programs of an op on operands of any rank, by their extents
    std::uint64_t number = fresh_holder_number();
};
// Tells the tapes of this thread what a call read and returned.
[[gnu::cold]] inline void record_tiled(tiled_call const& call, graph_view const& traced) {
    buffer<seen_value> arguments, results;
    for (tiled_argument const& a : call.arguments) arguments.push_back(a.access->see(a.leaf));
    for (tiled_result const& r : call.results) results.push_back(r.access->see(r.leaf));
    if (recorder* const innermost = first_recorder()) innermost->see({traced, arguments, results, nullptr, nullptr});
}

// Traces an op for operands of these extents, or, if there are none, for what their types tell. (The trace is not opened: no op
// on tensors could belong to it, and static calls need not look for traces because of it.)
template <class Unused> graph trace_of_op(tiled_call const& call, table_view<dims> extents) {
    trace_scope scope;
    scope.append = append_graph<Unused>;
    buffer<node_id> operands, results(call.results.size());
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
        argument_access const& as = *call.arguments[k].access;
        operands.push_back(scope.recorded.append_parameter(as.type, extents.empty() ? *as.typed : extents[k]));
    }
    op_recorder const& recorder = *call.source.recorder;
    recorder.record(recorder, scope, operands.data(), results.data());
    for (node_id const id : results) scope.recorded.add_output(id);
    return std::move(scope.recorded);
}
// Traces an op to prepare it. One trace of an elementwise op, on numbers, tells how to compute it on few elements of any rank.
template <class Unused> graph trace_to_prepare(tiled_call const& call) {
    op_recorder const* const recorder = call.source.recorder;
    if (!recorder) return copied(call.source.trace);
    if (!recorder->has_open_rank) return trace_of_op<Unused>(call, {});
    if (!recorder->is_elementwise) return {};
    return trace_of_op<Unused>(call, buffer<dims>(call.arguments.size()));
}
// Makes what is kept of a trace, as for traces that are made at run time, when it is first asked for.
template <class Unused> [[gnu::cold]] tiled_trace const* prepare(tiled_call const& call) {
    tiled_source& of = call.source;
    if (of.need_routines) of.need_routines();
    simd::tiles::detail::know_compiled_routines<Unused>();
    auto program = std::make_shared<runtime_program>();
    program->traced = trace_to_prepare<Unused>(call);
    program->simplified = simplify(program->traced.view(), of.passes); // the simplified trace has the captures that are read
    auto made = std::make_unique<tiled_trace>();
    if (program->traced.view().checks.empty()) made->small = simd::nodes::small_program(program->simplified.view());
    made->program = std::move(program);
    if (of.recorder && of.recorder->has_open_rank) made->by_extents = std::make_unique<traced_programs>();
    tiled_trace const* known = nullptr;
    if (of.made.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return made.release();
    return known;
}
template <class Unused> tiled_trace const& prepared(tiled_call const& call) {
    tiled_trace const* known = call.source.made.load(std::memory_order_acquire);
    if (!known) [[unlikely]]
        known = prepare<Unused>(call);
    return *known;
}
template <class Unused> graph_view traced_of(tiled_call const& call) {
    return call.source.recorder ? prepared<Unused>(call).program->traced.view() : call.source.trace;
}

// Are the extents of a call's result those to which its arguments broadcast?
inline bool broadcasts_all(tiled_call const& call, dims const& result) {
    dims common;
    for (tiled_argument const& a : call.arguments) {
        dims const d = a.access->extents(a.leaf);
        if (!broadcastable(common, d)) return false;
        common = broadcast(common, d);
    }
    return common == result;
}
// Runs a call on few elements whose trace is of a few ops; for other calls it does nothing and returns false. `broadcasts` says
// that the trace is of an elementwise op on numbers, in place of tensors of any rank. (If the trace needs no element of an
// operand, as for whether integers are NaN, it has forgotten the operand's shape; such a call is not run here.)
template <class Unused> bool run_small(tiled_call const& call, bool broadcasts = false) {
    simd::nodes::small_program const& program = prepared<Unused>(call).small;
    if (program.is_empty()) return false;
    simd::nodes::small_program::few_values memory;
    simd::nodes::small_program::values values(memory.memory);
    for (auto const& [parameter, node] : program.arguments()) {
        tiled_argument const& a = call.arguments[parameter];
        values.set(node, a.access->data(a.leaf), [&] { return a.access->extents(a.leaf); });
    }
    if (!program.infer_extents(values)) return false;
    if (broadcasts && !broadcasts_all(call, program.output_extents(values, 0))) return false;
    void* results[simd::nodes::small_program::few_nodes];
    for (std::size_t k = 0; k < call.results.size(); ++k)
        results[k] = call.results[k].access->make(call.results[k].leaf, program.output_extents(values, k));
    program.run(values, results);
    if (call.records && innermost_recorder) [[unlikely]]
        record_tiled(call, traced_of<Unused>(call));
    return true;
}

// Finds or makes the program of one op; the thread's recent calls are searched first.
template <class Unused, class Make>
traced_program found_or_made(traced_programs& known, table_view<dims> extents, Make const& make) {
    recent_calls& recent = recent_calls::of_this_thread();
    if (traced_program found = recent.find(known.number, 0, extents); found.made) return found;
    traced_program out = known.find(extents);
    if (!out.made) {
        out = make();
        known.add(extents, out);
    }
    recent.remember(known.number, 0, extents, out);
    return out;
}

// pointers is a list of something of each of a call's leaves. For more than `InlineCapacity` leaves it allocates memory.
template <class T, std::size_t InlineCapacity = 64> class pointers {
public:
    T* with_room_for(std::size_t count) {
        if (count <= InlineCapacity) return inline_;
        allocated_ = buffer<T>(count);
        return allocated_.data();
    }

private:
    T inline_[InlineCapacity];
    buffer<T> allocated_;
};

// tiled_run is a template, so that only programs that run tiles compile it.
template <class Unused> class tiled_run {
public:
    explicit tiled_run(tiled_call const& call) : call_{call} {
        read_ = arguments_.with_room_for(call.arguments.size());
        for (std::size_t k = 0; k < call.arguments.size(); ++k) {
            tiled_argument const& a = call.arguments[k];
            read_[k] = a.access->data(a.leaf);
        }
        program_ = find_program();
    }
    void run_to_new_results() const {
        pointers<void*> room;
        void** const made = room.with_room_for(call_.results.size() + 1);
        for (std::size_t k = 0; k < call_.results.size(); ++k)
            made[k] = call_.results[k].access->make(call_.results[k].leaf, program_->output_extents(k));
        made[call_.results.size()] = nullptr; // a token has no memory
        tiles::run_program<Unused>(*program_, {read_, made});
        if (call_.records && innermost_recorder) [[unlikely]]
            record_tiled(call_, traced_of<Unused>(call_));
    }
    bool overwrite() const {
        if (program_->stops_midway) return false;
        pointers<void*> room;
        void** const own = room.with_room_for(call_.results.size() + 1);
        for (std::size_t k = 0; k < call_.results.size(); ++k) {
            tiled_result const& r = call_.results[k];
            dims const& extents = program_->output_extents(k);
            own[k] = r.access->own(r.leaf, extents);
            if (!own[k] || reads(*program_, read_, call_.arguments.size(), own[k], extents.size() * r.access->element_bytes))
                return false;
        }
        own[call_.results.size()] = nullptr;
        tiles::run_program<Unused>(*program_, {read_, own});
        return true;
    }

private:
    std::shared_ptr<program const> find_program() const {
        if (traced_of<Unused>(call_).is_static()) return find_program({});
        std::size_t const count = call_.arguments.size();
        pointers<dims, 8> extents; // all are set to 0
        dims* const to = extents.with_room_for(count);
        for (std::size_t k = 0; k < count; ++k) to[k] = call_.arguments[k].access->extents(call_.arguments[k].leaf);
        return find_program({to, count});
    }
    // Finds or makes the program. `key` are the arguments' extents; it is empty if the trace knows them.
    std::shared_ptr<program const> find_program(table_view<dims> key) const {
        tiled_source const& source = call_.source;
        tiled_trace const& known = prepared<Unused>(call_);
        recent_calls& recent = recent_calls::of_this_thread();
        traced_program found = recent.find(known.number, 0, key);
        if (found.made) return std::move(found.made);
        buffer<dims> given(key);
        if (given.empty())
            for (graph_view const trace = traced_of<Unused>(call_); node_id const id : trace.parameters)
                given.push_back(id == node_id::none ? dims{} : trace.shape_of(id));
        runtime_program const& all = *known.program;
        found = {known.program, find_or_make_program<Unused>(*all.programs, traced_of<Unused>(call_), all.simplified.view(),
                                                             given, source.passes)};
        recent.remember(known.number, 0, key, found);
        return std::move(found.made);
    }

    tiled_call const& call_;
    pointers<void const*> arguments_;
    void const** read_;
    std::shared_ptr<program const> program_;
};
template <class Unused>
traced_program program_of_op(op_programs& of, table_view<dims> extents, runtime_program (*make)(void const* by), void const* by) {
    traced_programs* known = of.made.load(std::memory_order_acquire);
    if (!known) {
        auto fresh = std::make_unique<traced_programs>();
        if (of.made.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) known = fresh.release();
    }
    return found_or_made<Unused>(*known, extents, [&] {
        auto trace = std::make_shared<runtime_program const>(make(by));
        return traced_program{trace, tiles::make_program<Unused>(trace->simplified.view(), extents, {})};
    });
}
template <class Unused>
void run_listed(program const& p, table_view<tiled_argument> arguments, table_view<tiled_result> results) {
    pointers<void const*> read;
    pointers<void*> made;
    void const** const from = read.with_room_for(arguments.size());
    void** const to = made.with_room_for(results.size() + 1);
    for (std::size_t k = 0; k < arguments.size(); ++k) from[k] = arguments[k].access->data(arguments[k].leaf);
    for (std::size_t k = 0; k < results.size(); ++k) to[k] = results[k].access->make(results[k].leaf, p.output_extents(k));
    to[results.size()] = nullptr; // a token has no memory
    tiles::run_program<Unused>(p, {from, to});
}
template <class Unused> bool run_tiled(tiled_call const& call) {
    if (!run_small<Unused>(call)) tiled_run<Unused>(call).run_to_new_results();
    return true;
}
template <class Unused> bool overwrite_tiled(tiled_call const& call) { return tiled_run<Unused>(call).overwrite(); }

// Returns the trace under way that a call is part of, because an argument is symbolic, or the result depends on what is read at
// each run; else null.
inline trace_scope* scope_of_tiled(tiled_call const& call) {
    for (tiled_argument const& a : call.arguments)
        if (symbol_scope* const owner = a.identity ? a.identity->owner() : nullptr) {
            require_live(owner, a.identity->number());
            return static_cast<trace_scope*>(owner)->root->innermost;
        }
    trace_scope* const open = innermost_trace;
    if (!open) return nullptr;
    if (call.source.trace.captures.size() > 0) return open;
    for (tiled_argument const& a : call.arguments)
        if (a.access->record ||
            (a.identity && (has_static_storage(a.leaf) || (open->watched && a.identity->number() &&
                                                           open->watched->find(a.access->see(a.leaf)) != node_id::none))))
            return open;
    return nullptr;
}
template <class Unused> appended_argument appended_leaf(trace_scope& scope, tiled_argument const& a) {
    argument_access const& as = *a.access;
    if (as.record) return {as.record(scope, a.leaf)};
    if (a.identity)
        return {record_now<Unused>(scope, {*a.identity, {a.leaf, as.data, as.extents, as.see}, as.type, *as.typed, as.to_words})};
    if (is_dual(as.type) || as.typed->rank != 0) return {node_id::none, as.data(a.leaf), as.type, as.extents(a.leaf)};
    std::uint64_t words[4]{};
    as.to_words(as.data(a.leaf), 1, words);
    return {scope.recorded.append(op::literal, as.type, dims{}, {}, {}, {words[0], is_complex(as.type) ? words[1] : 0})};
}
template <class Unused> bool run_or_append_tiled(tiled_call const& call) {
    trace_scope* const scope = scope_of_tiled(call);
    if (!scope) return run_tiled<Unused>(call);
    buffer<appended_argument> arguments;
    for (tiled_argument const& a : call.arguments) arguments.push_back(appended_leaf<Unused>(*scope, a));
    buffer<node_id> outputs(call.source.trace.outputs.size());
    scope->append(*scope, call.source.trace, arguments, outputs.data());
    for (std::size_t k = 0; k < call.results.size(); ++k)
        call.results[k].access->become(call.results[k].leaf, *scope, outputs[k]);
    return false;
}

} // namespace tx::detail::inline TRACEXPR_RUNS
