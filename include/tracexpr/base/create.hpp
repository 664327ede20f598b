// This file makes tensors from nothing: zeros, ones, full, eye, arange, linspace, zeros_like and its kin, and copies of plain
// memory.
#pragma once

#include <tracexpr/base/equal.hpp>
#include <tracexpr/base/untyped_tensor.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace tx {

namespace detail {

[[noreturn]] TRACEXPR_ONCE void throw_zero_step() { throw shape_error("tx: arange: the step must not be zero; given 0"); }
[[noreturn]] TRACEXPR_ONCE void throw_endless_range() {
    throw shape_error("tx: arange: start, stop and step must give a finite number of elements");
}
[[noreturn]] TRACEXPR_ONCE void throw_null_data(dims const& d) {
    throw shape_error("tx: from_data: the pointer must not be null; given null for shape " + to_string(d));
}

template <class T, class U> constexpr void fill(T* out, std::int64_t count, U value) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = value;
}

[[noreturn]] TRACEXPR_ONCE void throw_large_extent(char const* caller, std::uint64_t given) {
    throw shape_error(std::string("tx: ") + caller + ": an extent is at most 9223372036854775807; given " +
                      std::to_string(given));
}
// Gives a C++ integer as an extent.
template <class N> constexpr std::int64_t extent_number(char const* caller, N const& n) {
    if constexpr (std::unsigned_integral<N>)
        if (std::uint64_t{n} > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            throw_large_extent(caller, n);
    return static_cast<std::int64_t>(n);
}
// Gives the shape for run-time extents, one for each axis, which must agree with the extents that the type knows.
template <shape_type Shape, class... Extents> constexpr dims dims_from(char const* caller, Extents... extents) {
    dims given;
    (given.push_back(extent_number(caller, extents)), ...);
    if constexpr (sizeof...(Extents) == 0 && dims_of<Shape>.is_static()) given = dims_of<Shape>;
    for (int axis = 0; axis < given.rank; ++axis)
        if (given[axis] < 0) throw_bad_extents(caller, given);
    check_fits(caller, dims_of<Shape>, given);
    return given;
}
// The extents are given for all axes, or for none if the type knows them all.
template <class Shape, class... Extents> concept extents_for =
    (std::integral<Extents> && ...) && ((sizeof...(Extents) == 0 && dims_of<Shape>.is_static()) ||
                                        (dims_of<Shape>.rank < 0 ? sizeof...(Extents) <= std::size_t{max_rank}
                                                                 : sizeof...(Extents) == std::size_t(dims_of<Shape>.rank)));
template <class Shape, class... Extents> concept given_extents_for =
    (sizeof...(Extents) > 0 || !dims_of<Shape>.is_static()) && extents_for<Shape, Extents...>;

// Gives how many of start, start + step, ... come before stop.
template <class T> constexpr std::int64_t range_length(T start, T stop, T step) {
    if (step == T{0}) throw_zero_step();
    if constexpr (std::is_integral_v<T>) {
        bool const up = step > T{0};
        if (up ? start >= stop : start <= stop) return 0;
        // The arithmetic is unsigned because the distance between two int64 may not fit int64.
        auto const distance = up ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                 : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
        auto const stride = up ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
        return static_cast<std::int64_t>((distance - 1) / stride + 1);
    } else {
        auto const length = static_cast<double>(stop - start) / static_cast<double>(step);
        if (!(length < 0x1p62 && length > -0x1p62)) throw_endless_range();
        if (!(length > 0)) return 0;
        auto const whole = static_cast<std::int64_t>(length);
        return whole + (static_cast<double>(whole) < length ? 1 : 0);
    }
}

// range_scalar is the scalar type in which start + i * step is computed.
template <class T> using range_scalar = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <class T> constexpr void fill_range(T* to, std::int64_t count, range_scalar<T> start, range_scalar<T> step) {
    for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<T>) // Nothing overflows: every element lies between start and stop.
            to[i] = static_cast<T>(static_cast<std::uint64_t>(start) +
                                   static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
        else to[i] = static_cast<T>(start + static_cast<range_scalar<T>>(i) * step);
    }
}

// Fills as NumPy does: start + i * step with the step rounded once, and exactly stop as the last element.
template <class T> constexpr void fill_linspace(T* to, std::int64_t count, double start, double stop) {
    double const step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(static_cast<double>(i) * step + start);
    if (count > 1) to[count - 1] = static_cast<T>(stop);
}

// Writes ones on diagonal k and zeros elsewhere.
template <class T> constexpr void fill_eye(T* to, dims const& d, std::int64_t k) {
    fill(to, d.size(), T{});
    for (std::int64_t row = k < 0 ? -k : 0; row < d[0] && row + k < d[1]; ++row) to[row * d[1] + row + k] = T(1);
}

// These are tensors whose elements follow from a few numbers. A trace makes nodes of them (trace/expr.hpp).
enum class pattern : char { full, range, linspace, eye };
template <class T> struct pattern_numbers {
    pattern kind{};
    T value{};                       // full
    range_scalar<T> start{}, step{}; // range
    double first = 0, last = 0;      // linspace
    std::int64_t diagonal = 0;       // eye

    constexpr void fill(T* to, dims const& d) const {
        switch (kind) {
        case pattern::full: return detail::fill(to, d.size(), value);
        case pattern::range: return fill_range(to, d.size(), start, step);
        case pattern::linspace:
            if constexpr (is_floating(dtype_of<T>)) return fill_linspace(to, d.size(), first, last);
            else return;
        case pattern::eye: return fill_eye(to, d, diagonal);
        }
    }
};
template <class T> struct deferred_pattern : deferred_elements<T> {
    dims shape;
    pattern_numbers<T> numbers;
    T* computed = nullptr;

    constexpr deferred_pattern(dims const& d, pattern_numbers<T> const& given) : shape{d}, numbers{given} {
        this->is_pattern = true;
        this->discard = [](deferred* constant) { delete static_cast<deferred_pattern*>(constant); };
        this->compute = [](deferred_elements<T>& constant) { return static_cast<deferred_pattern&>(constant).elements(); };
    }
    deferred_pattern(deferred_pattern const&) = delete;
    deferred_pattern& operator=(deferred_pattern const&) = delete;
    constexpr ~deferred_pattern() { delete[] computed; }
    constexpr T const* elements() {
        if (computed) return computed;
        computed = new T[static_cast<std::size_t>(shape.size())]{};
        numbers.fill(computed, shape);
        return computed;
    }
};

// Tells whether the elements of such a shape are left for the run to compute. That is never so in the running program, nor for
// elements inside the object, of which constexpr variables may be made.
TRACEXPR_INLINE constexpr bool is_deferred(dims const& d) { return __builtin_is_constant_evaluated() && d.size() > 64; }
template <class T, class Shape> inline constexpr bool may_be_deferred = !is_inline<T, Shape> && dtype_of<T> != dtype::string;
template <class T, class Shape> constexpr tensor<T, Shape> filled(dims const& d, pattern_numbers<T> const& numbers) {
    if constexpr (may_be_deferred<T, Shape>)
        if (is_deferred(d)) return tensor_access::from_deferred<tensor<T, Shape>>(new deferred_pattern<T>(d, numbers), d);
    auto out = tensor<T, Shape>::uninitialized(d);
    numbers.fill(out.mutable_data(), d);
    return out;
}
template <class T, class Shape, class U> constexpr tensor<T, Shape> filled_with(dims const& d, U const& value) {
    if constexpr (may_be_deferred<T, Shape>)
        if (is_deferred(d)) return filled<T, Shape>(d, {.kind = pattern::full, .value = value});
    auto out = tensor<T, Shape>::uninitialized(d);
    fill(out.mutable_data(), out.size(), value);
    return out;
}

} // namespace detail

// Gives a tensor of zeros: zeros<float>(shape<3, 4>{}), or zeros<double, shape<dyn, 4>>(n, 4), zeros<double>(shape<dyn, 4>{}, n,
// 4) with the extents of all axes in order. Throws shape_error for an extent that contradicts the type. ones and full take their
// shape in the same ways.
template <element T, shape_type Shape> requires(dims_of<Shape>.is_static())
[[nodiscard]] constexpr tensor<T, Shape> zeros(Shape) {
    return {};
}
template <element T, shape_type Shape, class... Extents> requires detail::extents_for<Shape, Extents...>
[[nodiscard]] constexpr tensor<T, Shape> zeros(Extents... extents) {
    if constexpr (dims_of<Shape>.is_static()) {
        detail::dims_from<Shape>("zeros", extents...);
        return {};
    } else {
        return detail::filled_with<T, Shape>(detail::dims_from<Shape>("zeros", extents...), T{});
    }
}
template <element T, shape_type Shape, class... Extents> requires detail::given_extents_for<Shape, Extents...>
[[nodiscard]] constexpr tensor<T, Shape> zeros(Shape, Extents... extents) {
    return tx::zeros<T, Shape>(extents...);
}

template <element T, shape_type Shape, detail::scalar_for<T> U> requires(dims_of<Shape>.is_static())
[[nodiscard]] constexpr tensor<T, Shape> full(Shape, U value) {
    return detail::filled_with<T, Shape>(dims_of<Shape>, detail::scalar_as<T>(value));
}
// Gives a tensor filled with a value, which stands before the extents: full<float, shape<dyn, 4>>(7, n, 4).
template <element T, shape_type Shape, detail::scalar_for<T> U, class... Extents> requires detail::extents_for<Shape, Extents...>
[[nodiscard]] constexpr tensor<T, Shape> full(U value, Extents... extents) {
    return detail::filled_with<T, Shape>(detail::dims_from<Shape>("full", extents...), detail::scalar_as<T>(value));
}
template <element T, shape_type Shape, detail::scalar_for<T> U, class... Extents>
requires detail::given_extents_for<Shape, Extents...>
[[nodiscard]] constexpr tensor<T, Shape> full(Shape, U value, Extents... extents) {
    return tx::full<T, Shape>(value, extents...);
}

// Gives a tensor of ones: ones<float>(shape<3, 4>{}), or ones<double, shape<dyn, 4>>(n, 4), as for zeros.
template <element T, shape_type Shape> requires(dims_of<Shape>.is_static()) [[nodiscard]] constexpr tensor<T, Shape> ones(Shape) {
    return full<T>(Shape{}, T(1));
}
template <element T, shape_type Shape, class... Extents> requires detail::extents_for<Shape, Extents...>
[[nodiscard]] constexpr tensor<T, Shape> ones(Extents... extents) {
    return detail::filled_with<T, Shape>(detail::dims_from<Shape>("ones", extents...), T(1));
}
template <element T, shape_type Shape, class... Extents> requires detail::given_extents_for<Shape, Extents...>
[[nodiscard]] constexpr tensor<T, Shape> ones(Shape, Extents... extents) {
    return tx::ones<T, Shape>(extents...);
}

// Gives a matrix with ones on diagonal k, which is above the main diagonal where k > 0, and zeros elsewhere.
template <element T, std::int64_t Rows, std::int64_t Columns> requires(Rows >= 0 && Columns >= 0)
[[nodiscard]] constexpr tensor<T, shape<Rows, Columns>> eye(shape<Rows, Columns>, std::int64_t k = 0) {
    return detail::filled<T, shape<Rows, Columns>>(dims_of<shape<Rows, Columns>>, {.kind = detail::pattern::eye, .diagonal = k});
}
template <element T>
[[nodiscard]] constexpr tensor<T, shape<dyn, dyn>> eye(std::int64_t rows, std::int64_t columns, std::int64_t k = 0) {
    return detail::filled<T, shape<dyn, dyn>>(detail::dims_from<shape<dyn, dyn>>("eye", rows, columns),
                                              {.kind = detail::pattern::eye, .diagonal = k});
}
template <element T> [[nodiscard]] constexpr tensor<T, shape<dyn, dyn>> eye(std::int64_t rows) { return eye<T>(rows, rows); }

// Gives start, start + step, ... up to but without stop. Throws shape_error for step 0.
template <element T> requires(!std::is_same_v<T, bool> && !detail::is_complex_type<T>)
[[nodiscard]] constexpr tensor<T, shape<dyn>> arange(std::type_identity_t<T> start, std::type_identity_t<T> stop,
                                                     std::type_identity_t<T> step = T(1)) {
    using scalar = detail::range_scalar<T>;
    auto const first = static_cast<scalar>(start), by = static_cast<scalar>(step);
    dims d;
    d.push_back(detail::range_length(first, static_cast<scalar>(stop), by));
    return detail::filled<T, shape<dyn>>(d, {.kind = detail::pattern::range, .start = first, .step = by});
}
template <element T> [[nodiscard]] constexpr tensor<T, shape<dyn>> arange(std::type_identity_t<T> stop) {
    return arange<T>(T(0), stop);
}
// Gives N elements start, start + step, ..., where N is known when compiling.
template <element T, std::int64_t N> requires(N >= 0 && !std::is_same_v<T, bool> && !detail::is_complex_type<T>)
[[nodiscard]] constexpr tensor<T, shape<N>> arange(std::type_identity_t<T> start = T(0), std::type_identity_t<T> step = T(1)) {
    using scalar = detail::range_scalar<T>;
    return detail::filled<T, shape<N>>(
        dims_of<shape<N>>,
        {.kind = detail::pattern::range, .start = static_cast<scalar>(start), .step = static_cast<scalar>(step)});
}

// Gives n numbers evenly spaced from start to stop, both included.
template <element T> requires(is_floating(dtype_of<T>))
[[nodiscard]] constexpr tensor<T, shape<dyn>> linspace(double start, double stop, std::int64_t n = 50) {
    return detail::filled<T, shape<dyn>>(detail::dims_from<shape<dyn>>("linspace", n),
                                         {.kind = detail::pattern::linspace, .first = start, .last = stop});
}
template <element T, std::int64_t N> requires(N >= 0 && is_floating(dtype_of<T>))
[[nodiscard]] constexpr tensor<T, shape<N>> linspace(double start, double stop) {
    return detail::filled<T, shape<N>>(dims_of<shape<N>>, {.kind = detail::pattern::linspace, .first = start, .last = stop});
}

namespace detail {
template <class T, class Shape, class U> constexpr tensor<T, Shape> filled_like(tensor<T, Shape> const& like, U value) {
    return filled_with<T, Shape>(like.dimensions(), scalar_as<T>(value));
}
} // namespace detail

// Gives a tensor filled with a value, with another tensor's dtype and shape.
template <element T, class Shape, detail::scalar_for<T> U>
[[nodiscard]] constexpr tensor<T, Shape> full_like(tensor<T, Shape> const& like, U value) {
    return detail::filled_like(like, value);
}
// Gives ones with another tensor's dtype and shape.
template <element T, class Shape> [[nodiscard]] constexpr tensor<T, Shape> ones_like(tensor<T, Shape> const& like) {
    return detail::filled_like(like, T(1));
}
// Gives zeros with another tensor's dtype and shape.
template <element T, class Shape> [[nodiscard]] constexpr tensor<T, Shape> zeros_like(tensor<T, Shape> const& like) {
    if constexpr (dims_of<Shape>.is_static()) return {};
    else return detail::filled_like(like, T{});
}

// A container is no tensor; used() says so.
template <detail::container_type A> constexpr auto zeros_like(A const&) { return detail::used<A>(); }
template <detail::container_type A> constexpr auto ones_like(A const&) { return detail::used<A>(); }
template <detail::container_type A, class U> constexpr auto full_like(A const&, U const&) { return detail::used<A>(); }

// Copies row-major elements into a tensor: from_data<shape<2, 3>>(pointer), from_data<shape<dyn>>(pointer, n). Throws shape_error
// for a null pointer if there are elements.
template <shape_type Shape, element T, class... Extents> requires detail::extents_for<Shape, Extents...>
[[nodiscard]] constexpr tensor<std::remove_cv_t<T>, Shape> from_data(T* elements, Extents... extents) {
    using value = std::remove_cv_t<T>;
    auto out = tensor<value, Shape>::uninitialized(detail::dims_from<Shape>("from_data", extents...));
    if (out.size() == 0) return out;
    if (!elements) detail::throw_null_data(out.dimensions());
    auto* const to = out.mutable_data();
    for (std::int64_t i = 0; i < out.size(); ++i) to[i] = elements[i];
    return out;
}

} // namespace tx
