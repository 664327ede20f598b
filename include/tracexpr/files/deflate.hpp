// Where the library that compresses stands, if the program has one: tracexpr/zlib.hpp enters it here, so that what reads and
// writes archives does not depend on it.
#pragma once

#include <tracexpr/files/file.hpp>

#include <atomic>
#include <cstdint>
#include <istream>
#include <memory>

namespace tx::detail {

// Bytes without the wrapping of zlib or gzip (RFC 1951), as ZIP archives have them.
class inflater {
public:
    virtual ~inflater() = default;
    // The next bytes; false where there are fewer. Throws error where what is read was never compressed.
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

// No compressed byte stands for more (zlib's technical details, "Maximum Compression Factor"). What claims to is damaged.
inline constexpr std::uint64_t most_inflated = 1032;

} // namespace tx::detail
