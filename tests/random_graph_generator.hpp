// This file is the generator behind random_graph.hpp, with a way to apply every op to the values there are. Every graph is well
// typed, and tame: values stay small, and an op that amplifies errors or jumps (a comparison, floor, argmax) only gets operands
// that allow it, so two executors that round differently agree to `graph_tolerance`.
#pragma once

#include <random_graph_builder.hpp>

namespace tx::detail {

class graph_generator : tame_builder {
public:
    constexpr graph_generator(std::uint64_t seed, random_graph_options const& options) : tame_builder(seed, options) {}

    constexpr graph made() {
        int const parameters = 1 + bits_.index(options_.max_parameters);
        for (int k = 0; k < parameters; ++k) {
            dtype const type = random_type();
            keep({g_.append_parameter(type, random_shape()), argument_bound(type), 0});
        }
        std::size_t const wanted = static_cast<std::size_t>(1 + bits_.index(options_.max_nodes));
        for (int tries = 0; g_.size() < wanted && tries < 8 * options_.max_nodes; ++tries) try_op(random_op());
        // Values that are not used yet are preferred, so that what they depend on is alive.
        int const outputs = 1 + bits_.index(options_.max_outputs);
        int added = 0;
        for (std::size_t i = values_.size(); i-- > 0 && added < outputs;)
            if (!used_[index(values_[i].id)] || bits_.one_in(8)) g_.add_output(values_[i].id), ++added;
        return g_;
    }
    static constexpr double argument_bound(dtype type) {
        return type == dtype::boolean ? 1 : is_integer(type) ? 8 : is_complex(type) ? 1.5 : 2;
    }

private:
    // Picks any op but those of strings, of which there are none, those that only passes make, and those of families.
    constexpr op random_op() {
        std::size_t k = static_cast<std::size_t>(bits_.index(op_count - 5));
        for (op const left_out : {op::string_add, op::fft, op::convolution, op::eig, op::blocks})
            if (k >= static_cast<std::size_t>(left_out)) ++k;
        return static_cast<op>(k);
    }
    static constexpr char const* accepted(tx::detail::builder_specs) { return nullptr; }
    // A step may give no result.
    constexpr void try_op(op code) {
        if (value const v = attempted(code); v.id != node_id::none) keep(v);
    }
    constexpr value attempted(op code) {
        op_info const& row = info(code);
        switch (row.kind) {
        case kind::leaf: return leaf(code);
        case kind::view: return view(code);
        case kind::structure: return structure(code);
        case kind::reduction:
        case kind::arg_reduction: return reduction(code);
        case kind::scan: return scan(code);
        case kind::order: return ordered(code);
        case kind::lookup: return lookup(code);
        case kind::contraction: return product();
        case kind::decomposition: return decomposition(code);
        case kind::update: return update(code);
        case kind::random: return drawn(code);
        case kind::marker: {
            if (code == op::least_squares) return marked_solution();
            value const x = pick();
            if (code == op::checked) {
                node_id const checked[]{x.id, pick().id};
                return {g_.append_checked(x.id, checked, {"f", accepted, 2}), x.bound, x.error};
            }
            std::int64_t const first_result[]{0};
            return append(code, {&x, 1}, x.bound, x.error,
                          {first_result, code == op::custom_derivative ? std::size_t{1} : std::size_t{0}});
        }
        case kind::control: return code == op::cond ? branches(code) : value{}; // loops: run/loops
        case kind::effect:
        case kind::callback:
        case kind::routine:
        case kind::projection: return {};
        case kind::pointwise: break;
        }
        value const x =
            pick_if([&](value v) { return code == op::where ? type_of(v) == dtype::boolean : accepts(row.domain, type_of(v)); });
        if (x.id == node_id::none) return {};
        if (code == op::cast) return cast(x);
        if (code == op::where) return where(x);
        if (row.arity == 1) return is_complex(type_of(x)) ? complex_unary(code, x) : unary(code, x);
        return row.arity == 2 ? binary(code, x, pick_partner(x)) : fused(x);
    }

    // Draws random numbers, without the low bits of large ones.
    constexpr value drawn(op code) {
        bool const orders = code == op::random_permutation, is_wide = orders || bits_.one_in(2);
        dims const d = random_shape();
        value const key = literal(dtype::uint64, static_cast<double>(bits_.below(100)));
        std::int64_t form[2 + tx::max_rank]{bits_.index(3), is_wide ? 2 : 1};
        for (int axis = 0; axis < d.rank; ++axis) form[2 + axis] = d[axis];
        dtype const type = orders ? dtype::int64 : is_wide ? dtype::uint64 : dtype::uint32;
        value const all =
            append(code, {&key, 1}, static_cast<double>(d.size()), 0, {form, static_cast<std::size_t>(2 + d.rank)}, type);
        return orders ? all : append(op::right_shift, all, literal(type, is_wide ? 60 : 28), 15, 0);
    }

    constexpr value further(value const& of, std::size_t k) {
        return of.id == node_id::none ? of : value{append_result(g_, of.id, k), of.bound, of.error};
    }
    // Makes branches of two values x and y: one branch gives y and -x, the other x and y.
    constexpr value branches(op code) {
        value const x = pick(), y = pick_if([&](value v) { return type_of(v) == type_of(x) && shape_of(v) == shape_of(x); });
        value truth = pick_if([&](value v) { return type_of(v) == dtype::boolean && shape_of(v).rank == 0; });
        if (y.id == node_id::none) return {};
        if (truth.id == node_id::none) truth = random_literal(dtype::boolean);
        std::int64_t regions[2]{};
        for (bool const first : {true, false}) {
            tx::graph branch;
            node_id const a = branch.append_parameter(type_of(x), dims(shape_of(x))),
                          b = branch.append_parameter(type_of(x), dims(shape_of(x)));
            bool const negates = first && accepts(op::negative, type_of(x)) && !is_unsigned_integer(type_of(x));
            branch.add_output(first ? b : a);
            branch.add_output(negates ? branch.append(op::negative, type_of(x), dims(shape_of(x)), {&a, 1}) : b);
            regions[first ? 0 : 1] = g_.append_region(branch.view());
        }
        node_id const operands[]{truth.id, x.id, y.id};
        double const bound = x.bound > y.bound ? x.bound : y.bound, error = x.error > y.error ? x.error : y.error;
        value const both{g_.append(code, type_of(x), dims(shape_of(x)), operands, regions), bound, error};
        for (node_id const id : operands) mark_used(id);
        keep(further(both, 1));
        return both;
    }

    constexpr value leaf(op code) {
        dtype const type = random_type();
        if (code == op::literal) return random_literal(type);
        if (code == op::constant) return constant(type);
        if (code == op::axis_size) {
            value const x = pick();
            std::int64_t const axis[]{bits_.index(shape_of(x).rank + 1)};
            std::size_t const named = axis[0] < shape_of(x).rank ? 1 : 0;
            return append(code, {&x, 1}, 256, 0, {axis, named}, bits_.one_in(2) ? dtype::int64 : dtype::float64);
        }
        if (code == op::extents) return told_shape(pick());
        value const x = pick();
        if (code != op::iota || shape_of(x).rank == 0 || !accepts(domain::ordered, type)) return {};
        std::int64_t const axis[]{bits_.index(shape_of(x).rank)};
        if (bits_.one_in(2)) return append(code, {&x, 1}, 40, 0, axis, type);
        return {g_.append(code, type, shape_of(x), {}, axis), 40, 0};
    }
    // Broadcasts to the shape of x, with some extents given by numbers.
    constexpr value told_shape(value x) {
        dims const d = shape_of(x);
        buffer<node_id> numbers;
        buffer<std::int64_t> codes;
        for (std::int64_t axis = 0; axis < d.rank; ++axis) {
            bool const is_told = bits_.one_in(2);
            codes.push_back(is_told ? -1 - static_cast<std::int64_t>(numbers.size()) : d[static_cast<int>(axis)]);
            if (is_told) numbers.push_back(append(op::axis_size, {&x, 1}, 256, 0, {&axis, 1}, dtype::int64).id);
        }
        if (numbers.empty()) return {};
        return {g_.append(op::extents, dtype::boolean, d, numbers, codes), 1, 0};
    }
    constexpr value constant(dtype type) {
        dims const d = random_shape();
        if (d.size() > 64) return {};
        buffer<std::uint64_t> words;
        for (std::int64_t i = 0; i < d.size(); ++i) {
            literal_bits const bits = cast_literal(to_literal(static_cast<double>(bits_.below(9) - 4) / 4), dtype::float64, type);
            words.push_back(bits.low);
            if (is_complex(type)) words.push_back(bits.high);
        }
        return {g_.append_constant(type, d, words), 1, 0};
    }

    constexpr value cast(value x) {
        dtype const from = type_of(x), to = random_type();
        bool const jumps = to == dtype::boolean || (is_inexact(from) && is_integer(to));
        if (from == to || (jumps && x.error > 0)) return {};
        double const scale = is_inexact(from) && is_inexact(to) ? epsilon_of(from) / epsilon_of(to) : 1;
        return append(op::cast, {&x, 1}, to == dtype::boolean ? 1 : x.bound,
                      x.error * scale + (epsilon_of(to) > epsilon_of(from) ? x.bound : 0), {}, to);
    }
    constexpr value where(value condition) {
        value const a = pick_if([&](value v) { return broadcastable(shape_of(v), shape_of(condition)); });
        if (a.id == node_id::none) return {};
        value const all[]{condition, a, pick_partner(a)};
        return append(op::where, all, max(a.bound, all[2].bound), max(a.error, all[2].error));
    }
    constexpr value fused(value x) {
        value const all[]{x, pick_partner(x), pick_partner(x)};
        double const bound = x.bound * all[1].bound + all[2].bound;
        return append(op::fma, all, bound, x.error * all[1].bound + x.bound * all[1].error + all[2].error + 2 * bound);
    }

    // Appends f(x) for x already inside the domain, with |f'| <= slope and |f| <= bound there.
    constexpr value smooth(op code, value x, double slope, double bound) {
        return x.id == node_id::none ? value{} : append(code, x, bound, slope * x.error + 2 * bound);
    }
    constexpr value unary(op code, value x) {
        switch (code) {
        case op::negative:
        case op::absolute: return append(code, x, x.bound, x.error);
        case op::isnan:
        case op::isinf:
        case op::isfinite: return append(code, x, 1, 0);
        case op::sign:
        case op::floor:
        case op::ceil:
        case op::round:
        case op::trunc: return x.error > 0 ? value{} : append(code, x, x.bound + 1, 0);
        case op::square: return smooth(code, x, 2 * x.bound, x.bound * x.bound);
        case op::sqrt: return smooth(code, away_from_zero(x, 0.25), 1, 17);
        case op::rsqrt: return smooth(code, away_from_zero(x, 0.5), 1.5, 1.5);
        case op::cbrt: return smooth(code, away_from_zero(x, 0.5), 1, 7);
        case op::reciprocal: return smooth(code, away_from_zero(x, 0.5), 4, 2);
        case op::exp:
        case op::exp2:
        case op::expm1:
        case op::sinh:
        case op::cosh: return smooth(code, clamped(x, -3, 3), 21, 21);
        case op::log:
        case op::log2:
        case op::log10: return smooth(code, away_from_zero(x, 0.5), 3, 9);
        case op::log1p: return smooth(code, clamped(x, -0.5, 8), 2, 3);
        case op::tan: return smooth(code, clamped(x, -1, 1), 3.5, 1.6);
        case op::asin:
        case op::acos:
        case op::atanh: return smooth(code, clamped(x, -0.875, 0.875), 4.5, 3);
        case op::acosh: return smooth(code, away_from_zero(x, 1.5), 1, 7);
        case op::lgamma: return smooth(code, clamped(x, 0.5, 8), 2, 9);
        case op::asinh: return smooth(code, x, 1, 7);
        case op::sin:
        case op::cos:
        case op::atan:
        case op::tanh:
        case op::erf:
        case op::erfc:
        case op::sigmoid: return smooth(code, x, 1.2, 2);
        case op::sinc: return smooth(code, x, 1.4, 2);
        case op::population_count:
        case op::count_leading_zeros:
        case op::count_trailing_zeros: return append(code, x, 64, 0);
        default: return append(code, x, is_integer(type_of(x)) ? x.bound + 1 : 1, 0); // logical and bitwise not
        }
    }
    // Appends a complex op without branch cuts or poles.
    constexpr value complex_unary(op code, value x) {
        switch (code) {
        case op::negative:
        case op::conj:
        case op::times_i:
        case op::real:
        case op::imag: return append(code, x, x.bound, x.error);
        case op::absolute: return append(code, x, x.bound, x.error + 2 * x.bound);
        case op::isnan:
        case op::isinf:
        case op::isfinite: return append(code, x, 1, 0);
        case op::square: return smooth(code, x, 2 * x.bound, x.bound * x.bound);
        case op::exp:
        case op::sin:
        case op::cos:
        case op::sinh:
        case op::cosh: return x.bound > 3 ? value{} : smooth(code, x, 30, 21);
        default: return {};
        }
    }

    constexpr value binary(op code, value x, value y) {
        dtype const type = type_of(x);
        double const sum = x.bound + y.bound, errors = x.error + y.error, rounding = is_inexact(type) ? 1 : 0;
        bool const exact = errors == 0;
        if (info(code).result == result_rule::boolean) return exact ? append(code, x, y, 1, 0) : value{};
        switch (code) {
        case op::add:
        case op::subtract: return append(code, x, y, type == dtype::boolean ? 1 : sum, errors + rounding * sum);
        case op::multiply: {
            double const bound = x.bound * y.bound;
            return append(code, x, y, bound, x.error * y.bound + x.bound * y.error + rounding * bound * 3);
        }
        case op::divide:
            if (is_complex(type)) return append(code, x, literal(type, 2), x.bound, x.error + 3 * x.bound);
            return append(code, x, away_from_zero(y, 0.5), 2 * x.bound, 2 * x.error + 4 * x.bound * y.error + 2 * x.bound);
        case op::floor_divide:
            return !exact ? value{} : append(code, x, is_integer(type) ? y : away_from_zero(y, 0.5), 2 * x.bound + 1, 0);
        case op::remainder:
        case op::fmod:
            return !exact ? value{} : append(code, x, is_integer(type) ? y : away_from_zero(y, 0.5), sum + 0.5, rounding * sum);
        case op::power: return power(x, y);
        case op::atan2: return append(code, x, away_from_zero(y, 0.5), 1.6, 2 * errors + 4);
        case op::hypot: return append(code, x, y, sum, errors + 2 * sum);
        case op::logaddexp: return append(code, x, y, sum + 1, errors + 4 * sum + 4);
        case op::copysign: return y.error > 0 ? value{} : append(code, x, y, x.bound, x.error);
        case op::polygamma:
            y = clamped(y, 1, 8);
            return y.id == node_id::none
                       ? y
                       : append(code, literal(type, static_cast<double>(bits_.below(3))), y, 2.5, 7 * y.error + 10);
        case op::maximum:
        case op::minimum:
        case op::fmax:
        case op::fmin: return append(code, x, y, max(x.bound, y.bound), max(x.error, y.error));
        case op::left_shift: {
            std::int64_t const by = bits_.below(5);
            return append(code, x, literal(type, static_cast<double>(by)), x.bound * 16, 0);
        }
        case op::right_shift: return append(code, x, literal(type, static_cast<double>(bits_.below(70))), x.bound, 0);
        default: return append(code, x, y, type == dtype::boolean ? 1 : 2 * sum + 1, 0); // bitwise
        }
    }
    constexpr value power(value x, value y) {
        dtype const type = type_of(x);
        if (is_complex(type))
            return append(op::power, x, literal(type, 2), x.bound * x.bound, 2 * x.bound * x.error + 16 * x.bound * x.bound);
        if (is_integer(type)) {
            int const exponent = bits_.index(4);
            double const bound = max(1, x.bound);
            return append(op::power, x, literal(type, exponent),
                          exponent < 2   ? bound
                          : exponent < 3 ? bound * bound
                                         : bound * bound * bound,
                          0);
        }
        value const base = clamped(away_from_zero(x, 0.5), 0.5, 4), exponent = clamped(y, -3, 3);
        return append(op::power, base, exponent, 64, 48 * x.error + 90 * y.error + 2 * 64);
    }

    constexpr value view(op code) {
        value const x = pick();
        if (code == op::sum_to) return {};  // it is used only where extents are unknown, and then it sums nothing
        if (code == op::barrier) {
            value const both[]{x, pick()};
            return append(code, both, x.bound, x.error);
        }
        if (code == op::reshape && bits_.one_in(3)) {
            value const y = pick_if([&](value v) { return shape_of(v).size() == shape_of(x).size(); });
            value const both[]{x, y};
            return y.id == node_id::none ? value{} : append(code, both, x.bound, x.error);
        }
        if (code == op::broadcast_to && bits_.one_in(2)) {
            value const y = pick_if([&](value v) { return !view_map(op::broadcast_to, shape_of(x), {}, &shape_of(v)).problem; });
            value const both[]{x, y};
            return y.id == node_id::none ? value{} : append(code, both, x.bound, x.error);
        }
        buffer<std::int64_t> attributes = view_attributes(code, shape_of(x));
        return append(code, {&x, 1}, x.bound, x.error, attributes);
    }
    // Adds a part of x to x, or sets another part of it.
    constexpr value update(op code) {
        if (!updates_view(code)) return indexed_update(code);
        value const x = pick_if([](value const&) { return true; });
        if (x.id == node_id::none || !accepts(code, type_of(x))) return {};
        constexpr op views[]{op::slice, op::diagonal, op::transpose, op::sliding_window_view};
        op const reading = bits_.pick(views);
        buffer<std::int64_t> const of_view = view_attributes(reading, shape_of(x));
        value const part = append(reading, {&x, 1}, x.bound, x.error, of_view);
        value const both[]{x, part};
        buffer<std::int64_t> attributes;
        attributes.push_back(static_cast<std::int64_t>(reading));
        for (std::int64_t const a : of_view) attributes.push_back(a);
        return append(code, both, 2 * x.bound, 2 * x.error + (is_inexact(type_of(x)) ? 2 * x.bound : 0), attributes);
    }
    constexpr buffer<std::int64_t> view_attributes(op code, dims const& d) {
        buffer<std::int64_t> out;
        int const rank = d.rank;
        switch (code) {
        case op::transpose:
            for (int axis = 0; axis < rank; ++axis) out.push_back(axis);
            for (int axis = rank - 1; axis > 0; --axis)
                std::swap(out[static_cast<std::size_t>(axis)], out[static_cast<std::size_t>(bits_.index(axis + 1))]);
            break;
        case op::broadcast_to:
            for (int axis = rank < options_.max_rank ? -bits_.index(2) : 0; axis < rank; ++axis)
                out.push_back(axis < 0 ? 1 + bits_.below(4) : d[axis] == 1 ? 1 + bits_.below(6) : bits_.one_in(2) ? -1 : d[axis]);
            break;
        case op::expand_dims:
            if (rank < options_.max_rank) out.push_back(bits_.index(rank + 1));
            break;
        case op::squeeze:
            for (int axis = 0; axis < rank; ++axis)
                if (d[axis] == 1 && bits_.one_in(2)) out.push_back(axis);
            break;
        case op::slice:
            for (int axis = 0; axis < rank; ++axis) append_slice(out, d[axis]);
            break;
        case op::diagonal:
            out.push_back(bits_.below(5) - 2);
            out.push_back(rank < 2 ? 0 : bits_.index(rank));  // the same axis twice is refused
            out.push_back(rank < 2 ? 0 : (out[1] + 1 + bits_.index(rank - 1)) % rank);
            break;
        case op::sliding_window_view:
            for (int axis = 0, left = options_.max_rank - rank; axis < rank && left > 0; ++axis)
                if (bits_.one_in(2)) out.push_back(axis), out.push_back(1 + bits_.below(d[axis] < 1 ? 1 : d[axis])), --left;
            break;
        default: append_reshape(out, d);
        }
        return out;
    }
    constexpr void append_slice(buffer<std::int64_t>& out, std::int64_t extent) {
        constexpr std::int64_t steps[]{1, 1, 1, 2, 3, -1, -2};
        auto const bound = [&] { return bits_.one_in(3) ? slice_open : bits_.below(2 * extent + 3) - extent - 1; };
        if (bits_.one_in(3)) {
            for (std::int64_t const b : {slice_open, slice_open, std::int64_t{1}}) out.push_back(b);
        } else {
            out.push_back(bound());
            out.push_back(bound());
            out.push_back(bits_.pick(steps));
        }
    }
    // Flattens, splits by a factor, joins two axes, or copies the first one and infers the rest.
    constexpr void append_reshape(buffer<std::int64_t>& out, dims const& d) {
        std::int64_t const size = d.size();
        switch (bits_.index(4)) {
        case 0: out.push_back(bits_.one_in(2) ? -1 : size); break;
        case 1:
            for (std::int64_t factor = 2 + bits_.below(3); factor > 0; --factor)
                if (size % factor == 0) {
                    out.push_back(factor);
                    out.push_back(size / factor);
                    break;
                }
            break;
        case 2:
            for (int axis = 0; axis + 2 < d.rank; ++axis) out.push_back(d[axis]);
            out.push_back(d.rank < 2 ? size : d[d.rank - 2] * d[d.rank - 1]);
            break;
        default:
            if (d.rank > 0) out.push_back(-2);
            out.push_back(-1);
        }
    }

    constexpr value structure(op code) {
        value const x = pick();
        int const rank = shape_of(x).rank;
        if (code == op::pad) {
            buffer<std::int64_t> widths;
            for (int k = 0; k < 2 * rank; ++k) widths.push_back(bits_.index(3));
            value const filling = random_literal(type_of(x));
            value const both[]{x, filling};
            return append(code, both, max(x.bound, filling.bound), x.error, widths);
        }
        if (rank == 0) return {};
        std::int64_t const along[]{bits_.index(rank)};
        value parts[4]{x};
        std::size_t const count = static_cast<std::size_t>(1 + bits_.index(4));
        double bound = x.bound, error = x.error;
        for (std::size_t k = 1; k < count; ++k) {
            parts[k] = pick_if([&](value v) {
                dims const both[]{shape_of(x), shape_of(v)};
                return type_of(v) == type_of(x) && !concatenated(both, along).problem;
            });
            if (parts[k].id == node_id::none) parts[k] = x;
            bound = max(bound, parts[k].bound), error = max(error, parts[k].error);
        }
        return append(code, {parts, count}, bound, error, along);
    }

    constexpr value reduction(op code) {
        bool const multiplies = code == op::prod, picks = code != op::sum && !multiplies,
                   places = info(code).kind == kind::arg_reduction;
        value const picked = pick_if([&](value v) {
            return accepts(info(code).domain, type_of(v)) && !(places && v.error > 0) && !(multiplies && is_complex(type_of(v)));
        });
        if (picked.id == node_id::none) return {};
        value const x = multiplies ? clamped(picked, -1, 1) : picked;
        if (x.id == node_id::none) return {};
        dims const d = shape_of(x);
        std::int64_t attributes[1 + max_rank]{bits_.index(2)};
        std::size_t count = 1;
        std::int64_t elements = 1;
        for (int axis = 0; axis < d.rank; ++axis)
            if (bits_.one_in(2)) attributes[count++] = axis, elements *= d[axis];
        if (picks && elements == 0) return {};
        auto const n = static_cast<double>(elements);
        double const bound = places ? n : code == op::sum ? n * x.bound : multiplies ? 1 : x.bound;
        return append(code, {&x, 1}, bound, picks ? x.error : n * (x.error + x.bound), {attributes, count});
    }
    constexpr value scan(op code) {
        bool const multiplies = code == op::cumprod;
        value const picked = pick_if([&](value v) {
            return accepts(info(code).domain, type_of(v)) && shape_of(v).rank > 0 && !(multiplies && is_complex(type_of(v)));
        });
        if (picked.id == node_id::none) return {};
        value const x = multiplies ? clamped(picked, -1, 1) : picked;
        if (x.id == node_id::none) return {};
        std::int64_t const along[]{bits_.index(shape_of(x).rank)};
        auto const n = static_cast<double>(shape_of(x)[static_cast<int>(along[0])]);
        if (code == op::cummax || code == op::cummin) return append(code, {&x, 1}, x.bound, x.error, along);
        return append(code, {&x, 1}, multiplies ? 1 : n * x.bound, n * n * (x.error + x.bound), along);
    }

    // Appends an op that orders elements. They must be exact where places are asked for, or where the result is partitioned
    // around one.
    constexpr value ordered(op code) {
        bool const is_around = bits_.one_in(3), places = code == op::argsort;
        value const x = pick_if([&](value v) {
            return accepts(info(code).domain, type_of(v)) && shape_of(v).rank > 0 &&
                   !((is_around || code != op::sort) && v.error > 0);
        });
        if (x.id == node_id::none) return {};
        std::int64_t const along = bits_.index(shape_of(x).rank), n = shape_of(x)[static_cast<int>(along)];
        if (code == op::argselect) {
            value const both[]{x, indices(op::take_along_axis, x, along, true)};
            return append(code, both, static_cast<double>(n), 0, {&along, 1});
        }
        buffer<std::int64_t> attributes;
        attributes.push_back(along);
        attributes.push_back(is_around ? 0 : bits_.index(2));
        if (places) attributes.push_back(is_around || bits_.one_in(2) ? order_of_all : bits_.index(static_cast<int>(n) + 1));
        if (is_around && n > 0) attributes.push_back(bits_.below(2 * n) - n);
        return append(code, {&x, 1}, places ? static_cast<double>(n) : x.bound, x.error, attributes);
    }

    // Makes indices for an axis of x, as take or take_along_axis has them: modulo the extent, and some of them negative. Ranks
    // are int64, for each row or as a vector.
    constexpr value indices(op code, value x, std::int64_t along, bool are_ranks = false) {
        std::int64_t const extent = shape_of(x)[static_cast<int>(along)];
        value out;
        if (extent == 0) return out;
        if (code == op::take) {
            out = pick_if([&](value v) { return is_integer(type_of(v)); });
            if (out.id == node_id::none || shape_of(x).rank - 1 + shape_of(out).rank > options_.max_rank) return {};
        } else {
            dtype const type = are_ranks ? dtype::int64 : dtype::int32;
            if (are_ranks && bits_.one_in(2))
                out = pick_if([&](value v) { return is_integer(type_of(v)) && shape_of(v).rank == 1; });
            if (out.id == node_id::none) {
                value const count = append(op::iota, {&x, 1}, 40, 0, {&along, 1}, type);
                if (count.id == node_id::none) return {};
                // in order, because compilers evaluate arguments in different orders
                out = append(op::multiply, count, literal(type, 7), 280, 0);
            } else if (type_of(out) != type) {
                out = append(op::cast, {&out, 1}, out.bound, 0, {}, type);
            }
        }
        if (out.id == node_id::none) return out;
        auto const size = static_cast<double>(extent);
        out = append(op::remainder, out, literal(type_of(out), size), size, 0);
        bool const is_negative = bits_.one_in(3) && is_signed_integer(type_of(out));
        return is_negative ? append(op::subtract, out, literal(type_of(out), size), size, 0) : out;
    }
    constexpr value lookup(op code) {
        value const x = pick_if([&](value v) { return shape_of(v).rank > 0; });
        if (x.id == node_id::none) return {};
        std::int64_t const along[]{bits_.index(shape_of(x).rank)};
        value const both[]{x, indices(code, x, along[0])};
        return append(code, both, x.bound, x.error, along);
    }
    // Updates x by what a lookup finds in another value: the values for one place are equal, so the order of updates does not
    // matter.
    constexpr value indexed_update(op code) {
        value const x = pick_if([&](value v) { return shape_of(v).rank > 0 && accepts(info(code).domain, type_of(v)); });
        if (x.id == node_id::none) return {};
        value const y = pick_if([&](value v) { return type_of(v) == type_of(x) && shape_of(v) == shape_of(x); });
        std::int64_t const along[]{bits_.index(shape_of(x).rank)};
        op const reading = updates_taken(code) ? op::take : op::take_along_axis;
        value const at = indices(reading, x, along[0]), from[]{y, at};
        value const part = append(reading, from, y.bound, y.error, along);
        if (part.id == node_id::none) return {};
        double const times = adds_elements(code) ? static_cast<double>(shape_of(at).size()) : 1,
                     bound = x.bound + times * y.bound;
        value const all[]{x, part, at};
        double const rounding = adds_elements(code) && is_inexact(type_of(x)) ? times * bound : 0;
        return append(code, all, type_of(x) == dtype::boolean ? 1 : bound, x.error + times * y.error + rounding, along);
    }

    // Transposes each matrix.
    constexpr value transposed(value a) {
        int const rank = shape_of(a).rank;
        std::int64_t axes[max_rank];
        for (int axis = 0; axis < rank; ++axis) axes[axis] = axis;
        std::swap(axes[rank - 1], axes[rank - 2]);
        return append(op::transpose, {&a, 1}, a.bound, a.error, {axes, static_cast<std::size_t>(rank)});
    }
    constexpr value product() {
        value const a = pick_if([&](value v) { return shape_of(v).rank >= 2; });
        if (a.id == node_id::none) return {};
        value b = pick_if([&](value v) { return type_of(v) == type_of(a) && !matmul_shape(shape_of(a), shape_of(v)).problem; });
        dims const d = shape_of(a);
        if (b.id == node_id::none) b = transposed(a);
        if (b.id == node_id::none) return {};
        auto const n = static_cast<double>(d[d.rank - 1]);
        double const bound = type_of(a) == dtype::boolean ? 1 : n * a.bound * b.bound;
        return append(op::matmul, a, b, bound, n * (a.error * b.bound + a.bound * b.error + 3 * n * a.bound * b.bound));
    }

    // Makes x x^T for an x whose rows are shorter than 1, plus 2 on the diagonal, so that eigenvalues lie between 2 and n + 2.
    // Gives nothing if there is no x.
    constexpr value definite(value x) {
        if (x.id == node_id::none || x.bound == 0) return {};
        dims const d = shape_of(x);
        if (d.size() == 0) return {};
        int const rank = d.rank;
        double const length = x.bound * static_cast<double>(d[rank - 1]);
        value const rows = append(op::multiply, x, literal(type_of(x), 1 / length), 1, x.error / length + 2);
        value const columns = transposed(rows);
        double const error = 2 * static_cast<double>(d[rank - 1]) * (rows.error + 3);
        value const two = literal(type_of(x), 2);
        value const parts[]{append(op::matmul, rows, columns, 1, error),
                            append(op::broadcast_to, {&two, 1}, 2, 0, {d.extent, static_cast<std::size_t>(rank - 1)})};
        std::int64_t const diagonal[]{static_cast<std::int64_t>(op::diagonal), 0, rank - 2, rank - 1};
        return append(op::view_add, parts, 3, error + 3, diagonal);
    }
    // Gives the values without the vectors, which jump where values are close to each other.
    constexpr value spectrum(op code, value a, double error) {
        value const vectors = append(code, a, static_cast<double>(shape_of(a)[shape_of(a).rank - 1]) + 2, error);
        return further(vectors, 1);
    }
    // Gives Q R rather than the factors, whose signs jump where a reflected vector has almost a 0 in front.
    constexpr value product_of_factors(value a, double error) {
        double const bound = static_cast<double>(shape_of(a)[shape_of(a).rank - 1]) + 2;
        value const q = append(op::qr, a, bound, error);
        return append(op::matmul, q, further(q, 1), bound, error);
    }
    // Marks a value as the pseudo-inverse of another.
    constexpr value marked_solution() {
        value const a = pick_if([&](value v) { return shape_of(v).rank >= 2 && accepts(domain::wide, type_of(v)); });
        if (a.id == node_id::none) return {};
        value const x = transposed(a);
        return x.id == node_id::none ? value{} : append(op::least_squares, x, a, x.bound, x.error);
    }
    constexpr value decomposition(op code) {
        value const x = pick_if([&](value v) { return shape_of(v).rank >= 2 && accepts(domain::wide, type_of(v)); });
        value const a = definite(x);
        if (a.id == node_id::none) return {};
        auto const n = static_cast<double>(shape_of(a)[shape_of(a).rank - 1]);
        double const condition = 4 * n * (n + 2);
        if (code == op::eigh || code == op::svd) return spectrum(code, a, condition * (a.error + 3));
        if (code == op::qr) return product_of_factors(a, condition * (a.error + 3));
        value const factor = code == op::cholesky || bits_.one_in(2) ? append(op::cholesky, a, 2, condition * (a.error + 3)) : a;
        if (code == op::cholesky || factor.id == node_id::none) return factor;
        value const factors = append(op::lu, factor, 3, condition * (factor.error + 3));
        value const all[]{factor, x, factors, further(factors, 1)};
        std::int64_t const form[]{1, bits_.index(2), 0};
        double const bound = n * x.bound, error = condition * (x.error + x.bound * (factor.error + 3));
        if (code == op::solve || code == op::lu) return append(op::solve, all, bound, error, {form + 1, 1});
        // Only a factor is known to be far from singular.
        return factor.id == a.id ? value{} : append(code, {all, 2}, bound, error, form);
    }
};

} // namespace tx::detail
