// Holds a model as it was loaded: its graph, functions and initializers, and whether the library has all its operators. It
// doesn't change afterwards.
#pragma once

#include <tracexpr/onnx/elements.hpp>

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace tx::onnx::detail {

// These are the versions of operator sets that can be read. Before version 7 operands broadcast in another way; each operator's
// row says from which version on it is recorded correctly.
inline constexpr std::int64_t oldest_opset = 1, newest_opset = 28;
// Graphs and functions may be nested this deep.
inline constexpr int most_levels = 64;

struct initializer {
    std::string_view name;
    stored_tensor value;
};

struct model_data {
    model_files files;
    graph_message graph;
    std::vector<opset_message> opsets;
    std::vector<function_message> functions;
    std::unordered_map<std::string, std::size_t> function_numbers; // by key_of
    std::deque<initializer> initializers;
    std::unordered_map<std::string_view, std::size_t> initializer_numbers;

    explicit model_data(model_files from) : files{std::move(from)} {}
    model_data(model_data const&) = delete;
    model_data& operator=(model_data const&) = delete;

    file_call const& call() const { return files.call(); }
    // Returns the version of a domain's operators, or 0 if it isn't imported.
    static std::int64_t version_of(std::vector<opset_message> const& opsets, std::string_view domain) {
        for (opset_message const& o : opsets)
            if (o.domain == domain) return o.version;
        return 0;
    }
    static std::string key_of(std::string_view domain, std::string_view name, std::string_view overload) {
        std::string out(domain);
        out += '\0';
        out += name;
        out += '\0';
        return out += overload;
    }
    function_message const* find_function(node_message const& n) const {
        if (functions.empty()) return nullptr;
        auto const known = function_numbers.find(key_of(n.domain, n.type, n.overload));
        return known == function_numbers.end() ? nullptr : &functions[known->second];
    }
    initializer const* find_initializer(std::string_view name) const {
        auto const known = initializer_numbers.find(name);
        return known == initializer_numbers.end() ? nullptr : &initializers[known->second];
    }
};

// Reads a model. Throws if it is damaged, or has operators that the library doesn't have: then the message names all of them.
std::shared_ptr<model_data const> read_model(model_files files);

} // namespace tx::onnx::detail
