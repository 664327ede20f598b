// This file tests reductions of columns as a GPU's blocks run them, and rows of unknown length in registers, on threads of the
// host.
#include <thrust/crew.hpp>
#include <thrust/row_programs.hpp>

using namespace tx::testing;

namespace {
struct of_columns {
    constexpr auto operator()(auto x) const {
        return std::tuple(tx::sum(x, tx::axis<0>), tx::max(x, tx::axis<0>), tx::sum(tx::square(x), tx::axis<0>));
    }
};
struct columns_of_three {
    constexpr auto operator()(auto x) const { return tx::sum(tx::exp(x) * 2.0f, tx::axis<1>); }
};
struct weighted_places {
    constexpr auto operator()(auto x) const { return tx::min(tx::tril(x), tx::axis<0>); }
};
template <class F, class... A> void check_columns(bool known, std::vector<tx::host_array> const& arguments) {
    CHECK((check_crew<F, A...>(arguments).tasks_of_known > 0) == known);
}
} // namespace

TEST_CASE("columns: of unknown numbers") {
    for (auto [m, n] : {std::pair(2, 32), {5, 100}, {600, 128}, {1000, 130}, {2000, 33}, {3, 1000}, {300, 513}})
        check_columns<of_columns, open_matrix<>>(true, {array_of<float>(m, n)});
    check_columns<of_columns, open_matrix<>>(false, {array_of<float>(70, 4)});
}
TEST_CASE("columns: of known numbers, behind an axis, of several dtypes, and with places") {
    check_columns<of_columns, tx::tensor<double, tx::shape<90, 34>>>(true, {array_of<double>(90, 34)});
    check_columns<columns_of_three, floats<3, 70, 36>>(true, {array_of<float>(3, 70, 36)});
    check_columns<weighted_places, floats<40, 40>>(true, {array_of<float>(40, 40)});
    check_columns<of_columns, floats<90, 3>>(false, {array_of<float>(90, 3)});
}
TEST_CASE("register rows: of unknown length") {
    for (auto [m, n] : {std::pair(3, 100), {2, 1024}, {2, 1000}, {3, 501}, {2, 2048}, {1, 6000}, {1, 4097}}) {
        crew_queue const used = check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(m, n)});
        CHECK(used.tasks_of_known == m);
    }
    CHECK(check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(2, 9000)}).tasks_of_known == 0);
    CHECK(check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(5, 3)}).tasks_of_known == 0);
    CHECK(check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(5, 1)}).tasks_of_known == 0);
}
