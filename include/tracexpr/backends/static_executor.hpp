// Runs a plan whose form the compiler knows: every loop is a kernel type, every call an instantiation. The numbers (extents, strides,
// offsets) come from a plan_view, constexpr for static shapes and made at run time otherwise.
#pragma once

#include <tracexpr/backends/calls.hpp>
#include <tracexpr/backends/nest.hpp>
#include <tracexpr/backends/parallel.hpp>
#include <tracexpr/backends/small_product.hpp>

#include <memory>
#include <vector>

namespace tx::simd {

// What a run reads and writes, in the order of the graph's parameters and outputs.
struct io {
    void const* const* arguments;
    void* const* outputs;
};

namespace detail {

// An addition to a few elements of a tensor of known extents, evenly spaced.
template <class Form, std::size_t Step> struct small_update {
    static constexpr plan_step step = Form::plan().steps[Step];

    static constexpr dims const& extents(node_id id) { return Form::plan().extents[index(id)]; }
    static constexpr bool is_short(node_id id) {
        node const n = Form::graph()[id];
        if (n.code != op::slice_add && n.code != op::diagonal_add) return false;
        dims const& part = extents(Form::graph().operand(n, 1));
        return part.rank == 1 && part[0] > 0 && part[0] <= 64;
    }
    static constexpr bool applies = Form::is_static && is_short(step.call);

    struct elements {
        std::int64_t first, pace, count;
        constexpr bool has(std::int64_t i) const { return (i - first) % pace == 0 && (i - first) / pace >= 0 && (i - first) / pace < count; }
    };
    static constexpr elements changed_by(node_id id) {
        node const n = Form::graph()[id];
        update_place const place = place_of_update(n.code, Form::graph().attributes_of(n), extents(id));
        return {place.offset, place.stride[0], extents(Form::graph().operand(n, 1))[0]};
    }
    // Were they 0 before, as those of a gradient are that nothing was added to?
    static constexpr bool adds_to_zeros() {
        elements const own = changed_by(step.call);
        node_id id = step.call;
        while (is_short(id = Form::graph().operand(Form::graph()[id], 0))) {
            elements const before = changed_by(id);
            for (std::int64_t i = 0; i < own.count; ++i)
                if (before.has(own.first + i * own.pace)) return false;
        }
        node const n = Form::graph()[id];
        if (n.code != op::broadcast_to) return false;
        node const filled_with = Form::graph()[Form::graph().operand(n, 0)];
        return filled_with.code == op::literal && filled_with.bits[0] == 0 && filled_with.bits[1] == 0;
    }
    // A vector of elements that others have just written would wait for all of their stores; single elements are passed on at once.
    template <class T> static TRACEXPR_INLINE T one_by_one(T const& element) {
        if constexpr (std::is_arithmetic_v<T>) return static_cast<T const volatile&>(element);
        else return element;
    }
    static TRACEXPR_INLINE void run(std::byte* const* buffers) {
        using T = ctype<Form::graph()[step.call].type>;
        constexpr elements changed = changed_by(step.call);
        constexpr std::int32_t from = Form::plan().accesses[step.operands.first].buffer, to = Form::plan().buffer_of[index(step.call)];
        T* const out = reinterpret_cast<T*>(buffers[to]);
        if constexpr (from != to) std::copy_n(reinterpret_cast<T const*>(buffers[from]), extents(step.call).size(), out);
        T const* const more = reinterpret_cast<T const*>(buffers[Form::plan().accesses[step.operands.first + 1].buffer]);
        for (std::int64_t i = 0; i < changed.count; ++i) {
            T& sum = out[changed.first + i * changed.pace];
            if constexpr (!adds_to_zeros()) sum = static_cast<T>(sum + one_by_one(more[i]));
            else sum = static_cast<T>(T() + (changed.pace == 1 ? more[i] : one_by_one(more[i])));
        }
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

template <class Form, std::size_t Step, class Arch> TRACEXPR_INLINE void run_step(plan_view const& p, std::byte* const* buffers) {
    constexpr plan_step form = Form::plan().steps[Step];
    if constexpr (Form::passes.threads && form.call == node_id::none)
        if (parallel_step<Form, Step, Arch>::run(p, buffers)) return;
    if constexpr (is_epilogue<Form, Step, Arch>) {
    } else if constexpr (form.call != node_id::none) {
        if constexpr (small_product<Form, Step, Arch>::applies) small_product<Form, Step, Arch>::run(buffers);
        else if constexpr (small_update<Form, Step>::applies) small_update<Form, Step>::run(buffers);
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
    static constexpr std::size_t stride = words_of(n.type);
    alignas(64) static constexpr std::array<T, words / stride> elements = [] {
        std::array<T, words / stride> out{};
        table_view<std::uint64_t> const blob = Form::graph().blob;
        for (std::size_t i = 0; i < words / stride; ++i) out[i] = from_words<T>(blob.data() + n.bits[0] + i * stride);
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
template <class Form> inline constexpr bool has_arena = [] {
    for (plan_buffer const& b : Form::plan().buffers)
        if (b.place == buffer_place::arena) return true;
    return false;
}();

template <class Form, class Arch> TRACEXPR_INLINE void run_in(plan_view const& p, io const& args, std::byte* arena) {
    constexpr std::size_t buffer_count = Form::plan().buffers.size();
    std::byte* buffers[buffer_count + 1];
    [&]<std::size_t... B>(std::index_sequence<B...>) TRACEXPR_INLINE_LAMBDA { ((buffers[B] = resolve<Form, B>(p, args, arena)), ...); }(std::make_index_sequence<buffer_count>{});
    [&]<std::size_t... S>(std::index_sequence<S...>) TRACEXPR_INLINE_LAMBDA { (run_step<Form, S, Arch>(p, buffers), ...); }(std::make_index_sequence<Form::plan().steps.size()>{});
    if constexpr (Form::plan().copies.size() > 0)
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
    } else if constexpr (!detail::has_arena<Form>) {
        detail::run_in<Form, Arch>(p, args, nullptr);
    } else {
        detail::run_in<Form, Arch>(p, args, detail::arena_memory(static_cast<std::size_t>(p.arena_bytes[0])));
    }
}

} // namespace tx::simd
