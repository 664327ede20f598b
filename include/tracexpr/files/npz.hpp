// This file reads and writes NumPy's .npz files as tensors: ZIP archives of .npy files, whose checksums are compared. Files of
// numpy.savez_compressed need <tracexpr/zlib.hpp>.
#pragma once

#include <tracexpr/files/npy.hpp>
#include <tracexpr/files/zip.hpp>

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tx {

// npz_format tells how save_npz writes: as numpy.savez, or as numpy.savez_compressed.
struct npz_format {
    bool compressed = false;
};

namespace detail {

class npz_file {
public:
    explicit npz_file(file_call const& call) : call_{call}, file_{open_to_read(call)}, directory_(call_, file_) {
        for (auto const& e : directory_.entries()) {
            if (!e.name.ends_with(extension)) continue;
            names_.push_back(e.name.substr(0, e.name.size() - extension.size()));
            by_name_.insert_or_assign(names_.back(), &e); // Of equal names the last counts.
        }
    }
    npz_file(npz_file const&) = delete;
    npz_file& operator=(npz_file const&) = delete;
    std::vector<std::string> const& names() const { return names_; }
    bool has(std::string const& name) const { return by_name_.contains(name); }

    // Gives the result of take(call, bytes, layout) for an array of which take leaves out some bytes, so that the checksum is not
    // compared.
    template <class F> auto read_some(std::string const& name, F const& take) {
        file_call const array = call_.of_array(name);
        zip_directory::entry const& entry = find(name);
        if (entry.method != zip_stored)
            array.fail("is compressed, and can only be read whole; save it as .npy, .safetensors or without compression");
        byte_source in = directory_.open(array, entry);
        array_layout const layout = read_npy_header(array, in);
        return take(array, in, layout);
    }
    // Gives the result of take(call, bytes, layout) for an array.
    template <class F> auto read(std::string const& name, F const& take) {
        file_call const array = call_.of_array(name);
        zip_directory::entry const& entry = find(name);
        byte_source in = directory_.open(array, entry);
        array_layout const layout = read_npy_header(array, in);
        auto out = take(array, in, layout);
        if (!in.read_rest() || in.checksum() != entry.checksum) array.fail("is damaged: its checksum is another");
        return out;
    }

private:
    static constexpr std::string_view extension = ".npy";

    zip_directory::entry const& find(std::string const& name) const {
        auto const found = by_name_.find(name);
        if (found != by_name_.end()) return *found->second;
        call_.fail("has no array " + name + "; it has: " + listed_pieces(names_));
    }

    file_call call_;
    std::ifstream file_;
    zip_directory directory_;
    std::map<std::string, zip_directory::entry const*> by_name_;
    std::vector<std::string> names_;
};

using named_arrays = std::vector<std::pair<std::string, array_elements>>;

// Gives the arrays of a map, or of a list of its elements.
template <class Tensors> named_arrays arrays_of(Tensors const& tensors) {
    named_arrays out;
    for (auto const& [name, t] : tensors) out.emplace_back(name, array_of(t));
    return out;
}
inline void check_names_differ(file_call const& call, named_arrays const& named) {
    std::set<std::string_view> names;
    for (auto const& [name, array] : named)
        if (!names.insert(name).second)
            call.fail("each array must have a name of its own; given " + quoted_piece(name) + " twice");
}

inline void save_npz(file_call const& call, named_arrays const& named, npz_format const& format) {
    constexpr std::size_t longest_name = 0xffff - 4;
    std::vector<array_layout> layouts;
    check_names_differ(call, named);
    for (auto const& [name, array] : named) {
        if (name.size() > longest_name) call.fail("a name has at most 65,531 bytes; given " + quoted_piece(name));
        layouts.push_back(npy_layout_of(call.of_array(name), array, {}));
    }
    deflate_library const* const library = linked_deflate_library;
    if (format.compressed && !library) call.fail("to compress it include <tracexpr/zlib.hpp> and link tracexpr::zlib");
    file_writer file(call);
    zip_writer archive(call, file, format.compressed ? library : nullptr);
    for (std::size_t k = 0; k < named.size(); ++k) {
        archive.begin(named[k].first + ".npy");
        write_npy(archive, named[k].second, layouts[k]);
        archive.end();
    }
    archive.finish();
    file.finish();
}

// Reads all arrays of a file.
template <class File> named_tensors read_all(File& file) {
    named_tensors out;
    for (std::string const& name : file.names())
        out.insert_or_assign(name, file.read(name, [](file_call const& array, byte_source& in, array_layout const& layout) {
            return read_any_tensor(array, in, layout);
        }));
    return out;
}
template <class T, class Shape, class File> tensor<T, Shape> read_one(File& file, std::string const& name) {
    return file.read(name, [](file_call const& array, byte_source& in, array_layout const& layout) {
        return read_tensor<T, Shape>(array, in, layout);
    });
}

} // namespace detail

// Reads an array, load_npz<float>(path, "weights"), that numpy.savez(path, weights=...) stored, or, where <tracexpr/zlib.hpp> is
// included, numpy.savez_compressed. Throws as load_npy does, and error for an array with a wrong checksum.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_npz(std::string const& path, std::string const& name) {
    static_assert(file_element<T>, "tx: load_npz: files hold no dual numbers; load their values and tangents");
    detail::npz_file file(detail::file_call{"load_npz", path});
    return detail::read_one<T, Shape>(file, name);
}
// Reads a part of an array's rows and nothing else, so that no checksum is compared: load_npz<float>(path, "weights",
// part_of{rank, ranks}). Throws as load_npy does for a part, and error for an array that is compressed.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_npz(std::string const& path, std::string const& name, part_of part) {
    static_assert(file_element<T>, "tx: load_npz: files hold no dual numbers; load their values and tangents");
    detail::file_call const call{"load_npz", path};
    detail::check_part(call, part);
    return detail::npz_file(call).read_some(name, [&](auto const& array, auto& in, auto const& layout) {
        return detail::read_part<T, Shape>(array, in, layout, part);
    });
}
// Reads all arrays of a file, by name. Throws type_error for an array with a dtype that tensors don't have.
[[nodiscard]] inline named_tensors load_npz(std::string const& path) {
    detail::npz_file file(detail::file_call{"load_npz", path});
    return detail::read_all(file);
}

// Writes arrays that numpy.load(path)["weights"] reads: save_npz(path, {{"weights", w}, {"bias", b}}). Throws as save_npy does,
// and error for a name that is given twice.
inline void save_npz(std::string const& path, std::initializer_list<named_tensors::value_type> tensors, npz_format format = {}) {
    detail::save_npz(detail::file_call{"save_npz", path}, detail::arrays_of(tensors), format);
}
// Writes the arrays of a map.
inline void save_npz(std::string const& path, named_tensors const& tensors, npz_format format = {}) {
    detail::save_npz(detail::file_call{"save_npz", path}, detail::arrays_of(tensors), format);
}

} // namespace tx
