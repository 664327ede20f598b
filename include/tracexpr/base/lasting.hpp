// Objects that static tensors and functions use, before main and after it.
#pragma once

#include <cstddef>
#include <new>

namespace tx::detail {

// Owner's T, made at its first use and never destroyed. (With Linux's threads a static std::mutex is there from the start to the
// end; with Windows' its constructor and destructor run.)
template <class T, class Owner> T& lasting() {
    alignas(T) static std::byte room[sizeof(T)];
    static T& object = *::new (static_cast<void*>(room)) T{};
    return object;
}

} // namespace tx::detail
