// This file tests trees of parameters whose optimizer's state is divided among the ranks: of all kinds, dtypes and extents.
#include "sharded.hpp"

#include <complex>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace {
constexpr auto sgd = tx::optim::sgd({.learning_rate = 0.1, .momentum = 0.5});
constexpr auto adam = tx::optim::adam({.learning_rate = 0.1, .nesterov = true});
} // namespace

TEST_CASE("sharded: extents that the run knows") {
    auto const matrix = [](std::int64_t rows, std::int64_t columns) { return tx::zeros<float, shape<dyn, dyn>>(rows, columns); };
    check_steps(sgd, std::tuple(tensor<float, shape<2>>(), matrix(2, 3), tensor<double, shape<2>>(), tensor<float, shape<3>>(),
                                matrix(0, 5)));
}

TEST_CASE("sharded: complex numbers and halves") {
    check_steps(adam, std::tuple(tensor<std::complex<float>, shape<3>>(), tensor<tx::half, shape<5>>(), tensor<float, shape<2>>(),
                                 tx::zeros<std::complex<float>, shape<dyn>>(2)));
}

TEST_CASE("sharded: lists") {
    using layer = std::pair<tensor<float, shape<3>>, tensor<double, shape<dyn>>>;
    check_steps(sgd, std::vector<layer>(3, layer({}, tx::zeros<double, shape<dyn>>(2))));
    check_steps(sgd, std::map<std::string, std::vector<tensor<float, shape<2>>>>{{"b", {{}, {}}}, {"a", {{}}}, {"none", {}}});
}
