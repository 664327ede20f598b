// This file holds kernels: the program of a loop as a type, and how it runs on a row of elements. Each line of the program is a
// C++ variable, which the compiler keeps in a register; lines that don't depend on the position are computed once a row.
#pragma once

#include <tracexpr/backends/vectors/gather.hpp>
#include <tracexpr/backends/vectors/placed.hpp>
#include <tracexpr/backends/vectors/vector_ops.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/passes/kernel_facts.hpp>

#include <array>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd {

// A cursor is where an access of a row begins, and how far apart its elements are. An access of kind index counts instead of
// reading.
struct cursor {
    std::byte* at = nullptr;
    std::int64_t index = 0;
    std::int64_t stride = 0;
    // A vector is stored past the caches if its address has none of these bits.
    std::uintptr_t cached = ~std::uintptr_t{0};
};

static_assert(this_processor.register_bytes == detail::register_bytes<simd::default_arch>() &&
              this_processor.registers == register_count<simd::default_arch>);

template <std::uint64_t... Words> struct kernel {
    static constexpr int size = static_cast<int>(sizeof...(Words));
    // a plain array, as g++ takes twice as long to read a std::array
    static constexpr kernel_line lines[sizeof...(Words)]{decode(Words)...};

    static constexpr kernel_facts facts = facts_of(lines, sizeof...(Words));
    static constexpr int widest = facts.widest;
    static constexpr bool reduces = facts.reduces, skips = facts.skips, transposes = facts.transposes, is_long = facts.is_long();
    static constexpr int unroll = facts.unroll(this_processor.registers);
    // Marks the lines that have one value along a whole row.
    struct flags {
        bool of[sizeof...(Words)];
    };
    static constexpr flags invariant = [] {
        flags out{};
        for (std::size_t i = 0; i < sizeof...(Words); ++i) {
            kernel_line const& l = lines[i];
            auto const fixed = [&](int operand) { return operand < 0 || out.of[operand]; };
            if (l.role == role::literal) out.of[i] = true;
            else if (l.role == role::load || l.role == role::index || l.role == role::place)
                out.of[i] = l.mode == access_mode::splat;
            else if (l.role == role::lookup) out.of[i] = l.mode == access_mode::splat && fixed(l.a);
            else if (l.role == role::compute) out.of[i] = fixed(l.a) && fixed(l.b) && fixed(l.c);
        }
        return out;
    }();
};

namespace detail {

template <class Kernel> inline constexpr int access_count = [] {
    int count = 0;
    for (kernel_line const& l : Kernel::lines)
        if (access_of(l) >= count) count = access_of(l) + 1;
    return count;
}();

struct nothing {};
template <int I, class V> struct slot {
    V value;
};
template <int I> struct slot<I, nothing> {};
template <int I, class V> TRACEXPR_INLINE V& at(slot<I, V>& s) { return s.value; }
template <int I, class V> TRACEXPR_INLINE V const& at(slot<I, V> const& s) { return s.value; }

template <class Kernel, class Target, int I> using line_type = ctype<Kernel::lines[I].type>;
template <class Kernel, class Target, int I> struct register_of {
    static constexpr role r = Kernel::lines[I].role;
    // A `place` line holds the position that each lane's index refers to, or a single one for all lanes if the line is invariant.
    using value = std::conditional_t<r == role::place, places<Kernel::invariant.of[I] ? 1 : Target::lanes, typename Target::arch>,
                                     typename Target::template value_of<line_type<Kernel, Target, I>>>;
    using type = std::conditional_t<r == role::store || r == role::reduce, nothing, value>;
};
// accumulated_by is the type of the accumulator of a reduction by Code over elements of T.
template <class Target, op Code, class T> struct accumulated_by {
    using type = typename Target::template value_of<T>;
};
template <class Target, op Code, class T> requires(info(Code).kind == kind::arg_reduction)
struct accumulated_by<Target, Code, T> {
    using type = placed<T, Target::lanes, Target::mask_bytes>;
};
template <class Target, op Code, class T> using accumulated = typename accumulated_by<Target, Code, T>::type;
// reduced_type is the type of the elements that line I reduces.
template <class Kernel, int I> using reduced_type = ctype<Kernel::lines[Kernel::lines[I].a].type>;

template <class Kernel, class Target, int I, bool IsReduce> struct accumulator_type {
    using type = nothing;
};
template <class Kernel, class Target, int I> struct accumulator_type<Kernel, Target, I, true> {
    using type = accumulated<Target, Kernel::lines[I].code, reduced_type<Kernel, I>>;
};
template <class Kernel, class Target, int I> struct accumulator_of {
    using type = typename accumulator_type<Kernel, Target, I, Kernel::lines[I].role == role::reduce>::type;
};
template <template <class, class, int> class Of, class Kernel, class Target, class Indices> struct slots;
template <template <class, class, int> class Of, class Kernel, class Target, int... I>
struct slots<Of, Kernel, Target, std::integer_sequence<int, I...>> : slot<I, typename Of<Kernel, Target, I>::type>... {};

// registers_of holds the registers of the lines that don't depend on the position, or of the others.
template <bool Invariant> struct registers_of {
    template <class Kernel, class Target, int I> struct line {
        using type =
            std::conditional_t<Kernel::invariant.of[I] == Invariant, typename register_of<Kernel, Target, I>::type, nothing>;
    };
};

template <class Kernel> using line_numbers = std::make_integer_sequence<int, Kernel::size>;
template <class Kernel, class Target> using registers = slots<register_of, Kernel, Target, line_numbers<Kernel>>;
template <class Kernel, class Target> using invariants = slots<registers_of<true>::line, Kernel, Target, line_numbers<Kernel>>;
template <class Kernel, class Target> using varying = slots<registers_of<false>::line, Kernel, Target, line_numbers<Kernel>>;
template <class Kernel, class Target> using accumulators = slots<accumulator_of, Kernel, Target, line_numbers<Kernel>>;

// Returns the neutral element of a reduction, which it starts from.
template <op Code, class T> TRACEXPR_HD constexpr T identity() {
    constexpr double start = info(Code).combines.start;
    if constexpr (!std::is_integral_v<T>) return constant<T>(start);
    else if constexpr (start == combination::inf) return std::numeric_limits<T>::max();
    else if constexpr (start == -combination::inf) return std::numeric_limits<T>::lowest();
    else return static_cast<T>(start);
}
template <class Target, op Code, class T> TRACEXPR_INLINE accumulated<Target, Code, T> first_of() {
    auto const start = broadcast_value<T, Target::lanes, Target::mask_bytes>(identity<Code, T>());
    if constexpr (info(Code).kind == kind::arg_reduction) {
        accumulated<Target, Code, T> first{};
        first.best = start;
        return first;
    } else {
        return start;
    }
}
template <class Target, op Code, class T, class V> TRACEXPR_INLINE V combine(V const& a, V const& b) {
    if constexpr (is_placed<V>) return join_placed<Code>(a, b);
    else return vector_op<Target, info(Code).combines.by, T, T>(a, b);
}

// Says which lanes of a vector are used: all of them; or, at the end of a row, the last ones (the others were done by the vector
// before); or the first `count` of a row that is shorter than a vector. With `all` contiguous stores go past the caches if their
// addresses allow it, with all_streamed always, and with all_cached never.
enum class lanes_used : std::uint8_t { all, all_cached, all_streamed, last, first };

// Keeps lanes first .. last - 1 of v, and sets the others to the neutral element.
template <class Target, op Code, class T, class V>
TRACEXPR_INLINE V keep_lanes(V const& v, std::int64_t first, std::int64_t last) {
    constexpr int W = Target::lanes;
    if constexpr (W == 1) {
        return v;
    } else if constexpr (is_vectorizable<T>) {
        using number = signed_of_size<sizeof(T)>;
        auto const at = lane_numbers<number, W>();
        return ((at >= static_cast<number>(first)) & (at < static_cast<number>(last))) ? v : V{} + identity<Code, T>();
    } else {
        T some[W];
        store_value<T, W>(some, v);
        for (int i = 0; i < W; ++i) some[i] = i >= first && i < last ? some[i] : identity<Code, T>();
        return load_value<T, W, Target::mask_bytes>(some);
    }
}

template <class T> TRACEXPR_INLINE T* element_pointer(cursor const& c) { return reinterpret_cast<T*>(c.at); }

// Returns the value of line I, which is in `fixed` if the line is invariant, and in `r` if not.
template <class Kernel, int I, class Fixed, class Registers> TRACEXPR_INLINE auto& line_value(Fixed& fixed, Registers& r) {
    if constexpr (Kernel::invariant.of[I]) return at<I>(fixed);
    else return at<I>(r);
}

// Loads elements i .. i + lanes - 1 of a row. Step is as for run_line.
template <class Target, lanes_used Used, int Step, access_mode Mode, class T>
TRACEXPR_INLINE auto load_lanes(T const* from, std::int64_t stride, std::int64_t i, std::int64_t count) {
    constexpr int W = Target::lanes, M = Target::mask_bytes;
    if constexpr (Mode == access_mode::splat) return broadcast_value<T, W, M>(*from);
    else if constexpr (Mode == access_mode::strided && Used != lanes_used::first)
        return load_apart < Step, T, W, M, Used != lanes_used::last > (from + i * stride, stride);
    else if constexpr (Mode == access_mode::strided) return load_strided_value<T, W, M>(from + i * stride, stride, count);
    else if constexpr (Used == lanes_used::first) return load_some_value<T, W, M>(from + i, count);
    else return load_value<T, W, M>(from + i);
}
// Returns the vector from, from + step, ... in dtype T. Integers wrap, so lanes may be computed in T itself.
template <class T, int W, int MaskBytes>
TRACEXPR_INLINE value<T, W, MaskBytes> counted_value(std::int64_t from, std::int64_t step) {
    if constexpr (W > 1 && std::is_integral_v<T> && is_vectorizable<T>) {
        using unsigned_type = std::make_unsigned_t<T>;
        auto const numbers =
            lane_numbers<unsigned_type, W>() * static_cast<unsigned_type>(step) + static_cast<unsigned_type>(from);
        return __builtin_bit_cast(lanes<T, W>, numbers);
    } else if constexpr (W > 1 && is_vectorizable<T>) {
        lanes<std::int64_t, W> numbers;
        number_lanes<std::int64_t, W>(numbers);
        numbers = numbers * step + from;
        return convert_lanes<T, W>(numbers);
    } else {
        T some[W];
        for (int k = 0; k < W; ++k) some[k] = cast_element<T>(from + k * step);
        return load_value<T, W, MaskBytes>(some);
    }
}

// Combines a vector with the accumulator of line I.
template <class Kernel, class Target, int I, class Accumulators, class V, class Fixed, class Registers>
TRACEXPR_INLINE void reduce_line(Accumulators& acc, V const& v, Fixed& fixed, Registers& r) {
    constexpr kernel_line l = Kernel::lines[I];
    if constexpr (l.c >= 0) at<I>(acc) = accumulate_placed<l.code>(at<I>(acc), v, line_value<Kernel, l.c>(fixed, r));
    else at<I>(acc) = combine<Target, l.code, reduced_type<Kernel, I>>(at<I>(acc), v);
}

// Runs line I at elements i .. i + lanes - 1, of which `count` lanes are used. Step is the distance of the elements of strided
// loads if it is a constant; 0 takes the stride of each cursor, and 1 loads lane by lane.
template <class Kernel, class Target, lanes_used Used, int Step, int I, class Fixed, class Registers, class Accumulators>
TRACEXPR_INLINE void run_line(Fixed& fixed, Registers& r, Accumulators& acc, cursor const* cursors, literal_bits const* literals,
                              std::int64_t i, std::int64_t count) {
    constexpr kernel_line l = Kernel::lines[I];
    constexpr int W = Target::lanes;
    using T = ctype<l.type>;
    if constexpr (l.role == role::literal) {
        literal_bits const bits = literals[l.a];
        line_value<Kernel, I>(fixed, r) = broadcast_value<T, W, Target::mask_bytes>(from_literal<T>(bits.low, bits.high));
    } else if constexpr (l.role == role::load) {
        cursor const& c = cursors[l.a];
        line_value<Kernel, I>(fixed, r) = load_lanes<Target, Used, Step, l.mode>(element_pointer<T const>(c), c.stride, i, count);
    } else if constexpr (l.role == role::place) {
        constexpr int lanes = Kernel::invariant.of[I] ? 1 : W;
        std::int64_t const step = l.mode == access_mode::strided ? cursors[l.a].stride : 1;
        T const* const from = element_pointer<T const>(cursors[l.a]) + (Kernel::invariant.of[I] ? 0 : i * step);
        line_value<Kernel, I>(fixed, r) = places_at<lanes, typename Target::arch>(
            from, step, Used == lanes_used::first && lanes > 1 ? count : lanes, literals[l.c]);
    } else if constexpr (l.role == role::lookup) {
        cursor const& c = cursors[l.b];
        T const* const from = element_pointer<T const>(c);
        auto const& place = line_value<Kernel, l.a>(fixed, r);
        if constexpr (Kernel::invariant.of[l.a]) {
            line_value<Kernel, I>(fixed, r) = load_lanes<Target, Used, 0, l.mode>(from + place.of[0], c.stride, i, count);
        } else {
            std::int64_t const step = l.mode == access_mode::strided ? c.stride : l.mode == access_mode::contiguous ? 1 : 0;
            line_value<Kernel, I>(fixed, r) =
                gather_value<T, W, Target::mask_bytes>(from, place, i, step, Used == lanes_used::first ? count : W);
        }
    } else if constexpr (l.role == role::index) {
        cursor const& c = cursors[l.a];
        line_value<Kernel, I>(fixed, r) = counted_value<T, W, Target::mask_bytes>(c.index + i * c.stride, c.stride);
    } else if constexpr (l.role == role::compute) {
        using A = ctype<Kernel::lines[l.a].type>;
        if constexpr (l.code == op::cast)
            line_value<Kernel, I>(fixed, r) = cast_value<Target, T, A>(line_value<Kernel, l.a>(fixed, r));
        else if constexpr (l.code == op::where)
            line_value<Kernel, I>(fixed, r) = select<decltype(line_value<Kernel, l.a>(fixed, r)), W>(
                line_value<Kernel, l.a>(fixed, r), line_value<Kernel, l.b>(fixed, r), line_value<Kernel, l.c>(fixed, r));
        else if constexpr (l.c >= 0)
            line_value<Kernel, I>(fixed, r) = vector_op<Target, l.code, T, A>(
                line_value<Kernel, l.a>(fixed, r), line_value<Kernel, l.b>(fixed, r), line_value<Kernel, l.c>(fixed, r));
        else if constexpr (l.b >= 0)
            line_value<Kernel, I>(fixed, r) =
                vector_op<Target, l.code, T, A>(line_value<Kernel, l.a>(fixed, r), line_value<Kernel, l.b>(fixed, r));
        else line_value<Kernel, I>(fixed, r) = vector_op<Target, l.code, T, A>(line_value<Kernel, l.a>(fixed, r));
    } else if constexpr (l.role == role::store) {
        cursor const& c = cursors[l.b];
        T* const to = element_pointer<T>(c);
        if constexpr (l.mode == access_mode::strided)
            store_strided_value<T, W>(to + i * c.stride, line_value<Kernel, l.a>(fixed, r), c.stride,
                                      Used == lanes_used::first ? count : W);
        else if constexpr (Used == lanes_used::first) store_some_value<T, W>(to + i, line_value<Kernel, l.a>(fixed, r), count);
        else if constexpr (Used == lanes_used::all_streamed && streams<T, W>)
            stream_value<T, W>(to + i, line_value<Kernel, l.a>(fixed, r));
        else if (Used == lanes_used::all && streams<T, W> && (reinterpret_cast<std::uintptr_t>(to + i) & c.cached) == 0)
            stream_value<T, W>(to + i, line_value<Kernel, l.a>(fixed, r));
        else store_value<T, W>(to + i, line_value<Kernel, l.a>(fixed, r));
    } else {
        using R = reduced_type<Kernel, I>;
        auto const take = [&](auto const& v) TRACEXPR_INLINE_LAMBDA { reduce_line<Kernel, Target, I>(acc, v, fixed, r); };
        if constexpr (Used == lanes_used::first) take(keep_lanes<Target, l.code, R>(line_value<Kernel, l.a>(fixed, r), 0, count));
        else if constexpr (Used == lanes_used::last)
            take(keep_lanes<Target, l.code, R>(line_value<Kernel, l.a>(fixed, r), W - count, W));
        else take(line_value<Kernel, l.a>(fixed, r));
    }
}

// Marks the lines that have the same value in the next row, if the accesses in the mask `Unmoved` don't move from row to row.
template <class Kernel, std::uint64_t Unmoved> inline constexpr typename Kernel::flags unchanged_lines = [] {
    typename Kernel::flags out{};
    for (int i = 0; i < Kernel::size; ++i) {
        kernel_line const& l = Kernel::lines[i];
        auto const is_unchanged = [&](int operand) { return operand < 0 || out.of[operand]; };
        if (l.role == role::literal) out.of[i] = true;
        else if (l.role == role::load) out.of[i] = l.a < 64 && (Unmoved >> l.a & 1) != 0;
        else if (l.role == role::compute) out.of[i] = is_unchanged(l.a) && is_unchanged(l.b) && is_unchanged(l.c);
    }
    return out;
}();

// Selects the lines that are invariant along a row, or those that are not.
template <bool Invariant> struct lines_of_row {
    template <class Kernel> static constexpr bool has(int line) { return Kernel::invariant.of[line] == Invariant; }
};
// Selects, among the invariant lines or among the others, those that are the same in the next row, or those that are not.
template <bool Invariant, std::uint64_t Accesses, bool Unchanged> struct lines_of_rows {
    template <class Kernel> static constexpr bool has(int line) {
        return Kernel::invariant.of[line] == Invariant && unchanged_lines<Kernel, Accesses>.of[line] == Unchanged;
    }
};
template <class Kernel, class Lines> struct chosen_lines {
    static constexpr int count = [] {
        int found = 0;
        for (int i = 0; i < Kernel::size; ++i) found += Lines::template has<Kernel>(i);
        return found;
    }();
    struct numbers {
        int line[count > 0 ? count : 1];
    };
    static constexpr numbers in_order = [] {
        numbers out{};
        int found = 0;
        for (int i = 0; i < Kernel::size; ++i)
            if (Lines::template has<Kernel>(i)) out.line[found++] = i;
        return out;
    }();
};

// Runs one line for U vectors at the given positions.
template <class Kernel, class Target, lanes_used Used, int Step, int I, int U, class Fixed, class Registers, class Accumulators>
TRACEXPR_INLINE void run_line_for(Fixed& fixed, Registers (&r)[U], Accumulators* acc, cursor const* cursors,
                                  literal_bits const* literals, std::int64_t const (&positions)[U], std::int64_t count) {
    static_assert(U <= 4);
    if constexpr (U > 1 && Kernel::is_long && Kernel::lines[I].role == role::store && !Kernel::invariant.of[Kernel::lines[I].a] &&
                  is_vectorizable<line_type<Kernel, Target, I>>)
        for (auto& vector : r) compute_here(at<Kernel::lines[I].a>(vector));
    run_line<Kernel, Target, Used, Step, I>(fixed, r[0], acc[0], cursors, literals, positions[0], count);
    if constexpr (U > 1) run_line<Kernel, Target, Used, Step, I>(fixed, r[1], acc[1], cursors, literals, positions[1], count);
    if constexpr (U > 2) run_line<Kernel, Target, Used, Step, I>(fixed, r[2], acc[2], cursors, literals, positions[2], count);
    if constexpr (U > 3) run_line<Kernel, Target, Used, Step, I>(fixed, r[3], acc[3], cursors, literals, positions[3], count);
}
// Runs the lines, or Count of them from First on, each for all vectors before the next line. A long list is halved until it is
// short, because a fold over more than 256 elements is too deep for clang.
template <class Kernel, class Target, class Lines, lanes_used Used, int Step, int First = 0,
          int Count = chosen_lines<Kernel, Lines>::count, int U, class Fixed, class Registers, class Accumulators>
TRACEXPR_INLINE void run_lines(Fixed& fixed, Registers (&r)[U], Accumulators* acc, cursor const* cursors,
                               literal_bits const* literals, std::int64_t const (&positions)[U], std::int64_t count) {
    if constexpr (Count <= 64) {
        [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            (run_line_for<Kernel, Target, Used, Step, chosen_lines<Kernel, Lines>::in_order.line[First + K]>(
                 fixed, r, acc, cursors, literals, positions, count),
             ...);
        }(std::make_integer_sequence<int, Count>{});
    } else {
        run_lines<Kernel, Target, Lines, Used, Step, First, Count / 2>(fixed, r, acc, cursors, literals, positions, count);
        run_lines<Kernel, Target, Lines, Used, Step, First + Count / 2, Count - Count / 2>(fixed, r, acc, cursors, literals,
                                                                                           positions, count);
    }
}

constexpr bool is_reduction(kernel_line const& l) { return l.role == role::reduce; }
constexpr bool is_strided_load(kernel_line const& l) { return l.role == role::load && l.mode == access_mode::strided; }
constexpr bool is_contiguous_store(kernel_line const& l) { return l.role == role::store && l.mode == access_mode::contiguous; }
constexpr bool is_transposed_load(kernel_line const& l) { return l.role == role::load && l.mode == access_mode::transposed; }

// Selects the lines for which Chosen holds. for_each_line calls f(the line's number as a constant) for each of them.
template <class Kernel, bool (*Chosen)(kernel_line const&)> struct lines_that {
    template <class> static constexpr bool has(int line) { return Chosen(Kernel::lines[line]); }
};
template <class Kernel, bool (*Chosen)(kernel_line const&), int First = 0,
          int Count = chosen_lines<Kernel, lines_that<Kernel, Chosen>>::count, class F>
TRACEXPR_INLINE void for_each_line(F const& f) {
    using chosen = chosen_lines<Kernel, lines_that<Kernel, Chosen>>;
    if constexpr (Count <= 64) {
        [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            (f(std::integral_constant<int, chosen::in_order.line[First + K]>{}), ...);
        }(std::make_integer_sequence<int, Count>{});
    } else {
        for_each_line<Kernel, Chosen, First, Count / 2>(f);
        for_each_line<Kernel, Chosen, First + Count / 2, Count - Count / 2>(f);
    }
}

// The stride of all strided loads if it is the same for all of them; otherwise, or without such loads, 1.
template <class Kernel> TRACEXPR_INLINE std::int64_t common_step(cursor const* cursors) {
    std::int64_t common = 1;
    bool first = true;
    for_each_line<Kernel, is_strided_load>([&](auto line) TRACEXPR_INLINE_LAMBDA {
        std::int64_t const stride = cursors[Kernel::lines[line.value].a].stride;
        common = first || stride == common ? stride : 1;
        first = false;
    });
    return common;
}
} // namespace detail
} // namespace tx::inline TRACEXPR_TARGET::simd
