// This file gives the text of what a call throws.
#pragma once

#include <tracexpr/base/error.hpp>

#include <string>

// Gives the error's text; it is empty where nothing is thrown.
template <class Call> std::string text_of_error(Call const& call) {
    try {
        call();
    } catch (tx::error const& e) {
        return e.what();
    }
    return "";
}
