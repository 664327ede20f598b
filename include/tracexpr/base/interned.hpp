// This file has the elements of string tensors: handles to strings that are each stored once. Equal strings have equal handles,
// and a handle may be copied as plain memory, so that all code that moves numbers moves strings, too. A string stays stored until
// the program ends.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/hash_index.hpp>
#include <tracexpr/base/lasting.hpp>

#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>

namespace tx::detail {

class interned {
public:
    constexpr interned() = default; // ""
    template <class Text> requires std::is_convertible_v<Text const&, std::string_view>
    constexpr interned(Text const& text) : text_{std::string_view(text).empty() ? nullptr : keep(text)} {}

    std::string const& str() const {
        static std::string const empty;
        return text_ ? *text_ : empty;
    }
    operator std::string const&() const { return str(); }

    // Gives the handle's bits, as a literal of a graph has them.
    constexpr std::uint64_t bits() const { return text_ ? reinterpret_cast<std::uintptr_t>(text_) : 0; }
    static interned from_bits(std::uint64_t bits) {
        interned out;
        out.text_ = reinterpret_cast<std::string const*>(static_cast<std::uintptr_t>(bits));
        return out;
    }

    friend interned operator+(interned a, interned b) { return !a.text_ ? b : !b.text_ ? a : interned(a.str() + b.str()); }
    friend constexpr bool operator==(interned a, interned b) { return a.text_ == b.text_; }
    friend std::strong_ordering operator<=>(interned a, interned b) { return a.str().compare(b.str()) <=> 0; }

private:
    [[gnu::cold]] TRACEXPR_NOINLINE static std::string const* keep(std::string_view text) {
        struct table {
            buffer<std::string const*> strings;
            hash_index places;
        };
        static auto& all = *new table; // It outlives static tensors.
        std::lock_guard const lock(lasting<std::mutex, interned>());
        std::uint64_t const hash = std::hash<std::string_view>{}(text);
        auto const place = all.places.find_place(hash, [&](std::size_t i) { return *all.strings[i] == text; });
        if (place.entry >= 0) return all.strings[static_cast<std::size_t>(place.entry)];
        all.strings.make_room();
        auto owned = std::make_unique<std::string const>(text);
        all.places.add_at(place, hash);
        all.strings.push_back(owned.get());
        return owned.release();
    }
    std::string const* text_ = nullptr;
};

// This is what a tensor of T stores for each element.
template <class T> using stored = std::conditional_t<std::is_same_v<T, std::string>, interned, T>;

} // namespace tx::detail
