// This file checks decompositions in a device's memory: it makes their matrices, and compares results with the CPU's.
#pragma once

#include <thrust/calls_helper.hpp>

#include <string>

namespace tx::testing {

// Makes symmetric, positive definite matrices, which all ops accept.
template <class T> held_operand definite(dims const& extents, unsigned seed) {
    std::int64_t const n = extents[extents.rank - 1];
    std::mt19937_64 from(seed);
    held_operand out = made_operand<T>(extents, [&](std::int64_t i) { return T(static_cast<double>(i % 7) / 8); });
    auto* const at = reinterpret_cast<T*>(out.bytes.data());
    for (std::int64_t first = 0; first < extents.size(); first += n * n)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j <= i; ++j)
                at[first + j * n + i] = at[first + i * n + j] = i == j ? T(static_cast<double>(n) + 1) : at[first + i * n + j];
    return out;
}

// The operands of a decomposition, the CPU's results, and memory for results by other means.
template <op Code, class T> struct compared_call {
    static constexpr std::size_t count = static_cast<std::size_t>(info(Code).results);
    std::vector<simd::call_operand> given;
    std::vector<std::byte> wanted[count], got[count];
    std::byte *wanted_at[count], *got_at[count];

    compared_call(std::vector<held_operand> const& operands, dims const& extents, std::vector<std::int64_t> const& attributes) {
        for (held_operand const& o : operands) given.push_back(o.view());
        for (std::size_t k = 0; k < count; ++k) {
            wanted[k].resize(static_cast<std::size_t>(calls::result_bytes<Code, T>(k, extents, operands[0].extents, attributes))), got[k] = wanted[k];
            wanted_at[k] = wanted[k].data(), got_at[k] = got[k].data();
        }
        simd::run_call<Code, T, std::int64_t, xsimd::default_arch>(given, wanted_at, extents, attributes);
    }
};

// Checks that the device's way gives the CPU's results.
template <op Code, class T>
void check_on_device(std::vector<held_operand> const& operands, dims const& extents, std::vector<std::int64_t> const& attributes,
                     double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-13) {
    CAPTURE(info(Code).name);
    CAPTURE(to_string(operands[0].extents));
    CAPTURE(sizeof(T));
    compared_call<Code, T> both(operands, extents, attributes);
    CHECK(calls::decompose_on_device<Code, T>(queue(), both.given, both.got_at, extents, attributes));
    for (std::size_t k = 0; k < both.count; ++k) CHECK(agree<T>(both.got[k], both.wanted[k], Code == op::lu && k == 1 ? 0 : tolerance));
}

// Gives the message of the error that run() throws.
template <class Run> std::string error_of(Run const& run) {
    try {
        run();
    } catch (error const& e) {
        return e.what();
    }
    return "";
}

} // namespace tx::testing
