// onnx_header <model.onnx> <name> <folder> [<input>=<extent>,<extent>,...]: writes a model as a header, <name>.hpp, which
// declares an object of that name, and <name>_weights.cpp, which has the weights (tracexpr_add_onnx in Onnx.cmake).
#include <tracexpr/onnx.hpp>
#include <tracexpr/onnx/static_header.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <string>

namespace {

// "x=1,?,224": an extent that stays unknown is "?".
std::pair<std::string, tx::dims> shape_of(std::string const& text) {
    auto const at = text.rfind('=');
    if (at == text.npos) throw tx::error("tx: onnx: shapes are given as input=1,3,224,224; given " + text);
    tx::dims out;
    for (std::size_t from = at + 1; from < text.size();) {
        std::size_t const end = std::min(text.find(',', from), text.size());
        std::string const extent = text.substr(from, end - from);
        bool const is_number = !extent.empty() && extent.size() < 18 && extent.find_first_not_of("0123456789") == extent.npos;
        if ((!is_number && extent != "?") || out.rank == tx::max_rank)
            throw tx::error("tx: onnx: shapes are given as input=1,3,224,224, with at most 8 extents, numbers or ?; given " +
                            text);
        out.push_back(is_number ? std::stoll(extent) : tx::dyn);
        from = end + 1;
    }
    return {text.substr(0, at), out};
}
void write(std::filesystem::path const& path, std::string const& text) {
    tx::detail::file_call const call{"onnx_header", path.string()};
    tx::detail::file_writer file(call);
    file.write(text);
    file.finish();
}

} // namespace

int main(int argc, char** argv) try {
    if (argc < 4) throw tx::error("tx: onnx_header <model.onnx> <name> <folder> [<input>=<extents>]...");
    std::filesystem::path const model = argv[1], folder = argv[3];
    std::string const name = argv[2];
    std::map<std::string, tx::dims> shapes;
    for (int k = 4; k < argc; ++k) shapes.insert(shape_of(argv[k]));
    std::filesystem::path const weights = std::filesystem::absolute(folder) / (name + ".weights");
    auto const files =
        tx::onnx::make_static(tx::onnx::load(model.string()), model.filename().string(), name, weights.string(), shapes);
    std::filesystem::create_directories(folder);
    write(weights, files.weights), write(folder / (name + "_weights.cpp"), files.source),
        write(folder / (name + ".hpp"), files.header);
    return 0;
} catch (std::exception const& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
