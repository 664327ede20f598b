// This file calls a program that the compiler has traced: it finds the elements of the arguments, the plan that fits their
// extents, and the memory of results, and then runs the plan. `Stages` is what the compiler has made of the callable: its trace,
// simplified graph and plan. An extent is open if the type doesn't tell it.
#pragma once

#include <tracexpr/backends/plans.hpp>
#include <tracexpr/backends/static_executor.hpp>
#include <tracexpr/passes/stops.hpp>
#include <tracexpr/run/captured_leaves.hpp>
#include <tracexpr/run/computed_constants.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace tx::detail::inline TRACEXPR_TARGET {

// static_leaves holds what a call gives to the program: the leaves of its arguments, then those that the callable holds, and the
// open extents.
template <class Stages> struct static_leaves {
    void const* data[parameter_count<Stages> + 1];
    call_extents<Stages> open{};
};
template <class Stages, bool Checked, class F, class... A>
TRACEXPR_INLINE static_leaves<Stages> read_leaves(F const& f, A const&... a) {
    static_leaves<Stages> out;
    std::size_t count = 0, known = 0;
    auto const add = [&]<class Part>(Part const& part) TRACEXPR_INLINE_LAMBDA {
        using reader = leaf_access<Part>;
        constexpr dims type = dims_of<typename reader::shape_type>;
        if constexpr (tensor_type<Part> && !Checked) out.data[count++] = tensor_access::own_data(part);
        else out.data[count++] = reader::data(part);
        if constexpr (!type.is_static()) {
            dims const given = reader::extents(part);
            for (int axis = 0; axis < type.rank; ++axis)
                if (type[axis] == dyn) out.open[known++] = given[axis];
        }
    };
    (for_each_leaf(a, add), ...);
    callable_form<F>::visit(f, add, ignore_value{});
    visit_captures<Stages>(f, add);
    add_captures<Stages>(out.open);
    return out;
}
// Returns a call's leaves; throws if a tensor has no elements because it is part of a trace (a symbol).
template <class Stages, class F, class... A> TRACEXPR_INLINE static_leaves<Stages> leaves_of_call(F const& f, A const&... a) {
    return read_leaves<Stages, true>(f, a...);
}
// Returns a call's leaves without this check, for callers that ask has_symbols and may_run_into. Data is null for tensors that
// were never written.
template <class Stages, class F, class... A>
TRACEXPR_INLINE static_leaves<Stages> unchecked_leaves_of_call(F const& f, A const&... a) {
    return read_leaves<Stages, false>(f, a...);
}

template <class Stages> constexpr bool is_scalar_parameter(std::size_t k) { return typed_shape<Stages>(k).rank == 0; }
template <class Stages> constexpr std::size_t parameter_bytes(std::size_t k) {
    return size_in_bytes(Stages::trace()[Stages::trace().parameters[k]].type);
}
// scalar_arguments holds copies of the arguments that are single numbers: a result that is written early may be the variable that
// an argument refers to.
template <class Stages> struct scalar_arguments {
    static constexpr std::size_t stride = [] {
        std::size_t bytes = 16;
        for (std::size_t k = 0; k < parameter_count<Stages>; ++k)
            if (is_scalar_parameter<Stages>(k)) bytes = std::max(bytes, parameter_bytes<Stages>(k));
        return (bytes + 15) / 16 * 16;
    }();
    alignas(16) std::byte elements[parameter_count<Stages> + 1][stride];

    TRACEXPR_INLINE void take(static_leaves<Stages>& from) {
        [&]<std::size_t... K>(std::index_sequence<K...>)
            TRACEXPR_INLINE_LAMBDA { (take_one<K>(from), ...); }(std::make_index_sequence<parameter_count<Stages>>{});
    }

private:
    template <std::size_t K> TRACEXPR_INLINE void take_one(static_leaves<Stages>& from) {
        if constexpr (is_scalar_parameter<Stages>(K)) {
            std::memcpy(elements[K], from.data[K], parameter_bytes<Stages>(K));
            from.data[K] = elements[K];
        }
    }
};

template <class A> TRACEXPR_INLINE std::int64_t bytes_of(A const& a) {
    using reader = leaf_access<A>;
    constexpr dims type = dims_of<typename reader::shape_type>;
    constexpr auto element_bytes = static_cast<std::int64_t>(sizeof(typename reader::value_type));
    if constexpr (type.is_static()) return type.size() * element_bytes;
    else return reader::extents(a).size() * element_bytes;
}
TRACEXPR_INLINE bool overlap(void const* a, std::int64_t a_bytes, void const* b, std::int64_t b_bytes) {
    auto const first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
    return second < first + static_cast<std::uintptr_t>(a_bytes) && first < second + static_cast<std::uintptr_t>(b_bytes);
}
// Do an argument, whose elements are at `data`, and a result share elements? Two tensors of one type share all or none. Single
// numbers don't matter: they are copied first (scalar_arguments).
template <class A, class R> TRACEXPR_INLINE bool share_elements(A const& a, void const* data, R const& result) {
    if constexpr (dims_of<typename leaf_access<A>::shape_type>.rank == 0) {
        return false;
    } else if constexpr (tensor_type<A> && tensor_type<R>) {
        using T = typename R::value_type;
        constexpr bool in_object = is_inline<T, typename R::shape_type>;
        if constexpr (!std::is_same_v<T, typename A::value_type> || in_object != is_inline<T, typename A::shape_type>)
            return false;
        else if constexpr (in_object && !std::is_same_v<A, R>) return false;
        else return data == tensor_access::own_data(result);
    } else {
        return overlap(data, bytes_of(a), leaf_access<R>::data(result), bytes_of(result));
    }
}
template <class Stages, class R> TRACEXPR_INLINE bool is_captured(R const& result) {
    for (node const& n : Stages::graph()) {
        if (n.code != op::capture) continue;
        captured const& c = Stages::graph().captures[static_cast<std::size_t>(n.bits[0])];
        if (!c.see) continue; // a constant that is kept
        std::int64_t const bytes = c.shape(c.address).size() * static_cast<std::int64_t>(size_in_bytes(n.type));
        if (overlap(c.data(c.address), bytes, leaf_access<R>::data(result), bytes_of(result))) return true;
    }
    return false;
}
template <class Result, class F, class... A> TRACEXPR_INLINE bool has_symbols(Result const& result, F const& f, A const&... a) {
    bool plain = true;
    auto const owner = [&]<class Part>(Part const& part) TRACEXPR_INLINE_LAMBDA {
        if constexpr (tensor_type<Part>) plain = plain & tensor_access::is_plain(part);
    };
    for_each_output(result, owner);
    (for_each_leaf(a, owner), ...);
    callable_form<F>::visit(f, owner, ignore_value{});
    return !plain;
}
template <class Stages> inline constexpr bool may_stop_midway =
    stops_midway(Stages::graph(), Stages::plan(), Stages::clusters().space);
// May a call write straight into the result's own memory? Only if that holds nothing that the call still reads, and is not shared
// with another tensor (copies share memory until one of them is written to). There are as few tests here as possible, because
// they are most of what a call of a small function costs.
template <class Stages, class Result, class F, class... A>
TRACEXPR_INLINE bool may_run_into(Result const& result, static_leaves<Stages> const& arguments, F const& f, A const&... a) {
    if constexpr (may_stop_midway<Stages>) return false;
    std::size_t count = 0;
    bool shared = false;
    auto const compare = [&]<class Part>(Part const& part) TRACEXPR_INLINE_LAMBDA {
        void const* const data = arguments.data[count++];
        shared = shared || !data;
        for_each_output(result,
                        [&](auto const& to) TRACEXPR_INLINE_LAMBDA { shared = shared || share_elements(part, data, to); });
    };
    for_each_output(result, [&]<class R>(R const& to) TRACEXPR_INLINE_LAMBDA {
        if constexpr (tensor_type<R>) shared = shared || !tensor_access::is_exclusive(to);
    });
    (for_each_leaf(a, compare), ...);
    callable_form<F>::visit(f, compare, ignore_value{});
    visit_captures<Stages>(f, compare);
    if constexpr (Stages::graph().captures.size() > 0)
        for_each_output(result, [&](auto const& to) { shared = shared || is_captured<Stages>(to); });
    return !shared;
}
template <class Tensor> TRACEXPR_INLINE bool has_extents(Tensor const& a, dims const& wanted) {
    constexpr dims type = Tensor::static_dims();
    dims const given = a.dimensions();
    if constexpr (type.rank < 0) return given == wanted;
    for (int axis = 0; axis < type.rank; ++axis)
        if (type[axis] == dyn && given[axis] != wanted[axis]) return false;
    return true;
}

// Is the last output a token, for which nothing is stored?
template <class Stages> inline constexpr bool has_token = value_outputs(Stages::graph()) < Stages::graph().outputs.size();

// Does a result have the extents that the plan says, and may a run overwrite it?
template <class Stages, class Result> TRACEXPR_INLINE bool is_result_of(plan_of<Stages> const& p, Result const& result) {
    std::size_t k = 0;
    bool fits = true;
    if constexpr (may_run_on_tiles<Stages>) fits = !p.program || !tiles::stops_midway<>(*p.program);
    for_each_output(result, [&]<class Part>(Part const& part) TRACEXPR_INLINE_LAMBDA {
        if constexpr (tensor_type<Part>) fits = fits && has_extents(part, p.extents[index(Stages::graph().outputs[k])]);
        ++k;
    });
    return fits;
}

// Does a result have the extents that the plan says, may a run overwrite it, and is none of it a symbol or on a device?
template <class Stages, class Result> bool is_planned_result(plan_of<Stages> const& p, Result const& result) {
    bool plain = true;
    for_each_output(result, [&]<class Part>(Part const& part) {
        if constexpr (tensor_type<Part>) plain = plain && tensor_access::is_plain(part);
    });
    return plain && is_result_of<Stages>(p, result);
}

// What a run's calls of the user's functions record is kept until the run ends.
template <class Stages> using calls_of_run = std::conditional_t<calls_functions(Stages::graph()), recorded_calls, nothing>;

// Gives a result that was just made tensors of the right extents, and fills them. The result is made before the arguments are
// read, because initialisers of its members may assign to tensors and call functions. From here on no code of the user runs.
// run(plan, io) does the work.
template <class Stages, class Result, class Run>
TRACEXPR_INLINE void run_to_result(Result& result, static_leaves<Stages> const& arguments, Run const& run) {
    auto const& p = plan_for<Stages>(arguments.open);
    void* outputs[Stages::graph().outputs.size() + 1];
    std::size_t k = 0;
    for_each_output(result, [&]<class Part>(Part& part) TRACEXPR_INLINE_LAMBDA {
        if constexpr (!tensor_type<Part>) {
            outputs[k++] = &part;
        } else {
            dims const& extents = p.extents[index(Stages::graph().outputs[k])];
            if constexpr (!Part::static_dims().is_static()) part = Part::uninitialized(extents);
            else if constexpr (!is_inline<typename Part::value_type, typename Part::shape_type>) part = Part::uninitialized();
            outputs[k++] = tensor_access::overwritten(part);
        }
    });
    if constexpr (has_token<Stages>) outputs[k] = nullptr;
    [[maybe_unused]] calls_of_run<Stages> const of_this_run;
    run(p, simd::io{arguments.data, outputs});
}
template <class Stages, class Result> TRACEXPR_INLINE void run_to_result(Result& result, static_leaves<Stages> const& arguments) {
    run_to_result<Stages>(result, arguments, [](plan_of<Stages> const& p, simd::io const& args) TRACEXPR_INLINE_LAMBDA {
        simd::run_static<Stages>(p, args);
    });
}

// Runs into a result that fits and that the call may write while it reads, as may_run_into tells.
template <class Stages, class Result>
TRACEXPR_INLINE void run_into(Result& result, static_leaves<Stages> arguments, plan_of<Stages> const& p) {
    scalar_arguments<Stages> scalars;
    scalars.take(arguments);
    void* outputs[Stages::graph().outputs.size() + 1];
    std::size_t k = 0;
    for_each_output(result, [&]<class Part>(Part& part) TRACEXPR_INLINE_LAMBDA {
        if constexpr (!tensor_type<Part>) outputs[k++] = &part;
        else outputs[k++] = const_cast<typename Part::stored_type*>(tensor_access::own_data(part));
    });
    if constexpr (has_token<Stages>) outputs[k] = nullptr;
    [[maybe_unused]] calls_of_run<Stages> const of_this_run;
    simd::run_static<Stages>(p, {arguments.data, outputs});
}

// Returns the plan of the last call, if these arguments have its extents and the result fits; else null.
template <class Stages, class Result>
TRACEXPR_INLINE plan_of<Stages> const* ready_plan(Result const& result, static_leaves<Stages> const& arguments) {
    made_plan<Stages> const* const latest = latest_plan<Stages>();
    if (!latest || !same_extents(latest->open, arguments.open)) return nullptr;
    return is_result_of<Stages>(latest->view, result) ? &latest->view : nullptr;
}

// Is the program so short that calling a function takes as long as running it? It is then inlined where it is called. With open
// extents only a single loop without a reduction counts as short: a reduction needs so many registers that it runs faster in a
// function of its own.
template <class Stages> inline constexpr bool is_small_program = [] {
    plan_view const& p = Stages::plan();
    if (p.lines.size() > 32) return false;
    return Stages::is_static ? p.steps.size() <= 4 : p.steps.size() == 1 && p.loops.size() == 1 && !p.loops[0].reduces;
}();

template <class Stages> inline constexpr bool has_effects = [] {
    for (node const& n : Stages::trace())
        if (info(n.code).kind == kind::effect) return true;
    for (node const& n : Stages::trace().region_nodes)
        if (info(n.code).kind == kind::effect) return true;
    return false;
}();

// Makes a call with tensors that are part of another trace: the program becomes part of that trace, and its results are symbols
// there.
template <class Stages, class Result, class F, class... A> Result append_stages(trace_scope& scope, F const& f, A const&... a) {
    if constexpr (has_effects<Stages>) know_effects<>();
    appended_argument arguments[parameter_count<Stages> + 1];
    std::size_t count = 0;
    auto const add = [&]<class Part>(Part const& part) {
        using reader = leaf_access<Part>;
        appended_argument& out = arguments[count++];
        if constexpr (held_type<Part>) out.id = lift(scope, part).id();
        else if constexpr (is_captured_leaf<Part>)
            out.id =
                record_live(scope, dtype_of<typename reader::value_type>, dims_of<typename reader::shape_type>, part.capture());
        else out = {node_id::none, reader::data(part), dtype_of<typename reader::value_type>, reader::extents(part)};
    };
    (for_each_leaf(a, add), ...);
    callable_form<F>::visit(f, add, ignore_value{});
    visit_captures<Stages>(f, add);
    node_id outputs[Stages::trace().outputs.size() + 1];
    scope.append(scope, Stages::trace(), {arguments, count}, outputs);
    Result result{};
    std::size_t k = 0;
    for_each_output(result, [&]<class Part>(Part& part) {
        if constexpr (tensor_type<Part>) {
            node_id const id = outputs[k++];
            part = tensor_access::from_symbol<Part>(&scope, static_cast<std::int32_t>(id), scope.recorded.shape_of(id));
        }
    });
    return result;
}

} // namespace tx::detail::inline TRACEXPR_TARGET
