// This file holds what a call is traced for: dtypes and shapes as users write them (spec, signature) and read them, and the
// values of keys.
#pragma once

#include <tracexpr/graph/regions.hpp>
#include <tracexpr/run/graph_handle.hpp>
#include <tracexpr/run/tracing.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tx {

// A spec is the dtype and shape of one argument.
template <element T, shape_type Shape> struct spec {
    using value_type = T;
    using shape_type = Shape;
};
// A signature is a function's only one: a spec, or a tuple, pair or array of specs, for each parameter.
template <class... Specs> struct signature {};

namespace detail {

template <class S> struct tensor_of_spec {
    using type = S;
}; // a type as an argument
template <class T, class Shape> struct tensor_of_spec<spec<T, Shape>> {
    using type = tensor<T, Shape>;
};
template <class... S> struct tensor_of_spec<std::tuple<S...>> {
    using type = std::tuple<typename tensor_of_spec<S>::type...>;
};
template <class A, class B> struct tensor_of_spec<std::pair<A, B>> {
    using type = std::pair<typename tensor_of_spec<A>::type, typename tensor_of_spec<B>::type>;
};
template <class S, std::size_t N> struct tensor_of_spec<std::array<S, N>> {
    using type = std::array<typename tensor_of_spec<S>::type, N>;
};
template <class S> using tensor_of = typename tensor_of_spec<S>::type;

// Does it specify an argument?
template <class S> inline constexpr bool is_spec = facts<S>.is_tree && !shape_type<S>;
template <class T, class Shape> inline constexpr bool is_spec<spec<T, Shape>> = true;
template <class... S> inline constexpr bool is_spec<std::tuple<S...>> = (is_spec<S> && ...);
template <class A, class B> inline constexpr bool is_spec<std::pair<A, B>> = is_spec<A> && is_spec<B>;
template <class S, std::size_t N> inline constexpr bool is_spec<std::array<S, N>> = is_spec<S>;

template <class R> struct spec_tree {
    using type = R;
};
template <class T, class Shape> struct spec_tree<tensor<T, Shape>> {
    using type = spec<T, Shape>;
};
template <class... R> struct spec_tree<std::tuple<R...>> {
    using type = std::tuple<typename spec_tree<R>::type...>;
};
template <class A, class B> struct spec_tree<std::pair<A, B>> {
    using type = std::pair<typename spec_tree<A>::type, typename spec_tree<B>::type>;
};
template <class R, std::size_t N> struct spec_tree<std::array<R, N>> {
    using type = std::array<typename spec_tree<R>::type, N>;
};

// key_values are the values a call depends on, in order. Numbers, enums and strings are kept as bytes, others as copies that
// compare with ==.
class key_values {
public:
    template <class V> void add(V const& value) {
        if constexpr (std::is_convertible_v<V const&, std::string_view>) {
            std::string_view const text = value;
            bytes_ += std::to_string(text.size()) + ':';
            bytes_ += text;
        } else if constexpr (std::has_unique_object_representations_v<V> || std::is_floating_point_v<V> || element<V>) {
            V normal = value;
            if constexpr (std::is_same_v<V, long double>) { // has bytes without meaning
                add(static_cast<double>(normal));
                add(static_cast<double>(normal - static_cast<double>(normal)));
            } else bytes_.append(reinterpret_cast<char const*>(&normal), sizeof(V));
        } else {
            others_.push_back({std::make_shared<V const>(value), [](void const* a, void const* b) -> bool {
                                   return *static_cast<V const*>(a) == *static_cast<V const*>(b);
                               }});
        }
    }
    // Can all values be compared without calling code of the user's?
    bool are_bytes() const { return others_.empty(); }
    // Returns a hash of the bytes, and 0 if there are none; values that are not kept as bytes don't count.
    std::uint64_t hash() const { return bytes_.empty() ? 0 : std::hash<std::string>{}(bytes_); }
    TRACEXPR_ONCE friend bool operator==(key_values const& a, key_values const& b) {
        if (a.bytes_ != b.bytes_ || a.others_.size() != b.others_.size()) return false;
        for (std::size_t k = 0; k < a.others_.size(); ++k)
            if (a.others_[k].equal != b.others_[k].equal ||
                !a.others_[k].equal(a.others_[k].value.get(), b.others_[k].value.get()))
                return false;
        return true;
    }

private:
    struct other {
        std::shared_ptr<void const> value;
        bool (*equal)(void const*, void const*);
    };
    std::string bytes_;
    buffer<other> others_;
};

// signature_text is one line for a trace: "(float32[1,2], (float32[], 3)) -> float32[]".
struct signature_text {
    text line;
    buffer<std::size_t> ends; // where each argument's text ends

    std::size_t arguments() const { return ends.size(); }
    TRACEXPR_ONCE std::string_view argument(std::size_t k) const {
        std::size_t const first = k ? ends[k - 1] + 2 : 1;
        return line.view().substr(first, ends[k] - first);
    }
};

class signature_writer {
public:
    explicit signature_writer(graph_view const& g) : graph_{g} { out_.line += "("; }

    template <class Unused = void> void leaf(bool is_weak);
    void item(std::string_view text) { begin_item(), out_.line += text; }
    void open() { item("("), first_ = true; }
    void close() { out_.line += ")", first_ = false; }
    // Writes a name in front of an item.
    void name(std::string_view text) { item(text), out_.line += ": ", first_ = true; }
    void end_argument() { out_.ends.push_back(out_.line.size()); }
    template <class Unused = void> signature_text finish();

private:
    void begin_item() {
        if (!first_) out_.line += ", ";
        first_ = false;
    }
    graph_view const& graph_;
    signature_text out_;
    std::size_t next_ = 0;
    bool first_ = true;
};
template <class Unused> void signature_writer::leaf(bool is_weak) {
    node_id const id = graph_.parameters[next_++];
    begin_item();
    if (is_weak) out_.line += "weak ";         // a C++ scalar, which takes other operands' dtypes
    if (id == node_id::none) out_.line += "?"; // nothing depends on it
    else add_spec(out_.line, graph_[id].type, graph_.shape_of(id));
}
template <class Unused> signature_text signature_writer::finish() {
    std::size_t const count = result_outputs(graph_);
    bool const one = count == 1;
    out_.line += one ? ") -> " : ") -> (";
    for (std::size_t k = 0; k < count; ++k) {
        if (k) out_.line += ", ";
        add_spec(out_.line, graph_[graph_.outputs[k]].type, graph_.shape_of(graph_.outputs[k]));
    }
    if (!one) out_.line += ")";
    return static_cast<signature_text&&>(out_);
}
TRACEXPR_INSTANCE(void signature_writer::leaf<void>(bool))
TRACEXPR_INSTANCE(signature_text signature_writer::finish<void>())

template <class V> std::string value_text(V const& value) {
    if constexpr (std::is_convertible_v<V const&, std::string_view>) {
        std::string out;
        out += '"';
        out += std::string_view(value);
        return out += '"';
    } else if constexpr (std::is_same_v<V, bool>) return value ? "true" : "false";
    else if constexpr (std::is_arithmetic_v<V>) return std::to_string(value);
    else if constexpr (std::is_enum_v<V>) return std::to_string(static_cast<std::underlying_type_t<V>>(value));
    else return "key";
}
template <bool InStruct = false, class A> void write_signature(signature_writer& w, A const& a) {
    if constexpr (InStruct && held_value<A>) w.item(value_text(a));
    else if constexpr (leaf<A>) w.leaf(leaf_access<A>::weak);
    else if constexpr (is_key<A>) w.item(value_text(a.value));
    else if constexpr (is_trace_value<A>) w.item(value_text(a));
    else if constexpr (static_value<A>) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(A::value)>>) w.item(std::to_string(A::value));
        else w.item("type");
    } else if constexpr (list_type<A>) {
        w.open();
        list_form<A>::visit(a, [&]<class K>(K const& key, auto const& part) {
            if constexpr (requires { typename A::mapped_type; }) w.name(key_text(key));
            write_signature<InStruct>(w, part);
        });
        w.close();
    } else if constexpr (is_tuple_like<A> || aggregate<A>) {
        w.open();
        auto const parts = [&](auto const&... part) { (write_signature < InStruct || aggregate < A >> (w, part), ...); };
        if constexpr (is_tuple_like<A>) with_parts(a, parts);
        else with_fields(a, parts);
        w.close();
    } else {
        w.item("type");
    }
}
template <class... A> [[gnu::cold]] TRACEXPR_NOINLINE signature_text write_call(graph_view const& g, A const&... a) {
    signature_writer out(g);
    ((write_signature(out, a), out.end_argument()), ...);
    return out.finish();
}

} // namespace detail
} // namespace tx
