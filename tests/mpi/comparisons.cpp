// This file tests the comparison of the sequences of collectives that programs make, as a transport does it: differences, ranks
// that come late or not at all in checked mode, and that messages of an abandoned comparison do not reach a later one.
#include "checking.hpp"
#include "collectives.hpp"
#include "errors.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace collectives;
using tx::mpi::communicator;
using tx::mpi::world;

namespace {
bool is_last() { return world().rank() == world().size() - 1; }
std::string last() { return "rank " + std::to_string(world().size() - 1); }
std::string others() { return world().size() == 2 ? "rank 0" : world().size() == 3 ? "ranks 0 and 1" : "ranks 0, 1 and 2"; }

// The sequence of so many barriers.
std::vector<std::int64_t> barriers(int count) {
    std::vector<std::int64_t> out;
    for (int k = 0; k < count; ++k)
        out.insert(out.end(), {tx::detail::sequence_code::collective, static_cast<std::int64_t>(collective_kind::barrier), 0, 0,
                               0, 0, -1, 0});
    return out;
}
// What the comparison of a program of so many barriers throws, whose hash is that number.
std::string text_of_comparison(int count, communicator const& ranks = world()) {
    auto const& transport = ranks.transport();
    return text_of_error([&] { transport.compare(transport, static_cast<std::uint64_t>(count), barriers(count)); });
}
bool goes_on() {
    collective_form form;
    form.what = collective_kind::all_reduce;
    return gives_expected<float>(world(), form, 3);
}
std::string difference(int of_first, int of_last) {
    int const fewer = of_first < of_last ? of_first : of_last;
    std::string const more = " makes barrier()", none = " makes no more";
    return "tx: mpi: all ranks must run programs with the same collectives in the same order; the sequences of collectives part "
           "at "
           "number " +
           std::to_string(fewer + 1) + ": rank 0" + (of_first > fewer ? more : none) + ", " + last() +
           (of_last > fewer ? more : none);
}
} // namespace

TEST_CASE("comparison: programs that are alike are compared once, others each time") {
    bool const has_others = world().size() > 1;
    for (int repeat = 0; repeat < 3; ++repeat) {
        CHECK(text_of_comparison(101).empty());
        if (world().rank() == 0) CHECK(text_of_comparison(101).empty()); // alone
        CHECK(text_of_comparison(is_last() ? 103 : 102) == (has_others ? difference(102, 103) : ""));
        CHECK(text_of_comparison(is_last() ? 104 : 105) == (has_others ? difference(105, 104) : ""));
        CHECK(goes_on());
    }
    for (int const count : {9, 3, 7, 1, 5, 9, 1, 3}) CHECK(text_of_comparison(count).empty());
    communicator const part = world().split(static_cast<int>(world().rank() % 2));
    CHECK(text_of_comparison(201 + static_cast<int>(world().rank() % 2), part).empty());
    CHECK(goes_on());
}

TEST_CASE("comparison: in checked mode") {
    checking const mode(20);
    bool const has_others = world().size() > 1;
    CHECK(text_of_comparison(301).empty());
    CHECK(text_of_comparison(is_last() ? 303 : 302) == (has_others ? difference(302, 303) : ""));
    CHECK(goes_on());
    if (!has_others) return;
    // One rank runs what is known, others a program that is new to them.
    std::string const text = is_last() ? text_of_error([] { goes_on(); }) : text_of_comparison(304);
    std::string const rule = "tx: mpi: all ranks must make the same calls in the same order; ";
    std::string const known = "tx::mpi::all_reduce(sum, float32 (3,))", unknown = "a program that is new";
    CHECK(text == (world().size() == 2 ? rule + others() + " calls " + unknown + ", " + last() + " " + known
                                       : rule + last() + " calls " + known + ", " + others() + " " + unknown));
    CHECK(text_of_comparison(304).empty());
    CHECK(goes_on());
}

TEST_CASE("comparison: a rank that comes when the others have given up") {
    if (world().size() == 1) return;
    checking const mode(0.5);
    for (int const program : {401, 402}) {
        std::string const waits = world().size() == 2 ? " waits in " : " wait in ";
        if (!is_last())
            CHECK(text_of_comparison(program) == "tx: mpi: all ranks must make the same calls; " + last() +
                                                     " has not arrived after 0.5 s; " + others() + waits +
                                                     "a program that is new");
        tx::mpi::checked(false);
        CHECK(goes_on()); // of all ranks, which meet here
        tx::mpi::checked(true, 0.5);
        if (is_last())
            CHECK(text_of_comparison(program).starts_with("tx: mpi: " + last() + " waits for other ranks to compare "));
        tx::mpi::checked(program == 402, 20); // what follows is compared in either mode
        CHECK(goes_on());
        CHECK(text_of_comparison(program + 10).empty());
        CHECK(text_of_comparison(is_last() ? program + 21 : program + 20) == difference(program + 20, program + 21));
        CHECK(text_of_comparison(program).empty()); // which no rank takes for one that is compared
        CHECK(goes_on());
        tx::mpi::checked(true, 0.5);
    }
}
