// What an error says.
#pragma once

#include <tracexpr/base/error.hpp>

#include <string>

// The message of the Error that the call f() throws.
template <class Error = tx::error, class F> std::string message_of(F&& f) {
    try {
        f();
    } catch (Error const& e) {
        return e.what();
    }
    return "nothing was thrown";
}
