// This file damages ONNX files on purpose: whatever bytes change, loading, tracing and running them may throw tx::error and
// nothing else, and loading may take little memory. One file of a program includes it, because it replaces operator new.
#pragma once

#include "writer.hpp"

#include <tracexpr/onnx.hpp>
#include <tracexpr/onnx/tracing.hpp>

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <random>
#include <typeinfo>

namespace onnx_mutations {

// The memory that is held now, the most that was held, and a limit beyond which allocations fail.
inline std::atomic<std::size_t> held = 0, most_held = 0, limit = SIZE_MAX;

inline void* take(std::size_t bytes, std::size_t alignment) {
    std::size_t const now = held;
    if (bytes > limit || now > limit - bytes) throw std::bad_alloc();
    void* const out = std::aligned_alloc(alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
    if (!out) throw std::bad_alloc();
    std::size_t const after = held += malloc_usable_size(out);
    if (after > most_held) most_held = after;
    return out;
}
inline void give_back(void* at) {
    if (at) held -= malloc_usable_size(at);
    std::free(at);
}

} // namespace onnx_mutations

[[gnu::noinline]] void* operator new(std::size_t bytes) { return onnx_mutations::take(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return onnx_mutations::take(bytes, static_cast<std::size_t>(alignment));
}
// (The operators of arrays are replaced, too, because the address sanitizer's don't call the others.)
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return onnx_mutations::take(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void operator delete[](void* at) noexcept { onnx_mutations::give_back(at); }
[[gnu::noinline]] void operator delete[](void* at, std::size_t) noexcept { onnx_mutations::give_back(at); }
[[gnu::noinline]] void operator delete(void* at) noexcept { onnx_mutations::give_back(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { onnx_mutations::give_back(at); }
[[gnu::noinline]] void operator delete(void* at, std::align_val_t) noexcept { onnx_mutations::give_back(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t, std::align_val_t) noexcept { onnx_mutations::give_back(at); }

namespace onnx_mutations {

using namespace onnx_writer;
using random_numbers = std::mt19937_64;
using text_list = std::vector<std::string>;
namespace od = tx::onnx::detail;

// Gives a model of many nodes, each of which takes x, (4, 6) numbers, or an image (1, 2, 6, 6) made of x.
inline std::string model_of(std::vector<message> nodes, std::vector<message> initializers = {},
                            std::vector<message> const& functions = {}) {
    std::vector<message> outputs{value("y", float32, {"a", "b"})};
    return model({std::move(nodes), {value("x", float32, {4, 6})}, std::move(outputs), std::move(initializers)}, 21, functions);
}
inline message ints_of(std::string_view name, std::vector<std::int64_t> const& v) { return attribute(name, v); }

inline std::string of_shapes() {
    return model_of(
        {node("Shape", {"x"}, {"s"}),
         node("Gather", {"s", "zero"}, {"n"}),
         node("Concat", {"n", "rest"}, {"to"}, {attribute("axis", std::int64_t{0})}),
         node("Reshape", {"x", "to"}, {"r"}),
         node("Slice", {"r", "starts", "ends", "axes", "steps"}, {"sl"}),
         node("Pad", {"sl", "pads"}, {"pd"}),
         node("Pad", {"sl", "pads"}, {"pr"}, {attribute("mode", "reflect")}),
         node("Tile", {"pd", "times"}, {"t"}),
         node("Split", {"t"}, {"a", "b"}, {attribute("axis", std::int64_t{0}), attribute("num_outputs", std::int64_t{2})}),
         node("Unsqueeze", {"a", "zero"}, {"u"}),
         node("Squeeze", {"u", "zero"}, {"q"}),
         node("Transpose", {"q"}, {"tr"}, {ints_of("perm", {1, 0, 2})}),
         node("Expand", {"tr", "wide"}, {"e"}),
         node("ReduceSum", {"e", "zero"}, {"rs"}, {attribute("keepdims", std::int64_t{0})}),
         node("Range", {"from", "to_n", "step"}, {"rg"}),
         node("Cast", {"rg"}, {"rf"}, {attribute("to", float32)}),
         node("ReduceMean", {"rf"}, {"rm"}),
         node("ConstantOfShape", {"wide"}, {"cs"}),
         node("ReduceMax", {"cs"}, {"cm"}),
         node("OneHot", {"zero", "depth", "values"}, {"oh"}),
         node("ReduceSum", {"oh"}, {"ohs"}),
         node("Trilu", {"rs", "from"}, {"tl"}),
         node("TopK", {"tl", "one"}, {"tv", "ti"}),
         node("ReduceMax", {"pr"}, {"prm"}),
         node("Sum", {"tv", "rm", "cm", "ohs", "prm"}, {"y"})},
        {ints("zero", {0}), ints("one", {1}), ints("rest", {2, -1}), ints("starts", {0, 1}), ints("ends", {3, 9}),
         ints("axes", {0, 2}), ints("steps", {1, 1}), ints("pads", {0, 1, 0, 0, 0, 1}), ints("times", {1, 2, 1}),
         ints("wide", {2, 6, 2, 3}), tensor("from", int64, {}, std::vector<std::int64_t>{0}),
         tensor("to_n", int64, {}, std::vector<std::int64_t>{7}), tensor("step", int64, {}, std::vector<std::int64_t>{2}),
         tensor("depth", int64, {}, std::vector<std::int64_t>{3}), floats("values", {2}, {0, 1})});
}
inline std::string of_images() {
    return model_of(
        {node("Concat", {"x", "x", "x"}, {"x3"}, {attribute("axis", std::int64_t{0})}),
         node("Reshape", {"x3", "image"}, {"i"}),
         node("Conv", {"i", "w"}, {"c"},
              {ints_of("strides", {1, 1}), ints_of("pads", {1, 1, 1, 1}), ints_of("dilations", {1, 1})}),
         node("MaxPool", {"c"}, {"m", "mi"}, {ints_of("kernel_shape", {2, 2}), ints_of("strides", {2, 2})}),
         node("MaxUnpool", {"m", "mi"}, {"mu"}, {ints_of("kernel_shape", {2, 2}), ints_of("strides", {2, 2})}),
         node("AveragePool", {"mu"}, {"a"}, {ints_of("kernel_shape", {3, 3}), attribute("ceil_mode", std::int64_t{1})}),
         node("ConvTranspose", {"a", "w"}, {"ct"}, {ints_of("strides", {2, 2}), ints_of("output_padding", {1, 1})}),
         node("LRN", {"ct"}, {"l"}, {attribute("size", std::int64_t{3})}),
         node("Resize", {"l", "", "", "sizes"}, {"re"}, {attribute("mode", "cubic")}),
         node("Resize", {"re", "", "scales"}, {"rs"}, {attribute("mode", "linear"), attribute("antialias", std::int64_t{1})}),
         node("DepthToSpace", {"rs4"}, {"ds"}, {attribute("blocksize", std::int64_t{2})}),
         node("SpaceToDepth", {"ds"}, {"sd"}, {attribute("blocksize", std::int64_t{2})}),
         node("RoiAlign", {"i", "rois", "which"}, {"ra"},
              {attribute("output_height", std::int64_t{2}), attribute("output_width", std::int64_t{2}),
               attribute("sampling_ratio", std::int64_t{2})}),
         node("InstanceNormalization", {"i", "one2", "one2"}, {"in"}),
         node("GlobalAveragePool", {"in"}, {"ga"}),
         node("LpPool", {"in"}, {"lp"}, {ints_of("kernel_shape", {2, 2}), attribute("p", std::int64_t{3})}),
         node("CenterCropPad", {"lp", "crop"}, {"cc"}, {ints_of("axes", {2, 3})}),
         node("ReduceMax", {"sd"}, {"m1"}),
         node("ReduceMax", {"ra"}, {"m2"}),
         node("ReduceMax", {"cc"}, {"m3"}),
         node("ReduceMax", {"rs"}, {"m4"}),
         node("Flatten", {"ga"}, {"f"}),
         node("Sum", {"f", "m1", "m2", "m3", "m4"}, {"y"})},
        {ints("image", {1, 2, 6, 6}), floats("w", {2, 2, 3, 3}, std::vector<float>(36, 0.5f)), ints("sizes", {1, 2, 5, 7}),
         floats("scales", {4}, {1, 1, 0.5f, 1.5f}), floats("rs4", {1, 4, 2, 2}, std::vector<float>(16, 1)),
         floats("rois", {1, 4}, {0, 0, 4, 4}), ints("which", {0}), floats("one2", {2}, {1, 2}), ints("crop", {3, 8})});
}
inline std::string of_numbers() {
    return model_of(
        {node("MatMul", {"x", "w"}, {"p"}),
         node("Gemm", {"p", "w", "b"}, {"g"}, {attribute("transB", std::int64_t{1})}),
         node("Softmax", {"g"}, {"s"}, {attribute("axis", std::int64_t{-1})}),
         node("LogSoftmax", {"s"}, {"ls"}),
         node("LayerNormalization", {"ls", "b", "b"}, {"ln"}, {attribute("axis", std::int64_t{1})}),
         node("Einsum", {"ln", "w"}, {"e"}, {attribute("equation", "ij,jk->ik")}),
         node("Gelu", {"e"}, {"ge"}),
         node("QuantizeLinear", {"ge", "scale", "point"}, {"q"}),
         node("DequantizeLinear", {"q", "scale", "point"}, {"d"}),
         node("CumSum", {"d", "zero"}, {"cu"}),
         node("Clip", {"cu", "scale"}, {"cl"}),
         node("NonZero", {"cl"}, {"nz"}),
         node("GatherElements", {"cl", "places"}, {"gel"}, {attribute("axis", std::int64_t{1})}),
         node("ScatterElements", {"cl", "places", "gel"}, {"sc"},
              {attribute("axis", std::int64_t{1}), attribute("reduction", "max")}),
         node("GatherND", {"sc", "pairs"}, {"gn"}),
         node("ScatterND", {"sc", "pairs", "gn"}, {"sn"}, {attribute("reduction", "add")}),
         node("Unique", {"sn"}, {"un", "ui", "uv", "uc"}),
         node("ArgMax", {"sn"}, {"am"}),
         node("Mod", {"am", "seven"}, {"mo"}),
         node("Div", {"mo", "seven"}, {"dv"}),
         node("Cast", {"dv"}, {"df"}, {attribute("to", float32)}),
         node("Det", {"square"}, {"de"}),
         node("DFT", {"signal", "", "axis1"}, {"dft"}),
         node("ReduceMax", {"dft"}, {"dm"}),
         node("STFT", {"signal", "step"}, {"st"}),
         node("ReduceMax", {"st"}, {"sm"}),
         node("HannWindow", {"step"}, {"hw"}),
         node("ReduceMax", {"hw"}, {"hm"}),
         node("ReduceMax", {"un"}, {"um"}),
         node("ReduceMax", {"df"}, {"dfm"}),
         node("LSTM", {"seq", "lw", "lr"}, {"ly"}, {attribute("hidden_size", std::int64_t{2})}),
         node("ReduceMax", {"ly"}, {"lm"}),
         node("Sum", {"sn", "um", "dfm", "de", "dm", "sm", "hm", "lm"}, {"y"})},
        {floats("w", {6, 6}, std::vector<float>(36, 0.25f)), floats("b", {6}, {1, 2, 3, 4, 5, 6}), floats("scale", {}, {0.5f}),
         tensor("point", uint8, {}, std::vector<std::uint8_t>{3}), tensor("zero", int64, {}, std::vector<std::int64_t>{0}),
         tensor("places", int64, {4, 2}, std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 0, -1}), ints("seven", {7}),
         tensor("pairs", int64, {2, 2}, std::vector<std::int64_t>{0, 0, 1, 3}), floats("square", {2, 2}, {1, 2, 3, 5}),
         floats("signal", {1, 8, 1}, std::vector<float>(8, 1)), tensor("step", int64, {}, std::vector<std::int64_t>{4}),
         tensor("axis1", int64, {}, std::vector<std::int64_t>{1}), floats("seq", {3, 1, 2}, std::vector<float>(6, 1)),
         floats("lw", {1, 8, 2}, std::vector<float>(16, 0.5f)), floats("lr", {1, 8, 2}, std::vector<float>(16, 0.5f))});
}
inline std::string of_texts() {
    constexpr std::int64_t string = 8;
    message words = message().number(1, 3).number(2, string).bytes(8, "words");
    for (char const* const w : {"a b", "c", "Monday"}) words.bytes(6, w);
    message const keys = message().bytes(1, "keys_strings").bytes(9, "a").bytes(9, "MONDAY").number(20, 8);
    return model_of(
        {node("StringNormalizer", {"words"}, {"u"},
              {attribute("case_change_action", "UPPER"), message().bytes(1, "stopwords").bytes(9, "c").number(20, 8)}),
         node("StringSplit", {"u"}, {"parts", "counts"}, {attribute("delimiter", " "), attribute("maxsplit", std::int64_t{2})}),
         node("StringConcat", {"parts", "parts"}, {"twice"}),
         node("Shape", {"twice"}, {"sh"}),
         node("LabelEncoder", {"u"}, {"labels"},
              {keys, ints_of("values_int64s", {3, 4}), attribute("default_int64", std::int64_t{-1})}, "ai.onnx.ml"),
         node("TfIdfVectorizer", {"labels"}, {"tf"},
              {ints_of("ngram_counts", {0, 2}), ints_of("ngram_indexes", {0, 1, 2}), ints_of("pool_int64s", {3, 4, -1, 4}),
               attribute("max_gram_length", std::int64_t{2}), attribute("max_skip_count", std::int64_t{1}),
               attribute("mode", "TF")}),
         node("Cast", {"labels"}, {"lt"}, {attribute("to", string)}),
         node("Cast", {"lt"}, {"ln"}, {attribute("to", float32)}),
         node("NonZero", {"x"}, {"nz"}),
         node("Cast", {"nz"}, {"nzf"}, {attribute("to", float32)}),
         node("Dropout", {"x", "ratio", "yes"}, {"dr"}, {attribute("seed", std::int64_t{3})}),
         node("RandomUniform", {}, {"ru"}, {ints_of("shape", {2, 3}), attribute("low", -1.0f)}),
         node("RandomNormalLike", {"ru"}, {"rn"}),
         node("Bernoulli", {"x"}, {"be"}),
         node("Multinomial", {"x"}, {"mu"}, {attribute("sample_size", std::int64_t{3})}),
         node("Cast", {"mu"}, {"muf"}, {attribute("to", float32)}),
         node("Reshape", {"x", "image"}, {"i"}),
         node("RoiAlign", {"i", "rois", "which"}, {"ra"},
              {attribute("mode", "max"), attribute("output_height", std::int64_t{2}),
               attribute("sampling_ratio", std::int64_t{2})}),
         node("Unique", {"x"}, {"un", "ui", "uv", "uc"}, {attribute("axis", std::int64_t{0})}),
         node("NonMaxSuppression", {"boxes", "scores", "most"}, {"nm"}),
         node("Cast", {"nm"}, {"nmf"}, {attribute("to", float32)}),
         node("Adagrad", {"ratio", "step", "x", "x", "x"}, {"ad", "ah"}, {}, "ai.onnx.preview.training"),
         node("ReduceMax", {"tf"}, {"m1"}),
         node("ReduceMax", {"ln"}, {"m2"}),
         node("ReduceMax", {"nzf"}, {"m3"}),
         node("ReduceMax", {"rn"}, {"m4"}),
         node("ReduceMax", {"muf"}, {"m5"}),
         node("ReduceMax", {"ra"}, {"m6"}),
         node("ReduceMax", {"un"}, {"m7"}),
         node("ReduceMax", {"nmf"}, {"m8"}),
         node("Cast", {"sh"}, {"shf"}, {attribute("to", float32)}),
         node("ReduceMax", {"shf"}, {"m9"}),
         node("Sum", {"dr", "be", "ad", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"}, {"y"})},
        {words, floats("ratio", {}, {0.25f}), tensor("yes", boolean, {}, std::vector<std::uint8_t>{1}),
         ints("image", {1, 2, 3, 4}), floats("rois", {1, 4}, {0, 0, 2, 2}), ints("which", {0}),
         floats("boxes", {1, 2, 4}, {0, 0, 1, 1, 0, 0, 2, 2}), floats("scores", {1, 1, 2}, {1, 2}), ints("most", {2}),
         tensor("step", int64, {}, std::vector<std::int64_t>{2})});
}
inline std::string of_control() {
    message f = message().bytes(1, "twice").bytes(4, "a").bytes(5, "b").put(9, opset("", 21)).bytes(10, "own");
    f.put(7, node("Add", {"a", "a"}, {"b"}));
    message const yes = graph({{node("Neg", {"x"}, {"t"})}, {}, {value("t", float32, {4, 6})}, {floats("own", {1}, {1})}});
    message const no = graph({{node("Abs", {"x"}, {"t"})}, {}, {value("t", float32, {4, 6})}, {}});
    message const body = graph({{node("Add", {"v", "x"}, {"next"}), node("Identity", {"c"}, {"on"})},
                                {value("i", int64, {}), value("c", boolean, {}), value("v", float32, {4, 6})},
                                {value("on", boolean, {}), value("next", float32, {4, 6}), value("next", float32, {4, 6})},
                                {}});
    message const step = graph({{node("Add", {"s", "row"}, {"s2"})},
                                {value("s", float32, {6}), value("row", float32, {6})},
                                {value("s2", float32, {6}), value("s2", float32, {6})},
                                {}});
    message const each = graph({{node("Mul", {"p", "p"}, {"pp"})}, {value("p", float32, {})}, {value("pp", float32, {})}, {}});
    return model_of({node("twice", {"x"}, {"d"}, {}, "own"),
                     node("ReduceSum", {"d"}, {"total"}, {attribute("keepdims", std::int64_t{0})}),
                     node("Greater", {"total", "zero"}, {"cond"}),
                     node("If", {"cond"}, {"i"}, {graph_attribute("then_branch", yes), graph_attribute("else_branch", no)}),
                     node("Loop", {"n", "", "i"}, {"lv", "all"}, {graph_attribute("body", body)}),
                     node("Scan", {"state", "lv"}, {"sf", "sa"},
                          {graph_attribute("body", step), attribute("num_scan_inputs", std::int64_t{1})}),
                     node("SplitToSequence", {"sa"}, {"seq"}, {attribute("axis", std::int64_t{0})}),
                     node("SequenceMap", {"seq"}, {"sq"}, {graph_attribute("body", each)}),
                     node("SequenceLength", {"sq"}, {"len"}), node("SequenceAt", {"sq", "one"}, {"at"}),
                     node("SequenceInsert", {"sq", "at", "one"}, {"si"}), node("SequenceErase", {"si", "one"}, {"se"}),
                     node("ConcatFromSequence", {"se"}, {"cat"}, {attribute("axis", std::int64_t{0})}),
                     node("Optional", {"cat"}, {"op"}), node("OptionalHasElement", {"op"}, {"has"}),
                     node("OptionalGetElement", {"op"}, {"got"}), node("Where", {"has", "got", "zero"}, {"y"})},
                    {floats("zero", {}, {0}), tensor("n", int64, {}, std::vector<std::int64_t>{3}),
                     floats("state", {6}, std::vector<float>(6)), tensor("one", int64, {}, std::vector<std::int64_t>{1})},
                    {f});
}

// Gives the places of numbers of ten bytes, or of small ones of eight.
inline std::vector<std::size_t> places_of_numbers(std::string const& bytes, bool wide) {
    std::vector<std::size_t> out;
    for (std::size_t p = 0; p + 10 <= bytes.size(); ++p) {
        bool fits = true;
        for (std::size_t k = wide ? 0 : 1; k < (wide ? 9 : 8); ++k)
            fits = fits && (wide ? (bytes[p + k] & 0x80) != 0 : bytes[p + k] == 0);
        if (fits && (!wide || static_cast<unsigned char>(bytes[p + 9]) < 2)) out.push_back(p);
    }
    return out;
}
inline std::string mutated(std::string bytes, std::string const& other, random_numbers& random) {
    auto const below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
    constexpr std::int64_t numbers[]{0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     -2,
                                     7,
                                     31,
                                     -32768,
                                     65537,
                                     std::int64_t{1} << 20,
                                     std::int64_t{1} << 31,
                                     -(std::int64_t{1} << 31),
                                     std::int64_t{1} << 33,
                                     std::int64_t{1} << 60,
                                     INT64_MAX,
                                     INT64_MIN,
                                     INT64_MAX / 2};
    std::size_t const changes = 1 + below(3);
    for (std::size_t change = 0; change < changes && !bytes.empty(); ++change) {
        std::size_t const at = below(bytes.size()), length = std::min(1 + below(below(8) ? 8 : 400), bytes.size() - at);
        std::int64_t const number = below(4) ? numbers[below(std::size(numbers))] : static_cast<std::int64_t>(random());
        switch (below(12)) {
        case 0: bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8)); break;
        case 1: bytes[at] = static_cast<char>(random()); break;
        case 2: // a length, or a number
            bytes[at] = static_cast<char>(bytes[at] + (below(2) ? 1 : -1));
            break;
        case 3:
            if (below(4) == 0) bytes.resize(at);
            break;
        case 4: bytes.erase(at, length); break;
        case 5: bytes.insert(below(bytes.size()), std::string(bytes, at, length)); break;
        case 6: { // a part of another model
            std::size_t const from = below(other.size());
            bytes.replace(at, length, other, from, 1 + below(64));
            break;
        }
        case 7: bytes.replace(at, below(2) ? 1 : 0, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"); break;
        case 8:
        case 9: { // an attribute
            std::vector<std::size_t> const places = places_of_numbers(bytes, true);
            if (places.empty()) break;
            std::size_t const place = places[below(places.size())];
            auto rest = static_cast<std::uint64_t>(number);
            for (std::size_t k = 0; k < 10; ++k, rest >>= 7) bytes[place + k] = static_cast<char>(k < 9 ? rest | 0x80 : rest & 1);
            break;
        }
        default: { // an element
            std::vector<std::size_t> const places = places_of_numbers(bytes, false);
            if (places.empty()) break;
            std::memcpy(bytes.data() + places[below(places.size())], &number, sizeof(number));
        }
        }
    }
    return bytes;
}

template <std::size_t K = 0> tx::any_tensor empty_of(tx::dtype type) {
    using T = typename std::variant_alternative_t<K, tx::any_tensor>::value_type;
    if constexpr (K + 1 < std::variant_size_v<tx::any_tensor>)
        if (type != tx::dtype_of<T>) return empty_of<K + 1>(type);
    return tx::tensor<T>{};
}
// Gives small tensors for a model's inputs, or nothing where they can't be small.
inline std::optional<std::vector<tx::any_tensor>> small_inputs(od::model_state const& model) {
    std::vector<tx::any_tensor> out;
    for (tx::onnx::value_info const& i : od::inputs_of(model)) {
        tx::dims shape;
        for (auto const& d : i.dims) shape.push_back(d.extent == tx::dyn ? 2 : d.extent);
        for (int a = 0; a < shape.rank; ++a)
            if (shape[a] > 16) return std::nullopt;
        if (shape.size() > 4096 || i.dtype == tx::dtype::string) return std::nullopt;
        tx::any_tensor made = empty_of(i.dtype);
        std::visit(
            [&]<class T>(tx::tensor<T>& t) {
                t = tx::tensor<T>::uninitialized(shape);
                for (std::int64_t k = 0; k < t.size(); ++k) {
                    if constexpr (std::is_arithmetic_v<T>) t.mutable_data()[k] = static_cast<T>(k % 5);
                    else t.mutable_data()[k] = T{};
                }
            },
            made);
        out.push_back(std::move(made));
    }
    return out;
}

struct outcome {
    bool loads = false, runs = false;
    std::string problem;  // what is wrong with the library
};
// Loads a model, traces it with unknown elements, and runs it unless it has a loop, which might not end.
inline outcome tried(std::string const& bytes, std::string const& path = "") {
    outcome out;
    std::size_t const before = held;
    most_held = before;
    auto const guarded = [&](char const* what, auto const& f) {
        std::string wrong;
        limit = before + (std::size_t{256} << 20);
        try {
            f();
        } catch (tx::error const& e) {
            if (!std::string_view(e.what()).starts_with("tx: ")) wrong = "a message without a name";
        } catch (std::exception const& e) {
            wrong = std::string(typeid(e).name()) + ": " + e.what();
        }
        limit = SIZE_MAX;
        if (!wrong.empty()) out.problem += std::string(what) + ": " + wrong + "\n";
    };
    std::shared_ptr<od::model_state const> model;
    guarded("loading", [&] { model = path.empty() ? od::load_state(bytes, "mutated") : od::load_state(path); });
    if (most_held - before > 32 * bytes.size() + (std::size_t{16} << 20))
        out.problem += "loading took " + std::to_string(most_held - before) + " bytes for " + std::to_string(bytes.size()) + "\n";
    if (!model) return out;
    out.loads = true;
    std::optional<std::vector<tx::any_tensor>> const inputs = small_inputs(*model);
    if (!inputs) return out;
    guarded("tracing", [&] {
        std::vector<od::named_argument> given;
        for (std::size_t k = 0; k < inputs->size(); ++k)
            std::visit(
                [&]<class T>(tx::tensor<T> const& t) {
                    given.push_back({od::inputs_of(*model)[k].name, tx::dtype_of<T>, t.dimensions(), nullptr});
                },
                (*inputs)[k]);
        static_cast<void>(od::recording_for(model, given));
    });
    if (bytes.find("Loop") != bytes.npos) return out;
    guarded("running", [&] {
        static_cast<void>(od::run_any(model, *inputs));
        out.runs = true;
    });
    return out;
}

// Tries `count` mutations of each model; gives what went wrong, and with which mutation.
inline std::string problems_of(std::uint64_t seed, int count, std::size_t& loaded, std::size_t& ran) {
    text_list const models{of_shapes(), of_images(), of_numbers(), of_texts(), of_control()};
    tx::onnx::detail::most_elements = std::int64_t{1} << 20;  // a small limit, so that all runs end soon
    std::string out;
    for (int k = 0; k < count; ++k) {
        random_numbers random(seed + static_cast<std::uint64_t>(k));
        std::size_t const of = static_cast<std::size_t>(k) % models.size();
        outcome const result = tried(mutated(models[of], models[random() % models.size()], random));
        loaded += result.loads, ran += result.runs;
        if (!result.problem.empty())
            out += "seed " + std::to_string(seed + static_cast<std::uint64_t>(k)) + " of model " + std::to_string(of) + ": " +
                   result.problem;
    }
    return out;
}

} // namespace onnx_mutations
