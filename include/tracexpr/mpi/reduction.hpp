// How ranks' values are combined.
#pragma once

#include <tracexpr/graph/collective_form.hpp>

namespace tx::mpi {

// The type of the other reductions, which are arguments of collectives.
template <rank_reduction By> struct reduction {
    static constexpr rank_reduction by = By;
};
// The type of tx::mpi::mean.
struct mean_reduction {};

// The sum of the ranks' elements; of bool how many are true, as int64.
inline constexpr reduction<rank_reduction::sum> sum{};
// The product of the ranks' elements; of bool as int64.
inline constexpr reduction<rank_reduction::product> product{};
// The greatest element of all ranks; NaN where one of them is. Complex numbers have none.
inline constexpr reduction<rank_reduction::max> max{};
// The least element of all ranks; NaN where one of them is. Complex numbers have none.
inline constexpr reduction<rank_reduction::min> min{};
// Whether the elements of all ranks are true, or not 0: bool.
inline constexpr reduction<rank_reduction::logical_and> logical_and{};
// Whether the element of some rank is true, or not 0: bool.
inline constexpr reduction<rank_reduction::logical_or> logical_or{};
// The sum of the ranks' elements divided by the number of ranks; of integers and bool as double.
inline constexpr mean_reduction mean{};

template <class R> inline constexpr bool is_mean = false;
template <> inline constexpr bool is_mean<mean_reduction> = true;
template <class R> inline constexpr bool is_logical = false;
template <> inline constexpr bool is_logical<reduction<rank_reduction::logical_and>> = true;
template <> inline constexpr bool is_logical<reduction<rank_reduction::logical_or>> = true;
template <class R> inline constexpr bool is_reduction = is_mean<R>;
template <rank_reduction By> inline constexpr bool is_reduction<reduction<By>> = true;

} // namespace tx::mpi
