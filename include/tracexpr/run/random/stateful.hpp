// This file draws random numbers that differ each time: tx::random::normal<float>(tx::shape<5, 5>{}). Whenever a graph runs, each
// draw takes a key of its own from a sequence that tx::random::seed starts anew; the numbers are a function of that key. In a
// static trace one of the operands must belong to the trace.
#pragma once

#include <tracexpr/base/philox.hpp>
#include <tracexpr/run/random/stateless.hpp>
#include <tracexpr/trace/callees.hpp>
#include <tracexpr/trace/effects.hpp>

#include <cstring>
#include <mutex>

#if TRACEXPR_HAS_BODIES
#include <random>
#endif

namespace tx::detail {

// Returns a seed that no other program has.
template <class Unused = void> std::uint64_t any_seed();
#if TRACEXPR_HAS_BODIES
template <class Unused> std::uint64_t any_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}
#endif
TRACEXPR_INSTANCE(std::uint64_t any_seed<void>())

// key_sequence is the program's sequence of keys.
class key_sequence {
public:
    static key_sequence& of_program() {
        static key_sequence all;
        return all;
    }
    void start(std::uint64_t seed) {
        std::lock_guard const lock(mutex_);
        seed_ = seed, drawn_ = 0;
    }
    std::uint64_t next() {
        std::lock_guard const lock(mutex_);
        return philox::element(seed_, sequence_stream, drawn_++, 2);
    }
    // If the sequence is set back to a place, the keys that a run has drawn are drawn again by what comes after it.
    struct place {
        std::uint64_t seed, drawn;
    };
    place where() {
        std::lock_guard const lock(mutex_);
        return {seed_, drawn_};
    }
    void go_back(place const& to) {
        std::lock_guard const lock(mutex_);
        seed_ = to.seed, drawn_ = to.drawn;
    }

private:
    static constexpr std::uint32_t sequence_stream = 0xfffffffc;

    std::mutex mutex_;
    std::uint64_t seed_ = any_seed(), drawn_ = 0;
};
TRACEXPR_ONCE void put_fresh_key(void const*, table_view<shown_value>, std::byte* const* results, std::uint64_t*,
                                 device_memory const*) {
    std::uint64_t const number = key_sequence::of_program().next();
    if (results[0]) std::memcpy(results[0], &number, sizeof number);
}

TRACEXPR_ONCE std::uint64_t next_key() { return key_sequence::of_program().next(); }
TRACEXPR_ONCE constexpr node_id record_fresh_key(trace_scope& scope) {
    call_form::result const specs[]{{dtype::uint64, {}}};
    node_id number{};
    record_callee(scope, stateless_callee<put_fresh_key>::as_captured(), {}, {specs, 1}, {}, &number);
    return number;
}

// Returns a key that no other draw has. `operands` are the draw's, by which its trace is found.
template <class... A> constexpr random::key fresh_key(A const&... operands) {
    using number = tensor<std::uint64_t, shape<>>;
    if (trace_scope* const scope = scope_of_effect(plain_operand(operands)...))
        return {tensor_access::from_symbol<number>(scope, static_cast<std::int32_t>(record_fresh_key(*scope)), dims{})};
    return {number(next_key())};
}

// Explains calls in NumPy's form.
template <class... A> constexpr failed refuse_number_first() {
    static_assert(always_false<A...>,
                  "tx: random: the shape comes first, and behind it what the distribution takes: write "
                  "tx::random::normal<float>(tx::shape<3, 4>{}), tx::random::uniform<float>(tx::shape<3>{}, lo, hi)");
    return {};
}

} // namespace tx::detail

namespace tx::random {

// Restarts the program's random numbers: a program that draws in the same order then has the same numbers. Without it they differ
// from run to run.
inline void seed(std::uint64_t number) { detail::key_sequence::of_program().start(number); }

inline namespace TRACEXPR_CALLS {

// Draws uniform numbers in [0, 1), or in [lo, hi); see stateless_uniform.
template <element T = float, shape_type Shape, class... A> constexpr auto uniform(Shape shape, A const&... a) {
    return stateless_uniform<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto uniform(A const&... a) {
    return stateless_uniform<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand N, class... A> constexpr auto uniform(N const&, A const&...) {
    return detail::refuse_number_first<N>();
}
// Draws normal numbers with mean 0 and standard deviation 1, or those given; see stateless_normal.
template <element T = float, shape_type Shape, class... A> constexpr auto normal(Shape shape, A const&... a) {
    return stateless_normal<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto normal(A const&... a) {
    return stateless_normal<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand N, class... A> constexpr auto normal(N const&, A const&...) {
    return detail::refuse_number_first<N>();
}
// Draws normal numbers within two deviations of the mean; see stateless_truncated_normal.
template <element T = float, shape_type Shape, class... A> constexpr auto truncated_normal(Shape shape, A const&... a) {
    return stateless_truncated_normal<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto truncated_normal(A const&... a) {
    return stateless_truncated_normal<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand N, class... A> constexpr auto truncated_normal(N const&, A const&...) {
    return detail::refuse_number_first<N>();
}
// Draws exponential numbers with mean 1, or the one given; see stateless_exponential.
template <element T = float, shape_type Shape, class... A> constexpr auto exponential(Shape shape, A const&... a) {
    return stateless_exponential<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto exponential(A const&... a) {
    return stateless_exponential<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand N, class... A> constexpr auto exponential(N const&, A const&...) {
    return detail::refuse_number_first<N>();
}
// Draws gamma numbers with shape parameter alpha > 0 and scale 1; see stateless_gamma.
template <element T = float, shape_type Shape, class... A> constexpr auto gamma(Shape shape, A const&... a) {
    return stateless_gamma<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto gamma(A const&... a) {
    return stateless_gamma<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand N, class... A> constexpr auto gamma(N const&, A const&...) {
    return detail::refuse_number_first<N>();
}
// Draws booleans: true with probability 1/2, or the one given; see stateless_bernoulli.
template <shape_type Shape, class... A> constexpr auto bernoulli(Shape shape, A const&... a) {
    return stateless_bernoulli(detail::fresh_key(a...), shape, a...);
}
template <shape_type Shape, class... A> constexpr auto bernoulli(A const&... a) {
    return stateless_bernoulli(detail::fresh_key(a...), Shape{}, a...);
}
template <operand N, class... A> constexpr auto bernoulli(N const&, A const&...) { return detail::refuse_number_first<N>(); }
// Draws whole numbers in [lo, hi); see stateless_randint.
template <element T = std::int64_t, shape_type Shape, class... A> constexpr auto randint(Shape shape, A const&... a) {
    return stateless_randint<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto randint(A const&... a) {
    return stateless_randint<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = std::int64_t, operand N, class... A> constexpr auto randint(N const&, A const&...) {
    return detail::refuse_number_first<N>();
}
// Draws a class for each row of logits: (..., classes) -> (...), int64; see stateless_categorical.
template <array_operand A> constexpr auto categorical(A const& logits) {
    return stateless_categorical(detail::fresh_key(logits), logits);
}
// Returns 0 ... n - 1 in random order; int64.
template <std::int64_t N> constexpr auto permutation() { return stateless_permutation<N>(detail::fresh_key()); }
template <detail::extent_operand N> constexpr auto permutation(N const& n) {
    return stateless_permutation(detail::fresh_key(n), n);
}
// Returns x with its elements along the first axis in random order.
template <array_operand A> constexpr auto shuffle(A const& x) { return stateless_shuffle(detail::fresh_key(x), x); }

} // namespace TRACEXPR_CALLS
} // namespace tx::random

namespace tx::nn {
inline namespace TRACEXPR_CALLS {

// Returns x with each element kept with that probability, and divided by it; the others are 0. Each run keeps other elements.
template <array_operand A, operand P> constexpr auto dropout(A const& x, P const& keep_probability) {
    return dropout(detail::fresh_key(x), x, keep_probability);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
