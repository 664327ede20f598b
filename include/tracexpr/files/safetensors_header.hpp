// This file reads and writes the header of a .safetensors file, JSON of one form (https://github.com/huggingface/safetensors,
// "Format"). It is read strictly and completely, and checked as the reference implementation does. No other JSON is needed: a
// library for the rest would cost a dependency, and more time to compile than all else here.
#pragma once

#include <tracexpr/files/elements.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tx::detail {

inline constexpr std::uint64_t safetensors_longest_header = 100'000'000;
inline constexpr std::string_view safetensors_metadata_key = "__metadata__";

struct safetensors_dtype {
    std::string_view code;
    std::size_t bits;
    dtype type; // token: tensors have no such dtype
};
// These are in the order of the reference implementation, by which arrays are sorted when they are written, the last ones first.
inline constexpr std::array safetensors_dtypes{
    safetensors_dtype{"BOOL", 8, dtype::boolean},      safetensors_dtype{"F4", 4, dtype::token},
    safetensors_dtype{"F6_E2M3", 6, dtype::token},     safetensors_dtype{"F6_E3M2", 6, dtype::token},
    safetensors_dtype{"U8", 8, dtype::uint8},          safetensors_dtype{"I8", 8, dtype::int8},
    safetensors_dtype{"F8_E5M2", 8, dtype::token},     safetensors_dtype{"F8_E4M3", 8, dtype::token},
    safetensors_dtype{"F8_E8M0", 8, dtype::token},     safetensors_dtype{"F8_E4M3FNUZ", 8, dtype::token},
    safetensors_dtype{"F8_E5M2FNUZ", 8, dtype::token}, safetensors_dtype{"I16", 16, dtype::int16},
    safetensors_dtype{"U16", 16, dtype::uint16},       safetensors_dtype{"F16", 16, dtype::float16},
    safetensors_dtype{"BF16", 16, dtype::bfloat16},    safetensors_dtype{"I32", 32, dtype::int32},
    safetensors_dtype{"U32", 32, dtype::uint32},       safetensors_dtype{"F32", 32, dtype::float32},
    safetensors_dtype{"C64", 64, dtype::complex64},    safetensors_dtype{"F64", 64, dtype::float64},
    safetensors_dtype{"I64", 64, dtype::int64},        safetensors_dtype{"U64", 64, dtype::uint64}};

// Gives the place of a dtype in the table, or the table's size if the format hasn't the dtype.
inline std::size_t safetensors_rank(dtype type) {
    std::size_t k = 0;
    while (k < safetensors_dtypes.size() && (safetensors_dtypes[k].type != type || type == dtype::token)) ++k;
    return k;
}
inline std::string safetensors_code(dtype type) {
    std::size_t const rank = safetensors_rank(type);
    return rank < safetensors_dtypes.size() ? std::string(safetensors_dtypes[rank].code) : "which the format has not";
}

struct safetensors_entry {
    std::string name;
    array_form form;
    std::uint64_t begin = 0, end = 0; // counted from the end of the header
};
struct safetensors_header {
    std::vector<safetensors_entry> entries; // in the order of their bytes
    std::map<std::string, std::string> metadata;
};

class safetensors_parser {
public:
    safetensors_parser(file_call const& call, std::string_view text) : call_{call}, left_{text} {}

    safetensors_header parse() {
        safetensors_header out;
        if (!left_.starts_with('{')) damaged("it does not begin with {");
        std::set<std::string> names;
        each_member([&](std::string const& name) {
            if (!names.insert(name).second) damaged(quoted_piece(name) + " is given twice");
            if (name != safetensors_metadata_key) return out.entries.push_back(entry(name));
            each_member([&](std::string const& key) {
                if (!out.metadata.emplace(key, text()).second) damaged(quoted_piece(key) + " is given twice");
            });
        });
        next();
        if (!left_.empty()) damaged("more follows what it says");
        std::sort(out.entries.begin(), out.entries.end(), [](auto const& a, auto const& b) {
            return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
        });
        return out;
    }

private:
    [[noreturn]] void damaged(std::string const& problem) const { call_.fail("its header is damaged: " + problem); }
    [[noreturn]] void missing(std::string const& wanted) const { damaged(wanted + " is missing before " + quoted_piece(left_)); }

    void next() {
        std::size_t const at = left_.find_first_not_of(" \t\r\n");
        left_.remove_prefix(at == std::string_view::npos ? left_.size() : at);
    }
    bool accept(char wanted) {
        next();
        if (!left_.starts_with(wanted)) return false;
        left_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!accept(wanted)) missing(std::string(1, wanted));
    }
    // Reads an object; read(key) must read the value of each of its members.
    template <class F> void each_member(F const& read) {
        expect('{');
        if (accept('}')) return;
        do {
            std::string const key = text();
            expect(':');
            read(key);
        } while (accept(','));
        expect('}');
    }
    std::vector<std::int64_t> whole_numbers() {
        std::vector<std::int64_t> out;
        expect('[');
        if (accept(']')) return out;
        do out.push_back(whole_number());
        while (accept(','));
        expect(']');
        return out;
    }
    std::int64_t whole_number() {
        next();
        std::size_t const digits = std::min(left_.find_first_not_of("0123456789"), left_.size());
        if (digits == 0 || (digits > 1 && left_.front() == '0')) missing("a whole number");
        std::int64_t out = 0;
        for (char const c : left_.substr(0, digits)) {
            std::int64_t const digit = c - '0';
            if (out > (std::numeric_limits<std::int64_t>::max() - digit) / 10)
                damaged("a number has " + std::to_string(digits) + " digits");
            out = 10 * out + digit;
        }
        left_.remove_prefix(digits);
        return out;
    }

    std::string text() {
        if (!accept('"')) missing("a text in quotes");
        std::string out;
        while (!left_.starts_with('"')) {
            std::size_t const plain = std::min(left_.find_first_of("\"\\"), left_.size());
            std::string_view const piece = left_.substr(0, plain);
            if (std::any_of(piece.begin(), piece.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
                damaged("a text holds a control character: " + quoted_piece(piece));
            out += piece;
            left_.remove_prefix(plain);
            if (left_.empty()) damaged("a text does not end");
            if (left_.front() == '\\') append_escaped(out);
        }
        left_.remove_prefix(1);
        return out;
    }
    void append_escaped(std::string& out) {
        constexpr std::string_view names = "\"\\/bfnrtu", meanings = "\"\\/\b\f\n\r\t";
        std::size_t const which = left_.size() < 2 ? std::string_view::npos : names.find(left_[1]);
        if (which == std::string_view::npos) damaged("JSON has no " + quoted_piece(left_.substr(0, 2)));
        left_.remove_prefix(2);
        if (which < meanings.size()) {
            out += meanings[which];
            return;
        }
        std::uint32_t code = four_digits();
        if (code >= 0xd800 && code < 0xdc00 && left_.starts_with("\\u")) {
            left_.remove_prefix(2);
            std::uint32_t const low = four_digits();
            code = low < 0xdc00 || low > 0xdfff ? code : 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        if (!is_code_point(code)) damaged("an escaped character is none of Unicode's");
        append_utf8(out, code);
    }
    std::uint32_t four_digits() {
        std::uint32_t out = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            char const c = k < left_.size() ? left_[k] : '\0';
            bool const is_letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            if (!is_letter && (c < '0' || c > '9')) missing("a number of four hexadecimal digits");
            out = 16 * out + static_cast<std::uint32_t>(is_letter ? (c | 0x20) - 'a' + 10 : c - '0');
        }
        left_.remove_prefix(4);
        return out;
    }

    safetensors_entry entry(std::string const& name) {
        safetensors_entry out{name, {}, 0, 0};
        bool has_code = false, has_shape = false, has_offsets = false;
        each_member([&](std::string const& key) {
            bool& has = key == "dtype"          ? has_code
                        : key == "shape"        ? has_shape
                        : key == "data_offsets" ? has_offsets
                                                : unknown(key);
            if (has) damaged(key + " is given twice");
            has = true;
            if (&has == &has_code) out.form.code = text();
            else if (&has == &has_shape) out.form.extents = whole_numbers();
            else read_offsets(out);
        });
        if (!has_code || !has_shape || !has_offsets)
            damaged("it must say dtype, shape and data_offsets of " + quoted_piece(name));
        return out;
    }
    [[noreturn]] bool& unknown(std::string const& key) const { damaged("no file says " + quoted_piece(key)); }
    void read_offsets(safetensors_entry& to) {
        std::vector<std::int64_t> const offsets = whole_numbers();
        if (offsets.size() != 2) damaged("data_offsets are two numbers");
        to.begin = static_cast<std::uint64_t>(offsets[0]), to.end = static_cast<std::uint64_t>(offsets[1]);
    }

    file_call const& call_;
    std::string_view left_;
};

// Throws error unless the arrays cover all of `bytes`, one after the other, each with as many bytes as its shape and dtype take.
inline void check_safetensors(file_call const& call, safetensors_header& header, std::uint64_t bytes) {
    std::uint64_t end = 0;
    for (safetensors_entry& e : header.entries) {
        file_call const array = call.of_array(e.name);
        if (e.begin != end || e.end < e.begin)
            array.fail("its bytes " + std::to_string(e.begin) + " to " + std::to_string(e.end) +
                       " do not follow those before, which end at " + std::to_string(end));
        end = e.end;
        auto const known = std::find_if(safetensors_dtypes.begin(), safetensors_dtypes.end(),
                                        [&](safetensors_dtype const& d) { return d.code == e.form.code; });
        if (known == safetensors_dtypes.end())
            array.fail("has dtype " + quoted_piece(e.form.code) + ", which the format has not");
        e.form.type = known->type;
        e.form.element_bytes = known->bits / 8;
        e.form.code_of = safetensors_code;
        e.form.foreign_order = std::endian::native != std::endian::little;
        std::uint64_t const bits = bytes_of_elements(array, e.form.extents, known->bits);
        if (bits % 8 != 0 || bits / 8 != e.end - e.begin)
            array.fail("has " + std::to_string(e.end - e.begin) + " bytes, but its shape and dtype take " + std::to_string(bits) +
                       " bits");
    }
    if (end != bytes)
        call.fail("its arrays take " + std::to_string(end) + " bytes; " + std::to_string(bytes) + " follow the header");
}

inline safetensors_header read_safetensors_header(file_call const& call, byte_source& in) {
    std::array<char, 8> length_bytes{};
    if (!in.read(length_bytes.data(), length_bytes.size())) call.fail("is no .safetensors file: it has less than 8 bytes");
    std::uint64_t const length = little_endian(length_bytes.data(), length_bytes.size());
    if (length > safetensors_longest_header)
        call.fail("is no .safetensors file: its header would have " + std::to_string(length) +
                  " bytes, at most 100,000,000 may be");
    if (length > in.left()) call.fail("ends within its header");
    std::string text(static_cast<std::size_t>(length), '\0');
    if (!in.read(text.data(), length)) call.fail("ends within its header");
    if (!is_utf8(text)) call.fail("its header is damaged: it is no UTF-8");
    safetensors_header out = safetensors_parser(call, text).parse();
    check_safetensors(call, out, in.left());
    return out;
}

// Gives a text in quotes as serde_json writes it.
inline std::string json_text(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef", special = "\"\\\b\f\n\r\t", names = "\"\\bfnrt";
    std::string out = "\"";
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        std::size_t const which = special.find(c);
        if (which != std::string_view::npos) out += std::string("\\") + names[which];
        else if (byte < 0x20) out += std::string("\\u00") + digits[byte >> 4] + digits[byte & 15];
        else out += c;
    }
    return out + '"';
}

} // namespace tx::detail
