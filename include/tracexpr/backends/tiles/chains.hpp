// This file runs chains: ops of which each uses the result of the one before it. A few vectors go from op to op in registers;
// only what is needed elsewhere is stored.
#pragma once

#include <tracexpr/backends/tiles/routines.hpp>

#include <atomic>
#include <tuple>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// `link` is an op of a chain, and the addresses of its operands.
struct link {
    void (*run)(); // a link_call::routine
    std::byte const* at[4];
};
enum class operand_from : std::uint8_t { chain, memory, one };

// Says how a chain's values are added up: as a row, with two or four vectors of partial sums, or each to the sum of its column.
enum class summed : std::uint8_t { by_two, by_four, in_columns };
// Says what is added up: the values, their squares, or their products with values in memory.
enum class summand : std::uint8_t { values, squares, products };

// A link's vectors are `chain_width` parameters. Calling conventions keep them in registers, and the call of the next link, at
// the end of a link, is a jump.
inline constexpr int chain_width = 8;
template <class T> using chain_target = register_target<static_cast<int>(sizeof(T))>;
template <class T> using chain_vector = typename chain_target<T>::template value_of<T>;
template <class T, std::size_t> struct numbered_vector { // (nvcc rejects a pack of an alias that ignores its parameter)
    using type = chain_vector<T>;
};
template <class T, class Vectors> struct link_call;
template <class T, std::size_t... K> struct link_call<T, std::index_sequence<K...>> {
    template <std::size_t Number> using vector = typename numbered_vector<T, Number>::type;
    using routine = void (*)(link const*, std::int64_t, vector<K>...);

    // Runs whole groups of vectors through the chain.
    static void run(link const* first, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; i += chain_width * chain_target<T>::lanes)
            reinterpret_cast<routine>(first->run)(first, i, vector<K>{}...);
    }
    template <class Link> static void step(link const* l, std::int64_t i, vector<K>... v) {
        constexpr int W = chain_target<T>::lanes;
        Link const here(l);
        // Vectors are loaded in the order of memory, which prefetchers follow: compilers would begin with the last one, which is
        // half as fast.
        auto const in_order = [](auto const& x) TRACEXPR_INLINE_LAMBDA {
            std::atomic_signal_fence(std::memory_order_acq_rel);
            return x;
        };
        chain_vector<T> const next[]{in_order(here(i + static_cast<std::int64_t>(K) * W, v))...};
        return reinterpret_cast<routine>(l[1].run)(l + 1, i, next[K]...);
    }
    // This is the last link of a chain that is summed; at[0] has the sums.
    template <op By, summed How, summand What> static void sum(link const* l, std::int64_t i, vector<K>... v) {
        constexpr int W = chain_target<T>::lanes;
        T* const to = reinterpret_cast<T*>(const_cast<std::byte*>(l->at[0])) + (How == summed::in_columns ? i : 0);
        T const* const with = reinterpret_cast<T const*>(l->at[1]) + (What == summand::products ? i : 0);
        constexpr std::size_t side_by_side = How == summed::by_two ? 2 : How == summed::by_four ? 4 : chain_width;
        chain_vector<T> sums[side_by_side];
        for (std::size_t k = 0; k < side_by_side; ++k)
            sums[k] = load_value<T, W, sizeof(T)>(to + static_cast<std::int64_t>(k) * W);
        auto const add = [&](chain_vector<T>& s, chain_vector<T> const& x, std::int64_t k) TRACEXPR_INLINE_LAMBDA {
            TRACEXPR_FUSES
            if constexpr (What == summand::squares) s = s + x * x;
            else if constexpr (What == summand::products) s = s + x * load_value<T, W, sizeof(T)>(with + k * W);
            else s = vector_op<chain_target<T>, By, T, T>(s, x);
        };
        (add(sums[K % side_by_side], v, static_cast<std::int64_t>(K)), ...);
        for (std::size_t k = 0; k < side_by_side; ++k) store_value<T, W>(to + static_cast<std::int64_t>(k) * W, sums[k]);
    }
    // This is the last link of a chain that stores past the caches, where vectors are aligned.
    static void stream(link const* l, std::int64_t i, vector<K>... v) {
        constexpr int W = chain_target<T>::lanes;
        T* const to = reinterpret_cast<T*>(const_cast<std::byte*>(l->at[0])) + i;
        (stream_value<T, W>(to + static_cast<std::int64_t>(K) * W, v), ...);
    }
    template <bool IsLast> static void keep(link const* l, std::int64_t i, vector<K>... v) {
        constexpr int W = chain_target<T>::lanes;
        T* const to = reinterpret_cast<T*>(const_cast<std::byte*>(l->at[0])) + i;
        (store_value<T, W>(to + static_cast<std::int64_t>(K) * W, v), ...);
        if constexpr (!IsLast) return reinterpret_cast<routine>(l[1].run)(l + 1, i, v...);
    }
};
template <class T> using link_calls = link_call<T, std::make_index_sequence<chain_width>>;

template <class T, operand_from From> struct link_operand {
    static constexpr int W = chain_target<T>::lanes;
    T const* from;
    chain_vector<T> one;

    TRACEXPR_INLINE explicit link_operand(std::byte const* at) : from(reinterpret_cast<T const*>(at)) {
        if constexpr (From == operand_from::one) one = broadcast_value<T, W, sizeof(T)>(*from);
    }
    TRACEXPR_INLINE chain_vector<T> operator()(std::int64_t i, chain_vector<T> const& v) const {
        if constexpr (From == operand_from::chain) return v;
        else if constexpr (From == operand_from::one) return one;
        else return load_value<T, W, sizeof(T)>(from + i);
    }
};
template <class T, class F, operand_from... From> struct chain_link {
    std::tuple<link_operand<T, From>...> operands;

    TRACEXPR_INLINE explicit chain_link(link const* l)
        : operands([&]<std::size_t... J>(std::index_sequence<J...>) TRACEXPR_INLINE_LAMBDA {
              return std::tuple(link_operand<T, From>(l->at[J])...);
          }(std::make_index_sequence<sizeof...(From)>{})) {}
    TRACEXPR_INLINE chain_vector<T> operator()(std::int64_t i, chain_vector<T> const& v) const {
        return std::apply([&](auto const&... of) TRACEXPR_INLINE_LAMBDA { return F::of(of(i, v)...); }, operands);
    }
};

template <class T, op Code> struct op_of_link {
    static constexpr int arity = info(Code).arity;
    template <class... V> static TRACEXPR_INLINE auto of(V const&... x) { return vector_op<chain_target<T>, Code, T, T>(x...); }
};
template <class T, product_form Form> struct product_of_link {
    static constexpr int arity = 3;
    template <class V> static TRACEXPR_INLINE auto of(V const& x, V const& y, V const& z) {
        return multiply_add_vectors<Form>(x, y, z);
    }
};
template <class T, op Code> struct choice_of_link {
    static constexpr int arity = 4;
    template <class V> static TRACEXPR_INLINE auto of(V const& x, V const& y, V const& yes, V const& no) {
        return compare_and_choose_vectors<T, Code>(x, y, yes, no);
    }
};

// link_forms holds the links of an op. `form` numbers where its operands are: it is the operand_from of the first one, plus three
// times that of the second, and so on.
struct link_forms {
    void (*(*of)(std::size_t form))() = nullptr;
    int arity = 0;
};
constexpr operand_from place_of_operand(std::size_t form, int operand) {
    while (operand-- > 0) form /= 3;
    return static_cast<operand_from>(form % 3);
}
constexpr std::size_t form_count(int arity) { return arity == 1 ? 3 : arity == 2 ? 9 : arity == 3 ? 27 : 81; }

// Not all forms are worth code of their own: the second factor of a product is never a single element (the builder puts that
// first), and a choice has at most two operands in memory.
template <int Arity> constexpr bool has_form(std::size_t form) {
    int chained = 0, in_memory = 0, ones = 0;
    for (int k = 0; k < Arity; ++k) {
        operand_from const place = place_of_operand(form, k);
        (place == operand_from::chain ? chained : place == operand_from::one ? ones : in_memory) += 1;
    }
    if (ones == Arity) return false;
    if (Arity == 3) return place_of_operand(form, 1) != operand_from::one;
    if (Arity == 4) return place_of_operand(form, 0) != operand_from::one && in_memory < 3 && chained < 3;
    return true;
}
template <class T, class F, std::size_t Form> constexpr typename link_calls<T>::routine form_of_link() {
    if constexpr (!has_form<F::arity>(Form)) return nullptr;
    else
        return []<std::size_t... J>(std::index_sequence<J...>) -> typename link_calls<T>::routine {
            return link_calls<T>::template step<chain_link<T, F, place_of_operand(Form, static_cast<int>(J))...>>;
        }(std::make_index_sequence<F::arity>{});
}
template <class T, class F> constexpr link_forms forms_of_link() {
    return {[](std::size_t form) {
                static constexpr auto all = []<std::size_t... Form>(std::index_sequence<Form...>) {
                    return std::array{form_of_link<T, F, Form>()...};
                }(std::make_index_sequence<form_count(F::arity)>{});
                return reinterpret_cast<void (*)()>(all[form]);
            },
            F::arity};
}

// sum_links holds the last links of chains that end in a reduction, by `summed` and `summand`.
struct sum_links {
    void (*of[3][3])(){};
};
template <class T, op Reduction> sum_links sum_links_of() {
    sum_links out;
    constexpr op by = info(Reduction).combines.by;
    if constexpr (is_full && std::is_floating_point_v<T> && TRACEXPR_HAS_VECTORS &&
                  (Reduction == op::sum || Reduction == op::max || Reduction == op::min)) {
        auto const set = [&]<summed How, summand What>() {
            out.of[static_cast<int>(How)][static_cast<int>(What)] =
                reinterpret_cast<void (*)()>(link_calls<T>::template sum<by, How, What>);
        };
        auto const set_all = [&]<summand What>() {
            set.template operator()<summed::by_two, What>();
            set.template operator()<summed::by_four, What>();
            set.template operator()<summed::in_columns, What>();
        };
        set_all.template operator()<summand::values>();
        if constexpr (Reduction == op::sum) {
            set_all.template operator()<summand::squares>();
            set_all.template operator()<summand::products>();
        }
    }
    return out;
}

// The ops that cost less than the loads and stores around them.
inline constexpr op chained_ops[]{op::negative, op::absolute, op::square, op::sqrt,    op::reciprocal,
                                  op::floor,    op::ceil,     op::round,  op::trunc,   op::add,
                                  op::subtract, op::multiply, op::divide, op::maximum, op::minimum};
inline constexpr op chained_comparisons[]{op::less, op::less_equal, op::greater, op::greater_equal};

struct chain_routines {
    std::array<link_forms, std::size(chained_ops)> ops{};
    std::array<link_forms, 3> products{};
    std::array<link_forms, std::size(chained_comparisons)> choices{};
    void (*store)() = nullptr;
    void (*store_last)() = nullptr;
    void (*stream_last)() = nullptr; // null: as store_last
    void (*run)(link const*, std::int64_t begin, std::int64_t end) = nullptr;
    std::int64_t group = 0; // the number of elements that go through a chain together
};
template <class T> chain_routines chain_routines_of() {
    chain_routines out;
    if constexpr (is_full && std::is_floating_point_v<T> && TRACEXPR_HAS_VECTORS) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            out.ops = {forms_of_link<T, op_of_link<T, chained_ops[K]>>()...};
        }(std::make_index_sequence<std::size(chained_ops)>{});
        out.products = {forms_of_link<T, product_of_link<T, product_form::plus>>(),
                        forms_of_link<T, product_of_link<T, product_form::minus>>(),
                        forms_of_link<T, product_of_link<T, product_form::from>>()};
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            out.choices = {forms_of_link<T, choice_of_link<T, chained_comparisons[K]>>()...};
        }(std::make_index_sequence<std::size(chained_comparisons)>{});
        out.store = reinterpret_cast<void (*)()>(link_calls<T>::template keep<false>);
        out.store_last = reinterpret_cast<void (*)()>(link_calls<T>::template keep<true>);
        if constexpr (simd::streams<T, chain_target<T>::lanes>)
            out.stream_last = reinterpret_cast<void (*)()>(link_calls<T>::stream);
        out.run = link_calls<T>::run;
        out.group = chain_width * chain_target<T>::lanes;
    }
    return out;
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
