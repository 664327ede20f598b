// This file has the kernel of op::fft.
#pragma once

#include <tracexpr/fft/plan.hpp>
#include <tracexpr/graph/routine_rules.hpp>
#include <tracexpr/graph/routines.hpp>

namespace tx::detail::inline TRACEXPR_TARGET {

template <class T> void run_fft_call(routine_call const& call) {
    fft_form const form(call.attributes);
    dims const& in = call.operands[0].extents;
    if (!call.results[0] || call.extents.size() == 0) return;
    std::int64_t outer = 1, inner = 1;
    for (int a = 0; a < form.axis; ++a) outer *= in[a];
    for (int a = form.axis + 1; a < in.rank; ++a) inner *= in[a];
    bool const to_real = form.does == fft_form::to_real;
    std::int64_t const n = to_real ? call.extents[form.axis] : in[form.axis];
    auto const used = fourier::plan_of<T>(n, !form.is_complex());
    used->run(static_cast<fourier::direction>(form.does), static_cast<T const*>(call.operands[0].data),
              reinterpret_cast<T*>(call.results[0]), outer, inner);
}
// Runs a call of op::fft.
inline void run_fft_routine(routine_call const& call) {
    static_assert(static_cast<int>(fourier::direction::to_real) == fft_form::to_real);
    if (real_part(call.type) == dtype::float32) run_fft_call<float>(call);
    else run_fft_call<double>(call);
}
#if !defined(TRACEXPR_COMPILED)
inline bool const fft_is_known = know_routine(op::fft, run_fft_routine);
#endif

} // namespace tx::detail::inline TRACEXPR_TARGET
