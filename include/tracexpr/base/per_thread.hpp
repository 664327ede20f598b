// This file has objects of which each thread has its own, which is destroyed when the thread ends.
#pragma once

#include <tracexpr/base/config.hpp>

#if defined(TRACEXPR_GCC_ON_WINDOWS)
#include <atomic>
#include <bits/gthr.h>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#endif

namespace tx::detail {

#if defined(TRACEXPR_GCC_ON_WINDOWS)
// There GCC emulates thread-local storage, and frees it before it destroys the objects in it. So the objects are on the heap,
// owned through the thread keys on which the emulation itself is built.
inline constexpr bool keeps_thread_objects = true;

// thread_objects holds the objects of one thread.
class thread_objects {
public:
    template <class T, class Owner> static T& find_or_make() {
        static std::size_t const place = places().fetch_add(1, std::memory_order_relaxed);
        thread_objects& mine = of_this_thread();
        if (place >= mine.all_.size()) mine.all_.resize(place + 1);
        if (!mine.all_[place]) {
            auto made = std::make_unique<holder<T>>(); // This may make others.
            mine.all_[place] = std::move(made);
        }
        return static_cast<holder<T>&>(*mine.all_[place]).object;
    }

private:
    struct any_holder {
        virtual ~any_holder() = default;
    };
    template <class T> struct holder final : any_holder {
        T object{};
    };
    static std::atomic<std::size_t>& places() {
        static constinit std::atomic<std::size_t> count = 0;
        return count;
    }
    static __gthread_key_t key() {
        static __gthread_key_t const made = [] {
            __gthread_key_t fresh{};
            if (__gthread_key_create(&fresh, end) != 0) throw std::bad_alloc();
            return fresh;
        }();
        return made;
    }
    static thread_objects& of_this_thread() {
        if (void* const mine = __gthread_getspecific(key())) return *static_cast<thread_objects*>(mine);
        auto made = std::make_unique<thread_objects>();
        if (__gthread_setspecific(key(), made.get()) != 0) throw std::bad_alloc();
        return *made.release();
    }
    // This is called when the thread ends. An object that another one's destructor asks for still exists, or is made anew and
    // destroyed in a further round.
    static void end(void* ended) {
        if (!ended) return; // Some implementations call this once more.
        std::unique_ptr<thread_objects> const mine(static_cast<thread_objects*>(ended));
        __gthread_setspecific(key(), ended);
        for (bool found = true; found;) {
            found = false;
            for (std::size_t k = mine->all_.size(); k-- > 0;)
                if (auto const last = std::move(mine->all_[k])) found = true;
        }
        __gthread_setspecific(key(), nullptr);
    }

    std::vector<std::unique_ptr<any_holder>> all_;
};

template <class T, class Owner = T> T& per_thread() { return thread_objects::find_or_make<T, Owner>(); }
#else
inline constexpr bool keeps_thread_objects = false;

template <class T, class Owner> struct thread_object {
    static inline constinit thread_local T* here = nullptr;
    static inline constinit thread_local bool is_gone = false;
    T object{};

    ~thread_object() { here = nullptr, is_gone = true; }
};
// Destructors of static objects run after the main thread's objects are destroyed; an object that they ask for is never
// destroyed.
template <class T, class Owner> TRACEXPR_NOINLINE T* make_thread_object() {
    if (thread_object<T, Owner>::is_gone) return new T{};
    thread_local thread_object<T, Owner> own{};
    return &own.object;
}
// Gives this thread's T that belongs to Owner. Owner tells apart two objects of one type, such as scratch memory: `struct
// of_sums;` in a function.
template <class T, class Owner = T> TRACEXPR_INLINE T& per_thread() {
    T*& here = thread_object<T, Owner>::here;
    if (!here) here = make_thread_object<T, Owner>();
    return *here;
}
#endif

} // namespace tx::detail
