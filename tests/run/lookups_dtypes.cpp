// This file tests lookups as parts of loops: dtypes of tables and of indices.
#include "lookups_checks.hpp"

namespace {

template <class T, class I> void check_dtypes() {
    auto const table = numbers<T>(shape<23, 37>{});
    check([](auto const& x, auto const& rows, auto const& columns, auto const& of_row) {
        return std::tuple{tx::take(x, rows, axis<0>) * 2, tx::take(x, columns, axis<1>) == 3, tx::take_along_axis(x, of_row, axis<1>) + 1};
    }, table, places<I>(shape<19>{}, 23), places<I>(shape<41>{}, 37), places<I>(shape<23, 50>{}, 37));
}

} // namespace

TEST_CASE("lookups in loops: dtypes of tables and of indices") {
    check_dtypes<double, std::int64_t>();
    check_dtypes<std::int16_t, std::uint8_t>();
    check_dtypes<std::complex<float>, std::int8_t>();
    check_dtypes<tx::half, std::uint64_t>();
}
