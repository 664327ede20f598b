// This file holds the graph of a gradient tape or forward accumulator, and the concrete values of its nodes. The record outlives
// the tape if another tape has copied something from it whose derivative a user gave.
#pragma once

#include <tracexpr/graph/kept_calls.hpp>
#include <tracexpr/run/runtime_trace.hpp>

namespace tx {
class graph_copier;
}

namespace tx::detail {

// number_map maps the numbers of values to nodes.
class number_map {
public:
    struct entry {
        std::uint32_t number = 0;
        node_id id = node_id::none;
    };
    TRACEXPR_ONCE entry const* find(std::uint32_t number) const {
        std::int32_t const at = index_.find(hash_of(number), [&](std::size_t i) { return entries_[i].number == number; });
        return at < 0 ? nullptr : &entries_[static_cast<std::size_t>(at)];
    }
    TRACEXPR_ONCE void set(std::uint32_t number, node_id id) {
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

inline std::uint32_t fresh_number() {
    static constinit std::atomic<std::uint32_t> last{0};
    std::uint32_t const number = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return number ? number : fresh_number();
}

// recorded_part is a part of a graph that runs by itself; it begins at nodes whose values are known.
struct recorded_part {
    graph program;
    buffer<kept_value> arguments;
    buffer<node_id> nodes; // the arguments' nodes

    template <class Unused = void> TRACEXPR_NAMES_TARGET std::shared_ptr<tiles::program const> made() const {
        return program_of_equal_graph<Unused>(program);
    }
    template <class Unused = void> TRACEXPR_NAMES_TARGET std::vector<host_array> run(tiles::program const& by) const {
        std::vector<void const*> elements;
        for (kept_value const& a : arguments) elements.push_back(a.data);
        return run_to_arrays<Unused>(by, elements.data());
    }
    template <class Unused = void> TRACEXPR_NAMES_TARGET std::vector<host_array> run() const {
        return run<Unused>(*made<Unused>());
    }
};

[[noreturn]] TRACEXPR_ONCE void throw_other_effects() {
    throw trace_error("tx: gradient_tape: a callable with a tx::checkpoint or a custom derivative must call the same functions, "
                      "and draw alike, each time that it is traced; move what changes into arguments");
}

struct write_chain;

class tape_record : public trace_scope, public std::enable_shared_from_this<tape_record> {
public:
    tape_record();
    ~tape_record();

    // Returns the node of a value, or none.
    node_id find(kept_value const& value);
    // Is a value known by that number, or was one until it was overwritten?
    bool knows(std::uint32_t of) const { return of && (known_.find(of) || written_.find(of)); }
    bool knows_any(table_view<kept_value> values);
    bool has_value(node_id id) const { return index(id) < value_of_.size() && value_of_[index(id)] >= 0; }
    kept_value const& value(node_id id) const { return values_[slot(id)]; }

    // Returns the node of a value that others may depend on; the value must have a number.
    node_id watch(kept_value const& value);
    // Returns the watched tensor that a node's tensor was before elements of it were written, because it stays the source; else
    // the node itself. A tensor whose memory was handed out has no source, unless it is watched again.
    node_id source_of(node_id id) const;
    // Records a write to a tensor, which has the number `after` from then on; returns whether it is recorded. `elsewhere` is what
    // another record knows by the number of the tensor that the element was read from.
    bool write(element_write const& write, std::uint32_t after, kept_value const& elsewhere);
    // Returns the tensor that is known by that number, if there is one.
    kept_value value_of(std::uint32_t its_number) const;
    // Returns the node of a value; a value that is not known becomes a constant.
    node_id operand(kept_value const& value);
    // Adds the node of a result; no other value shares it, even if that was computed alike.
    void know_result(kept_value const& value, node_id computed);
    // Adds the nodes of the recorded graph's outputs, and removes the outputs from it.
    void know_outputs(table_view<kept_value> values);
    // Adds the results of calls of the user's functions whose nodes were recorded from number `first` on. They come in the order
    // in which they were computed, because a callable does the same each time that it is traced.
    void know_effects(std::size_t first, table_view<kept_value> values);
    // Appends a graph that was run on `arguments`; its captures had the values `captures`. The last `further` results are values
    // of the nodes themselves.
    void know_call(graph_view const& from, table_view<kept_value> arguments, table_view<kept_value> captures,
                   table_view<kept_value> results, std::size_t further);
    // Keeps an object alive as long as the record.
    void keep(std::shared_ptr<void const> const& object) { kept_alive_.push_back(object); }

    template <class Unused = void> recorded_part extract(table_view<node_id> wanted) const;
    // Copies what these nodes are computed from to another record, and returns the nodes that they became there.
    template <class Unused = void> buffer<node_id> copy_to(tape_record& other, table_view<node_id> wanted,
                                                           table_view<node_id> replaced = {}, table_view<node_id> by = {});

private:
    struct copied_rule;
    struct written_place {
        std::size_t chain = 0, position = 0;
    };

    template <class Unused = void> node_id find_written(kept_value const& value, written_place at);
    template <class Unused = void> node_id find_changed(kept_value const& value, node_id known);
    template <class Unused = void> node_id element_of(element_write const& write, kept_value const& elsewhere);
    // May the program still have the address of a node's elements, or of those that it was written from?
    bool is_handed_out(node_id id) const;
    template <class Unused = void> bool write_(element_write const& write, std::uint32_t after, kept_value const& elsewhere);
    node_id made(written_place at);
    node_id token_in_order(graph_view const& from, node_id id, graph_copier const& copier);
    template <class T> static T& extend(buffer<T>& table, node_id id, T const& none) {
        while (table.size() <= index(id)) table.push_back(none);
        return table[index(id)];
    }
    template <class T> static T at_node(buffer<T> const& table, node_id id, T const& none) {
        return index(id) < table.size() ? table[index(id)] : none;
    }
    std::size_t slot(node_id id) const { return static_cast<std::size_t>(value_of_[index(id)]); }
    void keep(node_id id, kept_value const& value);
    node_id know(kept_value const& value, node_id id);
    static literal_bits literal_of(kept_value const& single);

    number_map known_;
    buffer<kept_value> values_;
    buffer<std::int32_t> value_of_; // by node: where its value is, or -1
    number_map written_;            // maps numbers of tensors after a write to indices in places_
    buffer<written_place> places_;
    buffer<write_chain> chains_;
    buffer<bool> watched_, forgotten_; // for each node
    buffer<bool> done_;                // by token: the effects up to it have happened
    buffer<node_id> written_from_;     // by node: the tensor's node before it was written, or none
    buffer<std::shared_ptr<void const>> kept_alive_;
};

} // namespace tx::detail

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/recording/record_bodies.hpp>
#endif

namespace tx::detail {
TRACEXPR_INSTANCE(node_id tape_record::find_written<void>(kept_value const&, written_place))
TRACEXPR_INSTANCE(node_id tape_record::find_changed<void>(kept_value const&, node_id))
TRACEXPR_INSTANCE(node_id tape_record::element_of<void>(element_write const&, kept_value const&))
TRACEXPR_INSTANCE(bool tape_record::write_<void>(element_write const&, std::uint32_t, kept_value const&))
TRACEXPR_INSTANCE(recorded_part tape_record::extract<void>(table_view<node_id>) const)
TRACEXPR_INSTANCE(buffer<node_id> tape_record::copy_to<void>(tape_record&, table_view<node_id>, table_view<node_id>,
                                                             table_view<node_id>))
} // namespace tx::detail
