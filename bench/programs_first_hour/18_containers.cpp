// Tensors in standard containers: they are values, so vectors, maps, optionals and algorithms work, and copies never change each
// other.
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

using vec = tx::tensor<float, tx::shape<3>>;
using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;

int main() {
    std::vector<vec> points;
    for (int i = 0; i < 5; ++i) points.push_back({static_cast<float>(4 - i), 1, 2});
    std::sort(points.begin(), points.end(), [](vec const& a, vec const& b) { return a(0) < b(0); });
    std::cout << "smallest " << points.front() << ", largest " << points.back() << '\n';
    vec const total = std::accumulate(points.begin(), points.end(), vec{});
    std::cout << "total " << total << '\n';

    auto const all = tx::stack(tx::axis<0>, points); // (5, 3), or (n, 3)
    std::cout << "mean of all " << tx::mean(all, tx::axis<0>) << '\n';

    std::map<std::string, matrix> weights;
    weights["a"] = tx::ones<float>(tx::shape<2, 3>{});
    weights.emplace("b", matrix(4, 2));
    for (auto const& [name, w] : weights)
        std::cout << name << ": " << w.extent(0) << " x " << w.extent(1) << ", sum " << tx::sum(w) << '\n';

    auto copy = weights;
    copy["a"](0, 0) = 100;
    std::cout << "the original is as it was: " << weights["a"](0, 0) << '\n';

    std::optional<vec> best;
    for (auto const& p : points)
        if (!best || tx::norm(p).item() < tx::norm(*best).item()) best = p;
    std::cout << "nearest to 0: " << *best << '\n';

    std::vector<matrix> batches{matrix(2, 2), matrix(3, 2), matrix(1, 2)};
    batches[1](2, 1) = 5;
    std::swap(batches[0], batches[1]);
    auto const joined = tx::concat(tx::axis<0>, batches);
    std::cout << "joined " << joined.extent(0) << " rows, largest at " << tx::argmax(joined) << '\n';

    std::array<vec, 2> const pair{vec{1, 2, 3}, vec{4, 5, 6}};
    tx::function dots{[](auto ab) { return tx::dot(ab[0], ab[1]); }};
    std::cout << "dot " << dots(pair) << ", equal " << tx::equal(pair[0], pair[1]) << '\n';
}
