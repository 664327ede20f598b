// One array of a .npz file: a ZIP archive of .npy files, whose checksums are compared. Arrays must be stored as they are
// (numpy.savez); inflating those of numpy.savez_compressed takes a library that this header does not ask for.
#pragma once

#include <tracexpr/xtensor/files.hpp>

#include <vector>

namespace tx {

namespace detail {

// What an archive holds, by its directory. Records and offsets are those of PKWARE's APPNOTE.TXT, sections 4.3.7 and 4.3.12
// to 4.3.16; fields that are full stand for a wider one elsewhere (4.5.3).
class npz_directory {
public:
    npz_directory(file_call const& call, std::ifstream& file) : call_{call}, file_{file} {
        file_.seekg(0, std::ios::end);
        std::streamoff const size = file_.tellg();
        size_ = size < 0 ? 0 : static_cast<std::uint64_t>(size);
        find_directory();
        read_entries();
    }

    struct entry {
        std::string name;
        std::uint64_t flags = 0, method = 0, checksum = 0, stored_bytes = 0, bytes = 0, start = 0;
    };
    entry const& find(std::string const& name) const {
        std::string known;
        for (std::size_t k = entries_.size(); k-- > 0;) // of equal names the last counts
            if (entries_[k].name == name + ".npy") return entries_[k];
        for (entry const& e : entries_) known += (known.empty() ? "" : ", ") + e.name.substr(0, e.name.rfind(".npy"));
        call_.fail("has no array " + name + "; it has: " + known);
    }
    // The bytes of an entry, which the record before them must describe as the directory does.
    byte_source open(file_call const& array, entry const& e) {
        if (e.flags & 1) array.fail("is encrypted");
        if (e.method != 0) array.fail("is compressed; write the file with numpy.savez, which does not compress");
        if (e.stored_bytes != e.bytes) damaged();
        constexpr std::uint64_t fixed_bytes = 30;
        std::string const fixed = read(e.start, fixed_bytes, directory_);
        std::uint64_t const name_bytes = number(fixed, 26, 2), more_bytes = number(fixed, 28, 2);
        if (number(fixed, 0, 4) != 0x04034b50 || number(fixed, 8, 2) != e.method) damaged();
        if (read(e.start + fixed_bytes, name_bytes, directory_) != e.name) damaged();
        std::uint64_t const first = e.start + fixed_bytes + name_bytes + more_bytes;
        if (first > directory_ || e.bytes > directory_ - first) damaged();
        seek(first);
        return byte_source(file_, e.bytes);
    }

private:
    [[noreturn]] void damaged() const { call_.fail("its directory is damaged"); }
    static std::uint64_t number(std::string const& from, std::uint64_t at, std::size_t bytes) {
        return little_endian(from.data() + static_cast<std::size_t>(at), bytes);
    }
    void seek(std::uint64_t at) {
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(at));
    }
    // Bytes that must lie before `end`.
    std::string read(std::uint64_t at, std::uint64_t bytes, std::uint64_t end) {
        if (at > end || bytes > end - at) damaged();
        std::string out(static_cast<std::size_t>(bytes), '\0');
        seek(at);
        if (!file_.read(out.data(), static_cast<std::streamsize>(bytes))) call_.fail("can't be read");
        return out;
    }

    // The record at the end of the archive says where the directory is. It is followed by a comment of up to 65,535 bytes.
    void find_directory() {
        constexpr std::uint64_t record_bytes = 22, longest = record_bytes + 65535;
        std::uint64_t const tail_bytes = size_ < longest ? size_ : longest;
        std::string const tail = read(size_ - tail_bytes, tail_bytes, size_);
        std::size_t at = tail.size() < record_bytes ? std::string::npos : tail.rfind("PK\5\6", tail.size() - record_bytes);
        while (at != std::string::npos && at + record_bytes + number(tail, at + 20, 2) != tail.size())
            at = at == 0 ? std::string::npos : tail.rfind("PK\5\6", at - 1);
        if (at == std::string::npos) call_.fail("is no ZIP archive");
        std::uint64_t end = size_ - tail_bytes + at;
        count_ = number(tail, at + 10, 2);
        std::uint64_t bytes = number(tail, at + 12, 4);
        directory_ = number(tail, at + 16, 4);
        if (number(tail, at + 4, 4) != 0 || number(tail, at + 8, 2) != count_)
            call_.fail("is one of several parts of an archive");
        bool const is_cut = bytes == 0xffffffff || directory_ == 0xffffffff;
        constexpr std::uint64_t locator_bytes = 20, wide_bytes = 56;
        std::string locator;
        if ((is_cut || count_ == 0xffff) && end >= locator_bytes) locator = read(end - locator_bytes, locator_bytes, size_);
        bool const has_wide = !locator.empty() && number(locator, 0, 4) == 0x07064b50; // or are there 65,535 arrays?
        if (is_cut && !has_wide) damaged();
        if (has_wide) {
            end = number(locator, 8, 8);
            std::string const wide = read(end, wide_bytes, size_);
            if (number(wide, 0, 4) != 0x06064b50) damaged();
            count_ = number(wide, 32, 8), bytes = number(wide, 40, 8), directory_ = number(wide, 48, 8);
        }
        if (directory_ > end || bytes != end - directory_) damaged();
        end_ = end;
    }
    void read_entries() {
        constexpr std::uint64_t fixed_bytes = 46;
        std::uint64_t at = directory_;
        for (std::uint64_t k = 0; k < count_; ++k) {
            std::string const fixed = read(at, fixed_bytes, end_);
            if (number(fixed, 0, 4) != 0x02014b50) damaged();
            std::uint64_t const name_bytes = number(fixed, 28, 2), more_bytes = number(fixed, 30, 2);
            entry e{read(at + fixed_bytes, name_bytes, end_),
                    number(fixed, 8, 2),
                    number(fixed, 10, 2),
                    number(fixed, 16, 4),
                    number(fixed, 20, 4),
                    number(fixed, 24, 4),
                    number(fixed, 42, 4)};
            widen(e, read(at + fixed_bytes + name_bytes, more_bytes, end_));
            entries_.push_back(std::move(e));
            at += fixed_bytes + name_bytes + more_bytes + number(fixed, 32, 2);
        }
        if (at != end_) damaged();
    }
    // Numbers that are too large for their fields follow in that order, those that are not left out.
    void widen(entry& e, std::string const& more) const {
        constexpr std::uint64_t full = 0xffffffff, header_bytes = 4;
        for (std::uint64_t at = 0; at + header_bytes <= more.size();) {
            std::uint64_t const id = number(more, at, 2), end = at + header_bytes + number(more, at + 2, 2);
            if (end > more.size()) damaged();
            at += header_bytes;
            for (std::uint64_t* const value : {&e.bytes, &e.stored_bytes, &e.start}) {
                if (id != 1 || *value != full) continue;
                if (end - at < 8) damaged();
                *value = number(more, at, 8), at += 8;
            }
            at = end;
        }
    }

    file_call const& call_;
    std::ifstream& file_;
    std::uint64_t size_ = 0, directory_ = 0, end_ = 0, count_ = 0; // the directory begins and ends there
    std::vector<entry> entries_;
};

} // namespace detail

// load_npz<float>(path, "weights"): the array that numpy.savez(path, weights=...) stored. Errors are those of load_npy, and error
// for an array whose checksum is another.
template <npy_element T, shape_type Shape = any_shape>
tensor<T, Shape> load_npz(std::string const& path, std::string const& name) {
    detail::file_call const call{"load_npz", path}, array{"load_npz", path + " (" + name + ")"};
    std::ifstream file = detail::open_to_read(call);
    detail::npz_directory directory(call, file);
    auto const& entry = directory.find(name);
    detail::byte_source in = directory.open(array, entry);
    auto out = detail::read_npy<T, Shape>(array, in);
    if (!in.read_rest() || in.checksum() != entry.checksum) array.fail("is damaged: its checksum is another");
    return out;
}

} // namespace tx
