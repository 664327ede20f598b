// This file holds the variables that a call assigns to: it provides memory for their new values, which they get when everything
// else has succeeded.
#pragma once

#include <tracexpr/backends/tiles/programs.hpp>
#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/run/callable.hpp>

#include <vector>

namespace tx::detail {

struct stored_variable {
    any_variable* variable = nullptr;
    variable_access const* access = nullptr;

    TRACEXPR_ONCE static stored_variable of(captured const& source) {
        if (!source.access) return {};
        return {source.access->from(const_cast<void*>(source.address)), source.access};
    }
};
// Returns a leaf of a call as a variable; null for other leaves.
template <class Part> stored_variable stored_leaf(Part const& part) {
    if constexpr (captured_type<Part>) return stored_variable::of(part.capture());
    else if constexpr (variable_type<Part>) return {const_cast<Part*>(&part), &access_to<Part>::table};
    else return {};
}

// stored_variables are the variables of one call, and the addresses of its outputs. The thread keeps the memory of these lists,
// so a call in the steady state allocates none.
class stored_variables {
public:
    stored_variables(graph_view const& trace, table_view<stored_variable> leaves)
        : room_(std::exchange(spare(), {})), first_{result_outputs(trace)} {
        room_.variables.clear();
        for (assigned_variable const& a : trace.assigned) {
            room_.variables.push_back(a.parameter < 0 ? stored_variable::of(trace.captures[static_cast<std::size_t>(a.capture)])
                                                      : leaves[static_cast<std::size_t>(a.parameter)]);
        }
        room_.outputs.resize(trace.outputs.size() + 1);
    }
    stored_variables(stored_variables const&) = delete;
    stored_variables& operator=(stored_variables const&) = delete;
    ~stored_variables() { spare() = std::move(room_); }

    // Allocates memory for the values, of the extents that the program gives them; throws if one of the variables can't have
    // them.
    TRACEXPR_ONCE void prepare(tiles::program const& p) const {
        for (std::size_t k = 0; k < room_.variables.size(); ++k) {
            stored_variable const& v = room_.variables[k];
            room_.outputs[first_ + k] = v.access->prepare(*v.variable, tiles::output_extents<>(p, first_ + k));
        }
        room_.outputs[first_ + room_.variables.size()] = nullptr; // a token has no memory
    }
    // Does the same on a device: make(extents, type) allocates elements there, small(bytes, memory) a place for values that
    // variables hold inside.
    template <class Program, class Make, class Small>
    void prepare_on_device(Program const& p, Make const& make, Small const& small) const {
        for (std::size_t k = 0; k < room_.variables.size(); ++k) {
            stored_variable const& v = room_.variables[k];
            dims const& extents = p.output_extents(first_ + k);
            std::int64_t const bytes = extents.size() * static_cast<std::int64_t>(size_in_bytes(p.output_type(first_ + k)));
            void*& to = room_.outputs[first_ + k];
            if (!v.access->take_remote) to = small(v.access->prepare(*v.variable, extents), bytes);
            else to = make(bytes, [&](remote_elements* next) { v.access->take_remote(*v.variable, next, extents); });
        }
        room_.outputs[first_ + room_.variables.size()] = nullptr; // a token has no memory
    }
    void** outputs() const { return room_.outputs.data(); }
    void commit() const {
        for (stored_variable const& v : room_.variables) v.access->commit(*v.variable);
    }

private:
    struct room {
        std::vector<stored_variable> variables;
        std::vector<void*> outputs;
    };
    static room& spare() { return per_thread<room>(); }

    mutable room room_;
    std::size_t first_;
};

} // namespace tx::detail
