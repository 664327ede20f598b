// Runs ONNX's test cases of networks: norms, recurrence, attention, losses, quantized numbers and activations. GRU has
// linear_before_reset, the variant that tx::nn::gru computes.
#include <tracexpr/nn.hpp>

#include <peer_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("ONNX: norms") {
    check_now(
        "layer_normalization_4d_axis1", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::nn::layer_norm(x0, x1, x2); },
        of<float, 2, 2, 2, 3>(
            ".7267491 2.072999 -4.479996 .6499641 3.288213 1.534069 .9423215 .1225686 .9035699 1.603821 -4.71846 "
            ".6422138 -.1556661 3.298678 .2507813 .3523167 -.3125043 -.1991813 1.243478 -4.650316 -.2659658 "
            "2.517817 .6194544 .05042803"),
        wave<float, 2, 2, 2, 3>(1), wave<float, 2, 2, 3>(2), wave<float, 2, 2, 3>(3));
    check_open(
        "layer_normalization_2d_axis0", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::nn::layer_norm(x0, x1, x2); },
        of<float, 2, 2>(".7982326 1.981372 -4.304107 .6735288"), of<float, 2, 2>("-1.5 .25 2 -1"),
        of<float, 2, 2>("-.75 1 -2 -.25"), of<float, 2, 2>("0 1.75 -1.25 .5"));
    check_open(
        "rms_normalization_4d_axis2", in_float,
        [](auto const& x0, auto const& x1) { return tx::nn::rms_norm(x0, x1, tx::nn::rms_norm_options{.eps = 1e-05}); },
        of<float, 2, 2, 2, 3>(
            ".7661291 .1702509 -2.724015 .1702509 .7661291 2.298387 .2980188 .9933961 2.781509 0 2.086132 1.490094 "
            "-.2777453 1.666472 1.110981 -.1851635 -2.221962 .2777453 -.8660228 -1.154697 -.384899 -.384899 "
            "-1.154697 -.8660228"),
        wave<float, 2, 2, 2, 3>(1), of<float, 2, 3>("-.75 1 -2 -.25 1.5 -1.5"));
    check_now(
        "batchnorm_epsilon", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4) {
            return tx::nn::batch_norm(x0, x1, x2, x3, x4, tx::channels_first, tx::nn::norm_options{.eps = 0.01});
        },
        of<float, 2, 2, 2, 3>(
            "1.144264 2.81965 4.495037 1.622946 3.298332 .4262408 -1.575903 -2.69206 -.7786478 -1.894805 -3.010962 "
            "-1.09755 3.058991 4.734378 1.862286 3.537673 .6655818 2.340968 -2.851511 -.9380987 -2.054256 -3.170413 "
            "-1.257001 -2.373158"),
        wave<float, 2, 2, 2, 3>(1), of<float, 2>(".71 -.73"), of<float, 2>("1.24 -1.78"), of<float, 2>("-1.4 -.18"),
        of<float, 2>(".54 1.3"));
    check_now(
        "batchnorm_epsilon_training_mode", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) {
            return std::get<0>(tx::nn::batch_norm_training(x0, x1, x2, tx::channels_first, tx::nn::norm_options{.eps = 0.01}));
        },
        of<float, 2, 2, 2, 3>(
            ".527456 1.407657 2.287859 .7789421 1.659144 .1502267 -1.422615 -2.423294 -.7078437 -1.708523 -2.709202 "
            "-.9937519 1.533401 2.413602 .9046851 1.784887 .2759698 1.156171 -2.566248 -.8507979 -1.851477 "
            "-2.852156 -1.136706 -2.137385"),
        wave<float, 2, 2, 2, 3>(1), of<float, 2>(".71 -.73"), of<float, 2>("1.24 -1.78"));
    check_now(
        "batchnorm_epsilon_training_mode_mean", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4) {
            return [&](auto const& r) {
                return std::get<0>(tx::nn::update_statistics(x3, x4, std::get<1>(r), std::get<2>(r), {.momentum = 0.1}));
            }(tx::nn::batch_norm_training(x0, x1, x2, tx::channels_first, tx::nn::norm_options{.eps = 0.01}));
        },
        of<float, 2>("-1.268333 -.1495"), wave<float, 2, 2, 2, 3>(1), of<float, 2>(".71 -.73"), of<float, 2>("1.24 -1.78"),
        of<float, 2>("-1.4 -.18"), of<float, 2>(".54 1.3"));
    check_now(
        "batchnorm_epsilon_training_mode_variance", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4) {
            return [&](auto const& r) {
                return std::get<1>(tx::nn::update_statistics(x3, x4, std::get<1>(r), std::get<2>(r), {.momentum = 0.1}));
            }(tx::nn::batch_norm_training(x0, x1, x2, tx::channels_first, tx::nn::norm_options{.eps = 0.01}));
        },
        of<float, 2>(".6842639 1.331979"), wave<float, 2, 2, 2, 3>(1), of<float, 2>(".71 -.73"), of<float, 2>("1.24 -1.78"),
        of<float, 2>("-1.4 -.18"), of<float, 2>(".54 1.3"));
    check_open(
        "group_normalization_epsilon", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) {
            return tx::nn::group_norm<2>(x0, x1, x2, tx::channels_first, tx::nn::norm_options{.eps = 0.01});
        },
        of<float, 3, 4, 2, 2>(
            ".7606353 -.207446 -1.175527 .4840406 2.395387 .1826304 1.473405 2.76418 1.699243 -.9223063 -3.543856 "
            ".9502289 .4473349 .1196413 .6814018 .3537082 1.105966 .1228851 -.8601959 .8250859 1.96066 3.271435 "
            "1.024393 2.335167 1.699243 -.9223063 -3.543856 .9502289 .4473349 .1196413 .6814018 .3537082 -1.186387 "
            ".440658 -.5084515 1.118593 1.524022 2.789501 .6201078 1.885587 -4.413698 -.07491207 -2.605871 1.732916 "
            ".5564946 .2401248 .7824731 .4661032"),
        wave<float, 3, 4, 2, 2>(1), of<float, 4>("-.75 1 -2 -.25"), of<float, 4>("0 1.75 -1.25 .5"));
    check_open(
        "instancenorm_epsilon", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) {
            return tx::nn::instance_norm(x0, x1, x2, tx::channels_first, tx::nn::norm_options{.eps = 0.01});
        },
        of<float, 2, 2, 2, 3>(
            "1.011716 1.472679 1.933643 1.14342 1.604383 .8141596 -.3261046 -1.854465 .7655818 -.7627791 -2.29114 "
            ".3289072 1.435707 1.929005 1.083351 1.576649 .7309954 1.224293 -1.708907 .9111399 -.6172209 -2.145582 "
            ".4744654 -1.053895"),
        wave<float, 2, 2, 2, 3>(1), of<float, 2>(".38 -1.1"), of<float, 2>("1.33 -.69"));
}

TEST_CASE("ONNX: LSTM, GRU, RNN") {
    check_open(
        "lstm_with_initial_bias", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4) {
            return tx::nn::lstm(x0, std::pair(x4, x4), std::tuple(x1, x2, x3)).second;
        },
        of<float, 1, 3, 4>(".03064693 -.1564503 .166042 -.04061808 .01170891 -.2176154 .3623128 .02105612 .002481866 -.2354722 "
                           ".5180863 .004276916"),
        count<float, 1, 3, 3>(1),
        of<float, 3, 16>("-.1875 -.0625 .0625 .1875 -.375 -.25 -.125 0 .125 .25 .375 .5 .3125 .4375 .5625 -.5 .25 .375 .5 -.5625 "
                         ".0625 .1875 .3125 .4375 .5625 -.5 -.375 -.25 -.4375 -.3125 -.1875 -.0625 -.5 -.375 -.25 -.125 .5 "
                         "-.5625 -.4375 -.3125 -.1875 -.0625 .0625 .1875 0 .125 .25 .375"),
        of<float, 4, 16>("0 .5625 -.0625 .5 -.25 .3125 -.3125 .25 -.375 .1875 -.4375 .125 -.125 .4375 -.1875 .375 .4375 -.1875 "
                         ".375 -.25 .1875 -.4375 .125 -.5 .0625 -.5625 0 .5625 .3125 -.3125 .25 -.375 -.3125 .25 -.375 .1875 "
                         "-.5625 0 .5625 -.0625 .5 -.125 .4375 -.1875 -.4375 .125 -.5 .0625 .125 -.5 .0625 -.5625 -.125 .4375 "
                         "-.1875 .375 -.25 .3125 -.3125 .25 0 .5625 -.0625 .5"),
        of<float, 16>(".25 -.0625 -.375 .5 .125 1 -.5 .375 .0625 -.25 .625 -.875 -1 -.125 .75 -.75"), count<float, 3, 4>(0, 0));
    check_now(
        "lstm_bidirectional", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4, auto const& x5, auto const& x6,
           auto const& x7) {
            return tx::nn::lstm(x0, std::pair(std::pair(x7, x7), std::pair(x7, x7)),
                                std::pair(std::tuple(x1, x2, x3), std::tuple(x4, x5, x6)), tx::nn::bidirectional)
                .second;
        },
        of<float, 3, 1, 6>(".07923821 -.1157461 .07322947 -.1982413 .3039802 .001234189 .3778468 -.1562654 .04355329 -.1222762 "
                           ".1679261 -.004110009 .5684419 -.1703956 .01186336 -.05074258 .06279971 -.005770541"),
        count<float, 3, 1, 2>(1),
        of<float, 2, 12>("-.1875 -.5 .375 .3125 0 -.3125 .5625 .25 -.0625 .0625 -.25 -.5625 .25 -.0625 -.375 -.4375 .4375 .125 "
                         "-.1875 -.5 .375 .5 .1875 -.125"),
        of<float, 3, 12>("0 .125 .25 -.4375 -.3125 -.1875 -.0625 .0625 .1875 .375 .5 -.5625 .4375 .5625 -.5 0 .125 .25 .375 .5 "
                         "-.5625 -.375 -.25 -.125 -.3125 -.1875 -.0625 .4375 .5625 -.5 -.375 -.25 -.125 .0625 .1875 .3125"),
        count<float, 12>(0, 0),
        of<float, 2, 12>("-.375 .5 .1875 .125 -.1875 -.5 .375 .0625 -.25 -.125 -.4375 .4375 .0625 -.25 -.5625 .5625 .25 -.0625 "
                         "-.375 .5 .1875 .3125 0 -.3125"),
        of<float, 3, 12>(".3125 .4375 .5625 -.125 0 .125 .25 .375 .5 -.5 -.375 -.25 -.4375 -.3125 -.1875 .3125 .4375 .5625 -.5 "
                         "-.375 -.25 -.0625 .0625 .1875 0 .125 .25 -.4375 -.3125 -.1875 -.0625 .0625 .1875 .375 .5 -.5625"),
        count<float, 12>(0, 0), of<float, 1, 3>("0 0 0"));
    check_open(
        "gru_reverse__linear_before_reset", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4, auto const& x5) {
            return tx::nn::gru(x0, x5, std::tuple(x1, x2, x3, x4), tx::nn::reversed).second;
        },
        of<float, 3, 1, 5>("-.5904598 .6238971 .1049723 .07235999 -.707028 -.5115792 .8341007 -.277512 .08337904 -.7410815 "
                           "-.3416904 .9081035 -.5364512 .02676608 -.5231592"),
        count<float, 3, 1, 2>(1),
        of<float, 2, 15>("-.5625 .3125 0 -.3125 .5625 -.1875 -.5 .375 .0625 -.25 .25 -.0625 -.375 .5 .1875 -.125 -.4375 .4375 "
                         ".125 -.1875 .25 -.0625 -.375 .5 .1875 -.5 .375 .0625 -.25 -.5625"),
        of<float, 5, 15>(".25 .0625 -.125 -.3125 -.5 0 -.1875 -.375 -.5625 .4375 .5 .3125 .125 -.0625 -.25 -.5 .5 .3125 .125 "
                         "-.0625 .4375 .25 .0625 -.125 -.3125 -.25 -.4375 .5625 .375 .1875 -.0625 -.25 -.4375 .5625 .375 -.3125 "
                         "-.5 .5 .3125 .125 .1875 0 -.1875 -.375 -.5625 .375 .1875 0 -.1875 -.375 .125 -.0625 -.25 -.4375 .5625 "
                         "-.5625 .4375 .25 .0625 -.125 -.375 -.5625 .4375 .25 .0625 .5625 .375 .1875 0 -.1875 -.125 -.3125 -.5 "
                         ".5 .3125"),
        count<float, 15>(0, 0), count<float, 15>(0, 0), count<float, 1, 5>(0, 0));
    check_open(
        "gru_reverse__linear_before_reset_last", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4, auto const& x5) {
            return tx::nn::gru(x0, x5, std::tuple(x1, x2, x3, x4), tx::nn::reversed).first;
        },
        of<float, 1, 5>("-.5904598 .6238971 .1049723 .07235999 -.707028"), count<float, 3, 1, 2>(1),
        of<float, 2, 15>("-.5625 .3125 0 -.3125 .5625 -.1875 -.5 .375 .0625 -.25 .25 -.0625 -.375 .5 .1875 -.125 -.4375 .4375 "
                         ".125 -.1875 .25 -.0625 -.375 .5 .1875 -.5 .375 .0625 -.25 -.5625"),
        of<float, 5, 15>(".25 .0625 -.125 -.3125 -.5 0 -.1875 -.375 -.5625 .4375 .5 .3125 .125 -.0625 -.25 -.5 .5 .3125 .125 "
                         "-.0625 .4375 .25 .0625 -.125 -.3125 -.25 -.4375 .5625 .375 .1875 -.0625 -.25 -.4375 .5625 .375 -.3125 "
                         "-.5 .5 .3125 .125 .1875 0 -.1875 -.375 -.5625 .375 .1875 0 -.1875 -.375 .125 -.0625 -.25 -.4375 .5625 "
                         "-.5625 .4375 .25 .0625 -.125 -.375 -.5625 .4375 .25 .0625 .5625 .375 .1875 0 -.1875 -.125 -.3125 -.5 "
                         ".5 .3125"),
        count<float, 15>(0, 0), count<float, 15>(0, 0), count<float, 1, 5>(0, 0));
    check_open(
        "rnn_seq_length", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4) {
            return tx::nn::rnn(x0, x4, std::tuple(x1, x2, x3)).second;
        },
        of<float, 2, 3, 5>("-.7615942 -.50983 -.124353 -.7039056 -.4115701 -.9805831 -.635149 .6709671 -.982845 -.6709671 "
                           "-.9985806 -.7340715 .9413755 -.9991389 -.8298019 -.9999624 -.8203304 .9948313 -.9998034 -.9686964 "
                           "-.999999 -.9481456 .9997036 -.9999729 -.9869087 -.9999999 -.9764842 .9999635 -.9999983 -.9927587"),
        count<float, 2, 3, 3>(1),
        of<float, 3, 5>("-.1875 -.0625 .0625 .1875 .3125 .25 .375 .5 -.5625 -.4375 -.5 -.375 -.25 -.125 0"),
        of<float, 5, 5>("0 -.1875 -.375 -.5625 .4375 .4375 .25 .0625 -.125 -.3125 -.3125 -.5 .5 .3125 .125 .125 -.0625 -.25 "
                        "-.4375 .5625 .5625 .375 .1875 0 -.1875"),
        of<float, 5>(".1875 -.125 -.4375 .4375 .125"), count<float, 3, 5>(0, 0));
    check_now(
        "simple_rnn_reverse", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4) {
            return tx::nn::rnn(x0, x4, std::tuple(x1, x2, x3), tx::nn::reversed).second;
        },
        of<float, 3, 1, 4>(".1785452 -.7303071 -.4541 .6499903 .2349588 -.9531546 -.5246732 .9681951 .50983 -.9936546 -.3583574 "
                           ".9973499"),
        count<float, 3, 1, 2>(1), of<float, 2, 4>("-.1875 -.5 .375 .0625 .25 -.0625 -.375 .5"),
        of<float, 4, 4>("0 .5625 -.0625 .5 .4375 -.1875 .375 -.25 -.3125 .25 -.375 .1875 .125 -.5 .0625 -.5625"),
        of<float, 4>("0 0 0 0"), of<float, 1, 4>("0 0 0 0"));
}

TEST_CASE("ONNX: Attention, RotaryEmbedding") {
    check_open(
        "attention_4d_attn_mask", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3) { return tx::nn::attention(x0, x1, x2, x3); },
        of<float, 1, 3, 4, 2>("-.5797279 .2810759 2.088188 -.7796604 2.06825 -.6970592 -.2136821 .6622796 -.01023109 1.167321 "
                              "-.5761402 -.3158996 .4627787 1.562861 .7262185 -1.750235 -.5227298 1.168027 -.8898737 -.7867124 "
                              "-1.079015 .446183 -.861789 .8823599"),
        wave<float, 1, 3, 4, 2>(1), wave<float, 1, 3, 6, 2>(2), wave<float, 1, 3, 6, 2>(3), wave<float, 4, 6>(4));
    check_now(
        "attention_4d_attn_mask_bool_4d", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3) { return tx::nn::attention(x0, x1, x2, x3); },
        of<float, 1, 3, 4, 2>(
            "-.9666898 .5472602 2.183972 -.731388 2.049708 -.6719938 .05896763 -.0004079901 -.01199567 .801525 "
            ".332412 -.6356114 .5468113 -.4371465 .3095897 .2796552 -.7693948 .8702329 -.9139813 -.737112 -.1736976 "
            "1.547499 -.5595897 1.105478"),
        wave<float, 1, 3, 4, 2>(1), wave<float, 1, 3, 6, 2>(2), wave<float, 1, 3, 6, 2>(3),
        of<bool, 1, 3, 4, 6>(
            "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
            "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"));
    check_now(
        "attention_4d_gqa_with_past_and_present", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4, auto const& x5) {
            return tx::nn::attention(x0, tx::concat(tx::axis<2>, x3, x1), tx::concat(tx::axis<2>, x4, x2), x5);
        },
        of<float, 1, 9, 4, 2>(
            "-1.040038 .6192043 -.6448172 -.2869033 .9704645 -.8213674 .2883375 .3031496 -1.187676 .5067418 "
            "-.3783379 -.3515342 .5377991 -1.344357 .0802126 .5122017 -1.289629 .4264079 -.08611511 -.4230881 "
            ".4544326 -1.115961 -.1734297 .6500871 -.9473584 .7339968 .9684161 -.6409281 .8009946 -1.445071 "
            "-.2530023 1.209388 -.3449352 -.720823 1.156577 -.6934565 .7181069 -1.247674 -.4051468 1.109625 "
            "-.1189306 -.7774593 1.303166 -.7382729 .5963005 -.995737 -.5587329 .9978193 -1.076181 -.6450156 "
            ".4309776 .9275763 .4360693 -.4951355 -.7545777 .9091108 -.7952908 -.7293336 .3397902 1.090029 .1990711 "
            "-.1574143 -.7737581 .9053802 -.4827932 -.8215615 .2445705 1.209759 -.05536759 .1652342 -1.50043 "
            "-.5050862"),
        wave<float, 1, 9, 4, 2>(1), wave<float, 1, 3, 6, 2>(2), wave<float, 1, 3, 6, 2>(3), wave<float, 1, 3, 12, 2>(5),
        wave<float, 1, 3, 12, 2>(6), wave<float, 4, 18>(4));
    check_open(
        "attention_4d_causal_with_past_and_present", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4) {
            return tx::nn::attention(x0, tx::concat(tx::axis<2>, x3, x1), tx::concat(tx::axis<2>, x4, x2), tx::causal);
        },
        of<float, 1, 3, 4, 2>(
            "-.4722033 1.152176 1.437774 -1.39132 1.694951 -1.235425 .1817271 .2479168 -.0673411 1.296744 -2.189669 "
            "-.4843988 1.056657 -1.315041 .1922628 -.2782306 -1.010369 .6094607 .2451825 -.3721898 .7703819 "
            "-1.620523 -.1568999 .5309357"),
        wave<float, 1, 3, 4, 2>(1), wave<float, 1, 3, 4, 2>(2), wave<float, 1, 3, 4, 2>(3), wave<float, 1, 3, 3, 2>(4),
        wave<float, 1, 3, 3, 2>(5));
    check_now(
        "attention_causal_boolmask_nan_robustness", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3) {
            return tx::nn::attention(x0, x1, x2, x3, tx::causal);
        },
        of<float, 1, 2, 2, 2>("0 1.75 0 0 2.25 -.75 0 0"), wave<float, 1, 2, 2, 2>(1), wave<float, 1, 2, 2, 2>(2),
        wave<float, 1, 2, 2, 2>(3), of<bool, 2, 2>("1 0 0 0"));
    check_now(
        "attention_23_boolmask_fullymasked_row_nan_robustness", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3) { return tx::nn::attention(x0, x1, x2, x3); },
        of<float, 1, 2, 2, 2>("0 0 -.3654671 1.384533 0 0 1.035397 -1.964603"), wave<float, 1, 2, 2, 2>(1),
        wave<float, 1, 2, 2, 2>(2), wave<float, 1, 2, 2, 2>(3), of<bool, 2, 2>("0 0 1 1"));
    check_open(
        "rotary_embedding__caches_of_base", in_float,
        [](auto const& x0, auto const& x1) { return tx::nn::rotary_embedding(x0, x1); },
        of<float, 2, 1, 3, 4>(
            ".5424584 .3388667 -2.440438 -.9734831 -.682465 -2.572136 .5888476 .09546622 1.959549 .4403428 1.511677 "
            "-1.169871 -.4670943 1.947808 -.7709234 1.506169 1.491134 -.08382157 2.006619 -1.518379 -.3256094 "
            "1.895833 -.9779972 .9840309"),
        wave<float, 2, 1, 3, 4>(1), of<float, 2, 1, 3>("9 47 36 24 11 12"));
    check_now(
        "rotary_embedding_interleaved__caches_of_base", in_float,
        [](auto const& x0, auto const& x1) { return tx::nn::rotary_embedding(x0, x1, tx::interleaved); },
        of<float, 2, 1, 3, 4>(
            "1.263666 -.8459603 2.081784 -.8161956 -.4662121 2.325435 -1.011892 .8880172 .2239365 1.735613 2.078162 "
            "-.5533911 2.249641 .5016136 -.9662061 .793061 -.2588489 1.998874 1.655602 -1.326267 1.284109 1.553565 "
            "-1.082593 .6248943"),
        wave<float, 2, 1, 3, 4>(1), of<float, 2, 1, 3>("9 47 36 24 11 12"));
}

TEST_CASE("ONNX: NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss") {
    check_now(
        "nllloss_NCd1d2d3_none_no_weight_negative_ii", in_float,
        [](auto const& x0, auto const& x1) { return tx::nn::nll_loss(x0, x1, {.reduction = tx::none, .ignore = -5}); },
        of<float, 3, 2, 2, 2>(
            "0 -.25 -2 1.75 -.25 -1.5 .5 -1.25 -1.25 1.5 -.5 -1.5 1.25 -.5 2.25 .25 .25 2.25 1.5 -.25 2 1 -1 1.5"),
        of<float, 3, 2, 2, 2, 5>(
            "-1.5 -1.75 -2 -2.25 2.25 .25 0 -.25 -.5 -.75 2 1.75 1.5 1.25 1 -1 -1.25 -1.5 -1.75 -2 .75 .5 .25 0 "
            "-.25 -2.25 2.25 2 1.75 1.5 -.5 -.75 -1 -1.25 -1.5 1.25 1 .75 .5 .25 2 1.75 1.5 1.25 1 -1 -1.25 -1.5 "
            "-1.75 -2 .75 .5 .25 0 -.25 -2.25 2.25 2 1.75 1.5 -.5 -.75 -1 -1.25 -1.5 1.25 1 .75 .5 .25 -1.75 -2 "
            "-2.25 2.25 2 0 -.25 -.5 -.75 -1 .75 .5 .25 0 -.25 -2.25 2.25 2 1.75 1.5 -.5 -.75 -1 -1.25 -1.5 1.25 1 "
            ".75 .5 .25 -1.75 -2 -2.25 2.25 2 0 -.25 -.5 -.75 -1 1.75 1.5 1.25 1 .75 -1.25 -1.5 -1.75 -2 -2.25"),
        of<std::int64_t, 3, 2, 2, 2>("-5 0 0 3 2 4 0 0 3 2 1 4 3 3 2 1 4 0 4 4 1 4 3 1"));
    check_now(
        "nllloss_NCd1d2d3_sum_weight_high_ii", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) {
            return tx::sum(tx::nn::nll_loss(x0, x1, {.reduction = tx::none, .ignore = 10, .weights = x2}));
        },
        of<float>("-2.25"), wave<float, 3, 5>(1), of<std::int64_t, 3>("10 4 3"), of<float, 5>(".5 2.25 1.75 1 2.75"));
    check_now(
        "nllloss_NCd1d2d3d4d5_mean_weight", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::nn::nll_loss(x0, x1, {.weights = x2}); },
        of<float>("-.5357143"),
        of<float, 3, 2, 1, 1, 1, 1, 5>(
            "-1.5 2 .75 -.5 -1.75 .25 -1 -2.25 1.25 0 1.75 .5 -.75 -2 1.5 -1.25 2.25 1 -.25 -1.5 .25 -1 -2.25 1.25 "
            "0 2 .75 -.5 -1.75 1.75"),
        of<std::int64_t, 3, 2, 1, 1, 1, 1>("1 0 0 3 1 1"), of<float, 5>(".5 2.25 1.75 1 2.75"));
    check_open(
        "sce_none_weights", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) {
            return tx::nn::cross_entropy(x0, x1, {.reduction = tx::none, .weights = x2});
        },
        of<float, 3>("1.527367 1.513758 .5586587"), wave<float, 3, 5>(1), of<std::int64_t, 3>("1 4 3"),
        of<float, 5>(".9 .7 .8 .9 .9"));
    check_now(
        "sce_mean_no_weight_ii_4d_log_prob", in_float, [](auto const& x0) { return tx::log_softmax(x0, tx::axis<1>); },
        of<float, 3, 5, 2, 2>(
            "-2.958141 -2.288128 -.9287506 -2.958141 -.7081406 -4.788128 -3.428751 -.7081406 -3.208141 -2.538128 "
            "-1.178751 -3.208141 -.9581407 -.2881283 -3.678751 -.9581407 -3.458141 -2.788128 -1.428751 -3.458141 "
            "-2.288128 -.9287506 -2.958141 -.9287506 -4.788128 -3.428751 -.7081406 -3.428751 -2.538128 -1.178751 "
            "-3.208141 -1.178751 -.2881283 -3.678751 -.9581407 -3.678751 -2.788128 -1.428751 -3.458141 -1.428751 "
            "-.9287506 -2.958141 -.9287506 -5.18178 -3.428751 -.7081406 -3.428751 -2.93178 -1.178751 -3.208141 "
            "-1.178751 -.6817799 -3.678751 -.9581407 -3.678751 -3.18178 -1.428751 -3.458141 -1.428751 -.9317799"),
        wave<float, 3, 5, 2, 2>(1));
    check_open(
        "sce_mean_3d", in_float, [](auto const& x0, auto const& x1) { return tx::nn::cross_entropy(x0, x1); },
        of<float>("2.611543"),
        of<float, 3, 2, 5>(
            "-1.5 2 .75 -.5 -1.75 .25 -1 -2.25 1.25 0 1.75 .5 -.75 -2 1.5 -1.25 2.25 1 -.25 -1.5 .25 -1 -2.25 1.25 "
            "0 2 .75 -.5 -1.75 1.75"),
        of<std::int64_t, 3, 2>("3 3 2 4 2 0"));
}

TEST_CASE("ONNX: integers") {
    check_now(
        "quantizelinear", in_float, [](auto const& x0, auto const& x1, auto const& x2) { return tx::nn::quantize(x0, x1, x2); },
        of<std::uint8_t, 6>("128 129 130 255 1 0"), of<float, 6>("0 2 3 1000 -254 -1000"), of<float>("2"),
        of<std::uint8_t>("128"));
    check_open(
        "quantizelinear_axis", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::nn::quantize(x0, x1, x2, tx::axis<1>); },
        of<std::uint8_t, 1, 3, 3, 2>("3 89 34 200 74 59 5 24 24 87 32 13 245 99 4 142 121 102"),
        of<float, 1, 3, 3, 2>("-162 10 -100 232 -20 -50 -76 0 0 252 32 -44 245 -485 -960 -270 -375 -470"), of<float, 3>("2 4 5"),
        of<std::uint8_t, 3>("84 24 196"));
    check_now(
        "quantizelinear_int16", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::nn::quantize(x0, x1, x2); },
        of<std::int16_t, 16>("256 -1 258 254 257 255 258 254 32767 -32767 32767 -32768 32767 -32768 32767 -32768"),
        of<float, 16>("0 -514 3 -3 2.9 -2.9 3.1 -3.1 65022 -66046 65023 -66047 65024 -66048 70000 -70000"), of<float>("2"),
        of<std::int16_t>("256"));
    check_now(
        "dequantizelinear_axis", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::nn::dequantize(x0, x1, x2, tx::axis<1>); },
        of<float, 1, 3, 3, 2>("-162 10 -100 232 -20 -50 -76 0 0 252 32 -44 245 -485 -960 -270 -375 -470"),
        of<std::uint8_t, 1, 3, 3, 2>("3 89 34 200 74 59 5 24 24 87 32 13 245 99 4 142 121 102"), of<float, 3>("2 4 5"),
        of<std::uint8_t, 3>("84 24 196"));
    check_now(
        "dequantizelinear_uint16", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::nn::dequantize(x0, x1, x2); },
        of<float, 4>("-5534 -3534 2 466"), of<std::uint16_t, 4>("30000 31000 32768 33000"), of<float>("2"),
        of<std::uint16_t>("32767"));
    check_open(
        "qlinearmatmul_3D_int8_float32", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3, auto const& x4, auto const& x5) {
            return tx::nn::quantize(tx::cast<float>(tx::nn::matmul_integer(x0, x1, x2, x3)), x4, x5);
        },
        of<std::int8_t, 2, 2, 3>("106 -17 -10 14 -128 -128 106 -17 -10 14 -128 -128"),
        of<std::int8_t, 2, 2, 4>("81 109 -127 111 -124 87 -128 -98 81 109 -127 111 -124 87 -128 -98"),
        of<std::int8_t, 2, 4, 3>("25 -76 117 -67 -101 -128 -127 0 119 0 127 120 25 -76 117 -67 -101 -128 -127 0 119 0 127 120"),
        of<std::int8_t>("-14"), of<std::int8_t>("-13"), of<float>("100"), of<std::int8_t>("-9"));
    check_now(
        "matmulinteger", in_float,
        [](auto const& x0, auto const& x1, auto const& x2, auto const& x3) { return tx::nn::matmul_integer(x0, x1, x2, x3); },
        of<int, 4, 2>("-38 -83 -44 -98 -50 -113 -56 -128"), of<std::uint8_t, 4, 3>("11 7 3 10 6 2 9 5 1 8 4 0"),
        of<std::uint8_t, 3, 2>("1 4 2 5 3 6"), of<std::uint8_t>("12"), of<std::uint8_t>("0"));
}

TEST_CASE("ONNX: activations") {
    check_now(
        "hardswish", in_float, [](auto const& x0) { return tx::hard_swish(x0); },
        of<float, 1, 4, 5>("-.375 .1354167 1.666667 -.3333333 .46875 -.28125 -.2083333 .8854167 -.3645833 0 1.385417 -.3645833 "
                           ".2916667 1.96875 -.28125 .6666667 -.3333333 -.1145833 1.125 -.375"),
        wave<float, 1, 4, 5>(1));
    check_now(
        "mish", in_float, [](auto const& x0) { return tx::mish(x0); },
        of<float, 12>("-.000453989 -.0004548068 -.0004556265 -.0004564472 -.0004572694 -.0004580935 -.0004589186 -.0004597456 "
                      "-.0004605737 -.0004614032 -.0004622346 -.0004630671"),
        of<float, 12>("-10 -9.998 -9.995999 -9.993999 -9.992 -9.989999 -9.987999 -9.985998 -9.983998 -9.981998 -9.979998 "
                      "-9.977998"));
    check_open(
        "celu", in_float, [](auto const& x0) { return tx::celu(x0, 2.0); },
        of<float, 3, 3, 3, 1>(
            "-1.055267 .25 2 -.7869387 .75 -1.350695 -.4423984 1.25 -1.166276 0 1.75 -.9294772 .5 2.25 -.6254215 1 "
            "-1.264241 -.2350062 1.5 -1.055267 .25 2 -.7869387 .75 -1.350695 -.4423984 1.25"),
        wave<float, 3, 3, 3, 1>(1));
    check_now(
        "celu_bfloat16", near{0.01, 2e-06}, [](auto const& x0) { return tx::celu(x0, 2.0); },
        of<tx::bfloat16, 5>("-1.554688 -.4433594 0 .5 3"), of<tx::bfloat16, 5>("-3 -.5 0 .5 3"));
    check_open(
        "prelu_broadcast", in_float, [](auto const& x0, auto const& x1) { return tx::prelu(x0, x1); },
        of<float, 3, 4, 5>(
            "1.125 .25 2 .25 .75 1.6875 -.5 1.25 .4375 0 1.75 -1.25 .5 2.25 -1.125 1 -2 .5 1.5 -2.25 .25 2 2 .75 "
            "-3.375 .375 1.25 3.5 0 1.75 .9375 .5 2.25 .1875 1 1.5 -.25 1.5 .375 .25 2 -1 .75 .5625 -.75 1.25 -1.75 "
            "0 1.75 -1.875 .5 2.25 1.5 1 -3 .1875 1.5 3 .25 2"),
        wave<float, 3, 4, 5>(1), of<float, 5>("-.75 1 -2 -.25 1.5"));
}
