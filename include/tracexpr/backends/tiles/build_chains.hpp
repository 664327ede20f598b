// Which routines of a loop's tile follow each other as a chain.
#pragma once

#include <tracexpr/backends/tiles/tables.hpp>

#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

class chain_finder {
public:
    explicit chain_finder(tile_loop& of) : l_{of} {}

    void run() {
        std::vector<instruction> const body = std::exchange(l_.body, {});
        for (std::size_t first = 0; first < body.size();) {
            std::size_t const count = length(body, first);
            if (count < 2) {
                l_.body.push_back(body[first++]);
                continue;
            }
            instruction all{action::chain};
            all.out = static_cast<std::int16_t>(l_.chains.size());
            l_.chains.push_back(chain_of(body, first, count));
            l_.body.push_back(all);
            first += count;
        }
    }

private:
    static constexpr std::int16_t nothing = -1;

    // How many instructions from there on are links.
    static std::size_t length(std::vector<instruction> const& body, std::size_t first) {
        if (!link_of(body[first], nothing)) return 0;
        std::size_t count = 1;
        for (; first + count < body.size() && count < most_links / 2; ++count) {
            instruction const &before = body[first + count - 1], &next = body[first + count];
            if (next.type != before.type || !reads(next, before.out) || !link_of(next, before.out)) break;
        }
        return count;
    }
    static auto link_of(instruction const& i, std::int16_t chained) -> void (*)() {
        if (i.what != action::compute || !i.links.of || i.over == extent_of::one_row) return nullptr;
        std::size_t form = 0, weight = 1;
        for (int k = 0; k < i.links.arity; ++k, weight *= 3) {
            operand_from const place = operand(i, k) == chained ? operand_from::chain
                                       : i.ones >> k & 1        ? operand_from::one
                                                                : operand_from::memory;
            form += static_cast<std::size_t>(place) * weight;
        }
        return i.links.of(form);
    }
    static std::int16_t operand(instruction const& i, int k) { return k == 0 ? i.a : k == 1 ? i.b : k == 2 ? i.c : i.d; }
    static bool reads(instruction const& i, std::int16_t slot) {
        int const operands = i.links.of ? i.links.arity : 4;
        for (int k = 0; k < operands; ++k)
            if (operand(i, k) == slot) return true;
        return false;
    }
    // Is what an instruction puts there read by another than the next one, or by the program?
    bool is_needed(std::vector<instruction> const& body, std::size_t made) const {
        std::int16_t const slot = body[made].out;
        if (l_.slots[static_cast<std::size_t>(slot)].what != slot::kind::tile) return true;
        for (std::size_t i = made + 1; i < body.size(); ++i) {
            if (i > made + 1 && reads(body[i], slot)) return true;
            if (body[i].what != action::reduce && body[i].out == slot) return false;
        }
        return false;
    }
    chain chain_of(std::vector<instruction> const& body, std::size_t first, std::size_t count) const {
        chain out;
        out.routines = &routines_of(body[first].type).chains;
        out.bytes = body[first].bytes;
        out.steps.assign(body.begin() + static_cast<std::ptrdiff_t>(first),
                         body.begin() + static_cast<std::ptrdiff_t>(first + count));
        for (std::size_t k = 0; k < count; ++k) {
            instruction const& i = body[first + k];
            out.by_rows = out.by_rows || i.over == extent_of::rows;
            out.links.push_back({link_of(i, k > 0 ? body[first + k - 1].out : nothing), {i.a, i.b, i.c, i.d}, i.links.arity});
            bool const is_last = k + 1 == count;
            if (is_last) out.links.push_back({out.routines->store_last, {i.out}, 1});
            else if (is_needed(body, first + k)) out.links.push_back({out.routines->store, {i.out}, 1});
        }
        return out;
    }

    tile_loop& l_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
