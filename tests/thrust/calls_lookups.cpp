#include <thrust/calls_helper.hpp>

using namespace tx;
using namespace tx::testing;

namespace {

template <class T, class Index> void check_lookups() {
    for (int axis = 0; axis < 3; ++axis) {
        dims const shape{{3, 4, 5}, 3};
        held_operand const x = some_operand<T>(shape, 3);
        held_operand const indices = some_indices<Index>({{2, 3}, 2}, shape[axis], 5);
        dims taken;
        for (int k = 0; k < 3; ++k)
            if (k == axis) taken.push_back(2), taken.push_back(3);
            else taken.push_back(shape[k]);
        check_call<op::take, T, Index>({x, indices}, taken, {axis});
        check_call<op::take, T, Index>({x, some_indices<Index>(dims{}, shape[axis], 2)},
                                       [&] {
                                           dims out;
                                           for (int k = 0; k < 3; ++k)
                                               if (k != axis) out.push_back(shape[k]);
                                           return out;
                                       }(),
                                       {axis});
        dims along = shape;
        along[axis] = 7;
        check_call<op::take_along_axis, T, Index>({x, some_indices<Index>(along, shape[axis], 6)}, along, {axis});
        along[axis] = 0;
        check_call<op::take_along_axis, T, Index>({x, some_indices<Index>(along, shape[axis], 6)}, along, {axis});
        check_call<op::take, T, Index>({x, some_indices<Index>({{0}, 1}, 1, 5)}, along, {axis});
    }
    check_call<op::take, T, Index>({some_operand<T>({{10, 64}, 2}, 1), some_indices<Index>({{33}, 1}, 10, 5)}, {{33, 64}, 2},
                                   {0});
}

} // namespace

TEST_CASE("device calls: what is looked up is what the CPU finds") {
    check_lookups<float, std::int64_t>(), check_lookups<double, std::int32_t>(), check_lookups<bool, std::uint8_t>();
    check_lookups<tx::half, std::int16_t>(), check_lookups<std::complex<double>, std::uint64_t>();
    check_lookups<dual<dual<double>>, std::int64_t>(), check_lookups<tx::detail::interned, std::int32_t>();
}

TEST_CASE("device calls: an index out of bounds is refused in the CPU's words, before anything is written") {
    held_operand const x = some_operand<float>({{3, 2}, 2}, 3);
    for (std::int64_t bad : {3, -4}) {
        held_operand indices = made_operand<std::int64_t>({{4}, 1}, [&](std::int64_t i) { return i == 1 ? bad : i == 3 ? 99 : 0; });
        std::vector<float> out(8, -1);
        std::byte* const to = reinterpret_cast<std::byte*>(out.data());
        std::vector const given{x.view(), indices.view()};
        std::vector<std::int64_t> const axis{0};
        auto const message = [&](auto run) {
            try {
                run();
            } catch (shape_error const& e) {
                return std::string(e.what());
            }
            return std::string();
        };
        std::string const wanted =
            message([&] { simd::run_call<op::take, float, std::int64_t, xsimd::default_arch>(given, &to, {{4, 2}, 2}, axis); });
        CHECK(!wanted.empty());
        CHECK(message([&] { run_device_call<op::take, float, std::int64_t>(queue(), given, &to, {{4, 2}, 2}, axis); }) == wanted);
        CHECK(out == std::vector<float>(8, -1));
        std::vector const updated{x.view(), spread<float>({{4, 2}, 2}, 1).view(), indices.view()};
        CHECK_THROWS_AS((run_device_call<op::index_add, float, std::int64_t>(queue(), updated, &to, {{3, 2}, 2}, axis)),
                        shape_error);
        CHECK(out == std::vector<float>(8, -1));
    }
    std::uint64_t const huge = ~std::uint64_t{0};
    CHECK_THROWS_AS(tx::detail::check_device_indices(queue(), &huge, 1, 5, 0, "take"), shape_error);
    CHECK_NOTHROW(tx::detail::check_device_indices(queue(), &huge, 0, 0, 0, "take"));
}
