// What gradient tapes and forward accumulators share: while one is alive its thread's calls on concrete tensors are recorded into its
// graph, as far as they depend on what it watches, each value as a node of its own. A value that was computed once is kept, and read
// when a derivative is evaluated: the forward pass is never run again, but for values within a call.
#pragma once

#include <tracexpr/run/runtime_trace.hpp>

namespace tx::detail {

// A variable as recorders know it: by a number of its own, whatever value it has.
struct variable_record {
    std::uint64_t number = 0;
    bool trainable = false;
    std::string name;
    buffer<node_id> reads; // the nodes of its values
};

// From the numbers of values to nodes.
class number_map {
public:
    struct entry {
        std::uint32_t number = 0;
        node_id id = node_id::none;
    };
    entry const* find(std::uint32_t number) const {
        std::int32_t const at = index_.find(hash_of(number), [&](std::size_t i) { return entries_[i].number == number; });
        return at < 0 ? nullptr : &entries_[static_cast<std::size_t>(at)];
    }
    void set(std::uint32_t number, node_id id) {
        if (entry const* const known = find(number)) {
            entries_[static_cast<std::size_t>(known - entries_.data())].id = id;
        } else {
            entries_.make_room();
            index_.add(hash_of(number));
            entries_.push_back({number, id});
        }
    }

private:
    static std::uint64_t hash_of(std::uint32_t number) { return mix(0, number); }
    buffer<entry> entries_;
    hash_index index_;
};

class recorder;
struct recorder_scope : trace_scope {
    recorder* owner = nullptr;
};

// A recorder's place in the list of the thread that made it. One that is destroyed in another thread leaves its link behind, without itself;
// the list drops it when it is walked next, or with its thread.
struct recorder_link {
    std::atomic<recorder*> to;
    recorder_link* outer;
    std::atomic<int> holders{2}; // the list, and the recorder

    static void release(recorder_link* link) {
        if (link->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete link;
    }
};

// The recorders of this thread, innermost first.
inline constinit thread_local recorder_link* innermost_recorder = nullptr;

// Takes out of this thread's list what fits.
template <class Fits> void drop_links(Fits const& fits) {
    for (recorder_link** at = &innermost_recorder; recorder_link* const link = *at;) {
        if (!fits(*link)) at = &link->outer;
        else *at = link->outer, recorder_link::release(link);
    }
}
struct recorder_list_closer {
    ~recorder_list_closer() {
        drop_links([](recorder_link const&) { return true; });
    }
};
// The first recorder from there on, or null.
inline recorder* first_recorder(recorder_link const* link = innermost_recorder) {
    for (; link; link = link->outer)
        if (recorder* const found = link->to.load(std::memory_order_acquire)) return found;
    return nullptr;
}

inline std::uint32_t fresh_number() {
    static constinit std::atomic<std::uint32_t> last{0};
    std::uint32_t const number = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return number ? number : fresh_number();
}

// A call that was run, as it shows itself.
struct seen_call {
    graph_view const& traced;
    table_view<seen_value> arguments, results;
    // Records it where that is more than to append `traced`; called with `state`.
    void (*record)(void const* state, trace_scope& scope);
    void const* state;
};

inline buffer<kept_value> kept_all(table_view<seen_value> values) {
    buffer<kept_value> out;
    for (seen_value const& v : values) out.push_back(kept(v));
    return out;
}
inline buffer<kept_value> kept_captures(graph_view const& g) {
    buffer<kept_value> out;
    for (captured const& c : g.captures) out.push_back(kept(c.see(c.address)));
    return out;
}

// What calls use stands behind a pointer, so that programs without tapes compile none of it. (g++ would guess whose virtual function it is.)
class recorder {
public:
    explicit recorder(bool watches_variables)
        : watches_variables_{watches_variables}, see_{[](recorder& self, seen_call const& call) { self.record_seen(call); }} {
        start();
    }
    recorder(recorder const&) = delete;
    recorder& operator=(recorder const&) = delete;
    ~recorder() { leave(); }

    recorder* outer() const { return link_ ? first_recorder(link_->outer) : nullptr; }
    bool is_listening() const { return pauses_ == 0; }
    bool watches_variables() const { return watches_variables_; }
    void pause() { ++pauses_; }
    void resume() { --pauses_; }
    trace_scope& scope() { return *scope_; }
    graph& recorded() { return scope_->recorded; }
    buffer<variable_record> const& variables() const { return variables_; }

    // Forgets everything, and listens.
    void start() {
        leave();
        clear();
        variables_ = buffer<variable_record>();
        static thread_local recorder_list_closer const closer{};
        static_cast<void>(closer);
        innermost_recorder = link_ = new recorder_link{this, innermost_recorder};
        calls_may_be_watched.store(true, std::memory_order_relaxed);
    }
    // Listens no more.
    void leave() {
        if (!link_) return;
        link_->to.store(nullptr, std::memory_order_release);
        drop_links([](recorder_link const& link) { return !link.to.load(std::memory_order_relaxed); });
        recorder_link::release(std::exchange(link_, nullptr));
    }
    // Forgets the graph; not which variables were watched.
    void clear() {
        scope_ = std::make_unique<recorder_scope>(); // all that may throw
        scope_->owner = this;
        scope_->kept = &kept_;
        scope_->append = append_graph<>;
        scope_->leaf = [](trace_scope& scope, seen_value const& value) { return static_cast<recorder_scope&>(scope).owner->operand(kept(value)); };
        known_ = missed_ = number_map();
        values_ = buffer<kept_value>(), value_of_ = buffer<std::int32_t>();
        kept_ = buffer<std::shared_ptr<void const>>();
        for (variable_record& v : variables_) v.reads = buffer<node_id>();
        pauses_ = 0;
    }

    // The node of a value, if there is one.
    node_id find(kept_value const& value) const {
        if (!value.number) return node_id::none;
        number_map::entry const* const known = known_.find(value.number);
        return known && values_[slot(known->id)].is_same(value) ? known->id : node_id::none;
    }
    bool has_value(node_id id) const { return index(id) < value_of_.size() && value_of_[index(id)] >= 0; }
    kept_value const& value(node_id id) const { return values_[slot(id)]; }

    // A value that others may depend on. It has a number.
    node_id watch(kept_value const& value) {
        node_id const known = find(value);
        if (known != node_id::none) return known;
        return know(value, recorded().append_parameter(value.type, value.shape));
    }
    void watch(kept_value const& value, std::uint64_t variable, bool trainable, std::string_view name) {
        variable_record* record = nullptr;
        for (variable_record& v : variables_)
            if (v.number == variable) record = &v;
        if (!record) {
            variables_.push_back({variable, trainable, std::string(name), {}});
            record = &variables_.back();
        }
        node_id const id = watch(value);
        for (node_id const read : record->reads)
            if (read == id) return;
        record->reads.push_back(id);
    }
    variable_record const* find_variable(std::uint64_t number) const {
        for (variable_record const& v : variables_)
            if (v.number == number) return &v;
        return nullptr;
    }
    // A value in the graph, as a constant unless it is known.
    node_id operand(kept_value const& value) {
        node_id const known = find(value);
        if (known != node_id::none) return known;
        if (value.shape.rank == 0 && !value.number && !is_dual(value.type)) return recorded().append(op::literal, value.type, dims{}, {}, {}, literal_of(value));
        node_id const id = recorded().append_parameter(value.type, value.shape);
        keep(id, value);
        return id;
    }
    bool knows_any(table_view<kept_value> values) const {
        for (kept_value const& v : values)
            if (find(v) != node_id::none) return true;
        return false;
    }

    // Did it depend on known values, but was computed during a pause?
    bool has_missed(std::uint32_t number) const { return number && missed_.find(number); }

    // Records a call in this recorder and those outside it, each of which may know something of it, and listen.
    void see(seen_call const& call) { see_(*this, call); }
    // Appends a graph that was run on `arguments`; its captures had the values `captures`.
    void record(graph_view const& from, table_view<kept_value> arguments, table_view<kept_value> captures, table_view<kept_value> results) {
        graph& to = recorded();
        buffer<node_id> const moved = append_nodes(to, from, [&](node const& n) {
            if (n.code == op::parameter) return operand(arguments[n.bits[0]]);
            if (n.code == op::capture) return operand(captures[n.bits[0]]);
            return to.append_copy(from, n, {});
        });
        for (std::size_t k = 0; k < results.size(); ++k) know_result(results[k], moved[index(from.outputs[k])]);
    }
    // The node of a result: one that no other value shares, even if it was computed alike.
    void know_result(kept_value const& value, node_id computed) {
        graph& g = recorded();
        node_id const operand[]{computed};
        know(value, g.append(op::mark, value.type, value.shape, operand, {}, {g.size(), 1}));
    }

    // The graph's outputs, which it then forgets.
    void know_outputs(table_view<kept_value> values) {
        buffer<node_id> const computed(recorded().outputs());
        recorded().clear_outputs();
        for (std::size_t k = 0; k < values.size(); ++k) know_result(values[k], computed[k]);
    }

    // A part of the graph to be run by itself: up from nodes whose values are known.
    struct part {
        graph program;
        buffer<kept_value> arguments;
        template <class Unused = void> std::vector<host_array> run() const {
            graph const simplified = simplify(program.view());
            buffer<array_view> views;
            for (kept_value const& a : arguments) views.push_back({a.data, a.type, a.shape});
            return run_reference<Unused>(simplified.view(), views);
        }
    };
    template <class Unused = void> part extract(table_view<node_id> wanted) const;

private:
    template <class Unused = void> void record_seen(seen_call const& call);
    static buffer<kept_value> numbered(table_view<seen_value> results) {
        for (seen_value const& v : results)
            if (v.identity) v.identity->renumber(fresh_number());
        return kept_all(results);
    }
    bool has_missed_any(table_view<kept_value> values) const {
        for (kept_value const& v : values)
            if (has_missed(v.number)) return true;
        return false;
    }
    void miss(table_view<kept_value> results) {
        for (kept_value const& v : results) missed_.set(v.number, node_id::none);
    }
    std::size_t slot(node_id id) const { return static_cast<std::size_t>(value_of_[index(id)]); }
    void keep(node_id id, kept_value const& value) {
        while (value_of_.size() <= index(id)) value_of_.push_back(-1);
        values_.push_back(value);
        value_of_[index(id)] = static_cast<std::int32_t>(values_.size()) - 1;
    }
    node_id know(kept_value const& value, node_id id) {
        keep(id, value);
        known_.set(value.number, id);
        return id;
    }
    static literal_bits literal_of(kept_value const& single) {
        return with_element(single.type, [&]<class T>(T element) {
            std::memcpy(static_cast<void*>(&element), single.data, sizeof(T));
            return to_literal(element);
        });
    }

    std::unique_ptr<recorder_scope> scope_;
    number_map known_, missed_;
    buffer<kept_value> values_;
    buffer<std::int32_t> value_of_; // by node: where its value is, or -1
    buffer<variable_record> variables_;
    buffer<std::shared_ptr<void const>> kept_;
    recorder_link* link_ = nullptr;
    int pauses_ = 0;
    bool watches_variables_;
    void (*see_)(recorder&, seen_call const&);
};
template <class Unused> recorder::part recorder::extract(table_view<node_id> wanted) const {
    graph_view const g = scope_->recorded.view();
    buffer<char> needed(g.size());
    std::size_t end = 0;
    for (node_id const id : wanted) needed[index(id)] = true, end = std::max(end, index(id) + 1);
    for (std::size_t i = end; i-- > 0;) {
        if (!needed[i] || has_value(to_id(i))) continue;
        for (std::size_t k = 0; k < g.nodes[i].arity; ++k) needed[index(g.operand(g.nodes[i], k))] = true;
    }
    part out;
    buffer<node_id> moved(end, node_id::none), operands;
    for (std::size_t i = 0; i < end; ++i) {
        if (!needed[i]) continue;
        node const& n = g.nodes[i];
        if (has_value(to_id(i))) {
            out.arguments.push_back(value(to_id(i)));
            moved[i] = out.program.append_parameter(n.type, g.shape_of(n));
            continue;
        }
        operands.clear();
        for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(moved[index(g.operand(n, k))]);
        moved[i] = out.program.append_copy(g, n, operands);
    }
    for (node_id const id : wanted) out.program.add_output(moved[index(id)]);
    return out;
}
template <class Unused> void recorder::record_seen(seen_call const& call) {
    bool may_matter = !call.traced.captures.empty();
    for (seen_value const& v : call.arguments) may_matter = may_matter || v.number() != 0;
    if (!may_matter) return;
    buffer<kept_value> const captures = kept_captures(call.traced), arguments = kept_all(call.arguments);
    buffer<kept_value> results;
    for (recorder* r = this; r; r = r->outer()) {
        bool const known = r->knows_any(arguments) || r->knows_any(captures);
        if (!known && !r->has_missed_any(arguments)) continue;
        if (results.empty()) results = numbered(call.results);
        if (!known || !r->is_listening()) {
            r->miss(results);
        } else if (call.record) {
            r->recorded().clear_outputs(); // of a call that threw
            call.record(call.state, r->scope());
            r->know_outputs(results);
        } else {
            r->record(call.traced, arguments, captures, results);
        }
    }
}
TRACEXPR_INSTANCE(recorder::part recorder::extract<void>(table_view<node_id>) const)
TRACEXPR_INSTANCE(void recorder::record_seen<void>(seen_call const&))

} // namespace tx::detail
