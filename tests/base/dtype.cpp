#include <tracexpr/base/dtype.hpp>
#include <tracexpr/base/element.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using enum tx::dtype;

constexpr std::array every_dtype{boolean, int8,    int16,    int32,   int64,   uint8,     uint16,    uint32, // of numbers
                                 uint64,  float16, bfloat16, float32, float64, complex64, complex128,
                                 dual_float32, dual_float64, dual_dual_float32, dual_dual_float64};
static_assert(every_dtype.size() + 2 == tx::dtype_count); // and strings, and tokens

// The tables of the Array API standard, "Type Promotion Rules", row by row.
constexpr std::array signed_types{int8, int16, int32, int64};
constexpr std::array unsigned_types{uint8, uint16, uint32, uint64};
constexpr std::array inexact_types{float32, float64, complex64, complex128};
using table = std::array<std::array<tx::dtype, 4>, 4>;
constexpr table signed_with_signed{{{int8, int16, int32, int64}, //
                                    {int16, int16, int32, int64},
                                    {int32, int32, int32, int64},
                                    {int64, int64, int64, int64}}};
constexpr table unsigned_with_unsigned{{{uint8, uint16, uint32, uint64},
                                        {uint16, uint16, uint32, uint64},
                                        {uint32, uint32, uint32, uint64},
                                        {uint64, uint64, uint64, uint64}}};
constexpr table signed_with_unsigned{{{int16, int32, int64, float64}, // the last column is NumPy's; the standard leaves it open
                                      {int16, int32, int64, float64},
                                      {int32, int32, int64, float64},
                                      {int64, int64, int64, float64}}};
constexpr table inexact_with_inexact{{{float32, float64, complex64, complex128},
                                      {float64, float64, complex128, complex128},
                                      {complex64, complex128, complex64, complex128},
                                      {complex128, complex128, complex128, complex128}}};

constexpr bool follows(table const& expected, std::array<tx::dtype, 4> const& rows, std::array<tx::dtype, 4> const& columns) {
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t column = 0; column < 4; ++column) {
            if (tx::promote(rows[row], columns[column]) != expected[row][column]) return false;
            if (tx::promote(columns[column], rows[row]) != expected[row][column]) return false;
        }
    return true;
}

constexpr bool standard_holds() {
    return follows(signed_with_signed, signed_types, signed_types) &&
           follows(unsigned_with_unsigned, unsigned_types, unsigned_types) &&
           follows(signed_with_unsigned, signed_types, unsigned_types) &&
           follows(inexact_with_inexact, inexact_types, inexact_types);
}

constexpr bool commutes() {
    return std::ranges::all_of(every_dtype, [](tx::dtype a) {
        return std::ranges::all_of(every_dtype, [a](tx::dtype b) { return tx::promote(a, b) == tx::promote(b, a); });
    });
}

constexpr bool boolean_and_self_are_neutral() {
    return std::ranges::all_of(every_dtype, [](tx::dtype a) { return tx::promote(a, a) == a && tx::promote(boolean, a) == a; });
}

// The result is never narrower than either operand.
constexpr bool only_widens() {
    return std::ranges::all_of(every_dtype, [](tx::dtype a) {
        return std::ranges::all_of(every_dtype, [a](tx::dtype b) {
            tx::dtype const both = tx::promote(a, b);
            bool const float_from_wide_integer = tx::is_floating(both) && (tx::is_integer(a) || tx::is_integer(b));
            bool const complex_from_wide_integer = tx::is_complex(both) && (tx::is_integer(a) || tx::is_integer(b));
            return float_from_wide_integer || complex_from_wide_integer ||
                   tx::size_in_bytes(both) >= std::max(tx::size_in_bytes(a), tx::size_in_bytes(b));
        });
    });
}

template <std::size_t... I> constexpr bool types_round_trip(std::index_sequence<I...>) {
    return ((tx::dtype_of<tx::ctype<every_dtype[I]>> == every_dtype[I]) && ...) &&
           ((sizeof(tx::ctype<every_dtype[I]>) == tx::size_in_bytes(every_dtype[I])) && ...);
}

} // namespace

TEST_CASE("dtype: promotion follows the Array API tables") {
    static_assert(standard_holds());
    CHECK(standard_holds());
}

TEST_CASE("dtype: promotion commutes, widens, and keeps equal dtypes") {
    static_assert(commutes() && boolean_and_self_are_neutral() && only_widens());
    CHECK(commutes());
    CHECK(boolean_and_self_are_neutral());
    CHECK(only_widens());
}

TEST_CASE("dtype: pairs that the standard leaves open") {
    static_assert(tx::promote(int64, float32) == float32);
    static_assert(tx::promote(uint8, float16) == float16);
    static_assert(tx::promote(float16, bfloat16) == float32);
    static_assert(tx::promote(bfloat16, float32) == float32);
    static_assert(tx::promote(int64, complex64) == complex64);
    static_assert(tx::promote(float64, complex64) == complex128);
    CHECK(tx::promote(float16, bfloat16) == float32);
}

TEST_CASE("dtype: dual numbers stay dual and have room for the other's values") {
    static_assert(tx::promote(dual_float32, int64) == dual_float32 && tx::promote(dual_float32, bfloat16) == dual_float32);
    static_assert(tx::promote(dual_float32, float64) == dual_float64 && tx::promote(dual_float32, dual_float64) == dual_float64);
    static_assert(tx::promote(dual_dual_float32, dual_float64) == dual_dual_float64);
    static_assert(tx::promote_weak(dual_float32, float64) == dual_float32 && tx::promote_weak(float32, dual_float64) == dual_float32);
    static_assert(tx::promote_weak(int32, dual_float32) == dual_float64 && tx::promote_weak(dual_float64, dual_dual_float32) == dual_dual_float64);
    static_assert(tx::is_floating(dual_float32) && tx::is_inexact(dual_float32) && !tx::is_complex(dual_float32));
    static_assert(!tx::element<tx::dual<tx::dual<tx::dual<double>>>> && !tx::element<tx::dual<tx::half>>);
    CHECK(tx::name(dual_dual_float64) == "dual<dual<float64>>");
}

TEST_CASE("dtype: a C++ scalar is weak") {
    static_assert(tx::promote_weak(float32, float64) == float32);
    static_assert(tx::promote_weak(float16, int64) == float16);
    static_assert(tx::promote_weak(int32, float64) == float64);
    static_assert(tx::promote_weak(int8, int32) == int8);
    static_assert(tx::promote_weak(boolean, int32) == int32);
    static_assert(tx::promote_weak(boolean, float64) == float64);
    static_assert(tx::promote_weak(float32, complex128) == complex64);
    static_assert(tx::promote_weak(float64, complex64) == complex128);
    static_assert(tx::promote_weak(uint8, boolean) == uint8);
    CHECK(tx::promote_weak(float32, float64) == float32);
}

TEST_CASE("dtype: each has its C++ type") {
    static_assert(types_round_trip(std::make_index_sequence<every_dtype.size()>{}));
    static_assert(tx::dtype_of<long long> == int64 && tx::dtype_of<long> == (sizeof(long) == 8 ? int64 : int32));
    static_assert(std::is_same_v<tx::canonical<long long>, std::int64_t>);
    static_assert(std::is_same_v<tx::ctype<string>, std::string> && tx::dtype_of<std::string> == string && tx::name(string) == "string");
    static_assert(tx::size_in_bytes(string) == sizeof(tx::detail::stored<std::string>));
    static_assert(!tx::element<char> && !tx::element<void*> && !tx::element<long double>);
    CHECK(types_round_trip(std::make_index_sequence<every_dtype.size()>{}));
}

TEST_CASE("dtype: names and kinds") {
    static_assert(tx::name(boolean) == "bool" && tx::name(bfloat16) == "bfloat16" && tx::name(complex128) == "complex128");
    for (tx::dtype const type : every_dtype) {
        CAPTURE(tx::name(type));
        int const kinds = (type == boolean) + tx::is_signed_integer(type) + tx::is_unsigned_integer(type) +
                          tx::is_floating(type) + tx::is_complex(type);
        CHECK(kinds == 1);
        CHECK(tx::is_integer(type) == (tx::is_signed_integer(type) || tx::is_unsigned_integer(type)));
        CHECK(tx::is_inexact(tx::to_inexact(type)));
        CHECK(!tx::is_complex(tx::real_part(type)));
    }
}
