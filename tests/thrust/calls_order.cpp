#include <thrust/calls_helper.hpp>

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
}

} // namespace

TEST_CASE("device calls: elements in order, and their places, are the CPU's") {
    check_order<bool>(), check_order<std::int8_t>(), check_order<std::uint32_t>(), check_order<std::int64_t>();
    check_order<tx::half>(), check_order<float>(), check_order<double>(), check_order<dual<double>>();
}
