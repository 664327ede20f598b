// This file holds a transport whose ranks are threads of one process, for tests of what collectives mean, where no MPI is needed.
// Each collective is computed from all ranks' operands by plain loops.
#pragma once

#include <tracexpr/mpi/ops.hpp>

#include <complex>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tx::testing {

class rank_threads;

struct thread_rank : tx::detail::rank_transport {
    rank_threads* of = nullptr;
    mutable std::vector<std::string> calls; // what this rank took part in
    // For collectives with elements on a device, the addresses of the operand and the result.
    mutable std::vector<std::pair<void const*, void const*>> places_on_device;
};

// A communicator as tests use it. Copies are the same communicator.
class thread_communicator {
public:
    explicit thread_communicator(thread_rank const& rank) : rank_{&rank} {}
    tx::detail::rank_transport const& transport() const { return *rank_; }
    int rank() const { return static_cast<int>(rank_->rank); }
    int size() const { return static_cast<int>(rank_->size); }
    std::vector<std::string>& calls() const { return rank_->calls; }
    std::vector<std::pair<void const*, void const*>>& places_on_device() const { return rank_->places_on_device; }
    friend bool operator==(thread_communicator const&, thread_communicator const&) = default;

private:
    thread_rank const* rank_;
};

} // namespace tx::testing
template <> inline constexpr bool tx::detail::is_trace_value<tx::testing::thread_communicator> = true;
namespace tx::testing {

class rank_threads {
public:
    // on_device: does the transport take the memory of a device, which this process can read?
    explicit rank_threads(int size, bool on_device = false) : calls_(static_cast<std::size_t>(size)), on_device_{on_device} {}

    // Calls body(communicator) on every rank, at the same time. Rethrows what the first rank threw that did so of its own accord;
    // throws where ranks take part in different collectives, or where one returns while others wait for it.
    template <class Body> void run(Body const& body) {
        std::size_t const size = calls_.size();
        std::vector<thread_rank> ranks(size);
        std::vector<std::exception_ptr> thrown(size);
        {
            std::vector<std::jthread> threads;
            for (std::size_t r = 0; r < size; ++r) {
                thread_rank& mine = ranks[r];
                mine.run = take_part, mine.of = this;
                mine.begin_all_reduce = begin_all_reduce, mine.finish = finish, mine.progress = progress;
                if (on_device_)
                    mine.run_on_device = take_part_on_device, mine.begin_on_device = begin_on_device,
                    mine.finish_on_device = finish_on_device;
                mine.handle = reinterpret_cast<std::uintptr_t>(static_cast<tx::detail::rank_transport*>(&mine));
                mine.rank = static_cast<std::int64_t>(r), mine.size = static_cast<std::int64_t>(size);
                threads.emplace_back([&, r] {
                    try {
                        body(thread_communicator(ranks[r]));
                    } catch (...) {
                        thrown[r] = std::current_exception();
                    }
                    leave(r, thrown[r] != nullptr);
                });
            }
        }
        if (first_to_throw_ < size) std::rethrow_exception(thrown[first_to_throw_]);
        for (thread_rank const& r : ranks)
            if (r.calls != ranks[0].calls) throw tx::error("rank_threads: the ranks took part in different collectives");
    }

private:
    // Waits until all ranks have come here; throws where one of them has left.
    void meet(std::size_t rank) {
        std::unique_lock lock(mutex_);
        std::size_t const turn = turn_;
        if (++waiting_ == calls_.size()) {
            waiting_ = 0, ++turn_;
            all_came_.notify_all();
            return;
        }
        all_came_.wait(lock, [&] { return turn_ != turn || left_ > 0; });
        if (turn_ == turn)
            throw tx::error("rank_threads: rank " + std::to_string(rank) + " waits in " + described(*calls_[rank]) +
                            ", and another has left");
    }
    void leave(std::size_t rank, bool throws) {
        std::lock_guard const lock(mutex_);
        ++left_;
        if (throws && first_to_throw_ == none) first_to_throw_ = rank;
        all_came_.notify_all();
    }
    static std::string described(tx::detail::collective_call const& call) {
        return std::string(name(call.form.what)) + ' ' + std::string(tx::name(call.type)) + ' ' + to_string(call.extents);
    }
    static void take_part(tx::detail::rank_transport const& self, tx::detail::collective_call const& call) {
        auto const& mine = static_cast<thread_rank const&>(self);
        rank_threads& all = *mine.of;
        std::size_t const r = static_cast<std::size_t>(self.rank);
        mine.calls.push_back(described(call));
        all.calls_[r] = &call;
        all.meet(r);
        std::string const problem = all.take_turn(r);
        all.meet(r);  // the others read this rank's operand
        if (!problem.empty()) throw tx::error("rank_threads: " + problem);
    }
    static bool take_part_on_device(tx::detail::rank_transport const& self, tx::detail::collective_call const& call,
                                    tx::detail::device_memory const&) {
        static_cast<thread_rank const&>(self).places_on_device.push_back({call.operand, call.result});
        take_part(self, call);
        return true;
    }
    // A sum that is to be finished later is computed at once.
    static std::uint64_t begin_all_reduce(tx::detail::rank_transport const& self, dtype type, rank_reduction by, void* elements,
                                          std::int64_t count) {
        std::vector<std::byte> operand(static_cast<std::size_t>(count) * size_in_bytes(type) + 1);
        copy(operand.data(), elements, count, type);
        dims const extents{{count}, 1};
        take_part(self, {tx::detail::collective_form(collective_kind::all_reduce, by), type, operand.data(), extents, elements,
                         extents});
        return 1;
    }
    static void progress(tx::detail::rank_transport const&) {}
    static void finish(tx::detail::rank_transport const&, std::uint64_t) {}
    static bool begin_on_device(tx::detail::rank_transport const& self, dtype type, rank_reduction by, void* elements,
                                std::int64_t count, tx::detail::device_memory const&, std::uint64_t& request) {
        static_cast<thread_rank const&>(self).places_on_device.push_back({elements, elements});
        request = begin_all_reduce(self, type, by, elements, count);
        return true;
    }
    static void finish_on_device(tx::detail::rank_transport const&, std::uint64_t, tx::detail::device_memory const&) {}
    // Gives what is wrong with the calls of the ranks, or an empty text.
    std::string take_turn(std::size_t r) {
        std::string const mine = described(*calls_[r]);
        for (std::size_t k = 0; k < calls_.size(); ++k)
            if (std::string const other = described(*calls_[k]); other != mine)
                return "rank " + std::to_string(r) + " is in " + mine + ", rank " + std::to_string(k) + " in " + other;
        if (calls_[r]->form.what == collective_kind::barrier) return "";
        return tx::with_element(calls_[r]->type, [&]<class T>(T const&) { return compute<T>(r); });
    }
    static void copy(void* to, void const* from, std::int64_t count, dtype type) {
        if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count) * size_in_bytes(type));
    }
    template <class T> static T combined(rank_reduction by, T const& a, T const& b) {
        if constexpr (dtype_of<T> == dtype::string) {
            return a;
        } else if constexpr (std::is_same_v<T, bool>) {
            return by == rank_reduction::logical_and || by == rank_reduction::min ? a && b : a || b;
        } else {
            if (by == rank_reduction::sum) return static_cast<T>(a + b);
            if (by == rank_reduction::product) return static_cast<T>(a * b);
            if constexpr (!is_complex(dtype_of<T>)) {
                if (a != a) return a;
                if (b != b) return b;
                if (by == rank_reduction::max) return b > a ? b : a;
                if (by == rank_reduction::min) return b < a ? b : a;
            }
            throw tx::error("rank_threads: no such reduction");
        }
    }
    template <class T> static T neutral(rank_reduction by) {
        if constexpr (std::is_same_v<T, bool>) return by == rank_reduction::logical_and || by == rank_reduction::min;
        else if constexpr (is_complex(dtype_of<T>) || dtype_of<T> == dtype::string)
            return by == rank_reduction::product ? T(1) : T();
        else if constexpr (is_floating(dtype_of<T>)) {
            double const inf = std::numeric_limits<double>::infinity();
            return static_cast<T>(by == rank_reduction::sum       ? 0.0
                                  : by == rank_reduction::product ? 1.0
                                  : by == rank_reduction::max     ? -inf
                                                                  : inf);
        } else {
            return by == rank_reduction::sum       ? T(0)
                   : by == rank_reduction::product ? T(1)
                   : by == rank_reduction::max     ? std::numeric_limits<T>::lowest()
                                                   : std::numeric_limits<T>::max();
        }
    }
    template <class T> std::string compute(std::size_t r) {
        if constexpr (dtype_of<T> == dtype::string) {
            return "strings do not travel";
        } else {
            tx::detail::collective_call const& mine = *calls_[r];
            auto const from = [&](std::size_t k) { return static_cast<T const*>(calls_[k]->operand); };
            auto* const to = static_cast<T*>(mine.result);
            std::size_t const ranks = calls_.size(), root = static_cast<std::size_t>(mine.form.root);
            std::size_t const count = static_cast<std::size_t>(mine.extents.size()), row = count / ranks;
            auto const reduced = [&](std::size_t i, std::size_t first, std::size_t last) {
                T out = neutral<T>(mine.form.by);
                if (first < last) out = from(first)[i];
                for (std::size_t k = first + 1; k < last; ++k) out = combined(mine.form.by, out, from(k)[i]);
                return out;
            };
            for (std::size_t i = 0; i < static_cast<std::size_t>(mine.result_extents.size()); ++i) to[i] = T{};
            switch (mine.form.what) {
            case collective_kind::reduce:
                if (r != root) return "";
                [[fallthrough]];
            case collective_kind::all_reduce:
                for (std::size_t i = 0; i < count; ++i) to[i] = reduced(i, 0, ranks);
                return "";
            case collective_kind::broadcast: std::copy(from(root), from(root) + count, to); return "";
            case collective_kind::gather:
                if (r != root) return "";
                [[fallthrough]];
            case collective_kind::all_gather:
                for (std::size_t k = 0; k < ranks; ++k) std::copy(from(k), from(k) + count, to + k * count);
                return "";
            case collective_kind::scatter: std::copy(from(root) + r * row, from(root) + (r + 1) * row, to); return "";
            case collective_kind::reduce_scatter:
                for (std::size_t i = 0; i < row; ++i) to[i] = reduced(r * row + i, 0, ranks);
                return "";
            case collective_kind::all_to_all:
                for (std::size_t k = 0; k < ranks; ++k) std::copy(from(k) + r * row, from(k) + (r + 1) * row, to + k * row);
                return "";
            case collective_kind::permute:
                for (std::size_t k = 0; k < mine.form.pairs.size(); k += 2)
                    if (mine.form.pairs[k + 1] == static_cast<std::int64_t>(r)) {
                        T const* const x = from(static_cast<std::size_t>(mine.form.pairs[k]));
                        std::copy(x, x + count, to);
                    }
                return "";
            case collective_kind::exchange:
                if (mine.form.from >= 0) {
                    if (calls_[static_cast<std::size_t>(mine.form.from)]->form.to != static_cast<std::int64_t>(r))
                        return "a rank receives from one that does not send to it";
                    T const* const x = from(static_cast<std::size_t>(mine.form.from));
                    std::copy(x, x + count, to);
                }
                return "";
            case collective_kind::scan:
            case collective_kind::exclusive_scan: {
                bool const with_mine = mine.form.what == collective_kind::scan;
                for (std::size_t i = 0; i < count; ++i)
                    to[i] = mine.form.reversed ? reduced(i, with_mine ? r : r + 1, ranks) : reduced(i, 0, with_mine ? r + 1 : r);
                return "";
            }
            default: return "";
            }
        }
    }

    static constexpr std::size_t none = ~std::size_t{0};

    std::vector<tx::detail::collective_call const*> calls_;
    bool on_device_;
    std::mutex mutex_;
    std::condition_variable all_came_;
    std::size_t waiting_ = 0, turn_ = 0, left_ = 0, first_to_throw_ = none;
};

} // namespace tx::testing
