// This file checks reports of tx::profile.
#pragma once

#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>
#include <json_checker.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace tx::testing {

inline constexpr profile_options twice{.repetitions = 2};

// Checks what must hold for every report.
inline void check_report(profile_report const& r) {
    tx::profile_step const all = r.total();
    double seconds = 0, shares = 0;
    std::int64_t bytes = 0, flops = 0;
    for (tx::profile_step const& s : r.steps) {
        CHECK(!s.name.empty());
        CHECK(s.seconds >= 0);
        seconds += s.seconds, shares += r.share(s), bytes += s.bytes, flops += s.flops;
    }
    CHECK(all.seconds == doctest::Approx(seconds));
    CHECK(all.bytes == bytes);
    CHECK(all.flops == flops);
    if (seconds > 0) CHECK(shares == doctest::Approx(1));
    CHECK(r.seconds >= 0);
    CHECK(is_json(r.to_chrome_trace()));
    std::string const text = r.to_text();
    CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == r.steps.size() + 4);
    std::ostringstream out;
    out << r;
    CHECK(out.str() == text);
}
// Gives the only step whose name begins with `name`.
inline tx::profile_step step_of(profile_report const& r, std::string const& name) {
    tx::profile_step found;
    int count = 0;
    for (tx::profile_step const& s : r.steps)
        if (s.name.starts_with(name)) found = s, ++count;
    CAPTURE(r.to_text());
    CHECK(count == 1);
    return found;
}

struct product_layer {
    tensor<float, shape<32, 16>> w = tx::ones<float>(shape<32, 16>{});
    constexpr auto operator()(auto const& x) const { return tx::matmul(x, w); }
};
inline constexpr auto softmax_of_products = [](product_layer const& l, auto x) { return tx::softmax(l(x)); };

} // namespace tx::testing
