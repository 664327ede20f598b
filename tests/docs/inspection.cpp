// Looking inside: how long each step of a function takes, and what its graph looks like. `#include <tracexpr/inspect.hpp>`.
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>

using matrix = tx::tensor<float, tx::shape<8, 8>>;

TEST_CASE("profile, profile_options, profile_report, profile_step") {
    tx::function const f{[](auto x) { return tx::exp(tx::matmul(x, x)); }};
    tx::profile_report const report = tx::profile(tx::profile_options{.repetitions = 3}, f, tx::ones<float>(tx::shape<8, 8>{}));
    CHECK(report.signature == "(float32[8,8]) -> float32[8,8]");
    CHECK(report.repetitions == 3);
    std::int64_t operations = 0;
    for (tx::profile_step const& step : report.steps) operations += step.flops;
    CHECK(operations == report.total().flops);
    CHECK(report.to_text().find("matmul") != std::string::npos);
    CHECK(report.to_chrome_trace().front() == '{'); // for chrome://tracing or ui.perfetto.dev
}

TEST_CASE("to_dot, to_svg, to_html, to_text, to_json") {
    tx::function const f{[](auto x) { return tx::exp(x) * 2; }};
    auto const c = f.concrete<tx::spec<float, tx::shape<8, 8>>>();
    CHECK(c.to_dot().find("digraph") != std::string::npos); // loops as clusters
    CHECK(c.to_svg().find("<svg") != std::string::npos);
    CHECK(c.to_html().find("<html") != std::string::npos);   // a page, with the text of explain_passes
    CHECK(c.graph().to_text().find("exp") != std::string::npos);
    CHECK(c.graph().to_json().front() == '{');
}
