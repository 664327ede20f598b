// This file runs a plan whose form the compiler knows: every loop is a kernel type, and every call an instantiation. The numbers
// (extents, strides, offsets) come from a plan_view, which is constexpr for static shapes and made at run time otherwise.
#pragma once

#include <tracexpr/backends/arenas.hpp>
#include <tracexpr/backends/calls/block_steps.hpp>
#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/backends/calls/control.hpp>
#include <tracexpr/backends/calls/known_call.hpp>
#include <tracexpr/backends/calls/small_join.hpp>
#include <tracexpr/backends/calls/small_products.hpp>
#include <tracexpr/backends/calls/small_update.hpp>
#include <tracexpr/backends/contractions/small_product.hpp>
#include <tracexpr/backends/loops/nest.hpp>
#include <tracexpr/backends/loops/strided.hpp>
#include <tracexpr/backends/threads/parallel.hpp>

#include <memory>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::check_indices, Form, Step, Arch> {
    static void run(plan_view const& p, std::byte* const* buffers) {
        constexpr graph_view g = Form::graph();
        constexpr node n = g[Form::plan().steps[Step].call];
        using index_element = ctype<g[g.operand(n, 1)].type>;
        plan_access const& a = p.accesses[p.steps[Step].operands.first];
        int const along = static_cast<int>(g.attributes_of(n)[0]);
        check_indices(reinterpret_cast<index_element const*>(buffers[a.buffer]) + a.offset,
                      p.extents[index(g.operand(n, 1))].size(), p.extents[index(g.operand(n, 0))][along], along,
                      info(n.code).name.data());
    }
};

// constant_elements holds the elements of one of the graph's constants, stored as tensors are.
template <class Form, std::size_t Buffer> struct constant_elements {
    static constexpr node n = Form::graph()[Form::plan().buffers[Buffer].node];
    using T = ctype<n.type>;
    static constexpr std::size_t words = n.bits[1];
    static constexpr std::size_t stride = words_of(n.type);
    alignas(64) static constexpr std::array<T, words / stride> elements = [] {
        std::array<T, words / stride> out{};
        table_view<std::uint64_t> const blob = Form::graph().blob;
        for (std::size_t i = 0; i < words / stride; ++i) out[i] = from_words<T>(blob.data() + n.bits[0] + i * stride);
        return out;
    }();
};

// True if loops compute addresses from a buffer although it may hold no elements. Tensors without elements have no address.
template <class Form> inline constexpr bool needs_addresses = [] {
    for (plan_step const& s : Form::plan().steps)
        for (std::uint32_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l)
            if (s.outer.rank > 0 && Form::plan().loops[l].reduces) return true;
    for (plan_access const& a : Form::plan().accesses)
        if (a.offset != 0) return true;
    return false;
}();
template <class Form, std::size_t Buffer> TRACEXPR_INLINE std::byte* address_of(void const* elements) {
    alignas(64) static constinit std::byte none{};
    if constexpr (Form::is_static && Form::plan().buffers[Buffer].bytes == 0) return &none;
    else if constexpr (!Form::is_static && needs_addresses<Form>)
        return elements ? const_cast<std::byte*>(static_cast<std::byte const*>(elements)) : &none;
    else return const_cast<std::byte*>(static_cast<std::byte const*>(elements));
}

template <class Form, std::size_t Buffer>
TRACEXPR_INLINE std::byte* resolve(plan_view const& p, io const& args, std::byte* arena) {
    constexpr plan_buffer form = Form::plan().buffers[Buffer];
    if constexpr (form.place == buffer_place::argument) return address_of<Form, Buffer>(args.arguments[form.number]);
    else if constexpr (form.place == buffer_place::output) return static_cast<std::byte*>(args.outputs[form.number]);
    else if constexpr (form.place == buffer_place::arena) return arena + p.buffers[Buffer].offset;
    else if constexpr (form.place == buffer_place::capture) {
        constexpr captured c = Form::graph().captures[static_cast<std::size_t>(form.number)];
        return address_of<Form, Buffer>(c.data(c.address));
    } else
        return reinterpret_cast<std::byte*>(
            const_cast<typename constant_elements<Form, Buffer>::T*>(constant_elements<Form, Buffer>::elements.data()));
}

inline constexpr std::size_t stack_arena_bytes = 4096;
template <class Form> inline constexpr bool has_arena = [] {
    for (plan_buffer const& b : Form::plan().buffers)
        if (b.place == buffer_place::arena) return true;
    return false;
}();

template <class Form, std::size_t Copy>
TRACEXPR_INLINE void copy_output(plan_view const& p, io const& args, std::byte* const* buffers) {
    constexpr output_copy c = Form::plan().copies[Copy];
    constexpr std::size_t from = static_cast<std::size_t>(c.from);
    std::int64_t bytes = 0;
    if constexpr (Form::is_static) bytes = Form::plan().buffers[from].bytes;
    else bytes = p.buffers[from].bytes;
    if (bytes && args.outputs[c.to] != buffers[from])
        std::memcpy(args.outputs[c.to], buffers[from], static_cast<std::size_t>(bytes));
}

// Calls run(the step's number as a constant, buffers) for each step.
template <class Form, class F> TRACEXPR_INLINE void run_steps(plan_view const& p, io const& args, std::byte* arena, F run) {
    constexpr std::size_t buffer_count = Form::plan().buffers.size();
    std::byte* buffers[buffer_count + 1];
    [&]<std::size_t... B>(std::index_sequence<B...>) TRACEXPR_INLINE_LAMBDA {
        ((buffers[B] = resolve<Form, B>(p, args, arena)), ...);
    }(std::make_index_sequence<buffer_count>{});
    [&]<std::size_t... S>(std::index_sequence<S...>) TRACEXPR_INLINE_LAMBDA {
        (run(std::integral_constant<std::size_t, S>{}, buffers), ...);
    }(std::make_index_sequence<Form::plan().steps.size()>{});
    [&]<std::size_t... C>(std::index_sequence<C...>) TRACEXPR_INLINE_LAMBDA {
        (copy_output<Form, C>(p, args, buffers), ...);
    }(std::make_index_sequence<Form::plan().copies.size()>{});
}
template <class Form, std::size_t Step, class Arch>
TRACEXPR_INLINE void run_step(plan_of<Form> const& p, std::byte* const* buffers) {
    constexpr plan_step known = Form::plan().steps[Step];
    if constexpr (tx::detail::may_run_on_tiles<Form> && known.call == node_id::none)
        if (p.loops[known.loops.first].kept == strategy::strided) return tx::tiles::run_loops<>(*p.loops_on_tiles, Step, buffers);
    if constexpr (Form::plan().steps[Step].sharing != sharing::none)
        if (parallel_step<Form, Step, Arch>::run(p, buffers)) return;
    run_as_planned<Form, Step, Arch>(p, buffers);
}
template <class Form, class Arch> TRACEXPR_INLINE void run_in(plan_of<Form> const& p, io const& args, std::byte* arena) {
    run_steps<Form>(p, args, arena, [&](auto step, std::byte* const* buffers) TRACEXPR_INLINE_LAMBDA {
        run_step<Form, step.value, Arch>(p, buffers);
        if constexpr (tx::detail::begins_collectives(Form::graph())) tx::detail::progress_begun_collectives();
    });
}
} // namespace detail

// Runs a plan. Arguments and outputs must not overlap.
template <class Form, class Arch = simd::default_arch> TRACEXPR_INLINE void run_static(plan_of<Form> const& p, io const& args) {
    if constexpr (tx::detail::may_run_on_tiles<Form>)
        if (p.program) [[unlikely]]
            return tx::tiles::run_program_within<>(*p.program, args);
    if constexpr (Form::is_static && Form::plan().arena_bytes[0] <= static_cast<std::int64_t>(detail::stack_arena_bytes)) {
        alignas(64) std::byte arena[Form::plan().arena_bytes[0] > 0 ? static_cast<std::size_t>(Form::plan().arena_bytes[0]) : 1];
        detail::run_in<Form, Arch>(p, args, arena);
    } else if constexpr (!detail::has_arena<Form>) {
        detail::run_in<Form, Arch>(p, args, nullptr);
    } else {
        tx::detail::arena_lease const arena(static_cast<std::size_t>(p.arena_bytes[0]));
        detail::run_in<Form, Arch>(p, args, arena.memory());
    }
}

// Runs a plan by calling around(number, run) for each step; `run` is a function that runs the step.
template <class Form, class Around> void run_static_around(plan_of<Form> const& p, io const& args, Around& around) {
    tx::detail::arena_lease const arena(static_cast<std::size_t>(p.arena_bytes[0]));
    detail::run_steps<Form>(p, args, arena.memory(), [&](auto step, std::byte* const* buffers) {
        around(step.value, [&] { detail::run_step<Form, step.value, simd::default_arch>(p, buffers); });
    });
}

// Runs a region. It is not inlined, as it is the code of a branch.
template <class Form, class Arch> void run_region(plan_of<Form> const& p, io const& args) { run_static<Form, Arch>(p, args); }

} // namespace tx::inline TRACEXPR_TARGET::simd
