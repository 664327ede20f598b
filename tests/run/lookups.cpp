// This file tests lookups as parts of loops: ranks, views, short rows, errors.
#include "lookups_checks.hpp"

#include <messages.hpp>

namespace {

constexpr auto rows_of = [](auto const& x, auto const& i) { return tx::take(x, i, axis<0>); };

} // namespace

TEST_CASE("lookups in loops: ranks, views of the table, shapes of indices") {
    auto const cube = numbers<float>(shape<6, 7, 8>{});
    check([](auto const& x, auto const& i, auto const& one, auto const& last) {
        return std::tuple{-tx::take(x, i, axis<0>), -tx::take(x, i, axis<1>), -tx::take(x, i, axis<2>), -tx::take(x, one, axis<1>), tx::take(tx::transpose(x), i, axis<0>) + 1,
                          tx::take(tx::slice(x, tx::range<5, tx::slice_open, -1>, tx::range<1, 7, 2>), i, axis<0>) + 1, tx::take(tx::diagonal(x), i, axis<1>) + 1,
                          tx::take_along_axis(x, last, axis<2>) + 1, tx::take_along_axis(x, last, axis<0>) * 3, tx::take(x * 2, i * 1, axis<0>) + 1};
    }, cube, places<int>(shape<3, 5>{}, 6), places<int>(shape<>{}, 6, 4), places<int>(shape<6, 7, 8>{}, 6));
}

TEST_CASE("lookups in loops: no elements, rows shorter than a vector") {
    auto const twice = [](auto const& x, auto const& i) { return std::tuple{rows_of(x, i) * 2, tx::sum(rows_of(x, i) * 2, axis<1>)}; };
    check(twice, numbers<float>(shape<50, 3>{}), places<int>(shape<300>{}, 50));
    check(twice, numbers<float>(shape<50, 3>{}), tensor<int, shape<0>>{});
    check(twice, tensor<float, shape<50, 0>>{}, places<int>(shape<3>{}, 50));
}

TEST_CASE("lookups in loops: elements behind the last whole vector") {
    auto const twice = [](auto const& x, auto const& i) { return tx::take(x, i) * 2; };
    check(twice, numbers<double>(shape<7>{}), places<int>(shape<3>{}, 7));
    check(twice, numbers<double>(shape<7>{}), places<std::int64_t>(shape<5>{}, 7));
    check(twice, numbers<float>(shape<7>{}), places<int>(shape<9>{}, 7));
}

TEST_CASE("lookups in loops: their plan needs no room, and says what is checked") {
    tx::function const f{[](auto x, auto i) { return rows_of(x, i) * 2; }};
    auto const text = f.concrete<tx::spec<float, shape<8, 40>>, tx::spec<int, shape<30>>>().explain_passes();
    INFO(text);
    CHECK(text.find("check indices of %2 = take(%0, %1) {axis=0}\nloop over (30, 40), stores %4") != std::string::npos);
    CHECK(text.find("$0 = arg1 : int32\n    $1 = arg0[$0] : float32") != std::string::npos);
    CHECK(text.find("arena: 0 bytes") != std::string::npos);
}

TEST_CASE("lookups in loops: an index that is out of range leaves all results as they were") {
    tx::function const f{[](auto x, auto i) { return std::tuple{x + 1, rows_of(tx::exp(x) + 1, i) * 2}; }};
    tensor<double, shape<4, 20>> const x = numbers<double>(shape<4, 20>{});
    tensor<int, shape<3>> i{0, -4, 3};
    auto out = f(x, i);
    auto const before = out;
    for (int const outside : {4, -5}) {
        i.mutable_data()[1] = outside;
        CHECK(message_of<tx::shape_error>([&] { f.into(out, x, i); }) == "tx: take: index " + std::to_string(outside) + " is out of bounds for axis 0 with size 4");
        CHECK(tx::equal(std::get<0>(out), std::get<0>(before)));
        CHECK(tx::equal(std::get<1>(out), std::get<1>(before)));
    }
}
