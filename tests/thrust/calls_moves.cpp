#include <thrust/calls_helper.hpp>

using namespace tx;
using namespace tx::testing;

namespace {

template <class T> void check_joins() {
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<held_operand> parts;
        dims whole{{3, 4, 5}, 3};
        whole[axis] = 0;
        for (unsigned k = 0; k < 11; ++k) { // more than one kernel takes
            dims part = whole;
            part[axis] = k % 4;
            parts.push_back(some_operand<T>(part, k));
        }
        for (held_operand const& p : parts) whole[axis] += p.extents[axis];
        check_call<op::concatenate, T>(parts, whole, {axis});
        dims twice{{3, 4, 5}, 3};
        twice[axis] *= 2;
        held_operand const turned = permuted(some_operand<T>({{5, 3, 4}, 3}, 7), {1, 2, 0});
        check_call<op::concatenate, T>({reversed(turned, 1, sizeof(T)), turned}, twice, {axis});
        check_call<op::concatenate, T>({turned}, turned.extents, {axis});
    }
    check_call<op::concatenate, T>({some_operand<T>({{0, 3}, 2}, 1), some_operand<T>({{0, 2}, 2}, 1)}, {{0, 5}, 2}, {1});
    check_call<op::concatenate, T>({some_operand<T>({{64, 32}, 2}, 1), some_operand<T>({{64, 16}, 2}, 2)}, {{64, 48}, 2}, {1});
}

template <class T> void check_pads() {
    held_operand const value = made_operand<T>(dims{}, [](std::int64_t) { return T(1); });
    held_operand const x = some_operand<T>({{3, 4, 5}, 3}, 3);
    check_call<op::pad, T>({x, value}, {{6, 4, 8}, 3}, {1, 2, 0, 0, 3, 0});
    check_call<op::pad, T>({x, value}, {{6, 4, 5}, 3}, {1, 2, 0, 0, 0, 0});
    check_call<op::pad, T>({x, value}, {{3, 7, 5}, 3}, {0, 0, 0, 3, 0, 0});
    check_call<op::pad, T>({x, value}, {{3, 4, 5}, 3}, {0, 0, 0, 0, 0, 0});
    check_call<op::pad, T>({reversed(permuted(x, {2, 0, 1}), 0, sizeof(T)), value}, {{7, 3, 5}, 3}, {1, 1, 0, 0, 1, 0});
    check_call<op::pad, T>({some_operand<T>({{0, 2}, 2}, 3), value}, {{2, 4}, 2}, {1, 1, 1, 1});
    check_call<op::pad, T>({some_operand<T>({{0, 2}, 2}, 3), value}, {{0, 4}, 2}, {0, 0, 1, 1});
    check_call<op::pad, T>({some_operand<T>(dims{}, 3), value}, dims{}, {});
    check_call<op::pad, T>({spread<T>({{4, 4}, 2}, T(1)), value}, {{5, 5}, 2}, {1, 0, 1, 0});
}

} // namespace

TEST_CASE("device calls: what is moved arrives as on the CPU, for elements of any size") {
    check_joins<bool>(), check_joins<tx::half>(), check_joins<float>(), check_joins<double>();
    check_joins<std::complex<double>>(), check_joins<dual<dual<double>>>(), check_joins<tx::detail::interned>();
    check_pads<std::int8_t>(), check_pads<tx::bfloat16>(), check_pads<float>(), check_pads<double>();
    check_pads<std::complex<double>>(), check_pads<dual<dual<double>>>();
}

TEST_CASE("device calls: a number on the host is padded with") {
    held_operand const x = some_operand<float>({{3, 2}, 2}, 3);
    std::vector<float> out(8);
    std::byte* const to = reinterpret_cast<std::byte*>(out.data());
    float const number = 7;
    run_device_call<op::pad, float, std::int64_t>(queue(), std::vector{x.view(), simd::call_operand{}}, &to, {{4, 2}, 2},
                                                  std::vector<std::int64_t>{1, 0, 0, 0}, &number);
    CHECK(out[0] == 7);
    CHECK(out[1] == 7);
    CHECK(std::memcmp(&out[2], x.bytes.data(), x.bytes.size()) == 0);
}

TEST_CASE("device calls: rows far apart are copied in words as wide as they allow") {
    for (std::int64_t run : {1, 2, 3, 4, 8, 12, 16, 48})
        for (std::int64_t skew : {0, 1, 2, 4, 8}) {
            std::vector<std::byte> from(1000), to(1000), wanted(1000);
            for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251);
            calls::byte_copy copy;
            copy.from = from.data() + skew, copy.to = to.data(), copy.run = run, copy.rank = 2;
            copy.axes[0] = {3, 64, 48}, copy.axes[1] = {4, 200, 160};
            for (std::int64_t i = 0; i < 4; ++i)
                for (std::int64_t j = 0; j < 3; ++j)
                    std::memcpy(wanted.data() + i * 160 + j * 48, from.data() + skew + i * 200 + j * 64,
                                static_cast<std::size_t>(run));
            calls::give_copy(queue(), copy);
            CHECK(to == wanted);
        }
    CHECK(calls::word_dividing(0) == 16);
    CHECK(calls::word_dividing(-24) == 8);
    CHECK(calls::word_dividing(6) == 2);
}

TEST_CASE("device calls: places of points are right where 32 bits don't hold them") {
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    for (std::int64_t extent : {std::int64_t{3}, std::int64_t{1} << 31, std::int64_t{1} << 33})
        for (std::int64_t number :
             {std::int64_t{0}, std::int64_t{7}, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31, huge + 5}) {
            std::int64_t quotient = number;
            CHECK(calls::divide(quotient, extent) == number % extent);
            CHECK(quotient == number / extent);
        }
    calls::point_axes axes;
    axes.push_back(huge, 7), axes.push_back(1, 99), axes.push_back(3, 1000);
    CHECK(axes.rank == 2);
    CHECK(axes.points() == 3 * huge);
    CHECK(axes.offset(3 * (huge - 1) + 2) == 7 * (huge - 1) + 2000);
    axes = {};
    axes.push_back(4, 60), axes.push_back(5, 12), axes.push_back(6, 2);
    CHECK(axes.rank == 1);
    CHECK(axes.offset(119) == 238);
}
