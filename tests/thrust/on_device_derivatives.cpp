// Derivatives of tx::on_device callables in loops, branches and checkpoints of placed functions.
#include <thrust/on_device_helper.hpp>

#include <cmath>

namespace {

constexpr auto squared = [](auto const& x) {
    note(x);
    return on_its_device(x, [](auto const& a) { return a * a; });
};
constexpr auto called = [](auto const& x) { return tx::opaque<wide_spec>(tx::on_device(squared), x); };

} // namespace

TEST_CASE("on_device: gradients in loops, branches and checkpoints") {
    constexpr auto eighth = [](auto const& x) {
        auto const powers = tx::fori_loop(0, 3, [](auto, auto const& s) { return called(s); }, x);
        return tx::sum(tx::cond(tx::sum(x) > 0, [&] { return called(x) * x + powers; }, [&] { return x; })); // x^3 + x^8
    };
    in_traces_on(points, tx::grad(eighth), [](auto const& slope) {
        wide const x = values();
        seen.clear();
        wide const y = slope(x);
        CHECK(seen == names(4, name_there));
        for (int i : {30, 99, 120}) CHECK(y(i) == doctest::Approx(3 * std::pow(x(i), 2) + 8 * std::pow(x(i), 7)).epsilon(1e-4));
    });
    int const kept = 1;
    auto const again = tx::on(points, tx::grad([kept](auto const& x) {
                                  static_cast<void>(kept);
                                  return tx::sum(tx::checkpoint([](auto const& a) { return called(a) * a; })(x));
                              }));
    seen.clear();
    CHECK(again(values())(99) == doctest::Approx(3));
    CHECK(seen == names{name_there});
}
