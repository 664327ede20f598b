// This file concatenates parts of a few elements, whose places the compiler knows.
#pragma once

#include <tracexpr/backends/calls/joining.hpp>
#include <tracexpr/backends/run_as.hpp>

#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::small_join, Form, Step, Arch> {
    static constexpr plan_step step = Form::plan().steps[Step];
    using element = ctype<Form::graph()[step.call].type>;

    template <std::size_t K> static constexpr plan_access part = Form::plan().accesses[step.operands.first + K];
    template <std::size_t K> static constexpr strided_copy copy_of() {
        node_id const id = Form::graph().operand(Form::graph()[step.call], K);
        return {Form::plan().extents[index(id)], part<K>.outer, row_major_strides(Form::plan().extents[index(step.call)]).data()};
    }
    // Returns the place in the result where part K begins.
    template <std::size_t K> static constexpr std::int64_t start() {
        node const n = Form::graph()[step.call];
        int const along = static_cast<int>(Form::graph().attributes_of(n)[0]);
        std::int64_t before = 0;
        for (std::size_t k = 0; k < K; ++k) before += Form::plan().extents[index(Form::graph().operand(n, k))][along];
        return before * row_major_strides(Form::plan().extents[index(step.call)])[static_cast<std::size_t>(along)];
    }
    template <std::size_t K> static TRACEXPR_INLINE void run_part(element* out, std::byte* const* buffers) {
        constexpr strided_copy copy = copy_of<K>();
        element const* const in = reinterpret_cast<element const*>(buffers[part<K>.buffer]) + part<K>.offset;
        [&]<std::size_t... P>(std::index_sequence<P...>) TRACEXPR_INLINE_LAMBDA {
            (run_piece<copy.piece(P)>(in, out + start<K>()), ...);
        }(std::make_index_sequence<static_cast<std::size_t>(copy.pieces())>{});
    }
    template <strided_copy::axis At> static TRACEXPR_INLINE void run_piece(element const* in, element* out) {
        copy_elements(in + At.from, At.count, out + At.to);
    }
    static TRACEXPR_INLINE void run(plan_view const&, std::byte* const* buffers) {
        element* const out = reinterpret_cast<element*>(buffers[Form::plan().buffer_of[index(step.call)]]);
        [&]<std::size_t... K>(std::index_sequence<K...>)
            TRACEXPR_INLINE_LAMBDA { (run_part<K>(out, buffers), ...); }(std::make_index_sequence<step.operands.count>{});
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
