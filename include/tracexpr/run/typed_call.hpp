// This file holds what a call of a function that is traced at run time knows of its types: how it is traced and written, and
// where its leaves are.
#pragma once

#include <tracexpr/backends/tiles/needed_routines.hpp>
#include <tracexpr/base/pack.hpp>
#include <tracexpr/run/function_call.hpp>
#include <tracexpr/run/trees/forms.hpp>

namespace tx::detail {

// Returns a traced result as a tree of symbolic tensors.
template <class Result, class R> [[gnu::cold]] constexpr Result symbolic_result(R const& r) {
    if constexpr (std::is_same_v<Result, R>) return r;
    else if constexpr (list_type<Result>)
        return map_list_to<Result>(r, [](auto const& part) { return symbolic_result<list_part<Result>>(part); });
    else if constexpr (is_tuple_like<Result>)
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return Result{symbolic_result<std::tuple_element_t<I, Result>>(std::get<I>(r))...};
        }(std::make_index_sequence<std::tuple_size_v<Result>>{});
    else if constexpr (aggregate<Result>)
        return [&]<std::size_t... I>(auto const& parts, std::index_sequence<I...>) {
            return Result{symbolic_result<std::tuple_element_t<I, fields_of<Result>>>(std::get<I>(parts))...};
        }(with_fields(r, [](auto const&... part) { return std::tie(part...); }),
               std::make_index_sequence<std::tuple_size_v<fields_of<Result>>>{});
    else return Result(r);
}

inline namespace TRACEXPR_RUNS {

// Does only the run tell how many leaves a call's arguments and its callable have?
template <class F, class... A> inline constexpr bool has_open_leaves =
    (callable_form<F>::state.has_lists || ... || facts<A>.has_lists);
// memory_of_leaves is the memory that a call needs for each leaf. It is on the stack if types tell how many leaves there are.
template <std::size_t Leaves> struct memory_of_leaves {
    void const* data[Leaves + 1];
    dims extents[Leaves + 1];
    stored_variable variables[Leaves + 1];

    dims* extents_of(std::size_t) { return extents; }
    leaf_room room() { return {data, extents, variables}; }
};
struct memory_of_open_leaves {
    buffer<dims> extents;

    dims* extents_of(std::size_t count) {
        extents = buffer<dims>(count);
        return extents.data();
    }
    leaf_room room() { return {}; }
};
template <class F, class... A> struct listed_leaves {
    std::conditional_t<has_open_leaves<F, A...>, buffer<tiled_argument>,
                       tiled_argument[(callable_form<F>::state.leaves + ... + facts<A>.leaves) + 1]>
        all;
    std::size_t count = 0, given = 0; // all, and those of the arguments
    std::conditional_t<has_open_leaves<F, A...>, memory_of_open_leaves,
                       memory_of_leaves<(callable_form<F>::state.leaves + ... + facts<A>.leaves)>>
        memory;

    listed_leaves(F const& f, A const&... a) {
        auto const add = [this]<class Part>(Part const& part) {
            if constexpr (has_open_leaves<F, A...>) all.push_back(argument_of_call(part)), ++count;
            else all[count++] = argument_of_call(part);
        };
        (for_each_leaf(a, add), ...);
        given = count;
        callable_form<F>::visit(f, add, ignore_value{});
    }
    table_view<tiled_argument> view() const {
        if constexpr (has_open_leaves<F, A...>) return all;
        else return {all, count};
    }
    table_view<dims> shapes() {
        dims* const to = memory.extents_of(count);
        for (std::size_t k = 0; k < count; ++k) to[k] = view()[k].access->extents(view()[k].leaf);
        return {to, count};
    }
};

// Adds a result's parts to a list of them.
template <class Result, class Add> void for_each_listed(Result& result, Add const& add) {
    detail::for_each_output(result, [&]<class Part>(Part& part) { add(tiled_result{&part, &result_leaf_access<Part>::table}); });
}
template <class Result> struct listed_results {
    static constexpr std::size_t most = facts<Result>.has_lists ? 0 : facts<Result>.outputs;
    tiled_result room[most + 1];
    result_leaves leaves{{room, 0}};

    explicit listed_results(Result* out) {
        if (!out) return;
        if constexpr (facts<Result>.has_lists) {
            for_each_listed(*out, [&](tiled_result const& r) { leaves.room.push_back(r); });
            leaves.all = leaves.room;
        } else {
            std::size_t count = 0;
            detail::for_each_listed(*out, [&](tiled_result const& r) { room[count++] = r; });
            leaves.all = {room, count};
        }
    }
    listed_results(listed_results const&) = delete;
    listed_results& operator=(listed_results const&) = delete;
};

template <class Result> void require_values(Result const& result) {
    for_each_output(result, []<class Part>(Part const& part) {
        if constexpr (tensor_type<Part>)
            if (tensor_access::is_symbolic(part)) static_cast<void>(part.data()); // throws
    });
}

} // namespace TRACEXPR_RUNS

template <class Core, class Result, knowledge Known, class... A> struct TRACEXPR_NAMES_TARGET typed_call {
    Core const& f;
    pack<A const&...> arguments;
    Result* out;

private:
    using callable = typename Core::callable;
    using form = callable_form<callable>;
    using nothing_given = std::is_same<Result, std::tuple<>>;

    static typed_call const& of(void const* call) { return *static_cast<typed_call const*>(call); }
    template <class Use> decltype(auto) with(Use const& use) const { return arguments.pass_to(use); }

    static void add_keys(void const* call, key_values& to) {
        auto const keep = [&](auto const& value) { to.add(value); };
        of(call).with([&](auto const&... a) { (detail::for_each_leaf(a, ignore_value{}, keep), ...); });
        form::visit(of(call).f.traced_callable(), ignore_value{}, keep);
    }
    [[gnu::cold]] static void trace(void const* call, argument_scope& scope) {
        of(call).with([&](auto const&... a) { trace_into(scope, of(call).f.traced_callable(), a...); });
    }
    [[gnu::cold]] static signature_text describe(void const* call, graph_view const& traced) {
        return of(call).with([&](auto const&... a) { return write_call(traced, a...); });
    }
    [[gnu::cold]] static void become_inlined(void const* call, trace_scope& scope) {
        of(call).with([&](auto const&... a) {
            if constexpr (nothing_given::value) of(call).f.inlined(scope, a...);
            else *of(call).out = symbolic_result<Result>(of(call).f.inlined(scope, a...));
        });
    }
    [[gnu::cold]] static void record_inlined(void const* call, trace_scope& scope) {
        if constexpr (!nothing_given::value)
            of(call).with([&](auto const&... a) { detail::record_outputs(scope, of(call).f.inlined(scope, a...)); });
    }
    [[gnu::cold]] static void need_routines(void const* call, [[maybe_unused]] void const* result_form) {
        need_routines_of_leaf const need;
        if (of(call).out) for_each_output(*of(call).out, need);
        if constexpr (facts<Result>.has_lists)
            if (result_form) for_each_output(*static_cast<Result const*>(result_form), need);
        of(call).with([&](auto const&... a) { (for_each_leaf(a, need), ...); });
        form::visit(of(call).f.traced_callable(), need, ignore_value{});
    }
    [[gnu::cold]] static void take_form(void const* call, void const* from, result_leaves& leaves) {
        Result& out = *of(call).out;
        out = *static_cast<Result const*>(from);
        leaves.room.clear();
        for_each_listed(out, [&](tiled_result const& r) { leaves.room.push_back(r); });
        leaves.all = leaves.room;
    }
    [[gnu::cold]] static bool has_form(void const* call, void const* wanted) {
        return difference_of_forms(*of(call).out, *static_cast<Result const*>(wanted)).empty();
    }

    static constexpr bool has_values = (form::state.has_values || ... || facts<A>.has_values);
    static constexpr auto added_keys() -> void (*)(void const*, key_values&) {
        if constexpr (has_values) return add_keys;
        else return nullptr;
    }
    static constexpr auto needed_routines() -> void (*)(void const*, void const*) {
        if constexpr (TRACEXPR_HAS_ROUTINES) return nullptr;
        else return need_routines;
    }
    static constexpr auto taken_form() -> void (*)(void const*, void const*, result_leaves&) {
        if constexpr (facts<Result>.has_lists) return take_form;
        else return nullptr;
    }
    static constexpr auto compared_form() -> bool (*)(void const*, void const*) {
        if constexpr (facts<Result>.has_lists) return has_form;
        else return nullptr;
    }

public:
    static constexpr function_kind kind{passes_of<callable>,
                                        Known,
                                        std::is_void_v<traced_result<callable, A...>>,
                                        nothing_given::value,
                                        added_keys(),
                                        trace,
                                        describe,
                                        become_inlined,
                                        record_inlined,
                                        needed_routines(),
                                        taken_form(),
                                        compared_form()};
};

} // namespace tx::detail
