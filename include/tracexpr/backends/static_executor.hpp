// Runs a plan whose form the compiler knows: every loop is a kernel type, every call an instantiation. The numbers (extents, strides,
// offsets) come from a plan_view, constexpr for static shapes and made at run time otherwise.
#pragma once

#include <tracexpr/backends/calls.hpp>
#include <tracexpr/backends/loops.hpp>
#include <tracexpr/backends/matmul_small.hpp>

#include <memory>
#include <vector>

namespace tx::simd {

// What a run reads and writes, in the order of the graph's parameters and outputs.
struct io {
    void const* const* arguments;
    void* const* outputs;
};

namespace detail {

// Form::plan() is a constexpr plan_view, Form::graph() its graph. Kernels whose accesses' modes turn out otherwise at run time (an
// unknown extent that is 1, say) run in a form that takes any stride.
template <class Form, std::size_t Loop, bool AnyStride> struct loop_kernel {
    static constexpr plan_loop loop = Form::plan().loops[Loop];
    static constexpr std::uint64_t word(std::size_t k) {
        kernel_line const& l = Form::plan().lines[loop.lines.first + k];
        bool const moves = l.role != role::literal && l.role != role::compute;
        return encode({l.role, l.code, l.type, l.a, l.b, l.c}, AnyStride && moves ? access_mode::strided : l.mode);
    }
    template <class> struct make;
    template <std::size_t... K> struct make<std::index_sequence<K...>> {
        using type = kernel<word(K)...>;
    };
    using type = typename make<std::make_index_sequence<loop.lines.count>>::type;
};

template <class Form, std::size_t Loop> TRACEXPR_INLINE bool has_assumed_modes(plan_view const& p) {
    constexpr plan_loop loop = Form::plan().loops[Loop];
    if (p.loops[Loop].columns != loop.columns) return false;
    for (std::uint32_t k = 0; k < loop.accesses.count; ++k)
        if (p.accesses[loop.accesses.first + k].mode != Form::plan().accesses[loop.accesses.first + k].mode) return false;
    return true;
}

template <std::size_t N> TRACEXPR_INLINE constexpr std::array<literal_bits, N> literals_of(plan_view const& p, std::uint32_t first) {
    std::array<literal_bits, N> out{};
    for (std::size_t k = 0; k < N; ++k) out[k] = p.literals[first + k].bits;
    return out;
}

// One row whose length the compiler knows.
template <class Form, std::size_t Step, std::size_t Loop> inline constexpr bool is_static_row =
    Form::is_static && Form::plan().steps[Step].outer.rank == 0 && Form::plan().loops[Loop].inner.rank <= 1 && !Form::plan().loops[Loop].columns;
template <class Form, std::size_t Loop> inline constexpr std::int64_t row_length =
    Form::plan().loops[Loop].inner.rank ? Form::plan().loops[Loop].inner.extent[0] : 1;

template <class Form, std::size_t Loop> struct static_literals {
    static constexpr auto value = literals_of<Form::plan().loops[Loop].literals.count>(Form::plan(), Form::plan().loops[Loop].literals.first);
};
template <class Form, std::size_t Loop, class Arch> TRACEXPR_INLINE void run_static_row(std::byte* const* buffers) {
    constexpr plan_loop loop = Form::plan().loops[Loop];
    using kernel_type = typename loop_kernel<Form, Loop, false>::type;
    cursor cursors[loop.accesses.count + 1];
    [&]<std::size_t... K>(std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
        (
            [&]() TRACEXPR_INLINE_LAMBDA {
                constexpr plan_access a = Form::plan().accesses[loop.accesses.first + K];
                cursors[K].index = a.offset;
                cursors[K].stride = loop.inner.rank ? a.inner[0] : 0;
                if constexpr (a.buffer >= 0) cursors[K].at = buffers[a.buffer] + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type));
            }(),
            ...);
    }(std::make_index_sequence<loop.accesses.count>{});
    run_short_row<kernel_type, Arch, row_length<Form, Loop>>(cursors, static_literals<Form, Loop>::value.data());
}

template <class Form, std::size_t Step, std::size_t Loop, class Arch> TRACEXPR_INLINE void run_plan_loop(plan_view const& p, walk const& outer, std::byte* const* buffers) {
    constexpr plan_loop form = Form::plan().loops[Loop];
    if constexpr (is_static_row<Form, Step, Loop>)
        if constexpr (is_short_row<typename loop_kernel<Form, Loop, false>::type, Arch, row_length<Form, Loop>>) {
            run_static_row<Form, Loop, Arch>(buffers);
            return;
        }
    plan_loop const& loop = p.loops[Loop];
    auto const literals = literals_of<form.literals.count>(p, loop.literals.first);
    plan_access const* const accesses = p.accesses.data() + loop.accesses.first;
    if constexpr (!Form::is_static)
        if (!has_assumed_modes<Form, Loop>(p)) {
            run_loop<typename loop_kernel<Form, Loop, true>::type, Arch>(outer, loop, accesses, literals.data(), buffers);
            return;
        }
    run_loop<typename loop_kernel<Form, Loop, false>::type, Arch>(outer, loop, accesses, literals.data(), buffers);
}

// A product of two small matrices of known extents, each stored by rows or by columns.
template <class Form, std::size_t Step, class Arch> struct small_product {
    static constexpr plan_step step = Form::plan().steps[Step];
    static constexpr node product = Form::graph()[step.call];
    using T = ctype<product.type>;

    static constexpr plan_access const& operand(std::size_t k) { return Form::plan().accesses[step.operands.first + k]; }
    static constexpr dims const& extents(std::size_t k) { return Form::plan().extents[index(Form::graph().operand(product, k))]; }
    static constexpr bool by_rows(std::size_t k) { return operand(k).outer[1] == 1 && operand(k).outer[0] == extents(k)[1]; }
    static constexpr bool by_columns(std::size_t k) { return operand(k).outer[0] == 1 && operand(k).outer[1] == extents(k)[0]; }

    static constexpr bool applies = [] {
        if constexpr (Form::is_static && product.code == op::matmul && std::is_floating_point_v<T>) {
            if constexpr (extents(0).rank == 2 && extents(1).rank == 2 && extents(0).size() > 0 && extents(1).size() > 0) {
                constexpr int M = static_cast<int>(extents(0)[0]), K = static_cast<int>(extents(0)[1]), N = static_cast<int>(extents(1)[1]);
                if constexpr (M <= 64 && N <= 64 && K <= 64)
                    return fits_matmul_small<M, N, K, T, Arch> && (by_rows(0) || by_columns(0)) && (by_rows(1) || by_columns(1));
            }
        }
        return false;
    }();
    static TRACEXPR_INLINE void run(std::byte* const* buffers) {
        constexpr int M = static_cast<int>(extents(0)[0]), K = static_cast<int>(extents(0)[1]), N = static_cast<int>(extents(1)[1]);
        auto const elements = [&](std::size_t k) { return reinterpret_cast<T const*>(buffers[operand(k).buffer]) + operand(k).offset; };
        matmul_small<M, N, K, T, !by_rows(0), !by_rows(1), Arch>(elements(0), elements(1),
                                                                 reinterpret_cast<T*>(buffers[Form::plan().buffer_of[index(step.call)]]));
    }
};

template <class Form, std::size_t Step, class Arch> void run_plan_call(plan_view const& p, std::byte* const* buffers) {
    constexpr plan_step form = Form::plan().steps[Step];
    constexpr graph_view g = Form::graph();
    constexpr node n = g[form.call];
    constexpr dtype operand_type = g[g.operand(n, 0)].type;
    constexpr dtype index_type = n.arity > 1 ? g[g.operand(n, n.arity - 1)].type : dtype::int64;
    using index_element = std::conditional_t<is_integer(index_type), ctype<index_type>, std::int64_t>;
    plan_step const& step = p.steps[Step];
    call_operand operands[n.arity];
    for (std::size_t k = 0; k < n.arity; ++k) {
        plan_access const& a = p.accesses[step.operands.first + k];
        operands[k] = {buffers[a.buffer] + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type)), p.extents[index(g.operand(n, k))], a.outer};
    }
    run_call<n.code, ctype<operand_type>, index_element, Arch>(table_view<call_operand>(operands, n.arity), buffers[p.buffer_of[index(form.call)]], p.extents[index(form.call)], g.attributes_of(n));
}

template <class Form, std::size_t Loop, bool AnyStride, class Arch>
TRACEXPR_INLINE void run_plan_nest_row(plan_view const& p, std::int64_t const* row, walk const& outer, std::byte* const* buffers) {
    constexpr plan_loop form = Form::plan().loops[Loop];
    plan_loop const& loop = p.loops[Loop];
    auto const literals = literals_of<form.literals.count>(p, loop.literals.first);
    run_nest_row<typename loop_kernel<Form, Loop, AnyStride>::type, Arch>(row, outer, loop, p.accesses.data() + loop.accesses.first, literals.data(), buffers);
}
template <class Form, std::size_t Step, class Arch> void run_plan_nest(plan_view const& p, std::byte* const* buffers) {
    constexpr plan_step form = Form::plan().steps[Step];
    constexpr auto loops = std::make_index_sequence<form.loops.count>{};
    walk const& outer = p.steps[Step].outer;
    bool const assumed = Form::is_static || [&]<std::size_t... L>(std::index_sequence<L...>) {
        return (has_assumed_modes<Form, form.loops.first + L>(p) && ...);
    }(loops);
    if (outer.size() == 0) return;
    std::int64_t row[max_rank]{};
    for (int axis = 0; axis >= 0;) {
        [&]<std::size_t... L>(std::index_sequence<L...>) TRACEXPR_INLINE_LAMBDA {
            if (assumed) (run_plan_nest_row<Form, form.loops.first + L, false, Arch>(p, row, outer, buffers), ...);
            else if constexpr (!Form::is_static) (run_plan_nest_row<Form, form.loops.first + L, true, Arch>(p, row, outer, buffers), ...);
        }(loops);
        for (axis = outer.rank - 1; axis >= 0 && ++row[axis] == outer.extent[axis]; --axis) row[axis] = 0;
    }
}

template <class Form, std::size_t Step, class Arch> TRACEXPR_INLINE void run_step(plan_view const& p, std::byte* const* buffers) {
    constexpr plan_step form = Form::plan().steps[Step];
    if constexpr (form.call != node_id::none) {
        if constexpr (small_product<Form, Step, Arch>::applies) small_product<Form, Step, Arch>::run(buffers);
        else run_plan_call<Form, Step, Arch>(p, buffers);
    } else if constexpr (form.loops.count > 1) {
        run_plan_nest<Form, Step, Arch>(p, buffers);
    } else {
        [&]<std::size_t... L>(std::index_sequence<L...>) TRACEXPR_INLINE_LAMBDA {
            (run_plan_loop<Form, Step, form.loops.first + L, Arch>(p, p.steps[Step].outer, buffers), ...);
        }(std::make_index_sequence<form.loops.count>{});
    }
}

// Elements of the graph's constants, laid out as tensors are.
template <class Form, std::size_t Buffer> struct constant_elements {
    static constexpr node n = Form::graph()[Form::plan().buffers[Buffer].node];
    using T = ctype<n.type>;
    static constexpr std::size_t words = n.bits[1];
    static constexpr std::size_t stride = tx::is_complex(n.type) ? 2 : 1;
    alignas(64) static constexpr std::array<T, words / stride> elements = [] {
        std::array<T, words / stride> out{};
        table_view<std::uint64_t> const blob = Form::graph().blob;
        for (std::size_t i = 0; i < words / stride; ++i) {
            std::uint64_t const low = blob[n.bits[0] + i * stride];
            std::uint64_t const high = stride == 2 ? blob[n.bits[0] + i * stride + 1] : 0;
            out[i] = from_literal<T>(low, high);
        }
        return out;
    }();
};

template <class Form, std::size_t Buffer> TRACEXPR_INLINE std::byte* resolve(plan_view const& p, io const& args, std::byte* arena) {
    constexpr plan_buffer form = Form::plan().buffers[Buffer];
    if constexpr (form.place == buffer_place::argument) return const_cast<std::byte*>(static_cast<std::byte const*>(args.arguments[form.number]));
    else if constexpr (form.place == buffer_place::output) return static_cast<std::byte*>(args.outputs[form.number]);
    else if constexpr (form.place == buffer_place::arena) return arena + p.buffers[Buffer].offset;
    else if constexpr (form.place == buffer_place::capture) {
        constexpr captured c = Form::graph().captures[static_cast<std::size_t>(form.number)];
        return const_cast<std::byte*>(static_cast<std::byte const*>(c.data(c.address)));
    } else return reinterpret_cast<std::byte*>(const_cast<typename constant_elements<Form, Buffer>::T*>(constant_elements<Form, Buffer>::elements.data()));
}

// Memory for intermediate results, kept by each thread for its next run.
inline std::byte* arena_memory(std::size_t bytes) {
    struct release {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    thread_local std::unique_ptr<std::byte, release> memory;
    thread_local std::size_t capacity = 0;
    if (bytes > capacity) {
        memory.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
        capacity = bytes;
    }
    return memory.get();
}
inline constexpr std::size_t stack_arena_bytes = 4096;

template <class Form, class Arch> TRACEXPR_INLINE void run_in(plan_view const& p, io const& args, std::byte* arena) {
    constexpr std::size_t buffer_count = Form::plan().buffers.size();
    std::byte* buffers[buffer_count + 1];
    [&]<std::size_t... B>(std::index_sequence<B...>) TRACEXPR_INLINE_LAMBDA { ((buffers[B] = resolve<Form, B>(p, args, arena)), ...); }(std::make_index_sequence<buffer_count>{});
    [&]<std::size_t... S>(std::index_sequence<S...>) TRACEXPR_INLINE_LAMBDA { (run_step<Form, S, Arch>(p, buffers), ...); }(std::make_index_sequence<Form::plan().steps.size()>{});
    for (output_copy const& c : p.copies) {
        std::size_t const bytes = static_cast<std::size_t>(p.buffers[static_cast<std::size_t>(c.from)].bytes);
        if (bytes) std::memcpy(args.outputs[c.to], buffers[c.from], bytes);
    }
}
} // namespace detail

// Arguments and outputs don't overlap.
template <class Form, class Arch = xsimd::default_arch> TRACEXPR_INLINE void run_static(plan_view const& p, io const& args) {
    if constexpr (Form::is_static && Form::plan().arena_bytes[0] <= static_cast<std::int64_t>(detail::stack_arena_bytes)) {
        alignas(64) std::byte arena[Form::plan().arena_bytes[0] > 0 ? static_cast<std::size_t>(Form::plan().arena_bytes[0]) : 1];
        detail::run_in<Form, Arch>(p, args, arena);
    } else {
        detail::run_in<Form, Arch>(p, args, detail::arena_memory(static_cast<std::size_t>(p.arena_bytes[0])));
    }
}

} // namespace tx::simd
