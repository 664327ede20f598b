// This file tests extents inside a traced callable: the same code where types show them, where only the run knows them, and where
// even the rank is unknown.
#include "trace_helper.hpp"

#include <tracexpr/graph/print.hpp>
#include <tracexpr/passes/simplify.hpp>
#include <tracexpr/trace/functions.hpp>

using namespace trace_test;
using tx::any_shape;
using tx::dyn;
using tx::extent;
using tx::shape;
using tx::tensor;

namespace {
tensor<float, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
tensor<float, shape<4>> const v{1, 2, 3, 5};
tensor<std::int32_t, shape<3>> const w{1, 0, 5};

std::string message_of(auto const& f) {
    try {
        f();
    } catch (tx::error const& e) {
        return e.what();
    }
    return "nothing thrown";
}
bool holds(std::string const& text, std::string const& part) {
    CAPTURE(text);
    return text.find(part) != std::string::npos;
}
} // namespace

TEST_CASE("extent: a number where the type tells it, else weak as the number that it stands for") {
    using open = tx::expr<float, shape<dyn, 3>>;
    static_assert(std::is_same_v<decltype(extent<1>(std::declval<open>())), std::int64_t>);
    static_assert(std::is_same_v<decltype(extent<-2>(std::declval<open>())), tx::extent_expr>);
    static_assert(std::is_same_v<decltype(tx::size(std::declval<tensor<float>>())), std::int64_t>);
    static_assert(std::is_same_v<decltype(extent<0>(std::declval<tensor<float>>()) / 2), std::int64_t>);
    static_assert(std::is_same_v<decltype(extent<0>(std::declval<open>()) / 2), tx::extent_expr>);
    static_assert(std::is_same_v<decltype(1.0 / extent<0>(std::declval<open>())), tx::weak_expr<double>>);
    CHECK(extent<0>(x) == 2);
    CHECK(extent<-1>(tensor<float>{{1, 2, 3}}) == 3);
    CHECK(tx::size(tensor<float, shape<dyn, dyn>>{{1, 2, 3}}) == 3);
    SUBCASE("of every dtype") {
        check([](auto const& a) { return tx::sum(a) / extent<0>(a); }, tensor<float>(10.5f), x);
        check([](auto const& a) { return tx::sum(a) / tx::size(a); }, tensor<float>(3.5f), x);
        check([](auto const& a) { return tx::sum(a) * extent<-1>(a); }, tensor<std::int64_t>(18), w);
        check([](auto const& a) { return a + extent<0>(a); }, tensor<double>{2.5, 3.5}, tensor<double, shape<2>>{0.5, 1.5});
        check([](auto const& a) { return a * extent<0>(a); }, tensor<tx::half>{tx::half(1.0f), tx::half(3.0f)}, tensor<tx::half, shape<2>>{tx::half(0.5f), tx::half(1.5f)});
        check([](auto const& a) { return a - extent<0>(a); }, tensor<std::int64_t>{-1, 0}, tensor<std::int64_t, shape<2>>{1, 2});
        check([](auto const& a) { return a > extent<0>(a); }, tensor<bool>{false, false, false, true}, v);
    }
    SUBCASE("C++ arithmetic") {
        check([](auto const& a) { auto const n = extent<0>(a); return a * 0 + (n + 3) / 2 + 100 * (n % 3) + (n - 6) / 4 * 1000; }, tensor<float>{103, 103, 103, 103}, v);
        check([](auto const& a) { auto const n = extent<0>(a); return a * 0 + (n - 7) / 2 + (n - 7) % 2 * 10 - -n; }, tensor<float>{-7, -7, -7, -7}, v);
        check([](auto const& a) { auto const n = extent<0>(a); return a * 0 + (n * n - n / 2 + 20 / n - 9 % n + (7 - n)); }, tensor<float>{21, 21, 21, 21}, v);
    }
}

TEST_CASE("extent: functions of integers are extents, too, and what depends on elements is not") {
    tx::trace_scope scope;
    tx::expr<float, shape<dyn>> const a(scope, scope.recorded.append_parameter(tx::dtype::float32, {{dyn}, 1}));
    auto const n = extent<0>(a);
    CHECK(scope.recorded.shape_of(tx::zeros<float, shape<dyn>>(tx::maximum(n - 5, 0)).id()) == tx::dims{{dyn}, 1});
    CHECK(scope.recorded.shape_of(tx::zeros<float, shape<dyn, 4>>(tx::minimum(n, 7), 4).id()) == tx::dims{{dyn, 4}, 2});
    CHECK(holds(message_of([&] { (void)tx::zeros<float, shape<dyn>>(tx::cast<std::int64_t>(tx::sum(a))); }), "tx: zeros: while it is traced, an extent must be"));
    CHECK(holds(message_of([&] { (void)tx::reshape<shape<dyn>>(a, tx::argmax(a)); }), "tx: reshape: while it is traced, an extent must be"));
    CHECK(complaint(scope.recorded) == "");
}

TEST_CASE("extent: what the trace knows is a number of the graph") {
    tx::trace_scope scope;
    tx::expr<float, shape<dyn>> const a(scope, scope.recorded.append_parameter(tx::dtype::float32, {{6}, 1}));
    auto const n = extent<0>(a);
    CHECK(scope.recorded[((n + 1) / 2 * 3 - n % 4).id()].code == tx::op::literal);
    CHECK(scope.recorded.shape_of(tx::zeros<float, shape<dyn, dyn>>(n / 2, tx::maximum(n, 7)).id()) == tx::dims{{3, 7}, 2});
    CHECK(a.extent(0) == 6);
    CHECK((a * 2 + tx::zeros<float, shape<dyn>>(n)).extent(-1) == 6);
    CHECK(message_of([&] { (void)tx::zeros<float, shape<dyn>>(n - 8); }) == "tx: zeros: extents must not be negative; given (-2,)");
    CHECK(message_of([&] { (void)tx::ones<float, shape<dyn, 5>>(3, n); }) == "tx: ones: extents must be those that the type tells; given (3, 6)");
    CHECK(message_of([&] { (void)tx::ones<float>(shape<dyn, 5>{}, 3, n); }) == "tx: ones: extents must be those that the type tells; given (3, 6)");
}

TEST_CASE("extent: zeros of x's own extents cost nothing") {
    tx::trace_scope scope;
    tx::expr<float, shape<dyn, dyn>> const a(scope, scope.recorded.append_parameter(tx::dtype::float32, {{dyn, dyn}, 2}));
    add_outputs(scope, a + tx::full<float, shape<dyn, dyn>>(-0.0f, extent<0>(a), extent<1>(a)));
    add_outputs(scope, tx::zeros<float, shape<dyn, dyn>>(extent<1>(a), extent<0>(a)) + 1);
    add_outputs(scope, tx::cast<std::int64_t>(extent<1>(tx::zeros<float, shape<dyn, dyn>>(3, extent<1>(a) + 2))));
    tx::graph const lean = tx::simplify(scope.recorded.view());
    CHECK(complaint(lean) == "");
    CHECK(tx::to_text(lean) == "%0 = arg0 : float32[?,?]\n%1 = literal(1) : float32[]\n%2 = axis_size(%0) {axes=[1]} : int64[]\n"
                               "%3 = axis_size(%0) {axes=[0]} : int64[]\n%4 = extents(%2, %3) {shape=[-1, -2]} : bool[?,?]\n"
                               "%5 = broadcast_to(%1, %4) : float32[?,?]\n%6 = literal(2) : int64[]\n%7 = add(%2, %6) : int64[]\nreturn %0, %5, %7\n");
}
