// expect: the_text_must_have_a_pair_of_braces_for_each_value | call to consteval function
// shows: the_text_must_have_a_pair_of_braces_for_each_value
#include <tracexpr/tracexpr.hpp>

void call() {
#ifdef FIXED
    tx::assert_that(true, "{} and {}", 1, 2);
#else
    tx::assert_that(true, "{} and", 1, 2);
#endif
}
