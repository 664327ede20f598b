// This file holds the addresses of what the iterations of a loop read and write. The state alternates between the result's memory
// and a second buffer, so no iteration copies or allocates. Elements of sequences are read and written in place, and a state
// whose values make up a sequence is stored in that sequence, too.
#pragma once

#include <tracexpr/backends/arenas.hpp>
#include <tracexpr/backends/calls/io.hpp>
#include <tracexpr/graph/regions.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace tx::inline TRACEXPR_TARGET::simd {

// loop_value is an operand or a result of a loop. The bytes are those of a whole state, or of one element of a sequence.
struct loop_value {
    std::byte* data = nullptr; // Null for a result that nobody needs, and for a token.
    std::int64_t bytes = 0;
    std::int32_t state = -1; // Of a result that is a sequence of states: the number of that state, else -1.
};
// Finds the results of a loop that are sequences of the states which its body makes.
inline void note_states(loop_form const& form, graph_view const& body, loop_value* outputs, std::size_t count) {
    for (std::size_t k = count; k-- > form.states;)
        for (std::size_t state = 0; state < form.states && outputs[k].data; ++state)
            if (body.outputs[k] == body.outputs[state]) outputs[k].state = static_cast<std::int32_t>(state);
}

// host_loop_memory is memory of the host for the values of a loop and for tables of their addresses.
class host_loop_memory {
public:
    host_loop_memory(std::int64_t table_bytes, std::int64_t value_bytes)
        : table_bytes_{table_bytes}, lease_(static_cast<std::size_t>(table_bytes + value_bytes)) {}
    std::byte* tables() const { return lease_.memory(); }
    std::byte* values() const { return lease_.memory() + table_bytes_; }
    static void copy(void* to, void const* from, std::int64_t bytes) { std::memcpy(to, from, static_cast<std::size_t>(bytes)); }

private:
    std::int64_t table_bytes_;
    tx::detail::arena_lease lease_;
};

template <class Memory> class loop_buffers_in {
public:
    // `outputs` are those of the body, so a while_loop's count is not among them. `memory` are arguments of Memory's constructor,
    // after the numbers of bytes.
    template <class... M>
    loop_buffers_in(loop_form const& form, table_view<loop_value> operands, table_view<loop_value> outputs, M&... memory)
        : form_{form}, operands_{operands}, outputs_{outputs},
          memory_(table_bytes(operands, outputs), value_bytes(form, outputs), memory...) {
        std::byte* at = memory_.tables();
        arguments_ = new (at) void const*[operands.size() + 1];
        at += rounded(static_cast<std::int64_t>((operands.size() + 1) * sizeof(void*)));
        results_ = new (at) void*[outputs.size() + 1];
        at += rounded(static_cast<std::int64_t>((outputs.size() + 1) * sizeof(void*)));
        second_ = new (at) std::byte*[outputs.size() + 1];
        first_ =
            new (at + rounded(static_cast<std::int64_t>((outputs.size() + 1) * sizeof(void*)))) std::byte*[outputs.size() + 1];
        at = memory_.values();
        for (std::size_t k = 0; k < operands.size(); ++k) arguments_[k] = operands[k].data;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            first_[k] = outputs[k].data;
            if (!first_[k]) first_[k] = at, at += rounded(outputs[k].bytes);
            if (k < form.states) second_[k] = at, at += rounded(outputs[k].bytes);
        }
    }
    loop_buffers_in(loop_buffers_in const&) = delete;
    loop_buffers_in& operator=(loop_buffers_in const&) = delete;

    // Sets the addresses for the iteration at this place of the sequences. `into_second` says which buffer the next state is
    // written to.
    void prepare(std::int64_t place, bool into_second) {
        for (std::size_t k = form_.states; k < form_.states + form_.sequences; ++k)
            arguments_[k] = operands_[k].data + place * operands_[k].bytes;
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            if (k < form_.states) results_[k] = into_second ? second_[k] : first_[k];
            else results_[k] = outputs_[k].data ? outputs_[k].data + place * outputs_[k].bytes : first_[k];
            if (outputs_[k].state >= 0) results_[outputs_[k].state] = results_[k];
        }
    }
    // Makes the state that the iteration wrote the operand of the next iteration.
    void advance() {
        for (std::size_t k = 0; k < form_.states; ++k) arguments_[k] = results_[k];
    }
    // Copies the last state to the results, if it is not there already.
    void store_state() {
        for (std::size_t k = 0; k < form_.states; ++k)
            if (arguments_[k] != first_[k] && outputs_[k].bytes > 0) memory_.copy(first_[k], arguments_[k], outputs_[k].bytes);
    }
    io body() const { return {arguments_, results_}; }
    void const* const* arguments() const { return arguments_; }

private:
    static constexpr std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
    static std::int64_t table_bytes(table_view<loop_value> operands, table_view<loop_value> outputs) {
        return rounded(static_cast<std::int64_t>((operands.size() + 1) * sizeof(void*))) +
               3 * rounded(static_cast<std::int64_t>((outputs.size() + 1) * sizeof(void*)));
    }
    static std::int64_t value_bytes(loop_form const& form, table_view<loop_value> outputs) {
        std::int64_t bytes = 0;
        for (std::size_t k = 0; k < outputs.size(); ++k)
            bytes += rounded(outputs[k].bytes) * ((outputs[k].data ? 0 : 1) + (k < form.states ? 1 : 0));
        return bytes;
    }

    loop_form form_;
    table_view<loop_value> operands_, outputs_;
    Memory memory_;
    void const** arguments_ = nullptr;
    void** results_ = nullptr;
    // These are the two buffers of each state; first_ also has the addresses of all other results, or of memory for those that
    // nobody needs.
    std::byte **first_ = nullptr, **second_ = nullptr;
};
using loop_buffers = loop_buffers_in<host_loop_memory>;

// Calls body(io) for each element of the sequences. The last state is written to the results directly.
template <class Buffers, class Body>
TRACEXPR_INLINE void run_scan(Buffers& memory, loop_form const& form, std::int64_t length, Body&& body) {
    for (std::int64_t step = 0; step < length; ++step) {
        memory.prepare(form.reversed ? length - 1 - step : step, (length - 1 - step) % 2 == 1);
        body(memory.body());
        memory.advance();
    }
    memory.store_state();
}
// Calls body(io) as long as condition(arguments) holds, and returns the number of iterations.
template <class Buffers, class Condition, class Body>
TRACEXPR_INLINE std::int64_t run_while(Buffers& memory, Condition const& condition, Body&& body) {
    std::int64_t count = 0;
    for (; condition(memory.arguments()); ++count) {
        memory.prepare(0, count % 2 == 1);
        body(memory.body());
        memory.advance();
    }
    memory.store_state();
    return count;
}

} // namespace tx::inline TRACEXPR_TARGET::simd
