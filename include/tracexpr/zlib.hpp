// A program that includes this header in one of its files reads and writes compressed .npz files, through zlib. It needs the
// CMake target tracexpr::zlib, or -lz.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/files/deflate.hpp>
TRACEXPR_END_SHARED

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace tx::detail {

// zlib reads and writes data without its header if the window size is negative.
inline constexpr int raw_deflate = -MAX_WBITS;

class zlib_inflater final : public inflater {
public:
    zlib_inflater(file_call const& array, std::uint64_t stored_bytes) : array_{array}, left_{stored_bytes} {
        if (inflateInit2(&state_, raw_deflate) != Z_OK) throw std::bad_alloc();
    }
    zlib_inflater(zlib_inflater const&) = delete;
    zlib_inflater& operator=(zlib_inflater const&) = delete;
    ~zlib_inflater() override { inflateEnd(&state_); }

    bool read(std::istream& from, char* to, std::uint64_t bytes) override {
        state_.next_out = reinterpret_cast<Bytef*>(to);
        while (bytes > 0) {
            auto const asked = static_cast<uInt>(std::min<std::uint64_t>(bytes, std::numeric_limits<uInt>::max()));
            if (state_.avail_in == 0 && left_ > 0 && !refill(from)) return false;
            state_.avail_out = asked;
            int const status = inflate(&state_, Z_NO_FLUSH);
            bytes -= asked - state_.avail_out;
            if (status == Z_MEM_ERROR) throw std::bad_alloc();
            if (status == Z_DATA_ERROR || status == Z_NEED_DICT)
                array_.fail("is damaged: its compressed bytes are not what deflate makes");
            if (bytes > 0 && (status == Z_STREAM_END || status == Z_BUF_ERROR)) return false;
        }
        return true;
    }

private:
    bool refill(std::istream& from) {
        auto const bytes = std::min<std::uint64_t>(left_, some_.size());
        if (!from.read(some_.data(), static_cast<std::streamsize>(bytes))) return false;
        left_ -= bytes;
        state_.next_in = reinterpret_cast<Bytef*>(some_.data());
        state_.avail_in = static_cast<uInt>(bytes);
        return true;
    }

    file_call array_;
    std::uint64_t left_; // compressed bytes that were not read yet
    z_stream state_{};
    std::array<char, 1 << 15> some_;
};

class zlib_deflater final : public deflater {
public:
    explicit zlib_deflater(file_call const& call) : call_{call} {
        constexpr int memory_level = 8; // zlib's own default
        if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, raw_deflate, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    zlib_deflater(zlib_deflater const&) = delete;
    zlib_deflater& operator=(zlib_deflater const&) = delete;
    ~zlib_deflater() override { deflateEnd(&state_); }

    void write(file_writer& to, char const* from, std::uint64_t bytes) override {
        while (bytes > 0) {
            auto const given = static_cast<uInt>(std::min<std::uint64_t>(bytes, std::numeric_limits<uInt>::max()));
            state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from)); // zlib reads it only
            state_.avail_in = given;
            while (state_.avail_in > 0) step(to, Z_NO_FLUSH);
            from += given, bytes -= given;
        }
    }
    void finish(file_writer& to) override {
        while (step(to, Z_FINISH) != Z_STREAM_END) {}
    }

private:
    int step(file_writer& to, int flush) {
        state_.next_out = reinterpret_cast<Bytef*>(some_.data());
        state_.avail_out = static_cast<uInt>(some_.size());
        int const status = deflate(&state_, flush);
        if (status != Z_OK && status != Z_STREAM_END) call_.fail("could not be compressed");
        to.write(some_.data(), some_.size() - state_.avail_out);
        return status;
    }

    file_call call_;
    z_stream state_{};
    std::array<char, 1 << 15> some_;
};

inline constexpr deflate_library zlib{
    [](file_call const& array, std::uint64_t stored_bytes) -> std::unique_ptr<inflater> {
        return std::make_unique<zlib_inflater>(array, stored_bytes);
    },
    [](file_call const& call) -> std::unique_ptr<deflater> { return std::make_unique<zlib_deflater>(call); }};
inline bool const zlib_is_linked = (linked_deflate_library.store(&zlib), true);

} // namespace tx::detail
