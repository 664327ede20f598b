// Records operators of ONNX on strings, and casts. Results that depend on the letters of strings are computed while the model is
// traced, and the trace is then valid for these strings only.
#pragma once

#include <tracexpr/onnx/operators/indexing.hpp>

#include <charconv>

namespace tx::onnx::detail {

// Returns the strings of an operand, which are kept as long as the program runs.
inline std::vector<std::string_view> known_texts(op_call const& c, std::size_t k) {
    std::shared_ptr<host_array const> const x = elements_of(c, k);
    if (x->type != dtype::string) c.fail("takes strings");
    std::vector<std::string_view> out;
    for (std::int64_t i = 0; i < x->shape.size(); ++i) {
        interned text;
        std::memcpy(static_cast<void*>(&text), x->bytes.data() + static_cast<std::size_t>(i) * sizeof(text), sizeof(text));
        out.push_back(text.str());
    }
    return out;
}

// Returns the shortest digits that give this number again, as Python writes them: 0.1, 1000000.0, 1e-07, nan.
template <class T> std::string shown_number(T x) {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    char memory[64];
    char const* const end = std::to_chars(memory, memory + sizeof(memory), x, std::chars_format::scientific).ptr;
    std::string const all(memory, static_cast<std::size_t>(end - memory));
    int exponent = 0;
    std::size_t const e = all.find('e');
    std::from_chars(all.data() + e + (all[e + 1] == '+' ? 2 : 1), all.data() + all.size(), exponent);
    if (exponent < -4 || exponent >= 16) return all;
    char const* const stop = std::to_chars(memory, memory + sizeof(memory), x, std::chars_format::fixed).ptr;
    std::string const whole(memory, static_cast<std::size_t>(stop - memory));
    return whole.find('.') == whole.npos ? whole + ".0" : whole;
}
inline node_id texts_of_numbers(op_call const& c, std::size_t k) {
    std::shared_ptr<host_array const> const x = elements_of(c, k);
    std::vector<std::string> out;
    with_element(x->type, [&]<class T>(T const&) {
        for (std::int64_t i = 0; i < x->shape.size(); ++i) {
            T const v = x->template data<T>()[i];
            if constexpr (std::is_floating_point_v<T>) out.push_back(shown_number(v));
            else if constexpr (tx::is_small_float(dtype_of<T>)) out.push_back(shown_number(static_cast<float>(v)));
            else if constexpr (std::is_integral_v<T>) out.push_back(std::to_string(v));
            else c.fail("complex numbers are not cast to strings");
        }
    });
    return texts_of(c, std::vector<std::string_view>(out.begin(), out.end()), x->shape);
}
inline double number_of_text(op_call const& c, std::string_view text) {
    std::string_view const digits = text.starts_with('+') ? text.substr(1) : text;
    double out = 0;
    auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) c.fail(quoted_piece(text) + " is no number");
    return out;
}
inline node_id numbers_of_texts(op_call const& c, std::size_t k, dtype to) {
    std::vector<std::string_view> const texts = known_texts(c, k);
    stored_tensor const out = room_for(to, elements_of(c, k)->shape);
    with_element(to, [&]<class T>(T const&) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            T v{};
            if constexpr (std::is_floating_point_v<T>) v = static_cast<T>(number_of_text(c, texts[i]));
            else if constexpr (tx::is_small_float(dtype_of<T>)) v = T(static_cast<float>(number_of_text(c, texts[i])));
            else if constexpr (std::is_integral_v<T>) v = static_cast<T>(whole_number(number_of_text(c, texts[i])));
            else c.fail("strings are cast to real numbers");
            std::memcpy(writable(out) + i * sizeof(T), static_cast<void const*>(&v), sizeof(T));
        }
    });
    return c.tracer().record_stored(out, nullptr);
}
inline node_id cast_operand(op_call const& c, dtype to) {
    dtype const from = c.type(c[0]);
    if (from == to) return c[0];
    if (from == dtype::string) return numbers_of_texts(c, 0, to);
    return to == dtype::string ? texts_of_numbers(c, 0) : c.as(c[0], to);
}
inline void record_cast(op_call& c) {
    if (!c.has_attribute("to")) c.fail("needs its attribute to");
    // int4 and uint4 are kept in int8 and uint8, so numbers are reduced to the bits that they have.
    std::int64_t const to = c.integer("to", 0);
    dtype const type = c.type_numbered(to);
    if (!has_four_bits(to)) return c.give(cast_operand(c, type));
    node_id const x = c[0];
    double const least = type == dtype::int8 ? -8 : 0;
    if (c.type(x) == dtype::string || is_complex(c.type(x))) c.fail("casts real numbers to four bits");
    node_id const wide = c.as(x, is_floating(c.type(x)) ? c.type(x) : dtype::int64);
    node_id const cut =
        c.append(op::minimum, c.append(op::maximum, wide, c.number_like(wide, least)), c.number_like(wide, least + 15));
    traced_value out{&c.low().scope(), c.as(cut, type), {}, false};
    out.is_of_four_bits = true;
    c.give(0, out);
}
inline void record_cast_like(op_call& c) { c.give(cast_operand(c, c.type(c[1]))); }

// Converts ASCII letters to upper or lower case; other letters are copied.
inline std::string in_case(std::string_view text, bool upper) {
    std::string out(text);
    for (char& l : out)
        if (upper ? l >= 'a' && l <= 'z' : l >= 'A' && l <= 'Z') l = static_cast<char>(l ^ 0x20);
    return out;
}
inline void record_string_normalizer(op_call& c) {
    std::vector<std::string_view> const texts = known_texts(c, 0);
    dims const d = c.known_shape(c[0]);
    if (d.rank != 1 && (d.rank != 2 || d[0] != 1)) c.fail("takes strings of shape (n) or (1, n)");
    std::string_view const action = c.text("case_change_action", "NONE");
    bool const is_exact = c.integer("is_case_sensitive", 0) != 0;
    auto const key = [&](std::string_view t) { return is_exact ? std::string(t) : in_case(t, false); };
    std::vector<std::string> stops, out;
    for (std::string_view const t : c.texts("stopwords")) stops.push_back(key(t));
    for (std::string_view const t : texts)
        if (std::find(stops.begin(), stops.end(), key(t)) == stops.end())
            out.push_back(action == "NONE" ? std::string(t) : in_case(t, action == "UPPER"));
    if (out.empty()) out.emplace_back();
    dims shape = d;
    shape[d.rank - 1] = static_cast<std::int64_t>(out.size());
    c.give(texts_of(c, std::vector<std::string_view>(out.begin(), out.end()), shape));
}
// Returns the parts between delimiters; without a delimiter, those between runs of white space.
inline std::vector<std::string_view> parts_of_text(std::string_view text, std::string_view delimiter, std::int64_t most) {
    constexpr std::string_view spaces = " \t\n\r\f\v";
    bool const by_spaces = delimiter.empty();
    std::vector<std::string_view> out;
    auto const skip = [&] {
        if (by_spaces) text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    };
    for (skip(); !by_spaces || !text.empty(); skip()) {
        std::size_t const end = by_spaces ? text.find_first_of(spaces) : text.find(delimiter);
        if (end == text.npos || static_cast<std::int64_t>(out.size()) == most) {
            std::size_t const last = by_spaces ? text.find_last_not_of(spaces) + 1 : text.size();
            out.push_back(text.substr(0, last));
            return out;
        }
        out.push_back(text.substr(0, end));
        text.remove_prefix(end + (by_spaces ? 1 : delimiter.size()));
    }
    return out;
}
inline void record_string_split(op_call& c) {
    std::vector<std::string_view> const texts = known_texts(c, 0);
    dims shape = c.known_shape(c[0]);
    if (shape.rank == max_rank) c.fail("takes at most 7 axes");
    std::int64_t const most = c.integer("maxsplit", std::numeric_limits<std::int64_t>::max());
    std::vector<std::vector<std::string_view>> parts;
    std::vector<std::int64_t> counts;
    std::size_t columns = 0;
    for (std::string_view const t : texts) {
        parts.push_back(parts_of_text(t, c.text("delimiter", ""), most));
        counts.push_back(static_cast<std::int64_t>(parts.back().size()));
        columns = std::max(columns, parts.back().size());
    }
    std::vector<std::string_view> all;
    for (auto const& p : parts) {
        all.insert(all.end(), p.begin(), p.end());
        all.resize(all.size() + columns - p.size());
    }
    c.give(1, c.reshape(c.integers(counts), shape));
    shape.push_back(static_cast<std::int64_t>(columns));
    c.require_possible(shape);
    c.give(0, texts_of(c, all, shape));
}

// Counts how often the n-grams that an attribute lists occur, also those whose elements aren't adjacent, and weights the counts.
class gram_counter {
public:
    explicit gram_counter(op_call const& c)
        : call_{c}, least_{c.integer("min_gram_length", 1)}, most_{c.integer("max_gram_length", 1)},
          skips_{c.integer("max_skip_count", 0)}, places_{c.integers("ngram_indexes")}, weights_{c.numbers("weights")} {
        std::vector<std::string> pool;
        for (std::int64_t const v : c.integers("pool_int64s")) pool.push_back(std::to_string(v));
        if (pool.empty())
            for (std::string_view const t : c.texts("pool_strings")) pool.emplace_back(t);
        std::vector<std::int64_t> const starts = c.integers("ngram_counts");
        for (std::size_t n = 0; n < starts.size(); ++n) {
            std::int64_t const end = n + 1 < starts.size() ? starts[n + 1] : static_cast<std::int64_t>(pool.size());
            if (starts[n] < 0 || end < starts[n] || end > static_cast<std::int64_t>(pool.size()))
                c.fail("its ngram_counts lie outside of the pool");
            auto const length = static_cast<std::ptrdiff_t>(n + 1);
            for (std::int64_t at = starts[n]; at + length <= end; at += length)
                numbers_.emplace(std::vector<std::string>(pool.begin() + at, pool.begin() + at + length), numbers_.size());
        }
        constexpr std::int64_t most_columns = 1 << 24, most_length = 64;
        for (std::int64_t const p : places_) {
            if (p < 0 || p >= most_columns) c.fail("its ngram_indexes must be numbers of columns");
            columns_ = std::max(columns_, static_cast<std::size_t>(p) + 1);
        }
        if (least_ < 1 || most_ < least_ || most_ > most_length || skips_ < 0 || skips_ > most_columns ||
            numbers_.size() > places_.size())
            c.fail("needs lengths of at most 64, and a column for each of its ngrams");
        if (!weights_.empty() && weights_.size() < numbers_.size()) c.fail("needs a weight for each of its ngrams");
    }
    std::size_t columns() const { return columns_; }
    void count(std::vector<std::string> const& row, float* out) const {
        std::string_view const mode = call_.text("mode", "TF");
        auto const size = static_cast<std::int64_t>(row.size());
        for (std::int64_t n = least_; n <= most_; ++n)
            // with one element there is nothing to skip
            for (std::int64_t step = 1; step <= (n == 1 ? 1 : std::min(skips_ + 1, size)); ++step)
                for (std::int64_t start = 0; start + (n - 1) * step < size; ++start) {
                    std::vector<std::string> gram;
                    for (std::int64_t k = 0; k < n; ++k) gram.push_back(row[static_cast<std::size_t>(start + k * step)]);
                    auto const known = numbers_.find(gram);
                    if (known == numbers_.end()) continue;
                    float& at = out[places_[known->second]];
                    float const weight = weights_.empty() ? 1 : weights_[known->second];
                    if (mode == "IDF") at = weight;
                    else at += mode == "TFIDF" ? weight : 1;
                }
    }

private:
    op_call const& call_;
    std::int64_t least_, most_, skips_;
    std::vector<std::int64_t> places_;
    std::vector<float> weights_;
    std::map<std::vector<std::string>, std::size_t> numbers_;
    std::size_t columns_ = 0;
};
inline void record_tf_idf(op_call& c) {
    gram_counter const counter(c);
    dims const d = c.known_shape(c[0]);
    if (d.rank != 1 && d.rank != 2) c.fail("takes rows of strings or integers");
    std::vector<std::string> all;
    if (c.type(c[0]) == dtype::string)
        for (std::string_view const t : known_texts(c, 0)) all.emplace_back(t);
    else
        for (std::int64_t const v : c.known_integers(0)) all.push_back(std::to_string(v));
    std::size_t const rows = d.rank == 1 ? 1 : static_cast<std::size_t>(d[0]), length = static_cast<std::size_t>(d[d.rank - 1]);
    dims shape = d;
    shape[d.rank - 1] = static_cast<std::int64_t>(counter.columns());
    c.require_possible(shape);
    std::vector<float> out(rows * counter.columns());
    for (std::size_t r = 0; r < rows; ++r) {
        auto const first = all.begin() + static_cast<std::ptrdiff_t>(r * length);
        counter.count({first, first + static_cast<std::ptrdiff_t>(length)}, out.data() + r * counter.columns());
    }
    c.give(c.reshape(floats_of(c, out), shape));
}

} // namespace tx::onnx::detail
