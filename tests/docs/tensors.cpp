// Tensors, shapes and dtypes: what an array is, how much of its shape the type says, and what its elements may be.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

TEST_CASE("tensor, shape, dyn, any_shape") {
    tx::tensor<float, tx::shape<2, 3>> const a{{1, 2, 3}, {4, 5, 6}}; // the compiler knows all of the shape
    tx::tensor<float, tx::shape<tx::dyn, 3>> const b = a;             // the rank and one extent
    tx::tensor<float> const c = b;                                    // nothing: tx::any_shape
    static_assert(std::is_same_v<decltype(c), tx::tensor<float, tx::any_shape> const>);
    CHECK(c.rank() == 2);
    CHECK(c.extent(1) == 3);
    CHECK(c.extents() == std::vector<std::int64_t>{2, 3});
    CHECK(c.size() == 6);
    CHECK_THROWS_AS((tx::tensor<float, tx::shape<3, 2>>(c)), tx::shape_error); // what is not known must fit
}

TEST_CASE("tensor") {
    tx::tensor<float, tx::shape<2, 2>> x{{1, 2}, {3, 4}};
    auto const copy = x; // a value: later writes don't reach it
    x(1, -1) = 40;       // negative places count from the end
    x(0, 0) += 9;
    CHECK(x(0, 0) == 10);
    CHECK(x.data()[3] == 40);
    CHECK(copy(1, 1) == 4);
    CHECK_THROWS_AS(x(2, 0), tx::shape_error);
    float total = 0;
    for (float const element : copy) total += element; // in row-major order
    CHECK(total == 10);
    x.mutable_data()[0] = 0;
    CHECK(tx::sum(x).item() == 45); // item: the only element
}

TEST_CASE("extent, size") {
    tx::tensor<float, tx::shape<2, 3>> const x{};
    static_assert(tx::extent<1>(x) == 3); // a number where the type knows it; in a callable else a scalar of the graph
    CHECK(tx::size(x) == 6);
}

TEST_CASE("to_string, operator<<") {
    tx::tensor<float, tx::shape<2, 2>> const x{{1, 2.5}, {-3, 4}};
    CHECK(tx::to_string(x) == "[[ 1.   2.5]\n [-3.   4. ]]"); // as NumPy prints it
    std::ostringstream out;
    out << x;
    CHECK(out.str() == tx::to_string(x));
}

TEST_CASE("half, bfloat16") {
    tx::tensor<tx::half, tx::shape<2>> const x{1.5f, 2.25f}; // IEEE 754's 16 bits
    CHECK(tx::equal(tx::cast<float>(x), tx::tensor<float, tx::shape<2>>{1.5, 2.25}));
    CHECK(static_cast<float>(tx::bfloat16(257.f)) == 256); // float32's range, 8 bits of precision
}

TEST_CASE("dual") {
    auto const cube = [](auto x) { return x * x * x; };
    tx::dual<double> const y = cube(tx::dual<double>{2, 1}); // the value and its derivative
    CHECK(y.value == 8);
    CHECK(y.tangent == 12);
}

TEST_CASE("spec") {
    using two = tx::spec<float, tx::shape<2>>; // a dtype and a shape: what a signature is made of
    using result = decltype(tx::spec_of<two>([](auto x) { return tx::sum(x); }));
    static_assert(std::is_same_v<result, tx::spec<float, tx::shape<>>>);
}

TEST_CASE("error, shape_error, type_error") {
    tx::tensor<float> const x{1, 2, 3}, y{1, 2};
    CHECK_THROWS_AS(x + y, tx::shape_error); // the text names the function and both shapes
    CHECK_THROWS_AS(x + y, tx::error);       // which all are; it is a std::runtime_error
    tx::tensor<std::uint8_t, tx::shape<1>> const bytes{1};
    CHECK_THROWS_AS(bytes + 300, tx::type_error); // no value of the dtype
}

TEST_CASE("variable, variable_options") {
    tx::variable<float, tx::shape<2>> w{{1, 2}, tx::variable_options{.trainable = true, .name = "w"}};
    w.assign(w * 10);
    w.assign_add(1);
    w.assign_sub(tx::tensor<float, tx::shape<2>>{1, 2});
    CHECK(tx::equal(w.value(), tx::tensor<float, tx::shape<2>>{10, 19}));
}

TEST_CASE("free_unused_strings") {
    {
        tx::tensor<std::string, tx::shape<2>> const lines{"a request", "another one"};
        CHECK(lines(0) + "!" == "a request!");
    }
    CHECK(tx::free_unused_strings() >= 2); // those of `lines`
}
