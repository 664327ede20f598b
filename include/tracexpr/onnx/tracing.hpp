// Records a model's graph into a trace. Each operator of ONNX is a recording function in a table; it gets an op_call, records ops
// of the library and knows nothing of files.
#pragma once

#include <tracexpr/backends/host_array.hpp>
#include <tracexpr/onnx/model_data.hpp>
#include <tracexpr/trace/branches.hpp>
#include <tracexpr/trace/builder.hpp>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <span>

namespace tx::onnx::detail {

// At most so many iterations of a loop's body are recorded, or run while the model is traced.
inline constexpr std::int64_t most_unrolled = 10'000;
// Converts a number to the nearest integer of at most 62 bits; NaN gives 0.
inline std::int64_t whole_number(double x) { return x != x ? 0 : static_cast<std::int64_t>(std::clamp(x, -0x1p62, 0x1p62)); }

// Says what is known of an input of a recording: its dtype and shape, and its elements if the recording may depend on them.
struct given_value {
    dtype type{};
    dims shape{};
    void const* data = nullptr;
};

// Holds a value of the model in a trace: a node of a scope, or a sequence, which exists only while the model is traced.
struct traced_value {
    trace_scope* home = nullptr; // null for an input or output that was left out
    node_id id = node_id::none;
    std::shared_ptr<std::vector<traced_value> const> parts; // the elements of a sequence
    bool is_none = false;                                   // set for an optional without a value
    bool is_of_four_bits = false;                           // set for int4 and uint4, which are kept as int8 and uint8

    bool is_given() const { return home || parts || is_none; }
};

class model_tracer;
class op_call;
using recording_function = void (*)(op_call&);

// Describes a row of the table of operators.
struct operator_row {
    std::string_view domain, name;
    std::int64_t since; // the first version that it is recorded correctly for
    recording_function record;
};
// Returns the row of an operator, or null where there is none.
operator_row const* find_operator(std::string_view domain, std::string_view name, std::int64_t version);

// Holds the names and values of a graph or function body that is being recorded, and the frame around it.
struct name_frame {
    name_frame const* outer = nullptr; // the frame around a nested graph, whose names it sees
    std::unordered_map<std::string_view, traced_value> values;
    std::vector<opset_message> const* opsets = nullptr;
    op_call const* caller = nullptr; // the call of a function's body, whose attributes have the caller's values
    function_message const* function = nullptr;
    int level = 0;

    traced_value const* find(std::string_view name) const {
        for (name_frame const* at = this; at; at = at->outer)
            if (auto const known = at->values.find(name); known != at->values.end()) return &known->second;
        return nullptr;
    }
};

// Holds a scope that is recorded into, and what is known of its parameters.
struct traced_scope {
    trace_scope& scope;
    traced_scope* outer = nullptr;
    buffer<node_id> const* taken = nullptr; // the parameters of a region, as nodes of the outer scope
    std::size_t states = 0;                 // the first so many parameters change from one iteration to the next
    std::unordered_map<std::int32_t, std::shared_ptr<host_array const>> known{};
    std::unordered_map<std::int32_t, node_id> loop_limits{};
};

// Describes one node of a model that is being recorded: its operands, attributes and results.
class op_call {
public:
    op_call(model_tracer& at, name_frame const& names, node_message const& node, std::int64_t version)
        : at_{at}, names_{names}, node_{node}, version_{version} {}

    model_tracer& tracer() const { return at_; }
    name_frame const& names() const { return names_; }
    node_message const& node() const { return node_; }
    std::int64_t version() const { return version_; } // the version of the operator set
    [[noreturn]] void fail(std::string const& problem) const;

    // These access the operands. Operands that are left out are node_id::none.
    std::size_t operands() const { return node_.inputs.size(); }
    bool has(std::size_t k) const;
    traced_value value(std::size_t k) const;
    node_id operator[](std::size_t k) const; // throws if there is no tensor
    node_id or_none(std::size_t k) const { return has(k) ? (*this)[k] : node_id::none; }
    std::vector<node_id> all() const;
    // These return elements that must be known while the model is traced, and throw if only a run knows them.
    std::vector<std::int64_t> known_integers(std::size_t k) const;
    std::vector<double> known_numbers(std::size_t k) const;
    std::int64_t known_integer(std::size_t k) const;
    double known_number(std::size_t k) const;
    std::shared_ptr<host_array const> known(std::size_t k) const; // null if only a run knows them

    // These set the results.
    std::size_t results() const { return node_.outputs.size(); }
    bool wants(std::size_t k) const { return k < results() && !node_.outputs[k].empty(); }
    void give(node_id id) { give(0, id); }
    void give(std::size_t k, node_id id);
    void give(std::size_t k, traced_value value);
    std::vector<traced_value> const& given() const { return given_; }

    // These read the attributes.
    std::optional<attribute_message> attribute(std::string_view name) const;
    bool has_attribute(std::string_view name) const { return attribute(name).has_value(); }
    std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
    double number(std::string_view name, double otherwise) const;
    std::string_view text(std::string_view name, std::string_view otherwise) const;
    std::vector<std::int64_t> integers(std::string_view name) const;
    std::vector<float> numbers(std::string_view name) const;
    std::vector<std::string_view> texts(std::string_view name) const;
    dtype type_attribute(std::string_view name, dtype otherwise) const;
    dtype type_numbered(std::int64_t number) const;

    // These return what is known of nodes.
    lowering& low() const;
    dtype type(node_id x) const { return low().type(x); }
    dims shape(node_id x) const { return low().shape(x); }
    int rank(node_id x) const { return low().rank(x); }
    std::int64_t extent(node_id x, int a) const { return low().extent(x, a); }
    // Returns the extents, which must be known.
    dims known_shape(node_id x) const;
    std::int64_t known_extent(node_id x, int a) const; // of one axis; the others need not be known
    int axis(std::int64_t given, int rank) const;      // counted from the front; throws if it lies outside
    void require_possible(dims const& shape) const;    // throws if a value has more than most_elements

    // These append ops, and check their operands.
    node_id append(op code, table_view<node_id> operands, attribute_span attributes = {}) const;
    node_id append(op code, node_id a, attribute_span attributes = {}) const { return append(code, {&a, 1}, attributes); }
    node_id append(op code, node_id a, node_id b, attribute_span attributes = {}) const {
        node_id const operands[]{a, b};
        return append(code, {operands, 2}, attributes);
    }
    node_id choose(node_id condition, node_id yes, node_id no) const {
        node_id const operands[]{condition, yes, no};
        return append(op::where, {operands, 3});
    }
    node_id as(node_id x, dtype to) const;
    node_id number_like(node_id x, double number) const { return low().number_like(x, number); }
    node_id integer(std::int64_t number) const { return low().literal(number); }
    node_id integers(std::vector<std::int64_t> const& numbers) const;
    // These return the extent of an axis as a scalar, and a vector of 0, 1, ... below it, as int64, also if only a run knows the
    // extent.
    node_id size_along(node_id x, int a) const;
    node_id iota_along(node_id x, int a) const;
    node_id reshape(node_id x, dims const& to) const;
    node_id broadcast(node_id x, dims const& to) const;
    node_id transpose(node_id x, std::vector<int> const& order) const;
    node_id reduce(op code, node_id x, attribute_list const& axes, bool keep) const;
    node_id mean(node_id x, attribute_list const& axes, bool keep) const;
    node_id constant(stored_tensor const& value, void const* address) const;

private:
    model_tracer& at_;
    name_frame const& names_;
    node_message const& node_;
    std::int64_t version_;
    std::vector<traced_value> given_;
};

class model_tracer {
public:
    model_tracer(model_data const& model, trace_scope& scope, std::span<given_value const> given)
        : model_{model}, given_{given}, depends_(given.size(), false), root_{scope}, innermost_{&root_}, low_(scope) {}

    model_data const& model() const { return model_; }
    file_call const& file() const { return model_.call(); }
    lowering& low() { return *low_; }
    traced_scope& innermost() { return *innermost_; }

    // Records the nodes of a graph, one after the other.
    void record_nodes(std::vector<std::string_view> const& nodes, name_frame& names);
    void record_initializers(graph_message const& g, name_frame& names);
    // Returns the value as one of the scope that is recorded into now.
    traced_value here(traced_value const& value);
    std::shared_ptr<host_array const> known(traced_value const& value);
    // Returns for each input whether the recording depends on its elements.
    std::vector<bool> const& depends() const { return depends_; }
    // Counts one more node or iteration that is recorded; throws where there are too many.
    void count_iteration();
    // Notes a while_loop that is recorded, and how often it runs at most: a loop that may never end is not run to compute its
    // result.
    void note_loop(node_id result, node_id limit);
    // Records with another scope as the innermost one.
    template <class Record> void within(traced_scope& region, Record const& record) {
        struct back {
            model_tracer& of;
            traced_scope* to;
            ~back() {
                of.innermost_ = to;
                of.low_.emplace(to->scope);
            }
        } const at_end{*this, innermost_};
        innermost_ = &region;
        low_.emplace(region.scope);
        record();
    }
    node_id record_stored(stored_tensor const& value, void const* address);

private:
    void record_node(std::string_view message, name_frame& names);
    void record_call(function_message const& f, op_call& call);
    std::shared_ptr<host_array const> known_in(traced_scope& at, node_id id);
    std::shared_ptr<host_array const> computed(traced_scope& at, node_id id);
    bool ends_soon(traced_scope& at, node_id loop);

    model_data const& model_;
    std::span<given_value const> given_;
    std::vector<bool> depends_;
    traced_scope root_;
    traced_scope* innermost_;
    std::optional<lowering> low_;
    std::uint64_t recorded_ = 0;
    bool has_inner_loop_ = false; // set by a while_loop within a region
};

// Records the model in a scope whose parameters are the inputs with these names. Returns the nodes of the outputs, in order.
std::vector<node_id> record_model(model_tracer& tracer, std::span<std::string_view const> inputs,
                                  std::span<node_id const> parameters);

} // namespace tx::onnx::detail
