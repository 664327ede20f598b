// How ranks' values are combined.
#pragma once

#include <tracexpr/graph/collective_form.hpp>

namespace tx::mpi {

// A reduction, as an argument of a collective.
template <rank_reduction By> struct reduction {
    static constexpr rank_reduction by = By;
};
// The sum divided by the number of ranks.
struct mean_reduction {};

inline constexpr reduction<rank_reduction::sum> sum{};
inline constexpr reduction<rank_reduction::product> product{};
inline constexpr reduction<rank_reduction::max> max{};
inline constexpr reduction<rank_reduction::min> min{};
inline constexpr reduction<rank_reduction::logical_and> logical_and{};
inline constexpr reduction<rank_reduction::logical_or> logical_or{};
inline constexpr mean_reduction mean{};

template <class R> inline constexpr bool is_mean = false;
template <> inline constexpr bool is_mean<mean_reduction> = true;
template <class R> inline constexpr bool is_logical = false;
template <> inline constexpr bool is_logical<reduction<rank_reduction::logical_and>> = true;
template <> inline constexpr bool is_logical<reduction<rank_reduction::logical_or>> = true;
template <class R> inline constexpr bool is_reduction = is_mean<R>;
template <rank_reduction By> inline constexpr bool is_reduction<reduction<By>> = true;

} // namespace tx::mpi
