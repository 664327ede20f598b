// This file holds what the generator of random graphs builds with: random bits, and nodes that carry a bound on their magnitude
// and on their error.
#pragma once

#include <tracexpr/graph/infer.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/graph/regions.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>


namespace tx {

// The generator is splitmix64 (Steele, Lea, Flood 2014).
class random_bits {
public:
    constexpr explicit random_bits(std::uint64_t seed) : state_{seed} {}
    constexpr std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // Gives a number from 0 to count - 1.
    constexpr std::int64_t below(std::int64_t count) {
        return static_cast<std::int64_t>((next() >> 11) % static_cast<std::uint64_t>(count));
    }
    constexpr int index(int count) { return static_cast<int>(below(count)); }
    constexpr bool one_in(std::int64_t count) { return below(count) == 0; }
    template <class T, std::size_t N> constexpr T const& pick(T const (&from)[N]) {
        return from[static_cast<std::size_t>(below(std::int64_t{N}))];
    }

private:
    std::uint64_t state_;
};

struct random_graph_options {
    int max_nodes = 40;
    int max_parameters = 4;
    int max_outputs = 3;
    int max_rank = 4;
    std::int64_t max_elements = 600; // of any node
    bool small_floats = true;        // float16, bfloat16
    bool complex_numbers = true;
    bool zero_extents = true;
    bool long_rows = false; // hundreds of elements along the last axis
};

// The unit in which errors are counted.
constexpr double epsilon_of(dtype type) {
    switch (primal(type)) {
    case dtype::float16: return 0x1p-10;
    case dtype::bfloat16: return 0x1p-7;
    case dtype::float32:
    case dtype::complex64: return 0x1p-23;
    case dtype::float64:
    case dtype::complex128: return 0x1p-52;
    default: return 0;
    }
}
// How many epsilons a node may be off at most.
constexpr double error_limit(dtype type) {
    return size_in_bytes(real_part(type)) == 2 ? 64 : real_part(type) == dtype::float32 ? 1e4 : 1e6;
}
// The largest difference between correct results of a random graph; 0 for exact dtypes.
constexpr double graph_tolerance(dtype type) { return epsilon_of(type) * error_limit(type); }

namespace detail {

struct random_value {
    node_id id = node_id::none;
    double bound = 0; // of the magnitude
    double error = 0;  // in epsilons of the dtype; 0 means that every executor gives the same bits
};
// A graph that grows at random: it adds parameters, literals, operands, and ops whose results stay within the limits.
class tame_builder {
protected:
    using value = random_value;

    constexpr tame_builder(std::uint64_t seed, random_graph_options const& options) : bits_{seed}, options_{options} {
        constexpr std::int64_t extents[]{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31};
        for (std::int64_t& extent : extent_) extent = bits_.pick(extents);
        constexpr std::int64_t long_extents[]{127, 128, 129, 250, 256, 300, 513, 1000};
        if (options.long_rows) extent_[3] = bits_.pick(long_extents);
        if (options.zero_extents && bits_.one_in(16)) extent_[bits_.index(4)] = 0;
        constexpr dtype types[]{dtype::float32, dtype::float32,  dtype::float32,   dtype::float64,
                                dtype::float64, dtype::int32,    dtype::int64,     dtype::boolean,
                                dtype::float16, dtype::bfloat16, dtype::complex64, dtype::complex128};
        for (dtype& type : types_) type = allowed(bits_.pick(types));
    }
    constexpr dtype allowed(dtype type) const {
        if (!options_.small_floats && is_floating(type) && size_in_bytes(type) == 2) return dtype::float32;
        return !options_.complex_numbers && is_complex(type) ? dtype::float64 : type;
    }
    constexpr dtype random_type() { return bits_.pick(types_); }
    // Gives a suffix of the graph's extents with some 1s, so that all such shapes broadcast.
    constexpr dims random_shape() {
        dims out;
        for (int axis = 4 - bits_.index(options_.max_rank + 1); axis < 4; ++axis)
            out.push_back(bits_.one_in(5) ? 1 : extent_[axis]);
        while (out.size() > options_.max_elements) out[bits_.index(out.rank)] = 1;
        return out;
    }

    constexpr dtype type_of(value const& v) const { return g_[v.id].type; }
    constexpr dims const& shape_of(value const& v) const { return g_.shape_of(v.id); }
    constexpr void keep(value const& v) {
        values_.push_back(v);
        while (used_.size() < g_.size()) used_.push_back(false);
    }
    constexpr void mark_used(node_id id) {
        while (used_.size() < g_.size()) used_.push_back(false);
        used_[index(id)] = true;
    }

    // Appends an op; the caller knows its bounds. Gives nothing where they exceed the limits, where the operands don't fit the
    // op, or where one of them is nothing.
    constexpr value append(op code, tx::table_view<value> operands, double bound, double error,
                           tx::table_view<std::int64_t> attributes = {}, dtype declared = dtype::float32) {
        node_id ids[4];
        dims shapes[4];
        dtype types[4];
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].id == node_id::none) return {};
            ids[k] = operands[k].id, shapes[k] = shape_of(operands[k]), types[k] = type_of(operands[k]);
        }
        std::size_t const count = operands.size();
        inferred const shape = infer(code, dims{}, {shapes, count}, attributes);
        inferred_dtype const type = infer_dtype(code, declared, {types, count});
        if (shape.problem || type.problem || shape.shape.size() > options_.max_elements) return {};
        if (bound > (is_inexact(type.type) ? 256.0 : is_integer(type.type) ? 1e5 : 1.0) || error > error_limit(type.type))
            return {};
        for (std::size_t k = 0; k < count; ++k) mark_used(ids[k]);
        return {g_.append(code, type.type, shape.shape, {ids, count}, attributes), bound, is_inexact(type.type) ? error : 0.0};
    }
    constexpr value append(op code, value a, double bound, double error) {
        return append(code, tx::table_view<value>(&a, 1), bound, error);
    }
    constexpr value append(op code, value a, value b, double bound, double error) {
        value const both[]{a, b};
        return append(code, both, bound, error);
    }

    constexpr value literal(dtype type, double number) {
        literal_bits const bits = cast_literal(to_literal(number), dtype::float64, type);
        return {g_.append(op::literal, type, dims{}, {}, {}, bits), number < 0 ? -number : number, 0};
    }
    constexpr value random_literal(dtype type) {
        double const number = static_cast<double>(bits_.below(17) - 8);
        return literal(type, is_inexact(type) ? number / 4 : type == dtype::boolean ? (number > 0 ? 1 : 0) : number);
    }
    // Limits x to [low, high] by minimum and maximum, which are exact.
    constexpr value clamped(value x, double low, double high) {
        if (x.id == node_id::none) return x;
        double const larger = -low > high ? -low : high;
        if (low < 0 && x.bound <= (-low < high ? -low : high)) return x;
        value const raised = append(op::maximum, x, literal(type_of(x), low), max(x.bound, larger), x.error);
        return append(op::minimum, raised, literal(type_of(x), high), larger, x.error);
    }
    // max(|x|, low)
    constexpr value away_from_zero(value x, double low) {
        value const positive = append(op::absolute, x, x.bound, x.error);
        return append(op::maximum, positive, literal(type_of(x), low), max(x.bound, low), x.error);
    }

    constexpr value pick() {
        std::int64_t const count = static_cast<std::int64_t>(values_.size());
        std::int64_t const recent = count < 4 ? count : 4;
        return values_[static_cast<std::size_t>(bits_.one_in(2) ? count - 1 - bits_.below(recent) : bits_.below(count))];
    }
    template <class Fits> constexpr value pick_if(Fits fits) {
        for (int tries = 0; tries < 12; ++tries)
            if (value const v = pick(); fits(v)) return v;
        return {};
    }
    // Picks another operand for an op on `first`: of the same dtype and a shape that broadcasts, sometimes a literal or `first`
    // itself.
    constexpr value pick_partner(value first) {
        dtype const type = type_of(first);
        if (bits_.one_in(8)) return random_literal(type);
        value const found = pick_if([&](value v) { return type_of(v) == type && broadcastable(shape_of(v), shape_of(first)); });
        return found.id != node_id::none ? found : bits_.one_in(3) ? first : random_literal(type);
    }

    static constexpr double max(double a, double b) { return a > b ? a : b; }

    random_bits bits_;
    random_graph_options options_;
    std::int64_t extent_[4]{};
    dtype types_[4]{};
    graph g_;
    buffer<value> values_;
    buffer<bool> used_;
};

} // namespace detail
} // namespace tx
