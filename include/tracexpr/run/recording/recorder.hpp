// This file holds what gradient tapes and forward accumulators share. While one is alive its thread's calls on concrete tensors
// are recorded into its graph, as far as they depend on what it watches, each value as a node of its own. A computed value is
// kept and read when a derivative is evaluated: the forward pass never runs again, except for values within a call.
#pragma once

#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/run/recording/record.hpp>

namespace tx::detail {

// variable_record is a variable as recorders know it: by a number of its own, whatever value it has.
struct variable_record {
    std::uint64_t number = 0;
    bool trainable = false;
    std::string name;
    buffer<node_id> reads; // the nodes of its values
};

class recorder;

// recorder_link is a recorder's place in the list of the thread that made it. A recorder that is destroyed in another thread
// leaves an empty link behind; the list drops it when it is walked next, or with its thread.
struct recorder_link {
    std::atomic<recorder*> to;
    recorder_link* outer;
    std::atomic<int> holders{2}; // the list, and the recorder

    static void release(recorder_link* link) {
        if (link->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete link;
    }
};

// The recorders of this thread form a list, innermost first.
inline constinit thread_local recorder_link* innermost_recorder = nullptr;

// Returns the first recorder from there on, or null.
inline recorder* first_recorder(recorder_link const* link = innermost_recorder) {
    for (; link; link = link->outer)
        if (recorder* const found = link->to.load(std::memory_order_acquire)) return found;
    return nullptr;
}

// seen_call is a call that was run, as recorders see it.
struct seen_call {
    graph_view const& traced;
    table_view<seen_value> arguments, results;
    // If recording the call is more than appending `traced`, this function records it; it is called with `state`.
    void (*record)(void const* state, trace_scope& scope);
    void const* state;
    // The last `further_results` of the results are those of nodes that call functions of the user's.
    std::size_t further_results = 0;
    // `kept_alive` is what these functions recorded, and what derivatives read.
    std::shared_ptr<void const> const* kept_alive = nullptr;
};

// The bodies that calls use are called by pointers, so that programs without tapes compile none of them. (With a virtual function
// g++ would guess the callee.)
class recorder {
    // Tells the recorders of this thread, and a trace in which the tensor is watched, that an element is written.
    template <class Unused = void> static std::uint32_t see_write(element_write const& write);

public:
    explicit recorder(bool watches_variables) : watches_variables_{watches_variables} { open(); }
    recorder(recorder const&) = delete;
    recorder& operator=(recorder const&) = delete;
    ~recorder() { leave(); }

    recorder* outer() const { return link_ ? first_recorder(link_->outer) : nullptr; }
    bool is_listening() const { return pauses_ == 0; }
    bool watches_variables() const { return watches_variables_; }
    void pause() { ++pauses_; }
    void resume() { --pauses_; }
    tape_record& record() { return *record_; }
    tape_record const& record() const { return *record_; }
    buffer<variable_record> const& variables() const { return variables_; }

    // Forgets everything, and starts to listen. If it throws nothing has changed.
    void start();
    // Stops listening.
    void leave();
    // Forgets the graph, but not which variables were watched.
    void clear();

    void watch(kept_value const& value, std::uint64_t variable, bool trainable, std::string_view name);
    variable_record const* find_variable(std::uint64_t number) const;
    // Did the value depend on known values, but was computed during a pause?
    bool has_missed(std::uint32_t number) const { return number && missed_.find(number); }

    // Records a call in this recorder and those outside it, if they know something of it and listen.
    void see(seen_call const& call) { see_(*this, call); }

private:
    void open();
    template <class Unused = void> void record_seen(seen_call const& call);
    static buffer<kept_value> numbered(table_view<seen_value> results, std::size_t further);
    bool has_missed_any(table_view<kept_value> values) const;
    void miss(table_view<kept_value> results);

    std::shared_ptr<tape_record> record_;
    number_map missed_;
    buffer<variable_record> variables_;
    recorder_link* link_ = nullptr;
    int pauses_ = 0;
    bool watches_variables_;
    void (*see_)(recorder&, seen_call const&) = nullptr;
};

} // namespace tx::detail

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/recording/recorder_bodies.hpp>
#endif

namespace tx::detail {
TRACEXPR_INSTANCE(void recorder::record_seen<void>(seen_call const&))
TRACEXPR_INSTANCE(std::uint32_t recorder::see_write<void>(element_write const&))
} // namespace tx::detail
