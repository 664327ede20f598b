// This file holds the rules of simplify for products with a one-hot matrix: a lookup picks the same rows, or an update makes the
// same sums, at a fraction of the work. Indices outside of the classes pick nothing, as in the product. A value that is not
// finite makes NaN of every sum that it takes part in, because it is multiplied by 0.
#pragma once

#include <tracexpr/passes/rules_views.hpp>

#include <limits>

TRACEXPR_BEGIN_PASSES

namespace tx::rules {

// The matrix has the shape (indices, classes), or, transposed, (classes, indices).
struct one_hot_matrix {
    node_id indices = node_id::none; // a vector; none: the node is not a one-hot matrix
    std::int64_t classes = 0;
    bool transposed = false;

    // Recognizes where(iota == expand_dims(indices), 1, 0).
    TRACEXPR_ONCE static constexpr one_hot_matrix of(rewriter const& r, node_id id) {
        bool const transposed = r.code(id) == op::transpose;
        node const chosen = r[transposed ? r[id].operand[0] : id];
        if (chosen.code != op::where || !is_literal(r, chosen.operand[1], 1) || !is_literal(r, chosen.operand[2], 0)) return {};
        node const test = r[chosen.operand[0]];
        for (int k = 0; test.code == op::equal && k < 2; ++k) {
            node const &numbers = r[test.operand[k]], &column = r[test.operand[1 - k]];
            bool const counts = numbers.code == op::iota && numbers.arity == 0 && numbers.type == dtype::int64 &&
                                r.shape_of(numbers).rank == 1 && r.shape_of(numbers).is_static();
            if (!counts || column.code != op::expand_dims || column.attributes.count != 1 || r.attributes_of(column)[0] != 1)
                continue;
            if (r.shape_of(column.operand[0]).rank == 1) return {column.operand[0], r.shape_of(numbers)[0], transposed};
        }
        return {};
    }

private:
    static constexpr bool is_literal(rewriter const& r, node_id id, int value) {
        return r.code(id) == op::literal && small_whole(r[id]) == value;
    }
};

// Makes the lookup or update that such a product becomes. `axis` is the axis of the other factor along which the product sums.
class one_hot_product {
public:
    constexpr one_hot_product(rewriter& r, node const& product, node_id other, int axis, one_hot_matrix const& matrix)
        : r_{r}, type_{product.type}, shape_{product.shape}, whole_{r.shape_of(product)}, other_{other}, axis_{axis},
          classes_{matrix.classes} {
        // Indices are made unsigned, so that a negative index is larger than all classes, and as narrow as the indices that were
        // given.
        node const indices = r[matrix.indices];
        bool const is_cast = indices.code == op::cast && is_integer(r[indices.operand[0]].type);
        dtype const given = is_cast ? r[indices.operand[0]].type : indices.type;
        bool const is_short = is_cast && given != dtype::uint32 && size_in_bytes(given) <= 4;
        number_ = is_short ? dtype::uint32 : dtype::uint64;
        indices_ = cast(number_, is_short ? cast(dtype::int32, indices.operand[0]) : matrix.indices);
    }

    // Looks up the rows at the indices; indices that are out of range give 0.
    TRACEXPR_ONCE constexpr node_id looked_up() {
        node_id const inside = aligned(pair(op::less, dtype::boolean, indices_, number(classes_)));
        node_id const places = pair(op::minimum, number_, indices_, number(classes_ - 1));
        node_id const found = r_.make({op::take, type_, shape_, 2, {other_, places, node_id::none}, along(), {}});
        node_id const picked = chosen(shape_, inside, found, zero());
        if (!is_inexact(type_)) return picked;
        // The product adds to 0, which turns -0 into 0.
        return guarded(pair(op::add, type_, picked, zero()), aligned(counted()), aligned(indices_));
    }
    // Sums up the rows that belong to each class.
    TRACEXPR_ONCE constexpr node_id summed() {
        dims const given = r_.shape_of(other_);
        bool const is_row = axis_ == 1, is_vector = whole_[1 - axis_] == 1;
        if (is_vector) {
            other_ = make_view(r_, op::squeeze, dims{{given[axis_]}, 1}, other_, attribute_list(is_row ? 1u : 2u));
            axis_ = 0, rank_ = 1;
        }
        dims sums = r_.shape_of(other_), classes = sums;
        sums[axis_] = classes_ + 1, classes[axis_] = classes_; // one more, for indices that are out of range
        node_id const places = pair(op::minimum, number_, indices_, number(classes_)), begun = make_broadcast(r_, sums, zero());
        node_id out = r_.make({op::index_add, type_, r_.shape_number(sums), 3, {begun, other_, places}, along(), {}});
        attribute_list bounds;
        for (int k = 0; k < rank_; ++k)
            bounds.push_back(slice_open), bounds.push_back(k == axis_ ? classes_ : slice_open), bounds.push_back(1);
        out = make_view(r_, op::slice, classes, out, bounds);
        if (is_inexact(type_)) out = guarded(out, aligned(indices_), aligned(counted()));
        return is_vector ? make_view(r_, op::expand_dims, whole_, out, attribute_list(is_row ? 1u : 2u)) : out;
    }

private:
    constexpr stretch along() {
        std::int64_t const axis = axis_;
        return r_.add_attributes(&axis, 1);
    }
    constexpr node_id zero() { return r_.literal(type_, whole_literal(type_, 0)); }
    constexpr node_id number(std::int64_t n) {
        return r_.literal(number_, wrapped_literal(number_, static_cast<std::uint64_t>(n)));
    }
    constexpr node_id cast(dtype type, node_id x) { return make_unary(r_, op::cast, type, r_[x].shape, x); }
    // Makes a binary op on x, which has the result's shape, and y.
    constexpr node_id pair(op code, dtype type, node_id x, node_id y) { return make_binary(r_, code, type, r_[x].shape, x, y); }
    TRACEXPR_ONCE constexpr node_id chosen(std::uint32_t shape, node_id test, node_id x, node_id y) {
        return r_.make({op::where, r_[y].type, shape, 3, {test, x, y}, {}, {}});
    }
    // Makes a vector along the axis, for pointwise ops with values of the other factor's rank.
    TRACEXPR_ONCE constexpr node_id aligned(node_id x) {
        if (axis_ == rank_ - 1) return x;
        dims const d = r_.shape_of(x);
        return make_view(r_, op::expand_dims, dims{{d[0], 1}, 2}, x, attribute_list(2u));
    }
    TRACEXPR_ONCE constexpr node_id counted() {
        std::int64_t const axis = 0;
        node n;
        n.code = op::iota, n.type = number_, n.shape = r_.shape_number(dims{{classes_}, 1});
        n.attributes = r_.add_attributes(&axis, 1);
        return r_.make(n);
    }
    // Returns `value` where every element of the other factor that is not finite stands at the number that is wanted, and NaN
    // elsewhere. `stands` is the number of each of the factor's elements, `wanted` that of each of the value's.
    TRACEXPR_ONCE constexpr node_id guarded(node_id value, node_id stands, node_id wanted) {
        std::uint32_t const shape = r_[value].shape;
        node_id const finite = make_unary(r_, op::isfinite, dtype::boolean, r_[other_].shape, other_);
        dims left = r_.shape_of(other_);
        left[axis_] = 1;
        // the largest of no elements is 0, which is within all bounds
        auto const is_bound = [&](node_id numbers, node_id number_wanted) {
            attribute_list attributes;
            attributes.push_back(1 | largest_of_none), attributes.push_back(axis_);
            node_id const some = chosen(r_[other_].shape, finite, number(0), numbers);
            node_id const largest = make_view(r_, op::max, left, some, attributes);
            return make_binary(r_, op::less_equal, dtype::boolean, shape, largest, number_wanted);
        };
        auto const inverted = [&](node_id x) { return make_unary(r_, op::bitwise_not, number_, r_[x].shape, x); };
        node_id const above = is_bound(stands, wanted), below = is_bound(inverted(stands), inverted(wanted));
        node_id const holds = make_binary(r_, op::logical_and, dtype::boolean, shape, above, below);
        double const nan = std::numeric_limits<double>::quiet_NaN();
        return r_.make({op::where, type_, shape, 3, {holds, value, r_.literal(type_, real_literal(nan))}, {}, {}});
    }

    rewriter& r_;
    dtype type_, number_{};
    std::uint32_t shape_; // the product's shape
    dims whole_;
    node_id other_, indices_ = node_id::none;
    int axis_, rank_ = 2;
    std::int64_t classes_;
};

TRACEXPR_ONCE constexpr bool may_be_one_hot_product(rewriter const& r, node const& d) {
    dtype const t = d.type;
    bool const is_exact = is_integer(t) || t == dtype::float32 || t == dtype::float64;
    return is_exact && r.shape_of(d).rank == 2 && r.shape_of(d.operand[0]).rank == 2 && r.shape_of(d.operand[1]).rank == 2;
}
// From so many classes on the product surely takes longer: few_classes if rows are looked up or added, or one number is;
// several_classes if several numbers are.
inline constexpr std::int64_t few_classes = 16, several_classes = 64;

TRACEXPR_ONCE constexpr node_id one_hot_lookup(site& s) {
    for (int k = 0; may_be_one_hot_product(s.r, s.d) && k < 2; ++k) {
        auto const matrix = one_hot_matrix::of(s.r, s.d.operand[k]);
        if (matrix.indices == node_id::none || matrix.transposed != (k == 1)) continue;
        if (matrix.classes < (k == 0 ? few_classes : several_classes)) return node_id::none;
        return one_hot_product(s.r, s.d, s.d.operand[1 - k], k, matrix).looked_up();
    }
    return node_id::none;
}
TRACEXPR_ONCE constexpr node_id one_hot_sum(site& s) {
    for (int k = 0; may_be_one_hot_product(s.r, s.d) && k < 2; ++k) {
        auto const matrix = one_hot_matrix::of(s.r, s.d.operand[k]);
        if (matrix.indices == node_id::none || matrix.transposed != (k == 0)) continue;
        std::int64_t const sums = s.r.shape_of(s.d)[1 - k]; // the number of sums of each class
        if (sums < 0 || matrix.classes < (k == 0 || sums == 1 ? few_classes : several_classes)) return node_id::none;
        return one_hot_product(s.r, s.d, s.d.operand[1 - k], k, matrix).summed();
    }
    return node_id::none;
}

inline constexpr rule_row product_rules[]{
    exactly("one-hot matrix times a table = a lookup", {op::matmul}, is::ranked, one_hot_lookup),
    rounded("values times a one-hot matrix = sums of groups", {op::matmul}, is::ranked, one_hot_sum),
};

} // namespace tx::rules

TRACEXPR_END_PASSES
