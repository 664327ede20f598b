// What the compiler traced, run on tiles. Of such a function nothing is compiled but its trace; passes and plan are made when a
// call first needs them, once for the extents of its arguments. `Stages` as in execute.hpp, of which only the trace is asked for.
//
// A call forgets its types at once: it lists its leaves, and one function runs all calls.
#pragma once

#include <tracexpr/backends/nodes/small_program.hpp>
#include <tracexpr/run/recent_calls.hpp>
#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/trace/op_recorder.hpp>

namespace tx::detail::inline TRACEXPR_TARGET {

// How a leaf of a call's arguments is read.
struct argument_access {
    void const* (*data)(void const* leaf); // throws where a tensor has no elements because it is part of a trace
    dims (*extents)(void const* leaf);
    seen_value (*see)(void const* leaf);
    dtype type;
    dims const* typed; // the shape as the type knows it
    void (*to_words)(void const* elements, std::size_t count, std::uint64_t* words);
    node_id (*record)(trace_scope& scope, void const* leaf); // of what is read at each run; else null
};
struct tiled_argument {
    void const* leaf;
    tensor_identity const* identity; // of a tensor
    argument_access const* access;
};
template <class Part> struct argument_reading {
    static void const* data(void const* leaf) { return leaf_access<Part>::data(*static_cast<Part const*>(leaf)); }
    static dims shape(void const* leaf) { return leaf_access<Part>::extents(*static_cast<Part const*>(leaf)); }
    static seen_value see(void const* leaf) { return seen_leaf(*static_cast<Part const*>(leaf)); }
};
template <tensor_type Part> struct argument_reading<Part> : tensor_reading<Part> {};
template <class Part> constexpr auto recording_of_argument() -> node_id (*)(trace_scope&, void const*) {
    if constexpr (tensor_type<Part> || !held_type<Part>) return nullptr;
    else return [](trace_scope& scope, void const* leaf) { return lift(scope, *static_cast<Part const*>(leaf)).id(); };
}
template <class Part>
inline constexpr argument_access access_to_argument = {argument_reading<Part>::data,
                                                       argument_reading<Part>::shape,
                                                       argument_reading<Part>::see,
                                                       dtype_of<typename leaf_access<Part>::value_type>,
                                                       &dims_of<typename leaf_access<Part>::shape_type>,
                                                       elements_to_words<stored<typename leaf_access<Part>::value_type>>,
                                                       recording_of_argument<Part>()};
template <class Source> inline constexpr argument_access access_to_argument<captured_leaf<Source>> = {
    Source::what.data,
    Source::what.shape,
    Source::what.see,
    Source::type,
    &Source::value,
    nullptr,
    [](trace_scope& scope, void const* leaf) {
        return record_live(scope, Source::type, Source::value, captured_leaf<Source>{leaf}.capture());
    }};
template <class Part> TRACEXPR_INLINE tiled_argument argument_of_call(Part const& part) {
    if constexpr (is_captured_leaf<Part>) return {part.at, nullptr, &access_to_argument<Part>};
    else if constexpr (tensor_type<Part>) return {&part, &tensor_access::identity(part), &access_to_argument<Part>};
    else return {&part, nullptr, &access_to_argument<Part>};
}

// How a leaf of its result is written.
struct result_access {
    // A tensor's elements, made for these extents.
    void* (*make)(void* leaf, dims const& extents);
    // Its own elements; null where they are not there, are shared, or have other extents.
    void* (*own)(void* leaf, dims const& extents);
    void (*become)(void* leaf, trace_scope& scope, node_id id);
    seen_value (*see)(void const* leaf);
    std::int64_t element_bytes;
};
struct tiled_result {
    void* leaf;
    result_access const* access;
};
template <class Part> struct result_leaf_access {
    static void* make(void* leaf, [[maybe_unused]] dims const& extents) {
        Part& part = *static_cast<Part*>(leaf);
        if constexpr (!tensor_type<Part>) {
            return &part;
        } else {
            if constexpr (!Part::static_dims().is_static()) part = Part::uninitialized(extents);
            else if constexpr (!is_inline<typename Part::value_type, typename Part::shape_type>) part = Part::uninitialized();
            return tensor_access::overwritten(part);
        }
    }
    static void* own(void* leaf, dims const& extents) {
        Part& part = *static_cast<Part*>(leaf);
        if constexpr (!tensor_type<Part>) {
            return &part;
        } else {
            if (tensor_access::is_symbolic(part)) static_cast<void>(part.data()); // throws
            if (!tensor_access::is_plain(part) || !tensor_access::is_exclusive(part) || part.dimensions() != extents)
                return nullptr;
            return const_cast<typename Part::stored_type*>(tensor_access::own_data(part));
        }
    }
    static void become(void* leaf, trace_scope& scope, node_id id) {
        if constexpr (tensor_type<Part>)
            *static_cast<Part*>(leaf) =
                tensor_access::from_symbol<Part>(&scope, static_cast<std::int32_t>(id), scope.recorded.shape_of(id));
    }
    static constexpr result_access table{make, own, become, argument_reading<Part>::see,
                                         sizeof(typename leaf_access<Part>::value_type)};
};

// A trace, and what was made of it.
struct tiled_trace {
    std::shared_ptr<runtime_program const> program;
    simd::nodes::small_program small;
    std::unique_ptr<traced_programs> by_extents; // of an op on operands of any rank
    std::uint64_t number = fresh_holder_number();
};
struct tiled_source {
    graph_view trace; // without nodes where there is a recorder, which makes it when it is first asked for
    pass_options const& passes;
    void (*need_routines)();
    op_recorder const* recorder = nullptr;
    std::atomic<tiled_trace const*> made = nullptr; // stays until the program ends
};

// One call.
struct tiled_call {
    tiled_source& source;
    table_view<tiled_argument> arguments;
    table_view<tiled_result> results;
    bool records = true; // for this thread's tapes
};
// Gives the results, which have just been made, tensors of the right extents, and fills them. True.
template <class Unused = void> bool run_tiled(tiled_call const& call);
// The same, or, where the call belongs to a trace under way, makes it part of that: then it returns false.
template <class Unused = void> bool run_or_append_tiled(tiled_call const& call);
// Writes over the results, if they can be written before the call is over; else it does nothing. No tape is recording.
template <class Unused = void> bool overwrite_tiled(tiled_call const& call);

// Tells the tapes of this thread what a call read and gave.
[[gnu::cold]] inline void record_tiled(tiled_call const& call, graph_view const& traced) {
    buffer<seen_value> arguments, results;
    for (tiled_argument const& a : call.arguments) arguments.push_back(a.access->see(a.leaf));
    for (tiled_result const& r : call.results) results.push_back(r.access->see(r.leaf));
    if (recorder* const innermost = first_recorder()) innermost->see({traced, arguments, results, nullptr, nullptr});
}

// The trace of an op on operands of these extents, where there are some, or of what their types tell. (It is not opened: no op on
// tensors could belong to it, and static calls need not look for traces for its sake.)
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
// Of an elementwise op one trace, of numbers, tells how to compute it on few elements of any rank.
template <class Unused> graph trace_to_prepare(tiled_call const& call) {
    op_recorder const* const recorder = call.source.recorder;
    if (!recorder) return copied(call.source.trace);
    if (!recorder->has_open_rank) return trace_of_op<Unused>(call, {});
    if (!recorder->is_elementwise) return {};
    return trace_of_op<Unused>(call, buffer<dims>(call.arguments.size()));
}
// Makes what is kept of a trace, as of those that are made at run time, when it is first asked for.
template <class Unused> [[gnu::cold]] tiled_trace const* prepare(tiled_call const& call) {
    tiled_source& of = call.source;
    if (of.need_routines) of.need_routines();
    simd::tiles::detail::know_compiled_routines<Unused>();
    auto program = std::make_shared<runtime_program>();
    program->traced = trace_to_prepare<Unused>(call);
    program->simplified = simplify(program->traced.view(), of.passes); // whose captures are those that are read
    auto made = std::make_unique<tiled_trace>();
    made->small = simd::nodes::small_program(program->simplified.view());
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
// Where the trace is of a few ops and the call on few elements. Of other calls it does nothing and returns false. broadcasts: the
// trace is of an elementwise op on numbers, in place of tensors of any rank. (What needs no element of an operand, as whether
// integers are NaN, has forgotten its shape there, and is not run.)
template <class Unused> bool run_small(tiled_call const& call, bool broadcasts = false) {
    simd::nodes::small_program const& program = prepared<Unused>(call).small;
    if (program.is_empty()) return false;
    simd::nodes::small_program::values values;
    for (auto const& [parameter, node] : program.arguments()) {
        tiled_argument const& a = call.arguments[parameter];
        values.set(node, a.access->data(a.leaf), [&] { return a.access->extents(a.leaf); });
    }
    if (!program.infer_extents(values)) return false;
    if (broadcasts && !broadcasts_all(call, program.output_extents(values, 0))) return false;
    void* results[simd::nodes::small_program::most_nodes];
    for (std::size_t k = 0; k < call.results.size(); ++k)
        results[k] = call.results[k].access->make(call.results[k].leaf, program.output_extents(values, k));
    program.run(values, results);
    if (call.records && innermost_recorder) [[unlikely]]
        record_tiled(call, traced_of<Unused>(call));
    return true;
}

// (A template, so that only programs that run tiles compile it.)
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
    void to_new() const {
        pointers<void*> room;
        void** const made = room.with_room_for(call_.results.size() + 1);
        for (std::size_t k = 0; k < call_.results.size(); ++k)
            made[k] = call_.results[k].access->make(call_.results[k].leaf, program_->output_extents(k));
        made[call_.results.size()] = nullptr; // of a token
        simd::tiles::run_program<Unused>(*program_, {read_, made});
        if (call_.records && innermost_recorder) [[unlikely]]
            record_tiled(call_, traced_of<Unused>(call_));
    }
    bool over() const {
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
        simd::tiles::run_program<Unused>(*program_, {read_, own});
        return true;
    }

private:
    static constexpr std::size_t few = 64;
    // Room for more than few takes memory.
    template <class T> class pointers {
    public:
        T* with_room_for(std::size_t count) {
            if (count <= few) return few_;
            many_ = buffer<T>(count);
            return many_.data();
        }

    private:
        T few_[few];
        buffer<T> many_;
    };

    std::shared_ptr<program const> find_program() const {
        if (traced_of<Unused>(call_).is_static()) return find_program({});
        std::size_t const count = call_.arguments.size();
        constexpr std::size_t few_shapes = 8; // which are all set to 0
        dims extents[few_shapes];
        buffer<dims> longer;
        if (count > few_shapes) longer = buffer<dims>(count);
        dims* const to = count > few_shapes ? longer.data() : extents;
        for (std::size_t k = 0; k < count; ++k) to[k] = call_.arguments[k].access->extents(call_.arguments[k].leaf);
        return find_program({to, count});
    }
    // key: the arguments' extents; empty where the trace knows them.
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
        found = {known.program, find_or_make_program<Unused>(*all.programs, all.simplified.view(), given, source.passes)};
        recent.remember(known.number, 0, key, found);
        return std::move(found.made);
    }

    tiled_call const& call_;
    pointers<void const*> arguments_;
    void const** read_;
    std::shared_ptr<program const> program_;
};
template <class Unused> bool run_tiled(tiled_call const& call) {
    if (!run_small<Unused>(call)) tiled_run<Unused>(call).to_new();
    return true;
}
template <class Unused> bool overwrite_tiled(tiled_call const& call) { return tiled_run<Unused>(call).over(); }

// The trace under way that a call is part of, or null: an argument is symbolic, or the result depends on what is read at each
// run.
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
inline appended_argument appended_leaf(trace_scope& scope, tiled_argument const& a) {
    argument_access const& as = *a.access;
    if (as.record) return {as.record(scope, a.leaf)};
    if (a.identity)
        return {record_now<>(scope, {*a.identity, {a.leaf, as.data, as.extents, as.see}, as.type, *as.typed, as.to_words})};
    if (is_dual(as.type) || as.typed->rank != 0) return {node_id::none, as.data(a.leaf), as.type, as.extents(a.leaf)};
    std::uint64_t words[4]{};
    as.to_words(as.data(a.leaf), 1, words);
    return {scope.recorded.append(op::literal, as.type, dims{}, {}, {}, {words[0], is_complex(as.type) ? words[1] : 0})};
}
template <class Unused> bool run_or_append_tiled(tiled_call const& call) {
    trace_scope* const scope = scope_of_tiled(call);
    if (!scope) return run_tiled<Unused>(call);
    buffer<appended_argument> arguments;
    for (tiled_argument const& a : call.arguments) arguments.push_back(appended_leaf(*scope, a));
    buffer<node_id> outputs(call.source.trace.outputs.size());
    scope->append(*scope, call.source.trace, arguments, outputs.data());
    for (std::size_t k = 0; k < call.results.size(); ++k)
        call.results[k].access->become(call.results[k].leaf, *scope, outputs[k]);
    return false;
}
TRACEXPR_TARGET_INSTANCE(bool run_tiled<void>(tiled_call const&))
TRACEXPR_TARGET_INSTANCE(bool run_or_append_tiled<void>(tiled_call const&))
TRACEXPR_TARGET_INSTANCE(bool overwrite_tiled<void>(tiled_call const&))

// Programs that compile the tile executor's routines themselves do with those of dtypes that a trace has.
constexpr bool has_dtype(graph_view const& g, dtype type) {
    for (node const& n : g)
        if (n.type == type) return true;
    for (node const& n : g.region_nodes)
        if (n.type == type) return true;
    return false;
}
template <class Stages> void need_routines_of_trace() {
    if constexpr (has_effects<Stages>) know_effects<>();
    [&]<std::size_t... T>(std::index_sequence<T...>) {
        (
            [&] {
                constexpr dtype type = static_cast<dtype>(T);
                if constexpr (type != dtype::token && has_dtype(Stages::trace(), type))
                    simd::tiles::detail::need_routines<ctype<type>>();
            }(),
            ...);
    }(std::make_index_sequence<dtype_count>{});
}
template <class Stages> constexpr auto routines_needed() -> void (*)() {
#if defined(TRACEXPR_TARGET_COMPILED)
    return nullptr;
#else
    return need_routines_of_trace<Stages>;
#endif
}
template <class Stages> inline constinit tiled_source source_of{Stages::trace(), Stages::passes, routines_needed<Stages>()};

// Calls run(call) on the leaves of a callable's arguments, of what it holds, and of its result. Initialisers of the result's
// members have run before.
template <class Stages, bool Records, class Result, class F, class... A>
TRACEXPR_INLINE bool with_tiled_call(bool (*run)(tiled_call const&), Result& result, F const& f, A const&... a) {
    tiled_argument arguments[parameter_count<Stages> + 1];
    tiled_result results[facts<Result>.outputs + 1];
    std::size_t count = 0, result_count = 0;
    auto const add = [&]<class Part>(Part const& part) TRACEXPR_INLINE_LAMBDA { arguments[count++] = argument_of_call(part); };
    (for_each_leaf(a, add), ...);
    callable_form<F>::visit(f, add, ignore_value{});
    visit_captures<Stages>(f, add);
    for_each_output(result, [&]<class Part>(Part& part)
                                TRACEXPR_INLINE_LAMBDA { results[result_count++] = {&part, &result_leaf_access<Part>::table}; });
    return run(tiled_call{source_of<Stages>, {arguments, count}, {results, result_count}, Records});
}

} // namespace tx::detail::inline TRACEXPR_TARGET
