// Tells, at run time, whether an object lives as long as the program: a trace may then refer to it, as the compiler's traces do.
#pragma once

#if defined(__linux__)
#include <link.h>
#endif

#include <cstddef>
#include <cstdint>

namespace tx::detail {

// Is the address within a loaded program or library, so that what stands there is a namespace-scope or static variable? False
// where the system can't tell.
inline bool has_static_storage([[maybe_unused]] void const* object) {
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
#else
    return false;
#endif
}

} // namespace tx::detail
