// This file tests that every op of op_table has a rule in both modes, or is known to be constant wherever it has a derivative.
#include <tracexpr/ad/forward.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tx::dims;
using tx::dtype;
using tx::node_id;
using tx::op;

namespace {

struct example {
    tx::trace_scope scope;
    node_id x = scope.recorded.append_parameter(dtype::float64, dims{{3, 3}, 2});
    node_id y{};

    explicit example(tx::op_info const& row) { record(row); }

private:
    void record(tx::op_info const& row) {
        tx::graph& g = scope.recorded;
        node_id const numbers = g.append_parameter(dtype::float64, dims{{3, 3}, 2});
        auto const places = [&](dims const& d) { return g.append_parameter(dtype::int64, d); };
        auto const append = [&](std::initializer_list<node_id> operands, std::initializer_list<std::int64_t> attributes = {}) {
            std::vector<dims> shapes;
            for (node_id id : operands) shapes.push_back(g.shape_of(id));
            dtype const type = row.result == tx::result_rule::boolean ? dtype::boolean : row.result == tx::result_rule::index ? dtype::int64 : g[*operands.begin()].type;
            std::vector<std::int64_t> const given(attributes);
            y = g.append(row.code, type, tx::infer_or_throw(row.code, dims{}, shapes, given), {operands.begin(), operands.size()}, given);
        };
        switch (row.kind) {
        case tx::kind::pointwise:
            if (row.code == op::where) {
                node_id const condition = g.append_parameter(dtype::boolean, dims{{3, 3}, 2});
                node_id const operands[]{condition, x, numbers};
                y = g.append(op::where, dtype::float64, dims{{3, 3}, 2}, operands);
            } else if (row.arity == 1) append({x});
            else if (row.arity == 2) append({x, x});
            else append({x, x, x});
            return;
        case tx::kind::reduction:
        case tx::kind::arg_reduction: return append({x}, {0, 1});
        case tx::kind::scan: return append({x}, {0});
        case tx::kind::order:
            if (row.code == op::sort) return append({x}, {0, 0});
            if (row.code == op::argselect) return append({x, places({{2}, 1})}, {0});
            return append({x}, {0, 0, tx::order_of_all});
        case tx::kind::contraction: return append({x, x});
        case tx::kind::marker:
            if (row.code == op::checked) {
                y = g.append_checked(x, {&numbers, 1}, {"f", [](tx::detail::builder_specs) -> char const* { return nullptr; }, 1});
                return;
            }
            if (row.code == op::least_squares) return append({numbers, x}); // of what it marks the derivative is none
            return append({x});
        default: break;
        }
        switch (row.code) {
        case op::reshape: return append({x}, {9});
        case op::transpose: return append({x}, {1, 0});
        case op::broadcast_to: return append({x}, {2, 3, 3});
        case op::sum_to: return append({x, g.append_parameter(dtype::float64, dims{{1, 3}, 2})});
        case op::expand_dims: return append({x}, {0});
        case op::squeeze: {
            node_id const operand[]{x};
            std::int64_t const axis[]{0};
            node_id const raised = g.append(op::expand_dims, dtype::float64, dims{{1, 3, 3}, 3}, operand, axis);
            return append({raised}, {0});
        }
        case op::barrier: return append({x, numbers});
        case op::slice: return append({x}, {0, 2, 1, 0, 3, 1});
        case op::diagonal: return append({x}, {0, 0, 1});
        case op::sliding_window_view: return append({x}, {1, 2});
        case op::concatenate: return append({x, x}, {0});
        case op::pad: return append({x, g.append(op::literal, dtype::float64, dims{}, {}, {}, {})}, {1, 1, 0, 0});
        case op::cholesky:
        case op::lu:
        case op::eigh:
        case op::qr:
        case op::svd: return append({x});
        case op::solve_triangular: return append({x, numbers}, {1, 0, 0});
        case op::solve: {
            node_id const operand[]{x}, factors = g.append(op::lu, dtype::float64, dims{{3, 3}, 2}, operand);
            return append({x, numbers, factors, tx::append_result(g, factors, 1)}, {0});
        }
        case op::fft: {
            node_id const operand[]{x};
            return append({g.append(op::cast, dtype::complex128, dims{{3, 3}, 2}, operand)}, {tx::detail::fft_form::forward, 1, -1});
        }
        case op::convolution: return append({x, g.append_parameter(dtype::float64, dims{{2, 3, 4}, 3})}, {tx::detail::convolution_form::result, 1, 1, 0, 1, 1, 0, 0, -1});
        case op::eig: {
            node_id const operand[]{x};
            y = g.append(op::eig, dtype::complex128, dims{{3}, 1}, operand);
            return;
        }
        case op::take: return append({x, places({{2}, 1})}, {0});
        case op::take_along_axis: return append({x, places({{3, 1}, 2})}, {1});
        case op::view_add: return append({x, g.append_parameter(dtype::float64, dims{{3}, 1})}, {static_cast<std::int64_t>(op::diagonal), 0, 0, 1});
        case op::view_set: return append({x, g.append_parameter(dtype::float64, dims{{2, 1}, 2})}, {static_cast<std::int64_t>(op::slice), 0, 3, 2, 1, 2, 1});
        case op::index_add:
        case op::index_set:
        case op::index_max:
        case op::index_min: return append({x, numbers, places({{3}, 1})}, {0});
        case op::scatter_max:
        case op::scatter_min:
        case op::scatter_add:
        case op::scatter_set: return append({x, numbers, places({{3, 3}, 2})}, {1});
        default: FAIL("an op without an example here: " << row.name);
        }
    }
};

// Ops of other dtypes than floating, and those that carry a rule of the user's.
bool has_no_floating_form(tx::op_info const& row) {
    return row.kind == tx::kind::leaf || row.kind == tx::kind::control || row.kind == tx::kind::effect || row.kind == tx::kind::callback || row.kind == tx::kind::projection || row.domain == tx::domain::boolean || row.domain == tx::domain::integral || row.domain == tx::domain::integer ||
           row.domain == tx::domain::complex || row.domain == tx::domain::string || row.code == op::custom_derivative;
}

} // namespace

TEST_CASE("derivatives: every op has a rule in both modes, or is constant wherever it has a derivative") {
    for (tx::op_info const& row : tx::op_table) {
        if (has_no_floating_form(row)) continue;
        CAPTURE(row.name);
        bool const changes = tx::has_slope(row.code);
        {
            example e(row);
            node_id const source[]{e.x};
            tx::ad::reverse_pass pass(e.scope, source);
            pass.add(e.y, tx::ad::zeros_like({e.scope.recorded, e.y}) + 1.0);
            REQUIRE_NOTHROW(pass.run());
            CHECK(pass.gradient(e.x).is_zero() == !changes);
        }
        example e(row);
        node_id const source[]{e.x};
        tx::ad::forward_pass pass(e.scope, source);
        pass.set(e.x, tx::ad::zeros_like({e.scope.recorded, e.x}) + 1.0);
        node_id const target[]{e.y};
        REQUIRE_NOTHROW(pass.run(target));
        CHECK(pass.tangent(e.y).is_zero() == !changes);
    }
}

TEST_CASE("derivatives: real parts of complex numbers") {
    for (op const code : {op::real, op::imag, op::conj, op::times_i, op::absolute}) {
        CAPTURE(tx::name(code));
        tx::trace_scope scope;
        tx::graph& g = scope.recorded;
        node_id const x = g.append_parameter(dtype::complex128, dims{{3}, 1}), operand[]{x};
        node_id const y = g.append(code, tx::info(code).result == tx::result_rule::same ? dtype::complex128 : dtype::float64, dims{{3}, 1}, operand);
        tx::ad::reverse_pass reverse(scope, operand);
        reverse.add(y, tx::ad::zeros_like({g, y}) + 1.0);
        reverse.run();
        CHECK(!reverse.gradient(x).is_zero());
        tx::ad::forward_pass forward(scope, operand);
        forward.set(x, {g, x});
        node_id const target[]{y};
        forward.run(target);
        CHECK(!forward.tangent(y).is_zero());
    }
}

TEST_CASE("derivatives: an op without a rule says so") {
    tx::trace_scope scope;
    tx::graph& g = scope.recorded;
    node_id const x = g.append_parameter(dtype::float64, dims{{3}, 1}), operand[]{x};
    tx::ad::site const n(g, g.append(op::isnan, dtype::boolean, dims{{3}, 1}, operand));
    CHECK_THROWS_WITH_AS(tx::ad::times_partial(n, 0, {g, x}), "tx: grad: isnan has no derivative rule", tx::trace_error);
    CHECK_THROWS_WITH_AS(tx::ad::array_pulled_back(n, 0, {g, x}), "tx: grad: isnan has no derivative rule", tx::trace_error);
    tx::ad::value const step[]{{g, x}};
    CHECK_THROWS_WITH_AS(tx::ad::array_pushed_forward(n, step), "tx: grad: isnan has no derivative rule", tx::trace_error);
}
