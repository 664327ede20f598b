// This file says which dtypes' routines a program of the tile executor may need. With tracexpr::compiled it has those of all
// dtypes.
#pragma once

#include <tracexpr/base/dtype.hpp>

#if !TRACEXPR_HAS_ROUTINES
#include <tracexpr/backends/tiles/tables.hpp>
#endif

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// Makes the routines known that traces of these dtypes may run: those of the dtypes, of conditions and of places.
template <class... T> void need_routines() {
#if !TRACEXPR_HAS_ROUTINES
    (know_routines<tx::detail::stored<canonical<T>>>(), ...);
    know_routines<bool, routines_extent::no_calls>(), know_routines<std::int64_t, routines_extent::no_calls>();
#endif
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
