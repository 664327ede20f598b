// This file tests checked mode: calls that differ, or that a rank doesn't make, throw on all ranks that take part, and the
// program goes on.
#include "checking.hpp"
#include "collectives.hpp"
#include "errors.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>

using namespace collectives;
using tx::mpi::communicator;
using tx::mpi::world;

namespace {
collective_form form_of(collective_kind what) {
    collective_form form;
    form.what = what;
    return form;
}
template <class T> std::string text_of_call(collective_form const& form, std::int64_t count) {
    return text_of_error([&] { run(world(), form, elements<T>(count), count); });
}
bool is_last() { return world().rank() == world().size() - 1; }
std::string others() { return world().size() == 2 ? "rank 0" : world().size() == 3 ? "ranks 0 and 1" : "ranks 0, 1 and 2"; }
std::string last() { return "rank " + std::to_string(world().size() - 1); }
// "rank 2 calls A, ranks 0 and 1 B": of two groups of one rank, rank 0 comes first.
std::string parted(std::string const& of_last, std::string const& of_others) {
    std::string const rule = "tx: mpi: all ranks must make the same calls in the same order; ";
    if (world().size() == 2) return rule + others() + " calls " + of_others + ", " + last() + " " + of_last;
    return rule + last() + " calls " + of_last + ", " + others() + " " + of_others;
}
// Do all ranks find the rank that differs, and agree afterwards?
bool is_found(std::string const& text, std::string const& of_last, std::string const& of_others) {
    bool const fits = text == (world().size() == 1 ? "" : parted(of_last, of_others));
    if (!fits) MESSAGE(text);
    return fits && gives_expected<float>(world(), form_of(collective_kind::all_reduce), 3);
}
} // namespace

TEST_CASE("checked: calls that fit go through") {
    checking const mode(20);
    std::int64_t const size = world().size(), rank = world().rank();
    for (collective_kind const what :
         {collective_kind::all_reduce, collective_kind::reduce, collective_kind::broadcast, collective_kind::all_gather,
          collective_kind::gather, collective_kind::reduce_scatter, collective_kind::all_to_all, collective_kind::scan,
          collective_kind::exclusive_scan, collective_kind::permute, collective_kind::exchange})
        CHECK(gives_expected<float>(world(), form_of(what), 3));
    collective_form scatter = form_of(collective_kind::scatter);
    auto const operand = rank == 0 ? operand_of<float>(0, 3 * size) : elements<float>(rank);
    CHECK(same_bits(run(world(), scatter, operand, 3), expected<float>(scatter, rank, size, 3)));
    collective_form along = form_of(collective_kind::exchange);
    along.to = rank + 1 < size ? rank + 1 : -1, along.from = rank - 1;
    CHECK(gives_expected<float>(world(), along, 3));
    communicator const part = world().split(static_cast<int>(rank % 2));
    CHECK(gives_expected<float>(part.duplicate(), form_of(collective_kind::all_reduce), 3));
    elements<float> sum = operand_of<float>(rank, 3);
    auto const& transport = world().transport();
    transport.finish(transport, transport.begin_all_reduce(transport, tx::dtype::float32, rank_reduction::sum, sum.data(), 3));
    CHECK(same_bits(sum, expected<float>(form_of(collective_kind::all_reduce), rank, size, 3)));
}

TEST_CASE("checked: another op") {
    checking const mode(20);
    auto const form = form_of(is_last() ? collective_kind::broadcast : collective_kind::all_reduce);
    CHECK(is_found(text_of_call<float>(form, 4), "tx::mpi::broadcast(float32 (4,), root 0)",
                   "tx::mpi::all_reduce(sum, float32 (4,))"));
}

TEST_CASE("checked: another dtype, shape, reduction, root or direction") {
    checking const mode(20);
    auto form = form_of(collective_kind::all_reduce);
    std::string const usual = "tx::mpi::all_reduce(sum, float32 (4,))";
    CHECK(is_found(is_last() ? text_of_call<double>(form, 4) : text_of_call<float>(form, 4),
                   "tx::mpi::all_reduce(sum, float64 (4,))", usual));
    CHECK(is_found(text_of_call<float>(form, is_last() ? 5 : 4), "tx::mpi::all_reduce(sum, float32 (5,))", usual));
    form.by = is_last() ? rank_reduction::max : rank_reduction::sum;
    CHECK(is_found(text_of_call<float>(form, 4), "tx::mpi::all_reduce(max, float32 (4,))", usual));
    form = form_of(collective_kind::reduce);
    form.root = is_last() ? world().size() - 1 : 0;
    CHECK(is_found(text_of_call<float>(form, 4), "tx::mpi::reduce(sum, float32 (4,), " + ("root " + last().substr(5)) + ")",
                   "tx::mpi::reduce(sum, float32 (4,), root 0)"));
    form = form_of(collective_kind::scan);
    form.reversed = is_last();
    CHECK(
        is_found(text_of_call<float>(form, 4), "tx::mpi::scan(sum, reversed, float32 (4,))", "tx::mpi::scan(sum, float32 (4,))"));
}

TEST_CASE("checked: a communicator is made by some ranks only") {
    checking const mode(20);
    std::string const text =
        is_last() ? text_of_error([] { world().duplicate(); }) : text_of_call<float>(form_of(collective_kind::barrier), 0);
    if (world().size() > 1) CHECK(is_found(text, "tx::mpi::communicator::duplicate()", "tx::mpi::barrier()"));
}

TEST_CASE("checked: an exchange with a rank that has another partner") {
    if (world().size() == 1) return;
    checking const mode(20);
    auto form = form_of(collective_kind::exchange);
    form.to = is_last() ? 0 : -1; // of whom rank 0 knows nothing
    std::string const text = text_of_call<float>(form, 2);
    CHECK(text == "tx: mpi::exchange: a rank must receive from whom sends to it; " + last() +
                      " sends to 0 and receives from -1, who say otherwise (negative: nobody)");
}

TEST_CASE("checked: a rank that doesn't come is named, and its call is taken when it does") {
    if (world().size() == 1) return;
    checking const mode(0.5);
    auto const form = form_of(collective_kind::all_reduce);
    if (!is_last()) {
        std::string const waits = world().size() == 2 ? " waits in " : " wait in ";
        CHECK(text_of_call<float>(form, 4) == "tx: mpi: all ranks must make the same calls; " + last() +
                                                  " has not arrived after 0.5 s; " + others() + waits +
                                                  "tx::mpi::all_reduce(sum, float32 (4,))");
    }
    tx::mpi::checked(false);
    CHECK(gives_expected<float>(world(), form, 3)); // of all ranks, which meet here
    tx::mpi::checked(true, 20);
    if (is_last()) { // the others have said what they called; this rank says the same, and none of them takes part
        elements<float> const operand = operand_of<float>(world().rank(), 3);
        tx::mpi::detail::check_call(tx::mpi::detail::world_state, [&] {
            tx::mpi::detail::call_record record;
            record.function = tx::mpi::detail::call_of(collective_kind::all_reduce);
            record.by = rank_reduction::sum, record.type = tx::dtype::float32;
            record.rank = 1, record.extents[0] = 4;
            record.pairs = tx::mpi::detail::hash_of({});
            return record;
        }());
    }
    CHECK(gives_expected<float>(world(), form, 3));
}
