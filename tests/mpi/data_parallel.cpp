// This file tests data parallel training: the mean of all ranks' values and gradients, in buckets that overlap the backward pass,
// or summed in blocks whose order does not depend on the number of ranks.
#include "errors.hpp"

#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

namespace mpi = tx::mpi;
using tx::shape;
using tx::tensor;

namespace {

using weights = std::pair<tensor<float, shape<8, 16>>, tensor<float, shape<16, 3>>>;
constexpr auto loss = [](auto const& w, auto x, auto y) {
    return tx::mean(tx::square(tx::matmul(tx::tanh(tx::matmul(x, w.first)), w.second) - y));
};
template <class T> void fill(T& t, std::int64_t from) {
    auto* const p = t.mutable_data();
    for (std::int64_t i = 0; i < t.size(); ++i) p[i] = static_cast<float>(std::sin(static_cast<double>(from + i) * 0.37));
}
weights made_weights() {
    weights w;
    fill(w.first, 5), fill(w.second, 700);
    return w;
}
// Rows of all examples, of which there are 48.
template <std::int64_t Columns> tensor<float, shape<tx::dyn, Columns>> examples(std::int64_t first, std::int64_t count) {
    auto out = tx::zeros<float, shape<tx::dyn, Columns>>(count, Columns);
    fill(out, first * Columns);
    return out;
}
template <class A, class B> bool same_bits(A const& a, B const& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

} // namespace

TEST_CASE("data_parallel: the mean over the ranks, in few and in many buckets") {
    auto const world = mpi::world();
    weights const w = made_weights();
    std::int64_t const own = 48 / world.size();
    auto const x = examples<8>(world.rank() * own, own);
    auto const y = examples<3>(world.rank() * own, own);
    auto const [whole_value, whole_gradient] = tx::function{tx::value_and_grad(loss)}(w, examples<8>(0, 48), examples<3>(0, 48));
    for (std::int64_t const bytes : {1, 100, 1 << 20}) {
        auto const step = mpi::data_parallel(tx::value_and_grad(loss), world, {.bucket_bytes = bytes});
        for (int repeat = 0; repeat < 3; ++repeat) {
            auto const [value, gradient] = step(w, x, y);
            CHECK(std::abs(value.item() - whole_value.item()) < 1e-6f);
            CHECK(tx::all(tx::abs(gradient.first - whole_gradient.first) < 1e-6f));
            CHECK(tx::all(tx::abs(gradient.second - whole_gradient.second) < 1e-6f));
        }
    }
}

TEST_CASE("data_parallel: deterministic sums have the same bits as those of one rank") {
    auto const world = mpi::world();
    auto const alone = world.split(static_cast<int>(world.rank()));
    weights const w = made_weights();
    std::int64_t const own = 48 / world.size();
    for (std::int64_t const blocks : {12, 24, 48}) {
        auto const options = mpi::data_parallel_options{.deterministic = true, .blocks = blocks};
        auto const step = mpi::data_parallel(tx::value_and_grad(loss), world, options);
        auto const single = mpi::data_parallel(tx::value_and_grad(loss), alone, options);
        auto const [value, gradient] = step(w, examples<8>(world.rank() * own, own), examples<3>(world.rank() * own, own));
        auto const [whole, whole_gradient] = single(w, examples<8>(0, 48), examples<3>(0, 48));
        CHECK(value.item() == whole.item());
        CHECK(same_bits(gradient.first, whole_gradient.first));
        CHECK(same_bits(gradient.second, whole_gradient.second));
    }
}

TEST_CASE("data_parallel: what can't be cut is refused, on all ranks alike") {
    auto const world = mpi::world();
    weights const w = made_weights();
    auto const options = mpi::data_parallel_options{.deterministic = true, .blocks = 5 * world.size()};
    auto const step = mpi::data_parallel(tx::value_and_grad(loss), world, options);
    CHECK_THROWS_AS(step(w, examples<8>(0, 12), examples<3>(0, 12)), tx::error);
    auto const odd =
        mpi::data_parallel(tx::value_and_grad(loss), world, {.deterministic = true, .blocks = 60 * world.size() + 1});
    if (world.size() > 1) CHECK_THROWS_AS(odd(w, examples<8>(0, 12), examples<3>(0, 12)), tx::error);
}

TEST_CASE("data_parallel: ranks whose buckets have the leaves in another order are told so, before sums are mixed up") {
    auto const world = mpi::world();
    bool const is_last = world.size() > 1 && world.rank() == world.size() - 1;
    using vec = tensor<float, shape<4>>;
    // Two leaves of one shape. A bucket has them in the order in which the run does: that which takes fewer steps comes first.
    auto const means = [&](bool is_turned, auto const& ranks) {
        return mpi::data_parallel(
            [is_turned](auto const& w, auto const& x) {
                auto const soon = w * x, late = tx::exp(tx::sin(tx::cos(w * x)));
                auto const first = is_turned ? late : soon * 1.0f, second = is_turned ? soon * 1.0f : late;
                return std::pair(first, second);
            },
            ranks);
    };
    vec const w{1, 2, 3, 4}, x = vec{1, 1, 1, 1} * static_cast<float>(world.rank() + 1);
    std::string const text = text_of_error([&] { means(is_last, world)(w, x); });
    std::string const of_each = " makes begin_sums(float32 (4,), leaf ", zero = "0 of 4 elements", one = "1 of 4 elements";
    std::string const difference = "part at number 1: rank 0" + of_each + zero + ", leaf " + one + "), rank " +
                                   std::to_string(world.size() - 1) + of_each + one + ", leaf " + zero + ")";
    if (world.size() == 1) CHECK(text.empty());
    else
        CHECK(text.ends_with(
            "all ranks must run programs with the same collectives in the same order; the sequences of collectives " +
            difference));
    for (bool const is_turned : {false, true}) { // alike on all ranks
        auto const [first, second] = means(is_turned, world)(w, x);
        auto const& product = is_turned ? second : first;
        CHECK(product(3) == doctest::Approx(4 * (static_cast<float>(world.size()) + 1) / 2));
    }
}
