// What a call throws, as text.
#pragma once

#include <tracexpr/base/error.hpp>

#include <string>

// Empty where nothing is thrown.
template <class Call> std::string text_of_error(Call const& call) {
    try {
        call();
    } catch (tx::error const& e) {
        return e.what();
    }
    return "";
}
