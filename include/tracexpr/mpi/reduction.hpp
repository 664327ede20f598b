// tx::mpi::sum, product, max, min, logical_and, logical_or and mean are the reductions that collectives take.
#pragma once

#include <tracexpr/graph/collective_form.hpp>

namespace tx::mpi {

// `reduction` is the type of the reductions other than mean.
template <rank_reduction By> struct reduction {
    static constexpr rank_reduction by = By;
};
// mean_reduction is the type of tx::mpi::mean.
struct mean_reduction {};

// Adds the ranks' elements. For bool it counts how many are true, as int64.
inline constexpr reduction<rank_reduction::sum> sum{};
// Multiplies the ranks' elements; bool is converted to int64.
inline constexpr reduction<rank_reduction::product> product{};
// Takes the greatest element of all ranks; NaN if one of them is. Complex numbers have no maximum.
inline constexpr reduction<rank_reduction::max> max{};
// Takes the least element of all ranks; NaN if one of them is. Complex numbers have no minimum.
inline constexpr reduction<rank_reduction::min> min{};
// Says whether the elements of all ranks are true, or not 0: bool.
inline constexpr reduction<rank_reduction::logical_and> logical_and{};
// Says whether the element of some rank is true, or not 0: bool.
inline constexpr reduction<rank_reduction::logical_or> logical_or{};
// Adds the ranks' elements and divides by the number of ranks; integers and bool give double.
inline constexpr mean_reduction mean{};

template <class R> inline constexpr bool is_mean = false;
template <> inline constexpr bool is_mean<mean_reduction> = true;
template <class R> inline constexpr bool is_logical = false;
template <> inline constexpr bool is_logical<reduction<rank_reduction::logical_and>> = true;
template <> inline constexpr bool is_logical<reduction<rank_reduction::logical_or>> = true;
template <class R> inline constexpr bool is_reduction = is_mean<R>;
template <rank_reduction By> inline constexpr bool is_reduction<reduction<By>> = true;

} // namespace tx::mpi
