// This file tests the names of a struct's fields, wherever the struct is defined.
#include <tracexpr/run/trees/field_names.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::detail::field_names;

struct at_namespace_scope {
    tx::variable<float, tx::shape<2, 2>> weights_1;
    tx::tensor<double> B;
    bool on;
};
template <class T, int N> struct of_template {
    T value;
    std::pair<T, int> both;
};
namespace {
struct hidden {
    at_namespace_scope inner;
    double _;
};
enum class kind { a };
struct sixteen {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n;
    kind o;
    char const* last;
};
} // namespace

TEST_CASE("field_names: of structs in namespaces, functions, lambdas and templates") {
    static_assert(field_names<at_namespace_scope> == std::array<std::string_view, 3>{"weights_1", "B", "on"});
    static_assert(field_names<hidden> == std::array<std::string_view, 2>{"inner", "_"});
    static_assert(field_names<of_template<hidden, 3>> == std::array<std::string_view, 2>{"value", "both"});
    static_assert(field_names<sixteen>[0] == "a" && field_names<sixteen>[14] == "o" && field_names<sixteen>[15] == "last");
    struct local {
        tx::tensor<float> in_function;
    };
    static_assert(field_names<local>[0] == "in_function");
    auto const make = [] {
        struct inner {
            int in_lambda;
        };
        return inner{};
    };
    static_assert(field_names<decltype(make())>[0] == "in_lambda");
    std::string text;
    for (std::string_view const name : field_names<of_template<local, 1>>) text += std::string(name) + ' ';
    CHECK(text == "value both ");
}
