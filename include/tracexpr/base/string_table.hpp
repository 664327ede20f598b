// This file has the strings that the elements of string tensors refer to. Each string is stored once, and stays until
// free_unused finds that no memory in which elements lie refers to it.
#pragma once

#include <tracexpr/base/buffer.hpp>
#include <tracexpr/base/config.hpp>
#include <tracexpr/base/hash_index.hpp>
#include <tracexpr/base/lasting.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tx::detail {

struct stored_string {
    std::string const text;
    bool is_pinned = false; // A graph or a recording holds its address; it is never freed.
};

// Memory in which elements of strings lie, as addresses of stored_string or null. A region is part of a list while it exists.
struct string_region {
    void const* start = nullptr;
    std::size_t bytes = 0;
    string_region *before = nullptr, *after = nullptr;
};

class string_table {
public:
    TRACEXPR_ONCE static stored_string const* find_or_add(std::string_view text) {
        std::lock_guard const lock(mutex());
        string_table& all = the_only();
        std::uint64_t const hash = std::hash<std::string_view>{}(text);
        auto const place = all.places_.find_place(hash, [&](std::size_t i) { return all.strings_[i]->text == text; });
        if (place.entry >= 0) return all.strings_[static_cast<std::size_t>(place.entry)];
        all.strings_.make_room();
        auto made = std::make_unique<stored_string>(std::string(text));
        all.places_.add_at(place, hash);
        all.strings_.push_back(made.get());
        return made.release();
    }
    static void pin(stored_string const* s) {
        std::lock_guard const lock(mutex());
        const_cast<stored_string*>(s)->is_pinned = true;
    }
    // The memory is filled with null, since free_unused reads all of it.
    TRACEXPR_ONCE static void add(string_region& region, void* start, std::size_t bytes) noexcept {
        if (bytes > 0) std::memset(start, 0, bytes);
        std::lock_guard const lock(mutex());
        string_region*& first = the_only().first_;
        region = {start, bytes, nullptr, first};
        if (first) first->before = &region;
        first = &region;
    }
    TRACEXPR_ONCE static void remove(string_region& region) noexcept {
        std::lock_guard const lock(mutex());
        (region.before ? region.before->after : the_only().first_) = region.after;
        if (region.after) region.after->before = region.before;
    }
    // Frees the strings that are in no region and not pinned, and gives their number. No other thread may use string tensors.
    TRACEXPR_ONCE static std::size_t free_unused() {
        std::lock_guard const lock(mutex());
        string_table& all = the_only();
        hash_index addresses;
        auto const address = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(all.strings_[i]); };
        buffer<bool> is_used;
        for (std::size_t i = 0; i < all.strings_.size(); ++i) {
            addresses.add(hash_of(address(i)));
            is_used.push_back(all.strings_[i]->is_pinned);
        }
        for (string_region const* r = all.first_; r; r = r->after) {
            auto const* const words = static_cast<std::byte const*>(r->start);
            for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= r->bytes; at += sizeof(std::uintptr_t)) {
                std::uintptr_t word = 0;
                std::memcpy(&word, words + at, sizeof word);
                std::int32_t const i =
                    word == 0 ? -1 : addresses.find(hash_of(word), [&](std::size_t k) { return address(k) == word; });
                if (i >= 0) is_used[static_cast<std::size_t>(i)] = true;
            }
        }
        buffer<stored_string*> rest;
        rest.reserve(all.strings_.size());
        hash_index places;
        for (std::size_t i = 0; i < all.strings_.size(); ++i)
            if (is_used[i]) {
                places.add(std::hash<std::string_view>{}(all.strings_[i]->text));
                rest.push_back(all.strings_[i]);
            }
        std::size_t const freed = all.strings_.size() - rest.size();
        for (std::size_t i = 0; i < all.strings_.size(); ++i)
            if (!is_used[i]) delete all.strings_[i];
        std::swap(all.strings_, rest);
        std::swap(all.places_, places);
        return freed;
    }

private:
    static std::mutex& mutex() { return lasting<std::mutex, string_table>(); }
    static string_table& the_only() {
        static auto& all = *new string_table; // It outlives static tensors.
        return all;
    }
    static std::uint64_t hash_of(std::uintptr_t address) { return (address >> 4) * 0x9e3779b97f4a7c15u; }

    buffer<stored_string*> strings_;
    hash_index places_;
    string_region* first_ = nullptr;
};

} // namespace tx::detail
