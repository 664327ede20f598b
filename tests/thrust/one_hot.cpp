// This file tests products with one-hot matrices on a device: sums of groups and lookups, with some elements and with none.
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using tx::dyn, tx::shape, tx::tensor;

constexpr auto sums = [](auto x, auto i) { return tx::matmul(x, tx::one_hot<float>(i, tx::depth<20>)); };
constexpr auto rows = [](auto x, auto i) { return tx::matmul(tx::one_hot<float>(i, tx::depth<20>), x); };

} // namespace

TEST_CASE("one-hot products: on a device") {
    auto const device_sums = tx::on(tx::thrust_points{}, sums);
    auto const device_rows = tx::on(tx::thrust_points{}, rows);
    tensor<float, shape<dyn>> x{1, 2, 3, 4, 5};
    tensor<int, shape<dyn>> const i{3, 3, 19, 20, -1};
    auto wanted = tx::zeros<float>(shape<20>{});
    wanted.mutable_data()[3] = 3, wanted.mutable_data()[19] = 3;
    CHECK(tx::equal(device_sums(x, i), wanted));
    CHECK(tx::equal(device_sums(tensor<float, shape<dyn>>(tensor<float, shape<0>>{}), tensor<int, shape<dyn>>(tensor<int, shape<0>>{})), tx::zeros<float>(shape<20>{})));
    x.mutable_data()[2] = std::numeric_limits<float>::infinity();
    tensor<float, shape<20>> const spoilt = device_sums(x, i);
    CHECK(std::isinf(spoilt(19)));
    CHECK(std::isnan(spoilt(3)));
    auto table = tx::zeros<float>(shape<20, 3>{});
    for (int k = 0; k < 60; ++k) table.mutable_data()[k] = static_cast<float>(k);
    tensor<float, shape<dyn, 3>> const picked = device_rows(table, i);
    CHECK(picked(2, 1) == 58);
    CHECK(picked(4, 2) == 0);
}
