// Loops whose numbers turn out otherwise than the compiler took them for: an access that walks otherwise, or rows of a few
// elements. What an access meets in a block of elements is packed, unless it lies in one piece anyway, and the kernel runs on the
// block as on a row whose accesses are all contiguous. Columns are summed up in blocks of a few rows; many short rows that are
// reduced are columns as well, of those that follow each other.
#pragma once

#include <tracexpr/backends/loops/loop_kernel.hpp>
#include <tracexpr/backends/loops/moves.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// The same line where accesses are packed. What counts is written out as well; only tables are read where they are.
constexpr kernel_line packed_line(kernel_line line, plan_access const&) {
    if (line.role == role::index) line.role = role::load;
    if (line.role == role::load || line.role == role::store || line.role == role::place) line.mode = access_mode::contiguous;
    if (line.role == role::lookup) line.mode = access_mode::strided;
    return line;
}

// Elements of a block: so many that scratch memory stays in the first cache, or in the second where accesses are many.
constexpr std::int64_t block_elements(int accesses) { return accesses <= 8 ? 512 : accesses <= 32 ? 256 : 128; }

template <class Form, std::size_t Loop, class Arch> class any_form {
    using base = planned_loop<Form, Loop>;
    using planned = typename base::kernel_type;
    using kernel_type = typename kernel_with_lines<Form, Loop, packed_line>::type;
    using target = vector_target<kernel_type, Arch>;
    using position = cursors<planned>;
    using used = lanes_used;
    static constexpr int A = access_count<planned>, lanes = target::lanes, strip_vectors = 4, most_vectors = 16;
    static constexpr bool reduces = planned::reduces, overwrites = base::known.rows.overwritten;
    static constexpr std::int64_t strip = strip_vectors * lanes, block = std::max(block_elements(A), strip);
    // Columns of a few rows, which are all in one block, are as many as fit there; they need no cascades.

    // Of each access, the role of its line: load, store, index, lookup (its table) or reduce.
    static constexpr auto roles = [] {
        std::array<role, A + 1> out{};
        for (kernel_line const& l : planned::lines)
            if (access_of(l) >= 0) out[static_cast<std::size_t>(access_of(l))] = l.role == role::place ? role::load : l.role;
        return out;
    }();
    static constexpr bool looks_up = planned::facts.looks_up;

public:
    // With its accesses where `here` is, all outer axes.
    static void run(walk const& outer, plan_loop const& loop, plan_access const* accesses, literal_bits const* literals,
                    position& here) {
        if (!reduces && (outer.rank > 0 || loop.columns)) return run_joined(outer, loop, accesses, literals, here);
        if (reduces && is_of_short_rows(outer, loop)) return run_as_columns(outer, loop, accesses, literals, here);
        for_each_index<true>(outer, outer.rank, accesses, here, [&] { run(loop, accesses, literals, here); });
    }
    // At an index of the outer axes.
    static void run(plan_loop const& loop, plan_access const* accesses, literal_bits const* literals, position& here) {
        any_form(loop.inner, accesses, literals).run_here(loop, here);
    }

private:
    walk const& inner_;
    plan_access const* accesses_;
    literal_bits const* literals_;
    int const rows_axis_, along_; // -1: none
    std::int64_t const n_;
    cursor at_[A + 1];
    std::int64_t row_bytes_[A + 1]{};
    std::byte const* packed_from_[A + 1]{}; // what is in the scratch memory: elements from there, or that index
    std::int64_t packed_index_[A + 1]{}, packed_rows_[A + 1]{}, packed_columns_[A + 1]{};
    accumulators<kernel_type, target> acc_[most_vectors];
    alignas(64) std::byte scratch_[A + 1][static_cast<std::size_t>(block) * most_access_bytes<kernel_type>];

    any_form(walk const& inner, plan_access const* accesses, literal_bits const* literals)
        : inner_{inner}, accesses_{accesses}, literals_{literals}, rows_axis_{inner.rank - 2}, along_{inner.rank - 1},
          n_{inner.rank ? inner.extent[inner.rank - 1] : 1} {}

    // The outer axes, then the inner ones.
    static void run_joined(walk const& outer, plan_loop const& loop, plan_access const* accesses, literal_bits const* literals,
                           position& here) {
        plan_loop joined = loop;
        plan_access own[A + 1];
        joined.columns = false;
        auto const add = [&](walk const& from, bool is_outer) {
            for (int axis = 0; axis < from.rank; ++axis) {
                int const to = joined.inner.rank++;
                joined.inner.extent[to] = from.extent[axis];
                for (int k = 0; k < A; ++k) own[k].inner[to] = is_outer ? accesses[k].outer[axis] : accesses[k].inner[axis];
            }
        };
        joined.inner.rank = 0;
        add(outer, true), add(loop.inner, false);
        run(joined, own, literals, here);
    }
    static bool is_of_short_rows(walk const& outer, plan_loop const& loop) {
        return !loop.columns && has_short_rows(outer, loop);
    }
    static void run_as_columns(walk const& outer, plan_loop const& loop, plan_access const* accesses,
                               literal_bits const* literals, position& here) {
        plan_loop turned = loop;
        plan_access own[A + 1];
        walk around = outer;
        int const last = --around.rank, to = turned.inner.rank++;
        turned.columns = true;
        turned.inner.extent[to] = outer.extent[last];
        for (int k = 0; k < A; ++k) own[k] = accesses[k], own[k].inner[to] = accesses[k].outer[last];
        run(around, turned, own, literals, here);
    }

    void run_here(plan_loop const& loop, position& here) {
        if constexpr (reduces)
            if (loop.columns) {
                std::int64_t const fitting = block / std::max<std::int64_t>(all_rows(), 1) / lanes * lanes;
                std::int64_t const most = inner_.rank <= 2 ? std::min<std::int64_t>(fitting, most_vectors * lanes) : strip,
                                   width = std::max(most, strip);
                for (std::int64_t first = 0; first < n_; first += width) {
                    std::int64_t const n = std::min(width, n_ - first);
                    if (inner_.rank <= 2 && all_rows() <= block / n) add_low_columns(here, first, n);
                    else add_columns(here, first, n);
                }
                return;
            }
        cascades<kernel_type, target> sums;
        clear<kernel_type, target>(sums);
        std::int64_t const width = std::min(n_, block);
        std::int64_t const together = looks_up || width < n_ ? 1 : block / std::max<std::int64_t>(width, 1);
        for_each_index<false>(inner_, std::max(rows_axis_, 0), accesses_, here, [&] {
            for (std::int64_t row = 0, row_count = all_rows(); row < row_count; row += together)
                for (std::int64_t column = 0; column < n_; column += width) {
                    std::int64_t const height = std::min(together, row_count - row), n = std::min(width, n_ - column);
                    place(here, row, height, column, n, true);
                    reset<kernel_type, target>(acc_[0]);
                    run_packed(at_, row_bytes_, literals_, 1, height * n, acc_, 0);
                    if constexpr (reduces) push<kernel_type, target>(sums, acc_[0]);
                    unpack_stores(here, row, height, column, n);
                }
        });
        if constexpr (reduces) store_totals<kernel_type, target>(sums, here.at);
    }
    std::int64_t all_rows() const { return rows_axis_ >= 0 ? inner_.extent[rows_axis_] : 1; }

    // Columns first .. first + n of all rows.
    void add_low_columns(position& here, std::int64_t first, std::int64_t n) {
        for (auto& a : acc_) reset<kernel_type, target>(a);
        if (std::int64_t const row_count = all_rows(); row_count > 0) {
            place(here, 0, row_count, first, n, false);
            run_packed(at_, row_bytes_, literals_, row_count, n, acc_, 1);
            unpack_stores(here, 0, row_count, first, n);
        }
        store_columns(here, first, n, 1, [&](auto line, std::int64_t k) -> auto const& { return at<line.value>(acc_[k]); });
    }
    // Those that are fewer than a vector has lanes are taken several rows at a time, as if there were more of them.
    void add_columns(position& here, std::int64_t first, std::int64_t n) {
        cascades<kernel_type, target> sums[strip_vectors];
        std::int64_t const abreast = n < lanes && n_ == n && !looks_up ? strip / n : 1, width = abreast * n,
                           vectors = (width + lanes - 1) / lanes, together = block / width * abreast;
        for (auto& s : sums) clear<kernel_type, target>(s);
        std::int64_t added = 0; // rows that are in the accumulators
        auto const push_all = [&] {
            for (std::int64_t k = 0; k < vectors && added; ++k) push<kernel_type, target>(sums[k], acc_[k]);
            added = 0;
        };
        for_each_index<false>(inner_, std::max(rows_axis_, 0), accesses_, here, [&] {
            for (std::int64_t row = 0, row_count = all_rows(); row < row_count; row += together) {
                std::int64_t const height = std::min(together, row_count - row), whole = height / abreast;
                if (!added)
                    for (std::int64_t k = 0; k < vectors; ++k) reset<kernel_type, target>(acc_[k]);
                place(here, row, height, first, n, abreast > 1);
                if (abreast > 1)
                    for (int k = 0; k < A; ++k) row_bytes_[k] = width * access_bytes<kernel_type>[static_cast<std::size_t>(k)];
                if (whole) run_packed(at_, row_bytes_, literals_, whole, width, acc_, 1);
                if (whole * abreast < height) {
                    for (int k = 0; k < A; ++k) at_[k].at += whole * row_bytes_[k];
                    run_packed(at_, row_bytes_, literals_, 1, (height - whole * abreast) * n, acc_, 1);
                }
                unpack_stores(here, row, height, first, n);
                if ((added += whole + 1) >= block_vectors) push_all();
            }
        });
        push_all();
        store_columns(here, first, n, abreast, [&](auto line, std::int64_t k) { return at<line.value>(sums[k]).lanes_total(); });
    }
    // vector(line, k): the totals of that many columns.
    template <class F> void store_columns(position& here, std::int64_t first, std::int64_t n, std::int64_t abreast, F vector) {
        for_each_line<kernel_type, is_reduction>([&](auto line) {
            constexpr kernel_line l = kernel_type::lines[line.value];
            using T = ctype<l.type>;
            T totals[most_vectors * lanes];
            for (std::int64_t k = 0; k * lanes < abreast * n; ++k) store_value<T, lanes>(totals + k * lanes, vector(line, k));
            std::int64_t const step = stride(static_cast<std::size_t>(l.b), along_);
            T* const to = element_pointer<T>(here.at[l.b]) + first * step;
            if (abreast == 1 && step == 1) return static_cast<void>(std::copy_n(totals, n, to));
            for (std::int64_t i = 0; i < n; ++i) {
                for (std::int64_t k = 1; k < abreast; ++k)
                    totals[i] = combine<simd::target<1, kernel_type::widest, Arch>, l.code, T>(totals[i], totals[k * n + i]);
                to[i * step] = totals[i];
            }
        });
    }

    std::int64_t stride(std::size_t access, int axis) const { return axis >= 0 ? accesses_[access].inner[axis] : 0; }
    // Does a block lie in one piece, row after row where it is `whole`?
    bool is_in_place(std::size_t k, std::int64_t rows, std::int64_t columns, bool whole) const {
        return (columns == 1 || stride(k, along_) == 1) && (rows == 1 || !whole || stride(k, rows_axis_) == columns);
    }
    // The accesses' cursors to a block of so many rows and columns from there on, packed where need be.
    void place(position const& here, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns, bool whole) {
        for_each_access<planned>([&](auto access) {
            constexpr std::size_t K = access.value;
            constexpr std::int64_t bytes = access_bytes<kernel_type>[K];
            std::int64_t const down = stride(K, rows_axis_), across = stride(K, along_), from = row * down + column * across;
            std::byte* const elements = roles[K] == role::index ? nullptr : here.at[K].at + from * bytes;
            std::int64_t const index = here.at[K].index + from;
            if (roles[K] == role::lookup) {
                at_[K].at = elements, at_[K].stride = across, row_bytes_[K] = down * bytes;
            } else if (roles[K] == role::reduce) {
                at_[K].at = elements;
            } else if (roles[K] != role::index && is_in_place(K, rows, columns, whole)) {
                at_[K].at = elements, row_bytes_[K] = down * bytes;
            } else {
                at_[K].at = scratch_[K], row_bytes_[K] = columns * bytes;
                bool const is_there = !overwrites && packed_rows_[K] == rows && packed_columns_[K] == columns &&
                                      packed_from_[K] == elements && packed_index_[K] == index;
                if (roles[K] == role::store || is_there) return;
                packed_from_[K] = elements, packed_index_[K] = index;
                packed_rows_[K] = rows, packed_columns_[K] = columns;
                if constexpr (roles[K] == role::index) count<K>(index, down, across, rows, columns);
                else moves::pack_block(bytes, elements, {down, across}, scratch_[K], rows, columns);
            }
        });
    }
    template <std::size_t K>
    void count(std::int64_t from, std::int64_t down, std::int64_t across, std::int64_t rows, std::int64_t columns) {
        constexpr dtype type = base::planned(K).type;
        auto* to = reinterpret_cast<ctype<type>*>(scratch_[K]);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c) *to++ = cast_element<ctype<type>>(from + r * down + c * across);
    }
    void unpack_stores(position const& here, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
        for_each_access<planned>([&](auto access) {
            constexpr std::size_t K = access.value;
            constexpr std::int64_t bytes = access_bytes<kernel_type>[K];
            if constexpr (roles[K] == role::store) {
                std::int64_t const down = stride(K, rows_axis_), across = stride(K, along_);
                std::byte* const to = here.at[K].at + (row * down + column * across) * bytes;
                if (at_[K].at >= scratch_[K] && at_[K].at < scratch_[K] + sizeof scratch_[K])
                    moves::unpack_block(bytes, scratch_[K], to, {down, across}, rows, columns);
            }
        });
    }

    // Some rows of n elements; of what is reduced, vector k of a row goes to acc[k * next].
    static TRACEXPR_NOINLINE void run_packed(cursor const* given, std::int64_t const* row_bytes, literal_bits const* literals,
                                             std::int64_t rows, std::int64_t n, accumulators<kernel_type, target>* acc,
                                             int next) {
        cursor at[A + 1]; // a copy that no store can change, so that it stays in registers
        std::copy_n(given, A, at);
        auto const fixed = run_invariants<kernel_type, target>(at, literals);
        for (; rows > 0; --rows) {
            std::int64_t i = 0;
            auto* sums = acc;
            for (; i + lanes <= n; i += lanes, sums += next)
                run_body<kernel_type, target, used::all_cached>(fixed, *sums, at, literals, i, lanes);
            if (i < n) run_body<kernel_type, target, used::first>(fixed, *sums, at, literals, i, n - i);
            for (int k = 0; k < A; ++k) at[k].at += row_bytes[k];
        }
    }
};

template <class Form, std::size_t Loop, class Arch>
void run_any_form(plan_view const& p, std::size_t step, std::byte* const* buffers) {
    using base = planned_loop<Form, Loop>;
    cursors<typename base::kernel_type> here;
    here.begin(base::accesses(p), buffers, base::loop(p).inner.rank);
    any_form<Form, Loop, Arch>::run(p.steps[step].outer, base::loop(p), base::accesses(p), base::literals(p).data(), here);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
