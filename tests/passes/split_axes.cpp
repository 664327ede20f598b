// This file tests random programs of pairs of points: the reference executor must compute the same from the graph whose short
// axes are split and from the one before. Seeds are printed where a check fails; TRACEXPR_SEEDS=first:last tries others.
#include <tracexpr/graph/print.hpp>
#include <tracexpr/passes/pipeline.hpp>
#include <random_compare.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {

using tx::dims, tx::dtype, tx::node_id, tx::op;

constexpr tx::detail::split_limits any{
    .longest = 8, .longest_other = 8, .longest_kept = 8, .most_nodes = 1000, .shortest_row = 2, .large = 2, .repeated = 2};
int split = 0, stays = 0, cut = 0;

// Values of all pairs, made of points [n, c] and [m, c], and of what there is of each point or pair.
class pairs_of_points {
public:
    explicit pairs_of_points(std::uint64_t seed) : bits_(seed) {}

    tx::graph made() {
        int const n = 2 + static_cast<int>(bits_.below(4)), m = 2 + static_cast<int>(bits_.below(4)),
                  c = 2 + static_cast<int>(bits_.below(3));
        constexpr dtype types[]{dtype::float64, dtype::float32, dtype::float16, dtype::int32, dtype::complex128};
        type_ = types[bits_.below(5)];
        for (dims const& d : {dims{{n, c}, 2}, dims{{m, c}, 2}, dims{{c}, 1}, dims{{n, m}, 2}, dims{{m}, 1}, dims{{m, 1}, 2}})
            given_.push_back(g_.append_parameter(type_, d));
        values_ = {make(op::expand_dims, {given_[0]}, {1}),
                   make(op::expand_dims, {given_[1]}, {0}),
                   given_[1],
                   given_[2],
                   make(op::expand_dims, {given_[3]}, {2}),
                   make(op::expand_dims, {given_[5]}, {0}),
                   g_.append(op::literal, type_, dims{}, {}, {}, {0, 0})};
        all_.push_back(make(op::subtract, {values_[0], values_[1]}));
        for (int k = 0, count = 3 + static_cast<int>(bits_.below(9)); k < count; ++k) grow(n, m, c);
        for (node_id const id : reduced_) g_.add_output(id);
        if (reduced_.empty() || bits_.one_in(8)) g_.add_output(all_.back());
        return std::move(g_);
    }

private:
    node_id make(op code, std::vector<node_id> operands, std::vector<std::int64_t> attributes = {}) {
        std::vector<dims> shapes;
        for (node_id const id : operands) shapes.push_back(g_.shape_of(id));
        return g_.append(code, type_, tx::infer_or_throw(code, {}, shapes, attributes), operands, attributes);
    }
    node_id one_of(std::vector<node_id> const& from) {
        return from[static_cast<std::size_t>(bits_.below(static_cast<std::int64_t>(from.size())))];
    }
    void grow(int n, int m, int c) {
        switch (bits_.below(4)) {
        case 0:
        case 1: {
            op const code = bits_.one_in(2) ? op::multiply : bits_.one_in(2) ? op::add : op::subtract;
            node_id const a = one_of(all_), b = bits_.one_in(2) ? one_of(all_) : one_of(values_);
            all_.push_back(bits_.one_in(2) ? make(code, {a, b}) : make(code, {b, a}));
            break;
        }
        case 2:
            all_.push_back(bits_.one_in(3) ? make(op::broadcast_to, {one_of(values_)}, {n, m, c})
                                           : make(op::negative, {one_of(all_)}));
            break;
        default: {
            bool const keeps = bits_.one_in(2);
            std::vector<std::int64_t> form{keeps};
            for (int axis = 0; axis < 3; ++axis)
                if (bits_.one_in(2)) form.push_back(axis);
            if (form.size() == 1) form.push_back(2);
            op const code = tx::is_complex(type_) ? op::sum : bits_.one_in(2) ? op::sum : bits_.one_in(2) ? op::max : op::min;
            reduced_.push_back(make(code, {one_of(all_)}, form));
            if (keeps) values_.push_back(reduced_.back());
        }
        }
    }

    tx::random_bits bits_;
    tx::graph g_;
    dtype type_{};
    std::vector<node_id> given_, values_, all_, reduced_;
};

void check(tx::graph_view const& traced, std::vector<tx::array_view> const& arguments,
           std::vector<tx::host_array> const& wanted) {
    tx::graph const simplified = tx::simplify(traced), made = tx::detail::with_split_axes(simplified, {}, any);
    if (made.size() == 0) {
        ++stays;
        return;
    }
    INFO(tx::to_text(simplified));
    INFO(tx::to_text(made));
    ++split;
    for (tx::node const& n : made.view()) cut += n.code == op::slice;
    CHECK(problem_of(made) == "");
    CHECK(difference(tx::run_reference(made, arguments), wanted) == "");
    CHECK(difference(tx::run_reference(tx::run_passes(traced).simplified, arguments), wanted) == "");
}

} // namespace

TEST_CASE("split axes: random programs of pairs of points compute what they compute without") {
    unsigned long first = 0, last = 1500;
    if (char const* const text = std::getenv("TRACEXPR_SEEDS")) std::sscanf(text, "%lu:%lu", &first, &last);
    for (unsigned long seed = first; seed < last; ++seed) {
        CAPTURE(seed);
        tx::graph const g = pairs_of_points(seed).made();
        auto const arguments = tx::random_arguments(g, seed);
        auto const views = tx::views_of(arguments);
        auto const wanted = tx::run_reference(g, views);
        check(g, views, wanted);
        check(tx::with_unknown_extents(g, seed), views, wanted);
    }
    if (std::getenv("TRACEXPR_SEEDS")) return;
    CHECK(split > 500);
    CHECK(stays > 100);
    CHECK(cut > 1000);
}
