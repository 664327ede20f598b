// The type of a loop's kernel, where the compiler knows the loop's form.
#pragma once

#include <tracexpr/backends/loops/loops.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// Form::plan() is a constexpr plan_view, Form::graph() its graph. Mode: of an access of the loop, from a line's mode and what the
// plan says of it.
template <class Form, std::size_t Loop, access_mode (*Mode)(access_mode, plan_access const&)> struct kernel_with_modes {
    static constexpr plan_loop loop = Form::plan().loops[Loop];
    static constexpr std::uint64_t word(std::size_t k) {
        kernel_line const& l = Form::plan().lines[loop.lines.first + k];
        int const access = access_of(l);
        access_mode const mode =
            access < 0 ? l.mode : Mode(l.mode, Form::plan().accesses[loop.accesses.first + static_cast<std::size_t>(access)]);
        return encode({l.role, l.code, l.type, l.a, l.b, l.c}, mode);
    }
    template <class> struct make;
    template <std::size_t... K> struct make<std::index_sequence<K...>> {
        using type = kernel<word(K)...>;
    };
    using type = typename make<std::make_index_sequence<loop.lines.count>>::type;
};
// Kernels whose accesses' modes turn out otherwise at run time (an unknown extent that is 1, say) run in a form that takes any
// stride.
template <bool AnyStride> constexpr access_mode planned_mode(access_mode mode, plan_access const&) {
    return AnyStride ? access_mode::strided : mode;
}
template <class Form, std::size_t Loop, bool AnyStride> using loop_kernel =
    kernel_with_modes<Form, Loop, planned_mode<AnyStride>>;

// A form with other numbers than the compiler knows: of a piece of a loop.
template <class Form> struct piece_of : Form {
    static constexpr bool is_static = false;
};
template <class Form> inline constexpr bool is_piece = false;
template <class Form> inline constexpr bool is_piece<piece_of<Form>> = true;
// Can accesses turn out otherwise?
template <class Form> inline constexpr bool has_open_modes = !Form::is_static;
template <class Form> inline constexpr bool has_open_modes<piece_of<Form>> = !Form::is_static;

template <std::size_t N>
TRACEXPR_INLINE constexpr std::array<literal_bits, N> literals_of(plan_view const& p, std::uint32_t first) {
    std::array<literal_bits, N> out{};
    for (std::size_t k = 0; k < N; ++k) out[k] = p.literals[first + k].bits;
    return out;
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
