// This file writes models with inputs and outputs in the layout of ONNX's own tests, for other runtimes, where the environment's
// TRACEXPR_ONNX_FOLDER names a folder (tests/onnx/check_exported.py).
#pragma once

#include <tracexpr/onnx.hpp>
#include <tracexpr/onnx/export/graph_writer.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tx::testing {

inline void write_onnx_test(std::string const& name, std::string const& model, std::vector<host_array> const& inputs,
                            std::vector<host_array> const& outputs) {
    namespace fs = std::filesystem;
    char const* const folder = std::getenv("TRACEXPR_ONNX_FOLDER");
    if (!folder) return;
    fs::path const at = fs::path(folder) / name;
    fs::create_directories(at / "test_data_set_0");
    std::ofstream(at / "model.onnx", std::ios::binary) << model;
    auto const write = [&](std::vector<host_array> const& all, char const* called) {
        for (std::size_t k = 0; k < all.size(); ++k) {
            onnx::detail::written_tensor t;
            t.type = all[k].type, t.shape = all[k].shape, t.data = all[k].bytes.data();
            std::ofstream file(at / "test_data_set_0" / (called + std::to_string(k) + ".pb"), std::ios::binary);
            file << t.message_without_raw();
            if (t.has_raw()) file << onnx::detail::wire_writer().bytes(9, t.raw()).message();
        }
    };
    write(inputs, "input_"), write(outputs, "output_");
}

} // namespace tx::testing
