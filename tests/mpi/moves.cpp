// This file tests collectives that move elements unchanged: every dtype and kind, every root, incomplete pairs, exchanges with
// nobody, in one message and in blocks.
#include "collectives.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collectives;

namespace {
constexpr std::int64_t rows[]{0, 1, 7, 37};

template <class T> void check_form(collective_form const& form) {
    for (std::int64_t const row : rows) {
        CAPTURE(tx::name(form.what));
        CAPTURE(tx::name(tx::dtype_of<T>));
        CAPTURE(row);
        CHECK(gives_expected<T>(tx::mpi::world(), form, row));
    }
}
template <class T> void check_pairs(std::vector<std::int64_t> const& pairs) {
    collective_form form;
    form.what = collective_kind::permute;
    form.pairs = pairs;
    check_form<T>(form);
}
template <class T> void check_kinds() {
    std::int64_t const size = tx::mpi::world().size(), rank = tx::mpi::world().rank();
    collective_form form;
    for (collective_kind const what : {collective_kind::all_gather, collective_kind::all_to_all}) {
        form.what = what;
        check_form<T>(form);
    }
    for (collective_kind const what : {collective_kind::broadcast, collective_kind::gather, collective_kind::scatter}) {
        form.what = what;
        for (form.root = 0; form.root < size; ++form.root) check_form<T>(form);
    }
    std::vector<std::int64_t> ring, turned, first_alone{0, 0}, to_last{0, size - 1};
    for (std::int64_t r = 0; r < size; ++r) {
        ring.insert(ring.end(), {r, (r + 1) % size});
        turned.insert(turned.end(), {r, size - 1 - r});
    }
    for (auto const& pairs : {ring, turned, first_alone, to_last, std::vector<std::int64_t>{}}) check_pairs<T>(pairs);

    form.what = collective_kind::exchange;
    form.to = rank + 1 < size ? rank + 1 : -1, form.from = rank - 1; // along a line
    check_form<T>(form);
    form.to = rank, form.from = rank;
    check_form<T>(form);
    form.to = form.from = -1;
    check_form<T>(form);
    form.to = form.from = rank ^ 1; // neighbours, the last of an odd number alone
    if (form.to >= size) form.to = form.from = -2;
    check_form<T>(form);
}
} // namespace

TEST_CASE_TEMPLATE("mpi: moves of every dtype", T, ALL_DTYPES) { check_kinds<T>(); }

TEST_CASE_TEMPLATE("mpi: moves in blocks", T, ALL_DTYPES) {
    short_messages const most(8);
    check_kinds<T>();
}

TEST_CASE("mpi: a scatter reads the root's operand only") {
    tx::mpi::communicator const world = tx::mpi::world();
    collective_form form;
    form.what = collective_kind::scatter, form.root = world.size() - 1;
    bool const is_root = world.rank() == form.root;
    auto const operand = is_root ? operand_of<float>(form.root, 3 * world.size()) : elements<float>(0);
    CHECK(same_bits(run(world, form, operand, 3), expected<float>(form, world.rank(), world.size(), 3)));
}

TEST_CASE("mpi: a barrier") {
    collective_form form;
    form.what = collective_kind::barrier;
    for (int k = 0; k < 10; ++k) CHECK(run(tx::mpi::world(), form, elements<float>(0), 0).size() == 0);
}
