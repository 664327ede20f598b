// This file tests what the trace relies on: symbolic tensors, and asking whether a tensor may be read in a constant expression.
#include <tracexpr/base/equal.hpp>
#include <tracexpr/base/print.hpp>
#include <tracexpr/base/tensor.hpp>

#include <doctest/doctest.h>

#include <string>

using tx::dyn;
using tx::shape;
using tx::tensor;
using peek = tx::detail::tensor_access;

namespace {

struct builder : tx::detail::symbol_scope {
    int nodes = 5;
};

constexpr int nodes_of_copy() {
    builder b;
    auto const a = peek::from_symbol<tensor<float, shape<2, 3>>>(&b, 4, tx::dims_of<shape<2, 3>>);
    auto copy = a;
    tensor<float, shape<2, 3>> assigned;
    assigned = copy;
    return static_cast<builder*>(peek::symbol_owner(assigned))->nodes * 10 + peek::symbol_id(assigned);
}

constexpr bool heap_symbol() {
    builder b;
    tx::dims d;
    d.push_back(dyn);
    d.push_back(3);
    auto const a = peek::from_symbol<tensor<float, shape<dyn, 3>>>(&b, 7, d);
    tensor<float> const any = a;
    auto const big = peek::from_symbol<tensor<float, shape<100, 100>>>(&b, 8, tx::dims_of<shape<100, 100>>);
    auto const copy = big;
    return peek::is_symbolic(any) && peek::symbol_id(any) == 7 && any.dimensions()[0] == dyn && any.extent(1) == 3 &&
           peek::symbol_owner(copy) == &b;
}

} // namespace

TEST_CASE("tensor: a symbol travels with copies") {
    static_assert(nodes_of_copy() == 54);
    CHECK(nodes_of_copy() == 54);
    static_assert(heap_symbol());
    CHECK(heap_symbol());
    static_assert(!peek::is_symbolic(tensor<int, shape<>>{1}));
}

TEST_CASE("tensor: a symbolic tensor can't be read") {
    builder b;
    auto a = peek::from_symbol<tensor<float, shape<1>>>(&b, 0, tx::dims_of<shape<1>>);
    CHECK(a.extents() == std::array{1});
    CHECK_THROWS_AS((void)a.data(), tx::trace_error);
    CHECK_THROWS_AS((void)a.mutable_data(), tx::trace_error);
    CHECK_THROWS_AS((void)a.begin(), tx::trace_error);
    CHECK_THROWS_AS((void)a.end(), tx::trace_error);
    CHECK_THROWS_AS((void)a(0), tx::trace_error);
    CHECK_THROWS_AS((void)a.item(), tx::trace_error);
    CHECK_THROWS_AS((void)tx::equal(a, tensor<float, shape<1>>{1}), tx::trace_error);
    CHECK_THROWS_AS((void)tx::equal(tensor<float, shape<1>>{1}, a), tx::trace_error);
    CHECK_THROWS_AS((void)tx::to_string(a), tx::trace_error);
    CHECK_THROWS_AS((void)peek::value(a, 0), tx::trace_error);
    tensor<float, shape<dyn>> const rows = a;
    CHECK_THROWS_AS((tensor<float, shape<1>>(rows)), tx::trace_error); // would need a check when the graph runs
    try {
        (void)a.data();
    } catch (tx::trace_error const& e) {
        CHECK(std::string(e.what()) ==
              "tx: data: a symbolic tensor has no values while it is traced; return it from the callable, or compute with it "
              "(tx::where instead of if), and read the result");
    }
    a = tensor<float, shape<1>>{2};
    CHECK(a.item() == 2);
}

namespace {

tensor<float, shape<2>> variable{1, 2};
tensor<float, shape<2>> const run_time_constant{1, 2};
constexpr tensor<float, shape<2>> constant{1, 2};
tensor<float, shape<200>> heap_variable;
tensor<float> any_variable;

template <class T, class Shape> constexpr bool ask(tensor<T, Shape> const& a) { return a.readable(); }

constexpr bool variables_are_readable() { return ask(variable) || ask(run_time_constant) || ask(heap_variable) || ask(any_variable); }
constexpr bool locals_are_readable() {
    tensor<float, shape<2>> const local{1, 2};
    tensor<float, shape<2>> copy = local;
    tensor<float, shape<200>> const heap;
    tensor<float> const any{1, 2};
    return ask(local) && ask(copy) && ask(heap) && ask(any);
}
constexpr int traced(bool read) { return read ? ask(constant) && constant(1) == 2 ? 2 : 1 : 0; }

template <class F> struct in_constant {
    static constexpr auto value = F{}();
};

} // namespace

TEST_CASE("tensor: readable says what a constant evaluation may look at") {
    constexpr auto variables = [] { return variables_are_readable(); };
    constexpr auto locals = [] { return locals_are_readable(); };
    constexpr auto constants = [] { return traced(true); };
    static_assert(!in_constant<decltype(variables)>::value);
    static_assert(in_constant<decltype(locals)>::value);
    static_assert(in_constant<decltype(constants)>::value >= 1); // clang calls it a capture, g++ looks inside
    CHECK(variables_are_readable());
    CHECK(locals_are_readable());
    CHECK(heap_variable(99) == 0);
    CHECK(any_variable.size() == 0);
    CHECK(variable(1) == run_time_constant(1));
}
