// This file tests numbers drawn from keys under transforms, in every executor, in any shape and dtype.
#include <run/random_checks.hpp>

using namespace tx::testing;
namespace rnd = tx::random;
using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<6>>;
using single = tensor<double, shape<>>;

TEST_CASE("random: the same numbers from every executor") {
    auto const f = [](auto const& k) {
        auto const [a, b] = rnd::split(k);
        auto const x = rnd::stateless_normal<float>(a, shape<7, 5>{}, 1, 2);
        return tx::sum(x, tx::axis<1>) +
               rnd::stateless_truncated_normal<float>(b, shape<7>{}) * rnd::stateless_uniform<float>(a, shape<7>{}, -1, 1);
    };
    check_everywhere(f, rnd::key(5), 1e-5);
    check_everywhere([](auto const& k) { return rnd::stateless_randint<int>(k, shape<40>{}, -7, 1000); }, rnd::key(6), 0);
    check_everywhere([](auto const& k) { return rnd::stateless_categorical(k, tx::zeros<float>(shape<30, 9>{})); }, rnd::key(7),
                     0);
}

TEST_CASE("random: derivatives with respect to parameters") {
    rnd::key const k(8);
    vec const mean{1, 2, 3, 4, 5, 6};
    vec const z = rnd::stateless_normal<double>(k, shape<6>{});
    auto const drawn = [](auto from, auto m, auto d) { return rnd::stateless_normal<double>(from, shape<6>{}, m, d); };
    auto const loss = [drawn](auto from, auto m, auto d) { return tx::sum(tx::square(drawn(from, m, d))); };
    auto const [of_mean, of_deviation] = tx::grad<1, 2>(loss)(k.number, mean, single(0.5));
    CHECK(close(of_mean, 2 * (mean + 0.5 * z)));
    CHECK(close(of_deviation, tx::sum(2 * (mean + 0.5 * z) * z)));
    auto const at_key = [k, drawn](auto m, auto d) { return drawn(k, m, d); };
    auto const [value, moved] = tx::jvp(at_key)(mean, single(0.5), tx::ones<double>(shape<6>{}), single(2));
    CHECK(close(value, mean + 0.5 * z));
    CHECK(close(moved, 1 + 2 * z));
    auto const curvature = tx::hessian([k, loss](auto d) { return loss(k, vec{1, 2, 3, 4, 5, 6}, d); })(single(0.5));
    CHECK(close(curvature, tx::sum(2 * z * z)));

    auto const u = rnd::stateless_uniform<double>(k, shape<6>{});
    auto const total = [](auto from, auto lo, auto hi) {
        return tx::sum(rnd::stateless_uniform<double>(from, shape<6>{}, lo, hi));
    };
    auto const [of_lo, of_hi] = tx::grad<1, 2>(total)(k.number, single(-1), single(2));
    CHECK(of_lo.item() == doctest::Approx(6 - tx::sum(u).item()));
    CHECK(of_hi.item() == doctest::Approx(tx::sum(u).item()));
    auto const scaled = tx::grad<1>(
        [](auto from, auto s) { return tx::sum(rnd::stateless_exponential<double>(from, shape<6>{}, s)); })(k.number, single(3));
    CHECK(scaled.item() == doctest::Approx(tx::sum(rnd::stateless_exponential<double>(k, shape<6>{})).item()));
}

TEST_CASE("random: by a tape") {
    rnd::key const k(9);
    single const d = 2;
    tx::gradient_tape tape;
    tape.watch(d);
    auto const y = tx::sum(rnd::stateless_normal<double>(k, shape<6>{}, 0, d) * 3);
    CHECK(tape.gradient(y, d).item() == doctest::Approx(3 * tx::sum(rnd::stateless_normal<double>(k, shape<6>{})).item()));
}

TEST_CASE("random: under vmap keys, parameters, or both have examples") {
    auto const drawn = [](auto from, auto m) { return rnd::stateless_normal<double>(from, shape<4>{}, m, 0.5); };
    auto const keys = rnd::keys<3>(rnd::key(10));
    tensor<double, shape<3>> const means{1, 10, 100};
    auto const all = tx::vmap(drawn)(keys, means);
    auto const of_one_key = tx::vmap<tx::none, 0>(drawn)(rnd::key(10).number, means);
    auto const gradients =
        tx::vmap(tx::grad<1>([drawn](auto from, auto m) { return tx::sum(tx::square(drawn(from, m))); }))(keys, means);
    for (int i = 0; i < 3; ++i) {
        auto const alone = drawn(rnd::key{keys(i)}, means(i)), same_key = drawn(rnd::key(10), means(i));
        for (int j = 0; j < 4; ++j) {
            CHECK(all(i, j) == doctest::Approx(alone(j)));
            CHECK(of_one_key(i, j) == doctest::Approx(same_key(j)));
        }
        CHECK(gradients(i) == doctest::Approx(2 * tx::sum(alone).item()));
    }
}

TEST_CASE("random: shapes of any rank, without elements, of one, and of extents that only the run knows") {
    rnd::key const k(11);
    CHECK(rnd::stateless_normal<float>(k, shape<>{}).rank() == 0);
    CHECK(rnd::stateless_normal<float>(k, shape<3, 0, 2>{}).size() == 0);
    CHECK(rnd::stateless_gamma<float>(k, shape<0>{}, 2).size() == 0);
    CHECK(rnd::stateless_uniform<float>(k, shape<1, 2, 1, 2, 1, 2, 1, 2>{}).size() == 16);
    auto const want = rnd::stateless_normal<double>(k, shape<3, 4>{}, 5, 0.1);
    CHECK(close(rnd::stateless_normal<double>(k, shape<tx::dyn, 4>{}, 3, 4, 5, 0.1), want));
    CHECK(close(rnd::stateless_normal<double, shape<tx::dyn, tx::dyn>>(k, 3, 4, 5, 0.1), want));
    CHECK(close(rnd::stateless_normal<double>(k, tx::any_shape{}, 3, 4), (want - 5) * 10));
    auto const open = [](auto key, auto x) {
        return x + rnd::stateless_gamma<double>(key, shape<tx::dyn, 4>{}, tx::extent<0>(x), 4, 2);
    };
    tensor<double, shape<tx::dyn, 4>> const zeros = tx::zeros<double>(shape<3, 4>{});
    CHECK(close(tx::function{open}(k, zeros), rnd::stateless_gamma<double>(k, shape<3, 4>{}, 2)));
    CHECK(close(tx::function{open}(k, tensor<double>(zeros)), rnd::stateless_gamma<double>(k, shape<3, 4>{}, 2)));
}

TEST_CASE("random: numbers of 16 bits, and dual numbers") {
    rnd::key const k(12);
    auto const z = rnd::stateless_normal<float>(k, shape<5>{}, 1, 2);
    CHECK(tx::equal(rnd::stateless_normal<tx::half>(k, shape<5>{}, 1, 2), tx::cast<tx::half>(z)));
    CHECK(tx::equal(rnd::stateless_normal<tx::bfloat16>(k, shape<5>{}, 1, 2), tx::cast<tx::bfloat16>(z)));
    using dual = tx::dual<double>;
    auto const d = rnd::stateless_normal<dual>(k, shape<5>{}, 0, tensor<dual, shape<>>(dual{2, 1}));
    auto const plain = rnd::stateless_normal<double>(k, shape<5>{});
    for (int i = 0; i < 5; ++i) {
        CHECK(d(i).value == doctest::Approx(2 * plain(i)));
        CHECK(d(i).tangent == doctest::Approx(plain(i)));
    }
}
