// This file caches programs that the tile executor made for graphs: those of a trace are found by the extents of a call, those of
// graphs that are recorded anew each time by the graph itself.
#pragma once

#include <tracexpr/backends/host_array.hpp>
#include <tracexpr/backends/tiles/programs.hpp>
#include <tracexpr/base/hash_index.hpp>

#include <array>
#include <atomic>
#include <mutex>

namespace tx::detail {

// Returns a number that no other object which holds traces has. Threads cache what they run by this number.
inline std::uint64_t fresh_holder_number() {
    static constinit std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// made_programs holds the programs of a trace for the last few extents. Threads share it, and so do files for other processors,
// each of which has programs of its own: `target` tells whose program it is.
class made_programs {
public:
    TRACEXPR_ONCE std::shared_ptr<void const> find(void const* target, table_view<dims> extents) const {
        std::lock_guard const lock(mutex_);
        for (entry const& e : all_)
            if (e.target == target && e.extents.size() == extents.size() && is_equal(e.extents, extents)) return e.made;
        return nullptr;
    }
    TRACEXPR_ONCE void add(void const* target, table_view<dims> extents, std::shared_ptr<void const> made) const {
        entry fresh{target, buffer<dims>(extents), std::move(made)};
        std::lock_guard const lock(mutex_);
        std::swap(all_[next_++ % capacity], fresh);
    }

private:
    struct entry {
        void const* target = nullptr;
        buffer<dims> extents;
        std::shared_ptr<void const> made;
    };
    TRACEXPR_ONCE static bool is_equal(buffer<dims> const& a, table_view<dims> b) {
        for (std::size_t k = 0; k < b.size(); ++k)
            if (a[k] != b[k]) return false;
        return true;
    }

    static constexpr std::size_t capacity = 16;
    mutable std::mutex mutex_;
    mutable std::array<entry, capacity> all_;
    mutable std::size_t next_ = 0;
};

inline namespace TRACEXPR_RUNS {

using tiles::program;

inline constexpr char this_target = 0; // its address stands for the processor that this file is compiled for

// Returns the program of a trace for arguments of some extents, and for captured tensors as they are now; `g` is the simplified
// trace.
template <class Unused = void>
std::shared_ptr<program const> find_or_make_program(made_programs const& known, graph_view const& traced, graph_view const& g,
                                                    table_view<dims> arguments, pass_options const& options);

template <class Unused = void> std::vector<host_array> run_to_arrays(program const& p, void const* const* arguments);
// Makes a program and runs it once.
template <class Unused = void> std::vector<host_array> run_once(graph_view const& g, void const* const* arguments,
                                                                table_view<dims> extents, pass_options const& options = {});

// Returns the program of a graph that is recorded anew each time, as a tape's is: a thread's last few equal graphs share one
// program. Parameters have known extents.
template <class Unused = void> std::shared_ptr<program const> program_of_equal_graph(graph const& g);

// True if a program reads `bytes` bytes of memory from `at` on: as elements of its first `count` arguments, or of what it
// captures.
template <class Unused = void>
bool reads(program const& p, void const* const* arguments, std::size_t count, void const* at, std::int64_t bytes);

} // namespace TRACEXPR_RUNS

TRACEXPR_ONCE std::uint64_t hash_of(graph_view const& g) {
    std::uint64_t hash = g.size();
    for (node const& n : g) {
        hash = mix(hash, static_cast<std::uint64_t>(n.code) | static_cast<std::uint64_t>(n.type) << 8 |
                             static_cast<std::uint64_t>(n.shape) << 16);
        hash = mix(hash, n.bits[0] ^ static_cast<std::uint64_t>(n.operand[0]) << 32 ^ static_cast<std::uint64_t>(n.operand[1]));
    }
    for (dims const& d : g.shapes)
        for (int axis = 0; axis < d.rank; ++axis) hash = mix(hash, static_cast<std::uint64_t>(d[axis]));
    return hash;
}
// True if a graph is small enough to be copied to a cache.
inline bool is_worth_remembering(graph_view const& g) {
    constexpr std::size_t most = 10'000;
    return g.size() <= most && g.blob.size() <= most;
}

} // namespace tx::detail

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/made_programs_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(std::shared_ptr<program const> find_or_make_program<void>(made_programs const&, graph_view const&,
                                                                            graph_view const&, table_view<dims>,
                                                                            pass_options const&))
TRACEXPR_INSTANCE(std::vector<host_array> run_to_arrays<void>(program const&, void const* const*))
TRACEXPR_INSTANCE(std::vector<host_array> run_once<void>(graph_view const&, void const* const*, table_view<dims>,
                                                         pass_options const&))
TRACEXPR_INSTANCE(std::shared_ptr<program const> program_of_equal_graph<void>(graph const&))
TRACEXPR_INSTANCE(bool reads<void>(program const&, void const* const*, std::size_t, void const*, std::int64_t))
} // namespace tx::detail::inline TRACEXPR_RUNS
