// The bridge to DLPack, by which NumPy, PyTorch, JAX, CuPy and others exchange arrays in memory, converts tensors to capsules and
// back, without copies where possible.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/dlpack/given.hpp>
#include <tracexpr/dlpack/made.hpp>
#include <tracexpr/run/variable.hpp>

namespace tx {

// Returns a capsule of a tensor, or of a variable's present value, on the CPU or a GPU. The caller, or whoever it is passed to,
// calls its deleter once, on any thread. It shares the tensor's elements and is marked read-only, unless it is a copy:
// tx::copy::always copies, and so are small tensors of known shape, which hold their elements themselves (up to 512 bytes); for
// these tx::copy::never throws. A write to the tensor doesn't change the capsule. On a device it waits until the elements are
// computed. Throws trace_error for a tensor in a trace, which has no elements.
template <class X> [[nodiscard]] DLManagedTensorVersioned* to_dlpack(X const& x, copy how = copy::if_needed) {
    return detail::exported<DLManagedTensorVersioned>("to_dlpack", x, how);
}
// Returns a capsule as they were before DLPack 1.0, for libraries that take no others. These can't be marked read-only, so it is
// a copy; with tx::copy::if_needed or never it shares the elements, and whoever gets it must not write to them.
template <class X> [[nodiscard]] DLManagedTensor* to_dlpack_legacy(X const& x, copy how = copy::always) {
    return detail::exported<DLManagedTensor>("to_dlpack_legacy", x, how);
}

// Returns a tensor of a capsule's elements, which must be of dtype T and of a shape that Shape allows. It owns the capsule as
// soon as it has returned, and calls its deleter when the last tensor that shares the elements is gone, or at once if they are
// copied; if it throws, the capsule stays the caller's. Elements are shared if they are in row-major order and aligned, and else
// copied, as are those of small tensors of known shape; tx::copy::never throws instead. Shared elements are never written to: a
// tensor that is written to takes a copy first. Elements on a CUDA device become a tensor there, if tracexpr/thrust.hpp is
// compiled by nvcc; they must be computed already. Throws type_error for another dtype or several lanes, shape_error for another
// shape, device_error for a device that the program doesn't know, and error for another major version of DLPack.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<canonical<T>, Shape> from_dlpack(DLManagedTensorVersioned* capsule, copy how = copy::if_needed) {
    if constexpr (!detail::check_imported<T>()) return {};
    else return detail::imported<tensor<canonical<T>, Shape>>(capsule, how);
}
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<canonical<T>, Shape> from_dlpack(DLManagedTensor* capsule, copy how = copy::if_needed) {
    if constexpr (!detail::check_imported<T>()) return {};
    else return detail::imported<tensor<canonical<T>, Shape>>(capsule, how);
}

} // namespace tx
TRACEXPR_END_SHARED
