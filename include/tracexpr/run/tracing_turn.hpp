// This file lets one thread trace something while others that want the same wait for it. No lock is held meanwhile, because a
// callable is user code, which may itself call functions.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/error.hpp>
#include <tracexpr/base/lasting.hpp>
#include <tracexpr/base/waited_atomic.hpp>

#include <cstdint>
#include <mutex>
#include <utility>

namespace tx::detail {

[[noreturn]] TRACEXPR_ONCE void throw_calls_itself() {
    throw trace_error(
        "tx: function: while it is traced, the callable calls its own function with the same signature, which has no end; call "
        "the function for other values outside of the callable, or give a call inside it another signature or tx::key");
}

class tracing_turn {
public:
    // While it lives this thread traces. It waits for another thread that does, unless that one, directly or by way of others,
    // waits for something that this one traces: then both trace, and the first result counts. Throws trace_error if this thread
    // is tracing it already.
    class holder {
    public:
        explicit holder(tracing_turn& turn) : turn_{turn} {
            std::unique_lock lock(guard());
            if (turn.owner_ == &self()) throw_calls_itself();
            while (turn.owner_ && !turn.owner_->waits_for_me()) {
                self().awaited = &turn;
                std::uint32_t const seen = turns_given_back().load(std::memory_order_relaxed);
                lock.unlock();
                turns_given_back().wait(seen, std::memory_order_relaxed);
                lock.lock();
                self().awaited = nullptr;
            }
            if (!turn.owner_) turn.owner_ = &self(), is_owner_ = true;
        }
        holder(holder const&) = delete;
        holder& operator=(holder const&) = delete;
        ~holder() {
            if (!is_owner_) return;
            std::lock_guard const lock(guard());
            turn_.owner_ = nullptr;
            turns_given_back().fetch_add(1, std::memory_order_relaxed);
            turns_given_back().notify_all();
        }

    private:
        tracing_turn& turn_;
        bool is_owner_ = false;
    };

private:
    struct participant {
        tracing_turn const* awaited = nullptr;
        bool waits_for_me() const {
            participant const* const next = awaited ? awaited->owner_ : nullptr;
            return next && (next == &self() || next->waits_for_me());
        }
    };
    static participant& self() {
        static constinit thread_local participant own;
        return own;
    }
    static std::mutex& guard() { return lasting<std::mutex, tracing_turn>(); }
    // This changes under the lock. (The header of std::condition_variable costs each include more than this.)
    static waited_atomic<std::uint32_t>& turns_given_back() { return lasting<waited_atomic<std::uint32_t>, tracing_turn>(); }

    participant const* owner_ = nullptr;
};

} // namespace tx::detail
