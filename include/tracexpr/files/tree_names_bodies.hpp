// This file holds the bodies of files/tree_names.hpp and files/tree_forms.hpp.
#pragma once

#include <tracexpr/files/tree_forms.hpp>
#include <tracexpr/files/tree_names.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tx::detail {

TRACEXPR_BODY bool is_mark(std::string_view text) { return !text.empty() && text.find_first_not_of('%') == text.npos; }
// Tells whether the '%' at this place begins an escape: "%2E" for a dot, or a mark. With "25" in between it is a key that looks
// like one of these, written with one "25" more than the key has. All other text is a key as it is.
inline bool begins_escape(std::string_view text, std::size_t at, bool has_dots) {
    std::string_view rest = text.substr(at + 1);
    while (rest.starts_with("25")) rest.remove_prefix(2);
    return (!has_dots && rest.starts_with("2E")) || (rest.empty() && is_mark(text.substr(0, at + 1)));
}
TRACEXPR_BODY std::string text_of_key(std::string_view key, bool has_dots) {
    std::string out;
    for (std::size_t k = 0; k < key.size(); ++k) {
        if (key[k] == '.' && !has_dots) out += "%2E";
        else out += key[k];
        if (key[k] == '%' && begins_escape(key, k, has_dots)) out += "25";
    }
    return out;
}
TRACEXPR_BODY std::string key_of_text(std::string_view text, bool has_dots) {
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        bool const is_escape = text[k] == '%' && begins_escape(text, k, has_dots);
        bool const is_dot = is_escape && text.substr(k + 1).starts_with("2E");
        out += is_dot ? '.' : text[k];
        if (is_escape) k += 2;
    }
    return out;
}
TRACEXPR_BODY std::string text_of_number(std::int64_t number) { return std::to_string(number); }
TRACEXPR_BODY std::string text_of_number(std::uint64_t number) { return std::to_string(number); }
template <class Number> bool is_number_of_text(std::string_view text, Number& out) {
    auto const end = std::from_chars(text.data(), text.data() + text.size(), out);
    return end.ec == std::errc{} && end.ptr == text.data() + text.size();
}
TRACEXPR_BODY bool number_of_text(std::string_view text, std::int64_t& out) { return is_number_of_text(text, out); }
TRACEXPR_BODY bool number_of_text(std::string_view text, std::uint64_t& out) { return is_number_of_text(text, out); }

TRACEXPR_BODY tree_place tree_place::within(std::string_view part) const {
    return {name + '.' + std::string(part), 0, plain_dots};
}
TRACEXPR_BODY tree_place tree_place::within(std::size_t number) const { return within(std::to_string(number)); }
TRACEXPR_BODY tree_place tree_place::in_optional() const { return {name, optionals + 1, plain_dots}; }
TRACEXPR_BODY std::string tree_place::in_file() const { return name.empty() ? "value" : name.substr(1); }
TRACEXPR_BODY std::string tree_place::mark() const { return within(std::string(optionals + 1, '%')).in_file(); }

struct tree_leaf {
    std::string name;
    void* leaf;
    saved_leaf_access const* access; // It is null for the mark of a part that has no leaves.
};
struct tree_leaves {
    std::vector<tree_leaf> all;
};
TRACEXPR_BODY void add_leaf(tree_leaves& all, tree_place const& place, void* leaf, saved_leaf_access const& access) {
    all.all.push_back({place.in_file(), leaf, &access});
}
TRACEXPR_BODY void add_mark(tree_leaves& all, tree_place const& place) { all.all.push_back({place.mark(), nullptr, nullptr}); }

struct given_forms {
    given_forms() = default;
    given_forms(given_forms const&) = delete;
    given_forms& operator=(given_forms const&) = delete;
    ~given_forms() {
        for (given_form const& form : all) form.undo(form.list);
    }
    void keep() { all.clear(); }

    struct given_form {
        void* list;
        void (*undo)(void* list);
    };
    std::vector<given_form> all;
};
TRACEXPR_BODY void add_form(given_forms& all, void* list, void (*undo)(void* list)) { all.all.push_back({list, undo}); }

TRACEXPR_BODY named_parts by_part(name_ends const& ends) {
    std::map<std::string_view, name_ends> parts;
    for (std::string_view const end : ends) {
        if (end.empty()) continue;
        std::size_t const next = std::min(end.find('.', 1), end.size());
        parts[end.substr(1, next - 1)].push_back(end.substr(next));
    }
    named_parts out;
    for (auto& [text, behind] : parts) out.all.emplace_back(text, std::move(behind));
    return out;
}
TRACEXPR_BODY name_ends const& named_parts::behind(std::string_view text) const {
    static name_ends const none;
    auto const found = std::lower_bound(all.begin(), all.end(), text, [](auto const& a, auto const& b) { return a.first < b; });
    return found == all.end() || found->first != text ? none : found->second;
}
TRACEXPR_BODY name_ends const& named_parts::behind(std::size_t number) const { return behind(std::to_string(number)); }

TRACEXPR_BODY name_ends texts_of_keys(name_ends const& ends, bool are_whole) {
    name_ends out;
    for (std::string_view const end : ends)
        if (!end.empty()) out.push_back(end.substr(1, are_whole ? end.npos : std::min(end.find('.', 1), end.size()) - 1));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}
TRACEXPR_BODY bool is_among(name_ends const& texts, std::string_view text) {
    return std::binary_search(texts.begin(), texts.end(), text);
}
TRACEXPR_BODY bool has_named_value(name_ends const& ends, std::size_t optionals) {
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { // A mark of something within says that it is there.
        return end.empty() || !is_mark(end.substr(1)) || end.size() - 1 > optionals + 1;
    });
}
TRACEXPR_BODY std::size_t named_count(name_ends const& ends, std::size_t count) {
    named_parts const parts = by_part(ends);
    auto const is_named = [&](std::size_t number) { return !parts.behind(number).empty(); };
    while (count > 0 && !is_named(count - 1)) --count;
    while (is_named(count)) ++count;
    return count;
}

} // namespace tx::detail
