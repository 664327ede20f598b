// This file gets the messages of errors.
#pragma once

#include <tracexpr/base/error.hpp>

#include <string>

// Gives the message of the Error that the call f() throws.
template <class Error = tx::error, class F> std::string message_of(F&& f) {
    try {
        f();
    } catch (Error const& e) {
        return e.what();
    }
    return "nothing was thrown";
}
