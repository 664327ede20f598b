// This file tracks which traces are under way in the running program, and which of them a thread records into. A value may
// outlive its trace, if the callable leaked it; by then another trace may have the same address, so traces are identified by
// numbers.
#pragma once

#include <tracexpr/base/lasting.hpp>
#include <tracexpr/base/tensor.hpp>

#include <mutex>

namespace tx {
struct trace_scope;
}

namespace tx::detail {

// The innermost trace that is open on this thread, or null. It records ops whose operands are all read at each run. (In the
// compiler's traces operands refer to their trace.)
inline constinit thread_local trace_scope* innermost_trace = nullptr;

// The number of traces that are open on this thread; the limit keeps callables that call themselves from overflowing the stack.
inline constinit thread_local int open_traces = 0;
inline constexpr int max_open_traces = 200;
[[noreturn]] TRACEXPR_ONCE void throw_nested_calls() {
    throw trace_error("tx: function: calls inside traced callables nest at most 200 deep; a callable must not call its own "
                      "function without end");
}

// Makes a trace the innermost one while a callable records into it.
class [[nodiscard]] open_trace {
public:
    constexpr explicit open_trace(trace_scope& scope) : open_trace(&scope) {
        if (!__builtin_is_constant_evaluated()) calls_may_be_watched.store(true, std::memory_order_relaxed);
    }
    // Makes no trace the innermost one, for as long as this object lives.
    constexpr explicit open_trace(std::nullptr_t) : open_trace(static_cast<trace_scope*>(nullptr)) {}
    open_trace(open_trace const&) = delete;
    open_trace& operator=(open_trace const&) = delete;
    constexpr ~open_trace() {
        if (!__builtin_is_constant_evaluated()) innermost_trace = outer_, open_traces -= counts_;
    }

private:
    constexpr explicit open_trace(trace_scope* scope) : counts_{scope ? 1 : 0} {
        if (__builtin_is_constant_evaluated()) return;
        if (open_traces + counts_ > max_open_traces) throw_nested_calls();
        open_traces += counts_;
        outer_ = std::exchange(innermost_trace, scope);
    }
    trace_scope* outer_ = nullptr;
    int counts_;
};

class live_scopes {
public:
    static void add(symbol_scope& scope) {
        std::lock_guard const lock(guard());
        static constinit std::uint32_t last = 0;
        scope.number = ++last ? last : ++last;
        scope.next = std::exchange(first(), &scope);
    }
    TRACEXPR_ONCE static void remove(symbol_scope& scope) {
        std::lock_guard const lock(guard());
        symbol_scope** link = &first();
        while (*link != &scope) link = &(*link)->next;
        *link = scope.next;
    }
    TRACEXPR_ONCE static bool contain(symbol_scope const* scope, std::uint32_t number) {
        std::lock_guard const lock(guard());
        for (symbol_scope const* live = first(); live; live = live->next)
            if (live == scope) return live->number == number;
        return false;
    }

private:
    static std::mutex& guard() { return lasting<std::mutex, live_scopes>(); }
    static symbol_scope*& first() {
        static constinit symbol_scope* scopes = nullptr;
        return scopes;
    }
};

[[noreturn]] TRACEXPR_ONCE void throw_foreign_symbol() {
    throw trace_error(
        "tx: a symbolic tensor or expr was used outside the trace it belongs to; return it from the traced callable instead");
}
template <class Unused = void> TRACEXPR_NOINLINE void require_live(symbol_scope const* scope, std::uint32_t number) {
    if (!live_scopes::contain(scope, number)) throw_foreign_symbol();
}
TRACEXPR_INSTANCE(void require_live<void>(symbol_scope const*, std::uint32_t))

} // namespace tx::detail
