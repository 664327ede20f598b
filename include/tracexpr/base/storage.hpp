// This file has a tensor's elements: inside the object for small static shapes, and otherwise in a shared 64-byte-aligned heap
// block. A heap block is reference-counted, and copied before a write while it is shared, so that a copy never aliases a later
// write. Freed blocks wait in a small cache of the thread that freed them (8 blocks of at most 128 MiB together, and 16 of at
// most 64 KiB each), because a fresh block costs a page fault every 4 KiB.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/interned.hpp>
#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/base/shape.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tx {
namespace detail {

inline constexpr std::size_t block_alignment = 64;

// This header stands in front of the elements of a heap block.
struct alignas(block_alignment) heap_block {
    std::atomic<std::int64_t> references{1};
    std::size_t capacity_bytes = 0;
    void (*let_go)(void* elements) noexcept = nullptr; // It destroys an object that the block holds in place of elements.
};

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool caches_blocks = false; // A sanitizer sees a use after free only if the block is really freed.
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool caches_blocks = false;
#else
inline constexpr bool caches_blocks = true;
#endif
#else
inline constexpr bool caches_blocks = true;
#endif

// block_list holds the blocks that were freed last, the newest at the end, with up to Bytes in all.
template <int Slots, std::size_t Bytes> struct block_list {
    heap_block* held[Slots]{};
    int count = 0;
    std::size_t bytes = 0;

    heap_block* take(std::size_t wanted_bytes) {
        for (int i = count - 1; i >= 0; --i) {
            std::size_t const capacity = held[i]->capacity_bytes;
            if (capacity >= wanted_bytes && capacity - wanted_bytes <= wanted_bytes / 4) return remove(i);
        }
        return nullptr;
    }
    // Takes over a block of at most Bytes.
    void keep(heap_block* freed) {
        while (count == Slots || bytes + freed->capacity_bytes > Bytes) free_block(remove(0));
        held[count++] = freed;
        bytes += freed->capacity_bytes;
    }
    void clear() {
        while (count > 0) free_block(remove(count - 1));
    }
    static void free_block(heap_block* freed) {
        freed->~heap_block();
        ::operator delete(freed, std::align_val_t{block_alignment});
    }

private:
    heap_block* remove(int index) {
        heap_block* const out = held[index];
        for (int i = index + 1; i < count; ++i) held[i - 1] = held[i];
        --count;
        bytes -= out->capacity_bytes;
        return out;
    }
};

// Small and large blocks are cached separately, so that many small results don't evict a large one. The cache is trivially
// destructible because it must outlive the static tensors, which are destroyed after the main thread's thread_local objects.
struct block_cache {
    static constexpr std::size_t small_bytes = std::size_t{64} << 10;
    static constexpr std::size_t large_limit_bytes = std::size_t{128} << 20;
    block_list<16, 16 * small_bytes> small;
    block_list<8, large_limit_bytes> large;
    bool closed = false;

    void close() {
        closed = true;
        small.clear();
        large.clear();
    }
};
struct closed_block_cache : block_cache {
    ~closed_block_cache() { close(); }
};
inline block_cache& thread_blocks() {
    if constexpr (keeps_thread_objects) {
        return per_thread<closed_block_cache>();
    } else {
        constinit thread_local block_cache blocks{};
        return blocks;
    }
}
// This empties a thread's cache when the thread ends.
struct block_cache_closer {
    block_cache& cache = thread_blocks();
    ~block_cache_closer() { cache.close(); }
};

TRACEXPR_ONCE heap_block* header_of(void const* elements) {
    return static_cast<heap_block*>(
        static_cast<void*>(static_cast<std::byte*>(const_cast<void*>(elements)) - sizeof(heap_block)));
}

// Asks for large pages, with which the first touch of 80 MB took 4.4 ms instead of 27 ms (Zen 5, Linux 6).
TRACEXPR_ONCE void prefer_large_pages([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    constexpr std::size_t page_bytes = std::size_t{2} << 20;
    if (bytes < 2 * page_bytes) return;
    std::size_t const before = (page_bytes - reinterpret_cast<std::uintptr_t>(start) % page_bytes) % page_bytes;
    madvise(static_cast<std::byte*>(start) + before, (bytes - before) / page_bytes * page_bytes, MADV_HUGEPAGE);
#endif
}

// Gives the elements of a block with one reference; they are uninitialized.
TRACEXPR_ONCE void* allocate_block(std::size_t bytes) {
    std::size_t const capacity = (bytes + block_alignment - 1) / block_alignment * block_alignment;
    heap_block* block = nullptr;
    if (caches_blocks) {
        block_cache& blocks = thread_blocks();
        block = capacity <= block_cache::small_bytes ? blocks.small.take(capacity) : blocks.large.take(capacity);
    }
    if (block) {
        block->references.store(1, std::memory_order_relaxed);
    } else {
        void* const start = ::operator new(sizeof(heap_block) + capacity, std::align_val_t{block_alignment});
        prefer_large_pages(start, sizeof(heap_block) + capacity);
        block = ::new (start) heap_block;
        block->capacity_bytes = capacity;
    }
    return block + 1;
}

template <class Unused = void> TRACEXPR_NOINLINE void free_elements(void* elements) {
    heap_block* const freed = header_of(elements);
    if (freed->let_go) std::exchange(freed->let_go, nullptr)(elements);
    if (caches_blocks && freed->capacity_bytes <= block_cache::large_limit_bytes) {
        block_cache& blocks = thread_blocks();
        if (!blocks.closed) {
            if constexpr (!keeps_thread_objects) {
                static_cast<void>(per_thread<block_cache_closer>());
            }
            if (freed->capacity_bytes <= block_cache::small_bytes) blocks.small.keep(freed);
            else blocks.large.keep(freed);
            return;
        }
    }
    block_list<1, 1>::free_block(freed);
}
TRACEXPR_INSTANCE(void free_elements<void>(void*))

// Allocates a block for handles of strings, all of them empty. Behind them lies the region that says so.
TRACEXPR_ONCE string_region& string_region_of(void* strings) {
    return *static_cast<string_region*>(
        static_cast<void*>(static_cast<std::byte*>(strings) + header_of(strings)->capacity_bytes - sizeof(string_region)));
}
TRACEXPR_ONCE void* allocate_strings(std::size_t bytes) {
    void* const out = allocate_block(bytes + sizeof(string_region));
    string_table::add(*::new (static_cast<void*>(&string_region_of(out))) string_region, out, bytes);
    header_of(out)->let_go = [](void* strings) noexcept { string_table::remove(string_region_of(strings)); };
    return out;
}

inline void add_reference(void const* elements) { header_of(elements)->references.fetch_add(1, std::memory_order_relaxed); }
inline bool is_shared(void const* elements) { return header_of(elements)->references.load(std::memory_order_acquire) != 1; }
TRACEXPR_ONCE void drop_reference(void* elements) {
    if (!is_shared(elements) || header_of(elements)->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
        free_elements(elements);
}

// Gives the zeros that every unwritten tensor of this size shows. They are never written and never freed; pages that nobody reads
// cost no memory.
template <std::size_t Bytes> [[gnu::cold]] TRACEXPR_NOINLINE void const* shared_zeros() {
    static void* const zeros = [] {
        void* start = std::calloc(Bytes + block_alignment, 1);
        std::size_t space = Bytes + block_alignment;
        if (!start) throw std::bad_alloc();
        return std::align(block_alignment, Bytes, start, space);
    }();
    return zeros;
}
// The zeros of unwritten tensors in a constant evaluation.
inline constexpr std::size_t constant_zeros_limit_bytes = std::size_t{1} << 20;
template <class T, std::size_t Count> inline constexpr T constant_zeros[Count]{};

// heap_elements is a handle to elements on the heap, or null. The owner knows how many there are and passes the count where it
// matters. In a constant evaluation every handle owns its own elements: they can't outlive it, and nothing is gained by sharing
// them.
template <class T> class heap_elements {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    constexpr heap_elements() = default;
    // Allocates elements that are uninitialized.
    constexpr explicit heap_elements(std::int64_t count) {
        if (count == 0) return;
        if (__builtin_is_constant_evaluated()) {
            elements_ = new T[static_cast<std::size_t>(count)];
            for (std::int64_t i = 0; i < count; ++i) elements_[i] = T{};
        } else {
            std::size_t const bytes = static_cast<std::size_t>(count) * sizeof(T);
            elements_ = static_cast<T*>(std::is_same_v<T, interned> ? allocate_strings(bytes) : allocate_block(bytes));
        }
    }
    // Makes a handle to an object that stands for elements elsewhere, and takes over its reference.
    static heap_elements standing_for(void* remote) {
        heap_elements out;
        out.elements_ = static_cast<T*>(remote);
        return out;
    }
    constexpr heap_elements(heap_elements&& other) noexcept : elements_{std::exchange(other.elements_, nullptr)} {}
    constexpr heap_elements& operator=(heap_elements&& other) noexcept {
        heap_elements old{std::move(other)};
        std::swap(elements_, old.elements_);
        return *this;
    }
    constexpr ~heap_elements() {
        if (!elements_) return;
        if (__builtin_is_constant_evaluated()) delete[] elements_;
        else drop_reference(elements_);
    }

    constexpr heap_elements share(std::int64_t count) const {
        heap_elements out;
        if (!elements_) return out;
        if (__builtin_is_constant_evaluated()) return clone(count);
        add_reference(elements_);
        out.elements_ = elements_;
        return out;
    }
    constexpr T const* data() const { return elements_; }
    // Tells whether there are elements that no other handle shares.
    constexpr bool are_own() const { return elements_ && (__builtin_is_constant_evaluated() || !is_shared(elements_)); }
    // Gives the elements after making them this handle's own; they are zeros if there were none.
    constexpr T* mutable_data(std::int64_t count) {
        if (!are_own()) [[unlikely]]
            make_own(count);
        return elements_;
    }

private:
    [[gnu::cold]] TRACEXPR_NOINLINE constexpr void make_own(std::int64_t count) {
        if (elements_) {
            *this = clone(count);
        } else {
            *this = heap_elements(count);
            if (!__builtin_is_constant_evaluated() && elements_)
                std::memset(static_cast<void*>(elements_), 0, static_cast<std::size_t>(count) * sizeof(T));
        }
    }
    constexpr heap_elements clone(std::int64_t count) const {
        heap_elements out(count);
        if (__builtin_is_constant_evaluated())
            for (std::int64_t i = 0; i < count; ++i) out.elements_[i] = elements_[i];
        else std::memcpy(static_cast<void*>(out.elements_), elements_, static_cast<std::size_t>(count) * sizeof(T));
        return out;
    }

    T* elements_ = nullptr;
};

// This stores the extents that a tensor's type leaves open.
template <class Shape> struct extent_store;
template <std::int64_t... E> requires(shape<E...>::is_static) struct extent_store<shape<E...>> {
    constexpr extent_store() = default;
    constexpr explicit extent_store(dims const&) {}
    constexpr dims get() const { return dims_of<shape<E...>>; }
};
template <std::int64_t... E> requires(!shape<E...>::is_static) struct extent_store<shape<E...>> {
    std::array<std::int64_t, sizeof...(E)> extents{(E == dyn ? 0 : E)...};
    constexpr extent_store() = default;
    constexpr explicit extent_store(dims const& d) {
        for (std::size_t axis = 0; axis < sizeof...(E); ++axis) extents[axis] = d.extent[axis];
    }
    constexpr dims get() const {
        dims out;
        for (std::int64_t extent : extents) out.push_back(extent);
        return out;
    }
};
template <> struct extent_store<any_shape> {
    dims extents{{0}, 1};
    constexpr extent_store() = default;
    constexpr explicit extent_store(dims const& d) : extents{d} {}
    constexpr dims get() const { return extents; }
};

inline constexpr std::size_t inline_limit_bytes = 512; // 8x8 doubles
// (Handles of strings are always on the heap, where those that are in use are found.)
template <class T, class Shape> inline constexpr bool is_inline =
    !std::is_same_v<T, std::string> && dims_of<Shape>.is_static() &&
    static_cast<std::size_t>(dims_of<Shape>.size()) <= inline_limit_bytes / sizeof(stored<T>);

// Gives the alignment of a payload: the largest power of two, up to a cache line, that divides its size. Loads are then aligned
// without padding.
TRACEXPR_ONCE constexpr std::size_t inline_alignment(std::size_t bytes, std::size_t least) {
    std::size_t out = block_alignment;
    while (out > least && bytes % out != 0) out /= 2;
    return bytes == 0 || out < least ? least : out;
}

template <class T, class Shape> class inline_storage {
    static constexpr std::size_t count = static_cast<std::size_t>(dims_of<Shape>.size());

public:
    constexpr inline_storage() : values_{} {}
    // Leaves the elements uninitialized.
    constexpr explicit inline_storage(dims const&) {
        if (__builtin_is_constant_evaluated())
            for (T& value : values_) value = T{};
    }
    static constexpr inline_storage without_elements(dims const&) { return {}; }
    constexpr dims extents() const { return dims_of<Shape>; }
    constexpr bool has_elements() const { return true; }
    constexpr T const* data() const { return values_; }
    constexpr T const* own_data() const { return values_; }
    constexpr bool is_exclusive() const { return true; }
    constexpr T* mutable_data() { return values_; }
    constexpr T value(std::int64_t i) const { return values_[i]; }

private:
    alignas(inline_alignment(count * sizeof(T), alignof(T))) T values_[count == 0 ? 1 : count];
};

template <class T, class Shape> class heap_storage {
public:
    constexpr heap_storage() = default;
    // Allocates elements that are uninitialized.
    constexpr explicit heap_storage(dims const& d) : extents_{d}, elements_(d.size()) {}
    constexpr heap_storage(heap_storage const& other) : extents_{other.extents_}, elements_{other.shared()} {}
    constexpr heap_storage(heap_storage&& other) noexcept
        : extents_{std::exchange(other.extents_, extent_store<Shape>{})}, elements_{std::move(other.elements_)} {}
    template <class Other> constexpr explicit heap_storage(heap_storage<T, Other> const& other)
        : extents_{other.extents()}, elements_{other.shared()} {}
    constexpr heap_storage& operator=(heap_storage const& other) {
        heap_storage copy{other};
        return *this = std::move(copy);
    }
    constexpr heap_storage& operator=(heap_storage&& other) noexcept {
        elements_ = std::move(other.elements_);
        extents_ = std::exchange(other.extents_, extent_store<Shape>{});
        return *this;
    }
    constexpr ~heap_storage() = default;

    static constexpr heap_storage without_elements(dims const& d) {
        heap_storage out;
        out.extents_ = extent_store<Shape>{d};
        return out;
    }
    static heap_storage standing_for(void* remote, dims const& d) {
        heap_storage out = without_elements(d);
        out.elements_ = heap_elements<T>::standing_for(remote);
        return out;
    }
    constexpr dims extents() const { return extents_.get(); }
    // Tells whether there are elements. A tensor that was never written has none, and its values, if any, are zeros.
    constexpr bool has_elements() const { return elements_.data() != nullptr; }
    constexpr heap_elements<T> shared() const { return elements_.share(extents().size()); }
    constexpr T const* data() const {
        if constexpr (dims_of<Shape>.is_static())
            if (!has_elements()) return zeros();
        return elements_.data();
    }
    // Gives the elements, or null for a tensor that was never written.
    constexpr T const* own_data() const { return elements_.data(); }
    // Tells whether the elements are written and are no other tensor's.
    constexpr bool is_exclusive() const { return elements_.are_own(); }
    constexpr T* mutable_data() { return elements_.mutable_data(extents().size()); }
    constexpr T value(std::int64_t i) const { return has_elements() ? elements_.data()[i] : T{}; }

private:
    static constexpr T const* zeros() {
        constexpr auto count = static_cast<std::size_t>(dims_of<Shape>.size());
        if (!__builtin_is_constant_evaluated()) return static_cast<T const*>(shared_zeros<count * sizeof(T)>());
        if constexpr (count * sizeof(T) <= constant_zeros_limit_bytes) return constant_zeros<T, count>;
        else
            throw trace_error("tx: data: an unwritten tensor this large has no elements to point at in a constant expression; "
                              "read them one by one: a(i, j)");
    }

    [[no_unique_address]] extent_store<Shape> extents_;
    heap_elements<T> elements_;
};

template <class T, class Shape> using tensor_storage =
    std::conditional_t<is_inline<T, Shape>, inline_storage<stored<T>, Shape>, heap_storage<stored<T>, Shape>>;

} // namespace detail
} // namespace tx
