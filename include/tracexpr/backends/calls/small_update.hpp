// This file adds to a few evenly spaced elements of a tensor of known extents, or sets them. Gradients of slices and of diagonals
// do so.
#pragma once

#include <tracexpr/backends/calls/update.hpp>
#include <tracexpr/backends/run_as.hpp>
#include <tracexpr/passes/strategies.hpp>

#include <algorithm>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::is_small_update;

// Returns the value of an operand that is a literal, or a view of one.
template <class T> constexpr T literal_behind(graph_view const& g, node_id id) {
    while (g[id].code != op::literal) id = g.operand(g[id], 0);
    return from_literal<T>(g[id].bits[0], g[id].bits[1]);
}

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::small_update, Form, Step, Arch> {
    static constexpr plan_step step = Form::plan().steps[Step];
    static constexpr bool sets = sets_elements(Form::graph()[step.call].code);

    static constexpr dims const& extents(node_id id) { return Form::plan().extents[index(id)]; }
    struct elements {
        std::int64_t first, pace, count;
        constexpr bool has(std::int64_t i) const {
            return (i - first) % pace == 0 && (i - first) / pace >= 0 && (i - first) / pace < count;
        }
    };
    static constexpr elements changed_by(node_id id) {
        node const n = Form::graph()[id];
        strided_place const place = place_in(extents(id), updated_map(extents(id), Form::graph().attributes_of(n)));
        return {place.offset, place.stride[0], extents(Form::graph().operand(n, 1))[0]};
    }
    // True if the elements were 0 before, as those of a gradient are which nothing was added to.
    static constexpr bool adds_to_zeros() {
        elements const own = changed_by(step.call);
        node_id id = step.call;
        while (is_small_update(Form::graph(), Form::plan().extents, id = Form::graph().operand(Form::graph()[id], 0))) {
            elements const before = changed_by(id);
            for (std::int64_t i = 0; i < own.count; ++i)
                if (before.has(own.first + i * own.pace)) return false;
        }
        node const n = Form::graph()[id];
        if (n.code != op::broadcast_to) return false;
        node const filled_with = Form::graph()[Form::graph().operand(n, 0)];
        return filled_with.code == op::literal && filled_with.bits[0] == 0 && filled_with.bits[1] == 0;
    }
    // Reads an element without vectorization: a vector load of elements that have just been stored one by one would wait for all
    // of the stores, while a single element is forwarded at once.
    template <class T> static TRACEXPR_INLINE T one_by_one(T const& element) {
        if constexpr (std::is_arithmetic_v<T>) return static_cast<T const volatile&>(element);
        else return element;
    }
    static TRACEXPR_INLINE void run(plan_view const&, std::byte* const* buffers) {
        using T = ctype<Form::graph()[step.call].type>;
        constexpr elements changed = changed_by(step.call);
        constexpr std::int32_t from = Form::plan().accesses[step.operands.first].buffer,
                               to = Form::plan().buffer_of[index(step.call)];
        constexpr plan_access added = Form::plan().accesses[step.operands.first + 1];
        T* const out = reinterpret_cast<T*>(buffers[to]);
        if constexpr (from != to) std::copy_n(reinterpret_cast<T const*>(buffers[from]), extents(step.call).size(), out);
        auto const next = [&](std::int64_t i) TRACEXPR_INLINE_LAMBDA -> T {
            if constexpr (added.buffer < 0) {
                return literal_behind<T>(Form::graph(), Form::graph().operand(Form::graph()[step.call], 1));
            } else {
                T const* const more = reinterpret_cast<T const*>(buffers[added.buffer]);
                if constexpr (changed.count > 1 && added.outer[0] == 0) return *more;
                else if constexpr ((sets || adds_to_zeros()) && changed.pace == 1) return more[i];
                else return one_by_one(more[i]);
            }
        };
        for (std::int64_t i = 0; i < changed.count; ++i) {
            T& sum = out[changed.first + i * changed.pace];
            if constexpr (sets) sum = next(i);
            else if constexpr (adds_to_zeros()) sum = static_cast<T>(T() + next(i));
            else sum = static_cast<T>(sum + next(i));
        }
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
