// This file turns a step of a plan that is a register tile, with the loop that runs on its results, into the description of its
// code.
#pragma once

#include <tracexpr/backends/loops/register_tile.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::register_tile, Form, Step, Arch>
    : only_loop<Form, Step> {
private:
    using base = only_loop<Form, Step>;
    static constexpr walk outer = Form::plan().steps[Step].outer;
    static constexpr loop_space space{outer, base::known};
    static constexpr int rank = space.rank(), count = static_cast<int>(base::known.accesses.count);
    // True if a loop runs on the results.
    static constexpr bool has_end = Form::plan().steps[Step].epilogue >= 0;
    static constexpr plan_loop end_loop = [] {
        if constexpr (has_end) return Form::plan().loops[Form::plan().steps[Step + 1].loops.first];
        else return plan_loop{};
    }();
    static constexpr int end_count = static_cast<int>(end_loop.accesses.count), numbers_of_end = has_end ? end_count + 1 : 0;
    static constexpr tx::detail::end_of_tile end = [] {
        plan_view const& p = Form::plan();
        return tx::detail::end_of_tile(space, base::known, p.lines.data() + base::known.lines.first,
                                       p.accesses.data() + base::known.accesses.first, end_loop,
                                       p.accesses.data() + end_loop.accesses.first);
    }();
    static constexpr access_mode mode_of(kernel_line const& l, std::int64_t stride, bool is_result) {
        bool const is_contiguous = is_result || (stride == 1 && l.role != role::index);
        return is_contiguous ? access_mode::contiguous : stride == 0 ? access_mode::splat : access_mode::strided;
    }
    static constexpr std::uint64_t word_of_end(std::size_t k) {
        kernel_line l = Form::plan().lines[end_loop.lines.first + k];
        if (int const access = access_of(l); access >= 0) {
            l.mode = mode_of(l, end.stride[access][base::known.tile.lanes], end.reads[access] >= 0);
        }
        return encode({l.role, l.code, l.type, l.a, l.b, l.c}, l.mode);
    }
    static constexpr std::int64_t stored_lines() {
        plan_view const& p = Form::plan();
        std::int64_t bits = 0;
        for (std::size_t i = 0; i < base::known.lines.count; ++i) {
            kernel_line const& l = p.lines[base::known.lines.first + i];
            if (l.role == role::reduce &&
                tx::detail::is_kept(p, base::known, end_loop, base::planned(static_cast<std::size_t>(l.b))))
                bits |= std::int64_t{1} << i;
        }
        return bits;
    }
    // The mode of a line's access is the one that it has along the axis of the lanes.
    static constexpr std::uint64_t word(std::size_t k) {
        kernel_line l = Form::plan().lines[base::known.lines.first + k];
        if (int const access = access_of(l); access >= 0) {
            std::int64_t const stride = space.stride(base::planned(static_cast<std::size_t>(access)), base::known.tile.lanes);
            l.mode = mode_of(l, stride, l.role == role::reduce);
        }
        return encode({l.role, l.code, l.type, l.a, l.b, l.c}, l.mode);
    }
    static constexpr bool is_open = !Form::graph().is_static();
    static constexpr std::int64_t stride(int access, int axis) {
        return space.stride(base::planned(static_cast<std::size_t>(access)), axis);
    }
    // All numbers that only the run knows are one number here, so that equal code is shared.
    static constexpr std::int64_t number(int k) {
        if constexpr (has_end) {
            int const of_end = k - rank * (1 + count), reads = of_end - rank * end_count;
            if (reads == end_count) return stored_lines();
            if (reads >= 0) return end.reads[reads];
            if (of_end >= 0) return end.stride[of_end / rank][of_end % rank];
        }
        std::int64_t const n = k < rank ? space.extent(k) : stride(k / rank - 1, k % rank);
        bool const is_kept = k < rank && !space.is_reduced(k);
        return is_open && (is_kept || tx::detail::is_open_number(n)) ? tx::detail::least_open_number : n;
    }
    template <register_tile, class, class> struct make;
    template <class, bool> struct end_kernel {
        using type = nothing;
    };
    template <std::size_t... K> struct end_kernel<std::index_sequence<K...>, true> {
        using type = kernel<word_of_end(K)...>;
    };
    template <register_tile Tile, std::size_t... K, int... N>
    struct make<Tile, std::index_sequence<K...>, std::integer_sequence<int, N...>> {
        using end = typename end_kernel<std::make_index_sequence<end_loop.lines.count>, has_end>::type;
        using type = tile_form<kernel<word(K)...>, end, outer.rank, base::known.inner.rank, base::known.columns, is_open, Tile,
                               number(N)...>;
    };
    template <register_tile Tile> using form =
        typename make<Tile, std::make_index_sequence<base::known.lines.count>,
                      std::make_integer_sequence<int, rank * (1 + count + end_count) + numbers_of_end>>::type;
    template <register_tile Tile> using runs = tile_run<form<Tile>, Arch, is_piece<Form>>;

public:
    static void run(plan_view const& p, std::byte* const* buffers) {
        plan_access const* const accesses = base::accesses(p);
        auto const literals = base::literals(p);
        std::byte* begins[count + end_count];
        std::int64_t indices[count + end_count], extents[rank], strides[is_open ? count * rank : 1]{};
        for (int k = 0; k < count + end_count; ++k) {
            plan_access const& a =
                k < count ? accesses[k] : p.accesses[end_loop.accesses.first + static_cast<std::size_t>(k - count)];
            begins[k] = a.buffer < 0 ? nullptr : buffers[a.buffer] + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type));
            indices[k] = a.offset;
        }
        loop_space const here(p.steps[Step].outer, base::loop(p));
        for (int axis = 0; axis < rank; ++axis) {
            extents[axis] = here.extent(axis);
            if (extents[axis] == 0 && !space.is_reduced(axis)) return; // there is nothing to store or read
        }
        for (int k = 0; is_open && k < count; ++k)
            for (int axis = 0; axis < rank; ++axis) strides[k * rank + axis] = here.stride(accesses[k], axis);
        literal_bits end_literals[end_loop.literals.count + 1]{};
        for (std::size_t k = 0; k < end_loop.literals.count; ++k) end_literals[k] = p.literals[end_loop.literals.first + k].bits;
        constexpr register_tile tile = base::known.tile;
        if constexpr (is_open) { // A run may have fewer results than the tile.
            bool has_all = true;
            for (int axis : {tile.lanes, tile.copied})
                has_all = has_all && (axis < 0 || space.is_reduced(axis) || extents[axis] >= tile.step(axis, base::known.lanes));
            if (!has_all)
                return runs<register_tile{tile.lanes}>::run(begins, indices, literals.data(), end_literals, extents, strides);
        }
        runs<tile>::run(begins, indices, literals.data(), end_literals, extents, strides);
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
