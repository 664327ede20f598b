#include <thrust/calls_matrices.hpp>

using namespace tx;
using namespace tx::testing;

namespace {

// As on the CPU, and by way of copies on the host, which is what a GPU without cuSOLVER does.
template <op Code, class T>
void check_both(std::vector<held_operand> const& operands, dims const& extents, std::vector<std::int64_t> const& attributes) {
    check_call<Code, T>(operands, extents, attributes);
    compared_call<Code, T> both(operands, extents, attributes);
    calls::run_on_copies<Code, T, std::int64_t>(queue(), both.given, both.got_at, extents, attributes, nullptr);
    for (std::size_t k = 0; k < both.count; ++k) CHECK(both.got[k] == both.wanted[k]);
}

template <class T> void check_decompositions() {
    for (dims const& shape : {dims{{4, 4}, 2}, dims{{3, 2, 5, 5}, 4}, dims{{0, 3, 3}, 3}, dims{{2, 0, 0}, 3}, dims{{1, 1}, 2}}) {
        held_operand const a = definite<T>(shape, 3);
        check_both<op::cholesky, T>({a}, shape, {});
        check_both<op::lu, T>({a}, shape, {});
        check_both<op::eigh, T>({a}, shape, {});
        for (std::int64_t const columns : {shape[shape.rank - 1], std::int64_t{2}, std::int64_t{7}}) {
            dims rectangle = shape;
            rectangle[rectangle.rank - 1] = columns;
            held_operand const b = some_operand<T>(rectangle, 5, 3);
            check_both<op::qr, T>({b}, decomposed_part(op::qr, rectangle, 0), {});
            check_both<op::svd, T>({b}, decomposed_part(op::svd, rectangle, 0), {});
        }
        dims right = shape;
        right[right.rank - 1] = 2;
        held_operand const b = some_operand<T>(right, 4);
        for (std::int64_t flags = 0; flags < 8; ++flags)
            check_both<op::solve_triangular, T>({a, b}, right, {flags & 1, flags >> 1 & 1, flags >> 2});
        std::int64_t const n = shape[shape.rank - 1];
        dims rows = shape;
        --rows.rank;
        held_operand const places =
            made_operand<std::int64_t>(rows, [&](std::int64_t i) { return n - 1 - i % std::max<std::int64_t>(n, 1); });
        for (std::int64_t transposed : {0, 1}) check_both<op::solve, T>({a, b, a, places}, right, {transposed});
    }
    held_operand const a = definite<T>({{3, 3}, 2}, 3), b = some_operand<T>({{5, 3, 2}, 3}, 4); // a is broadcast
    check_both<op::solve_triangular, T>({a, b}, b.extents, {1, 0, 0});
}

// By the device's threads, as many small matrices are on a GPU.
template <class T> void check_all_threads() {
    for (dims const& shape :
         {dims{{150, 4, 4}, 3}, dims{{2, 70, 7, 7}, 4}, dims{{0, 3, 3}, 3}, dims{{2, 0, 0}, 3}, dims{{128, 1, 1}, 3}}) {
        held_operand const a = definite<T>(shape, 3), any = some_operand<T>(shape, 8, 9);
        check_on_device<op::cholesky, T>({a}, shape, {});
        check_on_device<op::lu, T>({a}, shape, {});
        check_on_device<op::lu, T>({any}, shape, {}); // with rows swapped
        dims right = shape, rows = shape;
        right[right.rank - 1] = 2, --rows.rank;
        held_operand const b = some_operand<T>(right, 4);
        for (std::int64_t flags = 0; flags < 8; ++flags)
            check_on_device<op::solve_triangular, T>({a, b}, right, {flags & 1, flags >> 1 & 1, flags >> 2});
        std::int64_t const n = shape[shape.rank - 1];
        held_operand const places =
            made_operand<std::int64_t>(rows, [&](std::int64_t i) { return (i + 1) % std::max<std::int64_t>(n, 1); });
        for (std::int64_t transposed : {0, 1}) check_on_device<op::solve, T>({a, b, a, places}, right, {transposed});
    }
    held_operand const a = definite<T>({{2, 1, 3, 3}, 4}, 3), b = some_operand<T>({{5, 3, 2}, 3}, 4); // both are broadcast
    held_operand const places = made_operand<std::int64_t>({{2, 1, 3}, 3}, [](std::int64_t i) { return i < 3 ? i : 5 - i; });
    dims const right{{2, 5, 3, 2}, 4};
    check_on_device<op::solve_triangular, T>({a, b}, right, {1, 0, 0});
    for (std::int64_t transposed : {0, 1}) check_on_device<op::solve, T>({a, b, a, places}, right, {transposed});
}

template <op Code>
std::string message_of(std::vector<held_operand> const& operands, dims const& extents, std::vector<std::int64_t> const& attributes) {
    std::vector<simd::call_operand> given;
    for (held_operand const& o : operands) given.push_back(o.view());
    std::vector<double> memory(static_cast<std::size_t>(extents.size()), -1);
    std::byte* to = reinterpret_cast<std::byte*>(memory.data());
    return error_of([&] { run_device_call<Code, double, std::int64_t>(queue(), given, &to, extents, attributes); });
}

} // namespace

TEST_CASE("device calls: matrices are taken apart, and systems solved, as on the CPU") {
    check_decompositions<float>(), check_decompositions<double>(), check_decompositions<dual<double>>();
}
TEST_CASE("device calls: a device's threads take matrices apart and solve systems as the CPU does") {
    check_all_threads<float>(), check_all_threads<double>();
}
TEST_CASE("device calls: a device's threads refuse what the CPU refuses, in its words; a NaN spreads") {
    held_operand a = definite<double>({{200, 3, 3}, 3}, 3);
    auto* const elements = reinterpret_cast<double*>(a.bytes.data());
    elements[150 * 9] = -1, elements[160 * 9] = -1;
    std::vector<double> memory(1800);
    std::byte* to = reinterpret_cast<std::byte*>(memory.data());
    std::vector const given{a.view()};
    CHECK(error_of([&] { calls::decompose_on_device<op::cholesky, double>(queue(), given, &to, a.extents, {}); }) ==
          "tx: cholesky: a must be positive definite; matrix 150 of (200, 3, 3) is not");
    elements[150 * 9] = std::numeric_limits<double>::quiet_NaN(), elements[160 * 9] = 4;
    CHECK(error_of([&] { calls::decompose_on_device<op::cholesky, double>(queue(), given, &to, a.extents, {}); }).empty());
    CHECK(std::isnan(memory[150 * 9]));
    elements[7 * 9 + 4] = 0;
    std::vector const system{a.view(), a.view()};
    std::vector<std::int64_t> const lower{1, 0, 0};
    CHECK(error_of([&] { calls::decompose_on_device<op::solve_triangular, double>(queue(), system, &to, a.extents, lower); }) ==
          "tx: solve_triangular: the diagonal of a must have no 0; matrix 7 of (200, 3, 3) has one");
}
TEST_CASE("device calls: matrices without factors are refused in the CPU's words") {
    held_operand const zeros = made_operand<double>({{2, 3, 3}, 3}, [](std::int64_t) { return 0; });
    CHECK(message_of<op::cholesky>({zeros}, zeros.extents, {}) ==
          "tx: cholesky: a must be positive definite; matrix 0 of (2, 3, 3) is not");
    CHECK(message_of<op::solve_triangular>({zeros, zeros}, zeros.extents, {1, 0, 0}) ==
          "tx: solve_triangular: the diagonal of a must have no 0; matrix 0 of (2, 3, 3) has one");
}
