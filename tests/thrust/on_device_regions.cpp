// tx::on_device: callables in branches and loops of placed functions, and for each example of a batch.
#include <thrust/on_device_helper.hpp>

TEST_CASE("on_device: in branches and loops, in program order with prints") {
    constexpr auto f = [](auto const& x) {
        auto const counted = [](auto const& s) { return tx::opaque<wide_spec>(tx::on_device(twice), s); };
        auto const a = tx::cond(
            tx::sum(x) > 0, [&] { return counted(x); },
            [&] {
                tx::print("else");
                return x;
            });
        auto const b = tx::while_loop([](auto const& s) { return tx::sum(s) < 100000.0f; }, [&](auto const& s) { return counted(s); }, a);
        auto const scanned = tx::scan([&](auto const& s, auto const& k) { return std::pair(counted(s) + k, tx::sum(k)); }, b,
                                      tx::stack(tx::axis<0>, x, x, x));
        return scanned.first;
    };
    in_traces_on(points, f, [](auto const& g) {
        seen.clear();
        wide const y = g(ramp()); // sums: 20100, twice that, and until it is 160800; then three times
        CHECK(y(4) == ((5 * 8 * 2 + 5) * 2 + 5) * 2 + 5);
        CHECK(seen == names(6, name_there));
    });
}

TEST_CASE("on_device: for each example, where its branch is taken") {
    constexpr auto f = [](auto const& x) {
        return tx::cond(tx::sum(x) > 0, [&] { return tx::opaque<wide_spec>(tx::on_device(twice), x); }, [&] { return x * 5.0f; });
    };
    in_traces_on(points, tx::vmap(f), [](auto const& g) {
        seen.clear();
        auto const y = g(tx::stack(tx::axis<0>, ramp(), -ramp(), ramp() + 1.0f));
        CHECK(seen == names{name_there, name_there});
        CHECK(y(0, 3) == 8);
        CHECK(y(1, 3) == -20);
        CHECK(y(2, 3) == 10);
    });
}
