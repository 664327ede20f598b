// This file holds what each thread remembers of its last calls that were traced at run time: the trace and the program that were
// found for a function, its arguments' types, their extents, and the values that its trace depends on. Finding them again takes
// no lock, and no memory except for a copy of such values. Values whose == is the user's are not remembered, because that might
// call the function.
#pragma once

#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/run/runtime_trace.hpp>
#include <tracexpr/run/signature.hpp>

#include <algorithm>
#include <array>
#include <mutex>

namespace tx::detail::inline TRACEXPR_RUNS {

// traced_programs holds the last few traces and programs of one op on operands of some types.
class traced_programs {
public:
    std::uint64_t const number = fresh_holder_number();

    traced_program find(table_view<dims> extents) const {
        std::lock_guard const lock(mutex_);
        for (entry const& e : all_)
            if (e.of.made && std::equal(extents.begin(), extents.end(), e.extents.begin(), e.extents.end())) return e.of;
        return {};
    }
    void add(table_view<dims> extents, traced_program const& of) {
        entry fresh{buffer<dims>(extents), of};
        std::lock_guard const lock(mutex_);
        std::swap(all_[next_++ % all_.size()], fresh);
    }

private:
    struct entry {
        buffer<dims> extents;
        traced_program of;
    };
    mutable std::mutex mutex_;
    std::array<entry, 16> all_;
    std::size_t next_ = 0;
};

struct captured_extents {
    captured of;
    dims extents;
};

class recent_calls {
public:
    static recent_calls& of_this_thread() { return per_thread<recent_calls>(); }
    // Finds a call. `registry` is the number of what holds the function's traces, `keys` are the values that the trace depends
    // on.
    traced_program find(std::uint64_t registry, unsigned signature, table_view<dims> extents, key_values const& keys = {}) const {
        if (!keys.are_bytes()) return {};
        entry const& e = all_[place(registry, signature, extents, keys)];
        if (e.registry != registry || e.signature != signature || e.extents.size() != extents.size()) return {};
        for (std::size_t k = 0; k < extents.size(); ++k)
            if (e.extents[k] != extents[k]) return {};
        if (!(e.keys == keys)) return {};
        for (captured_extents const& c : e.captures)
            if (c.of.shape(c.of.address) != c.extents) return {};
        traced_program out{e.trace.lock(), e.made.lock()};
        return out.trace && out.made ? std::move(out) : traced_program{};
    }
    void remember(std::uint64_t registry, unsigned signature, table_view<dims> extents, traced_program const& found,
                  key_values const& keys = {}) {
        if (!keys.are_bytes()) return;
        entry& e = all_[place(registry, signature, extents, keys)];
        e.registry = 0; // until the entry is complete
        e.extents = buffer<dims>(extents);
        e.keys = keys;
        e.captures.clear();
        for (captured const& c : found.trace->traced.view().captures) e.captures.push_back({c, c.shape(c.address)});
        e.signature = signature, e.trace = found.trace, e.made = found.made;
        e.registry = registry;
    }

private:
    struct entry {
        std::uint64_t registry = 0; // 0: none
        unsigned signature = 0;
        buffer<dims> extents;
        key_values keys;
        buffer<captured_extents> captures; // the captures, and the extents that they had
        std::weak_ptr<runtime_program const> trace;
        std::weak_ptr<program const> made;
    };
    static constexpr std::size_t remembered = 64;
    static std::size_t place(std::uint64_t registry, unsigned signature, table_view<dims> extents, key_values const& keys) {
        std::uint64_t hash = registry * 31 + signature + keys.hash();
        for (dims const& d : extents)
            for (int axis = 0; axis < d.rank; ++axis) hash = hash * 31 + static_cast<std::uint64_t>(d[axis]);
        return static_cast<std::size_t>((hash ^ hash >> 7) % remembered);
    }
    std::array<entry, remembered> all_;
};

} // namespace tx::detail::inline TRACEXPR_RUNS
