// This file has the structs of the Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), behind the
// guard that the standard gives them, because any number of headers may define them.
#pragma once

#include <cstdint>

#if !defined(ARROW_C_DATA_INTERFACE)
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {

struct ArrowSchema {
    char const* format;
    char const* name;
    char const* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*); // null once it is released, or moved
    void* private_data;
};
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count; // -1: not counted
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    void const** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*); // null once it is released, or moved
    void* private_data;
};

} // extern "C"

#endif
