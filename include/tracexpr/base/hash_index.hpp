// This file has a hash table of numbers that constant evaluations can afford.
#pragma once

#include <tracexpr/base/buffer.hpp>

#include <cstddef>
#include <cstdint>

namespace tx::detail {

// This table finds the numbers of entries by hash, with open addressing. The owner stores the entries and compares them.
class hash_index {
public:
    // `place` is an entry, or -1 with the slot where it would be.
    struct place {
        std::int32_t entry = -1;
        std::size_t slot = 0;
    };
    // Finds the entry for a hash; it calls same(entry) for the candidates.
    template <class Same> constexpr place find_place(std::uint64_t hash, Same same) const {
        if (!mask_) return {};
        std::int32_t const* const slots = slots_.data();
        std::size_t slot = hash & mask_;
        for (std::int32_t entry = slots[slot]; entry; entry = slots[slot = (slot + 1) & mask_])
            if (hashes_.data()[entry - 1] == hash && same(static_cast<std::size_t>(entry - 1))) return {entry - 1, slot};
        return {-1, slot};
    }
    template <class Same> constexpr std::int32_t find(std::uint64_t hash, Same same) const {
        return find_place(hash, same).entry;
    }
    // Adds an entry and gives its number; entries are numbered in the order in which they are added. `where` is what find_place
    // gave last. If there is no memory, nothing is added; the owner makes room for the entry before it calls this.
    TRACEXPR_ONCE constexpr std::int32_t add_at(place where, std::uint64_t hash) {
        std::size_t const count = hashes_.size() + 1;
        if (2 * count > mask_) return grow(hash);
        hashes_.push_back(hash);
        slots_.data()[where.slot] = static_cast<std::int32_t>(count);
        return static_cast<std::int32_t>(count - 1);
    }
    constexpr void add(std::uint64_t hash) {
        add_at(find_place(hash, [](std::size_t) { return false; }), hash);
    }

private:
    // Adds a hash and gives the table more slots.
    TRACEXPR_ONCE constexpr std::int32_t grow(std::uint64_t added) {
        hashes_.make_room();
        slots_ = buffer<std::int32_t>(mask_ ? 4 * slots_.size() : 64);
        hashes_.push_back(added);
        mask_ = slots_.size() - 1;
        std::int32_t* const slots = slots_.data();
        std::uint64_t const* const hashes = hashes_.data();
        for (std::size_t entry = 0, count = hashes_.size(); entry < count;) {
            std::size_t slot = hashes[entry] & mask_;
            while (slots[slot]) slot = (slot + 1) & mask_;
            slots[slot] = static_cast<std::int32_t>(++entry);
        }
        return static_cast<std::int32_t>(hashes_.size() - 1);
    }
    buffer<std::uint64_t> hashes_;
    buffer<std::int32_t> slots_; // entry + 1; 0 where empty
    std::size_t mask_ = 0;       // slots - 1; 0 while there are none
};

} // namespace tx::detail
