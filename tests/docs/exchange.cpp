// Arrays of other libraries: memory that is shared with other libraries in the process, by the standards for it: DLPack
// (`<tracexpr/dlpack.hpp>`) for arrays of NumPy, PyTorch and JAX, Arrow (`<tracexpr/arrow.hpp>`) for columns of pyarrow and pandas.
#include <tracexpr/arrow.hpp>
#include <tracexpr/dlpack.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("to_dlpack, from_dlpack") {
    tx::tensor<float, tx::shape<tx::dyn, 2>> const x{{1, 2}, {3, 4}};
    DLManagedTensorVersioned* const capsule = tx::to_dlpack(x); // whoever gets it calls its deleter, or gives it on
    CHECK(capsule->dl_tensor.data == x.data());
    CHECK((capsule->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
    auto y = tx::from_dlpack<float, tx::shape<tx::dyn, 2>>(capsule); // which y owns from now on
    CHECK(y.data() == x.data());
    y(0, 0) = 7; // y takes a copy first
    CHECK(x(0, 0) == 1);
}

TEST_CASE("to_dlpack_legacy") {
    tx::tensor<int, tx::shape<tx::dyn>> const x{1, 2, 3};
    DLManagedTensor* const capsule = tx::to_dlpack_legacy(x); // a copy: it can't be marked read-only
    CHECK(capsule->dl_tensor.data != x.data());
    CHECK(tx::equal(tx::from_dlpack<int>(capsule), x));
}

TEST_CASE("copy") {
    tx::tensor<float, tx::shape<tx::dyn>> const x{1, 2};
    auto const shared = tx::from_dlpack<float, tx::shape<tx::dyn>>(tx::to_dlpack(x), tx::copy::never); // or throws
    CHECK(shared.data() == x.data());
    auto const copied = tx::from_dlpack<float>(tx::to_dlpack(x, tx::copy::always));
    CHECK(copied.data() != x.data());
}

TEST_CASE("to_arrow, from_arrow") {
    tx::tensor<double, tx::shape<tx::dyn>> const x{1.5, 2.5};
    auto [schema, array] = tx::to_arrow(x, "price"); // whoever gets them calls the release of each, or gives them on
    CHECK(std::string(schema.format) == "g");
    CHECK(array.length == 2);
    tx::tensor<double, tx::shape<tx::dyn>> const y = tx::from_arrow<double>(schema, array); // takes both over
    CHECK(y.data() == x.data());
    CHECK(!array.release);
}
