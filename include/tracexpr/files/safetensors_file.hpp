// This file reads .safetensors files array by array, and writes them.
#pragma once

#include <tracexpr/files/array_file.hpp>
#include <tracexpr/files/safetensors_header.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tx::detail {

class safetensors_file final : public array_file {
public:
    explicit safetensors_file(file_call const& call) : call_{call}, file_{open_to_read(call)} {
        byte_source in(file_);
        header_ = read_safetensors_header(call_, in);
        file_.clear();
        start_ = file_.tellg();
        for (auto const& e : header_.entries) by_name_.emplace(e.name, &e);
        for (auto const& [name, e] : by_name_) names_.emplace_back(name);
    }
    std::vector<std::string> const& names() const override { return names_; }
    bool has(std::string const& name) const override { return by_name_.contains(name); }
    std::map<std::string, std::string> const& metadata() const { return header_.metadata; }

    opened_array open(std::string const& name) override {
        auto const found = by_name_.find(name);
        if (found == by_name_.end()) call_.fail("has no array " + name + "; it has: " + listed_pieces(names_));
        safetensors_entry const& entry = *found->second;
        file_.clear();
        file_.seekg(start_ + static_cast<std::streamoff>(entry.begin));
        return {call_.of_array(name), byte_source(file_, entry.end - entry.begin), entry.layout};
    }
    opened_array open_for_part(std::string const& name) override { return open(name); }
    void check(opened_array&) const override {} // The format has no checksums.

private:
    file_call call_;
    std::ifstream file_;
    safetensors_header header_;
    std::streamoff start_ = 0; // the start of the first array's bytes
    std::map<std::string_view, safetensors_entry const*> by_name_;
    std::vector<std::string> names_; // The names are in order.
};

// Sorts the arrays so that those with the largest elements stand first and all are aligned.
inline void sort_for_safetensors(named_arrays& named) {
    std::sort(named.begin(), named.end(), [](auto const& a, auto const& b) {
        std::size_t const first = safetensors_rank(a.second.type), second = safetensors_rank(b.second.type);
        return first != second ? first > second : a.first < b.first;
    });
}
inline void check_for_safetensors(file_call const& call, named_arrays const& named,
                                  std::map<std::string, std::string> const& metadata) {
    for (auto const& [name, array] : named) {
        if (safetensors_rank(array.type) == safetensors_dtypes.size())
            throw type_error(call.of_array(name).says("has dtype " + std::string(tx::name(array.type)) +
                                                      ", which .safetensors files don't have; save it as .npz"));
        if (!is_utf8(name)) call.fail("a name must be UTF-8; given " + quoted_piece(name));
        if (name == safetensors_metadata_key)
            call.fail("no array may be called __metadata__: it is what the format calls its own");
    }
    for (auto const& [key, value] : metadata)
        if (!is_utf8(key) || !is_utf8(value))
            call.fail("metadata must be UTF-8; given " + quoted_piece(is_utf8(key) ? value : key));
}
inline std::string safetensors_header_of(file_call const& call, named_arrays const& named,
                                         std::map<std::string, std::string> const& metadata) {
    std::string text, pairs;
    for (auto const& [key, value] : metadata) pairs += (pairs.empty() ? "" : ",") + json_text(key) + ':' + json_text(value);
    if (!metadata.empty()) text += json_text(safetensors_metadata_key) + ":{" + pairs + '}';
    std::uint64_t begin = 0;
    for (auto const& [name, array] : named) {
        std::string extents;
        for (int axis = 0; axis < array.shape.rank; ++axis) extents += (axis == 0 ? "" : ",") + std::to_string(array.shape[axis]);
        std::uint64_t const end = begin + static_cast<std::uint64_t>(array.shape.size()) * size_in_bytes(array.type);
        text += (text.empty() ? "" : ",") + json_text(name) + ":{\"dtype\":\"" + safetensors_code(array.type) + "\",\"shape\":[" +
                extents + "],\"data_offsets\":[" + std::to_string(begin) + ',' + std::to_string(end) + "]}";
        begin = end;
    }
    text = '{' + text + '}';
    constexpr std::size_t unit = 8;
    text.resize((text.size() + unit - 1) / unit * unit, ' ');
    if (text.size() > safetensors_longest_header)
        call.fail("its names and metadata take more than the 100,000,000 bytes that they may");
    std::string out;
    append_little_endian(out, text.size(), 8);
    return out + text;
}
inline void write_safetensors(file_call const& call, named_arrays named, std::map<std::string, std::string> const& metadata) {
    check_names_differ(call, named);
    check_for_safetensors(call, named, metadata);
    sort_for_safetensors(named);
    std::string const header = safetensors_header_of(call, named, metadata);
    file_writer file(call);
    file.write(header);
    array_layout layout;
    layout.foreign_order = std::endian::native != std::endian::little;
    for (auto const& [name, array] : named) {
        layout.element_bytes = size_in_bytes(array.type);
        write_elements(file, array, layout);
    }
    file.finish();
}

} // namespace tx::detail
