#include <thrust/calls_helper.hpp>

using namespace tx;
using namespace tx::testing;

namespace {

template <op Code, class T> void check_view_with(dims const& shape, std::vector<std::int64_t> const& attributes) {
    dims const part = updated_map(shape, attributes).shape;
    CAPTURE(to_string(part));
    held_operand const x = some_operand<T>(shape, 3, 40);
    check_call<Code, T>({x, some_operand<T>(part, 4, 40)}, shape, attributes);
    check_call<Code, T>({x, spread<T>(part, T(2))}, shape, attributes);
    // In place, and a number that has no memory of the device's.
    std::vector<std::byte> wanted = x.bytes, got = x.bytes;
    std::byte *wanted_at = wanted.data(), *got_at = got.data();
    T const number = T(3);
    held_operand const spread_number = spread<T>(part, number);
    simd::run_call<Code, T, std::int64_t, xsimd::default_arch>(
        std::vector<simd::call_operand>{{wanted_at, shape, x.strides.data()}, spread_number.view()}, &wanted_at, shape,
        attributes);
    run_device_call<Code, T, std::int64_t>(
        queue(), std::vector<simd::call_operand>{{got_at, shape, x.strides.data()}, {nullptr, part, nullptr}}, &got_at, shape,
        attributes, &number);
    CHECK(got == wanted);
}
template <class T> void check_view(dims const& shape, std::vector<std::int64_t> const& attributes) {
    check_view_with<op::view_add, T>(shape, attributes);
    check_view_with<op::view_set, T>(shape, attributes);
}
template <class T> void check_views() {
    auto const code = [](op view) { return static_cast<std::int64_t>(view); };
    dims const shape{{4, 5, 6}, 3};
    check_view<T>(shape, {code(op::slice), 1, 3, 1, slice_open, slice_open, -2, 0, 6, 2});
    check_view<T>(shape, {code(op::slice), 0, 4, 1, 0, 5, 1, 0, 6, 1});
    check_view<T>(shape, {code(op::slice), 1, 1, 1, 0, 5, 1, 0, 6, 1});
    check_view<T>(shape, {code(op::diagonal), 1, 0, 2});
    check_view<T>(shape, {code(op::diagonal), -2, 1, 0});
    check_view<T>(shape, {code(op::transpose), 2, 0, 1});
    check_view<T>(shape, {code(op::sliding_window_view), 1, 3});
    check_view<T>(shape, {code(op::sliding_window_view), 2, 2, 0, 3});
    check_view<T>(shape, {code(op::sliding_window_view), 0, 4, 0, 1});
    check_view<T>({{}, 0}, {code(op::expand_dims), 0});
    check_view<T>({{0, 3}, 2}, {code(op::transpose), 1, 0});
}

template <op Code, class T, class Index>
void check_indexed(dims const& shape, int axis, dims const& indices_shape, dims const& part) {
    held_operand const x = some_operand<T>(shape, 3, 40), more = some_operand<T>(part, 4, 40);
    held_operand const indices = some_indices<Index>(indices_shape, std::max<std::int64_t>(shape[axis], 1), 7);
    check_call<Code, T, Index>({x, more, indices}, shape, {axis});
    check_call<Code, T, Index>({x, spread<T>(part, T(2)), indices}, shape, {axis});
    // By sorting, as on a GPU.
    simd::detail::split_extents const s(shape, axis);
    bool const each = !updates_taken(Code);
    std::int64_t const count = each ? indices_shape[axis] : indices_shape.size();
    if (part.size() == 0) return;
    std::vector<std::byte> wanted = x.bytes, got = x.bytes;
    calls::index_space<Index> const space{reinterpret_cast<Index const*>(indices.bytes.data()), s.along, count, s.inner, each};
    calls::added_elements<T> const added{reinterpret_cast<T const*>(more.bytes.data()), 1, T{}};
    calls::add_by_sorting<calls::join_of<Code>>(queue(), s.outer, space, added, reinterpret_cast<T*>(got.data()));
    std::byte* to = wanted.data();
    simd::run_call<Code, T, Index, xsimd::default_arch>(std::vector{x.view(), more.view(), indices.view()}, &to, shape,
                                                        std::vector<std::int64_t>{axis});
    CHECK(got == wanted);
}
template <class T, class Index> void check_all_indexed() {
    for (int axis = 0; axis < 3; ++axis)
        for (std::int64_t count : {0, 1, 9}) {
            dims const shape{{3, 4, 5}, 3};
            dims part = shape;
            part[axis] = count;
            check_indexed<op::index_add, T, Index>(shape, axis, {{count}, 1}, part);
            check_indexed<op::scatter_add, T, Index>(shape, axis, part, part);
            check_indexed<op::index_set, T, Index>(shape, axis, {{count}, 1}, part);
            check_indexed<op::scatter_set, T, Index>(shape, axis, part, part);
            if constexpr (accepts(op::index_max, dtype_of<T>)) {
                check_indexed<op::index_max, T, Index>(shape, axis, {{count}, 1}, part);
                check_indexed<op::scatter_min, T, Index>(shape, axis, part, part);
            }
        }
    check_indexed<op::index_add, T, Index>({{3, 4}, 2}, 1, {{2, 3}, 2}, {{3, 2, 3}, 3});
    check_indexed<op::index_add, T, Index>({{50}, 1}, 0, {{400}, 1}, {{400}, 1});
}

} // namespace

TEST_CASE("device calls: views of any kind are added to, once for each time an element is seen, or set") {
    check_views<float>(), check_views<std::int8_t>(), check_views<std::uint64_t>(), check_views<tx::half>();
    check_views<std::complex<double>>(), check_views<dual<dual<float>>>();
}
TEST_CASE("device calls: what goes to equal indices goes there in the CPU's order") {
    check_all_indexed<float, std::int64_t>(), check_all_indexed<tx::half, std::int32_t>();
    check_all_indexed<std::int16_t, std::uint8_t>(), check_all_indexed<std::complex<float>, std::int16_t>();
    check_all_indexed<dual<double>, std::uint64_t>();
}
