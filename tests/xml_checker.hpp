// This file checks XML, for tests of functions that write SVG and HTML.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace tx::testing {

// Checks whether a text is a well-formed XML document (as far as elements, attributes and the predefined entities go); it may
// begin with <!DOCTYPE html>.
class xml_checker {
public:
    explicit xml_checker(std::string_view text) : text_{text} {}
    bool valid() {
        word("<!DOCTYPE html>"), space();
        if (!element()) return false;
        return space(), at_ == text_.size();
    }

private:
    void space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool word(std::string_view w) { return text_.substr(at_, w.size()) == w ? at_ += w.size(), true : false; }
    std::string_view name() {
        std::size_t const first = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_[at_] == ':'))
            ++at_;
        return text_.substr(first, at_ - first);
    }
    // Reads characters until one of `ends`.
    bool characters(std::string_view ends) {
        while (at_ < text_.size() && ends.find(text_[at_]) == std::string_view::npos) {
            char const c = text_[at_];
            if (c == '<' || (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t')) return false;
            if (c == '&') {
                if (!word("&amp;") && !word("&lt;") && !word("&gt;") && !word("&quot;")) return false;
            } else {
                ++at_;
            }
        }
        return at_ < text_.size();
    }
    bool attributes() {
        std::vector<std::string_view> seen;
        for (space(); at_ < text_.size() && text_[at_] != '>' && text_[at_] != '/'; space()) {
            std::string_view const key = name();
            for (std::string_view const other : seen)
                if (other == key) return false;
            seen.push_back(key);
            if (key.empty() || !word("=\"") || !characters("\"") || !word("\"")) return false;
        }
        return true;
    }
    bool element() {
        if (!word("<")) return false;
        std::string_view const tag = name();
        if (tag.empty() || !attributes()) return false;
        if (word("/>")) return true;
        if (!word(">")) return false;
        while (true) {
            if (!characters("<")) return false;
            if (word("</")) return name() == tag && word(">");
            if (!element()) return false;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};
inline bool is_xml(std::string_view text) { return xml_checker(text).valid(); }
inline std::size_t count_of(std::string_view text, std::string_view what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
    return count;
}

} // namespace tx::testing
