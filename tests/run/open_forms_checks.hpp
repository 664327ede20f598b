// This file compares loops over unknown extents with the reference executor. All numbers are small integers, so that sums are
// exact in any order.
#pragma once

#include <op_families.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace {

using tx::axis, tx::dyn, tx::shape;
template <class T, int Rank> struct opened;
template <class T> struct opened<T, 1> {
    using type = tx::tensor<T, shape<dyn>>;
};
template <class T> struct opened<T, 2> {
    using type = tx::tensor<T, shape<dyn, dyn>>;
};
template <class T> struct opened<T, 3> {
    using type = tx::tensor<T, shape<dyn, dyn, dyn>>;
};
template <class T> struct opened<T, 4> {
    using type = tx::tensor<T, shape<dyn, dyn, dyn, dyn>>;
};
template <class T, class... E> auto some(std::int64_t seed, E... extents) {
    using tensor = typename opened<T, sizeof...(E)>::type;
    tensor x = tx::zeros<T, typename tensor::shape_type>(extents...);
    for (std::int64_t i = 0; i < x.size(); ++i)
        x.mutable_data()[i] = static_cast<T>(static_cast<int>((i * 7 + seed) % 13) - (std::is_signed_v<T> ? 6 : 0));
    return x;
}

template <class... T> auto arrays(std::tuple<T...> const& results) { return tx::testing::arrays_of(results); }
template <class T, class S> auto arrays(tx::tensor<T, S> const& result) { return tx::testing::arrays_of(std::tuple(result)); }

template <class F, class... T> void check(F const&, T const&... x) {
    auto const arguments = tx::testing::arrays_of(std::tuple(x...));
    tx::graph const traced = tx::detail::compile_time_trace<F, T...>::make();
    static tx::static_function f{F{}};
    INFO(tx::to_text(traced));
    std::string extents;
    ((extents += to_string(x.dimensions())), ...);
    CAPTURE(extents);
    CHECK(tx::testing::strict_difference(arrays(f(x...)),
                                         tx::run_reference(traced, tx::views_of(arguments)), 0) == "");
}

} // namespace
