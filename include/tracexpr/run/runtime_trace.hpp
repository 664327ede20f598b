// Traces made at run time, into the same graph, through the same passes; the tile executor runs them.
#pragma once

#include <tracexpr/graph/verify.hpp>
#include <tracexpr/run/execute.hpp>
#include <tracexpr/run/made_programs.hpp>
#include <tracexpr/run/stored_variables.hpp>
#include <tracexpr/run/trees/forms.hpp>

namespace tx::detail {

// A graph made at run time and what it refers to.
struct runtime_program {
    graph traced;
    graph simplified;
    buffer<std::shared_ptr<void const>> kept;
    std::shared_ptr<void> form; // of a result with lists: one with as many parts, without elements
    std::unique_ptr<made_programs const> programs = std::make_unique<made_programs const>();

    // Does its result depend on what others own, which is read at each run?
    bool reads_live() const {
        for (captured const& c : traced.view().captures) {
            bool is_kept = false;
            for (auto const& own : kept) is_kept = is_kept || own.get() == c.address;
            if (!is_kept) return true;
        }
        return false;
    }
};

// A copy of elements that the trace doesn't own, as a constant.
inline node_id append_elements(graph& g, appended_argument const& from) {
    buffer<std::uint64_t> words(static_cast<std::size_t>(from.shape.size()) * words_of(from.type));
    with_element(from.type, [&]<class T>(T const&) {
        T const* const elements = static_cast<T const*>(from.data);
        for (std::size_t i = 0; i * words_of(from.type) < words.size(); ++i)
            to_words(elements[i], words.data() + i * words_of(from.type));
    });
    return g.append_constant(from.type, from.shape, words);
}
// What trace_scope::append does.
template <class Unused = void>
void append_graph(trace_scope& scope, graph_view const& from, table_view<appended_argument> arguments, node_id* outputs) {
    graph& to = scope.recorded;
    graph_copier copier(from, to, graph_copier::shapes::inferred);
    copier.copy_all([&](node_id id) {
        node const& n = from[id];
        if (n.code == op::token) return scope.last_token();
        if (n.code == op::capture) return scope.append_capture(n.type, from.shape_of(n), from.captures[n.bits[0]]);
        if (n.code != op::parameter) return node_id::none;
        appended_argument const& argument = arguments[n.bits[0]];
        return argument.id != node_id::none ? argument.id : append_elements(to, argument);
    });
    std::size_t const values = value_outputs(from);
    for (std::size_t k = 0; k < values; ++k) outputs[k] = copier[from.outputs[k]];
    if (values < from.outputs.size()) scope.token = copier[from.outputs[values]];
}
TRACEXPR_INSTANCE(void append_graph<void>(trace_scope&, graph_view const&, table_view<appended_argument>, node_id*))

// The trace of a callable that runs eagerly, on the elements at `arguments`.
struct eager_scope : argument_scope {
    watched_values known;
    void const* const* arguments = nullptr;
};
// What trace_scope::evaluate does: computes all that the node needs.
template <class Unused = void> kept_value evaluated_node(trace_scope& scope, node_id id) {
    eager_scope const& at = static_cast<eager_scope&>(scope);
    graph upto = at.recorded;
    upto.add_output(id);
    graph_view const g = upto.view();
    if (live_placeholder(g) != node_id::none)
        throw trace_error("tx: value: inside the callable that tx::vmap maps, a value stands for many examples; read it outside "
                          "of that callable");
    auto const found =
        std::make_shared<host_array const>(run_once<Unused>(g, at.arguments, {at.extents.data(), g.parameters.size()}).back());
    return {found, found->bytes.data(), found->type, found->shape};
}
TRACEXPR_INSTANCE(kept_value evaluated_node<void>(trace_scope&, node_id))

[[noreturn]] TRACEXPR_NOINLINE inline void throw_no_effect() {
    throw trace_error("tx: function: the callable returns nothing and has no effect; return what it computes");
}
// `shapes`: those of the parameters, with tx::dyn, or an unknown rank, for what the trace must not depend on. `arguments`: where
// the callable may read values, the parameters' elements.
template <class F, class... A>
TRACEXPR_NOINLINE runtime_program trace_now(table_view<dims> shapes, void const* const* arguments, F const& f, A const&... a) {
    runtime_program out;
    eager_scope scope;
    scope.extents = shapes;
    scope.arguments = arguments;
    if (arguments) scope.evaluate = evaluated_node<>;
    scope.kept = &out.kept;
    scope.watched = &scope.known;
    scope.append = append_graph<>;
    scope.form = &out.form;
    {
        open_trace const opened(scope);
        trace_into(scope, f, a...);
    }
    out.traced = std::move(scope.recorded);
    if constexpr (std::is_void_v<traced_result<F, A...>>)
        if (!arguments && loses_all(out.traced.view())) throw_no_effect();
    out.simplified = simplify(out.traced.view(), passes_of<F>);
    return out;
}

// To be called on the leaves of what a run-time trace takes and gives.
struct need_routines_of_leaf {
    template <class Part> void operator()(Part const&) const {
        simd::tiles::detail::need_routines<typename leaf_access<Part>::value_type>();
    }
};

// The leaves of a call whose number the run tells.
class open_leaf_list {
public:
    void const* const* data = nullptr;
    std::size_t count = 0;

    auto adder() {
        return [this]<class Part>(Part const& part) {
            places_.push_back(leaf_access<Part>::data(part));
            extents_.push_back(leaf_access<Part>::extents(part));
            data = places_.data(), count = places_.size();
        };
    }
    template <class A> void add(A const& a) { for_each_leaf(a, adder()); }
    table_view<dims> shapes() const { return extents_; }

private:
    buffer<void const*> places_;
    buffer<dims> extents_;
};
// The leaves of any call: its arguments' and the callable's.
template <class F, class... A> inline constexpr bool has_open_leaves =
    (callable_form<F>::state.has_lists || ... || facts<A>.has_lists);
template <class F, class... A> using call_leaves =
    std::conditional_t<has_open_leaves<F, A...>, open_leaf_list,
                       leaf_list<(callable_form<F>::state.leaves + ... + facts<A>.leaves), true>>;
template <class F, class... A> auto leaves_of_traced(F const& f, A const&... a) {
    call_leaves<F, A...> leaves;
    (leaves.add(a), ...);
    callable_form<F>::visit(f, leaves.adder(), ignore_value{});
    return leaves;
}
template <class F, class Result, class... A> void need_routines_of_call(F const& f, Result const& out, A const&... a) {
    for_each_output(out, need_routines_of_leaf{});
    (for_each_leaf(a, need_routines_of_leaf{}), ...);
    callable_form<F>::visit(f, need_routines_of_leaf{}, ignore_value{});
}

// Where a result's leaves are.
template <class Result, bool HasLists = facts<Result>.has_lists> struct result_places {
    void* at[facts<Result>.outputs + 2];
    explicit result_places(program const&) {}
};
template <class Result> struct result_places<Result, true> {
    buffer<void*> room;
    void** at = room.data();
    explicit result_places(program const& p) : room(p.graph.view().outputs.size() + 1) {}
    result_places(result_places const&) = delete;
    result_places& operator=(result_places const&) = delete;
};
// Gives a result as many parts as the callable returned when it was traced; has it as many?
template <class Result> void take_form(Result& result, runtime_program const& from) {
    if constexpr (facts<Result>.has_lists) result = *static_cast<Result const*>(from.form.get());
}
template <class Result> bool has_form(Result const& result, runtime_program const& wanted) {
    if constexpr (!facts<Result>.has_lists) return true;
    else return difference_of_forms(result, *static_cast<Result const*>(wanted.form.get())).empty();
}
template <class Result> void need_routines_of_form(runtime_program const& trace) {
    if constexpr (facts<Result>.has_lists) for_each_output(*static_cast<Result*>(trace.form.get()), need_routines_of_leaf{});
}

// A result that is made for a program, and its places; how many they are.
template <class Result> std::size_t make_result(program const& p, Result& result, void** outputs) {
    std::size_t k = 0;
    for_each_output(result, [&]<class Part>(Part& part) {
        if constexpr (tensor_type<Part>) {
            part = Part::uninitialized(p.output_extents(k));
            outputs[k++] = tensor_access::overwritten(part);
        } else {
            outputs[k++] = &part;
        }
    });
    return k;
}
// Runs a program on arguments, into a result that is made for it.
template <class Result> void run_to_new(program const& p, void const* const* arguments, Result& result) {
    result_places<Result> outputs(p);
    outputs.at[make_result(p, result, outputs.at)] = nullptr; // of a token
    simd::tiles::run_program<>(p, {arguments, outputs.at});
}
// The same where it assigns to variables, which are in `stored`: they have their values when that is told so.
template <class Result>
void run_to_new(program const& p, void const* const* arguments, Result& result, stored_variables const& stored) {
    make_result(p, result, stored.outputs());
    stored.prepare(p);
    simd::tiles::run_program<>(p, {arguments, stored.outputs()});
}

// Does a program read of that memory: of its arguments' elements, of which `count` are given, or of what it captures?
inline bool reads(program const& p, void const* const* arguments, std::size_t count, void const* at, std::int64_t bytes) {
    graph_view const g = p.graph.view();
    auto const taken = [&](node const& n) { return g.shape_of(n).size() * static_cast<std::int64_t>(size_in_bytes(n.type)); };
    for (std::size_t k = 0; k < count && k < g.parameters.size(); ++k)
        if (g.parameters[k] != node_id::none && overlap(at, bytes, arguments[k], taken(g[g.parameters[k]]))) return true;
    for (std::size_t i = 0; g.captures.size() > 0 && i < g.size(); ++i) {
        node const& n = g.nodes[i];
        if (n.code != op::capture) continue;
        captured const& c = g.captures[static_cast<std::size_t>(n.bits[0])];
        if (overlap(at, bytes, c.data(c.address), taken(n))) return true;
    }
    return false;
}
// May a program write over a result: has that the right extents, and memory that nobody else has, and that is not read?
template <class Leaves, class Result> bool may_write(program const& p, Leaves const& arguments, Result const& result) {
    std::size_t k = 0;
    bool may = !p.stops_midway;
    for_each_output(result, [&]<class Part>(Part const& part) {
        if constexpr (tensor_type<Part>) {
            may = may && tensor_access::is_exclusive(part) && tensor_access::is_plain(part) && tensor_access::own_data(part) &&
                  part.dimensions() == p.output_extents(k);
        }
        may = may && !reads(p, arguments.data, arguments.count, leaf_access<Part>::data(part), bytes_of(part));
        ++k;
    });
    return may;
}
template <class Result> void run_over(program const& p, void const* const* arguments, Result& result) {
    result_places<Result> outputs(p);
    std::size_t k = 0;
    for_each_output(result, [&]<class Part>(Part& part) {
        if constexpr (tensor_type<Part>) outputs.at[k++] = const_cast<typename Part::stored_type*>(tensor_access::own_data(part));
        else outputs.at[k++] = &part;
    });
    outputs.at[k] = nullptr;
    simd::tiles::run_program<>(p, {arguments, outputs.at});
}

} // namespace tx::detail
