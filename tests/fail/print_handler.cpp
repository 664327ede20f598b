// expect: tx: on_print: takes a callable of a line
#include <tracexpr/tracexpr.hpp>

void call() {
#ifdef FIXED
    tx::on_print([](std::string const&) {});
#else
    tx::on_print([] {});
#endif
}
