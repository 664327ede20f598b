#include <thrust/calls_helper.hpp>

#include <limits>

using namespace tx;
using namespace tx::testing;

namespace {

template <class T> void check_order() {
    held_operand const x = some_operand<T>({{3, 40, 2}, 3}, 5);
    for (std::int64_t const descending : {0, 1})
        for (int axis = 0; axis < 3; ++axis) {
            check_call<op::sort, T>({x}, x.extents, {axis, descending});
            check_call<op::argsort, T>({x}, x.extents, {axis, descending, order_of_all});
        }
    check_call<op::argsort, T>({x}, {{3, 4, 2}, 3}, {1, 1, 4});
    check_call<op::sort, T>({x}, x.extents, {1, 0, -4}), check_call<op::argsort, T>({x}, x.extents, {1, 0, order_of_all, 7});
    held_operand const ranks = some_indices<std::int64_t>({{5}, 1}, 40, 3), each = some_indices<std::int64_t>({{3, 6, 2}, 3}, 40, 4);
    check_call<op::argselect, T, std::int64_t>({x, ranks}, {{3, 5, 2}, 3}, {1});
    check_call<op::argselect, T, std::int64_t>({x, each}, each.extents, {1});
}

// As a GPU sorts: by digits.
template <op Code, class T> void check_digits(held_operand const& x, dims const& extents, std::vector<std::int64_t> const& attributes, std::vector<held_operand> const& more = {}) {
    auto const bytes = static_cast<std::size_t>(calls::result_bytes<Code, T>(0, extents, x.extents, attributes));
    std::vector<std::byte> wanted(bytes), got(bytes);
    std::vector<simd::call_operand> given{x.view()};
    for (held_operand const& operand : more) given.push_back(operand.view());
    std::byte* to = wanted.data();
    simd::run_call<Code, T, std::int64_t, xsimd::default_arch>(given, &to, extents, attributes);
    calls::order<Code, T>(queue(), given, got.data(), extents, attributes);
    CHECK(got == wanted);
}
template <class T> void check_all_digits(held_operand const& x) {
    for (std::int64_t const descending : {0, 1})
        for (int axis = 0; axis < x.extents.rank; ++axis) {
            check_digits<op::sort, T>(x, x.extents, {axis, descending});
            check_digits<op::argsort, T>(x, x.extents, {axis, descending, order_of_all});
            dims few = x.extents;
            few[axis] = (few[axis] + 2) / 3;
            check_digits<op::argsort, T>(x, few, {axis, descending, few[axis]});
            if (x.extents[axis] == 0 || descending) continue;
            check_digits<op::sort, T>(x, x.extents, {axis, 0, x.extents[axis] / 2});
            check_digits<op::argsort, T>(x, x.extents, {axis, 0, order_of_all, -1});
            dims ranks = x.extents;
            ranks[axis] = 4;
            check_digits<op::argselect, T>(x, ranks, {axis}, {some_indices<std::int64_t>({{4}, 1}, x.extents[axis], 3)});
            check_digits<op::argselect, T>(x, ranks, {axis}, {some_indices<std::int64_t>(ranks, x.extents[axis], 4)});
        }
}
template <class T> void check_special() {
    double const nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    double const all[]{nan, 0.0, -0.0, inf, -inf, 1, -1, 2.5, -nan, 1e-3, 0.0, -0.0, 3, nan};
    check_all_digits<T>(made_operand<T>({{14}, 1}, [&](std::int64_t i) { return static_cast<float>(all[i]); }));
}

} // namespace

TEST_CASE("device calls: rows sorted by digits of 32 bits are the CPU's") {
    dims const extents{{3, 40, 2}, 3};
    check_all_digits<bool>(some_operand<bool>(extents, 1)), check_all_digits<std::int8_t>(some_operand<std::int8_t>(extents, 2, 1000));
    check_all_digits<std::uint32_t>(some_operand<std::uint32_t>(extents, 3, 1000));
    check_all_digits<std::int64_t>(some_operand<std::int64_t>(extents, 4, 1000)), check_all_digits<tx::half>(some_operand<tx::half>(extents, 5));
    check_all_digits<double>(some_operand<double>(extents, 6)), check_all_digits<dual<double>>(some_operand<dual<double>>(extents, 7));
    check_all_digits<float>(some_operand<float>({{1000}, 1}, 8, 90)), check_all_digits<float>(some_operand<float>({{0, 4}, 2}, 8));
    check_special<float>(), check_special<double>(), check_special<tx::half>(), check_special<tx::bfloat16>();
}

TEST_CASE("device calls: elements in order, and their places, are the CPU's") {
    check_order<bool>(), check_order<std::int8_t>(), check_order<std::uint32_t>(), check_order<std::int64_t>();
    check_order<tx::half>(), check_order<float>(), check_order<double>(), check_order<dual<double>>();
}
