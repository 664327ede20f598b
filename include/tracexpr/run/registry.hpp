// This file holds what one function object has traced: which of the compiler's traces it has used, and its run-time traces.
// Threads share it.
#pragma once

#include <tracexpr/base/line_handler.hpp>
#include <tracexpr/run/runtime_trace.hpp>
#include <tracexpr/run/signature.hpp>

#include <atomic>

namespace tx {

namespace detail {

template <class Unused = void> line_handler& retrace_warnings();

// Counts the argument types with which functions of one type are called. It is constant-initialised, because a function may be
// called while namespace-scope objects are being made.
template <class Function> inline constinit std::atomic<unsigned> signature_count{0};
// Holds the number of the argument types as a bit, for calls to test: 0 before there is a number, and for numbers of 64 and more.
template <class Function, class... A> inline constinit std::atomic<std::uint64_t> signature_bit{0};
constexpr std::uint64_t bit_of_signature(unsigned number) { return number < 64 ? std::uint64_t{1} << number : 0; }
template <class Function, class... A> [[gnu::cold]] TRACEXPR_NOINLINE unsigned number_of_signature() {
    static unsigned const number = ++signature_count<Function>;
    signature_bit<Function, A...>.store(bit_of_signature(number), std::memory_order_relaxed);
    return number;
}

struct traced_call;

// trace_maker says how a call is traced for shapes of its parameters, and written as a signature.
struct trace_maker {
    void const* call;
    runtime_program (*make)(void const* call, table_view<dims> shapes);
    signature_text (*describe)(void const* call, graph_view const& traced);
};

class trace_registry {
public:
    constexpr trace_registry() = default;
    // A copy starts without traces: no two functions share any.
    constexpr trace_registry(trace_registry const&) {}
    // Assignment forgets what was traced of the function that is assigned to.
    constexpr trace_registry& operator=(trace_registry const&) {
        if (!__builtin_is_constant_evaluated()) clear();
        return *this;
    }
    constexpr ~trace_registry() {
        if (!__builtin_is_constant_evaluated())
            if (tables* const made = table_.load(std::memory_order_acquire)) destroy_now(made);
    }

    // Has everything been noted of calls with this signature?
    TRACEXPR_INLINE bool is_settled(std::uint64_t signature) const {
        return (settled_.load(std::memory_order_acquire) & signature) != 0;
    }
    // Counts a trace of the compiler's the first time it is used. `describe` makes its signature_text.
    template <class Describe> [[gnu::cold]] TRACEXPR_NOINLINE void note(unsigned number, Describe const& describe) {
        note_now(number, [](void const* of_call) { return (*static_cast<Describe const*>(of_call))(); }, &describe);
    }

    // Returns the program for a call; it is traced at most once, even by several threads, and a trace that throws leaves none
    // behind. `known_shapes` says what the trace may know of the parameters' shapes, from least to most: if that is too little
    // the next is tried. `given` are the call's shapes.
    template <class Unused = void>
    std::shared_ptr<runtime_program const> find_or_trace(unsigned number, key_values const& keys,
                                                         buffer<buffer<dims>> const& known_shapes, table_view<dims> given,
                                                         bool reduce_retracing, trace_maker const& maker);
    // Returns the program for these shapes, and no others.
    template <class Unused = void>
    std::shared_ptr<runtime_program const> find_or_make(unsigned number, key_values const& keys, buffer<dims> const& shapes,
                                                        bool reduces_retracing, trace_maker const& maker);
    // Takes over a trace of another function.
    template <class Unused = void> void adopt(unsigned number, key_values const& keys, buffer<dims> const& shapes,
                                              std::shared_ptr<runtime_program const> const& program, signature_text written);

    // Returns the number of these traces; they get another number when they are forgotten.
    template <class Unused = void> std::uint64_t number() const;
    // Counts a call whose trace was found otherwise.
    template <class Unused = void> void count_call() const;

    std::size_t size() const { return size_now(); }
    std::vector<std::string> signatures() const { return signatures_now(); }
    void clear() { clear_now(); }

private:
    struct tables;

    template <class Unused = void> static void destroy_now(tables* made);
    template <class Unused = void> void note_now(unsigned number, signature_text (*describe)(void const*), void const* call);
    template <class Unused = void> std::size_t size_now() const;
    template <class Unused = void> std::vector<std::string> signatures_now() const;
    template <class Unused = void> void clear_now();

    // Returns the place of a trace, which may not have been made yet.
    template <class Unused>
    std::shared_ptr<traced_call> slot(unsigned number, key_values const& keys, buffer<dims> const& shapes);
    // Stores a program. Of two programs that were made for one call the first one counts. A function that was cleared meanwhile
    // stores none.
    template <class Unused> std::shared_ptr<runtime_program const>
    store(traced_call& call, std::shared_ptr<runtime_program const> const& made, signature_text written, bool reduces_retracing);
    // Returns the tables, which are made on first use, so that a function can be constexpr.
    template <class Unused> tables& table() const;

    std::atomic<std::uint64_t> settled_ = 0;
    mutable std::atomic<tables*> table_ = nullptr;
};

} // namespace detail

// Calls f(std::string const&) instead of printing the warning that a function is traced too often.
template <class F> void on_retrace_warning(F f) { detail::retrace_warnings<>().set(std::move(f)); }

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/registry_bodies.hpp>
#endif

namespace tx::detail {
TRACEXPR_INSTANCE(line_handler& retrace_warnings<void>())
TRACEXPR_INSTANCE(std::shared_ptr<runtime_program const> trace_registry::find_or_trace<void>(
    unsigned, key_values const&, buffer<buffer<dims>> const&, table_view<dims>, bool, trace_maker const&))
TRACEXPR_INSTANCE(std::shared_ptr<runtime_program const> trace_registry::find_or_make<void>(unsigned, key_values const&,
                                                                                            buffer<dims> const&, bool,
                                                                                            trace_maker const&))
TRACEXPR_INSTANCE(void trace_registry::adopt<void>(unsigned, key_values const&, buffer<dims> const&,
                                                   std::shared_ptr<runtime_program const> const&, signature_text))
TRACEXPR_INSTANCE(std::uint64_t trace_registry::number<void>() const)
TRACEXPR_INSTANCE(void trace_registry::count_call<void>() const)
TRACEXPR_INSTANCE(void trace_registry::destroy_now<void>(tables*))
TRACEXPR_INSTANCE(void trace_registry::note_now<void>(unsigned, signature_text (*)(void const*), void const*))
TRACEXPR_INSTANCE(std::size_t trace_registry::size_now<void>() const)
TRACEXPR_INSTANCE(std::vector<std::string> trace_registry::signatures_now<void>() const)
TRACEXPR_INSTANCE(void trace_registry::clear_now<void>())
} // namespace tx::detail
