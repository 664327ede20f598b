// This file tests the batching rule of every op, against a loop over the examples, on the reference executor, with all degrees of
// knowledge of the extents.
#include <backends/reference_cases.hpp>
#include <random_graph_builder.hpp>
#include <tracexpr/ad/batching.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/passes/simplify.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <set>

using namespace tx::testing;
using tx::dims;
using tx::host_array;
using tx::node_id;
using tx::op;

namespace {

// Twice, four times, ... the elements: what can be taken apart stays so. But not the rows' places that solve is told.
host_array scaled_example(host_array const& a, std::size_t number) {
    host_array out = a;
    auto v = tx::reference::loaded(a.type, a.shape, a.bytes.data());
    for (std::int64_t i = 0; i < v.size() && tx::is_inexact(a.type); ++i)
        v[i] = tx::reference::rounded(a.type, static_cast<long double>(std::ldexp(tx::reference::real_of(v[i]), static_cast<int>(number))));
    tx::reference::store(v, out.bytes.data());
    return out;
}
// The same elements in another order: of indices, too, all are valid.
host_array example(op_case const& c, std::size_t k, std::size_t number) {
    host_array const& a = c.operands[k];
    if (tx::info(c.code).kind == tx::kind::decomposition) return scaled_example(a, number);
    host_array out = a;
    std::size_t const width = tx::size_in_bytes(a.type), count = a.bytes.size() / width;
    for (std::size_t i = 0; i < count; ++i) std::memcpy(&out.bytes[i * width], &a.bytes[(i * (number % 2 ? count - 1 : 1) + number) % count * width], width);
    return out;
}
host_array stacked(std::vector<host_array> const& parts, host_array const& like) {
    host_array out{like.type, {}, {}};
    out.shape.push_back(static_cast<std::int64_t>(parts.size()));
    for (int axis = 0; axis < like.shape.rank; ++axis) out.shape.push_back(like.shape[axis]);
    for (host_array const& p : parts) out.bytes.insert(out.bytes.end(), p.bytes.begin(), p.bytes.end());
    return out;
}
dims opened(dims d, bool open_extents) {
    for (int axis = 0; open_extents && axis < d.rank; ++axis) d[axis] = tx::dyn;
    return d;
}

// Records the op on values of these shapes.
node_id append_op(tx::graph& g, op_case const& c, std::vector<node_id> const& operands) {
    std::vector<dims> shapes;
    for (node_id id : operands) shapes.push_back(g.shape_of(id));
    std::vector<tx::dtype> types;
    for (node_id id : operands) types.push_back(g[id].type);
    tx::dtype const type = c.result ? tx::infer_dtype(c.code, c.expected.type, types).type : c.expected.type;
    node_id const made = g.append(c.code, type, tx::infer_or_throw(c.code, dims{}, shapes, c.attributes), operands, c.attributes);
    return tx::append_result(g, made, c.result);
}

struct known {
    bool batch, example;
};

tx::graph batched_graph(op_case const& c, std::vector<host_array> const& given, std::uint32_t mapped, known k, std::int64_t count) {
    tx::trace_scope scope;
    tx::graph& g = scope.recorded;
    std::vector<node_id> operands;
    tx::ad::batch all{{}, k.batch ? count : tx::dyn};
    for (std::size_t i = 0; i < given.size(); ++i) {
        dims shape = opened(given[i].shape, !k.example);
        if (mapped >> i & 1u) shape[0] = all.extent;
        operands.push_back(g.append_parameter(given[i].type, shape));
        if (mapped >> i & 1u) all.sample = {g, operands.back()};
    }
    tx::ad::batching_pass pass(scope, all);
    for (std::size_t i = 0; i < given.size(); ++i)
        if (mapped >> i & 1u) operands[i] = pass.example_of({g, operands[i]});
    node_id const targets[]{append_op(g, c, operands)};
    pass.run(targets);
    node_id const out = pass.for_output(targets[0]).id;
    g.add_output(out);
    return std::move(g);
}

double number(tx::reference::values const& v, std::int64_t i, bool imaginary) {
    std::complex<double> const z = tx::reference::complex_of(v[i]);
    return imaginary ? z.imag() : z.real();
}
// Bit for bit, but for products and sums that are added up in another order.
bool same(host_array const& a, host_array const& wanted) {
    if (a.type != wanted.type || !(a.shape == wanted.shape)) return false;
    if (a.bytes == wanted.bytes) return true;
    if (!tx::is_inexact(a.type)) return false;
    auto const x = tx::reference::loaded(a.type, a.shape, a.bytes.data()), y = tx::reference::loaded(wanted.type, wanted.shape, wanted.bytes.data());
    for (std::int64_t i = 0; i < x.size(); ++i)
        for (bool const imaginary : {false, true}) {
            double const p = number(x, i, imaginary), q = number(y, i, imaginary);
            if (!(p == q || (std::isnan(p) && std::isnan(q)) || std::abs(p - q) <= 4 * tx::epsilon_of(a.type) * std::abs(q))) return false;
        }
    return true;
}
std::string complaint(tx::graph const& g) {
    char const* const problem = tx::verify(g);
    return problem ? problem : "clean";
}

void check_case(op_case const& c, std::int64_t count, known k) {
    for (std::uint32_t mapped = 1; mapped < 1u << c.operands.size(); ++mapped) {
        CAPTURE(mapped);
        bool const factors_differ = (mapped & 1u) != (mapped >> 2 & 1u) || (mapped & 1u) != (mapped >> 3 & 1u);
        if (c.code == op::solve && factors_differ) continue; // they are the matrix's
        std::vector<host_array> given;
        for (std::size_t i = 0; i < c.operands.size(); ++i) {
            std::vector<host_array> parts;
            for (std::int64_t at = 0; at < count; ++at) parts.push_back(example(c, i, static_cast<std::size_t>(at)));
            given.push_back(mapped >> i & 1u ? stacked(parts, c.operands[i]) : c.operands[i]);
        }
        std::vector<host_array> results;
        for (std::int64_t at = 0; at < count; ++at) {
            tx::graph one;
            std::vector<node_id> operands;
            std::vector<tx::array_view> views;
            std::vector<host_array> own;
            for (std::size_t i = 0; i < c.operands.size(); ++i) {
                own.push_back(mapped >> i & 1u ? example(c, i, static_cast<std::size_t>(at)) : c.operands[i]);
                operands.push_back(one.append_parameter(own[i].type, own[i].shape));
            }
            for (host_array const& a : own) views.push_back(a.view());
            one.add_output(append_op(one, c, operands));
            results.push_back(tx::run_reference(one, views)[0]);
        }
        host_array const wanted = stacked(results, c.expected);
        tx::graph const g = batched_graph(c, given, mapped, k, count);
        CHECK(complaint(g) == "clean");
        std::vector<tx::array_view> views;
        for (host_array const& a : given) views.push_back(a.view());
        INFO(tx::to_text(g));
        CHECK(same(tx::run_reference(g, views)[0], wanted));
        CHECK(same(tx::run_reference(tx::simplify(g), views)[0], wanted));
    }
}

} // namespace

TEST_CASE("batching: every op, against a loop over the examples") {
    for (op_case const& c : all_op_cases()) {
        CAPTURE(tx::name(c.code));
        CAPTURE(std::string(c.numpy));
        for (std::int64_t const count : {1, 3, 0})
            for (known const k : {known{true, true}, known{false, true}, known{true, false}, known{false, false}}) {
                CAPTURE(count);
                CAPTURE(k.batch);
                CAPTURE(k.example);
                check_case(c, count, k);
            }
    }
}

TEST_CASE("batching: every op has a case") {
    // What has no operands never changes.
    std::set<op> covered{op::parameter, op::literal, op::constant, op::capture, op::placeholder, op::extents, op::token, op::cond, op::while_loop, op::scan, op::with_range, op::blocks, op::print, op::assert_that, op::check_finite, op::opaque, op::collective, op::result, op::fft, op::convolution, op::eig, op::checked}; // extents: ad/extents_vmap; collective: collectives/; result: ad/branches; the last: families/
    for (op_case const& c : all_op_cases()) covered.insert(c.code);
    for (tx::op_info const& row : tx::op_table) {
        CAPTURE(row.name);
        CHECK(covered.contains(row.code));
    }
}
