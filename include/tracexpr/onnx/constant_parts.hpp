// Finds the parts of a model's graph that depend only on its weights, which are computed once.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/part.hpp>
#include <tracexpr/onnx/elements.hpp>
#include <tracexpr/run/made_programs.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tx::onnx::detail {

using namespace tx::detail;

// Returns which nodes depend on no input and no random draw, and have no effect.
inline std::vector<bool> constant_nodes(graph_view const& g) {
    std::vector<bool> out(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) {
        node const& n = g.nodes[i];
        kind const k = info(n.code).kind;
        bool const acts = k == kind::random || k == kind::callback || k == kind::effect;
        out[i] =
            n.code != op::parameter && n.code != op::placeholder && n.type != dtype::token && !acts && g.shape_of(n).is_static();
        for (std::size_t j = 0; j < n.arity; ++j) out[i] = out[i] && out[index(g.operand(n, j))];
    }
    return out;
}

// Holds values of constant parts by the keys of what they are computed from, for all traces of a model, so that each is stored
// once.
class constant_values {
public:
    std::shared_ptr<stored_tensor const> find(std::string const& key) const {
        std::lock_guard const lock(mutex_);
        auto const known = values_.find(key);
        return known == values_.end() ? nullptr : known->second;
    }
    // Adds a value and returns it, or the one that was there before.
    std::shared_ptr<stored_tensor const> add(std::string const& key, std::shared_ptr<stored_tensor const> made) {
        std::lock_guard const lock(mutex_);
        return values_.emplace(key, std::move(made)).first->second;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::shared_ptr<stored_tensor const>> values_;
};
// Writes what a constant node is computed from as text; different computations have different texts.
inline void write_key(graph_view const& g, node_id id, std::string& out) {
    node const& n = g[id];
    auto const put = [&](auto number) { out.append(reinterpret_cast<char const*>(&number), sizeof(number)); };
    put(n.code), put(n.type), put(g.shape_of(n)), put(n.attributes.count);
    for (std::int64_t const a : g.attributes_of(n)) put(a);
    if (n.code == op::capture) {
        put(g.captures[n.bits[0]].data(g.captures[n.bits[0]].address));
    } else if (n.code == op::constant) {
        for (std::uint64_t const word : g.blob.subspan(n.bits[0], n.bits[1])) put(word);
    } else {
        put(n.bits[0]), put(n.bits[1]);
    }
    constexpr std::size_t most = 1 << 16;
    for (std::size_t k = 0; k < n.arity && out.size() < most; ++k) write_key(g, g.operand(n, k), out);
    if (out.size() >= most) put(&g), put(id); // the key is valid for this graph only
}

using folded_parts = std::map<node_id, std::shared_ptr<stored_tensor const>>;
// Returns the constant nodes that other nodes or the outputs read, and their values, if these are not much larger than what they
// are computed from: weights that are transposed or multiplied are folded, numbers that a loop makes are not.
inline folded_parts folded_constants(graph_view const& g, constant_values& known) {
    std::vector<bool> const constant = constant_nodes(g);
    std::vector<bool> is_read(g.size());
    for (node_id const id : g.outputs) is_read[index(id)] = true;
    for (std::size_t i = 0; i < g.size(); ++i)
        for (std::size_t k = 0; !constant[i] && k < g.nodes[i].arity; ++k) is_read[index(g.operand(g.nodes[i], k))] = true;
    folded_parts out;
    tx::graph part;
    std::vector<node_id> wanted;
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (!constant[i] || !is_read[i] || g.nodes[i].arity == 0 || info(g.nodes[i].code).kind == kind::control) continue;
        buffer<node_id> const root(1, to_id(i));
        buffer<bool> const needed = needed_nodes(g, root);
        std::int64_t given = 0;
        bool is_plain = true;
        for (std::size_t k = 0; k < i; ++k) {
            if (!needed[k]) continue;
            is_plain = is_plain && info(g.nodes[k].code).kind != kind::control && info(g.nodes[k].code).kind != kind::projection;
            if (g.nodes[k].code == op::capture || g.nodes[k].code == op::constant) given += g.shape_of(g.nodes[k]).size();
        }
        if (!is_plain || g.shape_of(to_id(i)).size() > 2 * given) continue;
        std::string key;
        write_key(g, to_id(i), key);
        if (auto const before = known.find(key)) {
            out.emplace(to_id(i), before);
        } else {
            wanted.push_back(to_id(i)), keys.push_back(std::move(key));
        }
    }
    if (wanted.empty()) return out;
    for (node_id const id : append_part(part, g, {wanted.data(), wanted.size()})) part.add_output(id);
    std::vector<host_array> const values = run_once<>(part.view(), nullptr, {});
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        stored_tensor made = room_for(values[k].type, values[k].shape);
        std::copy(values[k].bytes.begin(), values[k].bytes.end(), writable(made));
        out.emplace(wanted[k], known.add(keys[k], std::make_shared<stored_tensor const>(std::move(made))));
    }
    return out;
}

// Returns the nodes that the outputs need once the folded ones are no nodes any more.
inline buffer<bool> nodes_without(graph_view const& g, folded_parts const& folded) {
    buffer<node_id> wanted(g.outputs);
    for (node_id const id : g.parameters)
        if (id != node_id::none) wanted.push_back(id);
    return needed_nodes(g, wanted, [&](node_id id, auto const& need) {
        for (std::size_t k = 0; !folded.contains(id) && k < g[id].arity; ++k) need(g.operand(g[id], k));
    });
}

} // namespace tx::onnx::detail
