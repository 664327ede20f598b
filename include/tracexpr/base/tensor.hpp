// This file has tx::tensor, a dense, row-major value. The elements of small static shapes are inside the object; other tensors
// share a reference-counted heap block that is copied before a write, so a copy is cheap and never aliases a later write. While a
// callable is traced, a tensor may be symbolic: it then has a shape but no values, and stands for a node of the trace. That is
// all that this file knows of graphs.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/element.hpp>
#include <tracexpr/base/element_reference.hpp>
#include <tracexpr/base/element_write.hpp>
#include <tracexpr/base/extent_list.hpp>
#include <tracexpr/base/failed.hpp>
#include <tracexpr/base/identity.hpp>
#include <tracexpr/base/listed_storage.hpp>
#include <tracexpr/base/shape.hpp>
#include <tracexpr/base/tensor_checks.hpp>

namespace tx {

namespace detail {
template <class... A> struct no_dtype {};
} // namespace detail
template <class... A> inline constexpr bool is_shape<detail::no_dtype<A...>> = true;
template <element T, shape_type Shape = any_shape> class tensor;

namespace detail {

struct tensor_access;
template <class T, class Shape> seen_value seen(tensor<T, Shape> const& value);

// widens tells whether every tensor of shape From is also one of shape To.
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
// Gives x[place] for a tensor or an expr.
template <class X, class I> constexpr auto part_at(X const& x, I const& place) { return slice(x, place); }
template <class X, class I> using part_type =
    std::add_const_t<decltype(part_at(std::declval<X const&>(), std::declval<I const&>()))>;
// A standard_container is a std::vector or another container like it.
template <class C> concept standard_container = requires(C const& c) {
    typename C::allocator_type;
    c.data();
} && !std::is_convertible_v<C const&, std::string_view>;
// may_not_fit_into tells whether X is a tensor whose extents may be those of shape To, but need not be. It converts only where
// the program says so.
template <class X, class T, class To> inline constexpr bool may_not_fit_into = false;
template <class T, class From, class To> inline constexpr bool may_not_fit_into<tensor<T, From>, T, To> =
    may_equal(dims_of<From>, dims_of<To>) && !widens<From, To>;
} // namespace detail

// A tensor is a dense array of T in row-major order. Default construction gives zeros for a static shape, and otherwise a tensor
// without elements: run-time extents are 0, and a tensor of any_shape has shape (0,).
template <element T, shape_type Shape> class tensor : detail::tensor_lists::listed_storage<T, Shape> {
    static_assert(std::is_same_v<T, std::remove_cv_t<T>>, "tx: tensor: the element type has no const or volatile");
    using base = detail::tensor_lists::listed_storage<T, Shape>;
    static constexpr auto not_yet = detail::tensor_lists::uninitialized::elements;
    using storage = detail::tensor_storage<T, Shape>;
    using base::storage_;
    using identity = std::conditional_t<detail::is_inline<T, Shape>, detail::tensor_identity, detail::holding_identity>;
    using row = typename detail::brace_list<T, Shape>::row;
    static constexpr bool has_row = !std::is_same_v<row, detail::no_braces>;
    using list = std::conditional_t<has_row, detail::no_braces, typename detail::brace_list<T, Shape>::type>;
    static constexpr bool takes_scalar = std::is_same_v<Shape, shape<>> || std::is_same_v<Shape, any_shape>;

public:
    using value_type = T;
    using stored_type = detail::stored<T>; // data() points to this: T or, for strings, a handle that converts to one.
    using shape_type = Shape;

    constexpr tensor() = default;

    // Lists the elements in nested braces, one level an axis. Braces that are ragged or don't have the type's extents throw
    // shape_error or, where the compiler checks the extents, don't compile.
    using base::base;
    constexpr tensor(list values) requires(!std::is_same_v<list, detail::no_braces>) : tensor(hidden::listed, values) {}
    // Makes zeros with run-time extents, one for each axis: tensor<float, shape<dyn, 3>> z(n, 3). (Braces list elements.) Throws
    // shape_error if the type knows another extent.
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
    template <std::integral... E> requires(sizeof...(E) > 0 && dims_of<Shape>.rank >= 0 && !dims_of<Shape>.is_static() &&
                                           static_cast<int>(sizeof...(E)) != dims_of<Shape>.rank)
    explicit tensor(E...) = delete; // takes an extent for each axis: of tx::shape<tx::dyn, 3> write z(2, 3)
    // Makes a tensor of rank 0 from a scalar.
    template <detail::scalar_for<T> U> requires takes_scalar constexpr tensor(U value) : base(not_yet, dims{}) {
        *storage_.mutable_data() = detail::scalar_as<T>(value);
    }
    template <class U> requires(takes_scalar && detail::another_kind<U, T>)
    explicit tensor(U) = delete; // a number of another kind: write static_cast<int>(1.7), or tx::cast<int>(x) of a tensor
    // Converts a tensor whose type knows more or less about the shape. The conversion is explicit, and throws shape_error, where
    // the shape may not fit.
    template <class Other> requires(!std::is_same_v<Other, Shape> && may_equal(dims_of<Other>, dims_of<Shape>))
    constexpr explicit(!detail::widens<Other, Shape>) tensor(tensor<T, Other> const& other)
        : base(convert(other)), identity_{converted_identity(other)} {}

    template <class X> requires detail::may_not_fit_into<X, T, Shape>
    tensor(X const&) = delete; // x may have other extents: write the type, as in tx::tensor<float, tx::shape<2, 3>> y(x)
    template <class U, class Other> requires(!std::is_same_v<U, T>)
    tensor(tensor<U, Other> const&) = delete;                          // another dtype: write tx::cast<float>(x)
    template <detail::standard_container C> tensor(C const&) = delete; // of a std::vector v: write tx::from_range(v)

    // Gives x[i], a part without the first axis. It is a copy, which is const so that assignments to it, which would be lost,
    // don't compile.
    template <class I> constexpr detail::part_type<tensor, I> operator[](I const& place) const {
        return detail::part_at(*this, place);
    }
    template <class A> constexpr tensor const& operator=(A const&) const&& {
        static_assert(always_false<A>, "tx: x[i] is a copy of a part; write x(i, j) = v, or x = tx::set(x, v, i)");
        return *this;
    }

    // Makes a tensor whose elements are uninitialized, for a function that writes them all.
    static constexpr tensor uninitialized(dims const& extents) {
        detail::check_fits("tensor", dims_of<Shape>, extents);
        detail::check_extents("tensor", extents, sizeof(T));
        return tensor(hidden::elements, extents);
    }
    static constexpr tensor uninitialized() requires(dims_of<Shape>.is_static()) {
        return tensor(hidden::elements, dims_of<Shape>);
    }

    // Gives the shape as the type knows it, with dyn for what it leaves open.
    static constexpr dims static_dims() { return dims_of<Shape>; }
    // Gives the shape. That of a symbolic tensor may have unknown extents.
    constexpr dims dimensions() const { return storage_.extents(); }
    // Gives the rank. Like extent, extents and size it throws trace_error for what a symbolic tensor doesn't know.
    constexpr int rank() const { return detail::checked_rank(dimensions()); }
    constexpr std::int64_t extent(int axis) const { return detail::checked_extent(dimensions(), axis); }
    constexpr extent_list extents() const { return extent_list(detail::checked_extents(dimensions())); }
    constexpr std::int64_t size() const { return detail::checked_size(dimensions()); }

    // Gives the elements in row-major order; it is null if there are none on the heap.
    constexpr stored_type const* data() const {
        if (!identity_.has_values()) [[unlikely]]
            return symbol_elements("data");
        return storage_.data();
    }
    // Gives the elements to write to. It makes them this tensor's own first, so earlier pointers to them may be stale. A gradient
    // tape that knows the tensor can't tell what is written, and refuses derivatives through it from then on.
    constexpr stored_type* mutable_data() {
        make_concrete();
        if (identity_.is_numbered()) [[unlikely]]
            tell({});
        return storage_.mutable_data();
    }
    constexpr stored_type const* begin() const { return data(); }
    constexpr stored_type const* end() const { return data() + size(); }

    // Gives the element at one index for each axis; negative indices count from the end, as in NumPy. Throws shape_error if there
    // is no such element.
    template <std::convertible_to<std::int64_t>... Index>
    requires(dims_of<Shape>.rank < 0 || sizeof...(Index) == static_cast<std::size_t>(dims_of<Shape>.rank))
    constexpr T operator()(Index... index) const& {
        require_values("operator()");
        return element_at(detail::element_number(dimensions(), {static_cast<std::int64_t>(index)...}));
    }
    // Gives the element at one index for each axis as a reference: what is assigned to it goes to the tensor, a(1, 0) = v, a(1,
    // 0) += v.
    template <std::convertible_to<std::int64_t>... Index>
    requires(dims_of<Shape>.rank < 0 || sizeof...(Index) == static_cast<std::size_t>(dims_of<Shape>.rank))
    constexpr element_reference<tensor> operator()(Index... index) & {
        require_values("operator()");
        std::int64_t const number = detail::element_number(dimensions(), {static_cast<std::int64_t>(index)...});
        return {*this, number, element_at(number)};
    }
    template <std::convertible_to<std::int64_t>... Index>
    requires(dims_of<Shape>.rank >= 0 && sizeof...(Index) != static_cast<std::size_t>(dims_of<Shape>.rank))
    constexpr element_reference<tensor> operator()(Index...) & {
        static_assert(always_false<Index...>, "tx: x(i, j) of a tensor takes an index for each axis; x[i] is a part, and so is "
                                              "tx::slice(x, i)");
        return {*this, 0, T{}};
    }
    template <std::convertible_to<std::int64_t>... Index>
    requires(dims_of<Shape>.rank >= 0 && sizeof...(Index) != static_cast<std::size_t>(dims_of<Shape>.rank))
    constexpr T operator()(Index...) const& {
        static_assert(always_false<Index...>, "tx: x(i, j) of a tensor takes an index for each axis; x[i] is a part, and so is "
                                              "tx::slice(x, i)");
        return {};
    }
    // Gives the only element. Throws shape_error if there is not exactly one; if the type tells so, it doesn't compile.
    constexpr T item() const {
        static_assert(detail::may_be_one<Shape>,
                      "tx: item: takes a tensor of one element; a(i, j) is one of several, and tx::sum(a).item() what "
                      "becomes of all");
        return only_element("item");
    }
    // Tells whether the only element is other than 0, or the only text not empty, for if (tx::sum(a) > 3), as in NumPy. Throws
    // shape_error, or doesn't compile, if there are several elements, as item() does; tx::all and tx::any make one of them.
    constexpr explicit operator bool() const {
        static_assert(detail::may_be_one<Shape>,
                      "tx: an if takes a tensor of one element: make one of several by tx::all(a == b) or tx::any(a == b); "
                      "tx::equal(a, b) is one bool, and tx::maximum(a, b) replaces std::max");
        return only_element("if") != stored_type{};
    }
    template <std::same_as<T> U> requires std::is_arithmetic_v<U> && (!std::is_same_v<U, bool>)explicit
    operator U() const = delete; // the number in a tensor of one element: write x.item()

    // Tells whether the tensor can be read in the constant evaluation under way. A variable at namespace scope that is not
    // constexpr can be named but not read: it is a capture, which is read when the function runs.
    TRACEXPR_INLINE constexpr bool readable() const {
        if (!__builtin_is_constant_evaluated()) return true;
        return identity_.is_readable();
    }

private:
    friend detail::tensor_access;
    friend element_reference<tensor>;
    template <element, tx::shape_type> friend class tensor;

    enum class hidden { elements, listed, symbol }; // Braces of elements don't convert to this.
    constexpr tensor(hidden, dims const& d) : base(not_yet, d) {}
    template <class List> requires detail::always_list<List>
    constexpr tensor(hidden, List const& values) : base(not_yet, checked_extents_of(values)) {
        stored_type* out = storage_.mutable_data();
        detail::copy_list(values, storage_.extents(), 0, out);
    }
    constexpr tensor(hidden, detail::symbol_scope* owner, std::int32_t id, dims const& d)
        : base(storage::without_elements(d)), identity_{detail::tensor_identity(owner, id, false)} {}
    constexpr tensor(hidden, detail::deferred* constant, dims const& d)
        : base(storage::without_elements(d)), identity_{detail::tensor_identity(constant)} {}
    tensor(hidden, detail::remote_elements* elements, dims const& d)
        : base(storage::standing_for(elements, d)), identity_{detail::tensor_identity(elements)} {}
    tensor(hidden, storage&& given) : base(std::move(given)) {}
    tensor(hidden, detail::symbol_scope* owner, std::int32_t id, tensor const& values)
        : base(values.storage_), identity_{detail::tensor_identity(owner, id, true)} {}

    template <class List> static constexpr dims checked_extents_of(List const& values) {
        dims d;
        detail::append_extents(values, d);
        return detail::listed_extents<Shape>(d);
    }
    constexpr stored_type only_element(char const* caller) const {
        require_values(caller);
        if (size() != 1) detail::throw_not_one(caller, dimensions());
        return element_at(0);
    }
    constexpr void require_values(char const* caller) const {
        if (!identity_.has_values()) [[unlikely]]
            static_cast<void>(symbol_elements(caller));
    }
    // Gives the elements of a deferred constant, or a copy of those that are elsewhere; other symbolic tensors have none.
    constexpr stored_type const* symbol_elements(char const* caller) const {
        if (detail::remote_elements* const remote = identity_.remote()) {
            detail::remote_scope* const asking = detail::remote_scope::innermost();
            return static_cast<stored_type const*>(asking ? asking->meet(*remote) : remote->read(*remote));
        }
        if (detail::deferred* const constant = identity_.constant()) {
            auto& of_constant = *static_cast<detail::deferred_elements<stored_type>*>(constant);
            return of_constant.compute(of_constant);
        }
        detail::throw_symbolic(caller);
    }
    constexpr stored_type element_at(std::int64_t i) const {
        return identity_.constant() || identity_.remote() ? symbol_elements("data")[i] : storage_.value(i);
    }
    // Gives a tensor that stands for elements elsewhere, or for a node that has some, elements of its own.
    constexpr void make_concrete() {
        if (!identity_.has_values()) [[unlikely]]
            take_elements(symbol_elements("mutable_data"));
        if (!identity_.is_plain()) [[unlikely]] {
            std::uint32_t const number = identity_.number_of_elements();
            identity_ = {};
            if (number) identity_.renumber(number);
        }
    }
    // `from` is the place where the operand was read, if that is known. Without tapes a write costs one look at the tensor's
    // identity.
    template <class... Source> TRACEXPR_INLINE constexpr void
    write_element(std::int64_t i, stored_type v, detail::element_change change, stored_type operand, Source... from) {
        if (identity_.is_elements_alone() && !(from.is_known() || ...)) [[likely]]
            storage_.mutable_data()[i] = v;
        else write_known(i, v, change, operand, {from...});
    }
    [[gnu::cold]] TRACEXPR_NOINLINE constexpr void write_known(std::int64_t i, stored_type v, detail::element_change change,
                                                               stored_type operand, detail::element_source from) {
        make_concrete();
        if (identity_.is_numbered() || from.is_known()) tell({change, i, &operand, &v, from});
        storage_.mutable_data()[i] = v;
    }
    [[gnu::cold]] TRACEXPR_NOINLINE void tell(detail::element_write write) {
        write.before = detail::seen(*this);
        identity_.renumber(detail::number_after(write));
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
            dims_of<Shape>.is_static() ? dims_of<Shape>.size() : other.size(); // g++ can see that this many are written.
        for (std::int64_t i = 0; i < count; ++i) to[i] = other.element_at(i);
        return out;
    }
    // Tells whether `other` has elements elsewhere that this tensor can't hold: those of a deferred constant or of a device.
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

// tensor_access is the access that traces and executors have to a tensor.
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
    // `elements` lies in a heap block, whose only reference the tensor takes over.
    template <class Tensor> static Tensor from_remote(remote_elements* elements, dims const& d) {
        return Tensor(Tensor::hidden::symbol, elements, d);
    }
    // Makes a tensor that holds its elements on the heap. They are the only handle's to their block, which the tensor takes over;
    // null says that there are none.
    template <class Tensor> static Tensor from_block(void* elements, dims const& d) {
        return Tensor(Tensor::hidden::elements, Tensor::storage::standing_for(elements, d));
    }
    // Makes a tensor of the elements that braces in a std::initializer_list hold.
    template <class Tensor, class List> static constexpr Tensor from_list(List const& values) {
        return Tensor(Tensor::hidden::listed, values);
    }
    template <class Tensor> static constexpr remote_elements* remote(Tensor const& a) { return a.identity_.remote(); }
    template <class Tensor> static constexpr bool is_plain(Tensor const& a) { return a.identity_.is_plain(); }
    // Gives the elements for a function that runs on the CPU.
    template <class Tensor> static constexpr typename Tensor::stored_type const* argument_data(Tensor const& a) {
        if (a.identity_.has_values()) [[likely]]
            return a.storage_.data();
        remote_elements* const elsewhere = remote(a);
        if (elsewhere && !elsewhere->is_here && !remote_scope::innermost()) throw_elsewhere(*elsewhere);
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
    // The tensor must not be symbolic for data(), own_data() and is_exclusive(). own_data() is null if it was never written.
    template <class Tensor> static constexpr typename Tensor::stored_type const* data(Tensor const& a) {
        return a.storage_.data();
    }
    template <class Tensor> static constexpr typename Tensor::stored_type const* own_data(Tensor const& a) {
        return a.storage_.own_data();
    }
    template <class Tensor> static constexpr bool is_exclusive(Tensor const& a) { return a.storage_.is_exclusive(); }
    // Gives the elements to write a call's result to. A number that the tensor had stays with it; the elements show that it is
    // another value.
    template <class Tensor> static constexpr typename Tensor::stored_type* overwritten(Tensor& a) {
        return a.storage_.mutable_data();
    }
    // Tells whether a tensor with a static shape on the heap was never written, and is known to be zeros without looking at the
    // elements.
    template <class Tensor> static constexpr bool is_unwritten(Tensor const& a) { return !a.storage_.has_elements(); }
    // Gives element i in row-major order. Unlike data() it works for every tensor in a constant evaluation.
    template <class Tensor> static constexpr typename Tensor::stored_type value(Tensor const& a, std::int64_t i) {
        a.require_values("data");
        return a.element_at(i);
    }
};

template <class T, class Shape> seen_value seen(tensor<T, Shape> const& value) {
    auto const place = is_inline<T, Shape>                  ? seen_value::elsewhere
                       : tensor_access::is_unwritten(value) ? seen_value::lasting
                                                            : seen_value::in_block;
    return {&tensor_access::identity(value), value.data(), dtype_of<T>, value.dimensions(), place};
}

} // namespace detail

template <class T> inline constexpr bool is_tensor = false;
template <class T, class Shape> inline constexpr bool is_tensor<tensor<T, Shape>> = true;
template <class T, class... A> inline constexpr bool is_tensor<tensor<T, detail::no_dtype<A...>>> = false;
// A tensor_type is a tx::tensor.
template <class T> concept tensor_type = is_tensor<std::remove_cvref_t<T>>;

} // namespace tx
