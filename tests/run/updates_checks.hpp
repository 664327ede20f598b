#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {

using matrix = tx::tensor<double, tx::shape<4, 5>>;
using open_matrix = tx::tensor<double, tx::shape<tx::dyn, tx::dyn>>;
matrix const given = tx::reshape<4, 5>(tx::arange<double, 20>()) / 4 - 2;

// Checks f in all executors, and with shapes that only the run knows.
template <class F, class Check, class... A> void check_all(F const& f, Check const& check, A const&... a) {
    check(f(given, a...));
    check(f(open_matrix(given), a...));
    tx::function const known{f};
    check(known(given, a...));
    check(known(open_matrix(given), a...));
    tx::function const at_run_time{f, tx::options{.jit = tx::jit::never}};
    check(at_run_time(open_matrix(given), a...));
}
// Gives the matrix whose elements were changed one by one, as a check for results.
template <class Changed> auto expected(Changed const& changed) {
    matrix out = given;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 5; ++j) changed(out, i, j);
    return [out](auto const& got) { CHECK(tx::equal(got, out)); };
}

} // namespace
