// This file tests programs whose collectives ranks compare before their first run: which of them are compared, and by whom, where
// some ranks run other programs, or regions that belong to other communicators.
#include "errors.hpp"

#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>

namespace mpi = tx::mpi;
using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<4>>;

namespace {
double ranks() { return static_cast<double>(mpi::world().size()); }
double total() { return ranks() * (ranks() + 1) / 2; } // of the first elements
vec mine() { return {1.0 + static_cast<double>(mpi::world().rank()), 2, 3, 4}; }
bool is_last() { return mpi::world().size() > 1 && mpi::world().rank() == mpi::world().size() - 1; }
std::string last() { return "rank " + std::to_string(mpi::world().size() - 1); }
bool goes_on() {
    auto const sum = tx::function{[](auto v) { return mpi::all_reduce(v, mpi::sum, mpi::world()); }};
    return sum(mine())(0) == total() && sum(mine())(3) == 4 * ranks();
}
} // namespace

TEST_CASE("sequences: who runs a program that sends nothing waits for nobody") {
    auto const world = mpi::world();
    auto const shared = tx::function{[](auto v) { return mpi::replicated(v * 2.0, mpi::world()) + 1.0; }};
    if (world.rank() == 0) CHECK(shared(mine())(3) == 9);
    CHECK(goes_on());
    if (is_last()) CHECK(shared(mine())(3) == 9);
    // Beside what is sent, it is nothing that ranks must have alike.
    auto const some = tx::function{[](auto v) {
        auto const s = mpi::all_reduce(v, mpi::max, mpi::world());
        return mpi::world().rank() == 0 ? mpi::replicated(s * 1.0, mpi::world()) : s * 1.0;
    }};
    CHECK(text_of_error([&] { CHECK(some(mine())(0) == ranks()); }).empty());
    // Its derivative adds all ranks' cotangents, and is compared.
    auto const gradient = tx::function{tx::grad(
        [](auto v) { return tx::sum(mpi::replicated(v, mpi::world()) * static_cast<double>(mpi::world().rank() + 1)); })};
    CHECK(gradient(mine())(1) == total());
    auto const other = tx::function{tx::grad([](auto v) {
        auto const s = is_last() ? mpi::all_reduce(v, mpi::sum, mpi::world()) : mpi::replicated(v, mpi::world());
        return tx::sum(s * s);
    })};
    std::string const text = text_of_error([&] { other(tensor<double, shape<2>>{1, 2}); });
    if (world.size() == 1) CHECK(text == "");
    else CHECK(text.ends_with("part at number 2: rank 0 makes no more, " + last() + " makes all_reduce(sum, float64 (2,))"));
    CHECK(goes_on());
}

TEST_CASE("sequences: branches and loops that are other communicators' are nothing to the world") {
    auto const world = mpi::world();
    std::int64_t const color = world.rank() % 2;
    auto const part = world.split(static_cast<int>(color));
    auto const again = part.duplicate();
    double const of_part = static_cast<double>(part.size());
    // Ranks of one part loop over the collectives of their own part and of its duplicate, the others have none or branch.
    auto const f = tx::function{[=](auto v) {
        auto const all = mpi::all_reduce(v, mpi::max, world);
        auto const inner = [&] {
            if (color == 0)
                return tx::fori_loop(
                    0, 3, [=](auto, auto s) { return mpi::all_reduce(s, mpi::mean, part) + mpi::broadcast(s * 0.0, 0, again); },
                    all);
            return tx::cond(
                tx::sum(all) > 0.0, [=] { return mpi::all_reduce(all, mpi::mean, part) * 1.0; }, [=] { return all * 0.0; });
        }();
        return inner + mpi::all_reduce(v, mpi::sum, world);
    }};
    std::string const text = text_of_error([&] {
        vec const y = f(mine());
        CHECK(y(0) == doctest::Approx(ranks() + total()));
        CHECK(y(3) == doctest::Approx(4 + 4 * ranks()));
    });
    CHECK(text == "");
    CHECK(mpi::all_reduce(mine(), mpi::sum, part)(3) == 4 * of_part);
    CHECK(goes_on());
}

TEST_CASE("sequences: a region with collectives of two communicators is told to both, each its own") {
    auto const world = mpi::world();
    auto const twin = world.duplicate();
    // In the loop's body the last rank differs on the duplicate only.
    auto const f = tx::function{[=](auto v) {
        return tx::fori_loop(
            0, 2,
            [=](auto, auto s) {
                auto const t = mpi::all_reduce(s, mpi::max, world);
                return is_last() ? mpi::broadcast(t, 0, twin) : mpi::all_reduce(t, mpi::min, twin);
            },
            v);
    }};
    std::string const text = text_of_error([&] { f(mine()); });
    if (world.size() == 1) CHECK(text == "");
    else
        CHECK(text.ends_with("part at number 3: rank 0 makes all_reduce(min, float64 (4,)), " + last() +
                             " makes broadcast(float64 (4,), root 0)"));
    CHECK(goes_on());
    CHECK(mpi::all_reduce(mine(), mpi::sum, twin)(0) == total());
}

TEST_CASE("sequences: a loop of the world's within a branch that has other communicators', too") {
    auto const world = mpi::world();
    auto const part = world.split(static_cast<int>(world.rank() % 2));
    auto const f = tx::function{[=](auto v) {
        return tx::cond(
            mpi::all_reduce(tx::sum(v), mpi::sum, world) > 0.0,
            [=] {
                auto const own = world.rank() % 2 == 0 ? mpi::all_reduce(v, mpi::mean, part) * 0.0 : v * 0.0;
                return tx::fori_loop(0, 2, [=](auto, auto s) { return mpi::all_reduce(s, mpi::max, world); }, v + own);
            },
            [=] { return v * 1.0; });
    }};
    CHECK(f(mine())(0) == ranks());
    CHECK(goes_on());
}
