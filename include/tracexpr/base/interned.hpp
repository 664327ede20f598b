// This file has the elements of string tensors: handles to strings that are each stored once. Equal strings have equal handles,
// and a handle may be copied as plain memory, so that all code that moves numbers moves strings, too.
#pragma once

#include <tracexpr/base/string_table.hpp>

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace tx::detail {

class interned {
public:
    constexpr interned() = default; // ""
    template <class Text> requires std::is_convertible_v<Text const&, std::string_view>
    constexpr interned(Text const& text) : text_{std::string_view(text).empty() ? nullptr : string_table::find_or_add(text)} {}

    std::string const& str() const {
        static std::string const empty;
        return text_ ? text_->text : empty;
    }
    operator std::string const&() const { return str(); }

    // Gives the handle's bits, as a literal of a graph has them.
    constexpr std::uint64_t bits() const { return text_ ? reinterpret_cast<std::uintptr_t>(text_) : 0; }
    static interned from_bits(std::uint64_t bits) {
        interned out;
        out.text_ = reinterpret_cast<stored_string const*>(static_cast<std::uintptr_t>(bits));
        return out;
    }

    // Keeps the string until the program ends, for handles that lie outside of tensors' memory.
    constexpr interned pinned() const {
        if (text_) string_table::pin(text_);
        return *this;
    }

    TRACEXPR_ONCE friend interned operator+(interned a, interned b) {
        return !a.text_ ? b : !b.text_ ? a : interned(a.str() + b.str());
    }
    friend constexpr bool operator==(interned a, interned b) { return a.text_ == b.text_; }
    friend std::strong_ordering operator<=>(interned a, interned b) { return a.str().compare(b.str()) <=> 0; }

private:
    stored_string const* text_ = nullptr;
};

// `stored` is what a tensor of T stores for each element.
template <class T> using stored = std::conditional_t<std::is_same_v<T, std::string>, interned, T>;

// Says where handles of strings lie that are no tensor's, while this object exists. A copy of it pins the strings instead.
class held_strings {
public:
    held_strings() = default;
    held_strings(held_strings&&) noexcept = default;
    held_strings(held_strings const& other);
    held_strings& operator=(held_strings other) noexcept {
        region_.swap(other.region_);
        return *this;
    }
    // The memory holds empty strings afterwards.
    void hold(void* start, std::size_t bytes) {
        region_.reset(new string_region);
        string_table::add(*region_, start, bytes);
    }

private:
    struct remover {
        void operator()(string_region* region) const {
            string_table::remove(*region);
            delete region;
        }
    };
    std::unique_ptr<string_region, remover> region_;
};
// Handles that were copied to memory which is no tensor's: their strings stay until the program ends.
TRACEXPR_ONCE void pin_strings(void const* elements, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<void>(static_cast<interned const*>(elements)[i].pinned());
}

inline held_strings::held_strings(held_strings const& other) {
    if (other.region_) pin_strings(other.region_->start, static_cast<std::int64_t>(other.region_->bytes / sizeof(interned)));
}

} // namespace tx::detail

namespace tx {

// Frees the strings that were elements of tensors, and are elements of none any longer; gives their number. A program that runs
// for long and meets ever new strings calls it now and then, while no other thread uses tensors of strings. Strings that are
// constants of a trace stay.
inline std::size_t free_unused_strings() { return detail::string_table::free_unused(); }

} // namespace tx
