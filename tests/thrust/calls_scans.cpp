#include <thrust/calls_helper.hpp>

#include <random>

using namespace tx;
using namespace tx::testing;

namespace {

inline std::vector<dims> const scanned_shapes{{{7}, 1},       {{1}, 1},       {{0}, 1},    {{3, 4, 5}, 3},
                                              {{2, 1, 3}, 3}, {{2, 0, 3}, 3}, {{70, 3}, 2}};

template <op Code, class T> void check_scan(int range, double tolerance = 0) {
    for (dims const& shape : scanned_shapes)
        for (int axis = 0; axis < shape.rank; ++axis)
            check_call<Code, T>({some_operand<T>(shape, 4, range)}, shape, {axis}, tolerance);
}
template <class T> void check_scans(double tolerance = 0) {
    check_scan<op::cumsum, T>(100, tolerance), check_scan<op::cumprod, T>(2, tolerance);
}

// In chunks, also of chunks, as a row by row.
template <class F, class T> void check_chunks(held_operand const& x, std::int64_t outer, std::int64_t n, std::int64_t inner) {
    auto const* const in = reinterpret_cast<T const*>(x.bytes.data());
    auto const count = static_cast<std::size_t>(outer * n * inner);
    std::unique_ptr<T[]> wanted(new T[count]{}), got(new T[count]{});
    calls::scan_along<F>(queue(), outer, n, inner, in, wanted.get(), n);
    for (std::int64_t length : {1 + 1, 3, 5}) {
        calls::scan_along<F>(queue(), outer, n, inner, in, got.get(), length);
        CHECK(std::memcmp(got.get(), wanted.get(), count * sizeof(T)) == 0);
        std::copy_n(in, count, got.get());
        calls::scan_along<F>(queue(), outer, n, inner, got.get(), got.get(), length);
        CHECK(std::memcmp(got.get(), wanted.get(), count * sizeof(T)) == 0);
    }
}
template <class T> void check_all_chunks() {
    std::mt19937_64 from(2);
    for (std::array<std::int64_t, 3> s : {std::array<std::int64_t, 3>{1, 100, 1}, {3, 41, 2}, {2, 12, 5}, {1, 1, 1}}) {
        held_operand const x = some_operand<T>({{s[0], s[1], s[2]}, 3}, 9);
        check_chunks<calls::plus, T>(x, s[0], s[1], s[2]);
        check_chunks<calls::maximum_or_nan, T>(x, s[0], s[1], s[2]);
        check_chunks<calls::minimum_or_nan, T>(x, s[0], s[1], s[2]);
    }
}

} // namespace

TEST_CASE("device calls: running sums and products are the CPU's; integers wrap") {
    check_scans<bool>(), check_scans<std::int8_t>(), check_scans<std::int32_t>(), check_scans<std::uint16_t>();
    check_scans<std::int64_t>(), check_scans<tx::half>(), check_scans<tx::bfloat16>();
    check_scans<float>(), check_scans<double>(), check_scans<std::complex<float>>(), check_scans<dual<double>>();
}
TEST_CASE("device calls: running extremes are the CPU's, and a NaN stays") {
    check_scan<op::cummax, std::int16_t>(1000), check_scan<op::cummin, std::uint64_t>(1000);
    check_scan<op::cummax, tx::half>(9), check_scan<op::cummin, dual<float>>(9), check_scan<op::cummin, double>(9);
    float const nan = std::numeric_limits<float>::quiet_NaN();
    held_operand const x =
        made_operand<float>({{4, 6}, 2}, [&](std::int64_t i) { return i % 7 == 3 ? nan : static_cast<float>(i % 5); });
    for (int axis : {0, 1}) {
        check_call<op::cummax, float>({x}, x.extents, {axis});
        check_call<op::cummin, float>({x}, x.extents, {axis});
        check_call<op::cumsum, float>({x}, x.extents, {axis}, 1e-6);
    }
}
TEST_CASE("device calls: a scan in chunks is the scan") {
    check_all_chunks<std::int32_t>(), check_all_chunks<double>(), check_all_chunks<tx::half>(), check_all_chunks<dual<float>>();
}
