// This file tests the bridge to Arrow: vectors made of hand-made columns, and columns made of vectors.
#include <tracexpr/arrow.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstring>
#include <string>
#include <vector>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<dyn>>;

namespace {

// A column made by hand, which counts how often its structs are released.
struct column {
    std::vector<std::byte> elements;
    std::vector<unsigned char> valid;
    std::string format;
    void const* buffers[2]{};
    ArrowSchema schema{};
    ArrowArray array{};
    int schemas = 0, arrays = 0;

    template <class T> column(std::vector<T> const& values, std::string of)
        : elements(values.size() * sizeof(T)), format{std::move(of)} {
        if (!values.empty()) std::memcpy(elements.data(), values.data(), elements.size());
        buffers[1] = elements.data();
        schema.format = format.c_str();
        schema.private_data = this;
        schema.release = [](ArrowSchema* s) { ++static_cast<column*>(s->private_data)->schemas, s->release = nullptr; };
        array.length = static_cast<std::int64_t>(values.size());
        array.n_buffers = 2;
        array.buffers = buffers;
        array.private_data = this;
        array.release = [](ArrowArray* a) { ++static_cast<column*>(a->private_data)->arrays, a->release = nullptr; };
    }
    column(column const&) = delete;
    void set_valid(std::vector<unsigned char> bits, std::int64_t nulls) {
        valid = std::move(bits), buffers[0] = valid.data(), array.null_count = nulls;
    }
    template <class T> T const* first() const { return reinterpret_cast<T const*>(elements.data()); }
    bool is_untouched() const { return schemas == 0 && arrays == 0 && schema.release && array.release; }
};

struct exported {
    ArrowSchema schema;
    ArrowArray array;
    exported(std::pair<ArrowSchema, ArrowArray> const& both) : schema{both.first}, array{both.second} {}
    exported(exported const&) = delete;
    ~exported() {
        if (schema.release) schema.release(&schema);
        if (array.release) array.release(&array);
        CHECK(!schema.release);
        CHECK(!array.release);
    }
};

template <class E, class F> std::string message_of(F const& f) {
    try {
        f();
    } catch (E const& e) {
        return e.what();
    }
    return "nothing was thrown";
}

} // namespace

TEST_CASE("arrow: a vector shares a column") {
    column from(std::vector<double>{1, 2, 3}, "g");
    {
        auto x = tx::from_arrow<double>(from.schema, from.array);
        static_assert(std::is_same_v<decltype(x), vec>);
        CHECK(!from.schema.release); // taken over
        CHECK(!from.array.release);
        CHECK(from.schemas == 1);
        CHECK(from.arrays == 0);
        CHECK(x.data() == from.first<double>());
        CHECK(tx::sum(x).item() == 6);
        auto const before = x;
        x(0) = 7;
        CHECK(*from.first<double>() == 1);
        CHECK(before.data() == from.first<double>());
        CHECK(from.arrays == 0);
    }
    CHECK(from.arrays == 1);
    CHECK(from.schemas == 1);
}

TEST_CASE("arrow: a slice of a column") {
    column from(std::vector<std::int32_t>{1, 2, 3, 4}, "i");
    from.array.offset = 1, from.array.length = 2;
    auto const x = tx::from_arrow<int>(from.schema, from.array, tx::copy::never);
    CHECK(x.data() == from.first<std::int32_t>() + 1);
    CHECK(tx::equal(x, tensor<int, shape<dyn>>{2, 3}));
}

TEST_CASE("arrow: copies where the elements can't be shared") {
    SUBCASE("bits") {
        column from(std::vector<unsigned char>{0b10110010, 0b00000011}, "b");
        from.array.length = 7, from.array.offset = 3;
        CHECK_THROWS_AS(static_cast<void>(tx::from_arrow<bool>(from.schema, from.array, tx::copy::never)), tx::error);
        CHECK(from.is_untouched());
        auto const x = tx::from_arrow<bool>(from.schema, from.array);
        CHECK(tx::equal(x, tensor<bool, shape<dyn>>{false, true, true, false, true, true, true}));
        CHECK(from.arrays == 1);
    }
    SUBCASE("small and of known shape") {
        column from(std::vector<double>{1, 2}, "g");
        CHECK_THROWS_AS(static_cast<void>(tx::from_arrow<double, shape<2>>(from.schema, from.array, tx::copy::never)), tx::error);
        CHECK(from.is_untouched());
        CHECK(tx::equal(tx::from_arrow<double, shape<2>>(from.schema, from.array), tensor<double, shape<2>>{1, 2}));
        CHECK(from.arrays == 1);
    }
    SUBCASE("not aligned") {
        column from(std::vector<char>(17), "g");
        double const values[]{1, 2};
        std::memcpy(from.elements.data() + 1, values, sizeof(values));
        from.buffers[1] = from.elements.data() + 1;
        from.array.length = 2;
        CHECK(tx::equal(tx::from_arrow<double>(from.schema, from.array), vec{1, 2}));
        CHECK(from.arrays == 1);
    }
    SUBCASE("if it is asked for") {
        column from(std::vector<double>{1, 2}, "g");
        CHECK(tx::from_arrow<double>(from.schema, from.array, tx::copy::always).data() != from.first<double>());
        CHECK(from.arrays == 1);
    }
}

TEST_CASE("arrow: no elements") {
    column from(std::vector<double>{}, "g");
    from.buffers[1] = nullptr;
    CHECK(tx::from_arrow<double>(from.schema, from.array, tx::copy::never).size() == 0);
    CHECK((from.schemas == 1 && from.arrays == 1));
}

TEST_CASE("arrow: nulls are counted") {
    column from(std::vector<double>{1, 2, 3, 4, 5}, "g");
    auto const given = [&] { return tx::from_arrow<double>(from.schema, from.array); };
    SUBCASE("by the array") { from.set_valid({0b11100111}, 2); }
    SUBCASE("by whoever reads it") { from.set_valid({0b11100111}, -1); }
    CHECK(message_of<tx::error>(given) ==
          "tx: from_arrow: the column must have no nulls; 2 of its 5 elements are null; fill or drop them first");
    CHECK(from.is_untouched());
    from.array.null_count = -1;
    from.array.offset = 1, from.array.length = 2; // which are none of the nulls
    CHECK(tx::equal(given(), vec{2, 3}));
}
TEST_CASE("arrow: bits that say that all are there") {
    column from(std::vector<double>{1, 2}, "g");
    from.set_valid({3}, -1);
    CHECK(tx::from_arrow<double>(from.schema, from.array)(1) == 2);
}

TEST_CASE("arrow: what doesn't fit is refused, and stays the caller's") {
    column from(std::vector<double>{1, 2, 3}, "g");
    auto const given = [&] { return tx::from_arrow<double>(from.schema, from.array); };
    SUBCASE("another dtype") {
        auto const text = message_of<tx::type_error>([&] { return tx::from_arrow<float>(from.schema, from.array); });
        CHECK(text == "tx: from_arrow: the column must be float32 (\"f\"); it is float64");
    }
    SUBCASE("a type that tensors lack") {
        from.schema.format = "tdD";
        CHECK(message_of<tx::type_error>(given) == "tx: from_arrow: the column must be float64 (\"g\"); it is Arrow's \"tdD\"");
    }
    SUBCASE("a dictionary") {
        from.schema.dictionary = &from.schema;
        CHECK_THROWS_AS(given(), tx::type_error);
    }
    SUBCASE("another length") {
        CHECK_THROWS_AS(static_cast<void>(tx::from_arrow<double, shape<4>>(from.schema, from.array)), tx::shape_error);
    }
    SUBCASE("buffers") {
        from.array.n_buffers = 3;
        CHECK(message_of<tx::error>(given) == "tx: from_arrow: the array must have 2 buffers; it has 3");
    }
    SUBCASE("no elements") {
        from.buffers[1] = nullptr;
        CHECK_THROWS_AS(given(), tx::error);
    }
    CHECK(from.is_untouched());
}
TEST_CASE("arrow: released structs are refused") {
    column from(std::vector<double>{1, 2, 3}, "g");
    static_cast<void>(tx::from_arrow<double>(from.schema, from.array));
    CHECK(message_of<tx::error>([&] { return tx::from_arrow<double>(from.schema, from.array); }) ==
          "tx: from_arrow: the schema must not be released; its release is null");
    CHECK(from.arrays == 1);
}

TEST_CASE("arrow: columns of vectors") {
    vec x{1, 2, 3};
    SUBCASE("shared") {
        exported const made(tx::to_arrow(x, "price"));
        CHECK(std::string(made.schema.format) == "g");
        CHECK(std::string(made.schema.name) == "price");
        CHECK((made.schema.n_children == 0 && !made.schema.dictionary && !made.schema.metadata));
        CHECK((made.array.length == 3 && made.array.null_count == 0 && made.array.offset == 0 && made.array.n_buffers == 2));
        CHECK(made.array.buffers[0] == nullptr);
        CHECK(made.array.buffers[1] == x.data());
        x(0) = 9; // goes to elements of x's own
        CHECK(*static_cast<double const*>(made.array.buffers[1]) == 1);
        x = vec{};
        CHECK(static_cast<double const*>(made.array.buffers[1])[2] == 3);
    }
    SUBCASE("a copy") {
        exported const made(tx::to_arrow(x, "", tx::copy::always));
        CHECK(made.array.buffers[1] != x.data());
        CHECK(std::string(made.schema.name).empty());
    }
    SUBCASE("small and of known shape") {
        tensor<float, shape<2>> const small{1, 2};
        CHECK_THROWS_AS(static_cast<void>(tx::to_arrow(small, "", tx::copy::never)), tx::error);
        exported const made(tx::to_arrow(small));
        CHECK(static_cast<float const*>(made.array.buffers[1])[1] == 2);
    }
    SUBCASE("bits") {
        tensor<bool, shape<dyn>> const b{true, false, true, true, false, false, false, true, true};
        CHECK_THROWS_AS(static_cast<void>(tx::to_arrow(b, "", tx::copy::never)), tx::error);
        exported made(tx::to_arrow(b));
        CHECK(std::string(made.schema.format) == "b");
        auto const* const bits = static_cast<unsigned char const*>(made.array.buffers[1]);
        CHECK(bits[0] == 0b10001101);
        CHECK(bits[1] == 1);
        CHECK(tx::equal(tx::from_arrow<bool>(made.schema, made.array), b));
    }
    SUBCASE("a variable's value now") {
        tx::variable<double, shape<dyn>> v{x};
        exported const made(tx::to_arrow(v));
        v.assign(v * 2);
        CHECK(static_cast<double const*>(made.array.buffers[1])[0] == 1);
    }
    SUBCASE("no elements") {
        exported const made(tx::to_arrow(vec{}));
        CHECK(made.array.length == 0);
    }
    SUBCASE("one axis, as only the run tells") {
        exported const made(tx::to_arrow(tensor<double>(x)));
        CHECK(made.array.length == 3);
        tensor<double> const table(tensor<double, shape<1, 2>>{{1, 2}});
        CHECK(message_of<tx::shape_error>([&] { return tx::to_arrow(table); }) ==
              "tx: to_arrow: a column must have one axis; the tensor has shape (1, 2)");
    }
    SUBCASE("back") {
        auto [schema, array] = tx::to_arrow(x);
        vec const y = tx::from_arrow<double>(schema, array);
        CHECK(y.data() == x.data());
        CHECK(!array.release);
    }
}

namespace {
template <class T> void check_both_ways(char const* format) {
    tensor<T, shape<dyn>> const x{static_cast<T>(1.f), static_cast<T>(2.f)};
    exported made(tx::to_arrow(x));
    CHECK(std::string(made.schema.format) == format);
    auto const y = tx::from_arrow<T>(made.schema, made.array);
    CHECK(y.data() == x.data());
}
} // namespace
TEST_CASE("arrow: all dtypes, both ways") {
    check_both_ways<std::int8_t>("c");
    check_both_ways<std::int16_t>("s");
    check_both_ways<std::int32_t>("i");
    check_both_ways<std::int64_t>("l");
    check_both_ways<std::uint8_t>("C");
    check_both_ways<std::uint16_t>("S");
    check_both_ways<std::uint32_t>("I");
    check_both_ways<std::uint64_t>("L");
    check_both_ways<tx::half>("e");
    check_both_ways<float>("f");
    check_both_ways<double>("g");
}

// The layout is that of the standard, on machines with pointers of 8 bytes.
static_assert(sizeof(ArrowSchema) == 72 && offsetof(ArrowSchema, release) == 56 && sizeof(ArrowArray) == 80 &&
              offsetof(ArrowArray, release) == 64);
