// The walk of loops that run in any form (any_form.hpp), for all kernels alike: what is known of a kernel is data, and what it
// does on a block a function.
#pragma once

#include <tracexpr/backends/loops/kernel.hpp>
#include <tracexpr/backends/loops/moves.hpp>
#include <tracexpr/passes/strategies.hpp>

#include <algorithm>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::has_short_rows;

struct form_access {
    role how{}; // of its line: load, store, index, lookup (its table) or reduce
    std::int64_t bytes = 0;
    void (*count)(std::byte* to, std::int64_t from, moves::block_strides, std::int64_t rows, std::int64_t columns) = nullptr;
};

// So many vectors of sums stand side by side: of columns, and of those of a few rows.
inline constexpr int form_strip_vectors = 4, form_most_vectors = 16;

// Columns first .. first + n, of several rows `abreast`, and where their totals go.
struct form_columns {
    cursor const* results;
    plan_access const* accesses;
    int along; // -1: none
    std::int64_t first, n, abreast;
    bool low; // few rows: there are no cascades
};
// A kernel. Its sums lie in memory of its own: an accumulator for each vector, and a cascade for each of a strip.
struct form_kernel {
    int count = 0, lanes = 1; // of accesses; of a vector
    std::int64_t block = 0;   // elements of an access that scratch memory holds
    std::int64_t scratch_bytes = 0;
    bool reduces = false, overwrites = false, looks_up = false;
    form_access const* accesses = nullptr;
    void (*in_memory)(struct form_call const&) = nullptr; // calls walk_form
    // Some rows of n elements; of what is reduced, vector k of a row goes to accumulator k * next.
    void (*run)(void* sums, cursor const* at, std::int64_t const* row_bytes, literal_bits const*, std::int64_t rows,
                std::int64_t n, int next) = nullptr;
    void (*reset)(void* sums, std::int64_t accumulators) = nullptr;
    void (*clear)(void* sums, std::int64_t cascades) = nullptr;
    void (*push)(void* sums, std::int64_t vectors) = nullptr; // an accumulator to each cascade
    void (*store_total)(void const* sums, cursor const* results) = nullptr;
    void (*store_columns)(void const* sums, form_columns const&) = nullptr;
};
// A loop, with its accesses where `here` is, all outer axes.
struct form_call {
    form_kernel const& kernel;
    walk const& outer;
    plan_loop const& loop;
    plan_access const* accesses;
    literal_bits const* literals;
    cursor* here;
};
// What a call needs beside. Packed: what is in the scratch memory: elements from there, or that index.
struct form_packed {
    std::byte const* from = nullptr;
    std::int64_t index = 0, rows = 0, columns = 0;
};
struct form_memory {
    cursor* at;
    std::int64_t* row_bytes;
    form_packed* packed;
    plan_access* turned; // for accesses of another walk
    void* sums;
    std::byte* scratch;
};

class form_walk {
public:
    form_walk(form_call const& call, form_memory const& memory)
        : k_{call.kernel}, m_{memory}, accesses_{call.accesses}, literals_{call.literals}, here_{call.here},
          strip_{form_strip_vectors * k_.lanes} {}

    void run(walk const& outer, plan_loop const& loop) {
        if (!k_.reduces && (outer.rank > 0 || loop.columns)) return run_joined(outer, loop);
        if (k_.reduces && !loop.columns && has_short_rows(outer, loop)) return run_as_columns(outer, loop);
        for_each_index<true>(outer, outer.rank, [&] { run_here(loop); });
    }

private:
    template <bool Outer> void advance(int axis, std::int64_t steps) {
        for (int k = 0; k < k_.count; ++k) {
            std::int64_t const by = steps * (Outer ? accesses_[k].outer[axis] : accesses_[k].inner[axis]);
            here_[k].index += by;
            if (k_.accesses[k].how != role::index) here_[k].at += by * k_.accesses[k].bytes;
        }
    }
    template <bool Outer, class F> void for_each_index(walk const& w, int rank, F f) {
        for (int axis = 0; axis < rank; ++axis)
            if (w.extent[axis] == 0) return;
        std::int64_t index[max_rank]{};
        for (int axis = 0; axis >= 0;) {
            f();
            for (axis = rank - 1; axis >= 0; --axis) {
                advance<Outer>(axis, 1);
                if (++index[axis] < w.extent[axis]) break;
                advance<Outer>(axis, -w.extent[axis]);
                index[axis] = 0;
            }
        }
    }

    // The outer axes, then the inner ones.
    void run_joined(walk const& outer, plan_loop const& loop) {
        plan_loop joined = loop;
        joined.columns = false;
        joined.inner.rank = 0;
        auto const add = [&](walk const& from, bool is_outer) {
            for (int axis = 0; axis < from.rank; ++axis) {
                int const to = joined.inner.rank++;
                joined.inner.extent[to] = from.extent[axis];
                for (int k = 0; k < k_.count; ++k)
                    m_.turned[k].inner[to] = is_outer ? accesses_[k].outer[axis] : accesses_[k].inner[axis];
            }
        };
        add(outer, true), add(loop.inner, false);
        accesses_ = m_.turned;
        run_here(joined);
    }
    void run_as_columns(walk const& outer, plan_loop const& loop) {
        plan_loop turned = loop;
        walk around = outer;
        int const last = --around.rank, to = turned.inner.rank++;
        turned.columns = true;
        turned.inner.extent[to] = outer.extent[last];
        for (int k = 0; k < k_.count; ++k) m_.turned[k] = accesses_[k], m_.turned[k].inner[to] = accesses_[k].outer[last];
        accesses_ = m_.turned;
        run(around, turned);
    }

    // At an index of the outer axes.
    void run_here(plan_loop const& loop) {
        walk const& inner = loop.inner;
        rows_axis_ = inner.rank - 2, along_ = inner.rank - 1;
        std::int64_t const length = inner.rank ? inner.extent[along_] : 1, rows = rows_axis_ >= 0 ? inner.extent[rows_axis_] : 1;
        if (k_.reduces && loop.columns) return run_columns(inner, length, rows);
        if (k_.reduces) k_.clear(m_.sums, 1);
        std::int64_t const width = std::min(length, k_.block);
        std::int64_t const together = k_.looks_up || width < length ? 1 : k_.block / std::max<std::int64_t>(width, 1);
        for_each_index<false>(inner, std::max(rows_axis_, 0), [&] {
            for (std::int64_t row = 0; row < rows; row += together)
                for (std::int64_t column = 0; column < length; column += width) {
                    std::int64_t const height = std::min(together, rows - row), n = std::min(width, length - column);
                    place(row, height, column, n, true);
                    if (k_.reduces) k_.reset(m_.sums, 1);
                    run_packed(1, height * n, 0);
                    if (k_.reduces) k_.push(m_.sums, 1);
                    unpack_stores(row, height, column, n);
                }
        });
        if (k_.reduces) k_.store_total(m_.sums, here_);
    }
    // Columns of a few rows, which are all in one block, are as many as fit there; they need no cascades.
    void run_columns(walk const& inner, std::int64_t length, std::int64_t rows) {
        std::int64_t const fitting = k_.block / std::max<std::int64_t>(rows, 1) / k_.lanes * k_.lanes;
        std::int64_t const most = inner.rank <= 2 ? std::min<std::int64_t>(fitting, form_most_vectors * k_.lanes) : strip_,
                           width = std::max(most, strip_);
        for (std::int64_t first = 0; first < length; first += width) {
            std::int64_t const n = std::min(width, length - first);
            if (inner.rank <= 2 && rows <= k_.block / n) add_low_columns(rows, first, n);
            else add_columns(inner, length, rows, first, n);
        }
    }
    // Columns first .. first + n of all rows.
    void add_low_columns(std::int64_t rows, std::int64_t first, std::int64_t n) {
        k_.reset(m_.sums, form_most_vectors);
        if (rows > 0) {
            place(0, rows, first, n, false);
            run_packed(rows, n, 1);
            unpack_stores(0, rows, first, n);
        }
        k_.store_columns(m_.sums, {here_, accesses_, along_, first, n, 1, true});
    }
    // Those that are fewer than a vector has lanes are taken several rows at a time, as if there were more of them.
    void add_columns(walk const& inner, std::int64_t length, std::int64_t rows, std::int64_t first, std::int64_t n) {
        std::int64_t const abreast = n < k_.lanes && length == n && !k_.looks_up ? strip_ / n : 1, width = abreast * n,
                           vectors = (width + k_.lanes - 1) / k_.lanes, together = k_.block / width * abreast;
        k_.clear(m_.sums, form_strip_vectors);
        std::int64_t added = 0; // rows that are in the accumulators
        auto const push_all = [&] {
            if (added) k_.push(m_.sums, vectors);
            added = 0;
        };
        for_each_index<false>(inner, std::max(rows_axis_, 0), [&] {
            for (std::int64_t row = 0; row < rows; row += together) {
                std::int64_t const height = std::min(together, rows - row), whole = height / abreast;
                if (!added) k_.reset(m_.sums, vectors);
                place(row, height, first, n, abreast > 1);
                for (int k = 0; abreast > 1 && k < k_.count; ++k) m_.row_bytes[k] = width * k_.accesses[k].bytes;
                if (whole) run_packed(whole, width, 1);
                if (whole * abreast < height) {
                    for (int k = 0; k < k_.count; ++k) m_.at[k].at += whole * m_.row_bytes[k];
                    run_packed(1, (height - whole * abreast) * n, 1);
                }
                unpack_stores(row, height, first, n);
                if ((added += whole + 1) >= block_vectors) push_all();
            }
        });
        push_all();
        k_.store_columns(m_.sums, {here_, accesses_, along_, first, n, abreast, false});
    }
    void run_packed(std::int64_t rows, std::int64_t n, int next) {
        k_.run(m_.sums, m_.at, m_.row_bytes, literals_, rows, n, next);
    }

    std::int64_t stride(int access, int axis) const { return axis >= 0 ? accesses_[access].inner[axis] : 0; }
    // Does a block lie in one piece, row after row where it is `whole`?
    bool is_in_place(int k, std::int64_t rows, std::int64_t columns, bool whole) const {
        return (columns == 1 || stride(k, along_) == 1) && (rows == 1 || !whole || stride(k, rows_axis_) == columns);
    }
    std::byte* scratch_of(int k) const { return m_.scratch + k * k_.scratch_bytes; }
    // The accesses' cursors to a block of so many rows and columns from there on, packed where need be.
    void place(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns, bool whole) {
        for (int k = 0; k < k_.count; ++k) {
            form_access const& a = k_.accesses[k];
            std::int64_t const down = stride(k, rows_axis_), across = stride(k, along_), from = row * down + column * across;
            std::byte* const elements = a.how == role::index ? nullptr : here_[k].at + from * a.bytes;
            std::int64_t const index = here_[k].index + from;
            form_packed const now{elements, index, rows, columns};
            if (a.how == role::lookup) {
                m_.at[k].at = elements, m_.at[k].stride = across, m_.row_bytes[k] = down * a.bytes;
            } else if (a.how == role::reduce) {
                m_.at[k].at = elements;
            } else if (a.how != role::index && is_in_place(k, rows, columns, whole)) {
                m_.at[k].at = elements, m_.row_bytes[k] = down * a.bytes;
            } else {
                m_.at[k].at = scratch_of(k), m_.row_bytes[k] = columns * a.bytes;
                form_packed& is = m_.packed[k];
                bool const is_there =
                    !k_.overwrites && is.rows == rows && is.columns == columns && is.from == elements && is.index == index;
                if (a.how == role::store || is_there) continue;
                is = now;
                if (a.how == role::index) a.count(scratch_of(k), index, {down, across}, rows, columns);
                else moves::pack_block(a.bytes, elements, {down, across}, scratch_of(k), rows, columns);
            }
        }
    }
    void unpack_stores(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
        for (int k = 0; k < k_.count; ++k) {
            bool const is_packed = m_.at[k].at >= scratch_of(k) && m_.at[k].at < scratch_of(k) + k_.scratch_bytes;
            if (k_.accesses[k].how != role::store || !is_packed) continue;
            std::int64_t const down = stride(k, rows_axis_), across = stride(k, along_);
            std::byte* const to = here_[k].at + (row * down + column * across) * k_.accesses[k].bytes;
            moves::unpack_block(k_.accesses[k].bytes, scratch_of(k), to, {down, across}, rows, columns);
        }
    }

    form_kernel const& k_;
    form_memory const m_;
    plan_access const* accesses_;
    literal_bits const* literals_;
    cursor* const here_;
    std::int64_t const strip_;
    int rows_axis_ = -1, along_ = -1; // -1: none
};

template <class Unused = void> void walk_form(form_call const& call, form_memory const& memory) {
    form_walk(call, memory).run(call.outer, call.loop);
}
TRACEXPR_KERNEL_INSTANCE(void walk_form<void>(form_call const&, form_memory const&))

// The loops of a step, one after the other, or on each row; `here` and `literals` have room for all of them.
template <class Unused = void> void run_forms(plan_view const& p, std::size_t number, form_kernel const* const* kernels,
                                              std::byte* const* buffers, cursor* here, literal_bits* literals) {
    plan_step const& step = p.steps[number];
    auto const for_each_loop = [&](auto f) {
        cursor* at = here;
        literal_bits* bits = literals;
        for (std::size_t k = 0; k < step.loops.count; ++k) {
            plan_loop const& loop = p.loops[step.loops.first + k];
            f(*kernels[k], loop, p.accesses.data() + loop.accesses.first, at, bits);
            at += loop.accesses.count, bits += loop.literals.count;
        }
    };
    for_each_loop([&](form_kernel const& k, plan_loop const& loop, plan_access const* accesses, cursor* at, literal_bits* bits) {
        for (std::size_t a = 0; a < loop.accesses.count; ++a) {
            at[a].index = accesses[a].offset;
            if (k.accesses[a].how != role::index)
                at[a].at = buffers[accesses[a].buffer] + accesses[a].offset * k.accesses[a].bytes;
            at[a].stride = loop.inner.rank ? accesses[a].inner[loop.inner.rank - 1] : 0;
        }
        for (std::size_t l = 0; l < loop.literals.count; ++l) bits[l] = p.literals[loop.literals.first + l].bits;
    });
    auto const run_all = [&](walk const& outer) {
        for_each_loop([&](form_kernel const& k, plan_loop const& loop, plan_access const* accesses, cursor* at,
                          literal_bits* bits) { k.in_memory({k, outer, loop, accesses, bits, at}); });
    };
    if (step.loops.count == 1 || step.apart) return run_all(step.outer);
    auto const advance = [&](int axis, std::int64_t steps) {
        for_each_loop([&](form_kernel const& k, plan_loop const& loop, plan_access const* accesses, cursor* at, literal_bits*) {
            for (std::size_t a = 0; a < loop.accesses.count; ++a) {
                std::int64_t const by = steps * accesses[a].outer[axis];
                at[a].index += by;
                if (k.accesses[a].how != role::index) at[a].at += by * k.accesses[a].bytes;
            }
        });
    };
    std::int64_t index[max_rank]{};
    for (int axis = 0; axis >= 0;) {
        run_all({});
        for (axis = step.outer.rank - 1; axis >= 0; --axis) {
            advance(axis, 1);
            if (++index[axis] < step.outer.extent[axis]) break;
            advance(axis, -step.outer.extent[axis]);
            index[axis] = 0;
        }
    }
}
TRACEXPR_KERNEL_INSTANCE(void run_forms<void>(plan_view const&, std::size_t, form_kernel const* const*, std::byte* const*,
                                              cursor*, literal_bits*))

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
