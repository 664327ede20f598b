// This file tells, at run time, whether an object has static storage duration: a trace may then refer to it, as the compiler's
// traces do.
#pragma once

#include <tracexpr/base/config.hpp>

#if defined(__linux__)
#include <link.h>
#endif

#include <cstddef>
#include <cstdint>

namespace tx::detail {

#if defined(_WIN64)
// The layout of MEMORY_BASIC_INFORMATION, which VirtualQuery fills in. <windows.h> would bring its macros to all who include this
// file.
struct memory_pages {
    void* base;
    void* allocation_base;
    std::uint32_t allocation_protect;
    std::uint16_t partition;
    std::size_t bytes;
    std::uint32_t state, protect, kind;
};
static_assert(sizeof(memory_pages) == 48);
inline constexpr std::uint32_t pages_of_an_image = 0x1000000; // MEM_IMAGE
extern "C" std::size_t tracexpr_virtual_query(void const* address, memory_pages* pages, std::size_t bytes)
    TRACEXPR_SYMBOL("VirtualQuery");
#endif

// Is the address within a loaded program or library, so that the object is a namespace-scope or static variable? It is false
// where the system can't tell.
TRACEXPR_ONCE bool has_static_storage([[maybe_unused]] void const* object) {
#if defined(__linux__)
    auto const within = [](dl_phdr_info* image, std::size_t, void* sought) -> int {
        auto const wanted = reinterpret_cast<std::uintptr_t>(*static_cast<void const**>(sought));
        for (int k = 0; k < image->dlpi_phnum; ++k) {
            auto const& segment = image->dlpi_phdr[k];
            if (segment.p_type == PT_LOAD && wanted - (image->dlpi_addr + segment.p_vaddr) < segment.p_memsz) return 1;
        }
        return 0;
    };
    return dl_iterate_phdr(within, &object) != 0;
#elif defined(_WIN64)
    memory_pages pages{};
    return tracexpr_virtual_query(object, &pages, sizeof pages) == sizeof pages && pages.kind == pages_of_an_image;
#else
    return false;
#endif
}

} // namespace tx::detail
