// Tensors of strings: elements, printing, and the few ops they have, in functions of every kind.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <iomanip> // std::quoted is another function than our own
#include <string>
#include <thread>
#include <vector>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

using words = tensor<std::string, shape<3>>;
template <class T, class Shape> std::vector<T> list(tensor<T, Shape> const& x) { return std::vector<T>(x.begin(), x.end()); }
using texts = std::vector<std::string>;

struct joined {
    constexpr auto operator()(auto x, auto y) const { return tx::where(x < y, x + y, y); }
};
words const suffix{"-a", "-b", "-c"}; // a capture

} // namespace

TEST_CASE("strings: elements and printing") {
    words const a{"one", "two", std::string("three")};
    CHECK(a(1) == "two");
    CHECK(a.data()[2].str() == "three");
    CHECK(list(a) == texts{"one", "two", "three"});
    tensor<std::string> const nested = {{"x", "it's"}, {"", "a\nb"}};
    CHECK(nested.extents() == std::vector{2, 2});
    CHECK(tx::to_string(nested) == "[['x' \"it's\"]\n ['' 'a\\nb']]");
    CHECK(tx::to_string(words{"\x1b[", "\xc3\xa9", "\x7f"}) == "['\\x1b[' '\xc3\xa9' '\\x7f']"); // NumPy 2.2
    CHECK(tx::to_string(tensor<std::string, shape<>>("alone")) == "alone");
    CHECK(tensor<std::string, shape<>>("alone").item() == "alone");
    words b = a;
    b.mutable_data()[0] = "1";
    CHECK(a(0) == "one");
    CHECK(b(0) == "1");
    CHECK(list(words{}) == texts{"", "", ""});
    CHECK(list(tx::full<std::string>(shape<2>{}, "y")) == texts{"y", "y"});
    CHECK(list(tx::zeros<std::string, shape<dyn>>(2)) == texts{"", ""});
    texts const given{"p", "q"};
    CHECK(list(tx::from_data<shape<dyn>>(given.data(), 2)) == given);
    CHECK(tx::equal(a, words{"one", "two", "three"}));
    CHECK(!tx::equal(a, b));
    std::vector<std::string> many(300);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::to_string(i);
    CHECK(list(tx::from_data<shape<300>>(many.data())) == many); // on the heap
}

TEST_CASE("strings: joined, compared, chosen and moved about, at once") {
    words const a{"b", "a", "c"}, b{"b", "c", "a"};
    CHECK(list(a + b) == texts{"bb", "ac", "ca"});
    CHECK(list(a + "!") == texts{"b!", "a!", "c!"});
    CHECK(list(std::string("<") + a) == texts{"<b", "<a", "<c"});
    CHECK(list(a == b) == std::vector{true, false, false});
    CHECK(list(a < b) == std::vector{false, true, false});
    CHECK(list(a >= "b") == std::vector{true, false, true});
    CHECK(list(tx::where(a == "a", "yes", b)) == texts{"b", "yes", "a"});
    CHECK(list(tx::flip(tx::concat(tx::axis<0>, a, b))) == texts{"a", "c", "b", "c", "a", "b"});
    CHECK(list(tx::take(a, tensor<int, shape<2>>{2, 0})) == texts{"c", "b"});
    CHECK(list(tx::pad(a, tx::widths<1>)) == texts{"", "b", "a", "c", ""});
    CHECK(list(tx::pad(a, tx::widths<1>, "-")) == texts{"-", "b", "a", "c", "-"});
    tensor<std::string> const open = {{"p"}, {"q"}};
    CHECK(list(open + a) == texts{"pb", "pa", "pc", "qb", "qa", "qc"});
    CHECK(list(tx::cast<int>(a == b)) == std::vector{1, 0, 0});
}

TEST_CASE("strings: in functions") {
    words const a{"b", "a", "c"}, b{"b", "c", "a"};
    tx::static_function const f{joined{}};
    CHECK(list(f(a, b)) == texts{"b", "ac", "a"});
    auto out = f(b, b);
    f.into(out, a, b);
    CHECK(list(out) == texts{"b", "ac", "a"});
    tensor<std::string, shape<dyn>> const open(a);
    CHECK(list(f(open, b)) == texts{"b", "ac", "a"});
    CHECK(f.signatures()[0] == "(string[3], string[3]) -> string[3]");
    std::string const mark = "?";
    tx::function const traced{[&](auto x) { return x + mark + suffix; }};
    CHECK(list(traced(a)) == texts{"b?-a", "a?-b", "c?-c"});
    tx::function const captures{[](auto x) { return x + suffix; }};
    CHECK(list(captures(a)) == texts{"b-a", "a-b", "c-c"});
    tx::function const constants{[](auto x) { return tx::where(x == "a", words{"1", "2", "3"}, x); }};
    CHECK(list(constants(a)) == texts{"b", "2", "c"});
    CHECK(constants.concrete<words>().graph().to_text().find("literal(\"a\")") == std::string::npos);
    CHECK(constants.concrete<words>().graph().to_text().find("literal('a')") != std::string::npos);
    CHECK(constants.concrete<words>().graph().to_json().find("\"value\": \"a\"") != std::string::npos);
    tx::function const bell{[](auto x) { return x + "\a"; }};
    CHECK(list(bell(a)) == texts{"b\a", "a\a", "c\a"});
    CHECK(bell.concrete<words>().graph().to_json().find("\"value\": \"\\u0007\"") != std::string::npos);
    tx::function const same{[](auto x, auto y) { return std::tuple(x + y, y + x); }}; // joining doesn't commute
    CHECK(list(std::get<1>(same(a, b))) == texts{"bb", "ca", "ac"});
    CHECK(list(tx::vmap([](auto x) { return x + "."; })(open)) == texts{"b.", "a.", "c."});
}

TEST_CASE("strings: beside numbers that have gradients") {
    words const kind{"a", "b", "a"};
    tensor<double, shape<3>> const x{1, 2, 3};
    auto const loss = [](auto const& k, auto const& v) { return tx::sum(tx::where(k == "a", v * v, 0.0)); };
    CHECK(list(tx::grad<1>(loss)(kind, x)) == std::vector{2.0, 0.0, 6.0});
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = loss(kind + "", x);
    CHECK(list(tape.gradient(y, x)) == std::vector{2.0, 0.0, 6.0});
}

TEST_CASE("strings: threads keep the same text once") {
    std::vector<words> made(4);
    std::vector<std::thread> threads;
    for (words& w : made)
        threads.emplace_back([&w] {
            for (int i = 0; i < 1000; ++i) w = words{std::to_string(i), "x", "y"} + "z";
        });
    for (std::thread& t : threads) t.join();
    for (words const& w : made) CHECK(tx::equal(w, words{"999z", "xz", "yz"}));
}

TEST_CASE("strings: those that no tensor has any longer are freed when a program asks") {
    static_cast<void>(tx::free_unused_strings());
    auto const text = [](int i) { return "a string that is long enough for memory of its own, number " + std::to_string(i); };
    auto const many = [&](int first) {
        tensor<std::string, shape<dyn>> out = tx::zeros<std::string, shape<dyn>>(100);
        for (int i = 0; i < 100; ++i) out(i) = text(first + i);
        return out;
    };
    tensor<std::string> const stays = many(0);
    std::string const* const address = &stays.data()[7].str();
    for (int round = 0; round < 3; ++round) {
        static_cast<void>(many(1000) + many(2000));
        CHECK(tx::free_unused_strings() == 300); // with those that were joined
        CHECK(tx::free_unused_strings() == 0);
    }
    for (int i = 0; i < 100; ++i) CHECK(stays(i) == text(i));
    CHECK(&many(0).data()[7].str() == address); // equal strings are still one

    // A small tensor, a copy that was written, a variable, a capture, constants of traces, and what a tape has recorded.
    words small{text(1), text(2), text(3)};
    words copy = small;
    copy(1) = text(4);
    tx::variable<std::string, shape<3>> variable{words{text(5), text(6), text(7)}};
    tx::function const joins{
        [mark = words{text(8), text(9), text(10)}](auto x) { return x + mark + "and a constant of the trace"; }};
    auto const before = list(joins(small));
    tx::gradient_tape tape;
    tensor<double, shape<3>> const weight{1, 2, 3};
    tape.watch(weight);
    auto const y =
        tx::sum(tx::where(words{text(1), text(0), text(11)} + "!" == words{text(1) + "!", "", ""}, weight * weight, 0.0));
    small = words{"", "", text(3)};
    static_cast<void>(tx::free_unused_strings());
    static_cast<void>(many(5000)); // so that freed memory is used again
    CHECK(list(small) == texts{"", "", text(3)});
    CHECK(list(copy) == texts{text(1), text(4), text(3)});
    CHECK(list(variable.value()) == texts{text(5), text(6), text(7)});
    CHECK(list(tape.gradient(y, weight)) == std::vector{2.0, 0.0, 0.0});
    CHECK(list(joins(words{text(1), text(2), text(3)})) == before);
    CHECK(tx::free_unused_strings() > 100);
    CHECK(list(joins(words{text(1), text(2), text(3)})) == before);
}
