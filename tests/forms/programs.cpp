// Compiled in several forms, all of them linked into one program. PROGRAMS is the name of this copy's.
#include "programs.hpp"

#define NAME_OF(text) #text
#define NAME(macro) NAME_OF(macro)

programs const forms::PROGRAMS{
    NAME(PROGRAMS),
    [](row const& x) -> row { return tx::exp(x) * x; },
    [](triple const& x) -> triple { return tx::exp(x) * x; },
    [](row const& x) { return tx::function{wave}(x); },
    [](row& out, row const& x) { tx::function{wave}.into(out, x); },
    [](row const& x) { return shared_wave(x); },
    [](row const& x, float by) -> row { return tx::function{scaled{by}}(x); },
    [](row const& x) { return tx::grad(sum_of_cubes)(x); },
    [](matrix const& m) {
        return tx::function{[](auto a) {
            auto const i = tx::linalg::inv(a);
            return std::tuple(i, 2 * tx::transpose(i));
        }}(m);
    },
    [](row const& x) {
        row const y = tx::function{twice}.concrete<tx::spec<float, tx::shape<tx::dyn>>>()(x);
        return std::vector<float>(y.begin(), y.end());
    },
    [](row const& x) {
        std::string out;
        tx::on_print([&](std::string const& line) { out += line; });
        tx::function{[](auto a) {
            tx::print("y = {}", a + a);
            return a;
        }}(x);
        tx::on_print(nullptr);
        return out;
    },
    [] { return tx::graph_of<tx::spec<float, tx::shape<tx::dyn>>>(wave).to_text(); },
    [](row const& x) { return std::string(tx::why_not_static(wave, x)); },
};
