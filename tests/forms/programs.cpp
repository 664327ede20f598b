// This file is compiled in several forms, all of them linked into one program. PROGRAMS is the name of this copy's functions.
#include "programs.hpp"

#define NAME_OF(text) #text
#define NAME(macro) NAME_OF(macro)

programs const forms::PROGRAMS{
    NAME(PROGRAMS),
    [](floats const& x) -> floats { return tx::exp(x) * x; },
    [](triple const& x) -> triple { return tx::exp(x) * x; },
    [](floats const& x) { return tx::function{wave}(x); },
    [](floats& out, floats const& x) { tx::function{wave}.into(out, x); },
    [](floats const& x) { return shared_wave(x); },
    [](floats const& x, float by) -> floats { return tx::function{scaled{by}}(x); },
    [](floats const& x) { return tx::grad(sum_of_cubes)(x); },
    [](matrix const& m) {
        return tx::function{[](auto a) {
            auto const i = tx::linalg::inv(a);
            return std::tuple(i, 2 * tx::transpose(i));
        }}(m);
    },
    [](floats const& x) {
        floats const y = tx::function{twice}.concrete<tx::spec<float, tx::shape<tx::dyn>>>()(x);
        return std::vector<float>(y.begin(), y.end());
    },
    [](floats const& x) {
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
    [](floats const& x) { return std::string(tx::why_not_static(wave, x)); },
};
