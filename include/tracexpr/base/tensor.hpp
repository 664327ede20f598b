// tx::tensor: a dense, row-major value. Small static shapes live inside the object; others share a counted heap block that is
// copied before a write, so a copy is cheap and never aliases a later write. While a callable is traced a tensor may be
// symbolic: it then has a shape but no values, and stands for a node of the trace. Knows nothing of graphs but that.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/element.hpp>
#include <tracexpr/base/element_reference.hpp>
#include <tracexpr/base/extent_list.hpp>
#include <tracexpr/base/failed.hpp>
#include <tracexpr/base/identity.hpp>
#include <tracexpr/base/listed_storage.hpp>
#include <tracexpr/base/shape.hpp>

namespace tx {

namespace detail {

struct tensor_access;

template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_symbolic(char const* what) {
    throw trace_error(std::string("tx: ") + what +
                      ": a symbolic tensor has no values while it is traced; return it from the "
                      "callable, or compute with it (tx::where instead of if), and read the result");
}
TRACEXPR_INSTANCE(void throw_symbolic<void>(char const*))
template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_elsewhere(remote_elements const& from) {
    throw device_error("tx: a function or op on the cpu was given a tensor on " + from.device(from) +
                       "; place the function there with tx::on, or bring the tensor here with tx::to(tx::cpu{}, x)");
}
TRACEXPR_INSTANCE(void throw_elsewhere<void>(remote_elements const&))
[[noreturn]] TRACEXPR_NOINLINE inline void throw_not_one(char const* what, dims const& d) {
    throw shape_error("tx: " + std::string(what) + ": the tensor must have exactly one element; it has shape " + to_string(d));
}
// May a tensor of that type have exactly one element?
template <class Shape> inline constexpr bool may_be_one = !dims_of<Shape>.is_static() || dims_of<Shape>.size() == 1;
[[noreturn]] TRACEXPR_NOINLINE inline void throw_bad_place(dims const& d, std::initializer_list<std::int64_t> index) {
    std::string given;
    for (std::int64_t const i : index) given += (given.empty() ? "" : ", ") + std::to_string(i);
    throw shape_error("tx: operator(): there must be an index for each axis of shape " + to_string(d) +
                      ", within its extent; given (" + given + ")");
}
// The number, in row-major order, of the element at one index for each axis; negative ones count from the end.
constexpr std::int64_t element_number(dims const& d, std::initializer_list<std::int64_t> index) {
    if (d.rank != static_cast<int>(index.size())) throw_bad_place(d, index);
    std::int64_t at = 0;
    int axis = 0;
    for (std::int64_t const i : index) {
        std::int64_t const extent = d[axis++], place = i < 0 ? i + extent : i;
        if (place < 0 || place >= extent) [[unlikely]]
            throw_bad_place(d, index);
        at = at * extent + place;
    }
    return at;
}
template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_bad_extents(char const* what, dims const& d) {
    throw shape_error(std::string("tx: ") + what +
                      ": extents must not be negative, nor ask for more memory than can be addressed; given " +
                      to_string(d, "-1")); // an extent that is given is not open
}
TRACEXPR_INSTANCE(void throw_bad_extents<void>(char const*, dims const&))

// Throws unless a tensor of this shape, elements included, can exist.
constexpr void check_extents(char const* what, dims const& d, std::size_t element_bytes) {
    std::int64_t left = std::numeric_limits<std::int64_t>::max() / 2 / static_cast<std::int64_t>(element_bytes);
    for (int axis = 0; axis < d.rank; ++axis)
        if (d[axis] < 0) throw_bad_extents(what, d);
    for (int axis = 0; axis < d.rank; ++axis)
        if (d[axis] == 0) return;
    for (int axis = 0; axis < d.rank; ++axis) {
        if (d[axis] > left) throw_bad_extents(what, d);
        left /= d[axis];
    }
}

// Every tensor of shape From is one of shape To, too.
template <class From, class To> inline constexpr bool widens = [] {
    dims const from = dims_of<From>, to = dims_of<To>;
    if (to.rank < 0) return true;
    if (from.rank != to.rank) return false;
    for (int axis = 0; axis < to.rank; ++axis)
        if (to[axis] != dyn && to[axis] != from[axis]) return false;
    return true;
}();

} // namespace detail

namespace detail {
// x[place], of a tensor or an expr.
template <class X, class I> constexpr auto part_at(X const& x, I const& place) { return slice(x, place); }
template <class X, class I> using part_type =
    std::add_const_t<decltype(part_at(std::declval<X const&>(), std::declval<I const&>()))>;
// std::vector and its like.
template <class C> concept standard_container = requires(C const& c) {
    typename C::allocator_type;
    c.data();
} && !std::is_convertible_v<C const&, std::string_view>;
} // namespace detail

// Default construction gives zeros for a static shape, else a tensor without elements: run-time extents are 0, and a tensor
// of any_shape has shape (0,).
template <element T, shape_type Shape = any_shape> class tensor : detail::listed_storage<T, Shape> {
    static_assert(std::is_same_v<T, std::remove_cv_t<T>>, "tx: tensor: the element type has no const or volatile");
    using base = detail::listed_storage<T, Shape>;
    using storage = detail::tensor_storage<T, Shape>;
    using base::storage_;
    using identity = std::conditional_t<detail::is_inline<T, Shape>, detail::tensor_identity, detail::holding_identity>;
    using row = typename detail::brace_list<T, Shape>::row;
    static constexpr bool has_row = !std::is_same_v<row, detail::no_braces>;
    using list = std::conditional_t<has_row, detail::no_braces, typename detail::brace_list<T, Shape>::type>;
    static constexpr bool takes_scalar = std::is_same_v<Shape, shape<>> || std::is_same_v<Shape, any_shape>;

public:
    using value_type = T;
    using stored_type = detail::stored<T>; // what data() points to: T, but of strings a handle that converts to one
    using shape_type = Shape;

    constexpr tensor() = default;

    // Nested braces, one level an axis. Where they are ragged or don't have the type's extents it throws shape_error, or, of
    // extents that the compiler checks, doesn't compile.
    using base::base;
    constexpr tensor(list values) requires(!std::is_same_v<list, detail::no_braces>) : tensor(hidden::listed, values) {}
    // Zeros of run-time extents, one for each axis: tensor<float, shape<dyn, 3>> z(n, 3). (Braces list elements.) Throws
    // shape_error where the type knows another extent.
    template <std::integral... Extents>
    requires(sizeof...(Extents) > 0 && static_cast<int>(sizeof...(Extents)) == dims_of<Shape>.rank && !dims_of<Shape>.is_static())
    constexpr explicit tensor(Extents... extents)
        : tensor(uninitialized(dims{{static_cast<std::int64_t>(extents)...}, dims_of<Shape>.rank})) {
        stored_type* const to = storage_.mutable_data();
        for (std::int64_t i = 0, count = size(); i < count; ++i) to[i] = stored_type{};
    }
    template <std::integral... E>
    requires(sizeof...(E) > 1 && (dims_of<Shape>.rank < 0 || dims_of<Shape>.is_static()) && (!has_row || dims_of<Shape>.rank > 1))
    tensor(E...) = delete; // of extents: write tx::zeros<float>(2, 3); of elements: tensor<float>{2, 3}
    // A scalar is a tensor of rank 0.
    template <detail::scalar_for<T> U> requires takes_scalar constexpr tensor(U value) : base(storage(dims{})) {
        *storage_.mutable_data() = detail::scalar_as<T>(value);
    }
    // From a tensor whose type knows more or less about the shape. Explicit, and throws shape_error, where it may not fit.
    template <class Other> requires(!std::is_same_v<Other, Shape> && may_equal(dims_of<Other>, dims_of<Shape>))
    constexpr explicit(!detail::widens<Other, Shape>) tensor(tensor<T, Other> const& other)
        : base(convert(other)), identity_{converted_identity(other)} {}

    template <class U, class Other> requires(!std::is_same_v<U, T>)
    tensor(tensor<U, Other> const&) = delete;                          // another dtype: write tx::cast<float>(x)
    template <detail::standard_container C> tensor(C const&) = delete; // of a std::vector v: write tx::from_range(v)

    // x[i], a part without the first axis: a copy, whose const keeps assignments from being lost.
    template <class I> constexpr detail::part_type<tensor, I> operator[](I const& place) const {
        return detail::part_at(*this, place);
    }
    template <class A> constexpr tensor const& operator=(A const&) const&& {
        static_assert(always_false<A>, "tx: x[i] is a copy of a part; write x(i, j) = v, or x = tx::set(x, v, i)");
        return *this;
    }

    // A tensor whose elements hold anything, for a function that writes them all.
    static constexpr tensor uninitialized(dims const& extents) {
        detail::check_fits("tensor", dims_of<Shape>, extents);
        detail::check_extents("tensor", extents, sizeof(T));
        return tensor(hidden::elements, extents);
    }
    static constexpr tensor uninitialized() requires(dims_of<Shape>.is_static()) {
        return tensor(hidden::elements, dims_of<Shape>);
    }

    // The shape as the type knows it, with dyn for what it leaves open.
    static constexpr dims static_dims() { return dims_of<Shape>; }
    // The shape. Of a symbolic tensor it may have unknown extents.
    constexpr dims dimensions() const { return storage_.extents(); }
    // These throw trace_error for what a symbolic tensor doesn't know.
    constexpr int rank() const { return detail::checked_rank(dimensions()); }
    constexpr std::int64_t extent(int axis) const { return detail::checked_extent(dimensions(), axis); }
    constexpr extent_list extents() const { return extent_list(detail::checked_extents(dimensions())); }
    constexpr std::int64_t size() const { return detail::checked_size(dimensions()); }

    // The elements in row-major order; null for none on the heap.
    constexpr stored_type const* data() const {
        if (!identity_.has_values()) [[unlikely]]
            return symbol_elements("data");
        return storage_.data();
    }
    // The same to write to. Makes them this tensor's own first, so earlier pointers into it may be stale.
    constexpr stored_type* mutable_data() {
        if (!identity_.has_values()) [[unlikely]]
            take_elements(symbol_elements("mutable_data"));
        if (!identity_.is_plain()) [[unlikely]]
            identity_ = {};
        identity_.forget();
        return storage_.mutable_data();
    }
    constexpr stored_type const* begin() const { return data(); }
    constexpr stored_type const* end() const { return data() + size(); }

    // The element at one index for each axis, as in NumPy: negative ones count from the end. Throws shape_error where there is
    // none.
    template <std::convertible_to<std::int64_t>... Index>
    requires(dims_of<Shape>.rank < 0 || sizeof...(Index) == static_cast<std::size_t>(dims_of<Shape>.rank))
    constexpr T operator()(Index... index) const& {
        require_values("operator()");
        return element_at(detail::element_number(dimensions(), {static_cast<std::int64_t>(index)...}));
    }
    // The same, and what is assigned to it goes to the tensor: a(1, 0) = v, a(1, 0) += v.
    template <std::convertible_to<std::int64_t>... Index>
    requires(dims_of<Shape>.rank < 0 || sizeof...(Index) == static_cast<std::size_t>(dims_of<Shape>.rank))
    constexpr element_reference<tensor> operator()(Index... index) & {
        require_values("operator()");
        std::int64_t const number = detail::element_number(dimensions(), {static_cast<std::int64_t>(index)...});
        return {*this, number, element_at(number)};
    }
    // The only element. Throws shape_error where there is not exactly one; where the type tells so, it doesn't compile.
    constexpr T item() const {
        static_assert(detail::may_be_one<Shape>,
                      "tx: item: takes a tensor of one element; a(i, j) is one of several, and tx::sum(a).item() what "
                      "becomes of all");
        return only_element("item");
    }
    // Is the only element other than 0, or the only text not empty? For if (tx::sum(a) > 3), as in NumPy. Of several it is as
    // item() is: there tx::all and tx::any make one of them.
    constexpr explicit operator bool() const {
        static_assert(detail::may_be_one<Shape>,
                      "tx: an if takes a tensor of one element: make one of several by tx::all(a == b) or tx::any(a == b); "
                      "tx::equal(a, b) is one bool");
        return only_element("if") != stored_type{};
    }

    // False for a variable that the constant evaluation under way may name but not read (one at namespace scope that is
    // not constexpr): it is a capture, to be read when the function runs.
    TRACEXPR_INLINE constexpr bool readable() const {
        if (!__builtin_is_constant_evaluated()) return true;
        return identity_.is_readable();
    }

private:
    friend detail::tensor_access;
    template <element, tx::shape_type> friend class tensor;

    enum class hidden { elements, listed, symbol }; // braces of elements are none
    constexpr tensor(hidden, dims const& d) : base(storage(d)) {}
    template <class List> requires detail::always_list<List>
    constexpr tensor(hidden, List const& values) : base(storage(checked_extents_of(values))) {
        stored_type* out = storage_.mutable_data();
        detail::copy_list(values, storage_.extents(), 0, out);
    }
    constexpr tensor(hidden, detail::symbol_scope* owner, std::int32_t id, dims const& d)
        : base(storage::without_elements(d)), identity_{detail::tensor_identity(owner, id, false)} {}
    constexpr tensor(hidden, detail::deferred* constant, dims const& d)
        : base(storage::without_elements(d)), identity_{detail::tensor_identity(constant)} {}
    tensor(hidden, detail::remote_elements* elements, dims const& d)
        : base(storage::standing_for(elements, d)), identity_{detail::tensor_identity(elements)} {}
    tensor(hidden, detail::symbol_scope* owner, std::int32_t id, tensor const& values)
        : base(values.storage_), identity_{detail::tensor_identity(owner, id, true)} {}

    template <class List> static constexpr dims checked_extents_of(List const& values) {
        dims d;
        detail::append_extents(values, d);
        return detail::listed_extents<Shape>(d);
    }
    constexpr stored_type only_element(char const* what) const {
        require_values(what);
        if (size() != 1) detail::throw_not_one(what, dimensions());
        return element_at(0);
    }
    constexpr void require_values(char const* what) const {
        if (!identity_.has_values()) [[unlikely]]
            static_cast<void>(symbol_elements(what));
    }
    // Those of a deferred constant, or a copy of those that are elsewhere; other symbolic tensors have none.
    constexpr stored_type const* symbol_elements(char const* what) const {
        if (detail::remote_elements* const remote = identity_.remote()) {
            detail::remote_scope* const asking = detail::remote_scope::innermost();
            return static_cast<stored_type const*>(asking ? asking->meet(*remote) : remote->read(*remote));
        }
        if (detail::deferred* const constant = identity_.constant()) {
            auto& of_constant = *static_cast<detail::deferred_elements<stored_type>*>(constant);
            return of_constant.compute(of_constant);
        }
        detail::throw_symbolic(what);
    }
    constexpr stored_type element_at(std::int64_t i) const {
        return identity_.constant() || identity_.remote() ? symbol_elements("data")[i] : storage_.value(i);
    }
    constexpr void take_elements(stored_type const* from) {
        storage own(dimensions());
        stored_type* const to = own.mutable_data();
        for (std::int64_t i = 0, count = dimensions().size(); i < count; ++i) to[i] = from[i];
        storage_ = own;
    }
    template <class Other> static constexpr storage convert(tensor<T, Other> const& other) {
        bool const remote = other.identity_.remote();
        if (other.identity_.has_values() || other.identity_.constant() || remote)
            detail::check_fits("tensor", dims_of<Shape>, other.dimensions());
        else if (!detail::widens<Other, Shape>) detail::throw_symbolic("tensor");
        if (!other.identity_.has_values() && !remote && !is_computed_as_this(other))
            return storage::without_elements(other.dimensions());
        if constexpr (!detail::is_inline<T, Shape> && !detail::is_inline<T, Other>) {
            if (other.storage_.has_elements() || other.size() == 0) return storage(other.storage_);
        }
        storage out(other.dimensions());
        stored_type* const to = out.mutable_data();
        std::int64_t const count =
            dims_of<Shape>.is_static() ? dims_of<Shape>.size() : other.size(); // what g++ can see is written
        for (std::int64_t i = 0; i < count; ++i) to[i] = other.element_at(i);
        return out;
    }
    // Has it elements elsewhere that this tensor could not hold: a deferred constant's, or a device's?
    template <class Other> static constexpr bool is_computed_as_this(tensor<T, Other> const& other) {
        return detail::is_inline<T, Shape> && !detail::is_inline<T, Other> &&
               (other.identity_.constant() || other.identity_.remote());
    }
    template <class Other> static constexpr detail::tensor_identity converted_identity(tensor<T, Other> const& other) {
        if (is_computed_as_this(other)) return {};
        return other.identity_;
    }

    identity identity_{};
};

namespace detail {

// What the trace and the executors see of a tensor.
struct tensor_access {
    template <class Tensor> static constexpr Tensor from_symbol(symbol_scope* owner, std::int32_t id, dims const& d) {
        return Tensor(Tensor::hidden::symbol, owner, id, d);
    }
    template <class Tensor> static Tensor from_symbol(symbol_scope* owner, std::int32_t id, Tensor const& values) {
        return Tensor(Tensor::hidden::symbol, owner, id, values);
    }
    template <class Tensor> static constexpr Tensor from_deferred(deferred* constant, dims const& d) {
        return Tensor(Tensor::hidden::symbol, constant, d);
    }
    // `elements` lies in a block of the heap, whose only reference the tensor takes over.
    template <class Tensor> static Tensor from_remote(remote_elements* elements, dims const& d) {
        return Tensor(Tensor::hidden::symbol, elements, d);
    }
    // Of braces in a std::initializer_list.
    template <class Tensor, class List> static constexpr Tensor from_list(List const& values) {
        return Tensor(Tensor::hidden::listed, values);
    }
    template <class Tensor> static constexpr remote_elements* remote(Tensor const& a) { return a.identity_.remote(); }
    template <class Tensor> static constexpr bool is_plain(Tensor const& a) { return a.identity_.is_plain(); }
    // For a function that runs on the cpu.
    template <class Tensor> static constexpr typename Tensor::stored_type const* argument_data(Tensor const& a) {
        if (a.identity_.has_values()) [[likely]]
            return a.storage_.data();
        if (remote_elements* const elsewhere = remote(a); elsewhere && !remote_scope::innermost()) throw_elsewhere(*elsewhere);
        return a.data();
    }
    template <class Tensor> static constexpr deferred* constant(Tensor const& a) { return a.identity_.constant(); }
    template <class Tensor> static constexpr bool is_symbolic(Tensor const& a) {
        return a.identity_.owner() != nullptr && !constant(a);
    }
    template <class Tensor> static constexpr bool has_values(Tensor const& a) {
        return a.identity_.has_values() || constant(a) || remote(a);
    }
    template <class Tensor> static constexpr symbol_scope* symbol_owner(Tensor const& a) { return a.identity_.owner(); }
    template <class Tensor> static constexpr bool belongs_to(Tensor const& a, symbol_scope const& scope) {
        return a.identity_.owner() == &scope && (__builtin_is_constant_evaluated() || a.identity_.number() == scope.number);
    }
    template <class Tensor> static constexpr std::int32_t symbol_id(Tensor const& a) { return a.identity_.node(); }
    template <class Tensor> static constexpr tensor_identity const& identity(Tensor const& a) { return a.identity_; }
    // Of a tensor that is known not to be symbolic. own_data: null if it was never written.
    template <class Tensor> static constexpr typename Tensor::stored_type const* data(Tensor const& a) {
        return a.storage_.data();
    }
    template <class Tensor> static constexpr typename Tensor::stored_type const* own_data(Tensor const& a) {
        return a.storage_.own_data();
    }
    template <class Tensor> static constexpr bool is_exclusive(Tensor const& a) { return a.storage_.is_exclusive(); }
    // To write a call's result to. A number that the tensor had stays with it: that it is another value shows in its elements.
    template <class Tensor> static constexpr typename Tensor::stored_type* overwritten(Tensor& a) {
        return a.storage_.mutable_data();
    }
    // A static shape on the heap that was never written: known to be zeros without looking at the elements.
    template <class Tensor> static constexpr bool is_unwritten(Tensor const& a) { return !a.storage_.has_elements(); }
    // Element i in row-major order. Unlike data() it works for every tensor in a constant evaluation.
    template <class Tensor> static constexpr typename Tensor::stored_type value(Tensor const& a, std::int64_t i) {
        a.require_values("data");
        return a.element_at(i);
    }
};

} // namespace detail

template <class T> inline constexpr bool is_tensor = false;
template <class T, class Shape> inline constexpr bool is_tensor<tensor<T, Shape>> = true;
// A tx::tensor.
template <class T> concept tensor_type = is_tensor<std::remove_cvref_t<T>>;

namespace detail {
// Numbers meet in a common dtype; strings meet strings only, and complex numbers no dual ones.
template <class T, class U> concept meets =
    std::same_as<T, U> || (dtype_of<T> != dtype::string && dtype_of<U> != dtype::string &&
                           !(is_complex_type<T> && is_dual(dtype_of<U>)) && !(is_dual(dtype_of<T>) && is_complex_type<U>));
template <class To, class From> constexpr To promoted(From const& value) {
    if constexpr (std::is_same_v<To, From>) return value;
    else if constexpr (!is_complex_type<To> && std::is_constructible_v<To, From>) return static_cast<To>(value);
    else if constexpr (!is_complex_type<To>) return static_cast<To>(static_cast<float>(value)); // a dual number of a half
    else if constexpr (is_complex_type<From>)
        return {promoted<typename To::value_type>(value.real()), promoted<typename To::value_type>(value.imag())};
    else return {static_cast<typename To::value_type>(value), 0};
}
} // namespace detail

// Do a and b have the same shape and equal elements? Those of two dtypes are compared in their common one. NaN differs from
// itself, -0.0 equals 0.0.
template <class T, class A, class U, class B> requires detail::meets<T, U>
[[nodiscard]] constexpr bool equal(tensor<T, A> const& a, tensor<U, B> const& b) {
    using reader = detail::tensor_access;
    using common = detail::stored<ctype<promote(dtype_of<T>, dtype_of<U>)>>;
    if (!reader::has_values(a) || !reader::has_values(b)) detail::throw_symbolic("equal");
    if (a.dimensions() != b.dimensions()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (detail::promoted<common>(reader::value(a, i)) != detail::promoted<common>(reader::value(b, i))) return false;
    return true;
}

} // namespace tx
