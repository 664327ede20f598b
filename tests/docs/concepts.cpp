// Concepts: what signatures ask of their arguments.
#include <tracexpr/files.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>

using vec = tx::tensor<float, tx::shape<3>>;

TEST_CASE("element, shape_type") {
    static_assert(tx::element<float> && tx::element<bool> && tx::element<std::string> && !tx::element<char const*>);
    static_assert(tx::shape_type<tx::shape<2, 3>> && tx::shape_type<tx::any_shape> && !tx::shape_type<int>);
}

TEST_CASE("tensor_type, variable_type, scalar_type") {
    static_assert(tx::tensor_type<vec> && !tx::tensor_type<float>);
    static_assert(tx::variable_type<tx::variable<float, tx::shape<3>>> && !tx::variable_type<vec>);
    static_assert(tx::scalar_type<float> && tx::scalar_type<int> && !tx::scalar_type<vec>);
}

TEST_CASE("operand, operands, array_operand, elementwise") {
    static_assert(tx::operand<vec> && tx::operand<float>);              // what ops take
    static_assert(tx::array_operand<vec> && !tx::array_operand<float>); // what has axes
    static_assert(tx::operands<vec, float> && tx::elementwise<vec, float> && tx::elementwise<float>);
}

TEST_CASE("file_element, safetensors_element, linalg::triangle_form") {
    static_assert(tx::file_element<std::string> && !tx::safetensors_element<std::string>);
    static_assert(tx::safetensors_element<float>);
    static_assert(tx::linalg::triangle_form<decltype(tx::linalg::lower)>);
}
