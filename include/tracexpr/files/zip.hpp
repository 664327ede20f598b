// This file has ZIP archives, as far as .npz files need them: it reads their directory strictly, and writes archives. Records,
// flags and methods are those of PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12 to 4.3.16 and 4.4; a field with its greatest value
// stands for a wider field elsewhere, as the ZIP64 extension has it (4.5.3).
#pragma once

#include <tracexpr/files/byte_source.hpp>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace tx::detail {

inline constexpr std::uint64_t zip_stored = 0, zip_deflated = 8, zip_full16 = 0xffff, zip_full32 = 0xffffffff;

// zip_directory is the directory of an archive.
class zip_directory {
public:
    zip_directory(file_call const& call, std::ifstream& file) : call_{call}, file_{file} {
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
    std::vector<entry> const& entries() const { return entries_; }
    // Opens the bytes of an entry. The record before them must describe the entry as the directory does.
    byte_source open(file_call const& array, entry const& e) {
        if (e.flags & 1) array.fail("is encrypted");
        bool const is_compressed = e.method == zip_deflated;
        deflate_library const* const library = linked_deflate_library;
        if (!is_compressed && e.method != zip_stored)
            array.fail("is compressed by method " + std::to_string(e.method) + " of ZIP archives, which NumPy does not use");
        if (is_compressed && !library)
            array.fail("is compressed; include <tracexpr/zlib.hpp> and link tracexpr::zlib to read it, or write it with "
                       "numpy.savez, which does not compress");
        if (is_compressed ? e.bytes / most_inflated > e.stored_bytes : e.stored_bytes != e.bytes) damaged();
        constexpr std::uint64_t fixed_bytes = 30;
        std::string const fixed = read(e.start, fixed_bytes, directory_);
        std::uint64_t const name_bytes = number(fixed, 26, 2), more_bytes = number(fixed, 28, 2);
        if (number(fixed, 0, 4) != 0x04034b50 || number(fixed, 8, 2) != e.method) damaged();
        if (read(e.start + fixed_bytes, name_bytes, directory_) != e.name) damaged();
        std::uint64_t const first = e.start + fixed_bytes + name_bytes + more_bytes;
        if (first > directory_ || e.stored_bytes > directory_ - first) damaged();
        seek(first);
        return byte_source(file_, e.bytes, is_compressed ? library->inflate(array, e.stored_bytes) : nullptr);
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
    // Reads bytes that must lie before `end`.
    std::string read(std::uint64_t at, std::uint64_t bytes, std::uint64_t end) {
        if (at > end || bytes > end - at) damaged();
        std::string out(static_cast<std::size_t>(bytes), '\0');
        seek(at);
        if (!file_.read(out.data(), static_cast<std::streamsize>(bytes))) call_.fail("can't be read");
        return out;
    }

    // Finds the directory, whose place the record at the end of the archive tells. A comment of up to 65,535 bytes follows the
    // record.
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
        constexpr std::uint64_t locator_bytes = 20, zip64_end_bytes = 56;
        std::string locator;
        if ((is_cut || count_ == 0xffff) && end >= locator_bytes) locator = read(end - locator_bytes, locator_bytes, size_);
        bool const has_zip64 = !locator.empty() && number(locator, 0, 4) == 0x07064b50; // Otherwise there are 65,535 arrays.
        if (is_cut && !has_zip64) damaged();
        if (has_zip64) {
            end = number(locator, 8, 8);
            std::string const zip64_end = read(end, zip64_end_bytes, size_);
            if (number(zip64_end, 0, 4) != 0x06064b50) damaged();
            count_ = number(zip64_end, 32, 8), bytes = number(zip64_end, 40, 8), directory_ = number(zip64_end, 48, 8);
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
    // Reads the numbers that are too large for their fields; they follow in this order, and the others are left out.
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
    std::uint64_t size_ = 0, directory_ = 0, end_ = 0, count_ = 0; // directory_ and end_ are where the directory begins and ends.
    std::vector<entry> entries_;
};

// Writes an archive, entry by entry: begin(name), write(...)..., end(), and at last finish().
class zip_writer {
public:
    // Compresses with the library, unless that is null.
    zip_writer(file_call const& call, file_writer& file, deflate_library const* library)
        : call_{call}, file_{file}, library_{library} {}

    void begin(std::string const& name) {
        entry_ = {name, file_.position(), 0, 0, {}};
        std::string const record = fixed(entry_, local_record, zip_full32, zip_full32) + name + zip64_sizes(entry_);
        file_.write(record);
        data_ = file_.position();
        if (library_) deflates_ = library_->deflate(call_);
    }
    void write(char const* from, std::uint64_t bytes) {
        entry_.sum.add(from, static_cast<std::size_t>(bytes));
        entry_.bytes += bytes;
        if (deflates_) deflates_->write(file_, from, bytes);
        else file_.write(from, bytes);
    }
    void end() {
        if (deflates_) deflates_->finish(file_);
        deflates_.reset();
        entry_.stored_bytes = file_.position() - data_;
        std::string const record = fixed(entry_, local_record, zip_full32, zip_full32) + entry_.name + zip64_sizes(entry_);
        file_.write_again(entry_.start, record);
        append_to_directory();
        ++count_;
    }
    void finish() {
        std::uint64_t const start = file_.position(), bytes = directory_.size();
        file_.write(directory_);
        std::string out;
        if (count_ >= zip_full16 || start >= zip_full32 || bytes >= zip_full32) {
            std::uint64_t const end = file_.position();
            constexpr std::uint64_t bytes_that_follow = 44;
            append_numbers(out, {{0x06064b50, 4}, {bytes_that_follow, 8}, {version, 2}, {version, 2}, {0, 4}, {0, 4}});
            append_numbers(out, {{count_, 8}, {count_, 8}, {bytes, 8}, {start, 8}});
            append_numbers(out, {{0x07064b50, 4}, {0, 4}, {end, 8}, {1, 4}});
        }
        std::uint64_t const count = std::min(count_, zip_full16);
        append_numbers(out, {{0x06054b50, 4}, {0, 4}, {count, 2}, {count, 2}});
        append_numbers(out, {{std::min(bytes, zip_full32), 4}, {std::min(start, zip_full32), 4}, {0, 2}});
        file_.write(out);
    }

private:
    struct entry {
        std::string name;
        std::uint64_t start = 0, bytes = 0, stored_bytes = 0;
        crc32 sum;
    };
    struct sized_number {
        std::uint64_t number;
        std::size_t bytes;
    };
    static constexpr std::uint64_t version = 45; // the first version with ZIP64 fields
    static constexpr std::uint64_t local_record = 0x04034b50, directory_record = 0x02014b50;

    static void append_numbers(std::string& out, std::initializer_list<sized_number> numbers) {
        for (sized_number const& n : numbers) append_little_endian(out, n.number, n.bytes);
    }
    // Gives the fields that both records of an entry have, up to the length of what follows its name.
    std::string fixed(entry const& e, std::uint64_t record, std::uint64_t stored_bytes, std::uint64_t bytes) const {
        constexpr std::uint64_t name_is_utf8 = 0x800, first_day = 0x21; // 1980-01-01, so equal arrays give equal files
        constexpr std::uint64_t zip64_bytes = 20;
        std::uint64_t const flags = is_utf8(e.name) ? name_is_utf8 : 0;
        std::string out;
        append_numbers(out, {{record, 4}, {version, 2}});
        if (record == directory_record) append_numbers(out, {{version, 2}});
        append_numbers(out, {{flags, 2}, {library_ ? zip_deflated : zip_stored, 2}, {first_day << 16, 4}, {e.sum.value(), 4}});
        append_numbers(out, {{stored_bytes, 4}, {bytes, 4}, {e.name.size(), 2}});
        if (record == local_record) append_numbers(out, {{zip64_bytes, 2}});
        return out;
    }
    static std::string zip64_sizes(entry const& e) {
        std::string out;
        append_numbers(out, {{1, 2}, {16, 2}, {e.bytes, 8}, {e.stored_bytes, 8}});
        return out;
    }
    void append_to_directory() {
        std::string zip64_fields;
        for (std::uint64_t const value : {entry_.bytes, entry_.stored_bytes, entry_.start})
            if (value >= zip_full32) append_little_endian(zip64_fields, value, 8);
        std::uint64_t const zip64_bytes = zip64_fields.empty() ? 0 : zip64_fields.size() + 4, readable = 0600;
        directory_ +=
            fixed(entry_, directory_record, std::min(entry_.stored_bytes, zip_full32), std::min(entry_.bytes, zip_full32));
        append_numbers(directory_, {{zip64_bytes, 2}, {0, 2}, {0, 2}, {0, 2}, {readable << 16, 4}});
        append_numbers(directory_, {{std::min(entry_.start, zip_full32), 4}});
        directory_ += entry_.name;
        if (!zip64_fields.empty()) append_numbers(directory_, {{1, 2}, {zip64_fields.size(), 2}});
        directory_ += zip64_fields;
    }

    file_call const& call_;
    file_writer& file_;
    deflate_library const* library_;
    std::unique_ptr<deflater> deflates_;
    entry entry_;
    std::uint64_t data_ = 0, count_ = 0; // data_ is where the entry's bytes begin.
    std::string directory_;
};

} // namespace tx::detail
