// Runs folders of ONNX's own tests: each has a model.onnx, and its inputs and outputs as messages. Prints what passed, by
// operator.
//     node_tests <folder> [<part of a name> | --expected <file>] [--open]
// --open traces each model for floating operands whose first extents only the run knows; what needs them is counted by itself.
#include <tracexpr/onnx.hpp>
#include <tracexpr/onnx/elements.hpp>
#include <tracexpr/onnx/tracing.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

namespace fs = std::filesystem;

namespace {

struct skipped : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <std::size_t K = 0> tx::any_tensor empty_of(tx::dtype type) {
    using T = typename std::variant_alternative_t<K, tx::any_tensor>::value_type;
    if constexpr (K + 1 < std::variant_size_v<tx::any_tensor>)
        if (type != tx::dtype_of<T>) return empty_of<K + 1>(type);
    return tx::tensor<T>{};
}
std::pair<std::string, tx::any_tensor> read_tensor(fs::path const& path) {
    tx::onnx::detail::model_files files({"node_tests", path.string()});
    auto const t = tx::onnx::detail::tensor_message::read(files.model(), files.call());
    if (t.type == 0) throw skipped("a sequence or optional");
    auto const value = tx::onnx::detail::stored(t, files);
    tx::any_tensor out = empty_of(value.type);
    std::visit(
        [&]<class T>(tx::tensor<T>& to) {
            using stored = typename tx::tensor<T>::stored_type;
            auto const* const from = static_cast<stored const*>(value.data);
            to = tx::tensor<T>::uninitialized(value.shape);
            auto* const elements = const_cast<stored*>(tx::detail::tensor_access::own_data(to));
            for (std::int64_t k = 0; k < to.size(); ++k) std::memcpy(static_cast<void*>(elements + k), from + k, sizeof(stored));
        },
        out);
    return {std::string(t.name), std::move(out)};
}

// ONNX's tests have the bits of bfloat16 as uint16.
tx::any_tensor as_bfloat16(tx::any_tensor value, tx::dtype wanted) {
    auto const* const bits = std::get_if<tx::tensor<std::uint16_t>>(&value);
    if (!bits || wanted != tx::dtype::bfloat16) return value;
    auto out = tx::tensor<tx::bfloat16>::uninitialized(bits->dimensions());
    std::memcpy(static_cast<void*>(out.mutable_data()), bits->data(), 2 * static_cast<std::size_t>(out.size()));
    return out;
}

template <class T> bool is_close(T a, T b) {
    if constexpr (tx::is_complex(tx::dtype_of<T>)) {
        return is_close(a.real(), b.real()) && is_close(a.imag(), b.imag());
    } else if constexpr (std::is_same_v<T, tx::half> || std::is_same_v<T, tx::bfloat16>) {
        double const x = static_cast<double>(static_cast<float>(a)), y = static_cast<double>(static_cast<float>(b));
        return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 2e-3 + 1e-2 * std::abs(y);
    } else if constexpr (std::is_floating_point_v<T>) {
        return a == b || (std::isnan(a) && std::isnan(b)) ||
               std::abs(a - b) <= 1e-5 + 1e-3 * std::abs(b); // those of ONNX's runner
    } else {
        return a == b;
    }
}
// Numbers that are drawn differ from those of ONNX's tests: what is kept is alike wherever both are not 0.
bool is_drawn(std::string const& name) {
    return name.find("training_dropout") != name.npos || name.find("bernoulli") != name.npos;
}
std::string difference(tx::any_tensor const& a, tx::any_tensor const& b, bool may_be_dropped) {
    if (a.index() != b.index()) return "another dtype";
    return std::visit(
        [&]<class T>(tx::tensor<T> const& x) -> std::string {
            auto const& y = std::get<tx::tensor<T>>(b);
            if (x.dimensions() != y.dimensions())
                return "shape " + tx::to_string(x.dimensions()) + ", expected " + tx::to_string(y.dimensions());
            for (std::int64_t k = 0; k < x.size(); ++k) {
                if constexpr (std::is_same_v<T, std::string>) {
                    if (!(x.data()[k] == y.data()[k])) return "element " + std::to_string(k);
                } else if (!is_close<T>(x.data()[k], y.data()[k]) &&
                           !(may_be_dropped && (x.data()[k] == T{} || y.data()[k] == T{}))) {
                    std::string shown;
                    if constexpr (std::is_arithmetic_v<T>)
                        shown = ": " + std::to_string(x.data()[k]) + ", expected " + std::to_string(y.data()[k]);
                    return "element " + std::to_string(k) + shown;
                }
            }
            return "";
        },
        a);
}

bool has(std::string const& text, char const* part) { return text.find(part) != text.npos; }

// Outputs of a model that was traced before it was known how long the first axes of its floating operands are.
tx::named_tensors run_open(std::string const& path, tx::named_tensors const& inputs) {
    namespace od = tx::onnx::detail;
    auto const state = od::load_state(path);
    // The tests' models declare all extents as numbers, which the trace would know. Here they declare no first one.
    for (tx::onnx::value_info const& i : od::inputs_of(*state))
        if (!i.dims.empty() && tx::is_floating(i.dtype)) const_cast<tx::onnx::value_info&>(i).dims[0] = {};
    std::vector<od::named_argument> given;
    std::vector<tx::detail::tiled_argument> leaves;
    for (auto const& [name, value] : inputs)
        std::visit(
            [&]<class T>(T const& t) {
                tx::dtype const type = tx::dtype_of<typename T::value_type>;
                tx::dims shape = t.dimensions();
                bool const is_open = tx::is_floating(type) && shape.rank > 0;
                if (is_open) shape[0] = tx::dyn;
                given.push_back({name, type, shape, is_open ? nullptr : tx::detail::leaf_access<T>::data(t)});
                leaves.push_back(tx::detail::argument_of_call(t));
            },
            value);
    auto const recording = od::recording_for(state, given);
    tx::graph_view const g = recording->program.simplified.view();
    std::vector<tx::any_tensor> out;
    for (std::size_t k = 0; k < tx::value_outputs(g); ++k) out.push_back(empty_of(g[g.outputs[k]].type));
    std::vector<tx::detail::tiled_result> results;
    for (tx::any_tensor& o : out)
        std::visit([&]<class T>(T& t) { results.push_back({&t, &tx::detail::result_leaf_access<T>::table}); }, o);
    od::run_recording(*recording, leaves, results);
    tx::named_tensors named;
    for (std::size_t k = 0; k < out.size(); ++k) named.emplace(od::outputs_of(*state)[k].name, std::move(out[k]));
    return named;
}

std::string run(fs::path const& folder, bool open) {
    auto const model = tx::onnx::load((folder / "model.onnx").string());
    for (auto const& entry : fs::directory_iterator(folder)) {
        if (!entry.is_directory()) continue;
        tx::named_tensors inputs;
        auto const file = [&](char const* kind, std::size_t k) { return entry.path() / (kind + std::to_string(k) + ".pb"); };
        for (std::size_t k = 0; k < model.inputs().size(); ++k) {
            if (!fs::exists(file("input_", k))) continue; // it has a default
            tx::onnx::value_info const& input = model.inputs()[k];
            inputs.emplace(input.name, as_bfloat16(read_tensor(file("input_", k)).second, input.dtype));
        }
        auto const outputs = open ? run_open((folder / "model.onnx").string(), inputs) : model.run(inputs);
        for (std::size_t k = 0; fs::exists(file("output_", k)); ++k) {
            tx::onnx::value_info const& output = model.outputs()[k];
            tx::any_tensor const value = as_bfloat16(read_tensor(file("output_", k)).second, output.dtype);
            std::string const differs = difference(outputs.at(output.name), value, is_drawn(folder.filename().string()));
            if (!differs.empty()) return "output " + std::to_string(k) + ": " + differs;
        }
    }
    return "";
}

} // namespace

int main(int argc, char** argv) {
    bool const open = argc > 2 && std::string_view(argv[argc - 1]) == "--open";
    if (open) --argc;
    if (argc < 2) return std::cerr << "node_tests <folder> [<part of a name> | --expected <file>] [--open]\n", 2;
    std::set<std::string> expected; // to fail
    std::string part = argc > 2 ? argv[2] : "";
    if (part == "--expected" && argc > 3) {
        part.clear();
        std::ifstream file(argv[3]);
        for (std::string line; std::getline(file, line);) expected.insert(line.substr(0, line.find(' ')));
    }
    std::vector<fs::path> folders;
    for (auto const& entry : fs::directory_iterator(argv[1])) {
        bool const is_meant = entry.path().filename().string().find(part) != std::string::npos;
        if (is_meant && fs::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    std::map<std::string, std::size_t> missing;
    std::size_t passed = 0, failed = 0, without = 0, skips = 0, unexpected = 0, closed = 0;
    for (fs::path const& folder : folders) {
        std::string const name = folder.filename().string();
        std::string problem;
        try {
            problem = run(folder, open);
        } catch (skipped const&) {
            ++skips;
            continue;
        } catch (tx::error const& e) {
            problem = e.what();
            if (has(problem, "which tensors don't have") || has(problem, "must be a tensor, as all")) {
                ++skips; // float8, and inputs and outputs that are sequences or optionals
                continue;
            }
            if (open && (has(problem, "must be known") || has(problem, "state must keep its dtype and shape"))) {
                ++closed;
                std::cout << name << " needs extents: " << problem.substr(std::min(problem.size(), problem.find("/model.onnx: ")))
                          << '\n';
                continue;
            }
            if (auto const at = problem.find("doesn't have: "); at != problem.npos) {
                ++without;
                ++missing[problem.substr(at + 14)];
                continue;
            }
        }
        if (problem.empty()) {
            ++passed;
            continue;
        }
        ++failed;
        if (!expected.contains(name)) ++unexpected;
        if (auto const at = problem.find("/model.onnx: "); at != problem.npos) problem = problem.substr(at + 13);
        std::cout << (expected.contains(name) ? "failed as expected " : "FAILED ") << name << ": " << problem << std::endl;
    }
    for (auto const& [name, count] : missing) std::cout << "missing " << name << " in " << count << " tests\n";
    std::cout << passed << " passed, " << failed << " failed, " << without << " with missing operators, " << skips << " skipped";
    if (open) std::cout << ", " << closed << " that need extents";
    std::cout << '\n';
    return unexpected > 0;
}
