// This file tests lambdas that capture only objects without a value: other lambdas, tags, integral constants. The compiler traces
// them.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;

namespace {

struct tag {};
struct other_tag {};
struct made_of_number {
    constexpr explicit made_of_number(int) {}
};
struct alignas(16) aligned_tag {};
struct with_tags : tag {
    other_tag member;
};
struct bool_bit {
    bool value : 1;
};
struct byte_bits {
    unsigned char : 2;
    unsigned char value : 3;
};
struct with_copy {
    with_copy() = default;
    with_copy(with_copy const&) {}
};
enum class small : unsigned char { one = 1 };
union either {
    unsigned char a, b;
};

template <class F> struct layer {
    F activation;
    constexpr auto operator()(auto a) const { return activation(a) + 1; }
};

constexpr bool same(vec const& a, vec const& b) { return a(0) == b(0) && a(1) == b(1); }

template <class F> constexpr bool is_static_form(F const&) { return tx::function<F>::is_static; }

} // namespace

TEST_CASE("stateless: lambdas whose captures have no value are static") {
    auto const twice = [](auto x) { return x * 2; };
    auto const next = [](auto x) { return x + 1; };
    auto const both = [twice, next](auto x) { return next(twice(x)); };
    tag const t;
    made_of_number const made(3);
    aligned_tag const aligned;
    with_tags const tags{};
    std::integral_constant<int, 5> const five;
    std::array<int, 0> const no_numbers{};
    CHECK(is_static_form([twice](auto x) { return twice(x); }));
    CHECK(is_static_form(both));
    CHECK(is_static_form([both, next](auto x) { return both(next(x)); }));
    CHECK(is_static_form([t](auto x) { return static_cast<void>(t), x; }));
    CHECK(is_static_form([made](auto x) { return static_cast<void>(made), x; }));
    CHECK(is_static_form([aligned](auto x) { return static_cast<void>(aligned), x; }));
    CHECK(is_static_form([tags](auto x) { return static_cast<void>(tags), x; }));
    CHECK(is_static_form([five](auto x) { return x * five(); }));
    CHECK(is_static_form([no_numbers](auto x) { return x * no_numbers.size(); }));
    CHECK(is_static_form([both, five, t, made, tags, twice](auto x) { return static_cast<void>(std::tie(t, made, tags)), twice(both(x) * five()); }));
}

TEST_CASE("stateless: a capture with any value is not") {
    auto const twice = [](auto x) { return x * 2; };
    bool yes = true;
    char letter = 'a';
    unsigned char byte = 3;
    std::byte raw{3};
    char8_t unit = u8'a';
    small one = small::one;
    bool_bit bit{true};
    byte_bits bits{3};
    either any{3};
    float number = 3;
    float* where = &number;
    float tensor_like[2] = {1, 2};
    vec w{1, 2};
    with_copy copied;
    CHECK(!is_static_form([yes](auto x) { return yes ? x * 2 : x; }));
    CHECK(!is_static_form([letter](auto x) { return x * letter; }));
    CHECK(!is_static_form([byte](auto x) { return x * byte; }));
    CHECK(!is_static_form([raw](auto x) { return x * static_cast<int>(raw); }));
    CHECK(!is_static_form([unit](auto x) { return x * static_cast<int>(unit); }));
    CHECK(!is_static_form([one](auto x) { return x * static_cast<int>(one); }));
    CHECK(!is_static_form([bit](auto x) { return bit.value ? x * 2 : x; }));
    CHECK(!is_static_form([bits](auto x) { return x * int{bits.value}; }));
    CHECK(!is_static_form([any](auto x) { return x * any.a; }));
    CHECK(!is_static_form([number](auto x) { return x * number; }));
    CHECK(!is_static_form([where](auto x) { return x * *where; }));
    CHECK(!is_static_form([tensor_like](auto x) { return x * tensor_like[1]; }));
    CHECK(!is_static_form([w](auto x) { return x * w; }));
    CHECK(!is_static_form([copied](auto x) { return static_cast<void>(copied), x; }));
    CHECK(!is_static_form([&twice](auto x) { return twice(x); })); // whatever it refers to may go
    SUBCASE("beside others without one") {
        CHECK(!is_static_form([twice, yes](auto x) { return yes ? twice(x) : x; }));
        CHECK(!is_static_form([byte, twice](auto x) { return twice(x) * byte; }));
        CHECK(!is_static_form([twice, bits](auto x) { return twice(x) * int{bits.value}; }));
        auto const holds_byte = [twice, byte](auto x) { return twice(x) * byte; };
        CHECK(!is_static_form([holds_byte, twice](auto x) { return twice(holds_byte(x)); }));
    }
    SUBCASE("its value counts") {
        for (unsigned char const by : {static_cast<unsigned char>(2), static_cast<unsigned char>(5)}) {
            byte_bits const three_bits{static_cast<unsigned char>(by & 7)};
            CHECK(same(tx::function{[by](auto x) { return x * by; }}(vec{1, 2}), vec{by * 1.f, by * 2.f}));
            CHECK(same(tx::function{[three_bits, twice](auto x) { return twice(x) * int{three_bits.value}; }}(vec{1, 2}), vec{by * 2.f, by * 4.f}));
        }
        for (bool const on : {true, false})
            CHECK(same(tx::function{[twice, on](auto x) { return on ? twice(x) : x; }}(vec{1, 2}), on ? vec{2, 4} : vec{1, 2}));
    }
}

TEST_CASE("stateless: wherever a callable is taken") {
    auto const square = [](auto x) { return x * x; };
    auto const total = [square](auto x) { return tx::sum(square(x)); };
    vec const x{1, 2};
    tx::static_function f{[square](auto a) { return square(a) + 1; }};
    CHECK(same(f(x), vec{2, 5}));
    vec out;
    f.into(out, x);
    CHECK(same(out, vec{2, 5}));
    CHECK(f.tracing_count() == 1);
    constexpr auto graph = tx::graph_of<tx::spec<float, shape<2>>>([square](auto a) { return square(a); });
    static_assert(graph.size() == 2);
    CHECK(f.concrete<tx::spec<float, shape<2>>>()(x)(1) == 5);
    CHECK(same(tx::static_function{tx::grad(total)}(x), vec{2, 4}));
    CHECK(same(tx::static_function{[total](auto a) { return tx::grad(total)(a); }}(x), vec{2, 4}));
    CHECK(tx::static_function{tx::vmap(tx::grad(total))}(tensor<float, shape<1, 2>>{{1, 2}})(0, 1) == 4);
    CHECK(same(tx::static_function{std::ref(square)}(x), vec{1, 4}));
    CHECK(tx::static_function{tx::grad(std::ref(total))}(x)(1) == 4);
    CHECK(same(tx::static_function{tx::with_passes<tx::pass_options{.cluster = false}>(tx::checkpoint([square](auto a) { return square(a); }))}(x), vec{1, 4}));
    CHECK(same(tx::on(tx::cpu{.threads = 2}, [square](auto a) { return square(a); })(x), vec{1, 4}));
    CHECK(same(tx::static_function{[square](auto a, auto g) { return square(g(a)); }}(x, square), vec{1, 16}));
    CHECK(same(tx::static_function{[](auto a, auto g) { return g(a); }}(x, [square](auto a) { return square(a) * 2; }), vec{2, 8}));
    SUBCASE("bound") {
        vec w{3, 4};
        auto const g = tx::static_function{[square](auto a, auto b) { return square(a) * b; }}.bind(w);
        static_assert(decltype(g)::is_static);
        CHECK(same(g(x), vec{3, 16}));
        w = {1, 1};
        CHECK(same(g(x), vec{1, 4}));
        auto const slope = tx::function{tx::grad(tx::function{[total](auto a, auto b) { return total(a * b); }}.bind(w))};
        static_assert(decltype(slope)::is_static);
        CHECK(same(slope(x), vec{2, 4}));
    }
    SUBCASE("a derivative of its own") {
        auto const slope = [square](auto a, auto ybar) { return square(a) * ybar; };
        auto const odd = tx::custom_gradient([square](auto a) { return square(a); }, slope);
        CHECK(same(tx::static_function{tx::grad([odd](auto a) { return tx::sum(odd(a)); })}(x), vec{1, 4}));
    }
    SUBCASE("a member of a functor") {
        CHECK(same(tx::static_function{layer{square}}(x), vec{2, 5}));
        CHECK(same(tx::static_function{layer{[square](auto a) { return square(a); }}}(x), vec{2, 5}));
    }
}
