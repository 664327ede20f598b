// In a trace a tree of parameters is flattened to one vector, leaf after leaf; of complex leaves the real parts come before the
// imaginary ones.
#pragma once

#include <tracexpr/optim/trees.hpp>

namespace tx::optim::detail {

// Describes the vector of all leaves: its dtype, to which the leaves' dtypes promote (at least float32), and its size.
struct flat_facts {
    dtype type = dtype::float32;
    std::int64_t size = 0;
    bool any = false;

    TRACEXPR_ONCE constexpr flat_facts with(dtype leaf_type, std::int64_t elements) const {
        dtype const part = primal(real_part(leaf_type)) == dtype::float64 ? dtype::float64 : dtype::float32;
        std::int64_t const numbers = elements == dyn ? dyn : is_complex(leaf_type) ? 2 * elements : elements;
        return {any ? promote(type, part) : part, size == dyn || numbers == dyn ? dyn : size + numbers, true};
    }
    constexpr flat_facts with_open_size() const { return {type, dyn, any}; }
};
template <class A, bool InStruct = false> constexpr flat_facts flat_facts_of(flat_facts before = {}) {
    if constexpr (InStruct && held_value<A>) return before;
    else if constexpr (tree_leaf<A>) return before.with(dtype_of<dtype_in<A>>, dims_of<shape_in<A>>.size());
    else if constexpr (list_type<A>) return flat_facts_of<list_part<A>, InStruct>(before).with_open_size();
    else if constexpr (tree_node<A>)
        return [&]<class... Part>(std::type_identity<std::tuple<Part...>>) {
            ((before = flat_facts_of < std::remove_cvref_t<Part>, InStruct || aggregate < A >> (before)), ...);
            return before;
        }(std::type_identity<decltype(parts_of(std::declval<A const&>()))>{});
    else return before;
}
template <class Tree> using flat_number = ctype<flat_facts_of<Tree>().type>;
template <class Tree> using flat_shape = shape<flat_facts_of<Tree>().size>;
template <class Tree> using flat_expr = expr<flat_number<Tree>, flat_shape<Tree>>;

template <bool InStruct, class A>
constexpr void add_parts(lowering& low, trace_scope& scope, dtype type, A const& tree, buffer<node_id>& parts) {
    if constexpr (InStruct && held_value<A>) {
    } else if constexpr (tree_leaf<A>) {
        node_id const x = record_operand<dtype_of<dtype_in<A>>>(scope, tree);
        auto const add = [&](node_id numbers) {
            node_id const flat = low.reshape(numbers, attribute_list(-1));
            parts.push_back(low.type(flat) == type ? flat : low.append(op::cast, type, {&flat, 1}));
        };
        if constexpr (is_complex(dtype_of<dtype_in<A>>)) {
            dtype const part = real_part(low.type(x));
            add(low.append(op::real, part, {&x, 1}));
            add(low.append(op::imag, part, {&x, 1}));
        } else add(x);
    } else if constexpr (list_type<A>) {
        for_each_part(tree, [&](auto const& part) { add_parts<InStruct>(low, scope, type, part, parts); });
    } else if constexpr (tree_node<A>) {
        auto const all = parts_of(tree);
        with_parts(all,
                   [&](auto const&... part) { (add_parts < InStruct || aggregate < A >> (low, scope, type, part, parts), ...); });
    }
}
template <class Tree> constexpr flat_expr<Tree> flattened(trace_scope& scope, Tree const& tree) {
    lowering low(scope);
    buffer<node_id> parts;
    add_parts<false>(low, scope, dtype_of<flat_number<Tree>>, tree, parts);
    return flat_expr<Tree>(scope, low.concatenate(parts, 0));
}

// Reads the leaves of a tree from the vector, from front to back.
class flat_reader {
public:
    constexpr flat_reader(trace_scope& scope, node_id flat) : scope_{scope}, low_(scope), flat_{flat} {}

    // Returns as many numbers as `like` has elements, in its shape and dtype. From a vector of complex numbers complex leaves are
    // read directly.
    template <class L> constexpr expr<dtype_in<L>, shape_in<L>> next(L const& like) {
        using T = dtype_in<L>;
        using part = expr<real_type<T>, shape_in<L>>;
        constexpr dtype type = real_part(dtype_of<T>);
        if constexpr (is_complex(dtype_of<T>))
            if (low_.type(flat_) == dtype_of<T>) return expr<T, shape_in<L>>(scope_, read(like, dtype_of<T>));
        part const first(scope_, read(like, type));
        if constexpr (is_complex(dtype_of<T>)) return complex_of_parts_fn{}(first, part(scope_, read(like, type)));
        else return first;
    }

private:
    TRACEXPR_ONCE constexpr node_id cast_of(dtype type, node_id x) {
        return low_.type(x) == type ? x : low_.append(op::cast, type, {&x, 1});
    }
    template <class L> constexpr node_id read(L const& like, dtype type) {
        constexpr dims d = dims_of<shape_in<L>>;
        if constexpr (d.is_static()) {
            if (first_open_ != node_id::none)
                return cast_of(type, read_by_places(record_operand<dtype_of<dtype_in<L>>>(scope_, like)));
            node_id const out = low_.slice(flat_, 0, offset_, offset_ + d.size());
            offset_ += d.size();
            attribute_list target;
            for (int k = 0; k < d.rank; ++k) target.push_back(d[k]);
            return cast_of(type, low_.reshape(out, target));
        } else {
            return cast_of(type, read_by_places(record_operand<dtype_of<dtype_in<L>>>(scope_, like)));
        }
    }
    // Reads a leaf whose place in the vector, or whose extents, are known only when the program runs.
    TRACEXPR_ONCE constexpr node_id read_by_places(node_id like) {
        node_id const flat_like = low_.reshape(like, attribute_list(-1));
        node_id const places = low_.append(op::add, low_.iota_like<std::int64_t>(flat_like, 0),
                                           first_open_ == node_id::none ? low_.literal(offset_) : first_open_);
        node_id const size = low_.axis_size<std::int64_t>(flat_like, 0);
        first_open_ = low_.append(op::add, size, first_open_ == node_id::none ? low_.literal(offset_) : first_open_);
        return low_.append(op::reshape, low_.append(op::take, flat_, places, attribute_list(0)), like);
    }

    trace_scope& scope_;
    lowering low_;
    node_id flat_;
    std::int64_t offset_ = 0;            // the elements that were read so far
    node_id first_open_ = node_id::none; // the same number as a node, once it is known only when the program runs
};
// Converts the vector to a tree like `like`, with an expr in the place of each leaf (in a struct, a symbolic tensor).
template <class Flat, class Tree> constexpr auto unflattened(Flat const& flat, Tree const& like) {
    flat_reader read(flat.scope(), flat.id());
    return tx::tree_map([&](auto const& leaf) { return read.next(leaf); }, like);
}

} // namespace tx::optim::detail
