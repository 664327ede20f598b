// This file tests reductions over ranks: every dtype, operation and kind, whole and in pieces.
#include "collectives.hpp"

#include <doctest/doctest.h>

using namespace collectives;

namespace {
constexpr std::int64_t rows[]{0, 1, 7, 37};

template <class T> void check_kind(collective_kind what, bool reversed, std::int64_t root) {
    tx::mpi::communicator const world = tx::mpi::world();
    for (rank_reduction const by : reductions_of<T>()) {
        collective_form form;
        form.what = what, form.by = by, form.reversed = reversed, form.root = root;
        for (std::int64_t const row : rows) {
            CAPTURE(tx::name(what));
            CAPTURE(tx::name(by));
            CAPTURE(tx::name(tx::dtype_of<T>));
            CAPTURE(row);
            CHECK(gives_expected<T>(world, form, row));
        }
    }
}
template <class T> void check_kinds() {
    check_kind<T>(collective_kind::all_reduce, false, 0);
    for (std::int64_t root = 0; root < tx::mpi::world().size(); ++root) check_kind<T>(collective_kind::reduce, false, root);
    check_kind<T>(collective_kind::reduce_scatter, false, 0);
    for (bool const reversed : {false, true}) {
        check_kind<T>(collective_kind::scan, reversed, 0);
        check_kind<T>(collective_kind::exclusive_scan, reversed, 0);
    }
}
template <class T> bool begun_gives_expected(rank_reduction by, std::int64_t count) {
    tx::detail::rank_transport const& transport = tx::mpi::world().transport();
    collective_form form;
    form.by = by, form.what = collective_kind::all_reduce;
    constexpr std::int64_t begun = 3;
    elements<T> results[begun];
    std::uint64_t requests[begun];
    for (std::int64_t k = 0; k < begun; ++k) {
        results[k] = operand_of<T>(transport.rank, count + k);
        requests[k] = transport.begin_all_reduce(transport, tx::dtype_of<T>, by, results[k].data(), count + k);
        transport.progress(transport);
    }
    bool fits = true;
    for (std::int64_t const k : {1, 0, 2}) {
        transport.finish(transport, requests[k]);
        fits = fits && same_bits(results[k], expected<T>(form, transport.rank, transport.size, count + k));
    }
    return fits;
}
} // namespace

TEST_CASE_TEMPLATE("mpi: reductions of every dtype", T, ALL_DTYPES) { check_kinds<T>(); }

TEST_CASE_TEMPLATE("mpi: reductions in pieces", T, ALL_DTYPES) {
    short_messages const most(8);
    check_kinds<T>();
}

TEST_CASE_TEMPLATE("mpi: reductions that are begun and finished", T, ALL_DTYPES) {
    for (std::int64_t const most : {8, 1000}) {
        short_messages const messages(most);
        for (rank_reduction const by : reductions_of<T>())
            for (std::int64_t const row : rows) CHECK(begun_gives_expected<T>(by, row));
    }
}

TEST_CASE("mpi: reductions that a dtype doesn't have") {
    collective_form form;
    form.what = collective_kind::all_reduce;
    auto const refuses = [&](rank_reduction by, auto element, char const* text) {
        form.by = by;
        try {
            run(tx::mpi::world(), form, elements<decltype(element)>(2), 2);
        } catch (tx::type_error const& e) {
            return std::string(e.what()) == text;
        }
        return false;
    };
    CHECK(refuses(rank_reduction::max, std::complex<float>(),
                  "tx: mpi::all_reduce: max needs another dtype than complex64; cast the operand"));
    CHECK(refuses(rank_reduction::sum, false, "tx: mpi::all_reduce: sum needs another dtype than bool; cast the operand"));
    CHECK(refuses(rank_reduction::logical_and, 1.0f,
                  "tx: mpi::all_reduce: logical_and needs another dtype than float32; cast the operand"));
}
