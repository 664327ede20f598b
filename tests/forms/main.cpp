// This file tests one program of files with kernels, with tiles and with neither, and with kernels for an older processor: they
// exchange tensors, and share functions and tapes.
#include "../waves.hpp"
#include "programs.hpp"

#include <cmath>
#include <iterator>

namespace {
#if defined(PREBUILT_ALONE)
programs const* const all[]{&forms::prebuilt, &forms::none};
#else
programs const* const all[]{&forms::native, &forms::tiles, &forms::none, &forms::prebuilt};
#endif
} // namespace

TEST_CASE("forms: each file's functions give right numbers") {
    for (programs const* const p : all)
        for (std::int64_t const count : {0, 1, 7, 1000}) {
            INFO(p->name);
            floats const x = numbers(count);
            check(p->eager(x), x, [](double a) { return std::exp(a) * a; });
            check(p->wave(x), x, wave_of);
            check(p->shared_wave(x), x, wave_of);
            floats out = x; // which is read: the copy shares its elements
            p->wave_into(out, x);
            check(out, x, wave_of);
            p->wave_into(out, out);
            check(out, x, [](double a) { return wave_of(wave_of(a)); });
            check(p->shared_scaled(x, 3), x, [](double a) { return 3 * a; });
            check(p->gradient(x), x, [](double a) { return 3 * a * a; });
            std::vector<float> const doubled = p->concrete(x);
            REQUIRE(doubled.size() == static_cast<std::size_t>(count));
            for (std::int64_t i = 0; i < count; ++i) CHECK(doubled[static_cast<std::size_t>(i)] == 2 * x(i));
        }
}

TEST_CASE("forms: tensors inside their objects, decompositions, prints") {
    for (programs const* const p : all) {
        INFO(p->name);
        triple const given{0.5, 1, -2}, t = p->eager_triple(given);
        for (int i = 0; i < 3; ++i) CHECK(t(i) == doctest::Approx(std::exp(given(i)) * given(i)));
        auto const [inverse, moved] = p->solved(matrix{{2, 1}, {1, 1}});
        CHECK(inverse(0, 0) == doctest::Approx(1));
        CHECK(inverse(0, 1) == doctest::Approx(-1));
        CHECK(inverse(1, 1) == doctest::Approx(2));
        CHECK(moved(1, 0) == doctest::Approx(-2));
        CHECK(p->printed(floats{1, 2}) == "y = [2. 4.]");
    }
}

TEST_CASE("forms: graphs are the same, and each file says of itself what is static") {
    for (programs const* const p : all) {
        INFO(p->name);
        CHECK(p->graph() == all[0]->graph());
        CHECK(p->graph().find("sin") != std::string::npos);
        bool const says_so = p->why_not_static(floats{1}).find("TRACEXPR_KERNELS_NONE") != std::string::npos;
        CHECK(says_so == (p == &forms::none));
    }
}

TEST_CASE("forms: a tape records what every file computes") {
    floats const x = numbers(100);
    for (programs const* const first : all)
        for (programs const* const second : all) {
            INFO(first->name << ", " << second->name);
            tx::gradient_tape tape;
            tape.watch(x);
            floats const y = second->eager(first->wave(x));
            check(tape.gradient(y, x), x, [](double a) {
                double const w = wave_of(a);
                return std::exp(w) * (w + 1) * (std::cos(a) * a + std::sin(a));
            });
        }
}

TEST_CASE("forms: what one file traces another's calls are part of") {
    float const k = 2;
    tx::function f{[k](auto x) {
        floats y = x;
        for (programs const* const p : all) y = p->eager(p->wave(y) * 0.1f);
        return y * k;
    }};
    floats const x = numbers(10);
    check(f(x), x, [](double a) {
        for (std::size_t i = 0; i < std::size(all); ++i) a = std::exp(wave_of(a) * 0.1) * wave_of(a) * 0.1;
        return 2 * a;
    });
}
