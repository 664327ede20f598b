// The reference executor's ops on whole arrays: views, structure, reductions, scans, lookups, products, decompositions. They move
// cells by row-major index; only what adds or compares looks at the dtype. Shapes are checked already (graph/infer.hpp).
#pragma once

#include <tracexpr/backends/calls/decomposition_calls.hpp>
#include <tracexpr/backends/reference/pointwise.hpp>
#include <tracexpr/graph/infer.hpp>

#include <string>
#include <vector>

namespace tx::reference {

// f(position, row-major number) for every position in the shape; a position is held as dims.
template <class F> constexpr void for_each_position(dims const& d, F f) {
    dims at;
    at.rank = d.rank;
    for (std::int64_t number = 0, count = d.size(); number < count; ++number) {
        f(static_cast<dims const&>(at), number);
        for (int axis = d.rank - 1; axis >= 0 && ++at[axis] == d[axis]; --axis) at[axis] = 0;
    }
}
constexpr std::int64_t number_of(dims const& d, dims const& at) {
    std::int64_t number = 0;
    for (int axis = 0; axis < d.rank; ++axis) number = number * d[axis] + at[axis];
    return number;
}
// Where an operand that broadcasts is read for position `at` of the result.
constexpr std::int64_t broadcast_number(dims const& d, dims const& at) {
    std::int64_t number = 0;
    for (int axis = 0; axis < d.rank; ++axis) number = number * d[axis] + (d[axis] == 1 ? 0 : at[axis + at.rank - d.rank]);
    return number;
}

// Each element of the result is the operand's at source(position).
template <class Source> constexpr values gathered(values const& from, dims const& shape, Source source) {
    values out(from.type, shape);
    for_each_position(shape, [&](dims const& at, std::int64_t number) { out[number] = from[source(at)]; });
    return out;
}

constexpr values transposed(values const& x, dims const& shape, attribute_span permutation) {
    return gathered(x, shape, [&](dims const& at) {
        dims from = at;
        for (int axis = 0; axis < at.rank; ++axis) from[static_cast<int>(permutation[static_cast<std::size_t>(axis)])] = at[axis];
        return number_of(x.shape, from);
    });
}
constexpr values sliced(values const& x, dims const& shape, attribute_span bounds) {
    return gathered(x, shape, [&](dims const& at) {
        dims from = at;
        for (int axis = 0; axis < at.rank; ++axis) {
            auto const b = bounds.subspan(3 * static_cast<std::size_t>(axis), 3);
            slice_range const range = resolved_slice(b[0], b[1], b[2], x.shape[axis]);
            from[axis] = range.start + at[axis] * range.step;
        }
        return number_of(x.shape, from);
    });
}
constexpr values diagonal(values const& x, dims const& shape, attribute_span attributes) {
    std::int64_t const offset = attributes[0];
    int const first = static_cast<int>(attributes[1]), second = static_cast<int>(attributes[2]);
    return gathered(x, shape, [&](dims const& at) {
        dims from;
        int next = 0;
        for (int axis = 0; axis < x.shape.rank; ++axis)
            from.push_back(axis == first || axis == second ? at[at.rank - 1] : at[next++]);
        from[first] -= offset < 0 ? offset : 0;
        from[second] += offset > 0 ? offset : 0;
        return number_of(x.shape, from);
    });
}

constexpr values padded(values const& x, cell filling, dims const& shape, attribute_span widths) {
    values out(x.type, shape);
    std::fill(out.cells.begin(), out.cells.end(), filling);
    for_each_position(x.shape, [&](dims const& at, std::int64_t number) {
        dims to = at;
        for (int axis = 0; axis < at.rank; ++axis) to[axis] += widths[2 * static_cast<std::size_t>(axis)];
        out[number_of(shape, to)] = x[number];
    });
    return out;
}
constexpr values concatenated(table_view<values const*> parts, dims const& shape, int along) {
    values out(parts[0]->type, shape);
    std::int64_t before = 0;
    for (values const* part : parts) {
        for_each_position(part->shape, [&](dims const& at, std::int64_t number) {
            dims to = at;
            to[along] += before;
            out[number_of(shape, to)] = (*part)[number];
        });
        before += part->shape[along];
    }
    return out;
}

constexpr values iota(dtype type, dims const& shape, int along) {
    values out(type, shape);
    for_each_position(shape, [&](dims const& at, std::int64_t number) {
        out[number] = cast({static_cast<std::uint64_t>(at[along]), 0}, dtype::int64, type);
    });
    return out;
}
constexpr values axis_size(dtype type, dims const& shape, attribute_span axes) {
    values out(type, dims{});
    out[0] = cast({static_cast<std::uint64_t>(elements_along(shape, axes)), 0}, dtype::int64, type);
    return out;
}
constexpr values falses(dims const& shape) {
    values out(dtype::boolean, shape);
    std::fill(out.cells.begin(), out.cells.end(), cell{});
    return out;
}

// A sum or product that grows: in long double, or modulo 2^64. Rounded once, at the end.
struct accumulator {
    dtype type;
    long double re, im;
    std::uint64_t bits;
    nested<long double> number; // of duals

    constexpr accumulator() : accumulator(dtype::float64) {}
    // From 0 or 1.
    constexpr explicit accumulator(dtype t, int start = 0)
        : type{t}, re(start), im(0), bits(static_cast<std::uint64_t>(start)), number(start) {}
    constexpr void add(cell c) {
        if (is_dual(type)) number += dual_of<long double>(c);
        else re += real_of(c), im += complex_of(c).imag(), bits += c.low;
    }
    constexpr void add_product(cell a, cell b) {
        accumulator product(type);
        product.add(a);
        product.multiply(b);
        re += product.re, im += product.im, bits += product.bits;
        if (is_dual(type)) number += product.number;
    }
    constexpr void multiply(cell c) {
        if (is_dual(type)) {
            number *= dual_of<long double>(c);
            return;
        }
        bits *= c.low;
        double const x = real_of(c), y = complex_of(c).imag();
        long double const old = re;
        re = is_complex(type) ? old * x - im * y : old * x;
        im = is_complex(type) ? old * y + im * x : 0;
    }
    constexpr cell total() const {
        if (is_dual(type)) return rounded(type, number);
        if (!is_inexact(type)) return wrapped(type, bits);
        return {rounded(type, re).low, is_complex(type) ? rounded(type, im).low : 0};
    }
};

// The first place of the largest (smallest) element; NaN counts as larger (smaller) than all.
constexpr std::size_t best_place(bool largest, dtype type, table_view<cell> cells) {
    auto const beats = [&](cell a, cell b) {
        if (is_floating(type)) {
            if (real_of(a) != real_of(a) || real_of(b) != real_of(b)) return real_of(a) != real_of(a) && real_of(b) == real_of(b);
            return largest ? real_of(a) > real_of(b) : real_of(a) < real_of(b);
        }
        if (is_signed_integer(type)) return largest ? signed_of(a) > signed_of(b) : signed_of(a) < signed_of(b);
        return largest ? a.low > b.low : a.low < b.low;
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < cells.size(); ++i)
        if (beats(cells[i], cells[best])) best = i;
    return best;
}

constexpr cell reduced_cells(op code, dtype type, table_view<cell> cells) {
    if (code == op::sum || code == op::prod) {
        accumulator out(type, code == op::prod);
        for (cell c : cells) code == op::sum ? out.add(c) : out.multiply(c);
        return out.total();
    }
    std::size_t const place = best_place(code == op::max || code == op::argmax, type, cells);
    if (code == op::max || code == op::min) return cells[place];
    return {place, 0};
}

constexpr values reduced(op code, values const& x, dims const& shape, attribute_span attributes) {
    check_elements(code, x.type, x.shape, attributes);
    dims kept = x.shape;
    for (std::int64_t axis : attributes.subspan(1)) kept[static_cast<int>(axis)] = 1;
    buffer<buffer<cell>> groups(static_cast<std::size_t>(kept.size()));
    for_each_position(x.shape, [&](dims const& at, std::int64_t number) {
        groups[static_cast<std::size_t>(broadcast_number(kept, at))].push_back(x[number]);
    });
    values out(info(code).result == result_rule::index ? dtype::int64 : x.type, shape);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (groups[i].empty() && (code == op::max || code == op::min)) out.cells[i] = flag(code == op::min); // any and all
        else out.cells[i] = reduced_cells(code, x.type, groups[i]);
    }
    return out;
}

// Calls f(start, stride) for every line along the axis.
template <class F> constexpr void for_each_line(dims const& d, int along, F f) {
    std::int64_t outer = 1, inner = 1;
    for (int axis = 0; axis < along; ++axis) outer *= d[axis];
    for (int axis = along + 1; axis < d.rank; ++axis) inner *= d[axis];
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < inner; ++i) f(o * d[along] * inner + i, inner);
}

template <class Unused = void> constexpr values scanned(op code, values const& x, int along) {
    values out(x.type, x.shape);
    for_each_line(x.shape, along, [&](std::int64_t start, std::int64_t stride) {
        cell total{};
        buffer<cell> line;
        std::size_t best = 0;
        for (std::int64_t i = 0; i < x.shape[along]; ++i) {
            cell const c = x[start + i * stride];
            if (code == op::cumsum || code == op::cumprod) { // rounded at each step
                cell const pair[max_pointwise_operands]{total, c};
                total = i == 0 ? c : pointwise<Unused>(code == op::cumsum ? op::add : op::multiply, x.type, pair);
                out[start + i * stride] = total;
            } else {
                line.push_back(c);
                cell const pair[]{line[best], c};
                if (best_place(code == op::cummax, x.type, pair)) best = line.size() - 1;
                out[start + i * stride] = line[best];
            }
        }
    });
    return out;
}

// A place along an axis from an index of any integer dtype; negative ones count from the end.
constexpr std::int64_t place_along(op code, dtype type, cell index, int along, std::int64_t extent) {
    bool const negative = is_signed_integer(type) && signed_of(index) < 0;
    std::int64_t const place = negative ? signed_of(index) + extent : signed_of(index);
    if (place < 0 || place >= extent)
        throw_index_error(code, negative ? std::to_string(signed_of(index)) : std::to_string(index.low), along, extent);
    return place;
}

constexpr values taken(values const& x, values const& indices, dims const& shape, int along) {
    for (cell index : indices.cells) place_along(op::take, indices.type, index, along, x.shape[along]);
    return gathered(x, shape, [&](dims const& at) {
        dims from, which;
        for (int axis = 0; axis < indices.shape.rank; ++axis) which.push_back(at[along + axis]);
        for (int axis = 0; axis < along; ++axis) from.push_back(at[axis]);
        from.push_back(place_along(op::take, indices.type, indices[number_of(indices.shape, which)], along, x.shape[along]));
        for (int axis = along + 1; axis < x.shape.rank; ++axis) from.push_back(at[axis - 1 + indices.shape.rank]);
        return number_of(x.shape, from);
    });
}
constexpr values taken_along(values const& x, values const& indices, int along) {
    return gathered(x, indices.shape, [&](dims const& at) {
        dims from = at;
        from[along] =
            place_along(op::take_along_axis, indices.type, indices[number_of(indices.shape, at)], along, x.shape[along]);
        return number_of(x.shape, from);
    });
}

// x with `added` put, element by element, where place(its position) says.
template <class Place> constexpr values with_added(values const& x, values const& added, Place place) {
    buffer<accumulator> sums;
    for (cell c : x.cells) {
        sums.push_back(accumulator(x.type));
        sums.back().add(c);
    }
    for_each_position(added.shape,
                      [&](dims const& at, std::int64_t number) { sums[static_cast<std::size_t>(place(at))].add(added[number]); });
    values out(x.type, x.shape);
    for (std::size_t i = 0; i < sums.size(); ++i) out.cells[i] = sums[i].total();
    return out;
}
// Its elements are x's numbers: an op that reads x, asked where it reads.
constexpr values row_major_numbers(dims const& shape) {
    values out(dtype::int64, shape);
    for (std::size_t i = 0; i < out.cells.size(); ++i) out.cells[i] = {i, 0};
    return out;
}
constexpr values with_added_where(values const& x, values const& added, values const& numbers) {
    return with_added(x, added, [&](dims const& at) { return signed_of(numbers[number_of(added.shape, at)]); });
}

constexpr values product(values const& a, values const& b, dims const& shape) {
    values out(a.type, shape);
    std::int64_t const inner = a.shape[a.shape.rank - 1];
    for_each_position(shape, [&](dims const& at, std::int64_t number) {
        dims in_a = at, in_b = at;
        accumulator sum(a.type);
        bool any = false;
        for (std::int64_t k = 0; k < inner; ++k) {
            in_a[at.rank - 1] = in_b[at.rank - 2] = k;
            cell const left = a[broadcast_number(a.shape, in_a)], right = b[broadcast_number(b.shape, in_b)];
            any = any || (left.low && right.low);
            sum.add_product(left, right);
        }
        out[number] = a.type == dtype::boolean ? flag(any) : sum.total();
    });
    return out;
}

// In long double, or duals of it, and rounded once.
template <class T> values decomposed_in(op code, table_view<values const*> x, dims const& shape, attribute_span attributes) {
    std::vector<T> elements[3], result(static_cast<std::size_t>(shape.size()));
    matrix_batch<T> operands[3];
    for (std::size_t k = 0; k < x.size(); ++k) {
        for (cell c : x[k]->cells) {
            if constexpr (std::is_same_v<T, long double>) elements[k].push_back(static_cast<long double>(real_of(c)));
            else elements[k].push_back(dual_of<long double>(c));
        }
        operands[k] = {elements[k].data(), x[k]->shape};
    }
    decompose<tx::detail::plain_methods>(code, table_view<matrix_batch<T>>(operands, x.size()), result.data(), shape, attributes);
    values out(x[0]->type, shape);
    for (std::size_t i = 0; i < result.size(); ++i) out.cells[i] = rounded(out.type, result[i]);
    return out;
}
template <class = void> values decomposed(op code, table_view<values const*> x, dims const& shape, attribute_span attributes) {
    if (is_dual(x[0]->type)) return decomposed_in<nested<long double>>(code, x, shape, attributes);
    return decomposed_in<long double>(code, x, shape, attributes);
}

} // namespace tx::reference
