// Three clusters of points in the plane, found by Lloyd's algorithm.
#include <tracexpr/tracexpr.hpp>

#include <iostream>

int main() {
    constexpr std::int64_t clusters = 3, points_each = 200;
    using points = tx::tensor<float, tx::shape<tx::dyn, 2>>;
    using centres = tx::tensor<float, tx::shape<clusters, 2>>;

    tx::random::seed(7);
    centres const truth{{0, 0}, {5, 1}, {2, 6}};
    std::vector<points> parts;
    for (auto const& c : tx::rows(truth)) parts.push_back(c + tx::random::normal<float>(tx::shape<points_each, 2>{}, 0, 0.5f));
    points const data = tx::concat(tx::axis<0>, parts);

    tx::function assign{[](auto p, auto c) {
        auto const d = tx::expand_dims<1>(p) - tx::expand_dims<0>(c);
        return tx::argmin(tx::sum(d * d, tx::axis<2>), tx::axis<1>);
    }};
    tx::function update{[](auto p, auto label) {
        auto const sums = tx::add_at(tx::zeros<float>(tx::shape<3, 2>{}), p, label);
        auto const counts = tx::sum(tx::one_hot<3>(label), tx::axis<0>);
        return sums / tx::expand_dims<1>(tx::maximum(counts, 1));
    }};

    centres c{{1, 1}, {4, 0}, {1, 4}};
    for (int k = 0; k < 10; ++k) c = update(data, assign(data, c));
    auto const label = assign(data, c);

    std::cout << "centres\n" << c << '\n';
    std::cout << "largest distance from the truth below 0.15: " << (tx::max(tx::abs(c - truth)).item() < 0.15f) << '\n';
    std::cout << "points in the first cluster: " << tx::count_nonzero(label == 0) << '\n';
}
