// This file tests tensors on a device where C++ moves them, where traces and user code read them, and where another kind of
// device has them.
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {

using tx::dyn;
using vector = tx::tensor<float, tx::shape<dyn>>;
using wide = tx::tensor<float, tx::shape<300>>; // on the heap
constexpr tx::thrust_points points{};
constexpr tx::thrust_device threads{};
tx::variable<float, tx::shape<dyn>> factor(vector{1, 2, 3});

// Elements that no process can address.
struct distant_elements : tx::detail::remote_elements {
    static std::string name(remote_elements const&) { return "far away"; }
    static void const* copy(remote_elements&) {
        static constexpr float values[]{10, 20, 30};
        return values;
    }
    distant_elements() { address = nullptr, read = copy, device = name; }
};
vector distant() {
    void* const place = tx::detail::allocate_block(sizeof(distant_elements));
    return tx::detail::tensor_access::from_remote<vector>(::new (place) distant_elements, tx::dims{{3}, 1});
}

} // namespace

TEST_CASE("device: what a tensor was moved from knows nothing of the elements") {
    vector x = tx::to(points, vector{1, 2, 3});
    {
        vector const y = std::move(x);
        CHECK(y(2) == 3);
    }
    CHECK(tx::device_of(x) == "cpu");
    CHECK(x.size() == 0);
    CHECK(tx::equal(x, vector{}));
    x = vector{4};
    CHECK(x(0) == 4);

    wide a = tx::to(points, tx::ones<float, tx::shape<300>>());
    {
        wide b;
        b = std::move(a);
        CHECK(b(299) == 1);
    }
    CHECK(tx::device_of(a) == "cpu");
    CHECK(a(299) == 0); // as if it had never been written
    a.mutable_data()[0] = 5;
    CHECK(a(0) == 5);

    vector p = tx::to(points, vector{1}), q{2};
    std::swap(p, q);
    CHECK(tx::device_of(p) == "cpu");
    CHECK(tx::device_of(q) != "cpu");
    CHECK(p(0) == 2);
    vector& same = q;
    q = std::move(same);
    CHECK(q(0) == 1);
}

TEST_CASE("device: into is for values, and what a trace would have to hold is refused") {
    auto const scale = tx::on(points, [](auto const& v) { return v * factor; });
    vector out;
    scale.into(out, vector{1, 1, 1});
    CHECK(tx::equal(out, vector{1, 2, 3}));
    tx::function const traced([&](auto const& v) {
        vector own;
        scale.into(own, vector{1, 1, 1}); // would be the factor's value of now
        return v + own;
    });
    CHECK_THROWS_AS(traced(vector{1, 1, 1}), tx::trace_error);
    CHECK(tx::equal(out, vector{1, 2, 3}));
    scale.into(out, vector{2, 1, 1}); // over what is on the device
    CHECK(tx::equal(out, vector{2, 2, 3}));
    tx::function const here([](auto const& v) { return v + v; });
    for (int k = 0; k < 2; ++k) { // the first call of a signature goes another way
        scale.into(out, vector{1, 1, 1});
        here.into(out, vector{1, 1, 1});
        CHECK(tx::device_of(out) == "cpu");
        CHECK(tx::equal(out, vector{2, 2, 2}));
    }
}

TEST_CASE("device: what a callable captures from a device of another kind") {
    CHECK(tx::device_of(distant()) == "far away");
    tx::variable<float, tx::shape<dyn>> const x(distant());
    CHECK(x(1) == 20);
    auto const add = [&](auto const& v) { return v + x; };
    CHECK_THROWS_AS(tx::on(points, add)(vector{1, 1, 1}), tx::device_error);
#if !TRACEXPR_ON_GPU
    CHECK(tx::equal(tx::on(threads, add)(vector{1, 2, 3}), vector{11, 22, 33})); // reads this process's memory
#endif
}

TEST_CASE("device: what a placed function calls of the user's reads there and computes here as anywhere") {
    vector const x = tx::to(threads, vector{1, 2, 3});
    auto const scaled = [&](bool computes) {
        return tx::on(threads, [&, computes](auto const& v) {
            return tx::opaque<tx::spec<float, tx::shape<3>>>(
                [&, computes](auto const& w) {
                    tx::function const twice([](auto const& a) { return a + a; });
                    return tx::tensor<float, tx::shape<3>>(computes ? twice(x) : vector(w * x(1)));
                },
                v);
        });
    };
    CHECK(tx::equal(scaled(false)(x), vector{2, 4, 6}));
    CHECK_THROWS_AS(scaled(true)(x), tx::device_error);
}
