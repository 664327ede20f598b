// This file tests communicators of NCCL, for which nccl.h of this folder stands in: each kind and dtype, what goes through MPI,
// sums that overlap other work, placed functions, and communicators that fail.
#include "../collectives.hpp"

#include <tracexpr/mpi.hpp>
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include "stand_in.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

using namespace collectives;
namespace mpi = tx::mpi;
using tx::shape;
using tx::tensor;

namespace {

constexpr tx::thrust_points points{};
tx::detail::device_memory const& memory() { return tx::detail::queue_memory::of(tx::detail::device_queue::of(0)); }
tx::nccl::communicator made(mpi::communicator const& ranks = mpi::world()) {
    stand_in::next_ranks = ranks.native();
    return tx::nccl::communicator(ranks);
}

// A communicator whose elements lie on the device: what a test takes for one of MPI's.
class on_device : tx::detail::rank_transport {
public:
    explicit on_device(tx::nccl::communicator const& ranks) : rank_transport(ranks.transport()), ranks_{ranks} {
        run = [](rank_transport const& self, collective_call const& call) {
            auto const& mine = static_cast<on_device const&>(self);
            mine.was_on_device_ = tx::detail::takes_part_on_device(mine.ranks_.transport(), call, memory());
            if (!mine.was_on_device_) mine.ranks_.transport().run(mine.ranks_.transport(), call);
        };
    }
    rank_transport const& transport() const { return *this; }
    std::int64_t rank() const { return ranks_.rank(); }
    std::int64_t size() const { return ranks_.size(); }
    bool was_on_device() const { return was_on_device_; }

private:
    tx::nccl::communicator ranks_;
    mutable bool was_on_device_ = false;
};

template <class T> bool has_nccl(rank_reduction by) {
    constexpr tx::dtype type = tx::dtype_of<T>;
    if (type == tx::dtype::int16 || type == tx::dtype::uint16) return false;
    return by == rank_reduction::sum || !tx::is_compound(type);
}
template <class T> void check_reductions(on_device const& ranks) {
    for (collective_kind const what : {collective_kind::all_reduce, collective_kind::reduce, collective_kind::reduce_scatter,
                                       collective_kind::scan, collective_kind::exclusive_scan})
        for (rank_reduction const by : reductions_of<T>())
            for (bool const reversed : {false, true})
                for (std::int64_t root = 0; root < (what == collective_kind::reduce ? ranks.size() : 1); ++root)
                    for (std::int64_t const row : {0, 1, 37}) {
                        collective_form form(what, by);
                        form.root = root, form.reversed = reversed && !tx::scatters(what);
                        CAPTURE(tx::name(what));
                        CAPTURE(tx::name(by));
                        CAPTURE(reversed);
                        CHECK(gives_expected<T>(ranks, form, row));
                        CHECK(ranks.was_on_device() == has_nccl<T>(by));
                    }
}
template <class T> void check_moves(on_device const& ranks) {
    std::int64_t const size = ranks.size(), rank = ranks.rank();
    std::vector<std::int64_t> pairs;
    for (std::int64_t r = 0; r + 1 < size; ++r) pairs.push_back(r), pairs.push_back(r + 1);
    std::int64_t const to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (collective_kind const what :
         {collective_kind::broadcast, collective_kind::all_gather, collective_kind::gather, collective_kind::scatter,
          collective_kind::all_to_all, collective_kind::permute, collective_kind::exchange})
        for (std::int64_t root = 0; root < (tx::has_root(what) ? size : 1); ++root)
            for (std::int64_t const row : {0, 1, 37}) {
                collective_form form(what);
                form.root = root, form.to = to, form.from = from;
                if (what == collective_kind::permute) form.pairs = pairs;
                CAPTURE(tx::name(what));
                CHECK(gives_expected<T>(ranks, form, row));
                CHECK(ranks.was_on_device());
                if (what != collective_kind::exchange || size < 2) continue;
                form.to = rank == 0 ? 1 : -1, form.from = rank == 1 ? 0 : -1; // one message alone
                CHECK(gives_expected<T>(ranks, form, row));
            }
}

} // namespace

TEST_CASE_TEMPLATE("nccl: reductions of every dtype", T, ALL_DTYPES) { check_reductions<T>(on_device(made())); }
TEST_CASE_TEMPLATE("nccl: moves of every dtype", T, ALL_DTYPES) { check_moves<T>(on_device(made())); }

TEST_CASE_TEMPLATE("nccl: NaN, zeros of both signs and infinities in maxima and minima", T, tx::half, tx::bfloat16, float,
                   double) {
    using limits = std::numeric_limits<T>;
    on_device const ranks(made());
    T const all[]{limits::quiet_NaN(), -limits::quiet_NaN(), T(0), -T(0), limits::infinity(), -limits::infinity(), limits::max(),
                  limits::lowest(),    limits::denorm_min(), T(1), T(-1)};
    for (rank_reduction const by : {rank_reduction::max, rank_reduction::min})
        for (T const mine : all)
            for (T const others : all) {
                elements<T> operand(5);
                for (std::int64_t k = 0; k < 5; ++k) operand[k] = ranks.rank() == 0 ? mine : others;
                collective_form const form(collective_kind::all_reduce, by);
                elements<T> const there = run(ranks, form, operand, 5), here = run(mpi::world(), form, operand, 5);
                CHECK(ranks.was_on_device());
                bool const is_nan = std::isnan(static_cast<float>(here[4]));
                CHECK((is_nan ? std::isnan(static_cast<float>(there[4])) : same_bits(there[4], here[4])));
            }
}

TEST_CASE("nccl: sums that are begun run beside the queue, which waits for them where they are needed") {
    auto const ranks = made();
    auto const& by = ranks.transport();
    std::int64_t const size = ranks.size();
    for (int round = 0; round < 2; ++round) {
        stand_in::streams.clear();
        elements<float> first = operand_of<float>(ranks.rank(), 9), second = operand_of<float>(ranks.rank(), 4);
        std::uint64_t requests[2]{};
        REQUIRE(by.begin_on_device(by, tx::dtype::float32, rank_reduction::sum, first.data(), 9, memory(), requests[0]));
        REQUIRE(by.begin_on_device(by, tx::dtype::float32, rank_reduction::sum, second.data(), 4, memory(), requests[1]));
        CHECK(requests[0] != requests[1]);
        by.finish_on_device(by, requests[1], memory());
        by.finish_on_device(by, requests[0], memory());
        collective_form const form(collective_kind::all_reduce);
        CHECK(same_bits(first, expected<float>(form, ranks.rank(), size, 9)));
        CHECK(same_bits(second, expected<float>(form, ranks.rank(), size, 4)));
        std::vector<std::string> const once{"queue marks", "sums waits", "sums marks"};
        std::vector<std::string> wanted(once);
        wanted.insert(wanted.end(), once.begin(), once.end());
        wanted.insert(wanted.end(), 2, "queue waits");
        CHECK(stand_in::streams == wanted);
        CHECK(stand_in::open == 4); // places are used again
    }
    std::int16_t small = 0;
    std::uint64_t request = 0;
    CHECK_FALSE(by.begin_on_device(by, tx::dtype::int16, rank_reduction::sum, &small, 1, memory(), request));
}

TEST_CASE("nccl: stands where a communicator of MPI's can") {
    using vec = tensor<double, shape<tx::dyn>>;
    auto const ranks = made();
    double const size = static_cast<double>(ranks.size());
    CHECK(ranks == tx::nccl::communicator(ranks));
    vec const x{static_cast<double>(ranks.rank() + 1), 2};
    CHECK(mpi::all_reduce(x, mpi::sum, ranks)(1) == 2 * size); // in this process's memory
    vec const there = tx::to(points, x);
    vec const y = mpi::all_reduce(there, mpi::max, ranks);
    CHECK(tx::device_of(y) == tx::device_of(there));
    CHECK(y(0) == size);
    auto const f = tx::on(points, [](auto const& v, auto const& among) { return mpi::all_reduce(v * v, mpi::sum, among) * v; });
    stand_in::calls.clear();
    CHECK(f(there, ranks)(1) == 8 * size);
    CHECK(stand_in::calls["all_reduce"] == 1);
    auto const loss = [ranks](auto const& v) { return tx::sum(mpi::all_reduce(v * v, mpi::sum, ranks) * v); };
    CHECK(tx::on(points, tx::grad(loss))(there)(1) == doctest::Approx(12 * size));
    mpi::barrier(ranks);
    auto const step =
        mpi::data_parallel(tx::value_and_grad([](auto const& w, auto const& v) { return tx::sum(w * w * v); }), ranks);
    stand_in::calls.clear();
    auto const [value, slope] = tx::on(points, step)(there, there);
    double total = 0;
    for (double r = 1; r <= size; ++r) total += r * r * r + 8;
    CHECK(value.item() == doctest::Approx(total / size));
    CHECK(slope(1) == doctest::Approx(8));
    CHECK(stand_in::calls["all_reduce"] == 1); // one bucket
    auto const whole = mpi::all_gather(there, ranks);
    CHECK(tx::device_of(whole) == tx::device_of(there));
    CHECK(whole(ranks.size() - 1, 0) == size);
}

TEST_CASE("nccl: a communicator lasts as long as what uses it, and is given up when it fails or is left by an exception") {
    using vec = tensor<float, shape<tx::dyn>>;
    int const destroyed = stand_in::destroyed, aborted = stand_in::aborted;
    {
        std::optional<tx::nccl::communicator> ranks = made();
        auto const f = tx::on(points, [among = *ranks](auto const& v) { return mpi::all_reduce(v, mpi::sum, among); });
        ranks.reset();
        CHECK(stand_in::destroyed == destroyed);
        CHECK(f(vec{1})(0) == static_cast<float>(mpi::world().size()));
    }
    CHECK(stand_in::destroyed == destroyed + 1);
    try {
        auto const ranks = made();
        throw std::runtime_error("stop");
    } catch (std::runtime_error const&) {
        CHECK(stand_in::aborted == aborted + 1);
    }
    auto const ranks = made();
    ranks.native()->failed = ncclRemoteError;
    for (int round = 0; round < 2; ++round) {
        std::string text;
        try {
            static_cast<void>(mpi::all_reduce(tx::to(points, vec{1}), mpi::sum, ranks));
        } catch (tx::error const& e) {
            text = e.what();
        }
        CHECK(text == "tx: nccl::all_reduce: rank " + std::to_string(mpi::world().rank()) +
                          ": the communicator has failed and is given up: remote process exited");
    }
    CHECK(stand_in::aborted == aborted + 2);
    CHECK_THROWS_AS(static_cast<void>(tx::nccl::communicator().transport()), tx::error);
}
