// What op::opaque calls, and what is kept of a call for its derivatives.
#pragma once

#include <tracexpr/graph/call_form.hpp>
#include <tracexpr/graph/shown.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace tx::detail {

// What a call did. It belongs to the run that it was part of: see recorded_calls.
struct recorded_call {
    recorded_call* before = nullptr;
    // Computes the derivative of this form (call_form::derivative).
    void (*derive)(recorded_call& call, std::int64_t derivative, table_view<shown_value> operands,
                   std::byte* const* results) = nullptr;
    void (*discard)(recorded_call* call) = nullptr;
};
inline constinit thread_local recorded_call* last_recorded_call = nullptr;

// Those from `last` back to `before`.
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
// Those that a run makes. It ends with the run, and with it what was recorded.
class recorded_calls {
public:
    recorded_calls() = default;
    recorded_calls(recorded_calls const&) = delete;
    recorded_calls& operator=(recorded_calls const&) = delete;
    ~recorded_calls() {
        if (last_recorded_call != before_) kept_calls const gone(std::exchange(last_recorded_call, before_), before_);
    }
    // Hands them on to another owner.
    std::shared_ptr<void const> release() {
        auto out = std::make_shared<kept_calls const>(last_recorded_call, before_);
        last_recorded_call = before_;
        return out;
    }

private:
    recorded_call* before_ = last_recorded_call;
};

// Calls the function once: with the elements of its operands, for those of its results; null for what nobody needs. `handle`: of
// what it recorded, if that is wanted. A node's first operand is a captured number, the address of one of these.
struct foreign_call {
    void (*run)(void const* state, table_view<shown_value> operands, std::byte* const* results, std::uint64_t* handle) = nullptr;
    void const* state = nullptr;
};

inline std::uint64_t address_of(void const* object) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(object));
}
template <class T> T& object_at(std::uint64_t address) { return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(address)); }

// Once for each example; where there is a condition, only for those for which it is true: the results of others are 0.
inline void call_foreign(attribute_span attributes, table_view<shown_value> operands, dims const& extents,
                         std::byte* const* results) {
    call_form const form(attributes);
    std::size_t const first = form.first_input(), count = form.results();
    auto* const handles = reinterpret_cast<std::uint64_t*>(results[0]);
    if (form.batch_axes == 0 && !form.has_condition && !form.is_derivative()) { // as a call of one example, without its copies
        auto const& called = object_at<foreign_call const>(*static_cast<std::uint64_t const*>(operands[0].data));
        if (handles) *handles = 0;
        return called.run(called.state, operands.subspan(first), results + 1, form.derivative ? handles : nullptr);
    }
    buffer<std::byte*> of_one(count + 1);
    for (std::int64_t i = 0; i < extents.size(); ++i) {
        auto const value = [&](std::size_t k) { return example_of(operands[k], i, form.batch_axes); };
        std::uint64_t const callee = static_cast<std::uint64_t const*>(operands[0].data)[operands[0].extents.rank ? i : 0];
        bool const is_called = callee && !(form.has_condition && !*static_cast<bool const*>(value(1).data));
        if (handles) handles[i] = 0;
        for (std::size_t k = 0; k < count; ++k) {
            std::int64_t const like = form.like(k);
            dims const shape = like < 0 ? form.result_shape({}, k) : value(static_cast<std::size_t>(like)).extents;
            std::int64_t const bytes = shape.size() * static_cast<std::int64_t>(size_in_bytes(form.result_type(k)));
            of_one[k] = results[k + 1] ? results[k + 1] + i * bytes : nullptr;
            if (of_one[k] && (!is_called || form.is_derivative()) && bytes)
                std::memset(of_one[k], 0, static_cast<std::size_t>(bytes));
        }
        if (!is_called) continue;
        buffer<shown_value> values;
        for (std::size_t k = first; k < operands.size(); ++k) values.push_back(value(k));
        if (form.is_derivative()) {
            auto& call = object_at<recorded_call>(callee);
            call.derive(call, form.derivative, values, of_one.data());
        } else {
            auto const& called = object_at<foreign_call const>(callee);
            called.run(called.state, values, of_one.data(), handles && form.derivative ? handles + i : nullptr);
        }
    }
}

} // namespace tx::detail
