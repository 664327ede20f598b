// This file keeps the states of a loop in local variables if each is a single element: the compiler then keeps them in registers
// from one iteration of an inlined body to the next.
#pragma once

#include <tracexpr/backends/calls/loop_buffers.hpp>

#include <tuple>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// Takes the place of loop_buffers for a loop of that form. Body is the stages of the region that it runs.
template <class Body, loop_form Loop> class scalar_states {
    static constexpr graph_view g = Body::graph();
    static constexpr std::size_t outputs = g.outputs.size(), parameters = g.parameters.size(), states = Loop.states;
    static constexpr node const& made(std::size_t output) { return g[g.outputs[output]]; }
    static constexpr std::int64_t bytes_of(std::size_t output) {
        return g.shape_of(made(output)).size() * static_cast<std::int64_t>(size_in_bytes(made(output).type));
    }
    static constexpr std::int64_t most_bytes = 64;
    // Returns the number of the output that is the sequence of a state, or the number of outputs if there is none.
    static constexpr std::size_t sequence_of(std::size_t state) {
        for (std::size_t k = states; k < outputs; ++k)
            if (g.outputs[k] == g.outputs[state]) return k;
        return outputs;
    }
    static constexpr bool are_possible() {
        constexpr std::size_t most = 16;
        if (!Body::is_static || states == 0 || states > most) return false;
        for (std::size_t k = 0; k < outputs; ++k) {
            if (made(k).type == dtype::token || made(k).type == dtype::string || bytes_of(k) > most_bytes) return false;
            if (k < states && g.shape_of(made(k)).size() != 1) return false;
        }
        return true;
    }
    template <std::size_t... K> static auto elements_of(std::index_sequence<K...>) -> std::tuple<ctype<made(K).type>...>;
    // Calls f(k as a constant) for k from First to Last - 1, unrolled.
    template <std::size_t First, std::size_t Last, class F> static TRACEXPR_INLINE void for_each(F const& f) {
        [&]<std::size_t... K>(std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
            (f(std::integral_constant<std::size_t, First + K>{}), ...);
        }(std::make_index_sequence<Last - First>{});
    }

public:
    static constexpr bool are_kept = are_possible();

    // `elements` holds the states, the next states, and memory for elements of sequences that nobody needs. They are separate
    // objects, apart from the pointers to them, so that compilers see which of them a pointer can reach.
    using elements = decltype(elements_of(std::make_index_sequence<are_kept ? states : 0>{}));
    struct unneeded {
        alignas(64) std::byte of[outputs + 1][static_cast<std::size_t>(most_bytes)];
    };

    TRACEXPR_INLINE scalar_states(loop_value const* operands, loop_value const* results, elements& now, elements& next,
                                  unneeded& spare)
        : operands_{operands}, wanted_{results}, now_{&now}, next_{&next} {
        for_each<states, parameters>([&](auto k) TRACEXPR_INLINE_LAMBDA { arguments_[k.value] = operands[k.value].data; });
        for_each<states, outputs>([&](auto k) TRACEXPR_INLINE_LAMBDA { results_[k.value] = spare.of[k.value]; });
        for_each<0, states>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            using T = std::tuple_element_t<k.value, elements>;
            std::get<k.value>(now) = *reinterpret_cast<T const*>(operands[k.value].data);
            arguments_[k.value] = &std::get<k.value>(now);
            results_[k.value] = &std::get<k.value>(next);
        });
    }
    scalar_states(scalar_states const&) = delete;
    scalar_states& operator=(scalar_states const&) = delete;

    TRACEXPR_INLINE void prepare(std::int64_t place, bool) {
        for_each<states, states + Loop.sequences>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            arguments_[k.value] = operands_[k.value].data + place * operands_[k.value].bytes;
        });
        for_each<states, outputs>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            if (wanted_[k.value].data) results_[k.value] = wanted_[k.value].data + place * bytes_of(k.value);
        });
        for_each<0, states>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            if constexpr (sequence_of(k.value) < outputs) results_[k.value] = results_[sequence_of(k.value)];
        });
    }
    TRACEXPR_INLINE void advance() {
        for_each<0, states>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            using T = std::tuple_element_t<k.value, elements>;
            if constexpr (sequence_of(k.value) < outputs)
                std::get<k.value>(*now_) = *reinterpret_cast<T const*>(results_[k.value]);
            else std::get<k.value>(*now_) = std::get<k.value>(*next_);
        });
    }
    TRACEXPR_INLINE void store_state() const {
        for_each<0, states>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            using T = std::tuple_element_t<k.value, elements>;
            if (wanted_[k.value].data) *reinterpret_cast<T*>(wanted_[k.value].data) = std::get<k.value>(*now_);
        });
    }
    TRACEXPR_INLINE io body() const { return {arguments_, results_}; }
    TRACEXPR_INLINE void const* const* arguments() const { return arguments_; }

private:
    loop_value const *operands_, *wanted_;
    elements *now_, *next_;
    void const* arguments_[parameters + 1];
    void* results_[outputs + 1];
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
