// This file opens files, and replaces them only when the new one is whole. It knows nothing of what files hold.
#pragma once

#include <tracexpr/base/error.hpp>
#include <tracexpr/files/replacement.hpp>
#include <tracexpr/files/text.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tx::detail {

// Gives a piece of a file for a message: on one line, in UTF-8, and no more than its first letters.
inline std::string shown_piece(std::string_view piece) {
    constexpr std::size_t longest = 60;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string_view const shown = piece.substr(0, longest);
    bool const is_text = is_utf8(shown);
    std::string out;
    for (char const c : shown) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f && (is_text || byte < 0x80)) out += c;
        else out += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
    }
    return out + (piece.size() > longest ? "..." : "");
}
inline std::string quoted_piece(std::string_view piece) { return '"' + shown_piece(piece) + '"'; }
// Lists names as "a, b", and only the first ones if there are many.
inline std::string listed_pieces(std::vector<std::string> const& pieces) {
    constexpr std::size_t most = 20;
    std::string out;
    for (std::size_t k = 0; k < pieces.size() && k < most; ++k) out += (k == 0 ? "" : ", ") + shown_piece(pieces[k]);
    if (pieces.size() > most) out += " and " + std::to_string(pieces.size() - most) + " more";
    return pieces.empty() ? "none" : out;
}

// file_call is a function and the file that it works on, with which messages begin.
struct file_call {
    char const* function;
    std::string path;

    std::string says(std::string const& problem) const { return "tx: " + std::string(function) + ": " + path + ": " + problem; }
    [[noreturn]] void fail(std::string const& problem) const { throw error(says(problem)); }
    // Gives the same call for messages about one of the file's arrays.
    file_call of_array(std::string const& name) const { return {function, path + " (" + shown_piece(name) + ")"}; }
};

inline std::ifstream open_to_read(file_call const& call) {
    std::ifstream file(call.path, std::ios::binary);
    if (!file) call.fail("can't be opened to read");
    return file;
}

// Writes beside the file, and puts the new file in its place when it is whole: if the call throws, the disk is full, or the
// program or the machine ends in between, the old file stays unchanged. A target that is no regular file (a device, a pipe) is
// written to directly.
class file_writer {
public:
    explicit file_writer(file_call const& call) : call_{call} {
        std::error_code none;
        std::filesystem::path target = call_.path;
        std::filesystem::file_status const old = std::filesystem::status(target, none);
        bool const is_there = std::filesystem::is_regular_file(old);
        if (std::filesystem::exists(old) && !is_there) {
            stream_.open(target, std::ios::binary);
        } else if (!is_there || std::ofstream(target, std::ios::binary | std::ios::app)) { // May the old file be written to?
            if (is_there) target = std::filesystem::canonical(target, none);               // A link's target is replaced.
            beside_.emplace(target, is_there);
            if (beside_->is_open()) stream_.open(beside_->path(), std::ios::binary);
            if (stream_.is_open() && is_there) std::filesystem::permissions(beside_->path(), old.permissions(), none);
        }
        if (!stream_.is_open()) call_.fail("can't be opened to write");
    }
    file_writer(file_writer const&) = delete;
    file_writer& operator=(file_writer const&) = delete;

    void write(char const* from, std::uint64_t bytes) {
        stream_.write(from, static_cast<std::streamsize>(bytes));
        if (!stream_) failed();
        position_ += bytes;
    }
    void write(std::string_view text) { write(text.data(), text.size()); }
    // Overwrites bytes that were written before.
    void write_again(std::uint64_t at, std::string_view text) {
        stream_.seekp(static_cast<std::streamoff>(at));
        stream_.write(text.data(), static_cast<std::streamsize>(text.size()));
        if (!stream_.seekp(static_cast<std::streamoff>(position_))) failed();
    }
    std::uint64_t position() const { return position_; }
    void finish() {
        stream_.close();
        if (!stream_) failed();
        if (beside_ && !beside_->take_place()) failed();
    }

private:
    [[noreturn]] void failed() const { call_.fail("could not be written"); }

    file_call const& call_;
    std::optional<replacement> beside_; // none if the target itself is written to
    std::ofstream stream_;
    std::uint64_t position_ = 0;
};

} // namespace tx::detail
