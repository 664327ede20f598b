// Finds routines by ops and dtypes that only the run knows.
#pragma once

#include <tracexpr/backends/tiles/program.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// f(the routines of dtype `type`): a table of plain pointers whatever the type.
template <class Unused, class F> auto with_routines(dtype type, F f) {
    return with_element(type, [&]<class T>(T const&) { return f(routine_table<T>::value); });
}

// Of a pointwise op on operands of that dtype; null where there is none with these operands as one element.
template <class Unused = void> routine pointwise_routine(op code, dtype type, int ones) {
    return with_routines<Unused>(type, [&](auto const& of) {
        return of.ops[static_cast<std::size_t>(code) - pointwise_first].of[ones];
    });
}
TRACEXPR_ROUTINE_INSTANCE(routine pointwise_routine<void>(op, dtype, int))
template <class Unused = void> routine choosing_routine(dtype type, int ones) {
    return with_routines<Unused>(type, [&](auto const& of) { return of.choose[static_cast<std::size_t>(ones)]; });
}
TRACEXPR_ROUTINE_INSTANCE(routine choosing_routine<void>(dtype, int))
template <class Unused = void> routine casting_routine(dtype from, dtype to) {
    return with_routines<Unused>(from, [&](auto const& of) { return of.cast_to[static_cast<std::size_t>(to)]; });
}
TRACEXPR_ROUTINE_INSTANCE(routine casting_routine<void>(dtype, dtype))
template <class Unused = void> routine counting_routine(dtype type) {
    return with_routines<Unused>(type, [&](auto const& of) { return of.count; });
}
TRACEXPR_ROUTINE_INSTANCE(routine counting_routine<void>(dtype))
// Of what compares and then chooses, and of products with something added: of floating numbers only.
template <class Unused = void> routine comparing_routine(op code, dtype type) {
    std::size_t const k = static_cast<std::size_t>(code) - static_cast<std::size_t>(op::equal);
    return with_routines<Unused>(type, [&](auto const& of) { return k < 6 ? of.compare_and_choose[k] : nullptr; });
}
TRACEXPR_ROUTINE_INSTANCE(routine comparing_routine<void>(op, dtype))
template <class Unused = void> routine product_routine(product_form form, dtype type, int ones) {
    return with_routines<Unused>(type, [&](auto const& of) {
        return of.multiply_add[static_cast<std::size_t>(form)][static_cast<std::size_t>(ones)];
    });
}
TRACEXPR_ROUTINE_INSTANCE(routine product_routine<void>(product_form, dtype, int))

template <class Index> void find_places(std::byte* out, std::byte const* indices, std::int64_t step, std::int64_t extent,
                                        std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        reinterpret_cast<std::int64_t*>(out)[i] = position(reinterpret_cast<Index const*>(indices)[i], extent) * step;
}
template <class Unused = void> place_routine placing_routine(dtype type) {
    return with_element(type, []<class T>(T const&) -> place_routine {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return find_places<T>;
        else return nullptr;
    });
}

template <class Unused = void> void put_literal(dtype type, literal_bits bits, std::byte* out) {
    with_element(type, [&]<class T>(T const&) {
        T const value = from_literal<T>(bits.low, bits.high);
        std::memcpy(out, &value, sizeof value);
    });
}

template <class Unused = void> reduction reduction_of(op code, dtype type) {
    reduction out;
    out.combine.by = pointwise_routine<Unused>(info(code).combines.by, type, 0);
    out.combine.bytes = size_in_bytes(type);
    with_element(type, [&]<class T>(T const&) {
        auto const begin = [&](auto value) { std::memcpy(out.combine.start, &value, sizeof value); };
        auto const use = [&]<op Code>(std::integral_constant<op, Code>) {
            if constexpr (accepts(Code, dtype_of<T>)) {
                begin(simd::detail::identity<Code, T>());
                out.sums = sum_routines_of<T, Code>();
            }
        };
        switch (code) {
        case op::sum: return use(std::integral_constant<op, op::sum>{});
        case op::prod: return use(std::integral_constant<op, op::prod>{});
        case op::max: return use(std::integral_constant<op, op::max>{});
        case op::min: return use(std::integral_constant<op, op::min>{});
        case op::nanmax: return use(std::integral_constant<op, op::nanmax>{});
        default: return use(std::integral_constant<op, op::nanmin>{});
        }
    });
    return out;
}
TRACEXPR_ROUTINE_INSTANCE(reduction reduction_of<void>(op, dtype))

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
