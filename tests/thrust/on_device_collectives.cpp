// This file tests collectives of tensors on a device: where the transport takes the device's memory it gets the tensors' own
// addresses, and results come back on the device; else they go through copies in this process's memory. They are eager, traced by
// the compiler, and traced at run time, with sums that overlap other work.
#include <collectives/ranks.hpp>
#include <thrust/on_device_helper.hpp>

#include <atomic>

namespace mpi = tx::mpi;
using tx::testing::rank_op;
using tx::testing::rank_threads;
using tx::testing::thread_communicator;

namespace {

// A single rank, whose transport lasts as long as the program, as that of the world does. What it gives is its operand.
struct lone_rank : tx::detail::rank_transport {
    constexpr lone_rank() {
        run = [](rank_transport const&, tx::detail::collective_call const& call) { ++through_host, copy(call); };
        size = 1;
    }
    static bool on_device(rank_transport const&, tx::detail::collective_call const& call,
                          tx::detail::device_memory const& memory) {
        CHECK(memory.device() == 0);
        operands.push_back(call.operand), results.push_back(call.result);
        copy(call);
        return true;
    }
    static void copy(tx::detail::collective_call const& call) {
        std::size_t const bytes = static_cast<std::size_t>(call.extents.size()) * size_in_bytes(call.type);
        if (bytes > 0) std::memcpy(call.result, call.operand, bytes);
    }
    static inline int through_host = 0;
    static inline std::vector<void const*> operands, results;
};
constinit lone_rank lone;
bool const lone_has_handle =
    (lone.handle = reinterpret_cast<std::uintptr_t>(static_cast<tx::detail::rank_transport*>(&lone)), true);
struct alone {
    constexpr tx::detail::rank_transport const& transport() const { return lone; }
};

// While it lives the lone rank takes the device's memory, or does not.
struct lone_takes {
    explicit lone_takes(bool takes) {
        lone.run_on_device = takes ? lone_rank::on_device : nullptr;
        lone_rank::through_host = 0, lone_rank::operands.clear(), lone_rank::results.clear();
    }
    ~lone_takes() { lone.run_on_device = nullptr; }
};

} // namespace

TEST_CASE("collectives on a device: the transport is given the tensors' own memory there") {
    constexpr auto f = [](auto const& x) { return mpi::all_reduce(x, mpi::sum, alone{}); };
    in_traces_on(points, f, [](auto const& g) {
        lone_takes const direct(true);
        wide const x = tx::to(points, ramp()), y = g(x);
        CHECK(tx::device_of(y) == name_there);
        REQUIRE(lone_rank::operands.size() == 1);
        CHECK(lone_rank::operands[0] == tx::device_data(x));
        CHECK(lone_rank::results[0] == tx::device_data(y));
        CHECK(lone_rank::through_host == 0);
        CHECK(y(199) == 200);
    });
    in_traces_on(points, f, [](auto const& g) {
        lone_takes const not_direct(false);
        wide const x = tx::to(points, ramp()), y = g(x);
        CHECK(tx::device_of(y) == name_there);
        CHECK(lone_rank::through_host == 1);
        CHECK(y(199) == 200);
    });
}

TEST_CASE("collectives on a device: eager, the result comes back on the device where the transport has it so") {
    wide const x = tx::to(points, ramp());
    {
        lone_takes const direct(true);
        wide const y = mpi::all_reduce(x, mpi::max, alone{});
        CHECK(tx::device_of(y) == name_there);
        CHECK(lone_rank::operands == std::vector<void const*>{tx::device_data(x)});
        CHECK(lone_rank::results == std::vector<void const*>{tx::device_data(y)});
        auto const rows = mpi::all_gather(x, alone{});
        CHECK(tx::device_of(rows) == name_there);
        CHECK(rows(0, 7) == 8);
        tx::tensor<float, tx::shape<tx::dyn, 2>> const pair = tx::to(points, tx::tensor<float, tx::shape<tx::dyn, 2>>{{1, 2}});
        tx::tensor<float, tx::shape<2>> const row = mpi::scatter(pair, 0, alone{}); // holds its elements itself
        CHECK(row(1) == 2);
        CHECK(lone_rank::through_host == 0);
        CHECK(mpi::all_reduce(ramp(), mpi::sum, alone{})(2) == 3); // lies in this process's memory
        CHECK(lone_rank::through_host == 1);
    }
    lone_takes const not_direct(false);
    wide const y = mpi::all_reduce(x, mpi::max, alone{});
    CHECK(tx::device_of(y) == "cpu");
    CHECK(lone_rank::through_host == 1);
    CHECK(y(3) == 4);
    CHECK(tx::device_of(mpi::replicated(x, alone{})) == name_there); // no message travels
    CHECK(lone_rank::through_host == 1);
}

TEST_CASE("collectives on a device: what is computed before and behind, results that nobody reads, in branches and loops") {
    constexpr auto f = [](auto const& x) {
        static_cast<void>(mpi::all_reduce(x * 3.0f, mpi::sum, alone{}));
        auto const y = mpi::all_reduce(x + 1.0f, mpi::sum, alone{}) * 2.0f;
        auto const z = tx::cond(tx::sum(x) > 0, [&] { return mpi::broadcast(y, 0, alone{}) + x; }, [&] { return y; });
        return tx::fori_loop(0, 3, [](auto, auto const& s) { return mpi::scan(s, mpi::sum, alone{}) + 1.0f; }, z);
    };
    for (bool const takes : {true, false})
        in_traces_on(points, f, [takes](auto const& g) {
            lone_takes const direct(takes);
            wide const y = g(tx::to(points, ramp()));
            CHECK(y(4) == 6 * 2 + 5 + 3);
            CHECK(lone_rank::through_host == (takes ? 0 : 6));
            CHECK(lone_rank::operands.size() == (takes ? 6 : 0));
        });
}

TEST_CASE("collectives on a device: an exchange whose partners are computed") {
    constexpr auto f = [](auto const& x, auto const& n) {
        return mpi::exchange(x, n - 1, n * 0, alone{}) + mpi::exchange(x, 0, 0, alone{});
    };
    for (bool const takes : {true, false})
        in_traces_on(points, f, [takes](auto const& g) {
            lone_takes const direct(takes);
            wide const y = g(ramp(), 1);
            CHECK(y(4) == 10);
        });
}

TEST_CASE("collectives on a device: derivatives run the transposed ones there") {
    constexpr auto loss = [](auto const& x) { return tx::sum(mpi::all_reduce(x * x, mpi::sum, alone{}) * x); };
    in_traces_on(points, tx::grad(loss), [](auto const& g) {
        lone_takes const direct(true);
        wide const y = g(tx::to(points, ramp()));
        CHECK(tx::device_of(y) == name_there);
        CHECK(y(2) == 27);
        CHECK(lone_rank::through_host == 0);
    });
}

TEST_CASE("collectives on a device: each op by several ranks, eager and in a placed function") {
    for (bool const takes : {true, false}) {
        int const size = 3;
        rank_threads(size, takes).run([&](thread_communicator const& c) {
            auto const operand = [](int rank) {
                std::vector<float> out;
                for (int i = 0; i < 6; ++i) out.push_back(static_cast<float>(1 + (5 * rank + 3 * i + rank * i) % 3));
                return out;
            };
            std::vector<std::vector<float>> all;
            for (int r = 0; r < size; ++r) all.push_back(operand(r));
            auto const x = tx::to(points, tx::testing::as_vector(all[static_cast<std::size_t>(c.rank())]));
            for (rank_op const& op : tx::testing::rank_ops(size)) {
                auto const placed = tx::on(points, [op, c](auto const& a) { return tx::testing::applied(op, a, c); });
                auto const wanted = tx::testing::expected(op, all, static_cast<std::size_t>(c.rank()));
                CHECK_MESSAGE(tx::testing::same(tx::testing::elements_of(placed(x)), wanted), op.name(), ", rank ", c.rank());
                if (gathers(op.what) || takes_rows(op.what)) continue; // whose rows `applied` flattens, by an op on the cpu
                auto const eager = tx::testing::applied(op, x, c);
                CHECK_MESSAGE(tx::testing::same(tx::testing::elements_of(eager), wanted), op.name(), " eager, rank ", c.rank());
                CHECK((tx::device_of(eager) == name_there) ==
                      (op.what == tx::collective_kind::replicate || (takes && !op.is_mean)));
            }
            CHECK(c.places_on_device().empty() == !takes);
        });
    }
}

TEST_CASE("collectives on a device: data parallel, in few and in many buckets") {
    using weights = std::pair<wide, tx::tensor<float, tx::shape<tx::dyn>>>;
    constexpr auto loss = [](auto const& w, auto const& x) {
        return tx::mean(tx::square(w.first * x - 1.0f)) + tx::sum(w.second * w.second) * tx::sum(x) * 0.001f;
    };
    weights const w{values(), tx::tensor<float, tx::shape<tx::dyn>>{1, 2, 3}};
    for (bool const takes : {true, false}) {
        rank_threads(3, takes).run([&](thread_communicator const& c) {
            wide const x = ramp() * (0.01f * static_cast<float>(c.rank() + 1));
            for (std::int64_t const bytes : {1, 1 << 20}) {
                auto const step = mpi::data_parallel(tx::value_and_grad(loss), c, {.bucket_bytes = bytes});
                auto const [value, slopes] = step(w, x);
                c.places_on_device().clear();
                auto const placed = tx::on(points, step);
                for (auto const& [there, mine] : {std::pair(w, x), std::pair(tx::to(points, w), tx::to(points, x))}) {
                    auto const [value_there, slopes_there] = placed(there, mine);
                    CHECK(tx::device_of(slopes_there.first) == name_there);
                    CHECK(value_there.item() == doctest::Approx(value.item()));
                    CHECK(tx::all(tx::abs(tx::to(tx::cpu{}, slopes_there.first) - slopes.first) < 1e-5f));
                    CHECK(tx::all(tx::abs(tx::to(tx::cpu{}, slopes_there.second) - slopes.second) < 1e-4f));
                }
                CHECK(c.places_on_device().size() == (takes ? (bytes == 1 ? 6 : 2) : 0));
            }
        });
    }
}
