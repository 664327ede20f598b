// This file tests random programs, traced when they run, on a device of Thrust's: their results, and what opaque callables see
// and in which order, are those of the same statements on tensors. TRACEXPR_SEEDS=first:last tries other seeds.
#include <thrust/traced_call.hpp>

#include <random_programs.hpp>

using namespace tx::testing;

namespace {

constexpr std::uint32_t types = tx::detail::interpreted_dtypes<double, std::uint64_t>();

std::string difference(double const* a, double const* b, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        if (!(std::abs(a[k] - b[k]) <= 1e-9 * (1 + std::abs(a[k]) + std::abs(b[k])))) return std::to_string(a[k]) + ", not " + std::to_string(b[k]);
    return "";
}
void check(unsigned long seed) {
    vec const x{0.53, -0.71, 0.3137}, y{-0.27, 0.93, 0.41};
    random_program const p(seed, {});
    variables before;
    seen().clear(), tx::random::seed(7);
    vec const wanted = interpreter<own_shape, variables>(p, before).run(x, y);
    std::vector<double> const calls = seen();
    variables v;
    traced_call<vec, vec> const call([&](auto a, auto b) { return interpreter<own_shape, variables>(p, v).run(a, b); }, x, y);
    INFO(tx::to_text(call.graph()));
    seen().clear(), tx::random::seed(7);
    auto const got = run_interpreted<types>(call.graph(), call.arguments);
    CHECK(difference(reinterpret_cast<double const*>(got[0].bytes.data()), wanted.data(), 3) == "");
    CHECK(seen().size() == calls.size());
    CHECK(difference(seen().data(), calls.data(), std::min(seen().size(), calls.size())) == "");
}

} // namespace

TEST_CASE("run on a device: random programs") {
    unsigned long first = 0, last = 400;
    if (char const* const text = std::getenv("TRACEXPR_SEEDS")) std::sscanf(text, "%lu:%lu", &first, &last);
    std::int64_t const before = device().bytes_in_use();
    for (unsigned long seed = first; seed < last; ++seed) {
        CAPTURE(seed);
        check(seed);
    }
    CHECK(device().bytes_in_use() == before);
}
