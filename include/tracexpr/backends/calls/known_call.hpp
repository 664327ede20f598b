// This file holds what the compiler knows of a step that calls a function for its op, and makes that call.
#pragma once

#include <tracexpr/backends/calls/called_once.hpp>
#include <tracexpr/backends/calls/control.hpp>
#include <tracexpr/backends/calls/small_update.hpp>
#include <tracexpr/backends/run_as.hpp>

#include <memory>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Form, std::size_t Step> struct known_call {
    static constexpr plan_step form = Form::plan().steps[Step];
    static constexpr graph_view g = Form::graph();
    static constexpr node n = g[form.call];
    static constexpr std::size_t count = value_operands(n), further = static_cast<std::size_t>(info(n.code).results) - 1;
    using operand_element = ctype<g[g.operand(n, 0)].type>;

private:
    static constexpr dtype index_type = n.arity > 1 ? g[g.operand(n, n.arity - 1)].type : dtype::int64;
    static constexpr plan_access second = Form::plan().accesses[form.operands.first + (count > 1 ? 1 : 0)];

public:
    using index_element = std::conditional_t<is_integer(index_type), ctype<index_type>, std::int64_t>;
    // True if operand 1 of an update is a number that is added everywhere: it then has no memory. (nvcc would take a < here for
    // that of a template.)
    static constexpr bool adds_literal = info(n.code).kind == kind::update && second.buffer == -1;
    static operand_element literal() {
        if constexpr (adds_literal) return literal_behind<operand_element>(g, g.operand(n, 1));
        else return {};
    }
    // Operand k of the call; `number` is the address of the literal, if the operand is one.
    static call_operand operand(plan_view const& p, std::byte* const* buffers, std::size_t k, std::byte const* number) {
        plan_access const& a = p.accesses[p.steps[Step].operands.first + k];
        return {adds_literal && k == 1 ? number : buffers[a.buffer] + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type)),
                p.extents[index(g.operand(n, k))], a.outer};
    }
};

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::any_call, Form, Step, Arch> {
    static void run(plan_view const& p, std::byte* const* buffers) {
        using call = known_call<Form, Step>;
        auto const number = call::literal();
        call_operand operands[call::count];
        for (std::size_t k = 0; k < call::count; ++k)
            operands[k] = call::operand(p, buffers, k, reinterpret_cast<std::byte const*>(&number));
        dims const& extents = p.extents[index(call::form.call)];
        std::byte* results[call::further + 1]{buffers[p.buffer_of[index(call::form.call)]]};
        std::unique_ptr<std::byte[]> unneeded[call::further + 1];
        for (std::size_t k = 1; k <= call::further; ++k)
            results[k] = result_of_step<Form, Step>(this_machine<Arch>(), p, buffers, k,
                                                    result_spec(call::g, call::n, extents, operands[0].extents, k), unneeded[k]);
        call_compiled<call::n.code, typename call::operand_element, typename call::index_element, Arch>(
            table_view<call_operand>(operands, call::count), results, extents, call::g.attributes_of(call::n));
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
