// Which dtypes' routines a program of the tile executor may need. With tracexpr::compiled it has those of all.
#pragma once

#include <tracexpr/base/dtype.hpp>

#if !TRACEXPR_HAS_ROUTINES
#include <tracexpr/backends/tiles/tables.hpp>
#endif

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// What traces make of these dtypes may be run: of theirs, of conditions and of places.
template <class... T> void need_routines() {
#if !TRACEXPR_HAS_ROUTINES
    (know_routines<tx::detail::stored<canonical<T>>>(), ...);
    know_routines<bool, routines_extent::no_calls>(), know_routines<std::int64_t, routines_extent::no_calls>();
#endif
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
