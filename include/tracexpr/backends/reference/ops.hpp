// This file computes the reference executor's ops on whole arrays: views, structure, reductions, scans, lookups, products,
// decompositions. They move cells by row-major number; only ops that add or compare look at the dtype. Shapes have been checked
// before (graph/infer.hpp).
#pragma once

#include <tracexpr/backends/calls/decomposition_calls.hpp>
#include <tracexpr/backends/reference/pointwise.hpp>
#include <tracexpr/base/philox.hpp>
#include <tracexpr/graph/copy.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tx::reference {

// Calls f(position, row-major number) for every position in the shape; a position is given as dims.
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
// Returns the number of the element of an operand that broadcasts to position `at` of the result.
constexpr std::int64_t broadcast_number(dims const& d, dims const& at) {
    std::int64_t number = 0;
    for (int axis = 0; axis < d.rank; ++axis) number = number * d[axis] + (d[axis] == 1 ? 0 : at[axis + at.rank - d.rank]);
    return number;
}

// Makes an array whose element at each position is the operand's element number source(position).
template <class Source> constexpr values gathered(values const& from, dims const& shape, Source source) {
    values out(from.type, shape);
    for_each_position(shape, [&](dims const& at, std::int64_t number) { out[number] = from[source(at)]; });
    return out;
}
constexpr std::int64_t number_in(strided_place const& place, dims const& at) {
    std::int64_t number = place.offset;
    for (int axis = 0; axis < at.rank; ++axis) number += at[axis] * place.stride[axis];
    return number;
}
constexpr values viewed(op view, values const& x, dims const& shape, attribute_span attributes, bool is_told) {
    axis_map const m = view_map(view, x.shape, attributes, is_told ? &shape : nullptr);
    strided_place const place = place_in(x.shape, m);
    return gathered(x, shape, [&](dims const& at) { return m.keeps_numbers ? number_of(shape, at) : number_in(place, at); });
}

constexpr values padded(values const& x, cell filling, dims const& shape, attribute_span widths) {
    values out(x.type, shape);
    out.cells.fill(filling);
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

// Draws the numbers of each key, one key after the other.
constexpr values drawn(op code, values const& keys, dtype type, dims const& shape, attribute_span attributes) {
    values out(type, shape);
    std::int64_t const each = keys.size() ? out.size() / keys.size() : 0;
    for (std::int64_t k = 0; k < keys.size(); ++k) {
        std::uint64_t const key = cell(keys[k]).low, words = static_cast<std::uint64_t>(attributes[1]);
        std::uint32_t const stream = static_cast<std::uint32_t>(attributes[0]);
        auto const put = [&](std::int64_t i, std::uint64_t value) { out[k * each + i] = cell(value, 0); };
        if (code == op::random_bits)
            for (std::int64_t i = 0; i < each; ++i) put(i, philox::element(key, stream, static_cast<std::uint64_t>(i), words));
        else {
            buffer<std::int64_t> places(static_cast<std::size_t>(each));
            philox::permute(key, stream, each, places.data());
            for (std::int64_t i = 0; i < each; ++i) put(i, static_cast<std::uint64_t>(places[static_cast<std::size_t>(i)]));
        }
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
    out.cells.fill({});
    return out;
}

// A sum or product in progress: it is computed in wide_float, or modulo 2^64, and rounded once, at the end.
struct accumulator {
    dtype type;
    wide_float re, im;
    std::uint64_t bits;
    nested<wide_float> number; // for dual numbers

    constexpr accumulator() : accumulator(dtype::float64) {}
    // Starts from 0 or 1.
    constexpr explicit accumulator(dtype t, int start = 0)
        : type{t}, re(start), im(0), bits(static_cast<std::uint64_t>(start)), number(start) {}
    constexpr void add(cell c) {
        if (is_dual(type)) number += dual_of<wide_float>(c);
        // clang rejects a constant expression that adds what would be a NaN as a floating number
        else if (!is_inexact(type)) bits += c.low;
        else re += real_of(c), im += complex_of(c).imag();
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
            number *= dual_of<wide_float>(c);
            return;
        }
        if (!is_inexact(type)) {
            bits *= c.low;
            return;
        }
        double const x = real_of(c), y = complex_of(c).imag();
        wide_float const old = re;
        re = is_complex(type) ? old * x - im * y : old * x;
        im = is_complex(type) ? old * y + im * x : 0;
    }
    constexpr cell total() const {
        if (is_dual(type)) return rounded(type, number);
        if (!is_inexact(type)) return wrapped(type, bits);
        return {rounded(type, re).low, is_complex(type) ? rounded(type, im).low : 0};
    }
};

// True if a is larger (smaller) than b. NaN counts as larger (smaller) than all numbers.
constexpr bool beats(bool largest, dtype type, cell const& a, cell const& b) {
    if (is_floating(type)) {
        if (real_of(a) != real_of(a) || real_of(b) != real_of(b)) return real_of(a) != real_of(a) && real_of(b) == real_of(b);
        return largest ? real_of(a) > real_of(b) : real_of(a) < real_of(b);
    }
    if (is_signed_integer(type)) return largest ? signed_of(a) > signed_of(b) : signed_of(a) < signed_of(b);
    return largest ? a.low > b.low : a.low < b.low;
}

// Computes one element of a reduction's result. Sums and products are rounded once; of equal elements the first is the largest
// (smallest); other reductions apply the op that combines, one element after the other.
template <class Unused = void> class reducer {
public:
    constexpr reducer(op code, dtype type)
        : row_{info(code)}, type_{type}, total_(type, row_.combines.start == 1),
          so_far_{cast(flag(row_.combines.start > 0), dtype::boolean, type)} {} // the results without elements: 0, 1, any and all
    constexpr void add(cell const& c) {
        op const by = row_.combines.by;
        if (by == op::add) total_.add(c);
        else if (by == op::multiply) total_.multiply(c);
        else if (by != op::maximum && by != op::minimum) so_far_ = count_ == 0 ? c : combined(c);
        else if (count_ == 0 || beats(by == op::maximum, type_, c, so_far_)) so_far_ = c, place_ = count_;
        ++count_;
    }
    constexpr cell result() const {
        if (row_.combines.by == op::add || row_.combines.by == op::multiply) return total_.total();
        return row_.kind == kind::arg_reduction ? cell{place_, 0} : so_far_;
    }
    constexpr bool is_known() const { return is_known_; }

private:
    constexpr cell combined(cell const& c) {
        cell const pair[max_pointwise_operands]{so_far_, c};
        if (!__builtin_is_constant_evaluated()) return pointwise<Unused>(row_.combines.by, type_, pair);
        rules::folded const out = constant_pointwise(row_.combines.by, type_, pair);
        is_known_ = is_known_ && out.known;
        return out.bits;
    }

    op_info const& row_;
    dtype type_;
    accumulator total_;
    cell so_far_;
    std::uint64_t place_ = 0, count_ = 0;
    bool is_known_ = true;
};

template <class Unused = void> constexpr values reduced(op code, values const& x, dims const& shape, attribute_span attributes) {
    check_elements(code, x.type, x.shape, attributes);
    dims outer = x.shape, folded = x.shape;
    for (std::int64_t axis : attributes.subspan(1)) outer[static_cast<int>(axis)] = 1;
    for (int axis = 0; axis < folded.rank; ++axis)
        if (outer[axis] == folded[axis]) folded[axis] = 1;
    values out(info(code).result == result_rule::index ? dtype::int64 : x.type, shape);
    for_each_position(outer, [&](dims const& at, std::int64_t number) {
        reducer<Unused> one(code, x.type);
        for_each_position(folded, [&](dims const& within, std::int64_t) {
            dims from = at;
            for (int axis = 0; axis < from.rank; ++axis) from[axis] += within[axis];
            one.add(x[number_of(x.shape, from)]);
        });
        out[number] = one.result(), out.is_known = out.is_known && one.is_known();
    });
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
        for (std::int64_t i = 0; i < x.shape[along]; ++i) {
            cell const c = x[start + i * stride];
            if (code == op::cumsum || code == op::cumprod) { // each partial sum is rounded
                cell const pair[max_pointwise_operands]{total, c};
                total = i == 0 ? c : pointwise<Unused>(code == op::cumsum ? op::add : op::multiply, x.type, pair);
                out[start + i * stride] = total;
            } else {
                if (i == 0 || beats(code == op::cummax, x.type, c, total)) total = c;
                out[start + i * stride] = total;
            }
        }
    });
    return out;
}

// Sorts by insertion, which keeps equal elements in order. sort puts -0 before 0, except in dual numbers, which keep their
// tangents.
constexpr values ordered(op code, values const& x, dims const& shape, attribute_span attributes) {
    int const along = static_cast<int>(attributes[0]);
    std::int64_t const n = x.shape[along], count = shape[along];
    values out(code == op::argsort ? dtype::int64 : x.type, shape);
    if (out.size() == 0) return out;
    buffer<std::int64_t> places(static_cast<std::size_t>(n));
    bool const is_around = orders_around(code, attributes),
               zeros_differ = code == op::sort && !is_around && is_floating(x.type) && !is_dual(x.type);
    auto const is_greater = [&](cell const& a, cell const& b) {
        bool const are_zeros = zeros_differ && real_of(a) == 0 && real_of(b) == 0;
        return are_zeros ? a.low < b.low : beats(true, x.type, a, b);
    };
    for_each_line(x.shape, along, [&](std::int64_t start, std::int64_t stride) {
        auto const element = [&](std::int64_t place) { return cell(x[start + place * stride]); };
        for (std::int64_t i = 0; i < n; ++i) {
            std::size_t to = static_cast<std::size_t>(i);
            for (cell const c = element(i); to > 0; --to) {
                cell const before = element(places[to - 1]);
                if (attributes[1] ? !is_greater(c, before) : !is_greater(before, c)) break;
                places[to] = places[to - 1];
            }
            places[to] = i;
        }
        if (is_around) {
            std::int64_t const given = attributes[order_attributes(code)], rank = given < 0 ? given + n : given;
            std::sort(places.begin(), places.begin() + rank);
            std::sort(places.begin() + rank + 1, places.end());
        }
        std::int64_t const first = start / (n * stride) * count * stride + start % stride;
        for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t const place = places[static_cast<std::size_t>(i)];
            out[first + i * stride] = code == op::argsort ? cell{static_cast<std::uint64_t>(place), 0} : element(place);
        }
    });
    return out;
}

// Returns the place along an axis for an index of any integer dtype; negative ones count from the end.
constexpr std::int64_t place_along(op code, dtype type, cell index, int along, std::int64_t extent) {
    bool const negative = is_signed_integer(type) && signed_of(index) < 0;
    std::int64_t const place = negative ? signed_of(index) + extent : signed_of(index);
    if (place < 0 || place >= extent)
        throw_index_error(name(code), negative ? std::to_string(signed_of(index)) : std::to_string(index.low), along, extent);
    return place;
}

constexpr values take_values(values const& x, values const& indices, dims const& shape, int along) {
    for (std::int64_t i = 0; i < indices.size(); ++i) place_along(op::take, indices.type, indices[i], along, x.shape[along]);
    return gathered(x, shape, [&](dims const& at) {
        dims from, which;
        for (int axis = 0; axis < indices.shape.rank; ++axis) which.push_back(at[along + axis]);
        for (int axis = 0; axis < along; ++axis) from.push_back(at[axis]);
        from.push_back(place_along(op::take, indices.type, indices[number_of(indices.shape, which)], along, x.shape[along]));
        for (int axis = along + 1; axis < x.shape.rank; ++axis) from.push_back(at[axis - 1 + indices.shape.rank]);
        return number_of(x.shape, from);
    });
}
constexpr values take_along_values(values const& x, values const& indices, int along) {
    return gathered(x, indices.shape, [&](dims const& at) {
        dims from = at;
        from[along] =
            place_along(op::take_along_axis, indices.type, indices[number_of(indices.shape, at)], along, x.shape[along]);
        return number_of(x.shape, from);
    });
}

// Returns the places of the elements with the given ranks.
constexpr values selected(values const& x, values const& ranks, dims const& shape, int along) {
    std::int64_t const of_argsort[]{along, 0, order_of_all};
    values const places = ordered(op::argsort, x, x.shape, of_argsort);
    return gathered(places, shape, [&](dims const& at) {
        dims from = at;
        std::int64_t const number = ranks.shape.rank == 1 ? at[along] : number_of(ranks.shape, at);
        from[along] = place_along(op::argselect, dtype::int64, ranks[number], along, x.shape[along]);
        return number_of(x.shape, from);
    });
}

// Does an update: adds each element of `added` to x at place(its position), or puts it there.
template <class Place> constexpr values updated(op code, values const& x, values const& added, Place place) {
    // The elements that go to one place form a list: an accumulator for each place would take more memory than all else.
    constexpr std::int64_t none = -1;
    buffer<std::int64_t> first(x.cells.size(), none), last(x.cells.size(), none), next(added.cells.size(), none);
    for_each_position(added.shape, [&](dims const& at, std::int64_t number) {
        auto const to = static_cast<std::size_t>(place(at));
        (last[to] == none ? first[to] : next[static_cast<std::size_t>(last[to])]) = number;
        last[to] = number;
    });
    values out(x.type, x.shape);
    for (std::int64_t i = 0; i < x.size(); ++i) {
        if (sets_elements(code)) {
            std::int64_t const k = last[static_cast<std::size_t>(i)];
            out[i] = k == none ? x[i] : added[k];
            continue;
        }
        if (!adds_elements(code)) {
            out[i] = x[i];
            for (std::int64_t k = first[static_cast<std::size_t>(i)]; k != none; k = next[static_cast<std::size_t>(k)])
                if (beats(keeps_greatest(code), x.type, added[k], out[i])) out[i] = added[k];
            continue;
        }
        accumulator sum(x.type);
        sum.add(x[i]);
        for (std::int64_t k = first[static_cast<std::size_t>(i)]; k != none; k = next[static_cast<std::size_t>(k)])
            sum.add(added[k]);
        out[i] = sum.total();
    }
    return out;
}
// Returns an array that has x's row-major numbers as its elements: an op that reads x can be applied to it to find out where it
// reads.
constexpr values row_major_numbers(dims const& shape) {
    values out(dtype::int64, shape);
    for (std::size_t i = 0; i < out.cells.size(); ++i) out.cells[i] = cell{i, 0};
    return out;
}
constexpr values updated_where(op code, values const& x, values const& added, values const& numbers) {
    return updated(code, x, added, [&](dims const& at) { return signed_of(numbers[number_of(added.shape, at)]); });
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

// Computes a decomposition in wide_float, or duals of it, rounds once, and returns all results of the op.
template <class T>
buffer<values> decomposed_in(op code, table_view<values const*> x, dims const& shape, attribute_span attributes) {
    std::vector<T> elements[3];
    matrix_batch<T> operands[3];
    std::vector<std::int64_t> places;
    for (std::size_t k = 0; k < x.size(); ++k) {
        for (std::int64_t i = 0; i < x[k]->size(); ++i) {
            cell const c = (*x[k])[i];
            if (k == 3) places.push_back(signed_of(c));
            else if constexpr (std::is_same_v<T, wide_float>) elements[k].push_back(static_cast<wide_float>(real_of(c)));
            else elements[k].push_back(dual_of<wide_float>(c));
        }
        if (k < 3) operands[k] = {elements[k].data(), x[k]->shape};
    }
    std::size_t const results = static_cast<std::size_t>(info(code).results);
    std::vector<T> made[3];
    std::vector<std::int64_t> out_places;
    std::byte* addresses[3]{};
    dims extents[3]{shape};
    for (std::size_t k = 0; k < results; ++k) {
        if (k > 0) extents[k] = decomposed_part(code, x[0]->shape, k);
        auto const make = [&](auto& part) {
            part.resize(static_cast<std::size_t>(extents[k].size()));
            addresses[k] = reinterpret_cast<std::byte*>(part.data());
        };
        if (code == op::lu && k == 1) make(out_places);
        else make(made[k]);
    }
    std::size_t const batches = x.size() < 3 ? x.size() : 3;
    decompose<tx::detail::plain_methods>(code, table_view<matrix_batch<T>>(operands, batches), places.data(),
                                         decomposed_into<T>(code, addresses), shape, attributes);
    auto const rounded_all = [&](std::vector<T> const& from, dims const& d) {
        values out(x[0]->type, d);
        for (std::size_t i = 0; i < from.size(); ++i) out.cells[i] = rounded(out.type, from[i]);
        return out;
    };
    buffer<values> out;
    for (std::size_t k = 0; k < results; ++k)
        if (code != op::lu || k != 1) {
            out.push_back(rounded_all(made[k], extents[k]));
        } else {
            out.push_back(values(dtype::int64, extents[k]));
            for (std::size_t i = 0; i < out_places.size(); ++i)
                out[k].cells[i] = cell{static_cast<std::uint64_t>(out_places[i]), 0};
        }
    return out;
}
template <class = void>
buffer<values> decomposed(op code, table_view<values const*> x, dims const& shape, attribute_span attributes) {
    if (is_dual(x[0]->type)) return decomposed_in<nested<wide_float>>(code, x, shape, attributes);
    return decomposed_in<wide_float>(code, x, shape, attributes);
}

} // namespace tx::reference
