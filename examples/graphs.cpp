// expect-output: after: [0-9]+ nodes
// Shows what the compiler made of a function: its graph is a value that a static_assert can check, and prints as text, DOT and
// JSON.
#include <tracexpr/tracexpr.hpp>

#include <fstream>
#include <iostream>

// The distance between points, with the same subexpression twice, constants to fold and a value that nobody uses.
constexpr auto distance = [](auto x, auto y) {
    auto const unused = tx::exp(x);
    static_cast<void>(unused);
    auto const scale = tx::ones_like(x) * 2 - 1;
    return tx::sqrt(tx::sum(scale * (x - y) * (x - y), tx::axis<-1>));
};

using points = tx::spec<float, tx::shape<100, 3>>;

int main() {
    tx::function f{distance};
    auto const c = f.concrete<points, points>();

    // Both graphs are constants of the compilation.
    static_assert(decltype(c)::trace().size() > decltype(c)::graph().size());
    static_assert(decltype(c)::graph().size() == 6); // two parameters, x - y, its square, the sum, the root

    std::cout << "traced:\n" << c.trace().to_text() << "\nafter: " << c.graph().size() << " nodes\n" << c.graph().to_text();
    std::cout << "\nsignature: " << c.signature() << '\n';

    // This prints what each pass made of the graph, down to the loops; and the same with one pass switched off.
    std::cout << '\n' << c.explain_passes();
    tx::function apart{tx::with_passes<tx::pass_options{.cluster = false}>(distance)};
    std::cout << "\nwith a loop for each op:\n" << apart.concrete<points, points>().explain_passes() << '\n';

    std::ofstream("graph.dot") << c.graph().to_dot(); // dot -Tsvg graph.dot > graph.svg
    std::ofstream("graph.json") << c.graph().to_json();
    std::cout << "graph.dot and graph.json hold it for other programs\n";

    // A callable without a function object has a graph, too, and the type of its result is known without computing anything.
    std::cout << "rows that are close: "
              << tx::graph_of<points, points>([](auto x, auto y) { return tx::all(x == y, tx::axis<1>); }).size() << " nodes\n";
    static_assert(std::is_same_v<decltype(tx::spec_of<points, points>(distance)), tx::spec<float, tx::shape<100>>>);
}
