// Runs the examples in the docstrings of scipy.linalg, numpy.linalg and scipy.signal, and checks values of scipy.special.
#include <tracexpr/conv.hpp>
#include <tracexpr/matrices.hpp>
#include <tracexpr/special.hpp>

#include <peer_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("scipy.linalg: functions and factors") {
    check_open(
        "expm", in_double, [](auto const& x0) { return tx::linalg::expm(x0); },
        of<double, 2, 2>("-2.225352263927 12.43535262474 -6.217676312368 10.21000036081"), of<double, 2, 2>("1 2 -1 3"));
    check_now(
        "expm_batch", in_double, [](auto const& x0) { return tx::linalg::expm(x0); },
        of<double, 4, 2, 2>("-2.225352263927 12.43535262474 -6.217676312368 10.21000036081 -72.3668047522 99.29191466916 "
                            "-49.64595733458 26.92510991696 1.000000001 2.000000004e-9 -1.000000002e-9 1.000000003 "
                            "-1.188373564387e17 4.297877229e17 -2.1489386145e17 3.109503664613e17"),
        of<double, 4, 2, 2>("1 2 -1 3 2 4 -2 6 1e-9 2e-9 -1e-9 3e-9 20 40 -20 60"));
    check_now(
        "logm", in_double, [](auto const& x0) { return tx::linalg::logm(x0); },
        of<double, 2, 2>("-1.025710871746 2.051421743493 .683807247831 1.025710871746"), of<double, 2, 2>("1 3 1 4"));
    check_open(
        "sqrtm", in_double, [](auto const& x0) { return tx::linalg::sqrtm(x0); },
        of<double, 2, 2>(".7559289460185 1.133893419028 .3779644730092 1.889822365046"), of<double, 2, 2>("1 3 1 4"));
    check_now(
        "lu_0", in_double, [](auto const& x0) { return std::get<0>(tx::linalg::lu(x0)); },
        of<double, 4, 4>("0 1 0 0 0 0 0 1 1 0 0 0 0 0 1 0"), of<double, 4, 4>("2 5 8 7 5 2 2 8 7 5 6 6 5 4 4 8"));
    check_now(
        "lu_wide_1", in_double, [](auto const& x0) { return std::get<1>(tx::linalg::lu(x0)); }, of<double, 2, 2>("1 0 .4 1"),
        of<double, 2, 4>("2 5 8 7 5 2 2 8"));
    check_traced(
        "lu_tall_2", in_double, [](auto const& x0) { return std::get<2>(tx::linalg::lu(x0)); },
        of<double, 2, 2>("7 5 0 3.571428571429"), of<double, 4, 2>("2 5 5 2 7 5 5 4"));
    check_now(
        "lu_solve", in_double,
        [](auto const& x0, auto const& x1) {
            return [&](auto const& f) { return tx::linalg::lu_solve(f.first, f.second, x1); }(tx::linalg::lu_factor(x0));
        },
        of<double, 4>(".05154639175258 -.08247422680412 .08247422680412 .09278350515464"),
        of<double, 4, 4>("2 5 8 7 5 2 2 8 7 5 6 6 5 4 4 8"), of<double, 4>("1 1 1 1"));
    check_open(
        "ldl", in_double,
        [](auto const& x0) {
            return [](auto const& f) { return tx::matmul(f.first * f.second, tx::transpose(f.first)); }(tx::linalg::ldl(x0));
        },
        of<double, 3, 3>("4 1 2 1 3 0 2 0 5"), of<double, 3, 3>("4 1 2 1 3 0 2 0 5"));
    check_now(
        "solve_banded", in_double, [](auto const& x0, auto const& x1) { return tx::linalg::solve_banded<1, 2>(x0, x1); },
        of<double, 5>("-.6734693877551 1.285714285714 -.7959183673469 1.204081632653 .5918367346939"),
        of<double, 4, 5>("0 0 -1 -1 -1 0 2 2 2 2 5 4 3 2 1 2 2 2 2 0"), of<double, 5>("0 1 2 2 3"));
}

TEST_CASE("scipy.linalg: special matrices") {
    check_now(
        "toeplitz", in_double, [](auto const& x0, auto const& x1) { return tx::linalg::toeplitz(x0, x1); },
        of<std::int64_t, 3, 4>("1 4 5 6 2 1 4 5 3 2 1 4"), of<double, 3>("1 2 3"), of<double, 4>("1 4 5 6"));
    check_open(
        "circulant", in_double, [](auto const& x0) { return tx::linalg::circulant(x0); },
        of<std::int64_t, 3, 3>("1 3 2 2 1 3 3 2 1"), of<double, 3>("1 2 3"));
    check_now(
        "hankel", in_double, [](auto const& x0) { return tx::linalg::hankel(x0); },
        of<std::int64_t, 3, 3>("1 17 99 17 99 0 99 0 0"), of<double, 3>("1 17 99"));
    check_now(
        "hankel_r", in_double, [](auto const& x0, auto const& x1) { return tx::linalg::hankel(x0, x1); },
        of<std::int64_t, 4, 5>("1 2 3 4 7 2 3 4 7 7 3 4 7 7 8 4 7 7 8 9"), of<double, 4>("1 2 3 4"), of<double, 5>("4 7 7 8 9"));
    check_now(
        "block_diag", in_double,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::linalg::block_diag(x0, x1, x2); },
        of<double, 5, 6>("1 0 0 0 0 0 0 1 0 0 0 0 0 0 3 4 5 0 0 0 6 7 8 0 0 0 0 0 0 7"), of<double, 2, 2>("1 0 0 1"),
        count<double, 2, 3>(3), of<double, 1, 1>("7"));
    check_now(
        "vander3", in_double, [](auto const& x0) { return tx::linalg::vander<3>(x0); },
        of<double, 4, 3>("1 1 1 4 2 1 9 3 1 25 5 1"), of<double, 4>("1 2 3 5"));
    check_open(
        "vander_i", in_double, [](auto const& x0) { return tx::linalg::vander(x0, tx::linalg::increasing); },
        of<double, 4, 4>("1 1 1 1 1 2 4 8 1 3 9 27 1 5 25 125"), of<double, 4>("1 2 3 5"));
}

TEST_CASE("numpy.linalg") {
    check_now(
        "null_space", in_double, [](auto const& x0) { return tx::abs(tx::linalg::null_space<1>(x0)); },
        of<double, 2, 1>(".7071067811865 .7071067811865"), of<double, 2, 2>("1 1 1 1"));
    check_open(
        "rank_3", in_double, [](auto const& x0) { return tx::linalg::matrix_rank(x0); }, of<std::int64_t>("3"),
        of<double, 4, 4>("1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 0"));
    check_now(
        "rank_ones", in_double, [](auto const& x0) { return tx::linalg::matrix_rank(x0); }, of<std::int64_t>("1"),
        count<double, 4, 3>(1, 0));
    check_now(
        "cond_-1", in_double, [](auto const& x0) { return tx::linalg::condition_number(x0, tx::order<-1>); }, of<double>("1"),
        of<double, 3, 3>("1 0 -1 0 1 0 1 0 1"));
    check_open(
        "cond_-2", in_double, [](auto const& x0) { return tx::linalg::condition_number(x0, tx::order<-2>); },
        of<double>(".7071067811865"), of<double, 3, 3>("1 0 -1 0 1 0 1 0 1"));
    check_open(
        "eigvals", in_double, [](auto const& x0) { return tx::sort(tx::imag(tx::linalg::eigvals(x0))); }, of<double, 2>("-1 1"),
        of<double, 2, 2>("0 -1 1 0"));
    check_now(
        "eigvals_d", in_double, [](auto const& x0) { return tx::sort(tx::real(tx::linalg::eigvals(x0))); },
        of<double, 3>("3 7 8"), of<double, 3, 3>("3 0 0 0 8 0 0 0 7"));
    check_now(
        "eig_residual", in_double,
        [](auto const& x0) {
            return [&](auto const& r) {
                return tx::abs(tx::matmul(tx::cast<std::complex<double>>(x0), r.second) - r.second * r.first);
            }(tx::linalg::eig(x0));
        },
        count<double, 3, 3>(0, 0), of<double, 3, 3>("1 2 3 4 5 6 7 8 10"));
    check_open(
        "roots", in_double, [](auto const& x0) { return tx::sort(tx::imag(tx::roots(x0))); },
        of<double, 2>("-.4635124054435 .4635124054435"), of<double, 3>("3.2 2 1"));
    check_now(
        "lstsq", in_double, [](auto const& x0, auto const& x1) { return std::get<0>(tx::linalg::lstsq(x0, x1)); },
        of<double, 2>(".2092582854677 .1201386079875"), of<double, 7, 2>("1 1 1 6.25 1 12.25 1 16 1 25 1 49 1 72.25"),
        of<double, 7>(".3 1.1 1.5 2 3.2 6.6 8.6"));
    check_now(
        "pinv", in_double, [](auto const& x0) { return tx::linalg::pinv(x0); },
        of<double, 2, 3>("-1.083333333333 -.3333333333333 .4166666666667 .8333333333333 .3333333333333 -.1666666666667"),
        count<double, 3, 2>(0));
    check_open(
        "det", in_double, [](auto const& x0) { return tx::linalg::det(x0); }, of<double>("-2"), of<double, 2, 2>("1 2 3 4"));
}

TEST_CASE("numpy, scipy.signal: correlate, convolve") {
    check_now(
        "correlate_same", in_double, [](auto const& x0, auto const& x1) { return tx::correlate(x0, x1, tx::mode::same); },
        of<double, 3>("2 3.5 3"), of<double, 3>("1 2 3"), of<double, 3>("0 1 .5"));
    check_now(
        "correlate_c", in_double, [](auto const& x0, auto const& x1) { return tx::correlate(x0, x1, tx::mode::full); },
        of<std::complex<double>, 5>("1 -1 1 -1 1 -3 3 -1 0 0"), of<std::complex<double>, 3>("1 1 2 0 3 -1"),
        of<std::complex<double>, 3>("0 0 1 0 0 1"));
    check_open(
        "convolve_valid", in_double, [](auto const& x0, auto const& x1) { return tx::convolve(x0, x1, tx::mode::valid); },
        of<double, 1>("2.5"), of<double, 3>("1 2 3"), of<double, 3>("0 1 .5"));
    check_now(
        "correlate2d_same", in_double, [](auto const& x0, auto const& x1) { return tx::correlate2d(x0, x1, tx::mode::same); },
        of<double, 3, 4>("-3 -1 1 3 5 7 9 7 26 29 32 11"), count<double, 3, 4>(0), of<double, 2, 2>("1 2 0 -1"));
    check_traced(
        "convolve2d_same", in_double, [](auto const& x0, auto const& x1) { return tx::convolve2d(x0, x1, tx::mode::same); },
        of<double, 3, 4>("0 1 4 7 4 13 15 17 8 21 23 25"), count<double, 3, 4>(0), of<double, 2, 2>("1 2 0 -1"));
    check_now(
        "convolve2d_b_same", in_double, [](auto const& x0, auto const& x1) { return tx::convolve2d(x1, x0, tx::mode::same); },
        of<double, 2, 2>("13 15 21 23"), count<double, 3, 4>(0), of<double, 2, 2>("1 2 0 -1"));
}

TEST_CASE("scipy.special") {
    check_now(
        "erfinv", near{2e-12, 1e-15}, [](auto const& x0) { return tx::special::erfinv(x0); },
        of<double, 5>("-1.821386367718 -.4769362762045 0 .2724627147268 2.326753765514"), of<double, 5>("-.99 -.5 0 .3 .999"));
    check_now(
        "ndtri", near{2e-12, 1e-15}, [](auto const& x0) { return tx::special::ndtri(x0); },
        of<double, 5>("-3.090232306168 -1.281551565545 0 1.281551565545 3.719016485456"), of<double, 5>(".001 .1 .5 .9 .9999"));
    check_now(
        "i0e", near{2e-12, 1e-15}, [](auto const& x0) { return tx::special::i0e(x0); },
        of<double, 9>(".2700464416122 .4657596075936 .7575806251825 1 .8269385516343 .5593055265071 .4657596075936 "
                      ".2302479844714 .1164262212134"),
        of<double, 9>("-2.5 -1 -.3 0 .2 .7 1 3.3 12"));
    check_now(
        "y1", near{2e-12, 1e-15}, [](auto const& x0) { return tx::special::y1(x0); },
        of<double, 6>("-63.67859628206 -2.293105138389 -.7812128213003 .1459181379668 -.3026672370242 -.00579350582155"),
        of<double, 6>(".01 .3 1 2.5 7 40"));
    check_now(
        "k0", near{2e-12, 1e-15}, [](auto const& x0) { return tx::special::k0(x0); },
        of<double, 6>("4.721244730161 1.372460060544 .4210244382407 .06234755320037 .0004247957418692 0"),
        of<double, 6>(".01 .3 1 2.5 7 40"));
    check_now(
        "exp1", near{2e-12, 1e-15}, [](auto const& x0) { return tx::special::exp1(x0); },
        of<double, 6>("4.037929576538 .9056766516758 .2193839343955 .02491491787027 .0001154817316103 0"),
        of<double, 6>(".01 .3 1 2.5 7 40"));
    check_now(
        "spence", near{2e-12, 1e-15}, [](auto const& x0) { return tx::special::spence(x0); },
        of<double, 6>("1.644934066848 1.299714723005 .582240526465 0 -.8224670334241 -3.089942051088"),
        of<double, 6>("0 .1 .5 1 2 7"));
    check_now(
        "entr", near{2e-12, 1e-15}, [](auto const& x0) { return tx::special::entr(x0); },
        of<double, 5>("0 .3218875824868 0 -3.295836866004 -inf"), of<double, 5>("0 .2 1 3 -1"));
    check_now(
        "polygamma2", in_double, [](auto const& x0) { return tx::special::polygamma(2, x0); },
        of<double, 3>("-.4041138063192 -.1541138063192 -.001599360596278"), of<double, 3>("2 3 25.5"));
    check_now(
        "zeta", near{1e-11, 1e-13}, [](auto const& x0, auto const& x1) { return tx::special::zeta(x0, x1); },
        of<double, 4>("1.644934066848 1.20205690316 4.776537947555 4.489570355661e-5"), of<double, 4>("2 3 1.5 4"),
        of<double, 4>("1 1 .5 20"));
    check_now(
        "xlog1py", near{1e-11, 1e-13}, [](auto const& x0, auto const& x1) { return tx::special::xlog1py(x0, x1); },
        of<double, 4>("0 0 0 1.38629436112"), of<double, 4>("0 0 2 1"), of<double, 4>("-1 2 1e-20 3"));
    check_now(
        "frexp_e", in_double, [](auto const& x0) { return tx::frexp(x0).second; }, of<int, 7>("0 1 2 997 -1073 0 0"),
        of<double, 7>("0 1 -2.5 1e300 4.940656458412e-324 inf -inf"));
    check_now(
        "ldexp", in_double, [](auto const& x0) { return tx::ldexp(5.0, x0); }, of<double, 4>("5 10 20 40"),
        of<int, 4>("0 1 2 3"));
    check_open(
        "angle", in_double, [](auto const& x0) { return tx::angle(x0); },
        of<double, 4>("0 1.570796326795 .7853981633974 3.14159265359"), of<std::complex<double>, 4>("1 0 0 1 1 1 -1 0"));
}
