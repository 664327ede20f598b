// expect: tx: scan: all sequences must have one extent along the first axis
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
constexpr std::int64_t other = 4;
#else
constexpr std::int64_t other = 3;
#endif
tx::function const f{[](auto x, auto y) {
    return tx::scan([](auto s, auto in) { return std::pair(s + std::get<0>(in) * std::get<1>(in), s); }, tx::sum(x),
                    std::tuple(x, y))
        .second;
}};
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<float, tx::shape<other>> const& y) { return f(x, y); }
