// This file tests softmax and the like of no elements, in every executor and with every derivative; and joins of parts without
// elements.
#include <run/small_functions_checks.hpp>

using namespace tx::testing;
using tx::axis;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {
tensor<double, shape<0, 3>> const none{};
tensor<double, shape<dyn, 3>> const none_of_a_run(none);
} // namespace

TEST_CASE("no elements: the logarithm of a sum of exponentials is -inf") {
    tensor<double> const lowest{-infinite, -infinite, -infinite};
    auto const by_columns = [](auto const& x) { return tx::logsumexp(x, axis<0>); };
    check_each(by_columns, lowest, 0, none);
    check_values(by_columns(none_of_a_run), lowest, 0);
    check_each([](auto const& x) { return tx::logsumexp(x); }, tensor<double>(-infinite), 0, none);
    check_values(tx::logsumexp(tensor<float, shape<dyn>>(tensor<float, shape<0>>{})),
                 tensor<float>(static_cast<float>(-infinite)), 0);
    check_values(tx::logsumexp(none, axis<1>), tensor<double, shape<0>>{}, 0);
    check_values(tx::vmap(by_columns)(tx::zeros<double>(shape<2, 0, 3>{})),
                 tensor<double>{{-infinite, -infinite, -infinite}, {-infinite, -infinite, -infinite}}, 0);
}
TEST_CASE("no elements: softmax and log_softmax are empty") {
    check_each([](auto const& x) { return tx::softmax(x, axis<0>); }, none, 0, none);
    check_each([](auto const& x) { return tx::log_softmax(x, axis<0>); }, none, 0, none);
    check_values(tx::softmax(none), none, 0);
    check_values(tx::softmax(none_of_a_run, 0), none, 0);
    check_values(tx::log_softmax(tensor<tx::half, shape<2, 0>>{}), tensor<tx::half, shape<2, 0>>{}, 0);
    tensor<double> const x{{1, 2}, {3, 4}}; // the largest element of a softmax beside another that needs one
    auto const [soft, largest] =
        tx::function{[](auto const& a) { return std::tuple(tx::softmax(a, axis<1>), tx::max(a, axis<1>)); }}(x);
    check_values(largest, tensor<double>{2, 4}, 0);
    check_values(soft, tensor<double>{{0.2689414213699951, 0.7310585786300049}, {0.2689414213699951, 0.7310585786300049}}, 1e-15);
}
TEST_CASE("no elements: derivatives of softmax and its kin") {
    auto const total = [](auto const& x) {
        return tx::sum(tx::softmax(x, axis<0>)) + tx::sum(tx::log_softmax(x, axis<0>)) +
               tx::sum(tx::exp(tx::logsumexp(x, axis<0>)));
    };
    check_values(tx::grad(total)(none), none, 0);
    check_values(tx::grad(total)(none_of_a_run), none, 0);
    check_values(tx::jvp(total)(none_of_a_run, none_of_a_run).second, tensor<double>(0), 0);
    auto const columns = [](auto const& x) { return tx::sum(tx::logsumexp(x, axis<0>)); };
    tensor<double, shape<2, 2>> const x{{-infinite, 1}, {-infinite, 1}};
    check_values(tx::grad(columns)(x), tensor<double>{{0, 0.5}, {0, 0.5}}, 1e-15);
}
TEST_CASE("no elements: a tape knows the derivative with respect to an empty part of what is joined") {
    auto const check = [](auto const& empty) {
        tensor<double, shape<2, 3>> const other{{1, 2, 3}, {4, 5, 6}};
        tx::gradient_tape tape;
        tape.watch(empty);
        tape.watch(other);
        auto const y = tx::sum(tx::square(tx::concat(axis<0>, other, empty, other)) * 0.5);
        auto const [of_empty, of_other] = tape.gradient(y, std::tuple(empty, other));
        check_values(of_empty, none, 0);
        check_values(of_other, tensor<double>{{2, 4, 6}, {8, 10, 12}}, 0);
    };
    check(none);
    check(none_of_a_run);
    check(tensor<double>(none));
    check_values(tx::grad([](auto const& a) { return tx::sum(tx::concat(axis<1>, a, a)); })(tensor<double, shape<2, 0>>{}),
                 tensor<double, shape<2, 0>>{}, 0);
}
