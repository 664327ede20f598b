// This file marks calls of the user's callables in a run. They may call functions of this library, so what the run holds must
// stay.
#pragma once

namespace tx::detail {

// While one of these exists, a user's callable is running on this thread.
class user_call {
public:
    user_call() { ++under_way(); }
    ~user_call() { --under_way(); }
    user_call(user_call const&) = delete;
    user_call& operator=(user_call const&) = delete;

    static int& under_way() {
        thread_local int count = 0;
        return count;
    }
};

} // namespace tx::detail
