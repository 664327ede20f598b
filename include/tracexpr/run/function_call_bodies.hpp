// This file holds the bodies of run/function_call.hpp.
#pragma once

#include <tracexpr/graph/kept_calls.hpp>
#include <tracexpr/graph/recorded_calls.hpp>
#include <tracexpr/run/function_call.hpp>
#include <tracexpr/run/tiled_trace_bodies.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// call_shapes are the shapes of a call's leaves: as they are (`given`), as types tell them (`typed`), with their ranks
// (`ranked`), and with their extents where types leave the rank open (`exact`).
struct call_shapes {
    buffer<dims> given, typed, ranked, exact;

    explicit call_shapes(function_call const& call) {
        for (std::size_t k = 0; k < call.arguments.size(); ++k) {
            tiled_argument const& a = call.arguments[k];
            dims const& type = *a.access->typed;
            given.push_back(a.access->extents(a.leaf));
            exact.push_back(type.rank < 0 ? given.back() : type);
            ranked.push_back(exact.back());
            for (int axis = 0; type.rank < 0 && axis < ranked.back().rank; ++axis) ranked.back()[axis] = dyn;
            typed.push_back(type);
            if (k >= call.given) typed.back() = ranked.back() = exact.back(); // what the callable holds
        }
    }
};
inline key_values keys_of(function_call const& call) {
    key_values out;
    if (call.kind.add_keys) call.kind.add_keys(call.typed, out);
    return out;
}
template <class Unused>
runtime_program traced_for(function_call const& call, table_view<dims> shapes, void const* const* elements) {
    return traced_by<Unused>({shapes, elements, call.kind.trace, call.typed, call.kind.passes, call.kind.returns_nothing});
}
template <class Unused> trace_maker maker_of(function_call const& call) {
    return {&call,
            [](void const* of, table_view<dims> shapes) {
                return traced_for<Unused>(*static_cast<function_call const*>(of), shapes, nullptr);
            },
            [](void const* of, graph_view const& traced) {
                function_call const& c = *static_cast<function_call const*>(of);
                return c.kind.describe(c.typed, traced);
            }};
}
template <class Unused> std::shared_ptr<runtime_program const> trace_of_function(function_call const& call, knowledge known) {
    call_shapes const shapes(call);
    key_values const keys = keys_of(call);
    trace_maker const maker = maker_of<Unused>(call);
    if (known == knowledge::none)
        return call.traces.template find_or_make<Unused>(call.signature, keys, shapes.typed, call.reduces_retracing, maker);
    buffer<buffer<dims>> choices;
    if (known == knowledge::as_little_as_it_can) choices.push_back(shapes.typed), choices.push_back(shapes.ranked);
    choices.push_back(shapes.exact);
    if (!(shapes.exact == shapes.given)) choices.push_back(shapes.given); // for a callable that asks for extents
    return call.traces.template find_or_trace<Unused>(call.signature, keys, choices, shapes.given, call.reduces_retracing, maker);
}
template <class Unused> void adopt_trace(function_call const& call, std::shared_ptr<runtime_program const> const& trace) {
    call.traces.template adopt<Unused>(call.signature, keys_of(call), call_shapes(call).typed, trace,
                                       call.kind.describe(call.typed, trace->traced.view()));
}
template <class Unused> buffer<stored_variable> variables_of(function_call const& call) {
    buffer<stored_variable> out;
    for (tiled_argument const& a : call.arguments) out.push_back(variable_of(a));
    return out;
}

struct seen_leaves {
    buffer<seen_value> arguments, results;

    explicit seen_leaves(function_call const& call) {
        for (tiled_argument const& a : call.arguments) arguments.push_back(a.access->see(a.leaf));
    }
    void add_results(function_call const& call) {
        for (tiled_result const& r : call.results.all) results.push_back(r.access->see(r.leaf));
    }
};
// Records a call in another trace. Derivatives that a user gave belong to the trace they were recorded in, so a callable with
// some is traced anew, into the tape's trace.
inline void record_anew(void const* of, trace_scope& scope) {
    function_call const& call = *static_cast<function_call const*>(of);
    call.kind.record_inlined(call.typed, scope);
}
inline bool is_recorded_anew(function_call const& call, graph_view const& traced) {
    return !call.kind.gives_nothing && has_custom_derivatives(traced);
}
template <class Unused> void record_function(function_call const& call, graph_view const& traced) {
    seen_leaves seen(call);
    seen.add_results(call);
    recorder* const innermost = first_recorder();
    if (!innermost) return;
    if (is_recorded_anew(call, traced)) innermost->see({traced, seen.arguments, seen.results, record_anew, &call});
    else innermost->see({traced, seen.arguments, seen.results, nullptr, nullptr});
}

// Returns the graph with further outputs behind its own first ones: the results of calls of the user's functions, and of nodes
// that have such calls in their regions.
inline graph with_calls_as_outputs(graph_view const& g, std::size_t results) {
    graph out = copied(g);
    out.clear_outputs();
    for (std::size_t k = 0; k < results; ++k) out.add_output(g.outputs[k]);
    for (std::size_t i = 0; i < g.size(); ++i)
        if (is_result_of_effect(g, g.nodes[i])) out.add_output(to_id(i));
    if (std::size_t const values = value_outputs(g); values < g.outputs.size()) out.add_output(g.outputs[values]);
    return out;
}

template <class Unused> class function_run {
public:
    explicit function_run(function_call const& call) : call_{call} {
        std::size_t const count = call.arguments.size();
        read_ = call.room.data ? call.room.data : arguments_.with_room_for(count);
        dims* const extents = call.room.extents ? call.room.extents : extents_.with_room_for(count);
        for (std::size_t k = 0; k < count; ++k) {
            tiled_argument const& a = call.arguments[k];
            read_[k] = a.access->data(a.leaf);
            extents[k] = a.access->extents(a.leaf);
        }
        shapes_ = {extents, count};
    }
    void eagerly() {
        need_routines(nullptr);
        runtime_program const once = traced_for<Unused>(call_, shapes_, read_);
        need_routines(once.form.get());
        constexpr pass_options node_by_node{.simplify = false, .cluster = false};
        compute(once, *tiles::make_program<Unused>(once.traced.view(), shapes_, node_by_node));
    }
    void run() {
        traced_program const found = find();
        compute(*found.trace, *found.made);
    }
    bool overwrite() {
        traced_program const found = find();
        if (!found.trace->traced.view().assigned.empty() || found.made->stops_midway) return false;
        if (call_.kind.has_form && !call_.kind.has_form(call_.typed, found.trace->form.get())) return false;
        pointers<void*> room;
        table_view<tiled_result> const results = call_.results.all;
        void** const own = room.with_room_for(results.size() + 1);
        for (std::size_t k = 0; k < results.size(); ++k) {
            dims const& extents = found.made->output_extents(k);
            own[k] = results[k].access->own(results[k].leaf, extents);
            if (!own[k] || reads<Unused>(*found.made, read_, call_.arguments.size(), own[k],
                                         extents.size() * results[k].access->element_bytes))
                return false;
        }
        own[results.size()] = nullptr;
        tiles::run_program<Unused>(*found.made, {read_, own});
        return true;
    }

private:
    void need_routines(void const* result_form) const {
        if (call_.kind.need_routines) call_.kind.need_routines(call_.typed, result_form);
    }
    traced_program find() const {
        key_values const keys = keys_of(call_);
        recent_calls& recent = recent_calls::of_this_thread();
        std::uint64_t const registry = call_.traces.template number<Unused>();
        if (traced_program found = recent.find(registry, call_.signature, shapes_, keys); found.made) {
            call_.traces.template count_call<Unused>();
            return found;
        }
        need_routines(nullptr);
        traced_program found{trace_of_function<Unused>(call_, call_.kind.known), nullptr};
        need_routines(found.trace->form.get());
        runtime_program const& trace = *found.trace;
        found.made = find_or_make_program<Unused>(*trace.programs, trace.traced.view(), trace.simplified.view(), shapes_,
                                                  call_.kind.passes);
        recent.remember(call_.traces.template number<Unused>(), call_.signature, shapes_, found, keys);
        return found;
    }
    void compute(runtime_program const& trace, program const& run) const {
        if (innermost_trace && trace.reads_live()) return call_.kind.become_inlined(call_.typed, *innermost_trace);
        if (call_.kind.take_form) call_.kind.take_form(call_.typed, trace.form.get(), call_.results);
        graph_view const traced = trace.traced.view();
        if (innermost_recorder && calls_functions(traced)) return compute_recorded(trace);
        if (!traced.assigned.empty()) return compute_assigning(traced, run);
        pointers<void*> room;
        std::size_t const count = call_.results.all.size();
        void** const made = room.with_room_for(count + 1);
        make_results(run, made);
        made[count] = nullptr; // a token has no memory
        tiles::run_program<Unused>(run, {read_, made});
        if (innermost_recorder) [[unlikely]]
            record_function<Unused>(call_, traced);
    }
    void make_results(program const& run, void** to) const {
        table_view<tiled_result> const results = call_.results.all;
        for (std::size_t k = 0; k < results.size(); ++k) to[k] = results[k].access->make(results[k].leaf, run.output_extents(k));
    }
    // Runs a graph that assigns to variables. They get their new values when nothing can fail any more, and after tapes have seen
    // the old ones.
    void compute_assigning(graph_view const& traced, program const& run) const {
        pointers<stored_variable> room;
        std::size_t const count = call_.arguments.size();
        stored_variable* const leaves = call_.room.variables ? call_.room.variables : room.with_room_for(count);
        for (std::size_t k = 0; k < count; ++k) leaves[k] = variable_of(call_.arguments[k]);
        stored_variables const stored(traced, {leaves, count});
        make_results(run, stored.outputs());
        stored.prepare(run);
        tiles::run_program<Unused>(run, {read_, stored.outputs()});
        if (innermost_recorder) [[unlikely]]
            record_function<Unused>(call_, traced);
        stored.commit();
    }
    // Runs a graph that calls the user's functions. All that these returned and recorded is given to the recorders, so that
    // derivatives don't call them again.
    void compute_recorded(runtime_program const& trace) const {
        stored_variables const stored(trace.traced.view(), variables_of<Unused>(call_));
        if (!has_custom_derivatives(trace.traced.view())) {
            run_recorded(trace, stored, false);
            // What the recorder traces knows the extents, so this trace must know them, too.
        } else {
            run_recorded(traced_for<Unused>(call_, shapes_, nullptr), stored, true);
        }
        stored.commit();
    }
    void run_recorded(runtime_program const& trace, stored_variables const& stored, bool anew) const {
        graph_view const traced = trace.traced.view();
        seen_leaves seen(call_);
        graph const g = with_calls_as_outputs(traced, value_outputs(traced));
        auto const run = tiles::make_program<Unused>(g.view(), shapes_, pass_options{});
        std::vector<host_array> further = make_outputs(*run, value_outputs(traced));
        recorded_calls made;
        std::vector<void*> outputs(g.outputs().size() + 1);
        make_results(*run, outputs.data());
        stored.prepare(*run);
        for (std::size_t k = call_.results.all.size(); k < value_outputs(traced); ++k) outputs[k] = stored.outputs()[k];
        for (std::size_t k = 0; k < further.size(); ++k) outputs[value_outputs(traced) + k] = further[k].bytes.data();
        tiles::run_program_within<Unused>(*run, {read_, outputs.data()});
        seen.add_results(call_);
        graph const seen_graph = with_calls_as_outputs(traced, result_outputs(traced));
        for (host_array const& a : further) seen.results.push_back({nullptr, a.bytes.data(), a.type, a.shape});
        // A tape may read what the trace keeps, such as communicators, after the trace is gone.
        using kept_objects = std::pair<std::shared_ptr<void const>, buffer<std::shared_ptr<void const>>>;
        std::shared_ptr<void const> const kept_alive = std::make_shared<kept_objects const>(made.release(), trace.kept);
        if (recorder* const innermost = first_recorder())
            innermost->see({seen_graph.view(), seen.arguments, seen.results, anew ? record_anew : nullptr, &call_, further.size(),
                            &kept_alive});
    }

    function_call const& call_;
    pointers<void const*> arguments_;
    pointers<dims, 8> extents_;
    void const** read_;
    table_view<dims> shapes_;
};

template <class Unused> void run_function(function_call const& call, bool eagerly) {
    function_run<Unused> run(call);
    if (eagerly) run.eagerly();
    else run.run();
}
template <class Unused> bool overwrite_by_function(function_call const& call) { return function_run<Unused>(call).overwrite(); }

} // namespace tx::detail::inline TRACEXPR_RUNS
