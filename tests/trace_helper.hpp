// This file runs an op's lambda on concrete tensors through the reference executor: traced at run time, with the shapes that
// types show, with all extents open, and with only the rank known while tracing. All must give the same.
#pragma once

#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/base/print.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/trace/expr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <tuple>

namespace trace_test {

template <class T, class Shape> tx::array_view view_of(tx::tensor<T, Shape> const& x) { return {x.data(), tx::dtype_of<T>, x.dimensions()}; }

constexpr tx::dims with_open_extents(tx::dims d) {
    for (int a = 0; a < d.rank; ++a) d[a] = tx::dyn;
    return d;
}

struct as_given {
    template <class T, class Shape> static tx::expr<T, Shape> parameter(tx::trace_scope& scope, tx::tensor<T, Shape> const& x) {
        return {scope, scope.recorded.append_parameter(tx::dtype_of<T>, x.static_dims())};
    }
};
struct open_extents {
    template <class Shape> struct owner { static constexpr tx::dims value = with_open_extents(tx::dims_of<Shape>); };
    template <class T, class Shape> static auto parameter(tx::trace_scope& scope, tx::tensor<T, Shape> const&) {
        return tx::expr<T, tx::shape_from<owner<Shape>>>(scope, scope.recorded.append_parameter(tx::dtype_of<T>, owner<Shape>::value));
    }
};
struct open_rank {
    template <class T, class Shape> static tx::expr<T, tx::any_shape> parameter(tx::trace_scope& scope, tx::tensor<T, Shape> const& x) {
        return {scope, scope.recorded.append_parameter(tx::dtype_of<T>, with_open_extents(x.dimensions()))};
    }
};

template <class E> void add_outputs(tx::trace_scope& scope, E const& e) {
    CHECK(scope.recorded[e.id()].type == tx::dtype_of<typename E::value_type>);
    CHECK(tx::may_equal(scope.recorded.shape_of(e.id()), tx::dims_of<typename E::shape_type>));
    scope.recorded.add_output(e.id());
}
template <class... E> void add_outputs(tx::trace_scope& scope, std::tuple<E...> const& results) {
    std::apply([&](auto const&... e) { (add_outputs(scope, e), ...); }, results);
}
template <class E, std::size_t N> void add_outputs(tx::trace_scope& scope, std::array<E, N> const& results) {
    for (E const& e : results) add_outputs(scope, e);
}

inline std::string complaint(tx::graph const& g) {
    tx::finding const found = tx::first_problem(g);
    return found.problem ? found.problem + (" at node " + std::to_string(static_cast<int>(found.at))) : "";
}

template <class Signature, class Fn, class... T> std::vector<tx::host_array> run(Fn fn, T const&... tensors) {
    tx::trace_scope scope;
    auto const arguments = std::tuple{Signature::parameter(scope, tensors)...};  // braces evaluate in order
    add_outputs(scope, std::apply(fn, arguments));
    std::string const found = complaint(scope.recorded);
    CHECK(found == "");
    std::vector<tx::array_view> const views{view_of(tensors)...};
    return tx::run_reference(scope.recorded, views);
}

// Are the numbers equal, both NaN, or closer than the tolerance relative to the larger?
template <class T> bool close(T a, T b, double tolerance) {
    if constexpr (tx::is_complex(tx::dtype_of<T>)) {
        return close(a.real(), b.real(), tolerance) && close(a.imag(), b.imag(), tolerance);
    } else {
        auto const x = static_cast<double>(a), y = static_cast<double>(b);
        return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= tolerance * std::max(std::abs(x), std::abs(y));
    }
}

// Says what differs; empty where nothing does.
template <class T, class Shape> std::string difference(tx::host_array const& got, tx::tensor<T, Shape> const& wanted, double tolerance) {
    std::ostringstream out;
    if (got.type != tx::dtype_of<T>) out << "dtype " << tx::name(got.type) << ", not " << tx::name(tx::dtype_of<T>) << "; ";
    if (!(got.shape == wanted.dimensions())) out << "shape " << tx::to_string(got.shape) << ", not " << tx::to_string(wanted.dimensions());
    if (!out.str().empty()) return out.str();
    T const* const elements = got.data<T>();
    for (std::int64_t i = 0; i < wanted.size(); ++i)
        if (!close(elements[i], wanted.data()[i], tolerance)) {
            out << "element " << i << " is " << tx::tensor<T, tx::shape<>>(elements[i]) << ", not " << tx::tensor<T, tx::shape<>>(wanted.data()[i]);
            break;
        }
    return out.str();
}

template <class Signature, class Fn, class Wanted, class... T> void check_signature(Fn fn, double tolerance, Wanted const& wanted, T const&... tensors) {
    auto const got = run<Signature>(fn, tensors...);
    REQUIRE(got.size() == 1);
    CHECK(difference(got[0], wanted, tolerance) == "");
}
// Checks that fn(tensors...) gives `wanted`, whatever the types show of the shapes.
template <class Fn, class W, class S, class... T> void check(Fn fn, tx::tensor<W, S> const& wanted, T const&... tensors) {
    double const tolerance = tx::is_inexact(tx::dtype_of<W>) ? (tx::size_in_bytes(tx::real_part(tx::dtype_of<W>)) == 8 ? 1e-14 : 4e-7) : 0;
    { INFO("shapes as given"); check_signature<as_given>(fn, tolerance, wanted, tensors...); }
    { INFO("open extents"); check_signature<open_extents>(fn, tolerance, wanted, tensors...); }
    { INFO("open rank"); check_signature<open_rank>(fn, tolerance, wanted, tensors...); }
}
// Checks an op that needs to know its operands' extents.
template <class Fn, class W, class S, class... T> void check_static(Fn fn, tx::tensor<W, S> const& wanted, T const&... tensors) {
    check_signature<as_given>(fn, tx::is_inexact(tx::dtype_of<W>) ? 4e-7 : 0, wanted, tensors...);
}
template <class W, class S> void check_one(tx::host_array const& got, tx::tensor<W, S> const& wanted) { CHECK(difference(got, wanted, 0) == ""); }
// Checks an op that returns several results.
template <class Signature, class Fn, class... W, class... T> void check_all(Fn fn, std::tuple<W...> const& wanted, T const&... tensors) {
    auto const got = run<Signature>(fn, tensors...);
    REQUIRE(got.size() == sizeof...(W));
    std::size_t k = 0;
    std::apply([&](auto const&... w) { (check_one(got[k++], w), ...); }, wanted);
}

// Does fn, on exprs of types A, give an expr of type Wanted?
template <class Wanted, class... A, class Fn> constexpr bool gives(Fn) {
    return std::is_same_v<Wanted, decltype(std::declval<Fn>()(std::declval<A const&>()...))>;
}
template <std::int64_t... E> using floats = tx::expr<float, tx::shape<E...>>;
template <std::int64_t... E> using ints = tx::expr<std::int64_t, tx::shape<E...>>;

} // namespace trace_test
