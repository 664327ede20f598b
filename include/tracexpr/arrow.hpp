// The bridge to Apache Arrow, by whose C data interface pyarrow, pandas, Polars, DuckDB and others exchange columns in memory,
// converts vectors to columns and back, without copies where possible.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/arrow/columns.hpp>
#include <tracexpr/run/variable.hpp>

namespace tx {

// Returns a column with a vector's elements, or with those that a variable has now: auto [schema, array] = tx::to_arrow(x,
// "price"). Whoever gets the two structs calls the release of each once, on any thread. The column shares the elements, and a
// write to the tensor doesn't change it. bool, which Arrow packs into bits, small tensors of known shape and those on a device
// are copied; tx::copy::never throws instead. Throws shape_error unless there is one axis, and trace_error for a tensor in a
// trace, which has no elements.
template <class X>
[[nodiscard]] std::pair<ArrowSchema, ArrowArray> to_arrow(X const& x, std::string_view name = "", copy how = copy::if_needed) {
    if constexpr (!detail::check_column<X>()) return {};
    else if constexpr (variable_type<X>) return detail::exported_column(x.value(), name, how);
    else return detail::exported_column(x, name, how);
}

// Returns a vector of a column's elements, which must be of dtype T. It takes both structs over and sets their release to null;
// if it throws they stay the caller's. The elements are shared until the last tensor that has them is gone, and never written to:
// a tensor that is written to takes a copy first. Bits of bool, elements that are not aligned and those of small tensors of known
// shape are copied; tx::copy::never throws instead. Throws type_error for another type or a dictionary, shape_error for another
// length, and error if elements are null, with their number.
template <element T, shape_type Shape = shape<dyn>>
[[nodiscard]] tensor<canonical<T>, Shape> from_arrow(ArrowSchema& schema, ArrowArray& array, copy how = copy::if_needed) {
    if constexpr (!detail::check_column_type<T>() || !detail::check_column_shape<Shape>()) return {};
    else return detail::imported_column<tensor<canonical<T>, Shape>>(schema, array, how);
}

} // namespace tx
TRACEXPR_END_SHARED
