// This file holds the families of op_table.hpp with arguments for them, and the executors; the tests of single executors use it.
#pragma once

#include <op_cases.hpp>

namespace tx::testing {

// A family F with arguments of types A, whose extents are known. Special: arguments contain NaN, infinities and the like. Results
// may differ by `epsilons`.
template <class F, bool Special, int Epsilons, class... A> struct family {};
template <class T, std::int64_t... E> using array = tensor<T, shape<E...>>;

using unary_families = std::tuple<family<ops::unary_floating_a, true, 8, array<float, 29>>, family<ops::unary_floating_b, true, 8, array<float, 29>>>;
using binary_families = std::tuple<family<ops::binary_floating, true, 8, array<float, 29>, array<float, 29>>, family<ops::comparisons, true, 0, array<float, 2, 13>, array<float, 13>>>;
using exact_families = std::tuple<family<ops::integers, true, 0, array<std::int32_t, 29>, array<std::int32_t, 29>>, family<ops::booleans, true, 0, array<bool, 29>, array<bool, 29>>,
                                  family<ops::strings, false, 0, array<std::string, 4, 3>, array<std::string, 4, 3>>,
                                  family<ops::casts<bool, std::int8_t, std::uint64_t, half, double, std::complex<float>>, true, 0, array<float, 29>>>;
using complex_families = std::tuple<family<ops::complex_numbers, false, 16, array<std::complex<float>, 13>, array<std::complex<float>, 13>>>;
using view_families = std::tuple<family<ops::views, false, 64, array<float, 5, 7>>, family<ops::structure, false, 4, array<float, 2, 3>, array<float, 2, 3>>,
                                 family<ops::leaves, false, 64, array<float, 4, 3>>>;
using reduction_families = std::tuple<family<ops::reductions<0>, false, 256, array<double, 3, 5>>, family<ops::reductions<1>, false, 256, array<double, 3, 5>>,
                                      family<ops::along<0>, false, 256, array<float, 3, 5>>, family<ops::along<1>, false, 256, array<float, 3, 5>>>;
using other_families = std::tuple<family<ops::lookups, false, 0, array<float, 4, 3>, array<std::int32_t, 3>>, family<ops::updates, false, 0, array<float, 4, 3>, array<std::int32_t, 3>>, family<ops::products, false, 64, array<float, 4, 4>, array<float, 4, 4>>,
                                  family<ops::decompositions, false, 256, array<float, 4, 4>, array<float, 4, 4>>,
                                  family<ops::adjoints, false, 64, array<float, 4, 3>, array<std::int32_t, 3>>>;
template <class D> using dual_families = std::tuple<family<ops::unary_floating_a, false, 64, array<D, 13>>, family<ops::unary_floating_b, false, 64, array<D, 13>>,
                                                     family<ops::binary_floating, false, 64, array<D, 13>, array<D, 13>>, family<ops::comparisons, false, 0, array<D, 2, 13>, array<D, 13>>,
                                                     family<ops::moves, false, 0, array<D, 3, 3>, array<D, 3, 3>>, family<ops::totals, false, 256, array<D, 3, 5>>,
                                                     family<ops::extremes, false, 0, array<D, 3, 5>>, family<ops::casts<bool, std::int32_t, float, dual<float>, dual<dual<double>>>, false, 8, array<D, 13>>>;
using all_families = decltype(std::tuple_cat(unary_families(), binary_families(), exact_families(), complex_families(), view_families(), reduction_families(), other_families()));

template <class A> struct opened;
template <class T, std::int64_t... E> struct opened<array<T, E...>> {
    using extents = array<T, (E < 0 ? E : dyn)...>;
    using rank = tensor<T>;
};

// Gives arguments; integers of -1, 0 and 1 are valid places along any axis of two elements.
template <bool Special, class... A> std::vector<host_array> family_arguments() {
    std::vector<host_array> out;
    int number = 0;
    ((out.push_back(Special ? special_values(dtype_of<typename A::value_type>, A::static_dims(), 5 * number)
                            : tame_values(dtype_of<typename A::value_type>, A::static_dims(), number)),
      ++number),
     ...);
    return out;
}
template <class A> A tensor_from(host_array const& from) {
    A out = A::uninitialized(from.shape);
    std::memcpy(static_cast<void*>(out.mutable_data()), from.bytes.data(), from.bytes.size());
    return out;
}
template <class Results> std::vector<host_array> arrays_of(Results const& results) {
    std::vector<host_array> out;
    std::apply(
        [&](auto const&... r) {
            auto const add = [&]<class R>(R const& part) {
                auto const* const bytes = reinterpret_cast<std::byte const*>(part.data());
                out.push_back({dtype_of<typename R::value_type>, part.dimensions(), {bytes, bytes + static_cast<std::size_t>(part.size()) * sizeof(typename R::stored_type)}});
            };
            (add(r), ...);
        },
        results);
    return out;
}

// An executor has run<F, A...>(arguments), which gives the results.
struct known_extents_executor {
    template <class F, class... A> static std::vector<host_array> run(std::vector<host_array> const& arguments) { return run_ops<F, A...>(views_of(arguments)); }
};
struct unknown_extents_executor {
    template <class F, class... A> static std::vector<host_array> run(std::vector<host_array> const& arguments) {
        return run_ops<F, typename opened<A>::extents...>(views_of(arguments));
    }
};
struct run_time_executor {
    template <class F, class... A> static std::vector<host_array> run(std::vector<host_array> const& arguments) {
        F const own;
        function const traced{[&](auto const&... a) { return own(a...); }};
        static_assert(!decltype(traced)::is_static);
        return [&]<std::size_t... K>(std::index_sequence<K...>) { return arrays_of(traced(tensor_from<A>(arguments[K])...)); }(std::index_sequence_for<A...>{});
    }
};
// Runs what the compiler traced on tiles.
struct tiles_executor {
    template <class F, class... A> static std::vector<host_array> run(std::vector<host_array> const& arguments) {
        function const tiled{with_passes<pass_options{.kernels = kernels::tiles}>(F{})};
        static_assert(decltype(tiled)::is_static);
        return [&]<std::size_t... K>(std::index_sequence<K...>) { return arrays_of(tiled(tensor_from<A>(arguments[K])...)); }(std::index_sequence_for<A...>{});
    }
};
struct eager_executor {
    template <class F, class... A> static std::vector<host_array> run(std::vector<host_array> const& arguments) {
        return [&]<std::size_t... K>(std::index_sequence<K...>) { return arrays_of(F{}(tensor_from<A>(arguments[K])...)); }(std::index_sequence_for<A...>{});
    }
};
// Runs ops on eager tensors of unknown rank.
struct open_rank_executor {
    template <class F, class... A> static std::vector<host_array> run(std::vector<host_array> const& arguments) {
        return eager_executor::run<F, typename opened<A>::rank...>(arguments);
    }
};

template <class Executor> inline constexpr bool takes_strings = true;
// Compares the executor's results with the reference executor's on the graph as it was traced.
template <class Executor, class F, bool Special, int Epsilons, class... A> void check_family(family<F, Special, Epsilons, A...>) {
    if constexpr (!takes_strings<Executor> && (std::is_same_v<typename A::value_type, std::string> || ...)) return;
    auto const arguments = family_arguments<Special, A...>();
    graph const traced = tx::detail::compile_time_trace<F, A...>::make();
    INFO(to_text(traced));
    CHECK(strict_difference(Executor::template run<F, A...>(arguments), run_reference(traced, views_of(arguments)), Epsilons) == "");
}
template <class Executor, class... Family> void check_families(std::tuple<Family...>) { (check_family<Executor>(Family{}), ...); }

} // namespace tx::testing
