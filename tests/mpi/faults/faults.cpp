// These programs go wrong on rank 1, or only look as if they did, as their first argument says; faults.sh runs them.
#include "../collectives.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

using namespace collectives;
using tx::mpi::communicator;
using tx::mpi::world;

namespace {
void reduce(communicator const& ranks = world()) {
    collective_form form;
    form.what = collective_kind::all_reduce;
    if (!gives_expected<float>(ranks, form, 8)) throw std::runtime_error("wrong sum");
}
// The comparison of a program's sequence, here of none, whose hash is that number.
void compare(std::uint64_t hash) { world().transport().compare(world().transport(), hash, {}); }
void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Rank 1's fault, before a collective that the others wait in.
void go_wrong(std::string_view fault) {
    if (fault == "throws") throw std::runtime_error("something is wrong");
    if (fault == "throws_number") throw 7;
    if (fault == "throws_in_thread") std::thread([] { throw tx::error("a thread went wrong"); }).join();
    if (fault == "terminates") std::terminate();
    if (fault == "exits") std::exit(0);
    if (fault == "exits_at_once") _exit(3);
    if (fault == "killed") raise(SIGKILL);
    if (fault == "aborts") std::abort();
    if (fault == "slow") sleep_for(2);
    if (fault == "signal_in_collective")
        std::thread([] {
            sleep_for(0.5);
            kill(getpid(), SIGTERM);
        }).detach();
    if (fault == "catches") {
        try {
            throw tx::error("this one is caught");
        } catch (tx::error const&) {}
    }
}

int run_in_session(int argc, char** argv, std::string_view fault) {
    tx::mpi::session session(argc, argv);
    bool const is_wrong = world().rank() == 1;
    reduce();
    communicator const part = world().split(world().rank() < 2 ? 0 : -1);
    if (fault.starts_with("checked")) tx::mpi::checked(true, fault == "checked_absent" ? 1 : 20);
    bool const compares = fault.ends_with("returns_before_comparison");
    if (is_wrong && (fault == "returns" || fault == "checked_returns" || compares)) return 0;
    if (compares) compare(1);
    if (fault == "returns_in_part") {
        if (is_wrong) return 0;
        if (!part.is_empty()) reduce(part);
    }
    if (is_wrong && fault == "checked_absent") sleep_for(4);
    if (is_wrong && fault == "checked_differs") world().duplicate();
    if (fault == "checked_is_caught") {
        try {
            if (is_wrong) world().duplicate();
            reduce();
        } catch (tx::error const&) {
            return 0;
        }
    }
    if (fault == "signal_in_collective" && is_wrong) {
        go_wrong(fault);
        sleep_for(20);
    }
    if (is_wrong) go_wrong(fault);
    if (fault == "exchange_ends") { // rank 0 waits for what rank 1 doesn't send
        collective_form form;
        form.what = collective_kind::exchange, form.to = -1, form.from = world().rank() == 0 ? 1 : -1;
        static_cast<void>(run(world(), form, operand_of<float>(world().rank(), 3), 3));
        return 0;
    }
    if (fault == "root_returns") { // having done its part
        collective_form form;
        form.what = collective_kind::broadcast, form.root = 1;
        if (!is_wrong) sleep_for(1.5);
        if (!gives_expected<float>(world(), form, 8)) throw std::runtime_error("wrong broadcast");
        return 0;
    }
    reduce();
    if (is_wrong && fault == "ends_late") sleep_for(2);
    return 0;
}

template <class Call> bool throws(Call const& call, std::string_view text) {
    try {
        call();
    } catch (tx::error const& e) {
        if (e.what() == text) return true;
        std::cerr << e.what() << '\n';
    }
    return false;
}
std::string needed(std::string const& function) {
    return "tx: mpi::" + function +
           ": needs a tx::mpi::session that has begun and not ended; make one in main, before all that communicates";
}
// Sessions one after the other, of a program that begins and ends MPI itself. None knows of what was before it.
int use_again() {
    static elements<float> const unfinished = operand_of<float>(0, 8); // which MPI reads and writes as long as it likes
    MPI_Init(nullptr, nullptr);
    communicator kept;
    bool fits = true;
    for (int k = 0; k < 3; ++k) {
        tx::mpi::session session;
        auto const& all = world().transport();
        if (k > 0) fits = throws([&] { kept.rank(); }, needed("communicator::rank")) && fits;
        fits = fits && tx::mpi::detail::session_of_program->communicators.size() == 1 && !tx::mpi::detail::is_checked();
        fits = fits && tx::mpi::detail::world_state.outstanding.empty();
        for (int step = 0; step < k; ++step) reduce(); // else the ranks' numbers of calls would be alike each time
        compare(1);
        bool differs = false;
        try {
            compare(world().rank() == k ? 2 : 1000 + static_cast<std::uint64_t>(k)); // 2 is known from the session before
        } catch (tx::error const&) {
            differs = true;
        }
        fits = fits && differs;
        compare(2);
        tx::mpi::checked(true, 20);
        reduce();
        kept = world().split(0);
        reduce(kept);
        all.progress(all); // of what another session has begun there is nothing
        all.begin_all_reduce(all, tx::dtype::float32, rank_reduction::max, unfinished.data(), 8);
    }
    MPI_Finalize();
    return fits ? 0 : 1;
}
// Before, in and after a session of a program that begins and ends MPI itself, or doesn't.
int use_outside(bool own_mpi) {
    bool fits = throws([] { reduce(); }, needed("communicator::size"));
    fits = throws([] { world().rank(); }, needed("communicator::rank")) && fits;
    collective_form form;
    form.what = collective_kind::all_reduce;
    fits = throws([&] { run(world(), form, elements<float>(1), 1); }, needed("all_reduce")) && fits;
    if (own_mpi) MPI_Init(nullptr, nullptr);
    communicator kept;
    {
        tx::mpi::session session;
        kept = world().split(0);
        reduce(kept);
    }
    fits = throws([&] { kept.rank(); }, needed("communicator::rank")) && fits;
    fits = throws([&] { run(kept, form, elements<float>(1), 1); }, needed("all_reduce")) && fits;
    fits = throws([&] { run(world(), form, elements<float>(1), 1); }, needed("all_reduce")) && fits;
    if (own_mpi) {
        fits = MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS && fits;
        tx::mpi::session another;
        reduce();
    }
    if (own_mpi) MPI_Finalize();
    return throws([] { tx::mpi::session late; }, "tx: mpi::session: MPI begins once in a program; it has ended") && fits ? 0 : 1;
}
} // namespace

int main(int argc, char** argv) {
    std::string_view const fault = argc > 1 ? argv[1] : "";
    if (fault == "outside") return use_outside(false);
    if (fault == "outside_of_mpi") return use_outside(true);
    if (fault == "again") return use_again();
    if (fault != "unwinds") return run_in_session(argc, argv, fault);
    try {
        tx::mpi::session session(argc, argv);
        if (world().rank() == 1) throw std::runtime_error("something is wrong");
        reduce();
    } catch (std::exception const& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
