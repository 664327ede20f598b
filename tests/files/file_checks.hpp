// This file holds what the tests of files share.
#pragma once

#include <messages.hpp>

#include <tracexpr/files.hpp>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

// A file name of the test's own; the file is removed at the end.
struct temporary {
    std::string path;
    explicit temporary(std::string const& name) : path{"tracexpr_test_" + name} {}
    temporary(temporary const&) = delete;
    temporary& operator=(temporary const&) = delete;
    ~temporary() { std::remove(path.c_str()); }
    void write(std::string const& text) const { std::ofstream(path, std::ios::binary) << text; }
};

// Gives the path of a file that data/make.py wrote.
inline std::string data_file(std::string const& name) {
    return (std::filesystem::path(__FILE__).parent_path() / "data" / name).string();
}
inline std::string content_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

// Are both tensors equal to the bit, NaN included?
template <class T, class A, class B> bool same(tx::tensor<T, A> const& a, tx::tensor<T, B> const& b) {
    return a.dimensions() == b.dimensions() &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(*a.data())) == 0);
}

// Gives a tensor of 0, 1, 2, ... (Ops would take longer to compile.)
template <class T, class Shape = tx::any_shape> tx::tensor<T, Shape> counted(tx::dims const& extents) {
    auto out = tx::tensor<T, Shape>::uninitialized(extents);
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<T>(i);
    return out;
}

// Gives what values() of data/make.py gives.
template <class T> tx::tensor<T> expected() {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, bool>) {
        return {{true, false, true}, {false, false, true}};
    } else if constexpr (std::is_same_v<T, std::string>) {
        return {{"a", "", "bcd \u00e9"}, {"\U0001f600", std::string("x\0y", 3), "\u03a9\u03a9"}};
    } else if constexpr (tx::is_complex(tx::dtype_of<T>)) {
        auto const parts = expected<typename T::value_type>();
        auto out = tx::tensor<T>::uninitialized(parts.dimensions());
        for (std::int64_t i = 0; i < 6; ++i) out.mutable_data()[i] = T(parts.data()[i], parts.data()[5 - i]);
        return out;
    } else if constexpr (std::is_integral_v<T>) {
        return {{limits::min(), limits::max(), T(0)}, {T(1), T(2), T(100)}};
    } else {
        return {{T(0.5), T(-1.5), limits::infinity()}, {-limits::infinity(), limits::max(), limits::denorm_min()}};
    }
}
// Calls f(T{}, "name of T's dtype") for every dtype that files hold.
template <class F> void for_each_dtype(F const& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (f(typename std::variant_alternative_t<I, tx::any_tensor>::value_type{},
           std::string(tx::name(tx::dtype_of<typename std::variant_alternative_t<I, tx::any_tensor>::value_type>))),
         ...);
    }(std::make_index_sequence<std::variant_size_v<tx::any_tensor>>{});
}
