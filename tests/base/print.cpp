// The expected texts are str(array) of NumPy 2.4.6 with its default print options.
#include <tracexpr/base/create.hpp>
#include <tracexpr/base/print.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

using tx::shape;
using tx::tensor;
using tx::to_string;

namespace {

using cf = std::complex<float>;
using cd = std::complex<double>;
constexpr double qnan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class Shape> tensor<int, Shape> counting() {
    tensor<int, Shape> out;
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<int>(i);
    return out;
}

} // namespace

TEST_CASE("print: floats") {
    SUBCASE("float32, mixed digits") {
        CHECK(to_string(tensor<float>{{1, 2.5, -3.25}, {100.125, 0, 7}}) == R"([[  1.      2.5    -3.25 ]
 [100.125   0.      7.   ]])");
    }
    SUBCASE("float32 prints its own shortest digits") { CHECK(to_string(tensor<float>{0.1, 0.2, 0.3}) == "[0.1 0.2 0.3]"); }
    SUBCASE("float64, cut to 8 digits") { CHECK(to_string(tensor<double>{1. / 3, 2. / 3, 1}) == "[0.33333333 0.66666667 1.        ]"); }
    SUBCASE("whole numbers keep their point") {
        CHECK(to_string(tensor<double>{{1, 20}, {300, -4}}) == R"([[  1.  20.]
 [300.  -4.]])");
    }
    SUBCASE("large float64") { CHECK(to_string(tensor<double>{1e8, 1}) == "[1.e+08 1.e+00]"); }
    SUBCASE("float64 below the limit") { CHECK(to_string(tensor<double>{99999999, 100000}) == "[99999999.   100000.]"); }
    SUBCASE("large float32") { CHECK(to_string(tensor<float>{1e6f, 1}) == "[1.e+06 1.e+00]"); }
    SUBCASE("small") { CHECK(to_string(tensor<double>{0.00001, 1}) == "[1.e-05 1.e+00]"); }
    SUBCASE("a wide range") { CHECK(to_string(tensor<double>{0.001, 1.5, -10}) == "[ 1.0e-03  1.5e+00 -1.0e+01]"); }
    SUBCASE("float32 0.0001") { CHECK(to_string(tensor<float>{0.0001, 0.002}) == "[0.0001 0.002 ]"); }
    SUBCASE("three-digit exponents") { CHECK(to_string(tensor<double>{1e200, -1.25e-200}) == "[ 1.00e+200 -1.25e-200]"); }
    SUBCASE("exponents, float32 digits") { CHECK(to_string(tensor<float>{0.1, 1.2345678e10}) == "[1.0000000e-01 1.2345678e+10]"); }
    SUBCASE("nan and infinities") { CHECK(to_string(tensor<double>{qnan, -inf, 1.5}) == "[ nan -inf  1.5]"); }
    SUBCASE("only nan") { CHECK(to_string(tensor<float>{qnan, inf}) == "[nan inf]"); }
    SUBCASE("negative zero") { CHECK(to_string(tensor<float>{-0., 0., 1}) == "[-0.  0.  1.]"); }
    SUBCASE("float16") { CHECK(to_string(tensor<tx::half>{0.1, 2.5, 65504}) == "[1.00e-01 2.50e+00 6.55e+04]"); }
    SUBCASE("float16, small range") { CHECK(to_string(tensor<tx::half>{0.1, 2.5}) == "[0.1 2.5]"); }
}

TEST_CASE("print: integers, bool, complex") {
    SUBCASE("integers") {
        CHECK(to_string(tensor<int>{{1, -20}, {300, 4}}) == R"([[  1 -20]
 [300   4]])");
    }
    SUBCASE("int8") { CHECK(to_string(tensor<std::int8_t>{-128, 127}) == "[-128  127]"); }
    SUBCASE("uint64") { CHECK(to_string(tensor<std::uint64_t>{18446744073709551615u, 0}) == "[18446744073709551615                    0]"); }
    SUBCASE("bool") {
        CHECK(to_string(tensor<bool>{{true, false}, {true, true}}) == R"([[ True False]
 [ True  True]])");
    }
    SUBCASE("complex64") { CHECK(to_string(tensor<std::complex<float>>{cf(1, 2), cf(-1.5, -0.25)}) == "[ 1. +2.j   -1.5-0.25j]"); }
    SUBCASE("complex128 with nan") { CHECK(to_string(tensor<std::complex<double>>{cd(1, qnan), cd(0.5, 10)}) == "[1. +nanj 0.5+10.j]"); }
}

TEST_CASE("print: axes") {
    SUBCASE("three axes") {
        CHECK(to_string(tensor<int>{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}) == R"([[[1 2]
  [3 4]]

 [[5 6]
  [7 8]]])");
    }
    SUBCASE("four axes") {
        CHECK(to_string(tensor<int>{{{{1}}, {{2}}}, {{{3}}, {{4}}}}) == R"([[[[1]]

  [[2]]]


 [[[3]]

  [[4]]]])");
    }
    SUBCASE("one element") { CHECK(to_string(tensor<float>{{1}}) == "[[1.]]"); }
    SUBCASE("empty") { CHECK(to_string(tensor<float, shape<0>>{}) == "[]"); }
    SUBCASE("empty with axes") { CHECK(to_string(tensor<float, shape<3, 0>>{}) == "[]"); }
}

TEST_CASE("print: long tensors") {
    SUBCASE("long rows wrap at 75 columns") {
        CHECK(to_string(tx::linspace<double>(0, 1, 20)) == R"([0.         0.05263158 0.10526316 0.15789474 0.21052632 0.26315789
 0.31578947 0.36842105 0.42105263 0.47368421 0.52631579 0.57894737
 0.63157895 0.68421053 0.73684211 0.78947368 0.84210526 0.89473684
 0.94736842 1.        ])");
    }
    SUBCASE("rows in a matrix wrap") {
        CHECK(to_string(counting<shape<2, 30>>()) == R"([[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
  24 25 26 27 28 29]
 [30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53
  54 55 56 57 58 59]])");
    }
    SUBCASE("1000 elements are all shown") {
        CHECK(to_string(tx::ones<bool>(shape<10, 100>{})) == R"([[ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True]])");
    }
    SUBCASE("over 1000 elements the middle is left out") { CHECK(to_string(tx::arange<int>(2000)) == "[   0    1    2 ... 1997 1998 1999]"); }
    SUBCASE("... on every long axis") {
        CHECK(to_string(counting<shape<40, 4, 40>>()) == R"([[[   0    1    2 ...   37   38   39]
  [  40   41   42 ...   77   78   79]
  [  80   81   82 ...  117  118  119]
  [ 120  121  122 ...  157  158  159]]

 [[ 160  161  162 ...  197  198  199]
  [ 200  201  202 ...  237  238  239]
  [ 240  241  242 ...  277  278  279]
  [ 280  281  282 ...  317  318  319]]

 [[ 320  321  322 ...  357  358  359]
  [ 360  361  362 ...  397  398  399]
  [ 400  401  402 ...  437  438  439]
  [ 440  441  442 ...  477  478  479]]

 ...

 [[5920 5921 5922 ... 5957 5958 5959]
  [5960 5961 5962 ... 5997 5998 5999]
  [6000 6001 6002 ... 6037 6038 6039]
  [6040 6041 6042 ... 6077 6078 6079]]

 [[6080 6081 6082 ... 6117 6118 6119]
  [6120 6121 6122 ... 6157 6158 6159]
  [6160 6161 6162 ... 6197 6198 6199]
  [6200 6201 6202 ... 6237 6238 6239]]

 [[6240 6241 6242 ... 6277 6278 6279]
  [6280 6281 6282 ... 6317 6318 6319]
  [6320 6321 6322 ... 6357 6358 6359]
  [6360 6361 6362 ... 6397 6398 6399]]])");
    }
    SUBCASE("... and six stay six") {
        CHECK(to_string(counting<shape<6, 1000>>()) == R"([[   0    1    2 ...  997  998  999]
 [1000 1001 1002 ... 1997 1998 1999]
 [2000 2001 2002 ... 2997 2998 2999]
 [3000 3001 3002 ... 3997 3998 3999]
 [4000 4001 4002 ... 4997 4998 4999]
 [5000 5001 5002 ... 5997 5998 5999]])");
    }
}

TEST_CASE("print: one number on its own") {
    CHECK(to_string(tensor<float, shape<>>(3)) == "3.0");
    CHECK(to_string(tensor<float, shape<>>(0.1)) == "0.1");
    CHECK(to_string(tensor<float, shape<>>(1e6)) == "1e+06");
    CHECK(to_string(tensor<double, shape<>>(1e15)) == "1000000000000000.0");
    CHECK(to_string(tensor<double, shape<>>(1e16)) == "1e+16");
    CHECK(to_string(tensor<double, shape<>>(0.00001)) == "1e-05");
    CHECK(to_string(tensor<double, shape<>>(1. / 3)) == "0.3333333333333333");
    CHECK(to_string(tensor<double, shape<>>(qnan)) == "nan");
    CHECK(to_string(tensor<double, shape<>>(-inf)) == "-inf");
    CHECK(to_string(tensor<tx::half, shape<>>(0.1)) == "0.1");
    CHECK(to_string(tensor<tx::half, shape<>>(2000)) == "2e+03");
    CHECK(to_string(tensor<int, shape<>>(-7)) == "-7");
    CHECK(to_string(tensor<bool, shape<>>(true)) == "True");
    CHECK(to_string(tensor<bool, shape<>>(false)) == "False");
    CHECK(to_string(tensor<std::complex<float>, shape<>>(cf(1, 2))) == "(1+2j)");
    CHECK(to_string(tensor<std::complex<float>, shape<>>(cf(0, -2.5))) == "-2.5j");
    CHECK(to_string(tensor<std::complex<float>, shape<>>(cf(-0.f, 2))) == "(-0+2j)");
    CHECK(to_string(tensor<std::complex<double>, shape<>>(cd(qnan, inf))) == "(nan+infj)");
}

TEST_CASE("print: bfloat16 goes by its own shortest digits") {
    CHECK(to_string(tensor<tx::bfloat16>{0.1, 2.5, 100}) == "[  0.1   2.5 100. ]");
    CHECK(to_string(tensor<tx::bfloat16, shape<>>(300)) == "300.0");
}

TEST_CASE("print: into a stream") {
    std::ostringstream out;
    out << tensor<float, shape<2, 2>>{{1, 2}, {3, 4}} << ", " << tensor<int>(7);
    CHECK(out.str() == "[[1. 2.]\n [3. 4.]], 7");
}
