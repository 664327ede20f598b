// This file tests communicators: their ranks, their copies, their lifetime, and that a program may make and drop any number of
// them.
#include "collectives.hpp"
#include "errors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace collectives;
using tx::mpi::communicator;
using tx::mpi::world;

namespace {
bool works(communicator const& ranks) {
    collective_form form;
    form.what = collective_kind::all_reduce, form.by = rank_reduction::sum;
    return gives_expected<float>(ranks, form, 5);
}
std::size_t known_communicators() { return tx::mpi::detail::session_of_program->communicators.size(); }
std::optional<communicator> outlives_session;
} // namespace

TEST_CASE("communicator: the world is a constant") {
    constexpr communicator all = world();
    constexpr communicator copy = all;
    static_assert(copy == world());
    static_assert(!(communicator() == world()) && communicator().is_empty());
    static_assert(&world().transport() == &tx::mpi::detail::world_state);
    CHECK(copy.transport().handle == reinterpret_cast<std::uintptr_t>(&copy.transport()));
    CHECK(copy.size() == copy.transport().size);
    CHECK(works(copy));
}

TEST_CASE("communicator: split by color and key") {
    std::int64_t const rank = world().rank(), size = world().size();
    communicator const parity = world().split(static_cast<int>(rank % 2));
    CHECK(parity.size() == (size + 1 - rank % 2) / 2);
    CHECK(parity.rank() == rank / 2);
    CHECK(works(parity));
    communicator const turned = world().split(0, static_cast<int>(-rank));
    CHECK(turned.rank() == size - 1 - rank);
    CHECK(works(turned));
    CHECK(works(turned.split(static_cast<int>(turned.rank() % 2))));
    CHECK_FALSE(turned == world());
}

TEST_CASE("communicator: a negative color leaves a rank out") {
    bool const is_left_out = world().rank() == world().size() - 1;
    communicator const others = world().split(is_left_out ? -1 : 0);
    CHECK(others.is_empty() == is_left_out);
    if (!is_left_out) {
        CHECK(others.size() == world().size() - 1);
        CHECK(works(others));
        return;
    }
    std::string const text =
        "tx: mpi::communicator: this one has no ranks; split gives it to those with a negative color, who must not use it";
    CHECK(text_of_error([&] { others.rank(); }) == text);
    CHECK(text_of_error([&] { others.transport(); }) == text);
    CHECK(text_of_error([&] { others.duplicate(); }) == text);
    CHECK(text_of_error([&] { communicator().size(); }) == text);
}

TEST_CASE("communicator: copies are the same one, and keep it") {
    communicator kept;
    {
        communicator const made = world().duplicate();
        kept = made;
        CHECK(kept == made);
        communicator moved = std::move(kept);
        CHECK(kept.is_empty());
        kept = moved;
    }
    CHECK_FALSE(kept == world());
    CHECK(works(kept));
    communicator const& same = kept;
    kept = same;
    CHECK(works(kept));
}

TEST_CASE("communicator: of an MPI_Comm of the program's") {
    MPI_Comm theirs{};
    MPI_Comm_split(MPI_COMM_WORLD, 0, static_cast<int>(-world().rank()), &theirs);
    communicator const ours = communicator::from(theirs);
    MPI_Comm_free(&theirs);
    CHECK(ours.rank() == world().size() - 1 - world().rank());
    CHECK(works(ours));
    int size = 0;
    MPI_Comm_size(ours.native(), &size);
    CHECK(size == world().size());
}

// MPICH has 2,046 at a time. Where ranks wait for processors each takes some 10 ms.
TEST_CASE("communicator: ten thousand, one after the other") {
    bool const have_processors = world().size() <= static_cast<std::int64_t>(std::thread::hardware_concurrency());
    int const count = have_processors ? 10000 : 300;
    std::size_t most = 0;
    bool fits = true;
    for (int k = 0; k < count; ++k) {
        communicator const made = k % 2 ? world().duplicate() : world().split(k % 3, k);
        communicator const copy = made;
        fits = fits && copy.size() == world().size();
        most = std::max(most, known_communicators());
    }
    CHECK(fits);
    CHECK(most < 500);
}

TEST_CASE("communicator: ranks drop theirs at different times") {
    std::vector<communicator> kept;
    for (int k = 0; k < 40; ++k) {
        kept.push_back(world().duplicate());
        if (k % world().size() == world().rank()) kept.clear();
    }
    kept.clear();
    for (int k = 0; k < 20; ++k) CHECK(works(world().duplicate()));
    CHECK(known_communicators() < 60);
}

TEST_CASE("communicator: a scan from the last rank on makes one that goes with it") {
    collective_form form;
    form.what = collective_kind::scan, form.reversed = true;
    for (int k = 0; k < 20; ++k) {
        communicator const made = world().duplicate();
        CHECK(gives_expected<int>(made, form, 3));
        CHECK(gives_expected<int>(made, form, 4));
    }
}

TEST_CASE("communicator: threads that have one each") {
    int threads = 0;
    MPI_Query_thread(&threads);
    if (threads != MPI_THREAD_MULTIPLE) return;
    communicator const first = world().duplicate(), second = world().duplicate();
    bool fits[2]{true, true};
    auto const use = [](communicator const& ranks, bool& all_fit) {
        for (int k = 0; k < 50; ++k) all_fit = works(ranks) && all_fit;
    };
    std::thread other([&] { use(second, fits[1]); });
    use(first, fits[0]);
    other.join();
    CHECK(fits[0]);
    CHECK(fits[1]);
}

TEST_CASE("communicator: one that the program keeps beyond the session") { outlives_session = world().split(0); }

TEST_CASE("session: there is one at a time") {
    CHECK(text_of_error([] { tx::mpi::session second; }) ==
          "tx: mpi::session: needs to be the only one at a time; there is one already");
}

TEST_CASE("session: errors of MPI are thrown") {
    collective_call call;
    call.form.what = collective_kind::broadcast, call.type = tx::dtype::float32;
    call.extents.push_back(-1); // which MPI refuses
    std::string const text = text_of_error([&] { world().transport().run(world().transport(), call); });
    CHECK(text.starts_with("tx: mpi::broadcast: rank " + std::to_string(world().rank()) + ": "));
    CHECK(text.size() > 35);
    CHECK(works(world()));
}
