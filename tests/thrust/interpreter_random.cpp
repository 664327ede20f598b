// This file tests random graphs on the interpreter of a device of Thrust's, with single passes switched off, too: it computes
// what the reference executor computes. TRACEXPR_SEEDS=first:last tries other seeds.
#include <thrust/run_interpreted.hpp>
#include <tracexpr/graph/print.hpp>

using namespace tx::testing;

namespace {

std::string problem(tx::graph_view const& g, tx::pass_options const& options, tx::detail::piece_rules const& rules,
                    std::vector<tx::array_view> const& arguments, std::vector<tx::host_array> const& wanted) {
    try {
        return difference(run_interpreted<all_dtypes>(g, arguments, options, rules), wanted);
    } catch (std::exception const& e) {
        return e.what();
    }
}
void check(tx::graph_view const& traced, std::vector<tx::array_view> const& arguments, std::vector<tx::host_array> const& wanted) {
    INFO(tx::to_text(traced));
    std::int64_t const before = device().bytes_in_use();
    for (bool simplify : {true, false})
        for (bool cluster : {true, false}) {
            CAPTURE(simplify);
            CAPTURE(cluster);
            auto const& rules = simplify == cluster ? tx::detail::host_pieces : tx::detail::gpu_pieces;
            CHECK(problem(traced, {.simplify = simplify, .cluster = cluster}, rules, arguments, wanted) == "");
        }
    CHECK(device().bytes_in_use() == before);
}

} // namespace

TEST_CASE("interpreter: random graphs compute what the reference executor computes") { for_each_random_graph(check, 500); }
TEST_CASE("interpreter: random graphs of long rows") {
    for_each_random_graph(check, 100, {.max_elements = 5000, .complex_numbers = false, .long_rows = true});
}
