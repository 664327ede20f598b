// This file tests exchanges, and other collectives that name ranks, where something doesn't fit: messages that are too short,
// ranks that don't exist, pairs that differ. What was sent and not received must not reach later messages.
#include "checking.hpp"
#include "collectives.hpp"
#include "errors.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace collectives;
using tx::mpi::communicator;
using tx::mpi::world;

namespace {
collective_form exchange_form(std::int64_t to, std::int64_t from) {
    collective_form form;
    form.what = collective_kind::exchange, form.to = to, form.from = from;
    return form;
}
std::string range() { return "must be a rank, 0 to " + std::to_string(world().size() - 1); }
// Does what follows find its own messages?
template <class T> bool goes_on() {
    collective_form sum;
    sum.what = collective_kind::all_reduce, sum.by = reductions_of<T>()[0];
    std::int64_t const size = world().size(), rank = world().rank();
    collective_form const ring = exchange_form((rank + 1) % size, (rank + size - 1) % size);
    return gives_expected<T>(world(), ring, 5) && gives_expected<T>(world(), ring, 2) && gives_expected<T>(world(), sum, 3);
}
// From rank 0 to the last one, who takes `wanted` elements, of which `sent` are there.
template <class T> std::string text_of_message(std::int64_t sent, std::int64_t wanted, bool is_begun) {
    std::int64_t const rank = world().rank(), last = world().size() - 1;
    std::int64_t const count = rank == last ? wanted : sent;
    elements<T> const operand = operand_of<T>(rank, count);
    elements<T> result(count);
    collective_call call{
        exchange_form(rank == 0 ? last : -1, rank == last ? 0 : -1), tx::dtype_of<T>, operand.data(), {}, result.data(), {}};
    call.extents.push_back(count), call.result_extents.push_back(count);
    auto const& transport = world().transport();
    return text_of_error([&] {
        if (!is_begun) return transport.run(transport, call);
        std::uint64_t const request = transport.begin_exchange(transport, call);
        for (int k = 0; k < 100; ++k) transport.progress(transport);
        transport.finish(transport, request);
    });
}
// Ranks 0 and 1, 2 and 3, and of an odd number the last one alone.
std::int64_t neighbour() {
    std::int64_t const other = world().rank() ^ 1;
    return other < world().size() ? other : -1;
}
} // namespace

TEST_CASE_TEMPLATE("exchange: a message of too few or too many elements is refused by who receives it", T, ALL_DTYPES) {
    if (world().size() == 1) return;
    bool const is_last = world().rank() == world().size() - 1;
    for (std::int64_t const most : {3, 1000}) { // in blocks, and in one piece
        short_messages const messages(most);
        for (std::int64_t const sent : {0, 3, 6, 1000}) {
            for (bool const is_begun : {false, true}) {
                std::string const text = text_of_message<T>(sent, 7, is_begun);
                std::string const wrong = sent > 7 ? "more" : "fewer";
                CHECK(text == (is_last ? "tx: mpi::exchange: rank 0 sent a tensor of " + wrong +
                                             " elements than this rank's, whose shape is (7,)"
                                       : ""));
                CHECK(text_of_message<T>(7, 7, is_begun).empty());
                CHECK(text_of_message<T>(0, 0, is_begun).empty());
            }
        }
        CHECK(goes_on<T>());
    }
}

TEST_CASE("permute: a message of too few elements is refused by who receives it") {
    if (world().size() == 1) return;
    std::int64_t const last = world().size() - 1;
    bool const is_last = world().rank() == last;
    std::int64_t const pair[]{0, last}, count = is_last ? 5 : 4;
    collective_form form;
    form.what = collective_kind::permute, form.pairs = pair;
    std::string const text = text_of_error([&] { run(world(), form, operand_of<double>(0, count), count); });
    CHECK(text ==
          (is_last ? "tx: mpi::permute: rank 0 sent a tensor of fewer elements than this rank's, whose shape is (5,)" : ""));
    CHECK(goes_on<double>());
}

TEST_CASE("communicator::from: none is refused") {
    CHECK(text_of_error([] { communicator::from(MPI_COMM_NULL); }) ==
          "tx: mpi::communicator::from: needs a communicator that this rank is in; given MPI_COMM_NULL");
}

TEST_CASE("exchange: ranks that there are not are refused before anything is sent or taken") {
    std::int64_t const size = world().size(), rank = world().rank();
    bool const is_last = rank == size - 1;
    for (std::int64_t const beyond : {size, size + 7, std::int64_t{1} << 40}) {
        std::string const given = range() + ", or negative for nobody; given " + std::to_string(beyond);
        auto const text_of = [&](std::int64_t to, std::int64_t from) {
            elements<float> result(3);
            collective_call call;
            call.form = exchange_form(to, from), call.type = tx::dtype::float32;
            elements<float> const operand = operand_of<float>(rank, 3);
            call.operand = operand.data(), call.result = result.data();
            call.extents.push_back(3), call.result_extents.push_back(3);
            std::string text = text_of_error([&] { world().transport().run(world().transport(), call); });
            CHECK(goes_on<float>());                      // which a receive that stays would take from
            CHECK(same_bits(result, elements<float>(3))); // nothing was written to it later
            return text;
        };
        CHECK(text_of(is_last ? beyond : -1, -1) == (is_last ? "tx: mpi::exchange: to " + given : ""));
        CHECK(text_of(-1, is_last ? beyond : -1) == (is_last ? "tx: mpi::exchange: from " + given : ""));
        CHECK(text_of(beyond, (rank + 1) % size) == "tx: mpi::exchange: to " + given); // with somebody to receive from
    }
}

TEST_CASE("collectives: roots and pairs that there are not are refused on all ranks") {
    std::int64_t const size = world().size(), rank = world().rank();
    for (std::int64_t const wrong : {size, size + 3, std::int64_t{-1}}) {
        std::string const given = " " + range() + "; given " + std::to_string(wrong);
        collective_form form;
        for (collective_kind const what :
             {collective_kind::reduce, collective_kind::broadcast, collective_kind::gather, collective_kind::scatter}) {
            form.what = what, form.root = wrong;
            std::string const text = text_of_error([&] { run(world(), form, operand_of<float>(rank, 4 * size), 4 * size); });
            CHECK(text == "tx: mpi::" + std::string(tx::name(what)) + ": the root" + given);
        }
        form = collective_form();
        form.what = collective_kind::permute;
        std::int64_t const to_nobody[]{0, 0, size - 1, wrong}, of_nobody[]{wrong, 0};
        auto const text_of_pairs = [&] { return text_of_error([&] { run(world(), form, operand_of<float>(rank, 4), 4); }); };
        form.pairs = to_nobody;
        CHECK(text_of_pairs() == "tx: mpi::permute: the rank that receives" + given);
        form.pairs = of_nobody;
        CHECK(text_of_pairs() == "tx: mpi::permute: the rank that sends" + given);
        CHECK(goes_on<float>());
    }
}

TEST_CASE("collectives: what a user names is refused with the function's name") {
    int const size = static_cast<int>(world().size());
    std::vector<std::pair<int, int>> const pairs{{0, size}}, negative{{-2, 0}};
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    std::string const beyond = range() + "; given " + std::to_string(size);
    CHECK(text_of_error([&] { tx::mpi::broadcast(x, size, world()); }) == "tx: mpi: broadcast: the root " + beyond);
    CHECK(text_of_error([&] { tx::mpi::reduce(x, tx::mpi::sum, -1, world()); }) ==
          "tx: mpi: reduce: the root " + range() + "; given -1");
    CHECK(text_of_error([&] { tx::mpi::permute(x, pairs, world()); }) == "tx: mpi: permute: the rank that receives " + beyond);
    CHECK(text_of_error([&] { tx::mpi::permute(x, negative, world()); }) ==
          "tx: mpi: permute: the rank that sends " + range() + "; given -2");
    CHECK(text_of_error([&] { tx::mpi::exchange(x, size, -1, world()); }) ==
          "tx: mpi::exchange: to " + range() + ", or negative for nobody; given " + std::to_string(size));
}

TEST_CASE("checked: pairs of ranks exchange tensors of different shapes, and some ranks nothing") {
    checking const mode;
    std::int64_t const rank = world().rank(), other = neighbour();
    // (3,) between 0 and 1, (5,) between 2 and 3, (9,) on a rank that is alone.
    CHECK(gives_expected<float>(world(), exchange_form(other, other), other < 0 ? 9 : rank < 2 ? 3 : 5));
    // One way only, which ranks in the middle of a row of three or four take no part in.
    std::int64_t const last = world().size() - 1;
    bool const is_between = rank > 0 && rank < last;
    collective_form const along = exchange_form(rank == 0 && last > 0 ? last : -1, rank == last && last > 0 ? 0 : -1);
    CHECK(gives_expected<float>(world(), along, is_between ? 4 + rank : 6));
    CHECK(goes_on<float>());
}

TEST_CASE("checked: a pair of ranks whose tensors differ is named on all ranks") {
    if (world().size() == 1) return;
    checking const mode;
    std::int64_t const rank = world().rank(), size = world().size(), other = neighbour();
    // The last pair differs: of two and three ranks 0 and 1, of four 2 and 3.
    std::int64_t const first = size == 4 ? 2 : 0, count = other < 0 ? 9 : rank == first ? 4 : rank < 2 ? 3 : 5;
    std::string const text =
        text_of_error([&] { run(world(), exchange_form(other, other), operand_of<float>(rank, count), count); });
    std::string const a = std::to_string(first), b = std::to_string(first + 1), theirs = size == 4 ? "5" : "3";
    CHECK(text == "tx: mpi::exchange: two ranks that exchange must have tensors of one shape; rank " + a +
                      " calls tx::mpi::exchange(float32 (4,)), rank " + b + " calls tx::mpi::exchange(float32 (" + theirs +
                      ",))");
    CHECK(goes_on<float>());
}

TEST_CASE("checked: who sends to a rank that expects nothing is named, whatever the shapes") {
    if (world().size() == 1) return;
    checking const mode;
    std::int64_t const rank = world().rank(), last = world().size() - 1;
    collective_form const form = exchange_form(rank == last ? 0 : -1, -1);
    std::string const text = text_of_error([&] { run(world(), form, operand_of<float>(rank, 2 + rank), 2 + rank); });
    CHECK(text == "tx: mpi::exchange: a rank must receive from whom sends to it; rank " + std::to_string(last) +
                      " sends to 0 and receives from -1, who say otherwise (negative: nobody)");
    collective_form const receiving = exchange_form(-1, rank == last ? 0 : -1);
    CHECK(text_of_error([&] { run(world(), receiving, operand_of<float>(rank, 2 + rank), 2 + rank); }) ==
          "tx: mpi::exchange: a rank must receive from whom sends to it; rank " + std::to_string(last) +
              " sends to -1 and receives from 0, who say otherwise (negative: nobody)");
    std::int64_t const beyond = last + 1;
    CHECK(text_of_error([&] { run(world(), exchange_form(rank == last ? beyond : -1, -1), operand_of<float>(rank, 2), 2); }) ==
          "tx: mpi::exchange: to and from must be ranks, 0 to " + std::to_string(last) + ", or negative for nobody; rank " +
              std::to_string(last) + " gives " + std::to_string(beyond) + " and -1");
    CHECK(goes_on<float>());
}
