// Defines the functions that onnx/model_data.hpp declares.
#pragma once

#include <tracexpr/onnx/tracing.hpp>

#include <algorithm>
#include <set>

namespace tx::onnx::detail {

// Looks once at every node that a model may run, and counts the operators that are missing.
class operator_survey {
public:
    explicit operator_survey(model_data const& model) : model_{model}, states_(model.functions.size(), state::unseen) {}

    void look(std::vector<std::string_view> const& nodes, std::vector<opset_message> const& opsets, int level) {
        file_call const& file = model_.call();
        if (level > most_levels) file.fail("has more than 64 graphs or functions within each other");
        for (std::string_view const message : nodes) {
            node_message const n = node_message::read(message, file);
            if (n.type.empty()) file.fail("is damaged: a node has no operator");
            for (std::string_view const a : n.attributes) {
                attribute_message const attribute = attribute_message::read(a, file);
                if (attribute.type != attribute_message::kind::graph) continue;
                look(repeated_bytes(attribute.bytes(6, file), 1, file), opsets, level + 1);
            }
            if (function_message const* const f = model_.find_function(n)) look_at(*f, level);
            else note_missing(n, model_data::version_of(opsets, n.domain));
        }
    }
    void report() const {
        if (missing_.empty()) return;
        constexpr std::size_t most = 100;
        std::string all;
        std::size_t named = 0;
        for (auto const& [name, count] : missing_)
            if (named++ < most) all += (all.empty() ? "" : ", ") + name + " (" + std::to_string(count) + ")";
        if (missing_.size() > most) all += " and " + std::to_string(missing_.size() - most) + " more";
        model_.call().fail("has operators that the library doesn't have: " + all);
    }

private:
    enum class state : char { unseen, open, done };

    void look_at(function_message const& f, int level) {
        state& known = states_[static_cast<std::size_t>(&f - model_.functions.data())];
        if (known == state::open) model_.call().fail("its function " + quoted_piece(f.name) + " calls itself");
        if (known == state::done) return;
        known = state::open;
        look(f.nodes, f.opsets, level + 1);
        known = state::done;
    }

    void note_missing(node_message const& n, std::int64_t version) {
        if (find_operator(n.domain, n.type, version)) return;
        std::string name = (n.domain.empty() ? std::string() : shown_piece(n.domain) + ".") + shown_piece(n.type);
        if (find_operator(n.domain, n.type, newest_opset)) name += " of version " + std::to_string(version);
        ++missing_[name];
    }

    model_data const& model_;
    std::vector<state> states_;
    std::map<std::string, std::size_t> missing_;
};

inline void read_initializers(model_data& model) {
    file_call const& file = model.call();
    auto const add = [&](std::string_view name, stored_tensor value) {
        if (!model.initializer_numbers.emplace(name, model.initializers.size()).second)
            file.fail("has two initializers " + quoted_piece(name));
        model.initializers.push_back({name, std::move(value)});
    };
    for (std::string_view const message : model.graph.initializers) {
        tensor_message const t = tensor_message::read(message, file);
        add(t.name, stored(t, model.files));
    }
    std::uint64_t zeros = zeros_allowed(model.files);
    for (std::string_view const message : model.graph.sparse_initializers) {
        sparse_message const s = sparse_message::read(message, file);
        add(s.values.name, stored(s, model.files, zeros));
    }
}

inline std::shared_ptr<model_data const> read_model(model_files from) {
    auto const out = std::make_shared<model_data>(std::move(from));
    model_data& model = *out;
    file_call const& file = model.call();
    model_message const message = model_message::read(model.files.model(), file);
    if (!message.has_graph) file.fail("is no ONNX model: it has no graph");
    model.opsets = message.opsets;
    std::int64_t const version = model_data::version_of(model.opsets, "");
    if (version != 0 && (version < oldest_opset || version > newest_opset))
        file.fail("needs version " + std::to_string(version) + " of ONNX's operators; versions 1 to 28 are known");
    constexpr std::size_t most_functions = 20'000;
    if (message.functions.size() > most_functions) file.fail("has more than 20,000 functions");
    model.functions.reserve(message.functions.size());
    for (std::string_view const f : message.functions) {
        model.functions.push_back(function_message::read(f, file));
        function_message const& made = model.functions.back();
        if (!model.function_numbers.emplace(model_data::key_of(made.domain, made.name, made.overload), model.functions.size() - 1)
                 .second)
            file.fail("has two functions " + quoted_piece(made.name));
    }
    model.graph = graph_message::read(message.graph, file);
    operator_survey survey(model);
    survey.look(model.graph.nodes, model.opsets, 0);
    survey.report();
    read_initializers(model);
    return out;
}

} // namespace tx::onnx::detail
