// This file reads and writes NumPy's .npz files as tensors: ZIP archives of .npy files, whose checksums are compared. Files of
// numpy.savez_compressed need <tracexpr/zlib.hpp>.
#pragma once

#include <tracexpr/files/any_tensor.hpp>
#include <tracexpr/files/part.hpp>

#include <initializer_list>
#include <string>

namespace tx {

// npz_format tells how save_npz writes: as numpy.savez, or as numpy.savez_compressed.
struct npz_format {
    bool compressed = false;
};

namespace detail {
loaded_array read_npz(std::string const& path, std::string const& name, array_type const& wanted);
loaded_array read_npz(std::string const& path, std::string const& name, array_type const& wanted, tx::part_of const& part);
} // namespace detail

// Reads an array, load_npz<float>(path, "weights"), that numpy.savez(path, weights=...) stored, or, where <tracexpr/zlib.hpp> is
// included, numpy.savez_compressed. Throws as load_npy does, and error for an array with a wrong checksum.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_npz(std::string const& path, std::string const& name) {
    static_assert(file_element<T>, "tx: load_npz: files hold no dual numbers; load their values and tangents");
    using wanted = tensor<T, Shape>;
    return detail::read_npz(path, name, detail::type_of_array<wanted>).template to_tensor<wanted>();
}
// Reads a part of an array's rows and nothing else, so that no checksum is compared: load_npz<float>(path, "weights",
// part_of{rank, ranks}). Throws as load_npy does for a part, and error for an array that is compressed.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_npz(std::string const& path, std::string const& name, part_of part) {
    static_assert(file_element<T>, "tx: load_npz: files hold no dual numbers; load their values and tangents");
    using wanted = tensor<T, Shape>;
    return detail::read_npz(path, name, detail::type_of_array<wanted>, part).template to_tensor<wanted>();
}
// Reads all arrays of a file, by name. Throws type_error for an array with a dtype that tensors don't have.
[[nodiscard]] named_tensors load_npz(std::string const& path);

// Writes arrays that numpy.load(path)["weights"] reads: save_npz(path, {{"weights", w}, {"bias", b}}). Throws as save_npy does,
// and error for a name that is given twice.
void save_npz(std::string const& path, std::initializer_list<named_tensors::value_type> tensors, npz_format format = {});
// Writes the arrays of a map.
void save_npz(std::string const& path, named_tensors const& tensors, npz_format format = {});

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/files/npz_bodies.hpp>
#endif
