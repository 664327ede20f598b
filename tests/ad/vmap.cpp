// This file tests tx::vmap as users call it: axes, nesting, who traces it, and errors of calls.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace {

template <std::int64_t... E> using doubles = tx::tensor<double, tx::shape<E...>>;
constexpr std::int64_t open = tx::dyn;

template <class A, class B> bool near(A const& a, B const& b) {
    if (a.extents() != b.extents()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a.data()[i] - b.data()[i]) <= 1e-14 * std::max(1.0, std::abs(b.data()[i])))) return false;
    return true;
}
struct dot_fn {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const { return tx::sum(a * b); }
};
constexpr dot_fn dot{};
doubles<2, 3> const x{{1, 2, 3}, {4, 5, 6}};

} // namespace

TEST_CASE("vmap: axes of arguments and results") {
    doubles<3> const v{1, 10, 100};
    doubles<3, 2> const y{{1, 0}, {10, 1}, {100, 2}};
    CHECK(near(tx::vmap(dot)(x, x), doubles<2>{14, 77}));
    CHECK(near(tx::vmap<0, tx::none>(dot)(x, v), doubles<2>{321, 654}));
    CHECK(near(tx::vmap<0, 1>(dot)(x, y), doubles<2>{321, 17}));
    CHECK(near(tx::vmap<-2, -1>(dot)(x, y), doubles<2>{321, 17}));
    auto const rows = [](auto const& a) { return std::tuple(a * 2.0, tx::sum(a)); };
    auto const [last, sums] = tx::vmap<0>(rows, tx::out_axes<-1, 0>)(x);
    CHECK(near(last, doubles<3, 2>{{2, 8}, {4, 10}, {6, 12}}));
    CHECK(near(sums, doubles<2>{6, 15}));
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(last)>, doubles<3, 2>>);
    // What no example changes is there for each.
    CHECK(near(tx::vmap([](auto const&) { return 7.0; })(x), doubles<2>{7, 7}));
}

TEST_CASE("vmap: nested, one result for each pair") {
    auto const distance = [](auto const& a, auto const& b) { return tx::sum(tx::square(a - b)); };
    auto const all = tx::vmap<0, tx::none>(tx::vmap<tx::none, 0>(distance));
    doubles<1, 3> const y{{1, 1, 1}};
    CHECK(near(all(x, x), doubles<2, 2>{{0, 27}, {27, 0}}));
    CHECK(near(all(x, y), doubles<2, 1>{{5}, {50}}));
    CHECK(near(all(doubles<open, 3>(x), doubles<open, open>(y)), doubles<2, 1>{{5}, {50}}));
    CHECK(near(all(tx::tensor<double>(x), tx::tensor<double>(y)), doubles<2, 1>{{5}, {50}}));
    // One node an op, however many examples: placeholders and what was recorded for one are gone.
    constexpr auto graph = tx::graph_of<tx::spec<double, tx::shape<2, 3>>, tx::spec<double, tx::shape<5, 3>>>(all);
    static_assert(graph.size() <= 8);
}

TEST_CASE("vmap: the compiler traces it where it traces the callable") {
    constexpr auto total = tx::vmap(tx::grad([](auto const& a) { return tx::sum(tx::sin(a)); }));
    static_assert(tx::function<std::remove_const_t<decltype(total)>>::is_static);
    constexpr auto graph = tx::graph_of<tx::spec<double, tx::shape<2, 3>>>(total);
    static_assert(graph.size() == 2); // the argument and its cosine
    double const scale = 3;
    auto const captured = tx::vmap([scale](auto const& a) { return tx::sum(a) * scale; });
    static_assert(!tx::function<std::remove_const_t<decltype(captured)>>::is_static);
    CHECK(near(captured(x), doubles<2>{18, 45}));
}

TEST_CASE("vmap: what only the run shows") {
    auto const sums = tx::vmap(dot);
    tx::tensor<double> const two(x), three(doubles<3, 3>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}), scalar(doubles<>(1.0));
    CHECK(message_of([&] { sums(two, three); }) == "tx: vmap: all mapped arguments must have one extent along their axes; given 2 and 3");
    CHECK(message_of([&] { sums(two, scalar); }) == "tx: vmap: an argument of shape () has no axis 0");
    using rows = doubles<open, 3>;
    CHECK(message_of([&] { sums(rows(x), rows(three)); }) == "tx: vmap: all mapped arguments must have one extent along their axes; given 2 and 3");
    rows const one(doubles<1, 3>{{1, 2, 3}}); // ops would broadcast it
    CHECK(message_of([&] { sums(one, rows(x)); }) == "tx: vmap: all mapped arguments must have one extent along their axes; given 1 and 2");
    CHECK_THROWS_AS(tx::function{sums}(rows(x), one), tx::shape_error);
    doubles<open> out;
    CHECK_THROWS_AS(tx::function{sums}.into(out, rows(x), one), tx::shape_error);
    CHECK(tx::vmap<0, tx::none>([](auto const& a, auto const& b) { return tx::sum(a * b); })(rows(x), one).size() == 2);
    CHECK(tx::vmap(dot)(doubles<open, 3>(doubles<0, 3>{}), doubles<0, 3>{}).extents() == tx::extent_list(tx::dims{{0}, 1}));
    CHECK(message_of([&] {
              double const capture = 1;
              auto const leaks = [capture](auto const& a) {
                  auto last = tx::sum(a);
                  static_cast<void>(tx::vmap([&](auto const& row) { return last = tx::sum(row) * capture; })(a));
                  return last;
              };
              tx::function{leaks}(x);
          }) == "tx: vmap: a value of one example was used outside of the callable that is mapped; return it from there");
}
