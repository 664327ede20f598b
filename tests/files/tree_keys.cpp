// This file tests that every tree comes back from a file as it was, whatever the keys of its maps and wherever it has empty
// parts; or that it is refused.
#include "file_checks.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using vec = tx::tensor<float, tx::shape<tx::dyn>>;
using number = tx::tensor<float, tx::shape<>>;
enum class color : bool { red, green };
struct layer {
    vec weights;
    std::optional<number> scale;
};
struct nothing {};
struct network { // a new one has parts, which another may not have
    std::map<std::string, layer> layers{{"a", {}}, {"2E", {{}, number(1)}}};
    std::vector<std::vector<vec>> blocks = std::vector<std::vector<vec>>(2);
    std::map<std::string, vec> more{{"", {}}, {"a.b", {}}};
    std::optional<vec> bias = vec{};
    std::optional<std::vector<nothing>> unused;
    std::tuple<int, std::optional<vec>> counts;
};

using generator = std::mt19937;
int below(generator& random, int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
// Keys of all that means something in a name, and of what may not be in one.
std::string random_text(generator& random) {
    constexpr std::string_view pieces[]{".", "%", "2",     "5",  "E",  "25", "%2E", "%25",
                                        "a", "0", "value", "[]", "\\", "/",  "\"",  "\u00e9"};
    std::string out;
    for (int k = below(random, 5); k > 0; --k) out += pieces[below(random, static_cast<int>(std::size(pieces)))];
    return out;
}
template <class A> void fill(A& a, generator& random) {
    if constexpr (requires { a.clear(); }) a.clear();
    else if constexpr (requires { a.reset(); }) a.reset();
    if constexpr (std::is_same_v<A, vec>) {
        a = counted<float, tx::shape<tx::dyn>>({{below(random, 3)}, 1});
    } else if constexpr (std::is_arithmetic_v<A> || std::is_same_v<A, number>) {
        a = A(below(random, 100));
    } else if constexpr (requires { typename A::mapped_type; }) {
        using K = typename A::key_type;
        for (int k = below(random, 4); k > 0; --k) {
            typename A::mapped_type part{};
            fill(part, random);
            if constexpr (std::is_same_v<K, std::string>) a.insert_or_assign(random_text(random), std::move(part));
            else a.insert_or_assign(static_cast<K>(below(random, 256)), std::move(part));
        }
    } else if constexpr (requires { a.has_value(); }) {
        if (below(random, 3) > 0) fill(a.emplace(), random);
    } else if constexpr (requires { a.emplace_back(); }) {
        for (int k = below(random, 4); k > 0; --k) fill(a.emplace_back(), random);
    } else if constexpr (std::is_same_v<A, layer>) {
        fill(a.weights, random), fill(a.scale, random);
    } else if constexpr (std::is_same_v<A, network>) {
        fill(a.layers, random), fill(a.blocks, random), fill(a.more, random), fill(a.bias, random), fill(a.unused, random),
            fill(a.counts, random);
    } else if constexpr (!std::is_same_v<A, nothing>) {
        std::apply([&](auto&... part) { (fill(part, random), ...); }, a);
    }
}
template <class A> bool alike(A const& a, A const& b) {
    if constexpr (std::is_same_v<A, vec> || std::is_same_v<A, number>) {
        return same(a, b);
    } else if constexpr (std::is_arithmetic_v<A>) {
        return a == b;
    } else if constexpr (requires { typename A::mapped_type; }) {
        if (a.size() != b.size()) return false;
        for (auto const& [key, part] : a)
            if (!b.contains(key) || !alike(part, b.at(key))) return false;
        return true;
    } else if constexpr (requires { a.has_value(); }) {
        return a.has_value() == b.has_value() && (!a || alike(*a, *b));
    } else if constexpr (requires { typename A::allocator_type; }) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto const& x, auto const& y) { return alike(x, y); });
    } else if constexpr (std::is_same_v<A, layer>) {
        return alike(a.weights, b.weights) && alike(a.scale, b.scale);
    } else if constexpr (std::is_same_v<A, network>) {
        return alike(a.layers, b.layers) && alike(a.blocks, b.blocks) && alike(a.more, b.more) && alike(a.bias, b.bias) &&
               alike(a.unused, b.unused) && alike(a.counts, b.counts);
    } else if constexpr (std::is_same_v<A, nothing>) {
        return true;
    } else {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (alike(std::get<I>(a), std::get<I>(b)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    }
}
std::vector<std::string> names_in(std::string const& path) {
    std::vector<std::string> out;
    for (auto const& [name, t] : path.ends_with(".npz") ? tx::load_npz(path) : tx::load_safetensors(path)) out.push_back(name);
    return out;
}
template <class A> A there_and_back(std::string const& path, A const& a) {
    tx::save(path, a);
    return tx::load<A>(path);
}

using two_maps = std::map<std::string, std::map<std::string, number>>;

} // namespace

TEST_CASE_TEMPLATE("save, load: random trees of random keys come back as they were", A, std::map<std::string, number>, two_maps,
                   std::optional<std::map<std::string, std::vector<std::optional<std::optional<vec>>>>>,
                   std::unordered_map<std::string, std::pair<two_maps, std::optional<std::map<std::int8_t, number>>>>,
                   std::map<bool, std::map<color, std::optional<two_maps>>>, network) {
    temporary const archive("keys.npz"), other("keys.safetensors");
    for (unsigned seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        generator random(seed);
        A tree{};
        fill(tree, random);
        std::string const& path = seed % 2 == 0 ? archive.path : other.path;
        CHECK(alike(there_and_back(path, tree), tree));
        A again = tree; // into a tree of that form, too
        tx::load(path, again);
        CHECK(alike(again, tree));
    }
}

TEST_CASE("save, load: what is ambiguous in a key is escaped, and nothing else") {
    temporary const file("escaped.npz");
    auto const names_of = [&](auto const& tree) {
        CHECK(alike(there_and_back(file.path, tree), tree));
        return names_in(file.path);
    };
    using names = std::vector<std::string>;
    CHECK(names_of(std::map<std::string, number>{
              {"", number(1)}, {"a.b", number(2)}, {"50%", number(3)}, {"value", number(4)}, {"%2E", number(5)}}) ==
          names{"", "%2E", "50%", "a.b", "value"});
    CHECK(names_of(std::map<std::string, number>{{"%", number(1)}, {"%25", number(2)}, {"%%", number(3)}}) ==
          names{"%%25", "%25", "%2525"});
    CHECK(names_of(two_maps{
              {"x", {{"y.z", number(1)}}}, {"x.y", {{"z", number(2)}}}, {"", {{"", number(3)}}}, {"50%", {{"", number(4)}}}}) ==
          names{".", "50%.", "x%2Ey.z", "x.y.z"});
    CHECK(names_of(two_maps{{"%2E", {{"a", number(1)}}}, {"%252E", {{"a", number(2)}}}}) == names{"%25252E.a", "%252E.a"});
    CHECK(names_of(two_maps{{"a", {}}, {"b", {{"c", number(1)}}}}) == names{"a.%", "b.c"});
    CHECK(names_of(std::vector<std::optional<vec>>{vec{1}, {}}) == names{"0", "1.%"});
    CHECK(names_of(std::vector<std::optional<std::vector<vec>>>{std::vector<vec>{}, {}}) == names{"0.%%", "1.%"});
    CHECK(names_of(std::optional<two_maps>{two_maps{}}) == names{"%%"});
    CHECK(names_of(std::optional<two_maps>{}).empty());
    CHECK(names_of(network{{}, {}, {}, {}, {}, {}}) == names{"counts.0"});
    network into;
    CHECK(contains(message_of<tx::error>([&] { tx::load(file.path, into); }), "it lacks: layers.2E.weights"));
}

TEST_CASE("load: files without marks and escapes, of earlier versions and of other programs") {
    for (std::string const extension : {".npz", ".safetensors"}) {
        temporary const file("earlier" + extension);
        auto const write = [&](tx::named_tensors const& named) {
            if (extension == ".npz") tx::save_npz(file.path, named);
            else tx::save_safetensors(file.path, named);
        };
        vec const one{1}, two{2};
        write({{"model.0.weight", one}, {"50%", two}, {"%x", one}});
        auto const whole = tx::load<std::map<std::string, vec>>(file.path);
        CHECK((whole.size() == 3 && whole.contains("model.0.weight") && whole.contains("50%") && whole.contains("%x")));
        write({{"block.0.weights", one}, {"block.1.weights", two}});
        std::map<std::string, layer> blocks{{"block.0", {}}, {"block.1", {}}};
        tx::load(file.path, blocks);
        CHECK(same(blocks.at("block.1").weights, two));
        write({{"a.b", one}});
        std::map<std::string, std::map<std::string, vec>> maps{{"a", {{"b", {}}}}, {"empty", {}}};
        tx::load(file.path, maps);
        CHECK(same(maps.at("a").at("b"), one));
        write({{"a.b", one}, {"c.%", two}});
        CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load<std::map<std::string, std::map<std::string, vec>>>(file.path)); }) ==
              "tx: load: " + file.path + " (c.%): has elements, where its name says that nothing is");
    }
}

TEST_CASE("save: a key that a file can't have is refused before anything is written") {
    temporary const file("refused.safetensors");
    auto const refuses = [&](auto const& tree) {
        std::string const message = message_of<tx::error>([&] { tx::save(file.path, tree); });
        CHECK_FALSE(std::filesystem::exists(file.path));
        return message.substr(message.find(": ", 5) + 2);
    };
    CHECK(contains(refuses(std::map<std::string, number>{{"\xff", number(1)}}), "a name must be UTF-8; given \"\\xff\""));
    CHECK(contains(refuses(std::map<std::string, number>{{"__metadata__", number(1)}}), "no array may be called __metadata__"));
    struct key { // two of one text
        std::string text;
        int number;
        operator std::string_view() const { return text; }
        bool operator<(key const& other) const { return number < other.number; }
    };
    CHECK(contains(refuses(std::map<key, number>{{{"a", 1}, number(1)}, {{"a", 2}, number(2)}}), "given \"a\" twice"));
}

TEST_CASE("load: keys that own no text are those of the tree") {
    temporary const file("views.npz");
    std::map<std::string_view, vec> const saved{{"a", vec{1}}, {"b.c", vec{2}}};
    tx::save(file.path, saved);
    std::map<std::string_view, vec> into{{"a", {}}, {"b.c", {}}}, none;
    tx::load(file.path, into);
    CHECK(same(into.at("b.c"), vec{2}));
    CHECK_THROWS_AS(tx::load(file.path, none), tx::error);
}

TEST_CASE("load: a long vector takes time in proportion to its length") {
    temporary const file("long.safetensors");
    std::vector<std::map<std::string, number>> saved(20000);
    for (std::size_t k = 0; k < saved.size(); ++k) saved[k]["x"] = number(static_cast<float>(k));
    CHECK(alike(there_and_back(file.path, saved), saved));
}
