// Derivatives of tx::on_device callables that have several results, and those that are such callables themselves.
#include <thrust/on_device_helper.hpp>

TEST_CASE("on_device: gradients by kernels of one's own, and of several results") {
    constexpr auto cubed = tx::custom_gradient(
        [](auto const& x) {
            return tx::opaque<wide_spec>(tx::on_device([](auto const& v) {
                                             note(v);
                                             return tx::on(points, [](auto const& a) { return a * a * a; })(v);
                                         }),
                                         x);
        },
        [](auto const& x, auto const& g) {
            return tx::opaque<wide_spec>(tx::on_device([](auto const& v, auto const& w) {
                                             note(v), note(w);
                                             return tx::on(points, [](auto const& a, auto const& b) { return 3.0f * a * a * b; })(v, w);
                                         }),
                                         x, g);
        });
    wide const x = values();
    seen.clear();
    CHECK(tx::on(points, tx::grad([cubed](auto const& a) { return tx::sum(cubed(a)); }))(x)(99) == doctest::Approx(3));
    CHECK(seen == names(3, name_there));

    auto const several = tx::on(points, tx::grad([](auto const& a) {
                                    auto const [product, sum] = tx::opaque<wide_spec, scalar_spec>(
                                        tx::on_device([](auto const& v, auto const& factor) {
                                            return std::pair(tx::on(points, [](auto const& b, auto const& c) { return b * c; })(v, factor),
                                                             tx::on(points, [](auto const& b) { return tx::sum(b * b); })(v));
                                        }),
                                        a, tx::max(a));
                                    return tx::sum(product) + sum;
                                }));
    wide const y = several(x); // of sum(x) max(x) + sum(x^2)
    CHECK(y(3) == doctest::Approx(2 + 2 * 0.04));
    CHECK(y(199) == doctest::Approx(2 + 4 + 201).epsilon(1e-4));
}

