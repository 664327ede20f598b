// expect: tx: function: of what std::ref refers to the members are read at each call
#include <tracexpr/tracexpr.hpp>

#include <functional>

class scale {
public:
    explicit scale(float by) : by_{by} {}
    auto operator()(auto x) const { return x * by_; }

private:
    float by_;
};

int main() {
    scale s(2);
#ifdef FIXED
    tx::function f{s};
#else
    tx::function f{std::ref(s)};
#endif
    return f(tx::tensor<float>{1, 2}).size() == 2 ? 0 : 1;
}
