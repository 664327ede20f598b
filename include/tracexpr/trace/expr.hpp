// This file holds expr<T, Shape>, the type of a callable's values while it is traced; each stands for a node of the graph. Its
// C++ type carries dtype and shape; which node it is, is part of the value, so that loops and shared values in the callable work
// as usual.
#pragma once

#include <tracexpr/graph/infer.hpp>
#include <tracexpr/trace/deferred.hpp>
#include <tracexpr/trace/static_storage.hpp>

#include <concepts>
#include <utility>

namespace tx {

namespace detail {
// Combines what the type and the trace know of one shape.
TRACEXPR_ONCE constexpr dims known_extents(dims const& typed, dims const& recorded) {
    if (typed.rank < 0 || recorded.rank != typed.rank) return typed.rank < 0 ? recorded : typed;
    dims out = typed;
    for (int axis = 0; axis < out.rank; ++axis)
        if (out[axis] == dyn) out[axis] = recorded[axis];
    return out;
}
// Writes the elements that a node has while functions run eagerly; make(to, extents) gives their place. Throws for `what`
// otherwise.
TRACEXPR_ONCE void read_now(trace_scope& scope, node_id id, char const* what, void* to, void* (*make)(void*, dims const&)) {
    if (!scope.evaluate) throw_symbolic(what);
    kept_value const found = scope.evaluate(scope, id);
    void* const elements = make(to, found.shape);
    if (found.bytes() > 0) std::memcpy(elements, found.data, found.bytes());
}
} // namespace detail

template <class Expr, class... Places> class expr_element;
template <class A> inline constexpr bool is_expr = false;
template <class A> concept expr_type = is_expr<std::remove_cvref_t<A>>;

template <element T, shape_type Shape> class expr {
public:
    using value_type = T;
    using shape_type = Shape;

    constexpr expr(trace_scope& scope, node_id id) : scope_{&scope}, id_{id}, number_{scope.number} {}

    // scope() is the scope that records ops on this value, and id() its node there.
    constexpr trace_scope& scope() const { return *own_scope().root->innermost; }
    constexpr node_id id() const {
        trace_scope& here = *scope_->root->innermost;
        return &here == scope_ ? id_ : here.taken_from(*scope_, id_);
    }

    static constexpr dims static_dims() { return dims_of<Shape>; }
    // The shape as far as the type or the trace knows it; a trace made at run time may know all of it.
    constexpr dims dimensions() const {
        if constexpr (dims_of<Shape>.is_static()) return dims_of<Shape>;
        else return detail::known_extents(dims_of<Shape>, own_scope().recorded.shape_of(id_));
    }
    // These throw trace_error for what only the run knows; tx::extent<0>(x) and tx::size(x) give it as part of the graph.
    constexpr int rank() const { return detail::checked_rank(dimensions()); }
    constexpr std::int64_t extent(int axis) const { return detail::checked_extent(dimensions(), axis); }
    constexpr extent_list extents() const { return extent_list(detail::checked_extents(dimensions())); }
    constexpr std::int64_t size() const { return detail::checked_size(dimensions()); }

    // The elements, or the only one, while functions run eagerly (tx::run_eagerly). Otherwise they throw trace_error, because a
    // trace has no values.
    tensor<T, Shape> value() const { return read("value"); }
    T item() const { return read("item").item(); }

    constexpr explicit operator bool() const {
        static_assert(always_false<T>, "tx: an expr has no value while it is traced, so that nothing can depend on it: choose "
                                       "with tx::where(condition, a, b), or take one of two ways with tx::cond(condition, f, g)");
        return false;
    }

    // This conversion never compiles; its message explains to calls such as std::exp(x) that an expr is not a number. begin() and
    // operator= below explain likewise.
    constexpr operator double() const {
        static_assert(
            always_false<T>,
            "tx: an expr has no number while it is traced: of std::exp and its like use tx::exp and so on; the number of a "
            "loop, an index or a std::vector's size is x.extent(0), not tx::extent<0>(x)");
        return 0;
    }
    // x[i] is a part without the first axis, and x(i, j) an element, at places that are C++ integers or integer scalars. An
    // assignment to x(i, j) makes the name x stand for a new value: x = tx::set(x, v, i, j).
    template <class I> constexpr detail::part_type<expr, I> operator[](I const& place) const {
        return detail::part_at(*this, place);
    }
    template <class... I> constexpr auto operator()(I const&... places) const& { return element(places...); }
    template <class... I> constexpr auto operator()(I const&... places) & {
        auto const found = element(places...);
        if constexpr (expr_type<decltype(found)>) return expr_element<expr, I...>{*this, found, places...};
        else return found;
    }
    template <class Unused = T> constexpr expr const* begin() const {
        static_assert(always_false<Unused>,
                      "tx: an expr is no range while it is traced; for (auto row : tx::unstack(x)) takes it apart");
        return this;
    }
    constexpr expr const* end() const { return this; }
    template <class A> constexpr expr const& operator=(A const&) const {
        static_assert(
            always_false<A>,
            "tx: a callable's arguments don't change: take them by value (auto x) to assign to them, and return what the "
            "call is to give. x[i] is a copy of a part: write x(i, j) = v, or x = tx::set(x, v, i)");
        return *this;
    }
    template <class A> constexpr expr& operator=(A const&) {
        static_assert(
            always_false<A>,
            "tx: an expr keeps its dtype and shape, and takes no other in an assignment; name the new one, auto y = ...");
        return *this;
    }

    // Gives a symbolic tensor, so that an expr can be stored in a struct that holds tensors. While functions run eagerly the
    // tensor can be read.
    template <class Other> requires(may_equal(dims_of<Other>, dims_of<Shape>)) constexpr operator tensor<T, Other>() const {
        if (!__builtin_is_constant_evaluated())
            if (own_scope().evaluate)
                return detail::tensor_access::from_symbol(scope_, static_cast<std::int32_t>(id_), tensor<T, Other>(value()));
        return detail::tensor_access::from_symbol<tensor<T, Other>>(scope_, static_cast<std::int32_t>(id_), dimensions());
    }

private:
    template <class... I> constexpr auto element(I const&... places) const {
        constexpr bool is_element = dims_of<Shape>.rank < 0 || dims_of<Shape>.rank == static_cast<int>(sizeof...(I));
        static_assert(is_element,
                      "tx: x(i, j) of an expr takes a place for each axis; x[i] is a part, and so is tx::slice(x, i)");
        if constexpr (!is_element) return detail::failed{};
        else if constexpr (sizeof...(I) == 0) return *this;
        else {
            auto const out = slice(*this, places...);
            return expr<T, shape<>>(out.scope(), out.id());
        }
    }
    constexpr trace_scope& own_scope() const {
        if (!__builtin_is_constant_evaluated() && !(scope_ == detail::innermost_trace && number_ == scope_->number))
            detail::require_live(scope_, number_);
        return *scope_;
    }
    tensor<T, Shape> read(char const* what) const {
        tensor<T, Shape> out;
        detail::read_now(own_scope(), id_, what, &out, [](void* to, dims const& d) {
            auto& made = *static_cast<tensor<T, Shape>*>(to);
            made = tensor<T, Shape>::uninitialized(d);
            return static_cast<void*>(made.mutable_data());
        });
        return out;
    }

    trace_scope* scope_;
    node_id id_;
    std::uint32_t number_; // the scope's
};

// A C++ scalar that became an argument: its rank is 0, and it is weak in promotion, as the scalar itself is.
template <element T> class weak_expr : public expr<T, shape<>> {
public:
    using expr<T, shape<>>::expr;
};

template <class T, class Shape> inline constexpr bool is_expr<expr<T, Shape>> = true;
template <class T> inline constexpr bool is_expr<weak_expr<T>> = true;

template <class A> inline constexpr bool is_variable = false; // tx::variable, which stands for the tensor that it holds
template <class A> inline constexpr bool is_captured = false; // what tx::capture gives for a tensor, a variable or a number

// A tx::variable, or what tx::capture gives for a tensor.
template <class A> concept variable_type = is_variable<std::remove_cvref_t<A>>;
template <class A> concept captured_type = variable_type<A> && is_captured<std::remove_cvref_t<A>>;
template <class A> concept held_type = tensor_type<A> || variable_type<A>;
template <class A> concept text_type = std::is_convertible_v<std::remove_cvref_t<A> const&, std::string_view>;
// A C++ number, or another type that a tensor's elements may have; it is weak in promotion.
template <class A> concept scalar_type = element<std::remove_cvref_t<A>> && !text_type<A>;
// std::integral_constant and the like: as an argument of a traced function it stays a type; to an op it is the scalar.
template <class A> concept static_value = std::is_empty_v<A> && requires { A::value; } &&
                                          requires { typename std::bool_constant<(static_cast<void>(A::value), true)>; };
template <class A> concept static_scalar =
    static_value<std::remove_cvref_t<A>> && scalar_type<decltype(std::remove_cvref_t<A>::value)>;
namespace detail {
// How another library's arrays become arguments and operands: a specialisation has `static borrowed<T, Shape> borrow(A const&)`,
// whose result must not outlive the array, and `static tensor<T, Shape> to_tensor(A const&)`, a copy.
template <class A> struct foreign_access;
template <class A> concept foreign = requires(A const& a) { foreign_access<A>::to_tensor(a); };
// A reference to an element that can be written to is an operand with the element's value.
template <class Tensor> struct foreign_access<element_reference<Tensor>> {
    using scalar = typename Tensor::value_type;
    static constexpr scalar borrow(element_reference<Tensor> const& a) { return a.get(); }
    static constexpr tensor<scalar, shape<>> to_tensor(element_reference<Tensor> const& a) { return a.get(); }
};
} // namespace detail

// An operand of this library: an expr, a tensor or a variable.
template <class A> concept own_operand = expr_type<A> || held_type<A>;
// An operand with axes: a tensor, a variable, an expr or another library's array. Types that no op can compute with, such as
// std::vector, are accepted, too, so that an error explains them.
template <class A> concept array_operand = own_operand<A> || detail::foreign<std::remove_cvref_t<A>> || detail::any_unusable<A>;
// What an op takes: an array, a C++ number or character, a string, or an integral_constant.
template <class A> concept operand = array_operand<A> || scalar_type<A> || character_type<A> || text_type<A> || static_scalar<A>;
// Several operands, at least one of which is an array.
template <class... A> concept operands = (operand<A> && ...) && (array_operand<A> || ...);
// C++ numbers. Functions that act element by element take them alone, too, and then give a number at once.
template <class A> concept number_type =
    scalar_type<A> && (std::is_arithmetic_v<std::remove_cvref_t<A>> || is_complex(dtype_of<std::remove_cvref_t<A>>));
// The operands of functions that act element by element: operands of ops, or C++ numbers alone, for which the result is a number.
template <class... A> concept elementwise = operands<A...> || (number_type<A> && ...);
// The operands of an operator. At least one is this library's own, as an operator on two arrays of another library is that
// library's.
template <class... A> concept own_operands = (operand<A> && ...) && (own_operand<A> || ...) && !detail::any_failed<A...>;

namespace detail {

// The dtype, shape and weakness of an operand's type.
template <class A> struct operand_traits {
    using shape_type = typename A::shape_type;
    static constexpr dtype type = dtype_of<typename A::value_type>;
    static constexpr bool weak = false;
};
template <class T> struct operand_traits<weak_expr<T>> {
    using shape_type = shape<>;
    static constexpr dtype type = dtype_of<T>;
    static constexpr bool weak = true;
};
template <captured_type A> struct operand_traits<A> {
    using shape_type = typename A::shape_type;
    static constexpr dtype type = dtype_of<typename A::value_type>;
    static constexpr bool weak = A::weak;
};
template <scalar_type T> struct operand_traits<T> {
    using shape_type = shape<>;
    static constexpr dtype type = dtype_of<T>;
    static constexpr bool weak = true;
};
template <text_type T> struct operand_traits<T> {
    using shape_type = shape<>;
    static constexpr dtype type = dtype::string;
    static constexpr bool weak = true;
};
template <character_type T> struct operand_traits<T> : operand_traits<decltype(+T())> {};
template <static_scalar T> struct operand_traits<T> : operand_traits<std::remove_cv_t<decltype(T::value)>> {};
template <class Tensor> struct operand_traits<element_reference<Tensor>> : operand_traits<typename Tensor::value_type> {};
template <foreign A> struct operand_traits<A> : operand_traits<decltype(foreign_access<A>::to_tensor(std::declval<A const&>()))> {
};
template <container_type A> struct operand_traits<A> : container_traits<A> {};
template <class A> using traits = operand_traits<std::remove_cvref_t<A>>;
template <class A> inline constexpr dtype dtype_of_operand = traits<A>::type;
template <class A> inline constexpr dims dims_of_operand = dims_of<typename traits<A>::shape_type>;

// Is there a dtype that holds the values of all operands? There is none for complex with dual numbers, nor for strings with
// numbers.
template <class... A> inline constexpr bool have_common_dtype =
    !((is_complex(traits<A>::type) || ...) && (is_dual(traits<A>::type) || ...)) &&
    (((traits<A>::type == dtype::string) && ...) || ((traits<A>::type != dtype::string) && ...));
// Explains in an error why there is no common dtype.
template <class... A> constexpr void require_common_dtype() {
    static_assert(!((is_complex(traits<A>::type) || ...) && (is_dual(traits<A>::type) || ...)),
                  "tx: complex and dual numbers do not meet: cast one of them first");
    static_assert(((traits<A>::type == dtype::string) && ...) || ((traits<A>::type != dtype::string) && ...),
                  "tx: strings and numbers do not meet");
}

// The dtype that operands are converted to: tensors promote each other, scalars only widen the kind.
template <class... A> inline constexpr dtype common_dtype = [] {
    if constexpr (!have_common_dtype<A...>) require_common_dtype<A...>();
    bool strong = false, weak = false;
    dtype strong_type{}, weak_type{};
    auto const add = [](bool& any, dtype& sum, dtype next) { sum = any ? promote(sum, next) : next, any = true; };
    ((traits<A>::weak ? add(weak, weak_type, traits<A>::type) : add(strong, strong_type, traits<A>::type)), ...);
    return !strong ? weak_type : weak ? promote_weak(strong_type, weak_type) : strong_type;
}();

template <class Owner> struct checked_shape {
    static constexpr inferred rule = Owner::rule();
    static constexpr dims value = rule.shape;
};

// Records the elements of a tensor as a constant of the graph; equal elements become one literal that is broadcast.
template <class T, class Shape> constexpr node_id record_constant(graph& g, tensor<T, Shape> const& value) {
    using reader = tensor_access;
    dims const d = value.dimensions();
    std::int64_t const size = d.size();
    std::uint64_t element[words_of(dtype_of<T>)]{};
    if constexpr (dims_of<Shape>.is_static() && dtype_of<T> != dtype::string)
        if (size > 0 && reader::is_unwritten(value)) return record_uniform<dtype_of<T>>(g, d, element);
    buffer<std::uint64_t> words;
    words.reserve(static_cast<std::size_t>(size) * words_of(dtype_of<T>));
    bool uniform = size > 0;
    for (std::int64_t i = 0; i < size; ++i) {
        to_words(reader::value(value, i), element);
        for (std::size_t k = 0; k < words_of(dtype_of<T>); ++k) {
            uniform = uniform && (i == 0 || element[k] == words[k]);
            words.push_back(element[k]);
        }
    }
    return uniform ? record_uniform<dtype_of<T>>(g, d, element) : g.append_constant(dtype_of<T>, d, words);
}

// How a tensor is read whose type is erased.
template <class Tensor> struct tensor_reading {
    static void const* data(void const* t) { return tensor_access::argument_data(*static_cast<Tensor const*>(t)); }
    static dims shape(void const* t) { return static_cast<Tensor const*>(t)->dimensions(); }
    static seen_value see(void const* t) { return seen(*static_cast<Tensor const*>(t)); }
};
template <class T, class Shape> constexpr captured capture_of(tensor<T, Shape> const& value) {
    using reading = tensor_reading<tensor<T, Shape>>;
    return {&value, reading::data, reading::shape, reading::see};
}
template <variable_type A> constexpr captured capture_of(A const& a) { return a.capture(); }

// A tensor that the callable mentions, with its type erased, so that record_now is compiled once.
struct mentioned_tensor {
    tensor_identity const& identity;
    captured capture; // the same tensor as a capture
    dtype type;
    dims typed; // the shape as the type shows it
    void (*to_words)(void const* elements, std::size_t count, std::uint64_t* words);
};
template <class T> void elements_to_words(void const* elements, std::size_t count, std::uint64_t* words) {
    for (std::size_t i = 0; i < count; ++i) to_words(static_cast<T const*>(elements)[i], words + i * words_of(dtype_of<T>));
}
template <class T, class Shape> mentioned_tensor mentioned(tensor<T, Shape> const& value) {
    return {tensor_access::identity(value), capture_of(value), dtype_of<T>, dims_of<Shape>,
            elements_to_words<typename tensor<T, Shape>::stored_type>};
}
// A copy of a tensor that the trace keeps.
struct kept_copy {
    tensor_identity identity;
    kept_value value;
    TRACEXPR_ONCE captured as_captured() const {
        return {this, [](void const* c) { return static_cast<kept_copy const*>(c)->value.data; },
                [](void const* c) { return static_cast<kept_copy const*>(c)->value.shape; },
                [](void const* c) {
                    auto const& of = *static_cast<kept_copy const*>(c);
                    return seen_value{&of.identity, of.value.data, of.value.type, of.value.shape,
                                      of.value.owner ? seen_value::in_block : seen_value::lasting};
                }};
    }
};
// Records elements as a constant of the graph, as record_constant does.
template <class Unused> node_id record_elements(graph& g, seen_value const& value, mentioned_tensor const& from) {
    std::size_t const count = static_cast<std::size_t>(value.shape.size()), each = words_of(value.type);
    buffer<std::uint64_t> words(count * each);
    from.to_words(value.data, count, words.data());
    bool uniform = count > 0;
    for (std::size_t k = each; uniform && k < words.size(); ++k) uniform = words[k] == words[k - each];
    if (!uniform) return g.append_constant(value.type, value.shape, words);
    bool has_tangent = false;
    for (std::size_t k = 1; is_dual(value.type) && k < each; ++k) has_tangent = has_tangent || words[k] != 0;
    literal_bits const bits{words[0], is_complex(value.type) ? words[1] : 0};
    node_id const one = has_tangent ? g.append_constant(value.type, dims{}, {words.data(), each})
                                    : g.append(op::literal, value.type, dims{}, {}, {}, bits);
    if (value.shape.rank == 0) return one;
    return g.append(op::broadcast_to, value.type, value.shape, {&one, 1},
                    table_view<std::int64_t>(value.shape.extent, static_cast<std::size_t>(value.shape.rank)));
}
template <class Unused = void> node_id record_now(trace_scope& scope, mentioned_tensor const& value) {
    if (symbol_scope* const owner = value.identity.owner()) {
        require_live(owner, value.identity.number());
        return scope.taken_from(*static_cast<trace_scope*>(owner), static_cast<node_id>(value.identity.node()));
    }
    captured const& capture = value.capture;
    seen_value const now = capture.see(capture.address);
    if (scope.leaf) return scope.leaf(scope, now);
    if (watched_values const* const watched = scope.root->watched; watched && now.number())
        if (node_id const known = watched->find(now); known != node_id::none) return scope.taken_from(*scope.root, known);
    if (scope.kept && has_static_storage(capture.address))
        return scope.append_capture(value.type, value.typed.rank < 0 ? now.shape : value.typed, capture);
    if (!scope.kept || (now.shape.size() <= 16 && !now.number())) return record_elements<Unused>(scope.recorded, now, value);
    auto const copy = std::make_shared<kept_copy const>(kept_copy{value.identity, kept(now)});
    scope.kept->push_back(copy);
    return scope.append_capture(value.type, now.shape, copy->as_captured());
}
TRACEXPR_INSTANCE(node_id record_now<void>(trace_scope&, mentioned_tensor const&))

// Throws where the type does not show the rank, which the compiler needs to trace a function; such a function is traced when it
// is called.
constexpr void require_rank(dims const& typed) {
    if (typed.rank < 0) throw trace_error("tx: capture: the compiler traces only tensors whose rank their type tells");
}
// Records a tensor that the callable mentions, in a trace that the compiler makes.
template <class T, class Shape> constexpr node_id record_evaluated(trace_scope& scope, tensor<T, Shape> const& value) {
    if (!value.readable()) {
        require_rank(dims_of<Shape>);
        return scope.append_capture(dtype_of<T>, dims_of<Shape>, capture_of(value));
    }
    using reader = tensor_access;
    if (deferred const* const constant = reader::constant(value)) return record_deferred<T>(scope, *constant);
    if (reader::is_symbolic(value))
        return scope.taken_from(*static_cast<trace_scope*>(reader::symbol_owner(value)),
                                static_cast<node_id>(reader::symbol_id(value)));
    return record_constant(scope.recorded, value);
}
// Records a tensor that the callable mentions. One that was built inside the callable becomes a constant; one with static storage
// duration becomes a capture, read at each run. Where that can't be told the trace keeps the present value.
template <class T, class Shape> constexpr node_id record_tensor(trace_scope& scope, tensor<T, Shape> const& value) {
    if (__builtin_is_constant_evaluated()) return record_evaluated(scope, value);
    else return record_now<>(scope, mentioned(value));
}

} // namespace detail
} // namespace tx
