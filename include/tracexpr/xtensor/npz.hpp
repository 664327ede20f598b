// One array of a .npz file: a ZIP archive of .npy files. Its directory is read here, the array by xtensor. Arrays must be stored
// as they are (numpy.savez); inflating those of numpy.savez_compressed takes a library that this header does not ask for.
#pragma once

#include <tracexpr/xtensor/files.hpp>

namespace tx {

namespace detail {

// Where the arrays of an archive start. The offsets are those of PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16.
class npz_directory {
public:
    npz_directory(std::string const& path, std::ifstream& file) : path_{path}, file_{file} { find_directory(); }

    // Moves the stream to the array's first byte.
    void seek(std::string const& name) {
        std::string known;
        std::size_t at = start_;
        for (std::size_t k = 0; k < count_; ++k) {
            std::string const fixed = read(at, 46);
            if (number(fixed, 0, 4) != 0x02014b50) throw_file("load_npz", path_, "its directory is damaged");
            std::size_t const name_length = number(fixed, 28, 2);
            std::string const found = read(at + 46, name_length);
            if (found == name + ".npy") return seek_to(name, number(fixed, 10, 2), number(fixed, 42, 4));
            known += (known.empty() ? "" : ", ") + found.substr(0, found.rfind(".npy"));
            at += 46 + name_length + number(fixed, 30, 2) + number(fixed, 32, 2);
        }
        throw_file("load_npz", path_, "has no array " + name + "; it has: " + known);
    }

private:
    std::string read(std::size_t at, std::size_t bytes) {
        std::string out(bytes, '\0');
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(at));
        if (!file_.read(out.data(), static_cast<std::streamsize>(bytes)))
            throw_file("load_npz", path_, "ends before its directory says");
        return out;
    }
    static std::size_t number(std::string const& from, std::size_t at, std::size_t bytes) {
        std::size_t out = 0;
        for (std::size_t k = bytes; k-- > 0;) out = out << 8 | static_cast<unsigned char>(from[at + k]);
        return out;
    }
    // The record at the end of the archive says where the directory is. It is followed by a comment of up to 65,535 bytes.
    void find_directory() {
        file_.seekg(0, std::ios::end);
        auto const size = static_cast<std::size_t>(file_.tellg());
        constexpr std::size_t record_bytes = 22, longest = record_bytes + 65535;
        std::size_t const tail_bytes = size < longest ? size : longest;
        std::string const tail = read(size - tail_bytes, tail_bytes);
        std::size_t const record = tail.rfind("PK\5\6");
        if (record == std::string::npos || record + record_bytes > tail.size())
            throw_file("load_npz", path_, "is no ZIP archive");
        count_ = number(tail, record + 10, 2);
        start_ = number(tail, record + 16, 4);
        if (start_ == 0xffffffff)
            throw_file("load_npz", path_, "is larger than 4 GiB; save its arrays one by one with numpy.save");
    }
    void seek_to(std::string const& name, std::size_t method, std::size_t header) {
        if (method != 0)
            throw_file("load_npz", path_, name + " is compressed; write the file with numpy.savez, which does not compress");
        std::string const fixed = read(header, 30);
        file_.seekg(static_cast<std::streamoff>(header + 30 + number(fixed, 26, 2) + number(fixed, 28, 2)));
    }

    std::string const& path_;
    std::ifstream& file_;
    std::size_t count_ = 0;
    std::size_t start_ = 0;
};

} // namespace detail

// load_npz<float>(path, "weights"): the array that numpy.savez(path, weights=...) stored. Errors are those of load_npy.
template <npy_element T, shape_type Shape = any_shape>
tensor<T, Shape> load_npz(std::string const& path, std::string const& name) {
    std::ifstream file = detail::open_to_read("load_npz", path);
    detail::npz_directory(path, file).seek(name);
    return detail::read_npy<T, Shape>("load_npz", path + " (" + name + ")", file);
}

} // namespace tx
