// This file reads .npz files, ZIP archives of .npy files, array by array, and writes them.
#pragma once

#include <tracexpr/files/array_file.hpp>
#include <tracexpr/files/npy_array.hpp>
#include <tracexpr/files/npz.hpp>
#include <tracexpr/files/zip.hpp>

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tx::detail {

class npz_file final : public array_file {
public:
    explicit npz_file(file_call const& call) : call_{call}, file_{open_to_read(call)}, directory_(call_, file_) {
        for (auto const& e : directory_.entries()) {
            if (!e.name.ends_with(extension)) continue;
            names_.push_back(e.name.substr(0, e.name.size() - extension.size()));
            by_name_.insert_or_assign(names_.back(), &e); // Of equal names the last counts.
        }
    }
    std::vector<std::string> const& names() const override { return names_; }
    bool has(std::string const& name) const override { return by_name_.contains(name); }

    opened_array open(std::string const& name) override {
        zip_directory::entry const& entry = find(name);
        return opened(call_.of_array(name), entry);
    }
    opened_array open_for_part(std::string const& name) override {
        zip_directory::entry const& entry = find(name);
        file_call const array = call_.of_array(name);
        if (entry.method != zip_stored)
            array.fail("is compressed, and can only be read whole; save it as .npy, .safetensors or without compression");
        return opened(array, entry);
    }
    void check(opened_array& array) const override {
        if (!array.in.read_rest() || array.in.checksum() != array.checksum)
            array.call.fail("is damaged: its checksum is another");
    }

private:
    static constexpr std::string_view extension = ".npy";

    opened_array opened(file_call const& array, zip_directory::entry const& entry) {
        byte_source in = directory_.open(array, entry);
        array_layout layout = read_npy_header(array, in);
        return {array, std::move(in), std::move(layout), static_cast<std::uint32_t>(entry.checksum)};
    }
    zip_directory::entry const& find(std::string const& name) const {
        auto const found = by_name_.find(name);
        if (found != by_name_.end()) return *found->second;
        call_.fail("has no array " + name + "; it has: " + listed_pieces(names_));
    }

    file_call call_;
    std::ifstream file_;
    zip_directory directory_;
    std::map<std::string, zip_directory::entry const*> by_name_;
    std::vector<std::string> names_;
};

inline void write_npz(file_call const& call, named_arrays const& named, npz_format const& format) {
    constexpr std::size_t longest_name = 0xffff - 4;
    std::vector<array_layout> layouts;
    check_names_differ(call, named);
    for (auto const& [name, array] : named) {
        if (name.size() > longest_name) call.fail("a name has at most 65,531 bytes; given " + quoted_piece(name));
        layouts.push_back(npy_layout_of(call.of_array(name), array, {}));
    }
    deflate_library const* const library = linked_deflate_library;
    if (format.compressed && !library) call.fail("to compress it include <tracexpr/zlib.hpp> and link tracexpr::zlib");
    file_writer file(call);
    zip_writer archive(call, file, format.compressed ? library : nullptr);
    for (std::size_t k = 0; k < named.size(); ++k) {
        archive.begin(named[k].first + ".npy");
        write_npy(archive, named[k].second, layouts[k]);
        archive.end();
    }
    archive.finish();
    file.finish();
}

} // namespace tx::detail
