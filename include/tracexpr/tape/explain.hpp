// This file declares `explain`, which says in words why a recorded value y has no derivative with respect to another, x.
#pragma once

#include <tracexpr/run/recording/recorder.hpp>

namespace tx::detail {

template <class Unused = void>
std::string explain(recorder& r, table_view<node_id> sources, kept_value const& x, kept_value const& y);

} // namespace tx::detail

#if TRACEXPR_HAS_BODIES
#include <tracexpr/tape/explain_bodies.hpp>
#endif

namespace tx::detail {
TRACEXPR_INSTANCE(std::string explain<void>(recorder&, table_view<node_id>, kept_value const&, kept_value const&))
} // namespace tx::detail
