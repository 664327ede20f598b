// This file tests errors at run time: their messages, and that nothing has changed afterwards. Errors that types show are tested
// in tests/fail.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <optional>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

} // namespace

TEST_CASE("errors: extents that don't fit, known at run time") {
    tx::function add{[](auto x, auto y) { return x + y; }};
    tx::function product{[](auto x, auto y) { return tx::matmul(x, y); }};
    SUBCASE("open extents") {
        using open = tensor<float, shape<dyn>>;
        std::string const text = message_of<tx::shape_error>([&] { add(open{1, 2}, open{1, 2, 3}); });
        CHECK(has(text, "add"));
        CHECK(has(text, "(2,)"));
        CHECK(has(text, "(3,)"));
        CHECK(same(add(open{1, 2}, open{1, 2}), open{2, 4}));
        using matrix = tensor<float, shape<dyn, dyn>>;
        CHECK(has(message_of<tx::shape_error>([&] { product(matrix{{1, 2}}, matrix{{1, 2}}); }), "matmul"));
        CHECK(message_of<tx::shape_error>([] { static_cast<void>(tx::slice(matrix{{1, 2}}, tx::at<-2>)); }) ==
              "tx: slice: index -2 is out of bounds for axis 0 with size 1");
        CHECK(message_of<tx::shape_error>([] { static_cast<void>(tx::slice(tensor<float>{{1, 2}}, tx::range<>, tx::at<3>)); }) ==
              "tx: slice: index 3 is out of bounds for axis 1 with size 2");
        CHECK(tx::slice(matrix{{1, 2}}, tx::range<>, tx::at<-1>).item() == 2);
    }
    SUBCASE("open ranks") {
        std::string const text = message_of<tx::shape_error>([&] { add(tensor<float>{1, 2}, tensor<float>{1, 2, 3}); });
        CHECK(has(text, "add"));
        CHECK(has(text, "(2,)"));
        CHECK(has(text, "(3,)"));
    }
    SUBCASE("eager ops") {
        std::string const text = message_of<tx::shape_error>([] { static_cast<void>(tensor<float>{1, 2} + tensor<float>{1, 2, 3}); });
        CHECK(has(text, "add"));
    }
    SUBCASE("a trace of more than the call shows") {
        tx::function f{[](auto x, auto y) { return x + y; }, tx::options{.reduce_retracing = true}};
        f(tensor<float>{1, 2}, tensor<float>{1, 2});
        f(tensor<float>{1, 2, 3}, tensor<float>{1, 2, 3});
        CHECK_THROWS_AS(f(tensor<float>{1, 2}, tensor<float>{1, 2, 3}), tx::shape_error);
        CHECK(f.tracing_count() == 2);
    }
}

TEST_CASE("errors: a trace that throws is not remembered") {
    bool fails = true;
    tx::function f{[&](auto x) {
        if (fails) throw tx::error("tx: test: not now");
        return x + 1;
    }};
    tensor<float> out{7};
    CHECK_THROWS_AS(f(tensor<float>{1, 2}), tx::error);
    CHECK_THROWS_AS(f.into(out, tensor<float>{1, 2}), tx::error);
    CHECK(f.tracing_count() == 0);
    CHECK(f.signatures().empty());
    CHECK(same(out, tensor<float>{7}));
    fails = false;
    CHECK(same(f(tensor<float>{1, 2}), tensor<float>{2, 3}));
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("errors: symbolic values outside their trace") {
    std::optional<tx::expr<float, shape<2>>> escaped;
    tensor<float, shape<2>> kept;
    tx::function leak{[&](auto x) {
        escaped = x;
        kept = x;
        return x;
    }};
    leak(tensor<float, shape<2>>{1, 2});
    SUBCASE("used in another trace") {
        tx::function user{[&](auto x) { return x + *escaped; }};
        CHECK(has(message_of<tx::trace_error>([&] { user(tensor<float, shape<2>>{1, 2}); }), "outside the trace it belongs to"));
        tx::function second{[&](auto x) { return x + kept; }};
        CHECK(has(message_of<tx::trace_error>([&] { second(tensor<float, shape<2>>{1, 2}); }), "outside the trace it belongs to"));
    }
    SUBCASE("computed with") {
        auto const fails = [](auto call) { CHECK(has(message_of<tx::trace_error>(call), "outside the trace it belongs to")); };
        tensor<float, shape<2>> const ones{1, 1};
        fails([&] { static_cast<void>(kept + 1); });
        fails([&] { static_cast<void>(kept + ones); });
        fails([&] { static_cast<void>(tx::sum(kept)); });
        fails([&] { static_cast<void>(*escaped + *escaped); });
        fails([&] { static_cast<void>(tx::function{[](auto x) { return x * 2; }}(*escaped)); });
        tx::function again{[&](auto x) { return kept + x; }};
        leak.clear();
        fails([&] { again(ones); }); // another trace may lie where the first did
        fails([&] { static_cast<void>(kept * *escaped); });
    }
    SUBCASE("assigned to a variable") {
        tx::variable v{tensor<float, shape<2>>{1, 2}};
        CHECK_THROWS_AS(v.assign(kept), tx::trace_error);
        CHECK(same(v.value(), tensor<float, shape<2>>{1, 2}));
    }
    SUBCASE("read") {
        CHECK(has(message_of<tx::trace_error>([&] { static_cast<void>(kept.data()); }), "data"));
        CHECK_THROWS_AS(static_cast<void>(tx::equal(kept, kept)), tx::trace_error);
    }
    SUBCASE("read while it is traced") {
        tx::function reads{[](auto x) {
            tensor<float, shape<2>> const t = x;
            return t(0) > 0 ? x : -x;
        }};
        CHECK(has(message_of<tx::trace_error>([&] { reads(tensor<float, shape<2>>{1, 2}); }), "tx: operator(): a symbolic tensor has no values while it is traced; x(i, j) of a tensor is a number: write x[i][j]"));
        CHECK(reads.tracing_count() == 0);
    }
}

TEST_CASE("errors: signature_error says which argument, and what it should have been") {
    tx::function f{[](auto x) { return x; }, tx::signature<tx::spec<float, shape<dyn, 2>>>{}};
    CHECK(message_of<tx::signature_error>([&] { f(tensor<float>{1, 2}); }) == "tx: function: argument 0 must be float32[?,2], as the signature says; given float32[2]");
    float const two = 2;
    auto const c = tx::function{[two](auto x) { return x * two; }, tx::options{}}.concrete<tx::spec<float, shape<dyn>>>();
    CHECK(same(c(tensor<float, shape<dyn>>{1}), tensor<float, shape<dyn>>{2}));
}

TEST_CASE_TEMPLATE("errors: shapes that a call asks for", T, tensor<float, shape<dyn, dyn>>, tensor<float>) {
    T const row{{1, 2}}, rows{{1, 2}, {3, 4}};
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::reshape<3, -1>(row)); }) ==
          "tx: reshape: the size must stay the same, and the extents beside -1 must divide it; given (1, 2), wanted (3, -1)");
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::split<2>(row, tx::axis<0>)); }) ==
          "tx: split: the extent of the axis must be divisible by the number of sections; split_at takes parts of any size; given "
          "(1, 2), 2 sections along axis 0");
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::broadcast_to<4, 3>(row)); }) ==
          "tx: broadcast_to: an extent can only be broadcast from 1; given (1, 2), wanted (4, 3)");
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::stack(tx::axis<0>, row, rows)); }) ==
          "tx: stack: the operands must have the same shape; given (1, 2), (2, 2)");
}

TEST_CASE("errors: results whose extents aren't those of their type") {
    tx::function g{[](auto x) { return tx::reshape<2>(x); }};
    CHECK_THROWS_AS(g(tensor<float>{1, 2, 3}), tx::shape_error);
    CHECK(g.tracing_count() == 0);
    CHECK(g(tensor<float>{1, 2}).size() == 2);
}

TEST_CASE("errors: constants in a trace whose types leave their extents open") {
    auto const x = tx::ones<float, shape<150>>();
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::function{[](auto v) { return v + tx::arange<float>(5); }}(x)); }) ==
          "tx: add: shapes must broadcast: extents, aligned from the right, are equal or 1; given (150,), (5,)");
    CHECK(message_of<tx::shape_error>([&] {
              static_cast<void>(tx::function{[](auto v) { return tx::where(v > 0, v, tx::full<float>(1.f, 7)); }}(x));
          }) == "tx: where: shapes must broadcast: extents, aligned from the right, are equal or 1; given (150,), (150,), (7,)");
    CHECK(tx::function{[](auto v) { return v + tx::arange<float>(150); }}(x).data()[149] == 150);
}
