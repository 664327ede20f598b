// This file maps dtypes to DLPack's types and names DLPack's types and devices for messages. It knows no tensors.
#pragma once

#include <tracexpr/base/dtype.hpp>
#include <tracexpr/dlpack/structs.hpp>

#include <string>

namespace tx::detail {

// Tells whether DLPack has a type for the dtype; it has none for strings and dual numbers.
constexpr bool has_dlpack_type(dtype t) { return t < dtype::string; }

constexpr DLDataType dlpack_type(dtype t) {
    unsigned const code = t == dtype::boolean      ? kDLBool
                          : is_signed_integer(t)   ? kDLInt
                          : is_unsigned_integer(t) ? kDLUInt
                          : is_complex(t)          ? kDLComplex
                          : t == dtype::bfloat16   ? kDLBfloat
                                                   : kDLFloat;
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_in_bytes(t)), 1};
}
constexpr bool is_same_type(DLDataType a, DLDataType b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }

// Gives a type's name for a message, such as "float32", "uint8 of 4 lanes" or "type code 10 of 8 bits".
inline std::string name_of_dlpack_type(DLDataType type) {
    DLDataType single = type;
    single.lanes = 1;
    std::string out = "type code " + std::to_string(type.code) + " of " + std::to_string(type.bits) + " bits";
    for (dtype t = dtype::boolean; has_dlpack_type(t); t = static_cast<dtype>(static_cast<int>(t) + 1))
        if (is_same_type(single, dlpack_type(t))) out = name(t);
    if (type.lanes != 1) out += " of " + std::to_string(type.lanes) + " lanes";
    return out;
}

// Gives a device's name for a message, such as "CUDA device 1".
inline std::string name_of_dlpack_device(DLDevice device) {
    constexpr std::string_view names[]{"",       "CPU",    "CUDA",    "CUDA host", "OpenCL",    "",          "",
                                       "Vulkan", "Metal",  "VPI",     "ROCm",      "ROCm host", "extension", "CUDA managed",
                                       "oneAPI", "WebGPU", "Hexagon", "MAIA",      "Trainium"};
    auto const at = static_cast<std::size_t>(device.device_type);
    std::string out(at < std::size(names) ? names[at] : "");
    if (out.empty()) out = "unknown (DLDeviceType " + std::to_string(static_cast<std::int32_t>(device.device_type)) + ")";
    return out + " device " + std::to_string(device.device_id);
}

} // namespace tx::detail
