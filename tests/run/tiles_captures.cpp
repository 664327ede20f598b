// This file tests that programs of run-time traces know the tensors that their traces read: other extents make another program,
// in branches, too.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {

using vector_shape = tx::shape<tx::dyn>;
auto ones(std::int64_t n) { return tx::ones<float, vector_shape>(n); }

tx::tensor<float, vector_shape> live = ones(3);

} // namespace

TEST_CASE("tiles: a live tensor that changes its extents, read in a branch") {
    float k = 1;
    tx::function const f{[&k](auto p) { return tx::cond(p > 0, [&] { return tx::sum(live * k); }, [&] { return tx::sum(live) * -1.0f; }); }};
    CHECK(f(1.0f).item() == 3);
    CHECK(f(-1.0f).item() == -3);
    live = ones(5000);
    CHECK(f(1.0f).item() == 5000);
    CHECK(f(-1.0f).item() == -5000);
    live = ones(2);
    CHECK(f(-1.0f).item() == -2);
    CHECK(f(1.0f).item() == 2);
}

TEST_CASE("tiles: a result beside what is captured is written in place, and one that is captured is not") {
    tx::variable<float, vector_shape> v{ones(1000)};
    float k = 2;
    tx::function const f{[&v, &k](auto x) { return v.value() * k + tx::sum(v.value()) - x; }};
    auto out = f(ones(1000));
    float const* const memory = out.data();
    f.into(out, ones(1000));
    CHECK(out.data() == memory);
    CHECK(out(7) == 1001);
    auto same = v.value();
    f.into(same, ones(1000));
    CHECK(same(999) == 1001);
    CHECK(v.value()(0) == 1);
}
