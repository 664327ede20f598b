// This file makes calls on a device as a GPU with cuSOLVER and cuBLAS makes them, by the stand-ins of this folder.
#pragma once

#include <thrust/calls_matrices.hpp>
#include <spread_matrices.hpp>
#include <cublas_v2.h>

#include <limits>
#include <string>
#include <utility>

namespace tx::testing {

template <class T> held_operand as_operand(dims const& extents, std::vector<double> const& elements) {
    return made_operand<T>(extents, [&](std::int64_t i) { return elements[static_cast<std::size_t>(i)]; });
}
template <class T> held_operand matrices(dims const& extents, unsigned seed, spread_kind kind = spread_kind::rectangular) {
    return as_operand<T>(extents, spread_matrices(extents, seed, kind));
}
template <class T> T& number_at(held_operand& of, std::int64_t i) { return reinterpret_cast<T*>(of.bytes.data())[i]; }

template <class T> inline constexpr double tolerance = sizeof(T) == 4 ? 3e-4 : 1e-12;

// The result of a decomposition there, if the device computes it.
template <op Code, class T> struct device_result {
    static constexpr std::size_t count = static_cast<std::size_t>(info(Code).results);
    std::vector<T> part[count];
    bool is_done = false;
    explicit device_result(held_operand const& a) {
        std::byte* to[count];
        dims const extents = decomposed_part(Code, a.extents, 0);
        for (std::size_t k = 0; k < count; ++k) {
            part[k].resize(static_cast<std::size_t>(calls::result_bytes<Code, T>(k, extents, a.extents, {})) / sizeof(T));
            to[k] = reinterpret_cast<std::byte*>(part[k].data());
        }
        std::vector const given{a.view()};
        is_done = calls::decompose_on_device<Code, T>(queue(), given, to, extents, {});
    }
};
// Gives how often this routine has been called since the last question.
inline int calls_of(std::string const& name) { return std::exchange(stand_in::calls[name], 0); }

template <op Code> void check_refused(held_operand const& a) { CHECK_FALSE(device_result<Code, double>(a).is_done); }

} // namespace tx::testing
