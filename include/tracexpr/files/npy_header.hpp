// This file reads and writes the header of a .npy file, versions 1.0 to 3.0 (NumPy Enhancement Proposal 1, and numpy.lib.format).
// The header is read strictly and completely before anything is allocated for the elements.
#pragma once

#include <tracexpr/files/elements.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace tx::detail {

// Gives NumPy's code of a dtype without the byte order, or nothing for a dtype that NumPy has not. bfloat16 is a type of the
// package ml_dtypes, and files only say that it takes two bytes.
inline std::string npy_code(dtype type) {
    if (type > dtype::string) return {};
    if (type == dtype::string) return "U";
    char const kind = type == dtype::boolean    ? 'b'
                      : is_signed_integer(type) ? 'i'
                      : is_integer(type)        ? 'u'
                      : is_complex(type)        ? 'c'
                      : type == dtype::bfloat16 ? 'V'
                                                : 'f';
    return kind + std::to_string(size_in_bytes(type));
}
inline char npy_order(bool foreign) { return (std::endian::native == std::endian::little) != foreign ? '<' : '>'; }
// Gives NumPy's code of a dtype as this machine stores it.
inline std::string native_npy_code(dtype type) { return (size_in_bytes(type) == 1 ? '|' : npy_order(false)) + npy_code(type); }

// Reads what a code such as "<f8" says of the elements. Texts are "<U5" (code points of 4 bytes) and "|S5" (bytes).
inline void read_npy_code(std::string_view code, array_form& form) {
    form.code = code;
    form.code_of = native_npy_code;
    if (!code.empty() && std::string_view("<>|=").find(code.front()) != std::string_view::npos) {
        form.foreign_order = code.front() == npy_order(true);
        code.remove_prefix(1);
    }
    for (dtype type = dtype::boolean; type < dtype::string; type = static_cast<dtype>(static_cast<int>(type) + 1))
        if (code == npy_code(type)) form.type = type, form.element_bytes = size_in_bytes(type);
    if (!code.starts_with('U') && !code.starts_with('S')) return;
    std::uint32_t width = 0;
    auto const [end, problem] = std::from_chars(code.data() + 1, code.data() + code.size(), width);
    bool const is_wide = code.front() == 'U';
    if (problem != std::errc{} || end != code.data() + code.size() || code[1] == '0') return;
    form.type = dtype::string;
    form.text = is_wide ? text_form::utf32 : text_form::bytes;
    form.element_bytes = std::size_t{width} * (is_wide ? 4 : 1);
}

// Parses a Python dictionary of the three keys in any order, each once. Values may be written in the ways that NumPy has used,
// with any space between them.
class npy_header_parser {
public:
    npy_header_parser(file_call const& call, std::string_view text) : call_{call}, left_{text} {}

    array_form parse() {
        array_form out;
        bool has_code = false, has_order = false, has_shape = false;
        expect('{', "a dictionary");
        while (!accept('}')) {
            std::string const key = quoted();
            expect(':', "a colon");
            bool& has = key == "descr"           ? has_code
                        : key == "fortran_order" ? has_order
                        : key == "shape"         ? has_shape
                                                 : unknown(key);
            if (has) damaged(key + " is given twice");
            has = true;
            if (&has == &has_code) read_npy_code(code(), out);
            else if (&has == &has_order) out.column_major = truth();
            else out.extents = extents();
            if (!accept(',') && next() != '}') missing("a comma");
        }
        if (next() != '\0' || !left_.empty()) damaged("more follows what it says");
        if (!has_code || !has_order || !has_shape) damaged("it must say descr, fortran_order and shape");
        return out;
    }

private:
    [[noreturn]] void damaged(std::string const& problem) const { call_.fail("its header is damaged: " + problem); }
    [[noreturn]] void missing(std::string const& wanted) const {
        damaged(wanted + " is missing before " + quoted_piece(left_.substr(0, left_.find('\n')).substr(0, 20)));
    }
    [[noreturn]] bool& unknown(std::string const& key) const { damaged("no file says " + quoted_piece(key)); }

    // Gives the next character that is no space, or 0 at the end.
    char next() {
        std::size_t const at = left_.find_first_not_of(" \t\f\r\n");
        left_.remove_prefix(at == std::string_view::npos ? left_.size() : at);
        return left_.empty() ? '\0' : left_.front();
    }
    bool accept(char wanted) {
        if (next() != wanted || left_.empty()) return false;
        left_.remove_prefix(1);
        return true;
    }
    void expect(char wanted, char const* name) {
        if (!accept(wanted)) missing(name);
    }
    std::string quoted() {
        char const quote = next();
        if (quote != '\'' && quote != '"') missing("a name in quotes");
        std::size_t const end = left_.find_first_of(std::string("\\\n") + quote, 1);
        if (end == std::string_view::npos || left_[end] != quote) missing("a name in quotes");
        std::string const out(left_.substr(1, end - 1));
        left_.remove_prefix(end + 1);
        return out;
    }
    std::string code() {
        if (next() == '[') throw type_error(call_.says("holds records; a tensor's elements are numbers of one dtype"));
        return quoted();
    }
    bool truth() {
        char const first = next();
        std::string_view const word = first == 'T' ? "True" : "False";
        if (!left_.starts_with(word)) missing("True or False");
        left_.remove_prefix(word.size());
        return first == 'T';
    }
    // Reads a tuple such as "(2, 3)", "(2,)" or "()"; "(2)" is no tuple.
    std::vector<std::int64_t> extents() {
        std::vector<std::int64_t> out;
        expect('(', "a tuple");
        while (!accept(')')) {
            out.push_back(whole_number());
            if (!accept(',') && (out.size() == 1 || next() != ')')) missing("a comma");
        }
        return out;
    }
    // Reads digits, which an L may follow, as Python 2 wrote it.
    std::int64_t whole_number() {
        next();
        std::size_t const digits = std::min(left_.find_first_not_of("0123456789"), left_.size());
        if (digits == 0) missing("an extent");
        if (digits > 1 && left_.front() == '0') missing("an extent without a leading zero");
        std::int64_t out = 0;
        for (char const c : left_.substr(0, digits)) {
            std::int64_t const digit = c - '0';
            if (out > (std::numeric_limits<std::int64_t>::max() - digit) / 10)
                damaged("an extent has " + std::to_string(digits) + " digits");
            out = 10 * out + digit;
        }
        left_.remove_prefix(digits);
        if (left_.starts_with('L')) left_.remove_prefix(1);
        return out;
    }

    file_call const& call_;
    std::string_view left_;
};

inline array_form read_npy_header(file_call const& call, byte_source& in) {
    constexpr std::string_view magic = "\x93NUMPY";
    constexpr std::size_t longest = 0xffff; // all that version 1.0 can say, and more than a dtype and 8 extents take
    std::array<char, 12> fixed{};
    if (!in.read(fixed.data(), 8) || std::string_view(fixed.data(), magic.size()) != magic) call.fail("is no .npy file");
    int const major = static_cast<unsigned char>(fixed[6]), minor = static_cast<unsigned char>(fixed[7]);
    if (major < 1 || major > 3 || minor != 0)
        call.fail("is of version " + std::to_string(major) + '.' + std::to_string(minor) +
                  " of the format; 1.0, 2.0 and 3.0 are read");
    std::size_t const length_bytes = major == 1 ? 2 : 4;
    if (!in.read(fixed.data() + 8, length_bytes)) call.fail("ends within its header");
    std::uint64_t const length = little_endian(fixed.data() + 8, length_bytes);
    if (length > in.left()) call.fail("ends within its header");
    if (length > longest)
        call.fail("its header of " + std::to_string(length) + " bytes is longer than that of any array of numbers");
    std::string text(static_cast<std::size_t>(length), '\0');
    if (!in.read(text.data(), length)) call.fail("ends within its header");
    return npy_header_parser(call, text).parse();
}
// Gives a header of version 1.0 with which the elements begin at a multiple of 64 bytes.
inline std::string npy_header_of(array_form const& form, dims const& shape) {
    constexpr std::size_t fixed_bytes = 10, unit = 64;
    std::string text = "{'descr': '" + form.code + "', 'fortran_order': " + (form.column_major ? "True" : "False") +
                       ", 'shape': " + to_string(shape) + ", }";
    text.resize((fixed_bytes + text.size() + 1 + unit - 1) / unit * unit - fixed_bytes - 1, ' ');
    text += '\n';
    std::string out("\x93NUMPY\1\0", 8);
    append_little_endian(out, text.size(), 2);
    return out + text;
}

} // namespace tx::detail
