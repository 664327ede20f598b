// This file tests computations in destructors of static objects, and in a forked process.
#include <tracexpr/tracexpr.hpp>

#include <cstdio>
#include <cstdlib>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using vector = tx::tensor<float, tx::shape<tx::dyn>>;
constexpr auto sum_of_exp = [](auto x) { return tx::sum(tx::exp(x)); };
vector zeros() { return vector(tx::tensor<float, tx::shape<300000>>{}); }
int failed = 0;
void check(bool right, char const* what) {
    if (!right) std::fprintf(stderr, "wrong: %s\n", what), ++failed;
}

float factor = 3; // captured: traced at run time
tx::function scaled{[k = factor](auto x) { return tx::cumsum(x) * k; }};
tx::tensor<std::string> const words{"a", "b"};
struct at_exit {
    ~at_exit() {
        vector const x{1, 2, 3};
        check(tx::equal(x / tx::sum(x) * 6, x), "eager ops");
        check(tx::equal(tx::sort(tx::flip(x)), x), "sort");
        check(tx::equal(scaled(x), vector{3, 9, 18}), "traced at run time");
        check((words + words)(1) == "bb", "strings");
        check(tx::on(tx::cpu{.threads = 2}, sum_of_exp)(zeros())() == 300000, "threads that have ended");
        if (failed) std::_Exit(1);
    }
} const last;

} // namespace

int main() {
    vector const x{1, 2, 3};
    static_cast<void>(x / tx::sum(x) + tx::sort(x) + scaled(x));
    auto const placed = tx::on(tx::cpu{.threads = 2}, sum_of_exp);
    check(placed(zeros())() == 300000, "threads");
#if defined(__unix__)
    if (pid_t const child = fork(); child == 0) {
        alarm(60);
        std::_Exit(placed(zeros())() == 300000 ? 0 : 1);
    } else {
        int status = -1;
        waitpid(child, &status, 0);
        check(status == 0, "threads of a forked process");
    }
#endif
    return failed;
}
