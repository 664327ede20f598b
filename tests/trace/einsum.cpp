// This file tests einsum. Expected values are NumPy's: np.einsum with the same subscripts on a, b, v, s as below and t =
// np.arange(12, dtype=np.float32).reshape(2, 2, 3).
#include "trace_helper.hpp"

#include <tracexpr/trace/einsum.hpp>

using namespace trace_test;
using tx::dyn;

namespace {
tx::tensor<float, tx::shape<2, 3>> const a{{1, 2, 3}, {4, 5, 6}};
tx::tensor<float, tx::shape<3, 2>> const b{{1, 0}, {2, -1}, {0, 3}};
tx::tensor<float, tx::shape<3>> const v{1, -1, 2};
tx::tensor<float, tx::shape<2, 2>> const s{{1, 2}, {3, 4}};
tx::tensor<float, tx::shape<2, 2, 3>> const t{{{0, 1, 2}, {3, 4, 5}}, {{6, 7, 8}, {9, 10, 11}}};

template <tx::fixed_string Subscripts> constexpr auto einsum = [](auto const&... x) { return tx::einsum<Subscripts>(x...); };
template <class T> auto scalar(T value) { return tx::tensor<T, tx::shape<>>(value); }

// How many nodes of an op the subscripts become.
template <tx::fixed_string Subscripts, class... E> constexpr int count(tx::op code) {
    tx::trace_scope scope;
    static_cast<void>(tx::einsum<Subscripts>(E(scope, scope.recorded.append_parameter(tx::dtype::float32, tx::dims_of<typename E::shape_type>))...));
    int out = 0;
    for (tx::node const& n : scope.recorded.view()) out += n.code == code;
    return out;
}
} // namespace

TEST_CASE("einsum: one operand") {
    check(einsum<"ii">, scalar(5.f), s);
    check(einsum<"ii->i">, tx::tensor<float>{1, 4}, s);
    check(einsum<"ij->j">, tx::tensor<float>{5, 7, 9}, a);
    check(einsum<"ij->ji">, tx::tensor<float>{{1, 4}, {2, 5}, {3, 6}}, a);
    check(einsum<"iij->j">, tx::tensor<float>{9, 11, 13}, t);
    check(einsum<"ba">, tx::tensor<float>{{1, 4}, {2, 5}, {3, 6}}, a);
}

TEST_CASE("einsum: two operands") {
    static_assert(gives<floats<2, 4>, floats<2, 3>, floats<3, 4>>(einsum<"ij,jk->ik">) && gives<floats<dyn, 4>, floats<dyn, 3>, floats<3, 4>>(einsum<"ij,jk">));
    check(einsum<"ij,jk->ik">, tx::tensor<float>{{5, 7}, {14, 13}}, a, b);
    check(einsum<"ij, jk -> ki">, tx::tensor<float>{{5, 14}, {7, 13}}, a, b);
    check(einsum<"ij,jk">, tx::tensor<float>{{5, 7}, {14, 13}}, a, b);
    check(einsum<"ba,cb">, tx::tensor<float>{{9, 19}, {12, 26}, {15, 33}}, a, s);
    check(einsum<"ij,ij->">, scalar(91.f), a, a);
    check(einsum<"i,j->ij">, tx::tensor<float>{{1, -1, 2}, {-1, 1, -2}, {2, -2, 4}}, v, v);
    check(einsum<"bij,bj->bi">, tx::tensor<float>{{8, 26}, {107, 152}}, t, a);
    check(einsum<"bij,jk->bik">, tx::tensor<float>{{{2, 5}, {11, 11}}, {{20, 17}, {29, 23}}}, t, b);
    check(einsum<"ij,j->i">, tx::tensor<float>{5, 11}, a, v);
    check(einsum<"bhi,bhj->bij">,
          tx::tensor<float>{{{9, 12, 15}, {12, 17, 22}, {15, 22, 29}}, {{117, 132, 147}, {132, 149, 166}, {147, 166, 185}}}, t, t);
    check(einsum<",i">, tx::tensor<float>{2, -2, 4}, scalar(2.f), v);
    check(einsum<"i,i->">, scalar(std::int32_t{11}), tx::tensor<std::int32_t, tx::shape<2>>{1, 2}, tx::tensor<std::int32_t, tx::shape<2>>{3, 4});
    check(einsum<"i,i">, scalar(true), tx::tensor<bool, tx::shape<2>>{true, false}, tx::tensor<bool, tx::shape<2>>{true, true});
}

TEST_CASE("einsum: an ellipsis broadcasts") {
    static_assert(gives<floats<5, 4, 2, 6>, floats<4, 2, 3>, floats<5, 1, 3, 6>>(einsum<"...ij,...jk->...ik">));
    check(einsum<"...j,jk->...k">, tx::tensor<float>{{{2, 5}, {11, 11}}, {{20, 17}, {29, 23}}}, t, b);
    check(einsum<"b...,b...->...">, tx::tensor<float>{{36, 50, 68}, {90, 116, 146}}, t, t);
    check(einsum<"...,...">, tx::tensor<float>{{1, -2, 6}, {4, -5, 12}}, a, v);
}

TEST_CASE("einsum: several operands") {
    check(einsum<"ij,jk,kl->il">, tx::tensor<float>{{33, 45, 57}, {66, 93, 120}}, a, b, a);
    check(einsum<"ij,kj,kl->il">, tx::tensor<float>{{110, 156}, {263, 372}}, a, a, s);
    check(einsum<"abc,cd,ab->d">, tx::tensor<float>{200, 170}, t, b, s);
    check(einsum<"i,i,i->">, scalar(8.f), v, v, v);
}

TEST_CASE("einsum: products are matmuls") {
    static_assert(count<"ij,jk->ik", floats<2, 3>, floats<3, 4>>(tx::op::matmul) == 1);
    static_assert(count<"bhqd,bhkd->bhqk", floats<2, 3, 4, 5>, floats<2, 3, 6, 5>>(tx::op::matmul) == 1);
    static_assert(count<"bhqd,bhkd->bhqk", floats<2, 3, 4, 5>, floats<2, 3, 6, 5>>(tx::op::reshape) == 0);
    static_assert(count<"abij,ijk->abk", floats<dyn, 3, 4, 5>, floats<4, 5, 6>>(tx::op::matmul) == 1);
    static_assert(count<"ij,ij->i", floats<2, 3>, floats<2, 3>>(tx::op::matmul) == 0);
}

TEST_CASE("einsum: what only the run-time rank shows is thrown") {
    auto const product = einsum<"ij,jk">;
    CHECK_THROWS_WITH_AS(run<open_rank>(product, a, v), "tx: einsum: the subscripts ij,jk must fit the operands; given (?, ?) (?,)", tx::shape_error);
    CHECK_THROWS_AS(run<open_extents>(product, a, a), tx::shape_error);
}
