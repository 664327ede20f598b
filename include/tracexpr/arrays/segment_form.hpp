// This file has what all ways to compute segments share: dtypes, shapes, and what must hold of the operands.
#pragma once

#include <tracexpr/trace/builder.hpp>

namespace tx::detail {

enum class segment_result { sum, mean, min, max, count, product };

TRACEXPR_ONCE constexpr dtype segment_type(segment_result result, dtype values) {
    bool const keeps = is_inexact(values);
    switch (result) {
    case segment_result::min:
    case segment_result::max: return values;
    case segment_result::mean: return keeps ? values : dtype::float64;
    case segment_result::count: return dtype::int64;
    default: return keeps ? values : is_unsigned_integer(values) ? dtype::uint64 : dtype::int64;
    }
}
// Gives the dtype in which sums are computed.
constexpr dtype segment_sum_type(segment_result result, dtype values) {
    dtype const type = segment_type(result, values);
    return size_in_bytes(type) < 4 ? dtype::float32 : type;
}
// Tells whether the axes of ids are the first axes of the values, as far as they are known.
TRACEXPR_ONCE constexpr bool lead_axes(dims const& values, dims const& ids) {
    if (values.rank < 0 || ids.rank < 0) return true;
    if (ids.rank > values.rank) return false;
    for (int a = 0; a < ids.rank; ++a)
        if (ids[a] != dyn && values[a] != dyn && ids[a] != values[a]) return false;
    return true;
}
TRACEXPR_ONCE constexpr dims segment_shape(segment_result result, dims const& values, dims const& ids, std::int64_t count) {
    dims out{{count}, 1};
    for (int a = ids.rank; result != segment_result::count && a < values.rank; ++a) out.push_back(values[a]);
    return out;
}
TRACEXPR_ONCE constexpr char const* segment_problem(segment_result result, builder_spec const& values, builder_spec const& ids) {
    bool const orders = result == segment_result::min || result == segment_result::max;
    if (!is_integer(ids.type)) return "ids must be integers";
    if (ids.shape.rank == 0) return "ids must have an axis";
    if (result == segment_result::count) return nullptr;
    if (values.type == dtype::string) return "takes numbers, not strings";
    if (orders && is_complex(values.type)) return "complex numbers have no order";
    return lead_axes(values.shape, ids.shape) ? nullptr : "ids must have the extents of the values' first axes";
}

} // namespace tx::detail
