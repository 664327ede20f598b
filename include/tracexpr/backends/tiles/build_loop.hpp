// A loop of a plan as routines on tiles.
#pragma once

#include <tracexpr/backends/tiles/tables.hpp>

#include <algorithm>
#include <bit>

TRACEXPR_BEGIN_PASSES

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// What the first cache should hold of a loop's tiles.
inline constexpr std::int64_t tile_budget = 24 * 1024;
// Of a tile, where the widest has so many bytes; loops of many tiles take fewer.
constexpr std::int64_t tile_elements(int widest) { return widest <= 4 ? 2048 : 1024; }

// A nest that takes several rows at once: where buffers of one row lie then, as the elements between rows; 0 for others.
using row_strides = std::vector<std::int64_t>;

template <class Unused> class loop_builder {
public:
    loop_builder(plan_view const& p, std::size_t step, std::size_t number, std::int64_t batch, row_strides const& rows)
        : p_{p}, step_{p.steps[step]}, loop_{p.loops[number]}, row_strides_{rows}, batch_{batch} {}

    tile_loop run() {
        lines_ = p_.lines.data() + loop_.lines.first;
        count_ = static_cast<int>(loop_.lines.count);
        find_users();
        shape_tiles();
        for (int i = 0; i < count_; ++i) emit(i);
        for (int const i : late_stores_) emit_store(i);
        // Tiles that are too many for the cache at this size are made smaller, as long as they are not short.
        while (out_.tile_columns > 256 && out_.tile_bytes() * out_.tile_count > 2 * tile_budget && may_narrow())
            out_.tile_columns = out_.tile_columns / 2 / 256 * 256;
        return std::move(out_);
    }

private:
    struct value {
        enum class kind : std::uint8_t { none, element, tile } what = kind::none;
        std::int16_t slot = -1, spread = -1; // spread: of an element that a tile has been filled with
        bool is_own = false, is_literal = false;
    };

    // How often each line is used, by which line last, and by which line alone.
    void find_users() {
        uses_.assign(static_cast<std::size_t>(count_), 0);
        last_user_.assign(static_cast<std::size_t>(count_), -1);
        only_user_.assign(static_cast<std::size_t>(count_), -1);
        values_.assign(static_cast<std::size_t>(count_), {});
        fused_.assign(static_cast<std::size_t>(count_), 0);
        for (int i = 0; i < count_; ++i)
            for_each_operand(i, [&](int o) {
                ++uses_[at(o)];
                only_user_[at(o)] = i;
            });
        for (int i = 0; i < count_; ++i) fuse(i);
        for (int i = 0; i < count_; ++i) {
            int user = i;
            while (fused_[at(user)]) user = only_user_[at(user)];
            for_each_operand(i, [&](int o) { last_user_[at(o)] = std::max(last_user_[at(o)], user); });
        }
    }
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    template <class F> void for_each_operand(int i, F f) const {
        kernel_line const& l = lines_[i];
        if (l.role == role::compute) {
            for (int const o : {l.a, l.b, l.c})
                if (o >= 0) f(o);
        } else if (l.role == role::store || l.role == role::reduce || l.role == role::lookup) {
            f(l.a);
        }
    }
    static bool is_floating_number(dtype t) { return t == dtype::float32 || t == dtype::float64; }
    bool is_product(int i) const {
        kernel_line const& l = lines_[i];
        return l.role == role::compute && (l.code == op::multiply || l.code == op::square) && is_floating_number(l.type) &&
               product_routine(product_form::plus, l.type, 0);
    }
    bool is_only_for(int o, int user) const { return uses_[at(o)] == 1 && only_user_[at(o)] == user; }
    // Marks an operand that the line computes itself.
    void fuse(int i) {
        kernel_line const& l = lines_[i];
        if (l.role == role::compute && (l.code == op::add || l.code == op::subtract) && is_floating_number(l.type)) {
            if (is_product(l.a) && is_only_for(l.a, i) && l.a != l.b) fused_[at(l.a)] = 1;
            else if (is_product(l.b) && is_only_for(l.b, i) && l.a != l.b) fused_[at(l.b)] = 1;
        } else if (l.role == role::compute && l.code == op::where && is_floating_number(l.type)) {
            kernel_line const& test = lines_[l.a];
            if (test.role == role::compute && is_comparison(test.code) && is_only_for(l.a, i) && lines_[test.a].type == l.type &&
                comparing_routine(test.code, l.type))
                fused_[at(l.a)] = 1;
        } else if (l.role == role::reduce && l.code == op::sum && is_product(l.a) && is_only_for(l.a, i)) {
            fused_[at(l.a)] = 1;
        }
    }

    plan_access const& planned(int access) const { return p_.accesses[loop_.accesses.first + at(access)]; }

    void shape_tiles() {
        for (int i = 0; i < count_; ++i) out_.widest = std::max(out_.widest, static_cast<int>(size_in_bytes(lines_[i].type)));
        for (int i = 0; i < count_; ++i)
            if (lines_[i].role == role::place) out_.widest = std::max(out_.widest, 8);
        walk const& inner = loop_.inner;
        bool transposes = false;
        for (std::uint32_t k = 0; k < loop_.accesses.count; ++k)
            transposes = transposes || planned(static_cast<int>(k)).mode == access_mode::transposed;
        out_.form = !loop_.reduces ? loop_form::pointwise : loop_.columns ? loop_form::columns : loop_form::rows;
        out_.columns = inner.rank ? inner.extent[inner.rank - 1] : 1;
        out_.is_batched = batch_ > 0;
        std::int64_t const size = tile_elements(out_.widest);
        out_.tile_columns = std::min(out_.columns, size);
        if (out_.is_batched) {
            out_.rows = out_.tile_rows = batch_;
            if (out_.form == loop_form::rows) out_.form = loop_form::short_rows;
        } else if (inner.rank > 1 && out_.form != loop_form::rows) {
            out_.rows = inner.extent[inner.rank - 2];
            if (transposes) out_.tile_columns = std::min<std::int64_t>(out_.columns, 64);
            std::int64_t const fit = std::max<std::int64_t>(size / std::max<std::int64_t>(out_.tile_columns, 1), 1);
            out_.tile_rows =
                std::clamp<std::int64_t>(out_.form == loop_form::columns ? std::min<std::int64_t>(fit, block_vectors) : fit, 1,
                                         std::max<std::int64_t>(out_.rows, 1));
            if (out_.form == loop_form::columns)
                out_.tile_rows = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(out_.tile_rows)) - 1);
        }
        int const taken = out_.is_batched || out_.form == loop_form::rows ? 1 : 2;
        out_.prefix.rank = std::max(inner.rank - taken, 0);
        for (int axis = 0; axis < out_.prefix.rank; ++axis) out_.prefix.extent[axis] = inner.extent[axis];
        out_.levels = levels_of_sums();
        for (std::uint32_t k = 0; k < loop_.accesses.count; ++k) add_access(static_cast<int>(k));
    }
    // Of the cascade: blocks meet pairwise.
    int levels_of_sums() const {
        int const unroll = facts_of(lines_, at(count_)).unroll(this_processor.registers);
        std::int64_t const along = out_.form == loop_form::columns ? out_.rows : out_.columns,
                           block = block_vectors * (out_.form == loop_form::columns ? 1 : unroll * loop_.lanes);
        return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(out_.prefix.size() * (along / block + 1))));
    }
    bool may_narrow() const { return out_.tile_rows == 1 && out_.form != loop_form::short_rows; }

    void add_access(int k) {
        plan_access const& a = planned(k);
        walk const &inner = loop_.inner, &outer = step_.outer;
        tile_access to;
        to.buffer = a.buffer;
        to.offset = a.offset;
        to.bytes = a.buffer >= 0 ? static_cast<std::int64_t>(size_in_bytes(a.type)) : 0;
        for (int axis = 0; axis < outer.rank; ++axis) to.outer[axis] = a.outer[axis];
        for (int axis = 0; axis < out_.prefix.rank; ++axis) to.prefix[axis] = a.inner[axis];
        to.strides.column = inner.rank ? a.inner[inner.rank - 1] : 0;
        if (out_.is_batched) {
            to.strides.row = to.outer[outer.rank - 1];
            if (a.buffer >= 0 && row_strides_[at(a.buffer)] > 0) to.strides.row = row_strides_[at(a.buffer)];
        } else if (inner.rank > 1) {
            to.strides.row = a.inner[inner.rank - 2];
        }
        out_.accesses.push_back(to);
    }
    bool is_one(block_strides s) const { return (s.column == 0 || out_.columns == 1) && (out_.tile_rows == 1 || s.row == 0); }
    bool is_dense(block_strides s) const {
        bool const has_neighbours = s.column == 1 || out_.tile_columns == 1;
        return has_neighbours && (out_.tile_rows == 1 || s.row == out_.tile_columns) &&
               (out_.tile_rows == 1 || out_.tile_columns == out_.columns);
    }

    std::int16_t add_slot(slot::kind what, int number) {
        out_.slots.push_back({what, number});
        return static_cast<std::int16_t>(out_.slots.size() - 1);
    }
    // A tile of its own for a value, of those that nothing needs any more where there is one.
    std::int16_t take_tile() {
        if (!free_.empty()) {
            std::int16_t const s = free_.back();
            free_.pop_back();
            return s;
        }
        return add_slot(slot::kind::tile, out_.tile_count++);
    }
    void release_operands(int i) {
        for (int o = 0; o < i; ++o)
            if (last_user_[at(o)] == i && values_[at(o)].is_own) {
                free_.push_back(values_[at(o)].slot);
                values_[at(o)].is_own = false;
            }
    }

    // A slot with a value of the whole tile.
    std::int16_t tile_of(int i) {
        value& v = values_[at(i)];
        if (v.what == value::kind::tile) return v.slot;
        if (v.spread < 0) {
            v.spread = add_slot(slot::kind::tile, out_.tile_count++);
            instruction fill{action::spread, bytes_of(lines_[i].type)};
            fill.out = v.spread, fill.a = v.slot;
            (v.is_literal ? out_.once : out_.each_row).push_back(fill);
        }
        return v.spread;
    }
    static std::uint8_t bytes_of(dtype t) { return static_cast<std::uint8_t>(size_in_bytes(t)); }
    bool is_element(int i) const { return values_[at(i)].what == value::kind::element; }

    void emit(int i) {
        if (fused_[at(i)]) return;
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
        values_[at(i)] = {value::kind::element, add_slot(slot::kind::literal, static_cast<int>(out_.literals.size()) - 1)};
        values_[at(i)].is_literal = true;
    }
    void emit_load(int i) {
        kernel_line const& l = lines_[i];
        tile_access const& a = out_.accesses[at(l.a)];
        if (is_one(a.strides) || (is_dense(a.strides) && !is_moved_within(i))) {
            values_[at(i)] = {is_one(a.strides) ? value::kind::element : value::kind::tile, add_slot(slot::kind::access, l.a)};
            return;
        }
        own_tile(i);
        pack_into(values_[at(i)].slot, l);
    }
    // What a line reads, one after the other.
    void pack_into(std::int16_t tile, kernel_line const& l) {
        instruction pack{action::pack, bytes_of(l.type), static_cast<std::int16_t>(l.a)};
        pack.out = tile;
        out_.body.push_back(pack);
    }
    // Is what line i loads stored as it is, while other lines store over it?
    bool is_moved_within(int i) const {
        bool is_stored = false, is_overwritten = false;
        for (int s = 0; s < count_; ++s) {
            if (lines_[s].role != role::store) continue;
            is_stored = is_stored || lines_[s].a == i;
            is_overwritten = is_overwritten || planned(lines_[s].b).buffer == planned(lines_[i].a).buffer;
        }
        return is_stored && is_overwritten;
    }
    void own_tile(int i) {
        values_[at(i)] = {value::kind::tile, take_tile()};
        values_[at(i)].is_own = true;
    }
    void emit_index(int i) {
        own_tile(i);
        instruction count{action::count, bytes_of(lines_[i].type), static_cast<std::int16_t>(lines_[i].a)};
        count.out = values_[at(i)].slot;
        count.run = counting_routine(lines_[i].type);
        out_.body.push_back(count);
    }
    void emit_place(int i) {
        kernel_line const& l = lines_[i];
        tile_access const& a = out_.accesses[at(l.a)];
        instruction place{action::place, bytes_of(l.type), static_cast<std::int16_t>(l.a)};
        if (is_dense(a.strides)) {
            place.a = add_slot(slot::kind::access, l.a);
        } else {
            place.a = add_slot(slot::kind::tile, out_.tile_count++);
            pack_into(place.a, l);
        }
        own_tile(i);
        place.out = values_[at(i)].slot;
        place.place = placing_routine<Unused>(l.type);
        place.table = p_.literals[loop_.literals.first + at(l.c)].bits;
        out_.body.push_back(place);
    }
    void emit_lookup(int i) {
        kernel_line const& l = lines_[i];
        instruction look{action::look_up, bytes_of(l.type), static_cast<std::int16_t>(l.b)};
        look.a = tile_of(l.a);
        own_tile(i);
        look.out = values_[at(i)].slot;
        out_.body.push_back(look);
        release_operands(i);
    }

    // Where the result of line i goes: where it is stored, if memory may take it as it is made, else to a tile.
    std::int16_t result_slot(int i) {
        for (int s = i + 1; s < count_; ++s) {
            kernel_line const& l = lines_[s];
            if (l.role != role::store || l.a != i || streams()) continue;
            tile_access const& a = out_.accesses[at(l.b)];
            if (!is_dense(a.strides) || is_read_after(a.buffer, i)) continue;
            fused_[at(s)] = 1;
            values_[at(i)] = {value::kind::tile, add_slot(slot::kind::access, l.b)};
            return values_[at(i)].slot;
        }
        own_tile(i);
        return values_[at(i)].slot;
    }
    // Does a line behind i read of the buffer what it held before?
    bool is_read_after(std::int32_t buffer, int i) const {
        for (int o = 0; o < count_; ++o) {
            kernel_line const& l = lines_[o];
            if (access_of(l) < 0 || (l.role != role::load && l.role != role::place && l.role != role::lookup)) continue;
            if (planned(access_of(l)).buffer == buffer && (o > i || last_user_[at(o)] > i || l.role == role::lookup)) return true;
        }
        return false;
    }
    bool streams() const { return tx::detail::streams(step_.outer.size() * loop_.inner.size(), loop_.lanes, this_processor); }

    void push_compute(int i, instruction c, bool is_single) {
        c.what = is_single ? action::single : action::compute;
        if (is_single) {
            values_[at(i)] = {value::kind::element, add_slot(slot::kind::element, out_.element_count++)};
            c.out = values_[at(i)].slot;
            out_.each_row.push_back(c);
        } else {
            // Operands of the same size may be written over: routines read before they write.
            bool alike = true;
            for_each_operand(i, [&](int o) { alike = alike && size_in_bytes(lines_[o].type) == size_in_bytes(lines_[i].type); });
            if (alike) release_operands(i);
            c.out = result_slot(i);
            out_.body.push_back(c);
        }
        release_operands(i);
    }
    void emit_compute(int i) {
        kernel_line const& l = lines_[i];
        if (l.code == op::add || l.code == op::subtract) {
            if (fused_[at(l.a)] && is_only_for(l.a, i) && is_product(l.a))
                return emit_product(i, l.a, l.b, l.code == op::add ? product_form::plus : product_form::minus);
            if (l.b >= 0 && fused_[at(l.b)] && is_only_for(l.b, i) && is_product(l.b))
                return emit_product(i, l.b, l.a, l.code == op::add ? product_form::plus : product_form::from);
        }
        if (l.code == op::where) return emit_choice(i);
        dtype const type = lines_[l.a].type;
        bool const single = is_element(l.a) && (l.b < 0 || is_element(l.b)) && (l.c < 0 || is_element(l.c));
        instruction c;
        int ones = 0;
        int a = l.a, b = l.b;
        if (!single && b >= 0 && l.c < 0 && l.code != op::cast) {
            if (info(l.code).commutes && is_element(a)) std::swap(a, b);
            int const wanted = (is_element(a) ? 1 : 0) | (is_element(b) ? 2 : 0);
            if (wanted && pointwise_routine(l.code, type, wanted)) ones = wanted;
        }
        c.run = l.code == op::cast ? casting_routine(type, l.type) : pointwise_routine(l.code, type, ones);
        auto const operand = [&](int o, int bit) -> std::int16_t {
            return o < 0 ? std::int16_t{0} : single || (ones & bit) ? values_[at(o)].slot : tile_of(o);
        };
        c.a = operand(a, 1), c.b = operand(b, 2), c.c = operand(l.c, 4);
        push_compute(i, c, single);
    }
    void emit_product(int i, int product, int added, product_form form) {
        int a = lines_[product].a, b = lines_[product].code == op::square ? a : lines_[product].b;
        if (is_element(b) && !is_element(a)) std::swap(a, b);
        bool const single = is_element(a) && is_element(b) && is_element(added);
        int const ones = single ? 0 : (is_element(a) && !is_element(b) ? 1 : 0) | (is_element(added) ? 4 : 0);
        instruction c;
        c.run = product_routine(form, lines_[i].type, ones);
        c.a = single || (ones & 1) ? values_[at(a)].slot : tile_of(a);
        c.b = single ? values_[at(b)].slot : tile_of(b);
        c.c = single || (ones & 4) ? values_[at(added)].slot : tile_of(added);
        push_compute(i, c, single);
    }
    void emit_choice(int i) {
        kernel_line const& l = lines_[i];
        instruction c;
        if (fused_[at(l.a)]) {
            kernel_line const& test = lines_[l.a];
            bool const single = is_element(test.a) && is_element(test.b) && is_element(l.b) && is_element(l.c);
            auto const operand = [&](int o) { return single ? values_[at(o)].slot : tile_of(o); };
            c.run = comparing_routine(test.code, l.type);
            c.a = operand(test.a), c.b = operand(test.b), c.c = operand(l.b), c.d = operand(l.c);
            return push_compute(i, c, single);
        }
        bool const single = is_element(l.a) && is_element(l.b) && is_element(l.c);
        int ones = single ? 0 : (is_element(l.b) ? 2 : 0) | (is_element(l.c) ? 4 : 0);
        if (!choosing_routine(l.type, ones)) ones = 0;
        c.run = choosing_routine(l.type, ones);
        c.a = single ? values_[at(l.a)].slot : tile_of(l.a);
        c.b = single || (ones & 2) ? values_[at(l.b)].slot : tile_of(l.b);
        c.c = single || (ones & 4) ? values_[at(l.c)].slot : tile_of(l.c);
        push_compute(i, c, single);
    }
    void emit_store(int i) {
        kernel_line const& l = lines_[i];
        tile_access const& a = out_.accesses[at(l.b)];
        if (is_read_after(a.buffer, i) && last_user_[at(l.a)] < count_) {
            late_stores_.push_back(i);
            last_user_[at(l.a)] = count_; // its tile is not given to others
            return;
        }
        instruction put{streams() && is_dense(a.strides) ? action::stream : action::unpack, bytes_of(l.type),
                        static_cast<std::int16_t>(l.b)};
        put.a = tile_of(l.a);
        if (put.what == action::stream) put.out = add_slot(slot::kind::access, l.b);
        out_.body.push_back(put);
        if (last_user_[at(l.a)] < count_) release_operands(i);
    }
    void emit_reduce(int i) {
        kernel_line const& l = lines_[i];
        reduction r = reduction_of(l.code, l.type);
        r.access = l.b;
        r.lanes = loop_.lanes;
        r.unroll = facts_of(lines_, at(count_)).unroll(this_processor.registers);
        instruction add{action::reduce, bytes_of(l.type), static_cast<std::int16_t>(l.b)};
        add.out = static_cast<std::int16_t>(out_.reductions.size());
        if (fused_[at(l.a)] && is_product(l.a)) {
            kernel_line const& product = lines_[l.a];
            r.multiply = pointwise_routine(op::multiply, l.type, 0);
            r.multiply_add = product_routine(product_form::plus, l.type, 0);
            add.a = tile_of(product.a);
            add.b = tile_of(product.code == op::square ? product.a : product.b);
        } else {
            add.a = tile_of(l.a);
        }
        out_.reductions.push_back(r);
        out_.body.push_back(add);
        release_operands(i);
    }

    plan_view p_;
    plan_step step_;
    plan_loop loop_;
    row_strides const& row_strides_;
    std::int64_t batch_; // rows of the step that loops take at once; 0: one
    kernel_line const* lines_ = nullptr;
    int count_ = 0;
    std::vector<int> uses_, last_user_, only_user_;
    std::vector<char> fused_;
    std::vector<value> values_;
    std::vector<std::int16_t> free_;
    std::vector<int> late_stores_; // over what other lines read
    tile_loop out_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail

TRACEXPR_END_PASSES
