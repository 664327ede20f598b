// This file has a registry for the library that compresses, if the program has one: tracexpr/zlib.hpp registers it here, so that
// code that reads and writes archives does not depend on it.
#pragma once

#include <tracexpr/files/file.hpp>

#include <atomic>
#include <cstdint>
#include <istream>
#include <memory>

namespace tx::detail {

// An inflater decompresses bytes without the headers of zlib or gzip (RFC 1951), as ZIP archives have them.
class inflater {
public:
    virtual ~inflater() = default;
    // Gives the next bytes; returns false if there are fewer. Throws error if the input is not compressed data.
    virtual bool read(std::istream& from, char* to, std::uint64_t bytes) = 0;
};
class deflater {
public:
    virtual ~deflater() = default;
    virtual void write(file_writer& to, char const* from, std::uint64_t bytes) = 0;
    virtual void finish(file_writer& to) = 0;
};

struct deflate_library {
    std::unique_ptr<inflater> (*inflate)(file_call const& array, std::uint64_t stored_bytes);
    std::unique_ptr<deflater> (*deflate)(file_call const& call);
};
inline constinit std::atomic<deflate_library const*> linked_deflate_library{nullptr};

// No compressed byte stands for more bytes than this (zlib's technical details, "Maximum Compression Factor"). Data that claims
// more is damaged.
inline constexpr std::uint64_t most_inflated = 1032;

} // namespace tx::detail
