// This file checks JSON, for tests of functions that write it.
#pragma once

#include <cctype>
#include <string_view>

namespace tx::testing {

// Checks whether a text is JSON (RFC 8259).
class json_checker {
public:
    explicit json_checker(std::string_view text) : text_{text} {}
    bool valid() { return value() && (space(), at_ == text_.size()); }

private:
    void space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool take(char c) {
        space();
        return at_ < text_.size() && text_[at_] == c ? ++at_, true : false;
    }
    bool word(std::string_view w) { return text_.substr(at_, w.size()) == w ? at_ += w.size(), true : false; }
    bool string() {
        if (!take('"')) return false;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\\' && !escape()) return false;
            if (static_cast<unsigned char>(text_[at_++]) < 0x20) return false;
        }
        return take('"');
    }
    // Moves to the escape's last character.
    bool escape() {
        if (++at_ >= text_.size()) return false;
        if (text_[at_] != 'u') return std::string_view("\"\\/bfnrt").find(text_[at_]) != std::string_view::npos;
        for (int k = 0; k < 4; ++k)
            if (++at_ >= text_.size() || !std::isxdigit(static_cast<unsigned char>(text_[at_]))) return false;
        return true;
    }
    bool digits() {
        std::size_t const first = at_;
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
        return at_ > first;
    }
    bool number() {
        word("-");
        if (!word("0") && !digits()) return false;
        if (word(".") && !digits()) return false;
        if (!word("e")) return true;
        return (word("+") || word("-") || true) && digits();
    }
    template <class Item> bool list(char open, char close, Item item) {
        if (!take(open)) return false;
        if (take(close)) return true;
        do {
            if (!item()) return false;
        } while (take(','));
        return take(close);
    }
    bool value() {
        space();
        if (at_ == text_.size()) return false;
        switch (text_[at_]) {
        case '"': return string();
        case '[': return list('[', ']', [this] { return value(); });
        case '{': return list('{', '}', [this] { return string() && take(':') && value(); });
        default: return word("null") || word("true") || word("false") || number();
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};
inline bool is_json(std::string_view text) { return json_checker(text).valid(); }

} // namespace tx::testing
