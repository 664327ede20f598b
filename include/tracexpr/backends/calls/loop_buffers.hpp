// What the iterations of a loop read and write. The state goes back and forth between the result's memory and a second one, so no
// iteration copies or allocates; elements of sequences are read and written where they lie, and a state of which a sequence is
// made lies there, too.
#pragma once

#include <tracexpr/backends/arenas.hpp>
#include <tracexpr/backends/calls/io.hpp>
#include <tracexpr/graph/regions.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace tx::inline TRACEXPR_TARGET::simd {

// Of a loop's operand, or of a result. The bytes are those of a whole state, or of a sequence's element.
struct loop_value {
    std::byte* data = nullptr; // of a result: null where nobody needs it; of a token, too
    std::int64_t bytes = 0;
    std::int32_t state = -1; // of a result that is a sequence: which state its elements are
};
// Which results of a loop are the states that its body makes.
inline void note_states(loop_form const& form, graph_view const& body, loop_value* outputs, std::size_t count) {
    for (std::size_t k = count; k-- > form.states;)
        for (std::size_t state = 0; state < form.states && outputs[k].data; ++state)
            if (body.outputs[k] == body.outputs[state]) outputs[k].state = static_cast<std::int32_t>(state);
}

// Where the values lie, with tables of their places, which are the host's.
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
    // `outputs`: the body's, so those of a while_loop without its count. `memory`: what its constructor takes beside how many
    // bytes it must have.
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

    // For the iteration that reads and writes the elements at this place of the sequences; `into_second`: where the state goes.
    void prepare(std::int64_t place, bool into_second) {
        for (std::size_t k = form_.states; k < form_.states + form_.sequences; ++k)
            arguments_[k] = operands_[k].data + place * operands_[k].bytes;
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            if (k < form_.states) results_[k] = into_second ? second_[k] : first_[k];
            else results_[k] = outputs_[k].data ? outputs_[k].data + place * outputs_[k].bytes : first_[k];
            if (outputs_[k].state >= 0) results_[outputs_[k].state] = results_[k];
        }
    }
    // The state that the iteration made is the next one's.
    void advance() {
        for (std::size_t k = 0; k < form_.states; ++k) arguments_[k] = results_[k];
    }
    // To the results.
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
    std::byte **first_ = nullptr, **second_ = nullptr; // where each state goes; where what nobody needs does
};
using loop_buffers = loop_buffers_in<host_loop_memory>;

// body(io) for each element of the sequences. The last state is written to the results directly.
template <class Buffers, class Body>
TRACEXPR_INLINE void run_scan(Buffers& memory, loop_form const& form, std::int64_t length, Body&& body) {
    for (std::int64_t step = 0; step < length; ++step) {
        memory.prepare(form.reversed ? length - 1 - step : step, (length - 1 - step) % 2 == 1);
        body(memory.body());
        memory.advance();
    }
    memory.store_state();
}
// body(io) as long as condition(arguments). How often that was.
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
