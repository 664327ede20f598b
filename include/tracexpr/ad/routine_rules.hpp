// This file holds the derivatives of the ops of kind::routine (graph/routine_rules.hpp). A Fourier transform is linear, and each
// of the three products of a convolution is a derivative of the others. The derivatives of eigenvalues and eigenvectors are those
// of C. Boeddeker et al., On the computation of complex-valued gradients with application to statistically optimum beamforming
// (2017), section 4.
#pragma once

#include <tracexpr/ad/array_rules.hpp>
#include <tracexpr/ad/matrix_values.hpp>

namespace tx::ad {
namespace detail {

using tx::detail::convolution_form;
using tx::detail::fft_form;

constexpr value transformed(value const& x, dtype type, fft_form const& form, value const& like = {}) {
    graph& g = x.owner();
    node_id const operands[]{x.id(), like.id()};
    dims const shapes[]{x.shape(), like.is_zero() ? dims{} : dims(like.shape())};
    std::size_t const count = like.is_zero() ? 1 : 2;
    attribute_list const attributes(form.does, form.axis, form.n);
    dims const shape = infer_or_throw(op::fft, dims{}, {shapes, count}, attributes);
    return {g, g.append(op::fft, type, shape, {operands, count}, attributes)};
}
// Multiplies the coefficients of real numbers by `inner`, except the first and, if n is even, the last, which stand in the full
// transform only once.
constexpr value weighted_coefficients(value const& coefficients, value const& real_numbers, int axis, double inner) {
    value const place = place_along(coefficients, axis);
    value const n = [&] {
        std::int64_t const known = real_numbers.shape()[axis];
        if (known != dyn) return place.like(static_cast<double>(known));
        node_id const operand[]{real_numbers.id()};
        graph& g = real_numbers.owner();
        return value{g, g.append(op::axis_size, dtype::int64, dims{}, operand, attribute_list(axis))};
    }();
    value const is_single = record(op::logical_or, {equal(place, place.like(0)), equal(place + place, n)});
    dtype const type = real_part(coefficients.type());
    return coefficients * cast(where(is_single, coefficients.like(1, type), coefficients.like(inner, type)), coefficients.type());
}
// Gives g times the conjugate transpose of the transform. For a complex transform that is the opposite transform without scaling.
constexpr value fft_pulled_back(site const& n, value const& g) {
    fft_form const form(n.y.attributes());
    if (form.is_complex())
        return transformed(g, g.type(), {form.does == fft_form::forward ? fft_form::inverse : fft_form::forward, form.axis});
    if (form.does == fft_form::to_real)
        return weighted_coefficients(transformed(g, n.a.type(), {fft_form::of_real, form.axis}), n.y, form.axis, 2);
    std::int64_t const extent = n.a.shape()[form.axis];
    return transformed(weighted_coefficients(g, n.a, form.axis, 0.5), n.a.type(),
                       {fft_form::to_real, form.axis, extent == dyn ? -1 : extent}, extent == dyn ? shape_carrier(n.a) : value{});
}

// Gives one of the three products of a convolution, of a and b with the geometry of `form`; `of` has the shape of the result.
constexpr value convolved(convolution_form form, std::int64_t makes, value const& a, value const& b, value const& of) {
    if (a.is_zero() || b.is_zero()) return {};
    form.makes = makes;
    bool is_known = true;
    int const first = makes == convolution_form::filter ? form.kept : of.rank() - 1 - form.spatial;
    for (int k = 0; k < form.spatial; ++k) {
        std::int64_t const extent = of.shape()[first + k];
        form.axis[k].extent = makes == convolution_form::result || extent == dyn ? -1 : extent;
        is_known = is_known && (makes == convolution_form::result || extent != dyn);
    }
    attribute_list attributes;
    form.for_each_attribute([&](std::int64_t attribute) { attributes.push_back(attribute); });
    value const like = is_known ? value{} : shape_carrier(of);
    node_id const operands[]{a.id(), b.id(), like.id()};
    dims const shapes[]{a.shape(), b.shape(), is_known ? dims{} : dims(like.shape())};
    std::size_t const count = is_known ? 2 : 3;
    graph& g = a.owner();
    dims const shape = infer_or_throw(op::convolution, dims{}, {shapes, count}, attributes);
    return sum_to({g, g.append(op::convolution, a.type(), shape, {operands, count}, attributes)}, of);
}
constexpr value convolution_pulled_back(site const& n, std::size_t k, value const& g) {
    convolution_form const form(n.y.attributes());
    value const &a = n.a, &b = n.b;
    switch (form.makes) {
    case convolution_form::result:
        return k == 0 ? convolved(form, convolution_form::input, g, b, a) : convolved(form, convolution_form::filter, a, g, b);
    case convolution_form::input:
        return k == 0 ? convolved(form, convolution_form::result, g, b, a) : convolved(form, convolution_form::filter, g, a, b);
    default:
        return k == 0 ? convolved(form, convolution_form::input, b, g, a) : convolved(form, convolution_form::result, a, g, b);
    }
}
constexpr value convolution_pushed_forward(site const& n, table_view<value> t) {
    convolution_form const form(n.y.attributes());
    return convolved(form, form.makes, t[0], n.b, n.y) + convolved(form, form.makes, n.a, t[1], n.y);
}

constexpr value joined(value const& a, value const& b, int axis) { return record(op::concatenate, {a, b}, attribute_list(axis)); }
constexpr value conjugate_transpose(value const& x) { return swap_last_axes(conj(x)); }
constexpr value complex_value(value const& re, value const& im, dtype type) {
    return cast(re, type) + unary(op::times_i, cast(im, type));
}
// Gives the x of a x = b for complex matrices, from a real system of twice the size.
constexpr value complex_solution(value const& a, value const& b) {
    int const rows = a.rank() - 2, columns = a.rank() - 1;
    value const re = real(a), im = imag(a);
    value const matrix = joined(joined(re, -im, columns), joined(im, re, columns), rows);
    value const both = solution(matrix, joined(real(b), imag(b), rows));
    attribute_list halves;
    for (int axis = 0; axis < rows; ++axis) halves.push_back(-2 - axis);
    halves.push_back(2), halves.push_back(-1), halves.push_back(-2 - columns);
    value const stacked = unary(op::reshape, both, halves);
    auto const half = [&](int k) { return unary(op::squeeze, slice(stacked, rows, k, k + 1), attribute_list(rows)); };
    return complex_value(half(0), half(1), a.type());
}

// With A V = V diag(w) and W = V^-1 dA V, the tangents are dw = diag(W) and dV = V (W / (w_j - w_i)), less the part of each
// column along itself, so that columns keep their length. Where two eigenvalues are equal, their vectors have no derivative; the
// rule gives 0 there, which is right for a function that doesn't depend on those vectors.
struct eig_parts {
    value vectors, values, gap_factors;
    int rows, columns;

    constexpr explicit eig_parts(site const& n)
        : vectors{n.y.owner(), append_result(n.y.owner(), n.y.id(), 1)}, values{n.y}, rows{n.a.rank() - 2},
          columns{n.a.rank() - 1} {
        gap_factors = reciprocal_gaps(values);
    }
    // Gives for each column of x the real part of its product with the vector of that column.
    constexpr value along_vectors(value const& x) const {
        return cast(real(reduce(op::sum, conj(vectors) * x, attribute_list(0, rows))), vectors.type());
    }
};
// Gives the tangents of the values and of the vectors.
constexpr buffer<value> eig_pushed_forward(site const& n, value const& t) {
    eig_parts const e(n);
    value const inner = complex_solution(e.vectors, product(cast(t, e.vectors.type()), e.vectors));
    value const moved = product(e.vectors, inner * e.gap_factors);
    buffer<value> out;
    out.push_back(unary(op::diagonal, inner, attribute_list(0, e.rows, e.columns)));
    out.push_back(moved - e.vectors * e.along_vectors(moved));
    return out;
}
// The gradient of A is V^-H (diag(gw) + (V^H gV - V^H V diag(Re(V^H gV))) / conj(w_j - w_i)) V^H.
constexpr value eig_pulled_back(site const& n, value const& of_values, value const& of_vectors) {
    eig_parts const e(n);
    value inner;
    if (!of_vectors.is_zero())
        inner =
            product(conjugate_transpose(e.vectors), of_vectors - e.vectors * e.along_vectors(of_vectors)) * conj(e.gap_factors);
    if (!of_values.is_zero()) {
        value const in_rows = unary(op::expand_dims, of_values, attribute_list(e.rows));
        inner = inner + where_places(op::equal, broadcast_like(in_rows, e.vectors));
    }
    if (inner.is_zero()) return inner;
    value const transposed = conjugate_transpose(e.vectors), out = complex_solution(transposed, product(inner, transposed));
    return is_complex(n.a.type()) ? out : real(out);
}

} // namespace detail

// These two functions do for routines what decomposition_pulled_back and decomposition_pushed_forward do for matrix ops.
constexpr value routine_pulled_back(site const& n, std::size_t k, table_view<value> g) {
    switch (n.code()) {
    case op::fft: return g[0].is_zero() ? value{} : detail::fft_pulled_back(n, g[0]);
    case op::convolution: return g[0].is_zero() ? value{} : detail::convolution_pulled_back(n, k, g[0]);
    default: return detail::eig_pulled_back(n, g[0], g[1]);
    }
}
constexpr buffer<value> routine_pushed_forward(site const& n, table_view<value> t) {
    if (n.code() == op::eig) return detail::eig_pushed_forward(n, t[0]);
    buffer<value> out;
    out.push_back(n.code() == op::fft ? detail::applied_to(n, t) : detail::convolution_pushed_forward(n, t));
    return out;
}

} // namespace tx::ad
