// This file keeps the records of calls which a run makes, for derivatives of those calls.
#pragma once

#include <tracexpr/graph/shown.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace tx::detail {

// A recorded_call is what a call did. The run that made the call owns it (see recorded_calls).
struct recorded_call {
    recorded_call* before = nullptr;
    // Computes the derivative that the number call_form::derivative stands for.
    void (*derive)(recorded_call& call, std::int64_t derivative, table_view<shown_value> operands,
                   std::byte* const* results) = nullptr;
    void (*discard)(recorded_call* call) = nullptr;
};
inline constinit thread_local recorded_call* last_recorded_call = nullptr;

// Owns the records from `last` back to, but without, `before`.
class kept_calls {
public:
    kept_calls(recorded_call* last, recorded_call* before) : last_{last}, before_{before} {}
    kept_calls(kept_calls const&) = delete;
    kept_calls& operator=(kept_calls const&) = delete;
    ~kept_calls() {
        while (last_ != before_) last_->discard(std::exchange(last_, last_->before));
    }

private:
    recorded_call *last_, *before_;
};
// Owns the records that a run makes: they are deleted at the end of the run.
class recorded_calls {
public:
    recorded_calls() = default;
    recorded_calls(recorded_calls const&) = delete;
    recorded_calls& operator=(recorded_calls const&) = delete;
    ~recorded_calls() {
        if (last_recorded_call != before_) kept_calls const gone(std::exchange(last_recorded_call, before_), before_);
    }
    // Hands the records over to another owner.
    std::shared_ptr<void const> release() {
        auto out = std::make_shared<kept_calls const>(last_recorded_call, before_);
        last_recorded_call = before_;
        return out;
    }

private:
    recorded_call* before_ = last_recorded_call;
};

inline std::uint64_t address_of(void const* object) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(object));
}
template <class T> T& object_at(std::uint64_t address) { return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(address)); }

} // namespace tx::detail
