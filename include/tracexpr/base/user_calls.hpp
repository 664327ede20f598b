// Calls of the user's functions out of a run: they may call functions of this library, so what the run holds must stay.
#pragma once

namespace tx::detail {

// While it exists, such a call is under way on this thread.
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
