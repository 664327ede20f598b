#include <messages.hpp>

#include <tracexpr/base/equal.hpp>
#include <tracexpr/base/tensor.hpp>
#include <tracexpr/run/trees/fields.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using tx::any_shape;
using tx::dyn;
using tx::equal;
using tx::shape;
using tx::tensor;
using peek = tx::detail::tensor_access;

namespace {

tx::dims dims_for(std::initializer_list<std::int64_t> extents) {
    tx::dims out;
    for (std::int64_t const extent : extents) out.push_back(extent);
    return out;
}

} // namespace

TEST_CASE("tensor: nested braces of a static shape") {
    constexpr tensor<float, shape<2, 3>> a{{1, 2, 3}, {4, 5, 6.5}};
    static_assert(a(0, 0) == 1 && a(0, 2) == 3 && a(1, 0) == 4 && a(1, 2) == 6.5f);
    static_assert(a.rank() == 2 && a.size() == 6 && a.extent(1) == 3 && a.extent(-2) == 2);
    CHECK_THROWS_WITH_AS(static_cast<void>(a.extent(2)), "tx: extent: the axis must be one of the 2 of shape (2, 3); given 2", tx::shape_error);
    static_assert(a.extents() == std::array{2, 3});
    static_assert(a.data()[3] == 4 && *(a.end() - 1) == 6.5f);

    constexpr tensor<double, shape<1>> one{3.};
    static_assert(one.rank() == 1 && one.item() == 3);
    constexpr tensor<int, shape<2, 1>> column{{1}, {2}};
    static_assert(column(1, 0) == 2);
    constexpr tensor<int, shape<1, 2, 2>> cube{{{1, 2}, {3, 4}}};
    static_assert(cube(0, 1, 0) == 3);
    constexpr tensor<int, shape<1, 1, 1, 1, 1, 1, 1, 2>> deep{{{{{{{{7, 8}}}}}}}};
    static_assert(deep(0, 0, 0, 0, 0, 0, 0, 1) == 8);
    CHECK(deep(0, 0, 0, 0, 0, 0, 0, 0) == 7);

    constexpr tensor<float, shape<3>> zeros;
    static_assert(zeros(0) == 0 && zeros(2) == 0);
    constexpr tensor<float, shape<3>> also_zeros{};
    static_assert(equal(zeros, also_zeros));
}

TEST_CASE("tensor: a scalar is a tensor of rank 0") {
    constexpr tensor<float, shape<>> a{3.f};
    constexpr tensor<float, shape<>> b = 3;
    constexpr tensor<float, shape<>> c = 3.;
    static_assert(a.rank() == 0 && a.size() == 1 && a.item() == 3 && a() == 3);
    static_assert(equal(a, b) && equal(a, c));
    tensor<double> const d = 2.5;
    CHECK(d.rank() == 0);
    CHECK(d.item() == 2.5);
    static_assert(!std::is_convertible_v<float, tensor<float, shape<1>>>);
    static_assert(!std::is_convertible_v<double, tensor<int>>);
}

TEST_CASE("tensor: rank from the braces") {
    CHECK(tensor<float>{1, 2}.extents() == std::array{2});
    CHECK(tensor<float>{1}.extents() == std::array{1});
    CHECK(tensor<float>{{1}}.extents() == std::array{1, 1});
    CHECK(tensor<float>{{1}, {2}}.extents() == std::array{2, 1});
    CHECK(tensor<float>{{{1}}, {{2}}}.extents() == std::array{2, 1, 1});
    CHECK(tensor<float>{{}, {}}.extents() == std::array{2, 0});
    CHECK(tensor<int>{{{{{{{{1, 2}}}}}}}}.rank() == 8);
    tensor<float> const a = {{1, 2}, {3, 4}};
    CHECK(a.rank() == 2);
    CHECK(a(1, 0) == 3);
    auto const rank_of = [](tensor<float> const& x) { return x.rank(); };
    CHECK(rank_of({{1, 2}, {3, 4}}) == 2);
    tensor<std::complex<float>, shape<2>> const c{{1, 2}, 3};
    CHECK(c(0) == std::complex<float>(1, 2));
    CHECK(c(1) == std::complex<float>(3, 0));
}

TEST_CASE("tensor: braces of a dyn shape") {
    tensor<double, shape<dyn, 2>> const a{{1, 2}, {3, 4}, {5, 6}};
    CHECK(a.extents() == std::array{3, 2});
    CHECK(a(2, 1) == 6);
    CHECK(tensor<double, shape<dyn>>{}.size() == 0);
    CHECK(tensor<double, shape<dyn, dyn, dyn>>{{}, {}}.extents() == std::array{2, 0, 0});
    CHECK(message_of([] { tensor<double, shape<dyn, 65>>{{1, 2}, {3, 4}}; }) ==
          "tx: tensor: the type says shape (?, 65); given shape (2, 2)");
    tensor<double, shape<3, dyn>> const rows{{1, 2}, {3, 4}, {5, 6}};
    CHECK(rows.extents() == std::array{3, 2});
    CHECK(message_of([] { tensor<double, shape<3, dyn>>{{1, 2}, {3, 4}, {5}}; }) ==
          "tx: tensor: lists side by side must be equally long; along axis 1 one has 2 elements, another 1");
}

TEST_CASE("tensor: braces that don't make a tensor") {
    CHECK_THROWS_AS((tensor<float>{{1, 2}, {3}}), tx::shape_error);
    CHECK(message_of([] { tensor<float>{{1, 2}, {3}}; }) ==
          "tx: tensor: lists side by side must be equally long; along axis 1 one has 2 elements, another 1");
    CHECK(message_of([] { tensor<float, shape<2, dyn>>{{1, 2}, {3}}; }) ==
          "tx: tensor: lists side by side must be equally long; along axis 1 one has 2 elements, another 1");
    CHECK(message_of([] { tensor<float, shape<65, 2>>{{1, 2}, {3, 4}}; }) ==
          "tx: tensor: the type says shape (65, 2); given shape (2, 2)");
    CHECK(message_of([] { tensor<float, shape<65>>{1, 2, 3}; }) == "tx: tensor: the type says shape (65,); given shape (3,)");
    CHECK(message_of([] { tensor<float>{{1, 2}, 3}; }) ==
          "tx: tensor: scalars and lists can't stand side by side; the braces mix them at axis 1");
    CHECK(message_of([] { tensor<float>{1, {2, 3}}; }) ==
          "tx: tensor: scalars and lists can't stand side by side; the braces mix them at axis 1");
    CHECK(message_of([] { tensor<int>{{{{{{{{{1}}}}}}}}}; }) ==
          "tx: tensor: a tensor has at most 8 axes; the braces nest deeper");
}

TEST_CASE("tensor: values keep their kind and must fit") {
    int const three = 3;
    double const third = 1. / three;
    tensor<float, shape<3>> const a{three, third, true}; // no narrowing errors, no warnings
    CHECK(a(1) == static_cast<float>(third));
    tensor<tx::half, shape<2>> const h{1, 0.5};
    CHECK(h(1) == tx::half(0.5f));
    tensor<bool, shape<2>> const b{true, false};
    CHECK(b(0));
    CHECK(message_of([] { tensor<std::int8_t>{1, 300}; }) == "tx: tensor: every value must fit the dtype; 300 does not fit int8");
    CHECK(message_of([] { tensor<std::uint8_t, shape<>>{-1}; }) == "tx: tensor: every value must fit the dtype; -1 does not fit uint8");
    CHECK_THROWS_AS(tensor<std::int8_t>{300}, tx::type_error);
    static_assert(!std::is_constructible_v<tensor<int, shape<>>, double>);
    static_assert(!std::is_constructible_v<tensor<bool, shape<>>, int>);
}

TEST_CASE_TEMPLATE("tensor: every dtype", T, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, tx::half, tx::bfloat16, float, double, std::complex<float>, std::complex<double>) {
    constexpr tensor<T, shape<2>> a{T(1), T(0)};
    static_assert(a(0) == T(1) && a(1) == T(0));
    tensor<T> const b = a;
    CHECK(equal(a, b));
    tensor<T, shape<1000>> c;
    CHECK(c(999) == T(0));
    c.mutable_data()[999] = T(1);
    CHECK(c(999) == T(1));
}

TEST_CASE("tensor: equal compares two dtypes in their common one") {
    constexpr tensor<int, shape<2>> n{1, 2};
    static_assert(equal(n, tensor<float, shape<2>>{1, 2}) && !equal(n, tensor<float, shape<2>>{1, 2.5f}));
    auto const equals_numbers = [&]<class... T>(T const&...) { return (... && (equal(n, tensor<T>{T(1), T(2)}) && equal(tensor<T>{T(1), T(2)}, tensor<tx::half>{1, 2}))); };
    CHECK(equals_numbers(std::int8_t{}, std::uint64_t{}, tx::half{}, tx::bfloat16{}, 0.0, std::complex<float>{}, tx::dual<float>{}));
    CHECK(equal(tensor<std::complex<float>>{1.f, 2.f}, tensor<std::complex<double>>{1., 2.}));
    CHECK(equal(tensor<bool>{true, false}, tensor<int>{1, 0}));
    CHECK(!equal(n, tensor<float>{1}));
}

TEST_CASE("tensor: between shape types") {
    tensor<float, shape<2, 2>> const fixed{{1, 2}, {3, 4}};
    tensor<float, shape<dyn, 2>> const rows = fixed;
    tensor<float, shape<dyn, dyn>> const both = rows;
    tensor<float> const any = both;
    CHECK(any.extents() == std::array{2, 2});
    CHECK(equal(fixed, any));
    CHECK(any.data() == rows.data()); // heap to heap shares
    CHECK(equal(tensor<float, shape<2, 2>>(any), fixed));
    CHECK(equal(tensor<float, shape<dyn, 2>>(any), fixed));

    static_assert(!std::is_convertible_v<tensor<float>, tensor<float, shape<2, 2>>>);
    static_assert(!std::is_convertible_v<tensor<float, shape<dyn, 2>>, tensor<float, shape<2, 2>>>);
    static_assert(!std::is_constructible_v<tensor<float, shape<2, 2>>, tensor<float, shape<2, 3>>>);
    static_assert(!std::is_constructible_v<tensor<double, shape<2>>, tensor<float, shape<2>>>);
    CHECK(message_of([&] { (void)tensor<float, shape<2, 3>>(any); }) == "tx: tensor: the type says shape (2, 3); given shape (2, 2)");
    CHECK(message_of([&] { (void)tensor<float, shape<dyn>>(any); }) == "tx: tensor: the type says shape (?,); given shape (2, 2)");
    CHECK_THROWS_AS((tensor<float, shape<3, dyn>>(both)), tx::shape_error);

    tensor<float, shape<40, 40>> const unwritten;
    CHECK(tensor<float>(unwritten)(39, 39) == 0);
}

TEST_CASE("tensor: a copy never aliases a later write") {
    tensor<float> a{{1, 2}, {3, 4}};
    tensor<float> b = a;
    CHECK(a.data() == b.data());
    b.mutable_data()[0] = 9;
    CHECK(a(0, 0) == 1);
    CHECK(b(0, 0) == 9);
    float const* const before = b.data();
    CHECK(b.mutable_data() == before); // not shared any more: no second copy
    tensor<float> c = std::move(b);
    CHECK(c.data() == before);
    CHECK(b.size() == 0); // moved from: as constructed by default
    b = c;
    a = std::move(c);
    CHECK(equal(a, b));
    auto& self = a;
    a = self;
    CHECK(a(0, 0) == 9);
    a = std::move(self);
    CHECK(a(1, 1) == 4);
}

// May it be made of so many numbers in braces?
template <class Tensor, int... Number> concept is_listed_by = requires { Tensor{Number...}; };
TEST_CASE("tensor: the compiler counts what stands in braces") {
    using three = tensor<float, shape<3>>;
    static_assert(is_listed_by<three, 1, 2, 3> && !is_listed_by<three, 1>);
    static_assert(!std::is_convertible_v<int, three> && !std::is_constructible_v<three, int>);
    constexpr tensor<int, shape<3, 1>> column{{0}, {5}, {6}};
    static_assert(column(0, 0) == 0 && column(1, 0) == 5 && column(2, 0) == 6);
    constexpr tensor<std::complex<float>, shape<1>> imaginary{{0, 1}};
    static_assert(imaginary(0).imag() == 1);
    float const x = 3;
    auto const second = [](three const& v) { return v(1); };
    CHECK(second({1, x, 2.5}) == 3);
    three v;
    v = {7, x, 9};
    CHECK(v(2) == 9);
    // Fields of a struct are counted with what converts to anything.
    struct both {
        tensor<float, shape<3>> first;
        tensor<float, shape<2, 2>> second;
        three third;
    };
    static_assert(tx::detail::has_fields<both>() && tx::detail::field_count<both>() == 3);
    tensor<std::string, shape<2>> const names{"ann", std::string("bob")};
    CHECK(names(1) == "bob");
    tensor<std::complex<float>, shape<2, 2>> const pairs{{{1, 2}, 3}, {4, {5, 6}}};
    CHECK(pairs(1, 1) == std::complex<float>(5, 6));
    tensor<std::int32_t, shape<64>> const longest{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6,
                                                  7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4,
                                                  5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 9};
    CHECK(longest(-1) == 9);
}

TEST_CASE("tensor: small and static is inline, without overhead") {
    static_assert(sizeof(tensor<float, shape<4>>) == 32);
    static_assert(alignof(tensor<float, shape<4>>) == 16);
    static_assert(alignof(tensor<float, shape<16>>) == 64 && alignof(tensor<float, shape<4, 12>>) == 64);
    static_assert(std::is_trivially_destructible_v<tensor<double, shape<8, 8>>>);
    static_assert(!std::is_trivially_destructible_v<tensor<float, shape<129>>>);
    tensor<float, shape<64>> const a;
    auto const* const begin = reinterpret_cast<std::byte const*>(&a);
    auto const* const data = reinterpret_cast<std::byte const*>(a.data());
    CHECK(data >= begin);
    CHECK(data < begin + sizeof a);
}

TEST_CASE("tensor: heap elements are aligned, and blocks come back") {
    for (std::int64_t const n : {1, 7, 1000, 100'000, 3'000'000}) {
        auto a = tensor<float>::uninitialized(dims_for({n}));
        CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
        auto const address = reinterpret_cast<std::uintptr_t>(a.data());
        a = tensor<float>{};
        if (!tx::detail::caches_blocks) continue;
        a = tensor<float>::uninitialized(dims_for({n}));
        CHECK(reinterpret_cast<std::uintptr_t>(a.data()) == address);
    }
}

namespace {
constinit tensor<float, shape<28, 28, 10>> weights; // a null pointer until written
constexpr tensor<float, shape<28, 28>> constant_zeros;
constexpr tensor<double> no_elements;

constexpr double build_on_heap() {
    tensor<double, shape<10, 10>> a;
    for (int i = 0; i < 100; ++i) a.mutable_data()[i] = i;
    tensor<double, shape<10, 10>> b = a;
    b.mutable_data()[11] = -1;
    tensor<double> c = std::move(b);
    tensor<double> const list = {{1, 2}, {3, 4}};
    tensor<double, shape<dyn, dyn>> const rows{{1, 2}, {3, 4}};
    c = tensor<double>(c);
    return a(1, 1) + c(1, 1) + list(1, 0) + rows(1, 1);
}
} // namespace

TEST_CASE("tensor: static shapes on the heap start as zeros without memory") {
    CHECK(peek::is_unwritten(weights));
    CHECK(weights(27, 27, 9) == 0);
    CHECK(weights.data()[7839] == 0);
    CHECK(peek::is_unwritten(weights)); // reading changes nothing
    CHECK(weights.end() - weights.begin() == 7840);
    auto copy = weights;
    copy.mutable_data()[1] = 2;
    CHECK(copy(0, 0, 1) == 2);
    CHECK(copy(27, 27, 9) == 0);
    CHECK(weights(0, 0, 1) == 0);
    CHECK(!peek::is_unwritten(copy));

    static_assert(constant_zeros(27, 27) == 0 && constant_zeros.data()[783] == 0);
    static_assert(no_elements.rank() == 1 && no_elements.size() == 0);
    CHECK(no_elements.data() == nullptr);
    CHECK(no_elements.begin() == no_elements.end());
}

TEST_CASE("tensor: heap tensors live in constant expressions") {
    static_assert(build_on_heap() == 11 - 1 + 3 + 4);
    CHECK(build_on_heap() == 17);
}

TEST_CASE("tensor: copies and writes in many threads") {
    tensor<double> const shared = tensor<double, shape<dyn>>{1, 2, 3, 4};
    tensor<float, shape<1000>> const unwritten;
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 2000; ++round) {
                tensor<double> mine = shared;
                mine.mutable_data()[0] = static_cast<double>(round);
                tensor<double> const other = mine;
                if (shared(0) != 1 || other(0) != round || unwritten.data()[round % 1000] != 0) ++wrong[t];
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("tensor: a block freed by another thread, and after its thread's cache is gone") {
    tensor<float> kept;
    std::thread([&] { kept = tensor<float>{1, 2, 3}; }).join();
    CHECK(kept(2) == 3);
    std::thread([moved = std::move(kept)]() mutable { moved = tensor<float>{}; }).join();
    static tensor<float> const until_exit{4, 5, 6};
    CHECK(until_exit(0) == 4);
}

TEST_CASE("tensor: elements by their indices") {
    constexpr tensor<int, shape<2, 3>> fixed{{1, 2, 3}, {4, 5, 6}};
    static_assert(fixed(1, 0) == 4 && fixed(-1, -3) == 4 && fixed(0, -1) == 3);
    tensor<int> const any{{1, 2, 3}, {4, 5, 6}};
    CHECK(any(std::uint8_t{1}, std::int64_t{-1}) == 6);
    CHECK(tensor<int>(7)() == 7);
    auto const fails = [](auto const& read, char const* given) {
        CHECK_THROWS_WITH_AS(read(), ("tx: operator(): there must be an index for each axis of shape (2, 3), within its extent; given " + std::string(given)).c_str(), tx::shape_error);
    };
    fails([&] { return any(2, 0); }, "(2, 0)");
    fails([&] { return any(0, 3); }, "(0, 3)");
    fails([&] { return any(-3, 0); }, "(-3, 0)");
    fails([&] { return any(1); }, "(1)");
    fails([&] { return any(); }, "()");
    fails([&] { return any(1, 0, 0, 0, 0, 0, 0, 0, 0); }, "(1, 0, 0, 0, 0, 0, 0, 0, 0)");
    fails([&] { return fixed(0, std::numeric_limits<std::int64_t>::min()); }, "(0, -9223372036854775808)");
    CHECK_THROWS_AS(static_cast<void>((tensor<float, shape<0>>{}(0))), tx::shape_error);
}

TEST_CASE("tensor: item") {
    CHECK(tensor<int>{{5}}.item() == 5);
    CHECK(message_of([] { (void)tensor<int>{5, 6}.item(); }) == "tx: item: the tensor must have exactly one element; it has shape (2,)");
    CHECK_THROWS_AS((void)(tensor<int>{}.item()), tx::shape_error);
}

TEST_CASE("tensor: one element is a condition") {
    auto const is_true = [](auto const& a) { return a ? true : false; };
    CHECK(is_true(tensor<bool, shape<>>(true)));
    CHECK_FALSE(is_true(tensor<bool, shape<>>(false)));
    CHECK(is_true(tensor<int, shape<1, 1>>{{-2}}));
    CHECK_FALSE(is_true(tensor<double>{-0.0}));
    CHECK(is_true(tensor<float, shape<>>(std::numeric_limits<float>::quiet_NaN()))); // as in C++ and NumPy
    CHECK(is_true(tensor<tx::half>{0.5}));
    CHECK(is_true(tensor<std::complex<double>, shape<1>>{{0, 1}}));
    CHECK_FALSE(is_true(tensor<std::complex<double>, shape<>>(0)));
    CHECK(is_true(tensor<std::string, shape<>>("no")));
    CHECK_FALSE(is_true(tensor<std::string, shape<>>()));
    static_assert(tensor<int, shape<>>(3) ? true : false);
    static_assert(!std::is_convertible_v<tensor<bool, shape<>>, bool>); // no number by accident
    CHECK(message_of([&] { is_true(tensor<int>{5, 6}); }) == "tx: if: the tensor must have exactly one element; it has shape (2,)");
    CHECK_THROWS_AS(is_true(tensor<int, shape<tx::dyn>>{}), tx::shape_error);
}

TEST_CASE("tensor: uninitialized checks what it is asked for") {
    CHECK(tensor<float, shape<dyn, 3>>::uninitialized(dims_for({2, 3})).extents() == std::array{2, 3});
    CHECK(tensor<float, shape<2, 3>>::uninitialized().size() == 6);
    CHECK(message_of([] { (void)tensor<float, shape<dyn, 3>>::uninitialized(dims_for({2, 4})); }) ==
          "tx: tensor: the type says shape (?, 3); given shape (2, 4)");
    CHECK(message_of([] { (void)tensor<float>::uninitialized(dims_for({-2})); }) ==
          "tx: tensor: extents must not be negative, nor ask for more memory than can be addressed; given (-2,)");
    CHECK_THROWS_AS((void)tensor<float>::uninitialized(dims_for({std::int64_t{1} << 40, std::int64_t{1} << 40})), tx::shape_error);
    CHECK(tensor<float>::uninitialized(dims_for({std::int64_t{1} << 40, 0})).size() == 0);
}

TEST_CASE("tensor: equal is one bool") {
    tensor<float> const a{1, 2};
    CHECK(equal(a, tensor<float, shape<2>>{1, 2}));
    CHECK(!equal(a, tensor<float, shape<2>>{1, 3}));
    CHECK(!equal(a, tensor<float, shape<1, 2>>{{1, 2}}));
    CHECK(!equal(a, tensor<float>(1)));
    CHECK(equal(tensor<float>{-0.f}, tensor<float>{0.f}));
    CHECK(!equal(tensor<float>{std::nanf("")}, tensor<float>{std::nanf("")}));
    CHECK(equal(tensor<float, shape<0, 2>>{}, tensor<float, shape<0, 2>>{}));
}

TEST_CASE("extent_list: compares with ranges of integers") {
    tx::extent_list const extents = tensor<int, shape<2, 3>>{}.extents();
    CHECK(extents == std::vector<int>{2, 3});
    CHECK(extents != std::vector<int>{2});
    CHECK(extents != std::vector<int>{2, 3, 1});
    CHECK(extents == tensor<bool>{{true, true, true}, {true, true, true}}.extents());
    CHECK(std::vector<std::int64_t>(extents.begin(), extents.end()) == std::vector<std::int64_t>{2, 3});
    CHECK(extents[1] == 3);
    CHECK(tensor<int, shape<>>{}.extents().size() == 0);
}

namespace another {
template <class A> int bytes_of(A const&) { return 1; }
template <class A> int listed_extents(A const&) { return 2; }
int found_here(tensor<float> const& t) { return bytes_of(t) + listed_extents(t); } // ambiguous if the library's were found, too
} // namespace another

TEST_CASE("tensor: calls with one don't find the library's inner functions") { CHECK(another::found_here(tensor<float>{1, 2}) == 3); }
