#include <thrust/calls_helper.hpp>

using namespace tx;
using namespace tx::testing;

namespace {

template <class T> void check_axes(held_operand const& x) {
    for (std::uint32_t reduced = 1; reduced < 1u << x.extents.rank; ++reduced) {
        dims kept;
        std::vector<std::int64_t> attributes{0};
        std::int64_t count = 1;
        for (int axis = 0; axis < x.extents.rank; ++axis)
            if (reduced >> axis & 1u) attributes.push_back(axis), count *= x.extents[axis];
            else kept.push_back(x.extents[axis]);
        if (count == 0) continue;
        check_call<op::argmax, T>({x}, kept, attributes);
        check_call<op::argmin, T>({x}, kept, attributes);
        std::vector<std::int64_t> wanted(static_cast<std::size_t>(kept.size())), got(wanted);
        auto const* const in = reinterpret_cast<T const*>(x.bytes.data());
        calls::extreme_positions<calls::least>(queue(), in, x.extents, reduced, wanted.data(), count + 1);
        for (std::int64_t each : {2, 3, 7}) { // parts of parts
            calls::extreme_positions<calls::least>(queue(), in, x.extents, reduced, got.data(), each);
            CHECK(got == wanted);
        }
    }
}
template <class T> void check_extremes() {
    check_axes<T>(some_operand<T>({{3, 4, 2, 5}, 4}, 3));
    check_axes<T>(some_operand<T>({{100}, 1}, 3));
    check_axes<T>(some_operand<T>({{1, 0, 3}, 3}, 3));
    check_axes<T>(some_operand<T>({{2, 70}, 2}, 5, 50));
}

} // namespace

TEST_CASE("device calls: positions of extremes are the CPU's, for all sets of axes: the first of equal ones") {
    check_extremes<bool>(), check_extremes<std::int8_t>(), check_extremes<std::uint32_t>(), check_extremes<std::int64_t>();
    check_extremes<tx::half>(), check_extremes<float>(), check_extremes<double>(), check_extremes<dual<double>>();
}
TEST_CASE("device calls: the first NaN is the extreme") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    for (std::int64_t period : {2, 7, 11, 40})
        check_axes<float>(
            made_operand<float>({{3, 4, 5}, 3}, [&](std::int64_t i) { return i % period == 1 ? nan : static_cast<float>(i % 4); }));
}
