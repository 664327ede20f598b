// Runs the examples in the docstrings of numpy.fft, scipy.fft and scipy.signal, and ONNX's of DFT and STFT.
#include <tracexpr/conv.hpp>
#include <tracexpr/fft.hpp>

#include <peer_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("numpy.fft: one axis") {
    check_now(
        "fft", in_double, [](auto const& x0) { return tx::fft::fft(x0); },
        of<std::complex<double>, 8>("0 0 8 0 0 0 0 0 0 0 0 0 0 0 0 0"),
        of<std::complex<double>, 8>("1 0 .7071067811865 .7071067811865 6.123233995737e-17 1 -.7071067811865 .7071067811865 -1 "
                                    "1.224646799147e-16 -.7071067811865 -.7071067811865 -1.836970198721e-16 -1 .7071067811865 "
                                    "-.7071067811865"));
    check_now(
        "ifft", in_double, [](auto const& x0) { return tx::fft::ifft(x0); }, of<std::complex<double>, 4>("1 0 0 1 -1 0 0 -1"),
        of<double, 4>("0 4 0 0"));
    check_open(
        "rfft", in_double, [](auto const& x0) { return tx::fft::rfft(x0); }, of<std::complex<double>, 3>("1 0 0 -1 -1 0"),
        of<double, 4>("0 1 0 0"));
    check_open(
        "irfft", in_double, [](auto const& x0) { return tx::fft::irfft(x0); }, of<double, 4>("0 1 0 0"),
        of<std::complex<double>, 3>("1 0 0 -1 -1 0"));
    check_now(
        "irfft_1", in_double, [](auto const& x0) { return tx::fft::irfft<1>(x0); }, of<double, 1>("1"),
        of<std::complex<double>, 3>("1 0 0 -1 -1 0"));
    check_now(
        "irfft_2", in_double, [](auto const& x0) { return tx::fft::irfft<2>(x0); }, of<double, 2>(".5 .5"),
        of<std::complex<double>, 3>("1 0 0 -1 -1 0"));
    check_open(
        "irfft_5", in_double, [](auto const& x0) { return tx::fft::irfft<5>(x0); },
        of<double, 5>("-.2 .904029404268 .311507303167 -.158720898667 .1431841912319"),
        of<std::complex<double>, 3>("1 0 0 -1 -1 0"));
    check_now(
        "irfft_9", in_double, [](auto const& x0) { return tx::fft::irfft<9>(x0); },
        of<double, 9>("-.1111111111111 .2153643182266 .538777860844 .4146723119521 .01688348893482 -.1351254636544 "
                      ".02977213249235 .1010855261719 -.07031906385633"),
        of<std::complex<double>, 3>("1 0 0 -1 -1 0"));
    check_open(
        "fft_2", in_double, [](auto const& x0) { return tx::fft::fft<2>(x0); }, of<std::complex<double>, 2>("3 0 -1 0"),
        of<double, 3>("1 2 3"));
    check_now(
        "fft_8", in_double, [](auto const& x0) { return tx::fft::fft<8>(x0); },
        of<std::complex<double>, 8>("6 0 2.414213562373 -4.414213562373 -2 -2 -.4142135623731 1.585786437627 2 0 -.4142135623731 "
                                    "-1.585786437627 -2 2 2.414213562373 4.414213562373"),
        of<double, 3>("1 2 3"));
    check_open(
        "rfft_1", in_double, [](auto const& x0) { return tx::fft::rfft<1>(x0); }, of<std::complex<double>, 1>("1 0"),
        of<double, 3>("1 2 3"));
    check_now(
        "rfft_5", in_double, [](auto const& x0) { return tx::fft::rfft<5>(x0); },
        of<std::complex<double>, 3>("6 0 -.8090169943749 -3.665468789468 .3090169943749 1.677599044301"), of<double, 3>("1 2 3"));
    check_now(
        "hfft", in_double, [](auto const& x0) { return tx::fft::hfft(x0); }, of<double, 6>("15 -4 0 -1 0 -4"),
        of<double, 4>("1 2 3 4"));
    check_open(
        "hfft_6", in_double, [](auto const& x0) { return tx::fft::hfft<6>(x0); }, of<double, 6>("15 -4 0 -1 0 -4"),
        of<double, 6>("1 2 3 4 3 2"));
    check_now(
        "hfft_2d", in_double, [](auto const& x0) { return tx::fft::hfft(x0); }, of<double, 2, 2>("1 1 2 -2"),
        of<std::complex<double>, 2, 2>("1 0 0 1 0 -1 2 0"));
    check_open(
        "ihfft", in_double, [](auto const& x0) { return tx::fft::ihfft(x0); }, of<std::complex<double>, 4>("1 0 2 0 3 0 4 0"),
        of<double, 6>("15 -4 0 -1 0 -4"));
    check_open(
        "irfft_ortho", in_double, [](auto const& x0) { return tx::fft::irfft(x0, tx::fft::ortho); },
        of<double, 6>("2.449489742783 4.898979485566 7.34846922835 9.797958971133 7.34846922835 4.898979485566"),
        of<std::complex<double>, 4>("15 0 -4 0 -2.22044604925e-16 0 -1 0"));
    check_now(
        "hfft_forward", in_double, [](auto const& x0) { return tx::fft::hfft(x0, tx::fft::forward); },
        of<double, 6>(".1666666666667 .3333333333333 .5 .6666666666667 .5 .3333333333333"),
        of<std::complex<double>, 4>("2.5 0 -.6666666666667 0 -3.700743415417e-17 0 -.1666666666667 0"));
    check_now(
        "ihfft_ortho", in_double, [](auto const& x0) { return tx::fft::ihfft(x0, tx::fft::ortho); },
        of<std::complex<double>, 4>("6.123724356958 0 -1.632993161855 0 0 0 -.4082482904639 0"), of<double, 6>("1 2 3 4 3 2"));
}

TEST_CASE("numpy.fft: several axes") {
    check_now(
        "fft2", in_double, [](auto const& x0) { return tx::fft::fft2(x0); },
        of<std::complex<double>, 5, 5>(
            "50 0 0 0 0 0 0 0 0 0 -12.5 17.20477400589 0 0 0 0 0 0 0 0 -12.5 4.061496202911 0 0 0 0 0 0 0 0 -12.5 "
            "-4.061496202911 0 0 0 0 0 0 0 0 -12.5 -17.20477400589 0 0 0 0 0 0 0 0"),
        of<double, 5, 5>("0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4"));
    check_open(
        "rfft2", in_double, [](auto const& x0) { return tx::fft::rfft2(x0); },
        of<std::complex<double>, 5, 3>(
            "50 0 0 0 0 0 -12.5 17.20477400589 0 0 0 0 -12.5 4.061496202911 0 0 0 0 -12.5 -4.061496202911 0 0 0 0 "
            "-12.5 -17.20477400589 0 0 0 0"),
        of<double, 5, 5>("0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4"));
    check_now(
        "irfft2", in_double, [](auto const& x0) { return tx::fft::irfft2<5, 5>(x0); },
        of<double, 5, 5>("0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4"),
        of<std::complex<double>, 5, 3>(
            "50 0 0 0 0 0 -12.5 17.20477400589 0 0 0 0 -12.5 4.061496202911 0 0 0 0 -12.5 -4.061496202911 0 0 0 0 "
            "-12.5 -17.20477400589 0 0 0 0"));
    check_open(
        "ifft2", in_double, [](auto const& x0) { return tx::fft::ifft2(x0); },
        of<std::complex<double>, 4, 4>("1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0"),
        of<double, 4, 4>("4 0 0 0 0 4 0 0 0 0 4 0 0 0 0 4"));
    check_now(
        "fftn_axes", in_double, [](auto const& x0) { return tx::fft::fftn(x0, tx::axis<1, 2>); },
        of<std::complex<double>, 3, 3, 3>(
            "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 18 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
            "0 0 0"),
        of<double, 3, 3, 3>("0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2"));
    check_now(
        "fftn_s", in_double, [](auto const& x0) { return tx::fft::fftn<2, 2>(x0, tx::axis<0, 1>); },
        of<std::complex<double>, 2, 2, 3>("2 0 2 0 2 0 0 0 0 0 0 0 -2 0 -2 0 -2 0 0 0 0 0 0 0"),
        of<double, 3, 3, 3>("0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2"));
    check_now(
        "ifftn_axes", in_double, [](auto const& x0) { return tx::fft::ifftn(x0, tx::axis<0>); },
        of<std::complex<double>, 4, 4>(
            ".25 0 .25 0 .25 0 .25 0 .25 0 0 .25 -.25 0 0 -.25 .25 0 -.25 0 .25 0 -.25 0 .25 0 0 -.25 -.25 0 0 .25"),
        of<double, 4, 4>("1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"));
    check_open(
        "rfftn", in_double, [](auto const& x0) { return tx::fft::rfftn(x0); },
        of<std::complex<double>, 2, 2, 2>("8 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"), count<double, 2, 2, 2>(1, 0));
    check_now(
        "rfftn_axes", in_double, [](auto const& x0) { return tx::fft::rfftn(x0, tx::axis<0, 1>); },
        of<std::complex<double>, 2, 2, 2>("4 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0"), count<double, 2, 2, 2>(1, 0));
    check_now(
        "irfftn", in_double, [](auto const& x0) { return tx::fft::irfftn(x0); }, count<double, 3, 2, 2>(1, 0),
        of<double, 3, 2, 2>("12 0 0 0 0 0 0 0 0 0 0 0"));
}

TEST_CASE("numpy.fft: frequencies") {
    check_now(
        "fftfreq9", in_double, []() { return tx::fft::fftfreq<double>(9, 0.1); },
        of<double, 9>("0 1.111111111111 2.222222222222 3.333333333333 4.444444444444 -4.444444444444 -3.333333333333 "
                      "-2.222222222222 -1.111111111111"));
    check_now(
        "rfftfreq9", in_double, []() { return tx::fft::rfftfreq<double>(9, 0.01); },
        of<double, 5>("0 11.11111111111 22.22222222222 33.33333333333 44.44444444444"));
    check_now(
        "fftshift", in_double, [](auto const& x0) { return tx::fft::fftshift(x0); }, count<double, 10>(-5),
        of<double, 10>("0 1 2 3 4 -5 -4 -3 -2 -1"));
    check_open(
        "fftshift_axes", in_double, [](auto const& x0) { return tx::fft::fftshift(x0, tx::axis<1>); },
        of<double, 3, 3>("2 0 1 -4 3 4 -1 -3 -2"), of<double, 3, 3>("0 1 2 3 4 -4 -3 -2 -1"));
    check_open(
        "ifftshift_odd", in_double, [](auto const& x0) { return tx::fft::ifftshift(x0); }, of<double, 5>("3 4 5 1 2"),
        count<double, 5>(1));
}

TEST_CASE("scipy.fft: dct, dst") {
    check_open(
        "dct1", in_double, [](auto const& x0) { return tx::fft::dct(x0, tx::fft::type<1>); }, of<double, 4>("30 -8 6 -2"),
        of<double, 4>("4 3 5 10"));
    check_now(
        "idct1", in_double, [](auto const& x0) { return tx::fft::idct(x0, tx::fft::type<1>); },
        of<double, 4>("5 -1.333333333333 1 -.3333333333333"), of<double, 4>("4 3 5 10"));
    check_now(
        "dct2forward", in_double, [](auto const& x0) { return tx::fft::dct(x0, tx::fft::type<2>, tx::fft::forward); },
        of<double, 4>("5.5 -1.577161014949 1.06066017178 -.112085382292"), of<double, 4>("4 3 5 10"));
    check_open(
        "idct2ortho", in_double, [](auto const& x0) { return tx::fft::idct(x0, tx::fft::type<2>, tx::fft::ortho); },
        of<double, 4>("9.165824948046 -6.221020674163 5.221020674163 -.1658249480455"), of<double, 4>("4 3 5 10"));
    check_now(
        "dct3ortho", in_double, [](auto const& x0) { return tx::fft::dct(x0, tx::fft::type<3>, tx::fft::ortho); },
        of<double, 4>("9.165824948046 -6.221020674163 5.221020674163 -.1658249480455"), of<double, 4>("4 3 5 10"));
    check_now(
        "idct3", in_double, [](auto const& x0) { return tx::fft::idct(x0, tx::fft::type<3>); },
        of<double, 4>("5.5 -1.577161014949 1.06066017178 -.112085382292"), of<double, 4>("4 3 5 10"));
    check_open(
        "dct4", in_double, [](auto const& x0) { return tx::fft::dct(x0, tx::fft::type<4>); },
        of<double, 4>("22.29260868756 -15.4380424981 17.14014564795 -13.07370830703"), of<double, 4>("4 3 5 10"));
    check_now(
        "dst1ortho", in_double, [](auto const& x0) { return tx::fft::dst(x0, tx::fft::type<1>, tx::fft::ortho); },
        of<double, 4>("10.0164801225 -4.352501798966 5.447029094424 -1.027486296746"), of<double, 4>("4 3 5 10"));
    check_open(
        "idst1", in_double, [](auto const& x0) { return tx::fft::idst(x0, tx::fft::type<1>); },
        of<double, 4>("3.167489132491 -1.376381920471 1.722501841958 -.3249196962329"), of<double, 4>("4 3 5 10"));
    check_now(
        "dst2", in_double, [](auto const& x0) { return tx::fft::dst(x0, tx::fft::type<2>); },
        of<double, 4>("25.4972086264 -11.31370849898 19.74569199247 -8"), of<double, 4>("4 3 5 10"));
    check_now(
        "idst2", in_double, [](auto const& x0) { return tx::fft::idst(x0, tx::fft::type<2>); },
        of<double, 4>("3.317862933894 -.2741446720552 1.165195156165 -.2427972378857"), of<double, 4>("4 3 5 10"));
    check_open(
        "dst3ortho", in_double, [](auto const& x0) { return tx::fft::dst(x0, tx::fft::type<3>, tx::fft::ortho); },
        of<double, 4>("10.84879961248 -2.239864320613 4.760135679387 -2.151200387517"), of<double, 4>("4 3 5 10"));
    check_now(
        "idst4", in_double, [](auto const& x0) { return tx::fft::idst(x0, tx::fft::type<4>); },
        of<double, 4>("4.103068213167 -.5436519349142 1.14073133586 .5639200574105"), of<double, 4>("4 3 5 10"));
}

TEST_CASE("scipy.signal") {
    check_now("boxcar6p", in_double, []() { return tx::fft::boxcar<double>(6, tx::fft::periodic); }, count<double, 6>(1, 0));
    check_now(
        "bartlett6p", in_double, []() { return tx::fft::bartlett<double>(6, tx::fft::periodic); },
        of<double, 6>("0 .3333333333333 .6666666666667 1 .6666666666667 .3333333333333"));
    check_now("hann1", in_double, []() { return tx::fft::hann<double>(1); }, of<double, 1>("1"));
    check_now("hamming7", in_double, []() { return tx::fft::hamming<double>(7); }, of<double, 7>(".08 .31 .77 1 .77 .31 .08"));
    check_now(
        "blackman6p", in_double, []() { return tx::fft::blackman<double>(6, tx::fft::periodic); },
        of<double, 6>("0 .13 .63 1 .63 .13"));
    check_now(
        "blackmanharris7", in_double, []() { return tx::fft::blackmanharris<double>(7); },
        of<double, 7>("6e-5 .055645 .520575 1 .520575 .055645 6e-5"));
    check_now(
        "cosine6", in_double, []() { return tx::fft::cosine<double>(6); },
        of<double, 6>(".2588190451025 .7071067811865 .9659258262891 .9659258262891 .7071067811865 .2588190451025"));
    check_now(
        "kaiser", near{1e-11, 1e-13}, []() { return tx::fft::kaiser<double>(12, 14.0); },
        of<double, 12>("7.72686683527e-6 .003460091937889 .04652001885144 .229737120221 .5998853159553 .9456748983666 "
                       ".9456748983666 .5998853159553 .229737120221 .04652001885144 .003460091937889 7.72686683527e-6"));
    check_now(
        "gaussian", in_double, []() { return tx::fft::gaussian<double>(7, 2.0, tx::fft::periodic); },
        of<double, 7>(".2162651668299 .4578333617716 .754839601989 .9692332344763 .9692332344763 .754839601989 .4578333617716"));
    check_open(
        "stft", in_double, [](auto const& x0) { return tx::fft::stft<4, 2>(x0); },
        of<std::complex<double>, 3, 7>(
            ".210367746202 0 .7002964616298 0 -.5828523143048 0 -.2151921680856 0 .7619553943018 0 -.4189784857719 "
            "0 -.2499975516377 0 0 .210367746202 -.4546487134128 -.175087744187 .378401247654 -.2750110706808 "
            ".1397077490995 .4039777183455 -.4946791233117 -.06121702836926 .2720105554447 -.3530271729481 0 "
            ".2499975516377 -.210367746202 0 .2090009651959 0 -.1739501810031 0 -.06422333011338 0 .2274028523216 0 "
            "-.1250426251174 0 .2499975516377 0"),
        of<double, 12>("0 .8414709848079 .9092974268257 .1411200080599 -.7568024953079 -.9589242746631 -.2794154981989 "
                       ".6569865987188 .9893582466234 .4121184852418 -.5440211108894 -.9999902065507"));
    check_now(
        "stft_odd", in_double, [](auto const& x0, auto const& x1) { return tx::fft::stft<5, 2>(x0, x1); },
        of<std::complex<double>, 3, 7>(
            ".4182636622564 0 .3673413014618 0 -.5730643692419 0 .109616547334 0 .4818312104293 0 -.4315761684056 0 "
            "-.1634703611531 0 -.188579949476 .2945229825033 -.2832366214006 -.3765224526704 .4895740839449 "
            "-.09907006668225 -.1242327911776 .458977842363 -.3861759178569 -.282934287607 .4700771310614 "
            "-.1482977164286 -.06165317426036 .1401393352325 -.02055188165218 -.1916069819794 .09956597066971 "
            ".1083845172744 -.1356865343739 .02851798419335 .01336507341377 -.1321198550879 .1245628683312 "
            ".08144453528643 -.1810032508124 .1108075872959 .1030904947711 .08661087233448"),
        of<double, 12>("0 .8414709848079 .9092974268257 .1411200080599 -.7568024953079 -.9589242746631 -.2794154981989 "
                       ".6569865987188 .9893582466234 .4121184852418 -.5440211108894 -.9999902065507"),
        of<double, 5>(".08 .3978521825875 .9121478174125 .9121478174125 .3978521825875"));
    check_now(
        "stft_complex", in_double, [](auto const& x0) { return tx::fft::stft<4, 2>(x0); },
        of<std::complex<double>, 4, 7>(
            ".75 .210367746202 1 .7002964616298 1 -.5828523143048 1 -.2151921680856 1 .7619553943018 1 "
            "-.4189784857719 .25 -.2499975516377 -.710367746202 .25 -.324912255813 -.4546487134128 -.2249889293192 "
            ".378401247654 -.9039777183455 .1397077490995 -.4387829716307 -.4946791233117 -.1469728270519 "
            ".2720105554447 -.2499975516377 -.25 .25 -.210367746202 0 .2090009651959 0 -.1739501810031 0 "
            "-.06422333011338 0 .2274028523216 0 -.1250426251174 -.25 .2499975516377 -.289632253798 -.25 "
            "-.675087744187 -.4546487134128 -.7750110706808 .378401247654 -.09602228165452 .1397077490995 "
            "-.5612170283693 -.4946791233117 -.8530271729481 .2720105554447 .2499975516377 .25"),
        of<std::complex<double>, 12>(
            "1 0 1 .8414709848079 1 .9092974268257 1 .1411200080599 1 -.7568024953079 1 -.9589242746631 1 "
            "-.2794154981989 1 .6569865987188 1 .9893582466234 1 .4121184852418 1 -.5440211108894 1 -.9999902065507"));
    check_open(
        "istft", in_double, [](auto const& x0) { return tx::fft::istft<4, 2>(x0); },
        of<double, 12>("0 .8414709848079 .9092974268257 .1411200080599 -.7568024953079 -.9589242746631 -.2794154981989 "
                       ".6569865987188 .9893582466234 .4121184852418 -.5440211108894 -.9999902065507"),
        of<std::complex<double>, 3, 7>(
            ".210367746202 0 .7002964616298 0 -.5828523143048 0 -.2151921680856 0 .7619553943018 0 -.4189784857719 "
            "0 -.2499975516377 0 0 .210367746202 -.4546487134128 -.175087744187 .378401247654 -.2750110706808 "
            ".1397077490995 .4039777183455 -.4946791233117 -.06121702836926 .2720105554447 -.3530271729481 0 "
            ".2499975516377 -.210367746202 0 .2090009651959 0 -.1739501810031 0 -.06422333011338 0 .2274028523216 0 "
            "-.1250426251174 0 .2499975516377 0"));
    check_now(
        "fftconvolve_same", in_double,
        [](auto const& x0, auto const& x1) { return tx::fft::fftconvolve(x0, x1, tx::mode::same); }, of<double, 5>("2 5 8 11 8"),
        count<double, 5>(1), of<double, 3>("1 0 2"));
    check_now(
        "fftconvolve_valid", in_double,
        [](auto const& x0, auto const& x1) { return tx::fft::fftconvolve(x0, x1, tx::mode::valid); }, of<double, 3>("5 8 11"),
        count<double, 5>(1), of<double, 3>("1 0 2"));
}

TEST_CASE("ONNX: DFT, STFT") {
    check_open(
        "dft", near{0.0001, 0.0001}, [](auto const& x0) { return tx::fft::fft(x0, tx::axis<1>); },
        of<std::complex<float>, 1, 5, 3>(
            "100 0 105 0 110 0 -25 34.40955 -25 34.40955 -25 34.40955 -25 8.122993 -25 8.122993 -25 8.122993 -25 "
            "-8.122993 -25 -8.122993 -25 -8.122993 -25 -34.40955 -25 -34.40955 -25 -34.40955"),
        of<float, 1, 5, 3>("0 1 2 10 11 12 20 21 22 30 31 32 40 41 42"));
    check_now(
        "dft_inverse", near{0.0001, 0.0001}, [](auto const& x0) { return tx::fft::ifft(x0, tx::axis<1>); },
        of<std::complex<float>, 1, 5, 3>(
            "20 0 21 0 22 0 -5 -6.88191 -5 -6.88191 -5 -6.88191 -5 -1.624598 -5 -1.624598 -5 -1.624598 -5 1.624598 "
            "-5 1.624598 -5 1.624598 -5 6.88191 -5 6.88191 -5 6.88191"),
        of<std::complex<float>, 1, 5, 3>("0 0 1 0 2 0 10 0 11 0 12 0 20 0 21 0 22 0 30 0 31 0 32 0 40 0 41 0 42 0"));
    check_open(
        "dft_rfft", near{0.0001, 0.0001}, [](auto const& x0) { return tx::fft::rfft(x0, tx::axis<1>); },
        of<std::complex<float>, 1, 3, 3>(
            "100 0 105 0 110 0 -25 34.40955 -25 34.40955 -25 34.40955 -25 8.122993 -25 8.122993 -25 8.122993"),
        of<float, 1, 5, 3>("0 1 2 10 11 12 20 21 22 30 31 32 40 41 42"));
    check_now(
        "stft_with_window", near{0.0001, 0.0001},
        [](auto const& x0, auto const& x1) { return tx::fft::rfft(tx::unfold<16>(x0, tx::stride<8>) * x1); },
        of<std::complex<float>, 1, 2, 9>(
            "-15 0 -19.09957 -1.109358 -49.14214 -25.39697 -12.37461 -24.98642 32 -42 -7.667022 16.32729 -20.85786 "
            "-93.39697 47.1412 -19.79565 75 0 -7 0 -17.09957 -11.16404 -85.14214 -45.96551 -10.37461 -27.97964 72 "
            "-82 -5.667022 14.99093 -56.85786 -185.9655 49.1412 -20.19347 115 0"),
        count<float, 1, 24, 1>(0), wave<float, 16>(3));
}
