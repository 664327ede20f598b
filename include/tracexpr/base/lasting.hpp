// This file has objects that static tensors and functions use, before main and after it.
#pragma once

#include <cstddef>
#include <new>

namespace tx::detail {

// Gives Owner's T, which is made at its first use and never destroyed. (On Linux a static std::mutex exists from the start to the
// end of the program; on Windows its constructor and destructor run.)
template <class T, class Owner> T& lasting() {
    alignas(T) static std::byte room[sizeof(T)];
    static T& object = *::new (static_cast<void*>(room)) T{};
    return object;
}

} // namespace tx::detail
