// This file translates a loop of a plan to routines on tiles.
#pragma once

#include <tracexpr/backends/tiles/build_blocks.hpp>
#include <tracexpr/backends/tiles/build_chains.hpp>
#include <tracexpr/backends/tiles/line_uses.hpp>
#include <tracexpr/backends/tiles/tile_shape.hpp>
#include <tracexpr/backends/tiles/tile_slots.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

TRACEXPR_BEGIN_PASSES

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

template <class Unused> class loop_builder {
public:
    loop_builder(plan_view const& p, std::size_t step, std::size_t number, std::int64_t batch, std::int64_t group,
                 row_strides const& rows)
        : p_{p}, step_{p.steps[step]}, loop_{p.loops[number]}, row_strides_{rows}, batch_{batch} {
        out_.group = group;
    }

    tile_loop run() {
        lines_ = p_.lines.data() + loop_.lines.first;
        count_ = static_cast<int>(loop_.lines.count);
        uses_.emplace(lines_, count_);
        values_.assign(at(count_), {});
        tile_shape shape(p_, step_, loop_, batch_, row_strides_, out_);
        shape.run();
        unroll_ = shape.unroll();
        if (out_.form == loop_form::blocks && block_finder(p_, loop_, out_).run()) return std::move(out_);
        for (int i = 0; i < count_; ++i) emit(i);
        for (int const i : late_stores_) emit_store(i);
        shape.narrow();
        chain_finder(out_).run();
        return std::move(out_);
    }

private:
    // An element is one value for the whole tile, and a row has one value for each row of the tile.
    struct value {
        enum class kind : std::uint8_t { none, element, row, tile } tag = kind::none;
        std::int16_t slot = -1, spread = -1; // `spread` is the slot of a tile that is filled with the element or row.
        bool is_own = false, is_literal = false;
        bool has_row_gaps = false; // the rows are not contiguous with each other
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    plan_access const& planned(int access) const { return p_.accesses[loop_.accesses.first + at(access)]; }

    bool is_one(block_strides s) const { return (s.column == 0 || out_.columns == 1) && (out_.tile_rows == 1 || s.row == 0); }
    bool is_dense(block_strides s) const {
        bool const has_neighbours = s.column == 1 || out_.tile_columns == 1;
        return has_neighbours &&
               (out_.tile_rows == 1 || (s.row == out_.tile_columns && out_.tile_columns == out_.columns && !may_be_cut()));
    }

    // True if the distance of a tile's rows is the same across groups as within them.
    bool is_even(tile_access const& a) const { return a.group == out_.group * a.strides.row; }

    // True if threads share the columns, so that the rows of a tile may not be contiguous with each other.
    bool may_be_cut() const { return out_.sums_columns() && step_.sharing != sharing::none; }

    void release_operands(int i) {
        for (int o = 0; o < i; ++o)
            if (uses_->last_user(o) == i && values_[at(o)].is_own) {
                slots_.give_back(values_[at(o)].slot);
                values_[at(o)].is_own = false;
            }
    }

    bool is_element(int i) const { return values_[at(i)].tag == value::kind::element; }
    bool is_row(int i) const { return values_[at(i)].tag == value::kind::row; }
    // True if a routine call for each row is faster than copying rows to where they are contiguous.
    bool has_long_rows() const { return out_.tile_columns * out_.widest >= 128; }
    bool has_strided_rows(block_strides s) const { return s.column == 1 && has_long_rows() && out_.tile_columns > 1; }

    // Returns a slot with a value for the whole tile, whose rows may be apart from each other.
    std::int16_t tile_of(int i) { return values_[at(i)].tag == value::kind::tile ? values_[at(i)].slot : contiguous_tile_of(i); }
    bool has_row_gaps(int i) const { return values_[at(i)].tag == value::kind::tile && values_[at(i)].has_row_gaps; }
    // Returns a slot with a value for the whole tile, whose elements are contiguous.
    std::int16_t contiguous_tile_of(int i) {
        value& v = values_[at(i)];
        if (v.tag == value::kind::tile && !v.has_row_gaps) return v.slot;
        if (v.spread < 0) {
            v.spread = slots_.add(slot::kind::tile, out_.tile_count++);
            instruction fill{v.tag == value::kind::tile ? action::pack
                             : is_row(i)                ? action::spread_rows
                                                        : action::spread,
                             bytes_of(lines_[i].type)};
            if (v.tag == value::kind::tile) fill.access = static_cast<std::int16_t>(out_.slots[at(v.slot)].number);
            fill.out = v.spread, fill.a = v.slot;
            (is_element(i) ? (v.is_literal ? out_.once : out_.each_row) : out_.body).push_back(fill);
        }
        return v.spread;
    }

    void emit(int i) {
        if (uses_->is_fused(i)) return;
        kernel_line const& l = lines_[i];
        switch (l.role) {
        case role::literal: return emit_literal(i);
        case role::load: return emit_load(i);
        case role::index: return emit_index(i);
        case role::place: return emit_place(i);
        case role::lookup: return emit_lookup(i);
        case role::compute: return emit_compute(i);
        case role::store: return emit_store(i);
        case role::reduce: return emit_reduce(i);
        }
    }
    void emit_literal(int i) {
        kernel_line const& l = lines_[i];
        out_.literals.emplace_back();
        put_literal<Unused>(l.type, p_.literals[loop_.literals.first + at(l.a)].bits, out_.literals.back().data());
        values_[at(i)] = {value::kind::element, slots_.add(slot::kind::literal, static_cast<int>(out_.literals.size()) - 1), -1,
                          false, true};
    }
    void emit_load(int i) {
        kernel_line const& l = lines_[i];
        block_strides const s = out_.accesses[at(l.a)].strides;
        bool const is_even_here = is_even(out_.accesses[at(l.a)]), is_in_place = is_even_here && !is_moved_within(i);
        using kind = typename value::kind;
        if (is_even_here && is_one(s)) {
            values_[at(i)] = {kind::element, slots_.add(slot::kind::access, l.a)};
        } else if (is_in_place && (is_dense(s) || has_strided_rows(s))) {
            values_[at(i)] = {kind::tile, slots_.add(slot::kind::access, l.a), -1, false, false, !is_dense(s)};
        } else if (is_in_place && s.column == 0 && s.row == 1 && has_long_rows()) {
            values_[at(i)] = {kind::row, slots_.add(slot::kind::access, l.a)};
        } else {
            own_tile(i);
            pack_into(values_[at(i)].slot, l);
        }
    }
    // Packs what a line reads into a tile, so that it is contiguous.
    void pack_into(std::int16_t tile, kernel_line const& l) {
        instruction pack{action::pack, bytes_of(l.type), static_cast<std::int16_t>(l.a)};
        pack.out = tile;
        out_.body.push_back(pack);
    }
    // True if what line i loads is stored unchanged, and another line overwrites the buffer that it is loaded from.
    bool is_moved_within(int i) const {
        bool is_stored = false, is_overwritten = false;
        for (int s = 0; s < count_; ++s) {
            if (lines_[s].role != role::store) continue;
            is_stored = is_stored || lines_[s].a == i;
            is_overwritten = is_overwritten || planned(lines_[s].b).buffer == planned(lines_[i].a).buffer;
        }
        return is_stored && is_overwritten;
    }
    void own_tile(int i) { values_[at(i)] = {value::kind::tile, slots_.take_tile(), -1, true}; }
    void emit_index(int i) {
        // A count that is used only to find places is not needed, as that routine counts by itself.
        if (!uses_->is_used(i)) return;
        own_tile(i);
        instruction count{action::count, bytes_of(lines_[i].type), static_cast<std::int16_t>(lines_[i].a)};
        count.out = values_[at(i)].slot;
        count.run = counting_routine(lines_[i].type);
        out_.body.push_back(count);
    }
    // Indices that are constant along a row have one place for each row.
    void emit_place(int i) {
        kernel_line const& l = lines_[i];
        block_strides const s = out_.accesses[at(l.a)].strides;
        instruction place{action::place, bytes_of(l.type), static_cast<std::int16_t>(l.a)};
        bool const is_of_rows = s.column == 0 && (s.row == 1 || out_.tile_rows == 1) && out_.tile_columns > 1;
        place.a = slots_.add(slot::kind::access, l.a);
        if (is_of_rows) {
            values_[at(i)] = {value::kind::row, slots_.add(slot::kind::row, out_.row_count++)};
            place.over = extent_of::one_row;
        } else if (own_tile(i); !is_dense(s)) {
            place.a = slots_.add(slot::kind::tile, out_.tile_count++);
            pack_into(place.a, l);
        }
        place.out = values_[at(i)].slot;
        place.place = placing_routine<Unused>(l.type);
        place.table = p_.literals[loop_.literals.first + at(l.c)].bits;
        out_.body.push_back(place);
    }
    void emit_lookup(int i) {
        kernel_line const& l = lines_[i];
        instruction look{action::look_up, bytes_of(l.type), static_cast<std::int16_t>(l.b)};
        look.ones = is_row(l.a);
        look.a = look.ones ? values_[at(l.a)].slot : contiguous_tile_of(l.a);
        own_tile(i);
        look.out = values_[at(i)].slot;
        out_.body.push_back(look);
        release_operands(i);
    }

    // Returns the slot for the result of line i: the memory that it is stored to, if it may be written at once, or else a tile.
    std::int16_t result_slot(int i) {
        for (int s = i + 1; s < count_; ++s) {
            kernel_line const& l = lines_[s];
            if (l.role != role::store || l.a != i || streams(l.b)) continue;
            tile_access const& a = out_.accesses[at(l.b)];
            if ((!is_dense(a.strides) && !has_strided_rows(a.strides)) || is_read_after(a.buffer, i)) continue;
            uses_->set_fused(s);
            values_[at(i)] = {value::kind::tile, slots_.add(slot::kind::access, l.b), -1, false, false, !is_dense(a.strides)};
            return values_[at(i)].slot;
        }
        own_tile(i);
        return values_[at(i)].slot;
    }
    // True if a line after i still reads the old contents of the buffer.
    bool is_read_after(std::int32_t buffer, int i) const {
        for (int o = 0; o < count_; ++o) {
            kernel_line const& l = lines_[o];
            if (access_of(l) < 0 || (l.role != role::load && l.role != role::place && l.role != role::lookup)) continue;
            if (planned(access_of(l)).buffer == buffer && (o > i || uses_->last_user(o) > i || l.role == role::lookup))
                return true;
        }
        return false;
    }
    // True if the buffer is so large that stores to it go past the caches.
    bool streams(int access) const { return p_.buffers[at(planned(access).buffer)].bytes >= this_processor.streamed_bytes; }

    // operand_choice is an operand of a routine. `may_be_one` says that the routine may take one element for all.
    struct operand_choice {
        int line = -1;
        bool may_be_one = false;
    };
    // Computes a value of the kind that the operands have: elements and rows are computed by themselves.
    void push_compute(int i, instruction c, std::array<operand_choice, 4> const& operands) {
        c.type = lines_[i].type, c.bytes = bytes_of(c.type);
        int level = 0;
        for (operand_choice const& o : operands)
            if (o.line >= 0) level = std::max(level, static_cast<int>(values_[at(o.line)].tag));
        auto const kind = static_cast<typename value::kind>(level);
        std::int16_t* const slots[]{&c.a, &c.b, &c.c, &c.d};
        for (std::size_t k = 0; k < 4; ++k) {
            auto const [o, may_be_one] = operands[k];
            if (o < 0) continue;
            c.operand_bytes[k] = bytes_of(lines_[o].type);
            if (kind == value::kind::element || (values_[at(o)].tag < kind && may_be_one)) *slots[k] = values_[at(o)].slot;
            else if (kind == value::kind::row) *slots[k] = row_of(o);
            else *slots[k] = tile_of(o);
            if (kind == value::kind::tile && ((is_row(o) && may_be_one) || has_row_gaps(o))) c.over = extent_of::rows;
            if (kind != value::kind::element && may_be_one) c.ones |= 1 << k;
        }
        if (kind == value::kind::element) {
            c.opcode = action::single;
            values_[at(i)] = {kind, slots_.add(slot::kind::element, out_.element_count++)};
            c.out = values_[at(i)].slot;
            out_.each_row.push_back(c);
        } else if (kind == value::kind::row) {
            c.over = extent_of::one_row;
            values_[at(i)] = {kind, slots_.add(slot::kind::row, out_.row_count++)};
            c.out = values_[at(i)].slot;
            out_.body.push_back(c);
        } else {
            // An operand's tile with elements of the same size may be overwritten, as routines read before they write.
            bool alike = true;
            uses_->for_each_operand(i, [&](int o) { alike = alike && bytes_of(lines_[o].type) == c.bytes; });
            if (alike) release_operands(i);
            c.out = result_slot(i);
            if (values_[at(i)].has_row_gaps) c.over = extent_of::rows;
            out_.body.push_back(c);
        }
        release_operands(i);
    }
    // Returns a slot with an element for each row.
    std::int16_t row_of(int i) {
        value const& v = values_[at(i)];
        if (is_row(i)) return v.slot;
        instruction fill{action::spread, bytes_of(lines_[i].type)};
        fill.out = slots_.add(slot::kind::row, out_.row_count++), fill.a = v.slot, fill.over = extent_of::one_row;
        out_.body.push_back(fill);
        return fill.out;
    }
    // True if a routine may take one element of operand o, in a line whose other operands are `others`.
    bool may_be_single(int o, std::initializer_list<int> others) const {
        if (is_row(o) && !has_long_rows()) return false;
        for (int const other : others)
            if (other >= 0 && values_[at(other)].tag > values_[at(o)].tag) return true;
        return false;
    }

    void emit_compute(int i) {
        kernel_line const& l = lines_[i];
        if (l.code == op::add || l.code == op::subtract) {
            if (uses_->is_fused_product(l.a, i))
                return emit_product(i, l.a, l.b, l.code == op::add ? product_form::plus : product_form::minus);
            if (uses_->is_fused_product(l.b, i))
                return emit_product(i, l.b, l.a, l.code == op::add ? product_form::plus : product_form::from);
        }
        if (l.code == op::where) return emit_choice(i);
        dtype const type = lines_[l.a].type;
        int a = l.a, b = l.b, ones = 0;
        if (b >= 0 && l.c < 0 && l.code != op::cast) {
            if (info(l.code).commutes && may_be_single(a, {b})) std::swap(a, b);
            int const wanted = (may_be_single(a, {b}) ? 1 : 0) | (may_be_single(b, {a}) ? 2 : 0);
            if (wanted && pointwise_routine(l.code, type, wanted)) ones = wanted;
        }
        instruction c;
        c.run = l.code == op::cast ? casting_routine(type, l.type) : pointwise_routine(l.code, type, ones);
        if (l.type == type) c.links = linking(l.code, type);
        push_compute(i, c, {{{a, (ones & 1) != 0}, {b, (ones & 2) != 0}, {l.c, false}, {}}});
    }
    void emit_product(int i, int product, int added, product_form form) {
        int a = lines_[product].a, b = lines_[product].code == op::square ? a : lines_[product].b;
        if (may_be_single(b, {a})) std::swap(a, b);
        bool const one_factor = may_be_single(a, {b}), one_term = may_be_single(added, {a, b});
        instruction c;
        c.run = product_routine(form, lines_[i].type, (one_factor ? 1 : 0) | (one_term ? 4 : 0));
        c.links = linking_product(form, lines_[i].type);
        push_compute(i, c, {{{a, one_factor}, {b, false}, {added, one_term}, {}}});
    }
    void emit_choice(int i) {
        kernel_line const& l = lines_[i];
        instruction c;
        if (uses_->is_fused(l.a)) {
            kernel_line const& test = lines_[l.a];
            int const a = test.a, b = test.b;
            bool const one = may_be_single(b, {a, l.b, l.c}), yes = may_be_single(l.b, {a, b, l.c}),
                       no = may_be_single(l.c, {a, b, l.b});
            c.run = comparing_routine(test.code, l.type, (one ? 1 : 0) | (yes ? 2 : 0) | (no ? 4 : 0));
            c.links = linking_choice(test.code, l.type);
            return push_compute(i, c, {{{a, false}, {b, one}, {l.b, yes}, {l.c, no}}});
        }
        bool yes = may_be_single(l.b, {l.a, l.c}), no = may_be_single(l.c, {l.a, l.b});
        if (!choosing_routine(l.type, (yes ? 2 : 0) | (no ? 4 : 0))) yes = no = false;
        c.run = choosing_routine(l.type, (yes ? 2 : 0) | (no ? 4 : 0));
        push_compute(i, c, {{{l.a, false}, {l.b, yes}, {l.c, no}, {}}});
    }
    void emit_store(int i) {
        kernel_line const& l = lines_[i];
        tile_access const& a = out_.accesses[at(l.b)];
        if (is_read_after(a.buffer, i) && uses_->last_user(l.a) < count_) {
            late_stores_.push_back(i);
            uses_->keep_until(l.a, count_); // its tile is not reused before
            return;
        }
        bool const past = streams(l.b) && (is_dense(a.strides) || has_strided_rows(a.strides));
        instruction put{past ? action::stream : action::unpack, bytes_of(l.type), static_cast<std::int16_t>(l.b)};
        put.a = contiguous_tile_of(l.a);
        if (past) {
            put.out = slots_.add(slot::kind::access, l.b);
            put.over = is_dense(a.strides) ? extent_of::tile : extent_of::rows;
        }
        out_.body.push_back(put);
        if (uses_->last_user(l.a) < count_) release_operands(i);
    }
    void emit_reduce(int i) {
        kernel_line const& l = lines_[i];
        dtype const type = lines_[l.a].type; // the dtype of what is reduced
        reduction r = l.c >= 0 ? placing_reduction(l.code, type) : reduction_of(l.code, type);
        r.access = l.b;
        r.lanes = loop_.lanes;
        r.unroll = unroll_;
        instruction add{action::reduce, bytes_of(type), static_cast<std::int16_t>(l.b)};
        add.out = static_cast<std::int16_t>(out_.reductions.size());
        add.type = type;
        auto const operand = [&](int o, int k, bool may_be_one = false) {
            add.operand_bytes[k] = bytes_of(type);
            if (has_row_gaps(o) || (may_be_one && is_row(o))) add.over = extent_of::rows;
            return may_be_one ? values_[at(o)].slot : tile_of(o);
        };
        if (uses_->is_fused_product(l.a, i)) {
            kernel_line const& product = lines_[l.a];
            int a = product.a, b = product.code == op::square ? product.a : product.b;
            if (out_.form == loop_form::blocks && may_be_single(b, {a})) std::swap(a, b);
            bool const one = out_.form == loop_form::blocks && may_be_single(a, {b});
            add.ones = one;
            r.multiply = pointwise_routine(op::multiply, l.type, 0);
            r.multiply_add = product_routine(product_form::plus, l.type, one);
            add.a = operand(a, 0, one);
            add.b = operand(b, 1);
        } else {
            add.a = operand(l.a, 0);
        }
        out_.reductions.push_back(r);
        out_.body.push_back(add);
        release_operands(i);
    }

    plan_view p_;
    plan_step step_;
    plan_loop loop_;
    row_strides const& row_strides_;
    std::int64_t batch_; // the number of rows of the step that loops take at once; 0: one
    kernel_line const* lines_ = nullptr;
    int count_ = 0, unroll_ = 1;
    std::optional<line_uses> uses_;
    std::vector<value> values_;
    std::vector<int> late_stores_; // stores that overwrite what other lines read
    tile_loop out_;
    tile_slots slots_{out_};
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail

TRACEXPR_END_PASSES
