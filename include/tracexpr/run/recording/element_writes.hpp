// This file records writes to elements of tensors which a gradient tape knows, y(i) = v, y(i) += v, and makes the nodes that
// stand for the tensor after some of them. A write costs no copy of the tensor, because nodes are made only when a value is used.
#pragma once

#include <tracexpr/trace/kept_value.hpp>
#include <tracexpr/trace/lowering.hpp>

#include <algorithm>
#include <array>

namespace tx::detail {

// Allocates a reference-counted block for elements, which are not initialised.
inline kept_value kept_block(dtype type, dims const& shape) {
    kept_value out{{}, nullptr, type, shape};
    out.data = type == dtype::string ? allocate_strings(out.bytes()) : allocate_block(out.bytes());
    out.owner = std::shared_ptr<void const>(out.data, [](void const* block) { drop_reference(const_cast<void*>(block)); });
    return out;
}

struct recorded_write {
    using bits = std::array<std::byte, 32>; // an element of any dtype

    element_change change = element_change::assigned;
    std::int64_t element = 0;
    bits operand{}, after{};      // the v of y(i) += v, and the element after the write
    node_id made = node_id::none; // the tensor after this write, if it is a node already

    recorded_write() = default;
    explicit recorded_write(element_write const& write) : change{write.change}, element{write.element} {
        if (change == element_change::anything) return;
        if (!is_inexact(write.before.type)) change = element_change::assigned; // there are no derivatives
        std::memcpy(operand.data(), write.operand, size_in_bytes(write.before.type));
        std::memcpy(after.data(), write.after, size_in_bytes(write.before.type));
        if (write.before.type == dtype::string) pin_strings(operand.data(), 1), pin_strings(after.data(), 1);
    }
};

// element_ops appends the ops that read an element or write one.
class element_ops {
public:
    explicit element_ops(graph& g) : low_{g}, graph_{g} {}

    // get returns x(i, j), a scalar; set returns x with another scalar there.
    node_id get(node_id x, std::int64_t element) {
        if (low_.rank(x) == 0) return x;
        return low_.reshape(low_.append(op::slice, x, place_of(x, element)), attribute_list());
    }
    node_id get(node_id x, std::int64_t element, dtype type) { return low_.as(get(x, element), type); }
    node_id set(node_id x, std::int64_t element, node_id scalar) {
        if (low_.rank(x) == 0) return scalar;
        attribute_list ones;
        for (int axis = 0; axis < low_.rank(x); ++axis) ones.push_back(1);
        return low_.update(op::view_set, x, low_.append(op::broadcast_to, scalar, ones), place_of(x, element));
    }
    // Returns a scalar constant with this element.
    node_id number(dtype type, recorded_write::bits const& element) {
        return with_element(type, [&]<class T>(T value) {
            std::memcpy(static_cast<void*>(&value), element.data(), sizeof(T));
            if constexpr (is_dual(dtype_of<T>)) {
                std::array<std::uint64_t, words_of(dtype_of<T>)> words{};
                to_words(value, words.data());
                return graph_.append_constant(type, dims{}, {words.data(), words.size()});
            } else {
                return graph_.append(op::literal, type, dims{}, {}, {}, to_literal(value));
            }
        });
    }
    // Returns x after a write of a scalar operand.
    node_id changed(node_id x, element_change change, std::int64_t element, node_id operand) {
        if (change == element_change::assigned) return set(x, element, operand);
        op const code = change == element_change::added        ? op::add
                        : change == element_change::subtracted ? op::subtract
                        : change == element_change::multiplied ? op::multiply
                                                               : op::divide;
        return set(x, element, low_.append(code, get(x, element), operand));
    }
    node_id changed(node_id x, recorded_write const& write) {
        return changed(x, write.change, write.element, number(low_.type(x), write.operand));
    }

private:
    attribute_list place_of(node_id x, std::int64_t element) const {
        dims const d = low_.shape(x);
        std::int64_t index[max_rank]{};
        for (int axis = d.rank; axis-- > 0; element /= d[axis]) index[axis] = element % d[axis];
        attribute_list bounds;
        for (int axis = 0; axis < d.rank; ++axis) {
            bounds.push_back(index[axis]);
            bounds.push_back(index[axis] + 1);
            bounds.push_back(1);
        }
        return bounds;
    }

    lowering low_;
    graph& graph_;
};

// writes_by_element combines many writes to a tensor x, element by element: where(assigned, values, x * factor + addend).
struct writes_by_element {
    kept_value assigned, factor, addend; // the last two have no elements if no write changes one

    writes_by_element(dtype type, dims const& shape, table_view<recorded_write> writes) {
        assigned = kept_block(dtype::boolean, shape);
        std::memset(const_cast<void*>(assigned.data), 0, assigned.bytes());
        bool changes = false;
        for (recorded_write const& w : writes) changes = changes || w.change != element_change::assigned;
        if (changes) factor = kept_block(type, shape), addend = kept_block(type, shape);
        with_element(type, [&]<class T>(T) {
            if constexpr (is_inexact(dtype_of<T>)) fill<T>(writes, changes);
            else fill_assigned(writes);
        });
    }

private:
    bool* is_assigned() const { return static_cast<bool*>(const_cast<void*>(assigned.data)); }
    void fill_assigned(table_view<recorded_write> writes) const {
        for (recorded_write const& w : writes) is_assigned()[w.element] = true;
    }
    template <class T> void fill(table_view<recorded_write> writes, bool changes) const {
        if (!changes) return fill_assigned(writes);
        T* const factors = static_cast<T*>(const_cast<void*>(factor.data));
        T* const addends = static_cast<T*>(const_cast<void*>(addend.data));
        std::fill_n(factors, factor.shape.size(), T(1)), std::fill_n(addends, addend.shape.size(), T(0));
        for (recorded_write const& w : writes) {
            T v{};
            std::memcpy(static_cast<void*>(&v), w.operand.data(), sizeof(T));
            T &f = factors[w.element], &a = addends[w.element];
            switch (w.change) {
            case element_change::added: a = static_cast<T>(a + v); break;
            case element_change::subtracted: a = static_cast<T>(a - v); break;
            case element_change::multiplied: f = static_cast<T>(f * v), a = static_cast<T>(a * v); break;
            case element_change::divided: f = static_cast<T>(f / v), a = static_cast<T>(a / v); break;
            default: is_assigned()[w.element] = true, f = T(1), a = T(0);
            }
        }
    }
};

// write_chain holds a tensor that the tape had as a node, and the writes to it since then.
struct write_chain {
    kept_value before;            // the elements before the first write
    node_id node = node_id::none; // of the tensor before the first write
    buffer<recorded_write> writes;
    std::size_t knowable = static_cast<std::size_t>(-1); // from this write on the elements are unknown

    bool is_last(std::size_t position) const { return position + 1 == writes.size() && position < knowable; }
    // Returns the elements after a write.
    kept_value elements(std::size_t position) const {
        kept_value const out = kept_block(before.type, before.shape);
        if (out.bytes() > 0) std::memcpy(const_cast<void*>(out.data), before.data, out.bytes());
        std::size_t const size = size_in_bytes(before.type);
        for (std::size_t k = 0; k <= position; ++k)
            std::memcpy(static_cast<std::byte*>(const_cast<void*>(out.data)) + static_cast<std::size_t>(writes[k].element) * size,
                        writes[k].after.data(), size);
        return out;
    }
    // Does the tensor after that write have the element that another write took from it?
    bool has_source(std::size_t position, element_write const& write) const {
        for (std::size_t k = position + 1; k-- > 0;)
            if (writes[k].element == write.from.element)
                return before.type != write.before.type ||
                       std::memcmp(writes[k].after.data(), write.operand, size_in_bytes(before.type)) == 0;
        return has_element(before, write);
    }
    // Returns the node of the tensor after a write. input(elements) makes a node of these elements.
    template <class Input> node_id made(graph& g, std::size_t position, Input const& input) {
        if (writes[position].made != node_id::none) return writes[position].made;
        std::size_t first = position;
        while (first > 0 && writes[first - 1].made == node_id::none) --first;
        node_id x = first > 0 ? writes[first - 1].made : node;
        table_view<recorded_write> const added(writes.data() + first, position + 1 - first);
        constexpr std::size_t most_single_writes = 4;
        if (added.size() <= most_single_writes) {
            for (recorded_write const& w : added) x = element_ops(g).changed(x, w);
        } else {
            lowering low(g);
            writes_by_element const all(before.type, before.shape, added);
            if (all.factor.data) {
                x = low.append(op::multiply, x, input(all.factor));
                x = low.append(op::add, x, input(all.addend));
            }
            x = low.choose(input(all.assigned), input(elements(position)), x);
        }
        return writes.data()[position].made = x;
    }
};

// unknown_writes stands for elements that the program wrote itself: they depend on the elements before, but nobody knows how.
struct unknown_writes final : custom_rule {
    static constexpr char const* reason =
        "elements that the program wrote itself, by mutable_data(): write them one by one, y(i) = v, or with tx::set, or make a "
        "constant of the tensor, tx::stop_gradient(y)";

    unknown_writes() { refused = reason; }
    buffer<node_id> pull_back(table_view<node_id>, table_view<bool>) const override { refuse(); }
    buffer<node_id> push_forward(table_view<node_id>) const override { refuse(); }
    // Appends the node of a tensor after such writes.
    static node_id append(trace_scope& scope, node_id before) {
        auto* const rule = new unknown_writes;
        std::uint64_t const number = scope.add(rule), unique = scope.recorded.size();
        graph& g = scope.recorded;
        rule->inputs.push_back(before), rule->known = 1;
        rule->outputs.push_back(
            g.append(op::custom_derivative, g[before].type, dims(g.shape_of(before)), {&before, 1}, {}, {number, unique}));
        return rule->outputs[0];
    }

private:
    [[noreturn]] static void refuse() { throw tape_error(std::string("tx: gradient: there is none through ") + reason); }
};

} // namespace tx::detail
