// This file tests .safetensors files: those of the reference implementation are read and written to the byte, and refused where
// it refuses them.
#include "file_checks.hpp"

#include <doctest/doctest.h>

#include <tracexpr/files/byte_source.hpp>

#include <map>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

template <class T> constexpr bool has_code = tx::safetensors_element<T>;

std::string with_header(std::string const& header, std::string const& data = "") {
    std::string out;
    tx::detail::append_little_endian(out, header.size(), 8);
    return out + header + data;
}
// One byte called a, and what else the header says.
std::string one_byte(std::string const& more = "", std::string const& fields = "") {
    return with_header(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1])" + fields + "}" + more + "}", "7");
}
// What is said of a file with this content, without how each message begins.
std::string refusal(std::string const& content) {
    temporary const file("content.safetensors");
    file.write(content);
    std::string const message = message_of<tx::error>([&] { static_cast<void>(tx::load_safetensors(file.path)); });
    std::string const begin = "tx: load_safetensors: " + file.path;
    return message.starts_with(begin) ? message.substr(begin.size()) : message;
}
constexpr char const* accepted = "nothing was thrown";

} // namespace

TEST_CASE("safetensors: what the reference implementation wrote") {
    std::string const path = data_file("reference.safetensors");
    tx::named_tensors const all = tx::load_safetensors(path);
    CHECK(all.size() == 17);
    for_each_dtype([&]<class T>(T, std::string const& name) {
        if constexpr (has_code<T>) {
            CAPTURE(name);
            CHECK(same(tx::load_safetensors<T>(path, name), expected<T>()));
            CHECK(same(tx::load_safetensors<T, shape<dyn, 3>>(path, name), expected<T>()));
            CHECK(same(std::get<tensor<T>>(all.at(name)), expected<T>()));
        }
    });
    CHECK(tx::load_safetensors<float>(path, "scalar").item() == 1.5f);
    CHECK(tx::load_safetensors<std::int16_t>(path, "none").extents() == std::vector{0, 3});
    CHECK(same(tx::load_safetensors<std::uint8_t>(path, "\u03a9 \"\\\n"), tensor<std::uint8_t>{0, 1, 2}));
    CHECK(tx::load_safetensors_metadata(path) == std::map<std::string, std::string>{{"by \"safetensors\"", "0.8.0\t\u00e9"}});

    temporary const file("written.safetensors");
    tx::save_safetensors(file.path, all, tx::load_safetensors_metadata(path));
    CHECK(content_of(file.path) == content_of(path));
}

TEST_CASE("safetensors: what is written is read") {
    temporary const file("small.safetensors");
    tx::save_safetensors(file.path, {{"w", tensor<float, shape<1, 2>>{{1, 2}}}, {"b", tensor<bool>{true}}}, {{"format", "pt"}});
    CHECK(content_of(file.path) ==
          with_header(R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                      R"("b":{"dtype":"BOOL","shape":[1],"data_offsets":[8,9]}})"
                      "   ",
                      std::string("\0\0\x80\x3f\0\0\0\x40\1", 9)));
    CHECK(same(tx::load_safetensors<bool>(file.path, "b"), tensor<bool>{true}));
    CHECK(message_of<tx::error>([&] { tx::save_safetensors(file.path, {{"w", tensor<float>{3}}, {"w", tensor<float>{5}}}); }) ==
          "tx: save_safetensors: " + file.path + ": each array must have a name of its own; given \"w\" twice");
    tx::save_safetensors(file.path, {});
    CHECK(content_of(file.path) == with_header("{}      "));
    CHECK(tx::load_safetensors(file.path).empty());
    CHECK(tx::load_safetensors_metadata(file.path).empty());
}

TEST_CASE("safetensors: headers that the reference implementation takes") {
    CHECK(refusal(with_header("{}")) == accepted);
    CHECK(refusal(one_byte()) == accepted);
    CHECK(refusal(one_byte(R"(,"__metadata__":{"k":"v"})")) == accepted);
    CHECK(refusal(with_header("{ \"a\" : {\t\"shape\" : [ ] ,\n\"data_offsets\": [0 , 1],\r\"dtype\":\"I8\"} } \n\t\r", "7")) ==
          accepted);
    // Empty arrays share a place, and arrays need no alignment.
    CHECK(refusal(with_header(
              R"({"z":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"y":{"dtype":"F32","shape":[1],"data_offsets":[1,5]},)"
              R"("x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"U8","shape":[0,2],"data_offsets":[0,0]}})",
              "12345")) == accepted);
    temporary const file("names.safetensors");
    file.write(with_header(R"({"\u0061\ud83d\ude00\"\/\b":{"dtype":"U8","shape":[],"data_offsets":[0,1]}})", "7"));
    CHECK(tx::load_safetensors(file.path).begin()->first == "a\U0001f600\"/\b");
    file.write(with_header(R"({"a":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})", std::string("\2\0\1", 3)));
    CHECK(same(tx::load_safetensors<bool>(file.path, "a"), tensor<bool>{true, false, true}));
}

TEST_CASE("safetensors: what it refuses is refused") {
    CHECK(refusal("") == ": is no .safetensors file: it has less than 8 bytes");
    CHECK(refusal("1234567") == ": is no .safetensors file: it has less than 8 bytes");
    CHECK(refusal(std::string(8, '\xff')) ==
          ": is no .safetensors file: its header would have 18446744073709551615 bytes, at most 100,000,000 may be");
    CHECK(refusal(std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10)) ==
          ": is no .safetensors file: its header would have 100000001 bytes, at most 100,000,000 may be");
    CHECK(refusal(std::string("\3\0\0\0\0\0\0\0{}", 10)) == ": ends within its header");
    auto const damage = [](std::string const& header, std::string const& data = "7") {
        std::string const said = refusal(with_header(header, data)), begin = ": its header is damaged: ";
        return said.starts_with(begin) ? said.substr(begin.size()) : said;
    };
    CHECK(damage("") == "it does not begin with {");
    CHECK(damage(" {}") == "it does not begin with {");
    CHECK(damage("{\"\xff\":1}") == "it is no UTF-8");
    CHECK(damage("{} {}") == "more follows what it says");
    CHECK(damage(std::string("{}\0", 3)) == "more follows what it says");
    CHECK(damage("{\"a\"") == ": is missing before \"\"");
    CHECK(damage("{a}") == "a text in quotes is missing before \"a}\"");
    CHECK(damage("{\"a") == "a text does not end");
    CHECK(damage("{\"a\n\":1}") == "a text holds a control character: \"a\\x0a\"");
    CHECK(damage(R"({"\x":1})") == "JSON has no \"\\x\"");
    CHECK(damage("{\"\\") == "JSON has no \"\\\"");
    CHECK(damage(R"({"\u12g4":1})") == "a number of four hexadecimal digits is missing before \"12g4\":1}\"");
    CHECK(damage(R"({"\ud83d":1})") == "an escaped character is none of Unicode's");
    CHECK(damage(R"({"\ud83d\u0061":1})") == "an escaped character is none of Unicode's");
    CHECK(damage(R"({"\ude00":1})") == "an escaped character is none of Unicode's");
    CHECK(damage(R"({"a":["U8",[1],[0,1]]})") == "{ is missing before \"[\"U8\",[1],[0,1]]}\"");
    CHECK(damage(R"({"a":{"dtype":"U8","shape":[1]}})") == "it must say dtype, shape and data_offsets of \"a\"");
    CHECK(damage(R"({"a":{"dtype":"U8","dtype":"U8"}})") == "dtype is given twice");
    CHECK(damage(R"({"a":{"device":"cpu"}})") == "no file says \"device\"");
    CHECK(damage(R"({"a":{"shape":[1.0]}})") == "] is missing before \".0]}}\"");
    CHECK(damage(R"({"a":{"shape":[-1]}})") == "a whole number is missing before \"-1]}}\"");
    CHECK(damage(R"({"a":{"shape":[01]}})") == "a whole number is missing before \"01]}}\"");
    CHECK(damage(R"({"a":{"shape":[1,]}})") == "a whole number is missing before \"]}}\"");
    CHECK(damage(R"({"a":{"shape":[99999999999999999999]}})") == "a number has 20 digits");
    CHECK(damage(R"({"a":{"data_offsets":[0]}})") == "data_offsets are two numbers");
    CHECK(damage(R"({"__metadata__":{"a":1}})") == "a text in quotes is missing before \"1}}\"");
    CHECK(damage(R"({"__metadata__":null})") == "{ is missing before \"null}\"");
    CHECK(damage(R"({"__metadata__":{},"__metadata__":{}})") == "\"__metadata__\" is given twice");
    CHECK(damage(R"({"__metadata__":{"k":"","k":""}})") == "\"k\" is given twice");
    CHECK(refusal(one_byte(R"(,"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})")) ==
          ": its header is damaged: \"a\" is given twice");
    CHECK(refusal(one_byte() + "7") == ": its arrays take 1 bytes; 2 follow the header");
    CHECK(refusal(one_byte().substr(0, one_byte().size() - 1)) == ": its arrays take 1 bytes; 0 follow the header");

    auto const array = [](std::string const& dtype, std::string const& extents, std::string const& offsets,
                          std::string const& more = "") {
        return with_header("{\"a\":{\"dtype\":\"" + dtype + "\",\"shape\":" + extents + ",\"data_offsets\":" + offsets + "}" +
                               more + "}",
                           std::string(24, '\0'));
    };
    CHECK(refusal(array("U8", "[23]", "[1,24]")) == " (a): its bytes 1 to 24 do not follow those before, which end at 0");
    CHECK(refusal(array("U8", "[1]", "[1,0]")) == " (a): its bytes 1 to 0 do not follow those before, which end at 0");
    CHECK(refusal(array("U8", "[20]", "[0,20]", R"(,"b":{"dtype":"U8","shape":[5],"data_offsets":[19,24]})")) ==
          " (b): its bytes 19 to 24 do not follow those before, which end at 20");
    CHECK(refusal(array("U8", "[20]", "[0,20]", R"(,"b":{"dtype":"U8","shape":[3],"data_offsets":[21,24]})")) ==
          " (b): its bytes 21 to 24 do not follow those before, which end at 20");
    CHECK(refusal(array("U9", "[24]", "[0,24]")) == " (a): has dtype \"U9\", which the format has not");
    CHECK(refusal(array("F32", "[5]", "[0,24]")) == " (a): has 24 bytes, but its shape and dtype take 160 bits");
    CHECK(refusal(array("F4", "[3]", "[0,1]")) == " (a): has 1 bytes, but its shape and dtype take 12 bits");
    CHECK(refusal(array("U8", "[4294967296,4294967296]", "[0,24]")) == " (a): its array is larger than memory can be");
    CHECK(refusal(array("U8", "[4294967296,4294967296,0]", "[0,0]")) == " (a): its array is larger than memory can be");
}

TEST_CASE("safetensors: arrays that tensors can't be, beside others") {
    temporary const file("others.safetensors");
    std::string const header =
        R"({"f4":{"dtype":"F4","shape":[2],"data_offsets":[0,1]},"f8":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[1,2]},)"
        R"("axes":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[2,3]},"good":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})";
    file.write(with_header(header, "1234"));
    CHECK(tx::load_safetensors<std::uint8_t>(file.path, "good").item() == '4');
    std::string const begin = "tx: load_safetensors: " + file.path;
    CHECK(message_of<tx::type_error>([&] { static_cast<void>(tx::load_safetensors<float>(file.path, "f8")); }) ==
          begin + " (f8): holds dtype \"F8_E4M3\", which tensors don't have");
    CHECK(message_of<tx::type_error>([&] { static_cast<void>(tx::load_safetensors<float>(file.path, "f4")); }) ==
          begin + " (f4): holds dtype \"F4\", which tensors don't have");
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::load_safetensors<std::uint8_t>(file.path, "axes")); }) ==
          begin + " (axes): a tensor has at most 8 axes; the file's array has 9");
    CHECK(message_of<tx::type_error>([&] { static_cast<void>(tx::load_safetensors<float>(file.path, "good")); }) ==
          begin + " (good): holds dtype U8; asked for float32 (F32): load it as what it is, then tx::cast");
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::load_safetensors<std::uint8_t, shape<2>>(file.path, "good")); }) ==
          begin + " (good): the type says shape (2,); the file has (1,)");
    CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_safetensors<float>(file.path, "bad")); }) ==
          begin + ": has no array bad; it has: axes, f4, f8, good");
    CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_safetensors("no_such_file")); }) ==
          "tx: load_safetensors: no_such_file: can't be opened to read");
}

TEST_CASE("safetensors: what the format has not") {
    temporary const file("not.safetensors");
    auto const refuses = [&](tx::named_tensors const& tensors, std::map<std::string, std::string> const& metadata = {}) {
        return message_of<tx::error>([&] { tx::save_safetensors(file.path, tensors, metadata); });
    };
    std::string const begin = "tx: save_safetensors: " + file.path;
    CHECK(refuses({{"c", tensor<std::complex<double>>{1}}}) ==
          begin + " (c): has dtype complex128, which .safetensors files don't have; save it as .npz");
    CHECK(refuses({{"s", tensor<std::string>{"a"}}}) ==
          begin + " (s): has dtype string, which .safetensors files don't have; save it as .npz");
    CHECK(refuses({{"\xff", tensor<float>{1}}}) == begin + ": a name must be UTF-8; given \"\\xff\"");
    CHECK(refuses({{"__metadata__", tensor<float>{1}}}) ==
          begin + ": no array may be called __metadata__: it is what the format calls its own");
    CHECK(refuses({}, {{"k", "\xff"}}) == begin + ": metadata must be UTF-8; given \"\\xff\"");
    CHECK(refuses({}, {{"\xff", ""}}) == begin + ": metadata must be UTF-8; given \"\\xff\"");
    CHECK(refuses({}, {{"k", std::string(100'000'000, ' ')}}) ==
          begin + ": its names and metadata take more than the 100,000,000 bytes that they may");
    CHECK_FALSE(std::filesystem::exists(file.path));
}
