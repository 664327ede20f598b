// Programs of the tile executor that were made for graphs, and are found again: of a trace by the extents of a call, of what is
// recorded anew each time by the graph itself.
#pragma once

#include <tracexpr/backends/host_array.hpp>
#include <tracexpr/backends/tiles/run.hpp>
#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/graph/canonical.hpp>

#include <array>
#include <atomic>
#include <mutex>

namespace tx::detail {

// Numbers what holds traces, for what remembers calls.
inline std::uint64_t fresh_holder_number() {
    static constinit std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// What a trace was made into, for the last few extents. Shared by threads, and by files for other processors, each of which has
// programs of its own: `target` tells whose one is.
class made_programs {
public:
    std::shared_ptr<void const> find(void const* target, table_view<dims> extents) const {
        std::lock_guard const lock(mutex_);
        for (entry const& e : all_)
            if (e.target == target && e.extents.size() == extents.size() && is_equal(e.extents, extents)) return e.made;
        return nullptr;
    }
    void add(void const* target, table_view<dims> extents, std::shared_ptr<void const> made) const {
        entry fresh{target, buffer<dims>(extents), std::move(made)};
        std::lock_guard const lock(mutex_);
        std::swap(all_[next_++ % remembered], fresh);
    }

private:
    struct entry {
        void const* target = nullptr;
        buffer<dims> extents;
        std::shared_ptr<void const> made;
    };
    static bool is_equal(buffer<dims> const& a, table_view<dims> b) {
        for (std::size_t k = 0; k < b.size(); ++k)
            if (a[k] != b[k]) return false;
        return true;
    }

    static constexpr std::size_t remembered = 16;
    mutable std::mutex mutex_;
    mutable std::array<entry, remembered> all_;
    mutable std::size_t next_ = 0;
};

inline namespace TRACEXPR_TARGET {

using simd::tiles::program;

inline constexpr char this_target = 0; // its address is the target's

// The program of a trace for arguments of some extents, and for captured tensors as they are now.
template <class Unused = void> std::shared_ptr<program const>
find_or_make_program(made_programs const& known, graph_view const& g, table_view<dims> arguments, pass_options const& options) {
    buffer<dims> key(arguments);
    for (captured const& c : g.captures) key.push_back(c.shape(c.address)); // those of branches, too
    if (auto found = known.find(&this_target, key)) return std::static_pointer_cast<program const>(std::move(found));
    auto made = simd::tiles::make_program<Unused>(g, arguments, options);
    known.add(&this_target, key, made);
    return made;
}
TRACEXPR_TARGET_INSTANCE(std::shared_ptr<program const> find_or_make_program<void>(made_programs const&, graph_view const&,
                                                                                   table_view<dims>, pass_options const&))

// Memory for a program's outputs.
inline std::vector<host_array> make_outputs(program const& p) {
    std::vector<host_array> out(value_outputs(p.graph.view()));
    for (std::size_t k = 0; k < out.size(); ++k) {
        dims const& d = p.output_extents(k);
        dtype const type = p.output_type(k);
        out[k] = {type, d, std::vector<std::byte>(static_cast<std::size_t>(d.size()) * size_in_bytes(type))};
    }
    return out;
}
template <class Unused = void> std::vector<host_array> run_to_arrays(program const& p, void const* const* arguments) {
    std::vector<host_array> out = make_outputs(p);
    std::vector<void*> outputs;
    for (host_array& array : out) outputs.push_back(array.bytes.data());
    outputs.push_back(nullptr); // of a token
    simd::tiles::run_program<Unused>(p, {arguments, outputs.data()});
    return out;
}
// Makes a program and runs it once.
template <class Unused = void> std::vector<host_array> run_once(graph_view const& g, void const* const* arguments,
                                                                table_view<dims> extents, pass_options const& options = {}) {
    return run_to_arrays<Unused>(*simd::tiles::make_program<Unused>(g, extents, options), arguments);
}
TRACEXPR_TARGET_INSTANCE(std::vector<host_array> run_once<void>(graph_view const&, void const* const*, table_view<dims>,
                                                                pass_options const&))

inline std::uint64_t hash_of(graph_view const& g) {
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
// Is it small enough to be copied?
inline bool is_worth_remembering(graph_view const& g) {
    constexpr std::size_t most = 10'000;
    return g.size() <= most && g.blob.size() <= most;
}

// Programs of graphs that are recorded anew each time, as a tape's are, each thread's last few: equal graphs have one program.
// Their parameters have known extents.
class programs_by_graph {
public:
    static programs_by_graph& of_this_thread() { return per_thread<programs_by_graph>(); }
    template <class Unused> std::shared_ptr<program const> find_or_make(graph const& g) {
        std::uint64_t const hash = hash_of(g.view());
        for (entry const& e : all_)
            if (e.made && e.hash == hash && same_graph(e.of.view(), g.view())) return e.made;
        buffer<dims> extents;
        for (node_id const id : g.view().parameters) extents.push_back(id == node_id::none ? dims{} : g.shape_of(id));
        auto made = simd::tiles::make_program<Unused>(g.view(), extents, {});
        if (is_worth_remembering(g.view())) {
            entry& oldest = all_[next_++ % remembered];
            oldest.made = nullptr;
            oldest.of = g, oldest.hash = hash;
            oldest.made = made;
        }
        return made;
    }

private:
    struct entry {
        std::uint64_t hash = 0;
        graph of;
        std::shared_ptr<program const> made;
    };
    static constexpr std::size_t remembered = 32;
    std::array<entry, remembered> all_;
    std::size_t next_ = 0;
};

} // namespace TRACEXPR_TARGET
} // namespace tx::detail
