// This file finds sequences of routines in a loop's tile that run as a chain (see chains.hpp).
#pragma once

#include <tracexpr/backends/tiles/row_sums.hpp>
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
            bool const is_summed =
                count > 0 && first + count < body.size() && sum_link(body[first + count], body[first + count - 1]).run;
            bool const is_streamed = count > 0 && first + count < body.size() && streams(body, first + count);
            if (count < (is_summed || is_streamed ? 1 : 2)) {
                l_.body.push_back(body[first++]);
                continue;
            }
            instruction all{action::chain};
            all.out = static_cast<std::int16_t>(l_.chains.size());
            l_.chains.push_back(chain_of(body, first, count, is_summed, is_streamed));
            l_.body.push_back(all);
            first += count + (is_summed || is_streamed ? 1 : 0);
        }
    }

private:
    static constexpr std::int16_t nothing = -1;

    // Returns the number of consecutive instructions, from `first` on, that can be links of a chain.
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
        if (i.opcode != action::compute || !i.links.of || i.over == extent_of::one_row) return nullptr;
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
    // Returns the last link of a chain whose result `last` is reduced, alone or multiplied. Parts of rows must begin and end
    // where groups do; other forms need a tile of at least a group, as shorter rows go through the chain as parts of the whole
    // tile.
    chain::planned_link sum_link(instruction const& i, instruction const& last) const {
        if (i.opcode != action::reduce || (i.a != last.out && i.b != last.out) || i.type != last.type || i.ones) return {};
        reduction const& r = l_.reductions[static_cast<std::size_t>(i.out)];
        bool const is_column = l_.sums_columns();
        if (l_.form != loop_form::rows && l_.tile_columns < routines_of(i.type).chains.group) return {};
        if (!is_column && ((r.unroll != 2 && r.unroll != 4) || !has_registers(r))) return {};
        std::int64_t const block = block_vectors * r.unroll * r.lanes, tile = l_.tile_columns;
        if (l_.form == loop_form::rows && (tile > block || (tile < l_.columns && block % tile != 0))) return {};
        summand const added = !r.multiply ? summand::values : i.a == i.b ? summand::squares : summand::products;
        summed const how = is_column ? summed::in_columns : r.unroll == 2 ? summed::by_two : summed::by_four;
        if (added == summand::values && i.a != last.out) return {};
        return {r.links.of[static_cast<int>(how)][static_cast<int>(added)],
                {place_of_sums, i.a == last.out ? i.b : i.a},
                added == summand::products ? 2 : 1};
    }
    bool streams(std::vector<instruction> const& body, std::size_t number) const {
        instruction const &i = body[number], &before = body[number - 1];
        return i.opcode == action::stream && i.a == before.out && routines_of(before.type).chains.stream_last &&
               !is_needed(body, number - 1);
    }
    // True if another instruction than the next one, or the program, reads the result of the instruction.
    bool is_needed(std::vector<instruction> const& body, std::size_t made) const {
        std::int16_t const slot = body[made].out;
        if (l_.slots[static_cast<std::size_t>(slot)].tag != slot::kind::tile) return true;
        for (std::size_t i = made + 1; i < body.size(); ++i) {
            if (i > made + 1 && reads(body[i], slot)) return true;
            if (body[i].opcode != action::reduce && body[i].opcode != action::unpack && body[i].out == slot) return false;
        }
        return false;
    }
    chain chain_of(std::vector<instruction> const& body, std::size_t first, std::size_t count, bool is_summed,
                   bool is_streamed) const {
        chain out;
        out.routines = &routines_of(body[first].type).chains;
        out.bytes = body[first].bytes;
        std::vector<std::int16_t> stored;
        out.steps.assign(body.begin() + static_cast<std::ptrdiff_t>(first),
                         body.begin() + static_cast<std::ptrdiff_t>(first + count));
        for (std::size_t k = 0; k < count; ++k) {
            instruction const& i = body[first + k];
            out.by_rows = out.by_rows || i.over == extent_of::rows;
            out.links.push_back({link_of(i, k > 0 ? body[first + k - 1].out : nothing), {i.a, i.b, i.c, i.d}, i.links.arity});
            bool const is_last = k + 1 == count;
            if (is_last && !is_summed && !is_streamed) out.links.push_back({out.routines->store_last, {i.out}, 1});
            else if (is_needed(body, first + k)) {
                out.links.push_back({out.routines->store, {i.out}, 1});
                stored.push_back(i.out);
            }
        }
        stored.push_back(out.steps.back().out);
        if (is_streamed) stored.push_back(body[first + count].out);
        out.may_overlap = may_overlap(out, stored);
        if (is_streamed) {
            out.stream = body[first + count];
            out.last = out.links;
            out.last.push_back({out.routines->store_last, {out.stream->a}, 1});
            out.links.push_back({out.routines->stream_last, {out.stream->out}, 1});
            out.by_rows = out.by_rows || out.stream->over == extent_of::rows;
        }
        if (is_summed) {
            out.last = out.links;
            out.last.push_back({out.routines->store_last, {out.steps.back().out}, 1});
            out.sum = body[first + count];
            out.links.push_back(sum_link(*out.sum, body[first + count - 1]));
        }
        return out;
    }

    // True if the chain may compute elements twice, because its links don't write where any of them reads.
    bool may_overlap(chain const& c, std::vector<std::int16_t> const& stored) const {
        auto const place = [&](std::int16_t of) {
            slot const& s = l_.slots[static_cast<std::size_t>(of)];
            return s.tag == slot::kind::access ? std::pair(s.tag, l_.accesses[static_cast<std::size_t>(s.number)].buffer)
                                               : std::pair(s.tag, s.number);
        };
        for (std::int16_t const made : stored)
            for (std::size_t k = 0; k < c.steps.size(); ++k)
                for (int o = 0; o < c.steps[k].links.arity; ++o) {
                    std::int16_t const read = operand(c.steps[k], o);
                    bool const is_chained = k > 0 && read == c.steps[k - 1].out;
                    if (!is_chained && place(read) == place(made)) return false;
                }
        return true;
    }

    tile_loop& l_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
