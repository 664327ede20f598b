// A static trace with concrete arguments: finds the plan for their extents, makes the results, runs.
#pragma once

#include <tracexpr/backends/static_executor.hpp>
#include <tracexpr/run/tracing.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

namespace tx::detail {

// The captures whose extents only a run tells.
template <class Stages> struct open_captures {
    static constexpr bool is_open(node const& n) { return n.code == op::capture && !Stages::graph().shape_of(n).is_static(); }
    static constexpr std::size_t count = [] {
        std::size_t found = 0;
        for (node const& n : Stages::graph()) found += is_open(n) ? 1 : 0;
        return found;
    }();
    static void add_extents(dims* out) {
        for (node const& n : Stages::graph())
            if (is_open(n)) {
                captured const& c = Stages::graph().captures[static_cast<std::size_t>(n.bits[0])];
                *out++ = c.shape(c.address);
            }
    }
};

// The plan for the extents of arguments and captures; for static shapes the compiler's own. Each thread remembers the last few.
template <class Stages> plan_view plan_for(table_view<dims> arguments) {
    if constexpr (Stages::is_static) {
        return Stages::plan();
    } else {
        constexpr std::size_t parameters = Stages::graph().parameters.size(), count = parameters + open_captures<Stages>::count;
        dims with_captures[count + 1];
        dims const* given = arguments.data();
        if constexpr (count > parameters) {
            std::copy(given, given + parameters, with_captures);
            open_captures<Stages>::add_extents(with_captures + parameters);
            given = with_captures;
        }
        struct entry {
            dims extents[count + 1];
            plan made;
        };
        constexpr std::size_t remembered = 8;
        thread_local std::unique_ptr<entry> entries[remembered];
        thread_local std::size_t recent = 0;
        for (std::size_t k = 0; k < remembered; ++k) {
            std::size_t const at = (recent + remembered - k) % remembered;
            entry const* const e = entries[at].get();
            if (e && std::equal(e->extents, e->extents + count, given)) {
                recent = at;
                return e->made.view();
            }
        }
        buffer<dims> const extents = inferred_extents(Stages::graph(), arguments);
        auto fresh = std::make_unique<entry>();
        std::copy(given, given + count, fresh->extents);
        fresh->made = make_plan(Stages::graph(), Stages::clusters(), {extents.data(), extents.size()}, Stages::passes);
        recent = (recent + 1) % remembered;
        entries[recent] = std::move(fresh);
        return entries[recent]->made.view();
    }
}

// Where the leaves of arguments are, and, where types don't tell, their shapes.
template <std::size_t Leaves, bool HasExtents> struct leaf_list {
    void const* data[Leaves + 1];
    dims extents[HasExtents ? Leaves + 1 : 1];
    std::size_t count = 0;

    template <class A> TRACEXPR_INLINE void add(A const& a) {
        for_each_leaf(a, adder());
    }
    TRACEXPR_INLINE auto adder() {
        return [this](auto const& part) {
            using reader = leaf_access<std::remove_cvref_t<decltype(part)>>;
            data[count] = reader::data(part);
            if constexpr (HasExtents) extents[count] = reader::extents(part);
            ++count;
        };
    }
    table_view<dims> shapes() const { return {extents, HasExtents ? count : 0}; }
};

// The arguments of a trace that the compiler made: those of the call, then what the callable holds.
template <class Stages> using static_leaves = leaf_list<Stages::graph().parameters.size(), !Stages::is_static>;
template <class Stages, class F, class... A> TRACEXPR_INLINE static_leaves<Stages> leaves_of_call(F const& f, A const&... a) {
    static_leaves<Stages> out;
    (out.add(a), ...);
    callable_form<F>::visit(f, out.adder(), ignore_value{});
    return out;
}

// Elements of inputs and results that overlap would be overwritten while they are needed.
TRACEXPR_INLINE bool overlap(void const* a, std::int64_t a_bytes, void const* b, std::int64_t b_bytes) {
    auto const first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
    return second < first + static_cast<std::uintptr_t>(a_bytes) && first < second + static_cast<std::uintptr_t>(b_bytes);
}
template <class Stages, class Leaves> TRACEXPR_INLINE bool overlaps_input(Leaves const& arguments, plan_view const& p, void const* from, std::int64_t bytes) {
    for (plan_buffer const& b : p.buffers) {
        if (b.place == buffer_place::argument && overlap(arguments.data[b.number], b.bytes, from, bytes)) return true;
        if (b.place == buffer_place::capture) {
            captured const& c = Stages::graph().captures[static_cast<std::size_t>(b.number)];
            if (overlap(c.data(c.address), b.bytes, from, bytes)) return true;
        }
    }
    return false;
}

template <class A> constexpr std::int64_t bytes_of(A const& a) {
    if constexpr (tensor_type<A>) return a.size() * static_cast<std::int64_t>(sizeof(typename A::value_type));
    else return sizeof(A);
}

// Gives `result` tensors of the right extents. With `reuse` those that have them already are kept.
template <class Stages, class Result> TRACEXPR_INLINE void shape_results(plan_view const& p, Result& result, bool reuse, void** outputs) {
    std::size_t k = 0;
    for_each_result(result, [&](auto& part) {
        using Part = std::remove_cvref_t<decltype(part)>;
        if constexpr (!tensor_type<Part>) {
            outputs[k++] = &part;
        } else {
            if constexpr (!Part::static_dims().is_static()) {
                dims const& extents = p.extents[index(Stages::graph().outputs[k])];
                if (!reuse || part.dimensions() != extents) part = Part::uninitialized(extents);
            } else if constexpr (!is_inline<typename Part::value_type, typename Part::shape_type>) {
                if (!reuse) part = Part::uninitialized();
            }
            outputs[k++] = part.mutable_data();
        }
    });
}

template <class Stages, class Result> TRACEXPR_INLINE Result run_to_result(static_leaves<Stages> const& arguments) {
    plan_view const p = plan_for<Stages>(arguments.shapes());
    Result result{};
    void* outputs[Stages::graph().outputs.size() + 1];
    shape_results<Stages>(p, result, false, outputs);
    simd::run_static<Stages>(p, {arguments.data, outputs});
    return result;
}

template <class Stages, class Result> TRACEXPR_INLINE void run_into(Result& result, static_leaves<Stages> const& arguments) {
    plan_view const p = plan_for<Stages>(arguments.shapes());
    bool shared = false;
    for_each_result(result, [&](auto& part) {
        if constexpr (tensor_type<decltype(part)>) shared = shared || overlaps_input<Stages>(arguments, p, part.data(), bytes_of(part));
        else shared = shared || overlaps_input<Stages>(arguments, p, &part, bytes_of(part));
    });
    if (shared) {
        result = run_to_result<Stages, Result>(arguments);
        return;
    }
    void* outputs[Stages::graph().outputs.size() + 1];
    shape_results<Stages>(p, result, true, outputs);
    simd::run_static<Stages>(p, {arguments.data, outputs});
}

[[noreturn]] TRACEXPR_NOINLINE inline void throw_foreign_symbol() {
    throw trace_error("tx: a symbolic tensor was used outside the trace it belongs to; return it from the traced callable instead");
}

// Appends the compiler's trace to one under way, at least one of whose values is among the arguments.
template <class Stages, class Result, class F, class... A> Result append_stages(trace_scope& scope, F const& f, A const&... a) {
    appended_argument arguments[Stages::graph().parameters.size() + 1];
    std::size_t count = 0;
    auto const add = [&]<class Part>(Part const& part) {
        using reader = leaf_access<Part>;
        appended_argument& out = arguments[count++];
        if constexpr (tensor_type<Part>) {
            if (tensor_access::is_symbolic(part)) {
                if (tensor_access::symbol_owner(part) != &scope) throw_foreign_symbol();
                out.id = static_cast<node_id>(tensor_access::symbol_id(part));
                return;
            }
        }
        out.data = reader::data(part), out.type = dtype_of<typename reader::value_type>, out.shape = reader::extents(part);
    };
    (for_each_leaf(a, add), ...);
    callable_form<F>::visit(f, add, ignore_value{});
    node_id outputs[Stages::trace().outputs.size() + 1];
    if (!scope.append) throw_foreign_symbol();
    scope.append(scope, Stages::trace(), {arguments, count}, outputs);
    Result result{};
    std::size_t k = 0;
    for_each_result(result, [&]<class Part>(Part& part) {
        if constexpr (tensor_type<Part>) {
            node_id const id = outputs[k++];
            part = tensor_access::from_symbol<Part>(&scope, static_cast<std::int32_t>(id), scope.recorded.shape_of(id));
        }
    });
    return result;
}

} // namespace tx::detail
