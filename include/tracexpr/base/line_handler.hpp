// This file has the receiver of the lines that a program prints: a callable of the user's, or a stream of the C library.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/user_calls.hpp>

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tx::detail {

class line_handler {
public:
    explicit line_handler(std::FILE* by_default) : stream_{by_default} {}

    template <class F> void set(F f) {
        auto kept = std::make_shared<F>(std::move(f));
        std::lock_guard const lock(mutex_);
        state_ = kept;
        call_ = [](void* state, std::string_view line) { (*static_cast<F*>(state))(std::string(line)); };
    }
    void reset() {
        std::lock_guard const lock(mutex_);
        state_.reset(), call_ = nullptr;
    }
    [[gnu::cold]] TRACEXPR_NOINLINE void operator()(std::string_view line) {
        std::shared_ptr<void> state;
        void (*call)(void*, std::string_view) = nullptr;
        {
            std::lock_guard const lock(mutex_);
            state = state_, call = call_;
        }
        if (call) {
            user_call const one;
            return call(state.get(), line);
        }
        std::string const whole = std::string(line) + '\n'; // One call keeps the lines of several threads whole.
        std::fwrite(whole.data(), 1, whole.size(), stream_);
    }

private:
    std::FILE* stream_;
    std::mutex mutex_;
    std::shared_ptr<void> state_;
    void (*call_)(void*, std::string_view) = nullptr;
};

} // namespace tx::detail
