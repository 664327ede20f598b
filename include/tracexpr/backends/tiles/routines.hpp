// This file holds routines: an op on a run of contiguous elements, compiled once for each dtype. They use the vector ops of the
// static executor, so that elements have the same values. Tables find a routine by ops and dtypes that only the run knows.
#pragma once

#include <tracexpr/backends/vectors/vector_ops.hpp>
#include <tracexpr/graph/literal.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd::tiles {

// A routine computes n elements of up to four operands. `out` may be one of them, or must not overlap any. Memory behind the last
// element is not touched.
using routine = void (*)(std::byte* out, std::byte const* a, std::byte const* b, std::byte const* c, std::byte const* d,
                         std::int64_t n);

namespace detail {

using simd::detail::is_small_float;

template <class T> inline constexpr bool has_vectors = TRACEXPR_HAS_VECTORS && (is_vectorizable<T> || std::is_same_v<T, bool>);

// register_target's vectors fill a register with elements of `Bytes` bytes.
template <int Bytes> using register_target =
    target<simd::detail::register_bytes<simd::default_arch>() / Bytes, Bytes, simd::default_arch>;

// A source reads an operand: its elements, or one element that stands for all.
template <class T, class Target, bool IsOne> struct source {
    using value_type = typename Target::template value_of<T>;
    T const* from;
    value_type one;

    TRACEXPR_INLINE explicit source(std::byte const* at) : from(reinterpret_cast<T const*>(at)) {
        if constexpr (IsOne) one = broadcast_value<T, Target::lanes, Target::mask_bytes>(*from);
    }
    TRACEXPR_INLINE value_type whole(std::int64_t i) const {
        if constexpr (IsOne) return one;
        else return load_value<T, Target::lanes, Target::mask_bytes>(from + i);
    }
    TRACEXPR_INLINE value_type some(std::int64_t i, std::int64_t count) const {
        if constexpr (IsOne) return one;
        else return load_some_value<T, Target::lanes, Target::mask_bytes>(from + i, count);
    }
};

// Applies f to the operands' vectors. Cheap functions are worth code of their own for two vectors at once and for the last
// elements.
template <class R, class Target, bool Cheap, class F, class... Source>
TRACEXPR_INLINE void for_each_vector(std::byte* out, std::int64_t n, F f, Source const&... from) {
    constexpr int W = Target::lanes;
    R* const to = reinterpret_cast<R*>(out);
    std::int64_t i = 0;
    if constexpr (Cheap) {
        for (; i + 2 * W <= n; i += 2 * W) {
            auto const first = f(from.whole(i)...), second = f(from.whole(i + W)...);
            store_value<R, W>(to + i, first);
            store_value<R, W>(to + i + W, second);
        }
        for (; i + W <= n; i += W) store_value<R, W>(to + i, f(from.whole(i)...));
        if (i < n) store_some_value<R, W>(to + i, f(from.some(i, n - i)...), n - i);
    } else {
        for (; i < n; i += W) {
            bool const is_whole = i + W <= n;
            auto const y = f((is_whole ? from.whole(i) : from.some(i, n - i))...);
            if (is_whole) store_value<R, W>(to + i, y);
            else store_some_value<R, W>(to + i, y, n - i);
        }
    }
}

// A lane has this size in bytes. Half and bfloat16 are computed as float, complex numbers as their parts.
template <class T> inline constexpr int lane_bytes = is_small_float<T>                    ? 4
                                                     : simd::detail::is_complex_number<T> ? static_cast<int>(sizeof(T)) / 2
                                                                                          : static_cast<int>(sizeof(T));
template <class A, class B> using target_of_both =
    register_target<(lane_bytes<A> > lane_bytes<B> ? lane_bytes<A> : lane_bytes<B>)>;
// True if vector_op is better than computing one element at a time.
template <class T, op Code> constexpr bool computes_in_vectors() {
    if constexpr (!TRACEXPR_HAS_VECTORS) return false;
    else if constexpr (simd::detail::is_complex_number<T>) return simd::has_vector_form<target_of_both<T, T>, Code, T>;
    else return has_vectors<T>;
}

template <class To, class From>
void cast_elements(std::byte* out, std::byte const* a, std::byte const*, std::byte const*, std::byte const*, std::int64_t n) {
    if constexpr (TRACEXPR_HAS_VECTORS && simd::casts_vectors<To, From>) {
        using target = target_of_both<To, From>;
        auto const f = [](auto const& x) TRACEXPR_INLINE_LAMBDA { return cast_value<target, To, From>(x); };
        for_each_vector<To, target, true>(out, n, f, source<From, target, false>(a));
    } else {
        for (std::int64_t i = 0; i < n; ++i)
            reinterpret_cast<To*>(out)[i] = cast_element<To>(reinterpret_cast<From const*>(a)[i]);
    }
}

// floats_of is memory for a block of half or bfloat16 elements as floats.
template <class T> struct floats_of {
    static constexpr std::int64_t count = 256;
    alignas(64) float block[count];
    TRACEXPR_INLINE std::byte* bytes() { return reinterpret_cast<std::byte*>(block); }
};

// pointwise::run is the routine of an op with one, two or three operands of dtype T and a result of dtype R. Ones has a bit for
// each operand that is a single element.
template <class T, class R, op Code, int Ones> struct pointwise {
    static constexpr int arity = info(Code).arity;
    static constexpr bool is_cheap = info(Code).cost <= 4;
    static void run(std::byte* out, std::byte const* a, std::byte const* b, std::byte const* c, std::byte const*,
                    std::int64_t n) {
        if constexpr (TRACEXPR_HAS_VECTORS && is_small_float<T>) {
            run_in_float(out, a, b, c, n);
        } else if constexpr (computes_in_vectors<T, Code>()) {
            using target = target_of_both<T, R>;
            auto const f = [](auto const&... x) TRACEXPR_INLINE_LAMBDA { return vector_op<target, Code, R, T>(x...); };
            source<T, target, (Ones & 1) != 0> const first(a);
            if constexpr (arity == 1) {
                for_each_vector<R, target, is_cheap>(out, n, f, first);
            } else {
                source<T, target, (Ones & 2) != 0> const second(b);
                if constexpr (arity == 2) for_each_vector<R, target, is_cheap>(out, n, f, first, second);
                else for_each_vector<R, target, is_cheap>(out, n, f, first, second, source < T, target, (Ones & 4) != 0 > (c));
            }
        } else {
            auto const at = [](std::byte const* from, bool is_one, std::int64_t i) -> T const& {
                return reinterpret_cast<T const*>(from)[is_one ? 0 : i];
            };
            R* const to = reinterpret_cast<R*>(out);
            for (std::int64_t i = 0; i < n; ++i) {
                if constexpr (arity == 1) to[i] = static_cast<R>(apply<Code>(at(a, Ones & 1, i)));
                else if constexpr (arity == 2) to[i] = static_cast<R>(apply<Code>(at(a, Ones & 1, i), at(b, Ones & 2, i)));
                else to[i] = static_cast<R>(apply<Code>(at(a, Ones & 1, i), at(b, Ones & 2, i), at(c, Ones & 4, i)));
            }
        }
    }
    // Computes half and bfloat16 by float's routine, a block at a time.
    static void run_in_float(std::byte* out, std::byte const* a, std::byte const* b, std::byte const* c, std::int64_t n) {
        constexpr bool gives_number = !std::is_same_v<R, bool>;
        // An operand may be a single element for all blocks, so `given` is not overwritten by results.
        floats_of<T> made, given[arity];
        std::byte const* const from[]{a, b, c};
        std::byte const* floats[3]{};
        for (std::int64_t i = 0; i < n; i += made.count) {
            std::int64_t const count = std::min(made.count, n - i);
            for (int k = 0; k < arity; ++k) {
                bool const is_one = Ones >> k & 1;
                cast_elements<float, T>(given[k].bytes(), from[k] + (is_one ? 0 : i * 2), nullptr, nullptr, nullptr,
                                        is_one ? 1 : count);
                floats[k] = given[k].bytes();
            }
            std::byte* const to = gives_number ? made.bytes() : out + i;
            pointwise<float, std::conditional_t<gives_number, float, bool>, Code, Ones>::run(to, floats[0], floats[1], floats[2],
                                                                                             nullptr, count);
            if constexpr (gives_number) cast_elements<T, float>(out + i * 2, to, nullptr, nullptr, nullptr, count);
        }
    }
};

// Chooses the second operand where the condition, an array of bools, is true, and the third elsewhere.
template <class T, int Ones> void choose_elements(std::byte* out, std::byte const* a, std::byte const* b, std::byte const* c,
                                                  std::byte const*, std::int64_t n) {
    if constexpr (has_vectors<T>) {
        using target = register_target<static_cast<int>(sizeof(T))>;
        auto const f = [](auto const& mask, auto const& x, auto const& y) TRACEXPR_INLINE_LAMBDA {
            return select<std::remove_cvref_t<decltype(mask)>, target::lanes>(mask, x, y);
        };
        for_each_vector<T, target, true>(out, n, f, source < bool, target, (Ones & 1) != 0 > (a), source < T, target,
                                         (Ones & 2) != 0 > (b), source < T, target, (Ones & 4) != 0 > (c));
    } else {
        for (std::int64_t i = 0; i < n; ++i)
            reinterpret_cast<T*>(out)[i] = reinterpret_cast<bool const*>(a)[Ones & 1 ? 0 : i]
                                               ? reinterpret_cast<T const*>(b)[Ones & 2 ? 0 : i]
                                               : reinterpret_cast<T const*>(c)[Ones & 4 ? 0 : i];
    }
}
template <class T, op Code, class V>
TRACEXPR_INLINE auto compare_and_choose_vectors(V const& x, V const& y, V const& yes, V const& no) {
    using target = register_target<static_cast<int>(sizeof(T))>;
    auto const mask = vector_op<target, Code, bool, T>(x, y);
    return select<std::remove_cvref_t<decltype(mask)>, target::lanes>(mask, yes, no);
}
// Chooses the third operand where the first two compare, else the fourth, so that no condition goes through memory. Ones has a
// bit for each operand but the first.
template <class T, op Code, int Ones> void compare_and_choose(std::byte* out, std::byte const* a, std::byte const* b,
                                                              std::byte const* c, std::byte const* d, std::int64_t n) {
    using target = register_target<static_cast<int>(sizeof(T))>;
    auto const f = [](auto const&... x) TRACEXPR_INLINE_LAMBDA { return compare_and_choose_vectors<T, Code>(x...); };
    for_each_vector<T, target, true>(out, n, f, source<T, target, false>(a), source < T, target, (Ones & 1) != 0 > (b),
                                     source < T, target, (Ones & 2) != 0 > (c), source < T, target, (Ones & 4) != 0 > (d));
}
// Routines compute a b + c, a b - c and c - a b, each rounded once if the processor can: compilers do the same with these ops in
// one kernel.
enum class product_form { plus, minus, from };
template <product_form Form, class V> TRACEXPR_INLINE auto multiply_add_vectors(V const& x, V const& y, V const& z) {
    TRACEXPR_FUSES
    if constexpr (Form == product_form::plus) return x * y + z;
    else if constexpr (Form == product_form::minus) return x * y - z;
    else return z - x * y;
}
template <class T, product_form Form, int Ones>
void multiply_add(std::byte* out, std::byte const* a, std::byte const* b, std::byte const* c, std::byte const*, std::int64_t n) {
    using target = register_target<static_cast<int>(sizeof(T))>;
    auto const f = [](auto const&... x) TRACEXPR_INLINE_LAMBDA { return multiply_add_vectors<Form>(x...); };
    for_each_vector<T, target, true>(out, n, f, source < T, target, (Ones & 1) != 0 > (a), source < T, target,
                                     (Ones & 2) != 0 > (b), source < T, target, (Ones & 4) != 0 > (c));
}
// Writes start, start + step, ...; the operands are two 64-bit integers.
template <class T>
void count_elements(std::byte* out, std::byte const* a, std::byte const* b, std::byte const*, std::byte const*, std::int64_t n) {
    std::int64_t const start = *reinterpret_cast<std::int64_t const*>(a), step = *reinterpret_cast<std::int64_t const*>(b);
    for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(out)[i] = cast_element<T>(start + i * step);
}

// False in programs that compile their routines themselves: these have only the routines that are necessary.
inline constexpr bool is_full = TRACEXPR_HAS_ROUTINES;

// pointwise_routines, below, has the routines for operands of a dtype. A combination of single elements without code of its own
// has null: these operands are then spread to a tile first.
inline constexpr std::size_t pointwise_first = static_cast<std::size_t>(op::cast),
                             pointwise_count = static_cast<std::size_t>(op::fma) + 1 - pointwise_first;
struct pointwise_row {
    routine of[4]{}; // by Ones
};
template <class T, op Code> constexpr pointwise_row row_of_op() {
    pointwise_row out;
    constexpr op_info row = info(Code);
    if constexpr (row.kind != kind::pointwise || Code == op::cast || Code == op::where || !accepts(Code, dtype_of<T>)) {
        return out;
    } else {
        constexpr dtype result = row.result == result_rule::boolean     ? dtype::boolean
                                 : row.result == result_rule::real_part ? real_part(dtype_of<T>)
                                                                        : dtype_of<T>;
        using R = ctype<result>;
        out.of[0] = pointwise<T, R, Code, 0>::run;
        if constexpr (row.arity == 2 && is_full && row.cost <= 4 && has_vectors<T>) {
            out.of[2] = pointwise<T, R, Code, 2>::run;
            if constexpr (!row.commutes) out.of[1] = pointwise<T, R, Code, 1>::run;
        }
        return out;
    }
}
struct pointwise_routines {
    std::array<pointwise_row, pointwise_count> ops{};
    std::array<routine, 8> choose{};
    std::array<routine, dtype_count> cast_to{};
    std::array<std::array<routine, 8>, 6> compare_and_choose{};
    std::array<std::array<routine, 8>, 3> multiply_add{};
    routine count = nullptr;
};
template <class T, std::size_t... I> constexpr auto rows_of_ops(std::index_sequence<I...>) {
    return std::array<pointwise_row, sizeof...(I)>{row_of_op<T, static_cast<op>(pointwise_first + I)>()...};
}
template <class T, product_form Form> constexpr std::array<routine, 8> products() {
    return {multiply_add<T, Form, 0>, multiply_add<T, Form, 1>, nullptr, nullptr,
            multiply_add<T, Form, 4>, multiply_add<T, Form, 5>, nullptr, nullptr};
}
template <class T, op Code> constexpr std::array<routine, 8> choices() {
    return []<std::size_t... Ones>(std::index_sequence<Ones...>) {
        return std::array<routine, 8>{compare_and_choose<T, Code, static_cast<int>(Ones)>...};
    }(std::make_index_sequence<8>{});
}
template <class From, std::size_t To> constexpr routine cast_to() {
    constexpr dtype to = static_cast<dtype>(To);
    if constexpr (to == dtype::token || to == dtype::string || dtype_of<From> == dtype::string || to == dtype_of<From>)
        return nullptr;
    else return cast_elements<ctype<to>, From>;
}
template <class T> constexpr pointwise_routines pointwise_routines_of() {
    pointwise_routines out;
    out.ops = rows_of_ops<T>(std::make_index_sequence<pointwise_count>{});
    // Choosing only moves elements, so it is compiled for words of their size.
    using word = std::conditional_t<is_small_float<T>, std::uint16_t,
                                    std::conditional_t<std::is_same_v<T, std::complex<float>>, std::uint64_t, T>>;
    [&]<std::size_t... Ones>(std::index_sequence<Ones...>) {
        out.choose = {choose_elements < word, is_full && has_vectors<T> && Ones % 2 == 0 ? static_cast<int>(Ones) : 0 > ...};
    }(std::make_index_sequence<8>{});
    for (std::size_t ones = 1; ones < 8; ++ones)
        if (!is_full || !has_vectors<T> || ones % 2 != 0) out.choose[ones] = nullptr;
    [&]<std::size_t... To>(std::index_sequence<To...>) {
        out.cast_to = {cast_to<T, To>()...};
    }(std::make_index_sequence<dtype_count>{});
    if constexpr (is_full && std::is_floating_point_v<T> && TRACEXPR_HAS_VECTORS) {
        out.multiply_add = {products<T, product_form::plus>(), products<T, product_form::minus>(),
                            products<T, product_form::from>()};
        out.compare_and_choose = {choices<T, op::equal>(),      choices<T, op::not_equal>(), choices<T, op::less>(),
                                  choices<T, op::less_equal>(), choices<T, op::greater>(),   choices<T, op::greater_equal>()};
    }
    if constexpr (accepts(op::iota, dtype_of<T>)) out.count = count_elements<T>;
    return out;
}
} // namespace detail
} // namespace tx::inline TRACEXPR_TARGET::simd::tiles
