// This file tests the bridge to DLPack: tensors made of capsules, and capsules made of tensors.
#include <tracexpr/tracexpr.hpp>
#include <bridges/dlpack_capsules.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>

using dlpack_tests::lender;
using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<dyn>>;
using mat = tensor<float, shape<dyn, dyn>>;

namespace {

struct discard {
    template <class C> void operator()(C* c) const { c->deleter(c); }
};
template <class C> std::unique_ptr<C, discard> owned(C* c) { return std::unique_ptr<C, discard>(c); }

template <class E, class F> std::string message_of(F const& f) {
    try {
        f();
    } catch (E const& e) {
        return e.what();
    }
    return "nothing was thrown";
}
bool holds(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE_TEMPLATE("dlpack: a tensor shares what a capsule of either kind shows", C, DLManagedTensorVersioned, DLManagedTensor) {
    lender<float, C> from({1, 2, 3, 4, 5, 6}, {2, 3});
    {
        tensor<float, shape<dyn, 3>> const x = tx::from_dlpack<float, shape<dyn, 3>>(&from.capsule);
        CHECK(x.data() == from.first());
        CHECK(x.dimensions() == tx::dims{{2, 3}, 2});
        CHECK(x(1, 0) == 4);
        CHECK(tx::array_equal(x, mat{{1, 2, 3}, {4, 5, 6}}).item());
        auto const copy = x;
        tensor<float> const open = x;
        CHECK(copy.data() == from.first());
        CHECK(open.data() == from.first());
        CHECK(from.discarded == 0);
    }
    CHECK(from.discarded == 1);
}

TEST_CASE("dlpack: the last tensor that shares a capsule discards it, on any thread") {
    lender<float> from({1, 2, 3}, {3});
    auto x = tx::from_dlpack<float, shape<dyn>>(&from.capsule);
    std::thread([y = x] { CHECK(y(2) == 3); }).join();
    CHECK(from.discarded == 0);
    std::thread([y = std::move(x)] { CHECK(y(0) == 1); }).join();
    CHECK(from.discarded == 1);
}

TEST_CASE("dlpack: a write takes a copy first") {
    lender<float> from({1, 2, 3}, {3});
    from.capsule.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    auto x = tx::from_dlpack<float, shape<dyn>>(&from.capsule);
    auto const before = x;
    SUBCASE("of an element") { x(1) = 7; }
    SUBCASE("of all") { x.mutable_data()[1] = 7; }
    SUBCASE("by an op") { x += vec{0, 5, 0}; }
    SUBCASE("as a function's result") {
        tx::function const f{[](auto a) { return a * 3.5f; }};
        f.into(x, x);
    }
    CHECK(x(1) == 7);
    CHECK(x.data() != from.first());
    CHECK(from.elements == std::vector<float>{1, 2, 3});
    CHECK(before.data() == from.first());
    CHECK(from.discarded == 0);
}
TEST_CASE("dlpack: a write by the only tensor of a capsule lets it go") {
    lender<float> from({1, 2, 3}, {3});
    auto x = tx::from_dlpack<float, shape<dyn>>(&from.capsule);
    x(0) = 9;
    CHECK(from.discarded == 1);
    CHECK(tx::array_equal(x, vec{9, 2, 3}).item());
    CHECK(from.elements[0] == 1);
}

TEST_CASE("dlpack: copies where the elements can't be shared") {
    SUBCASE("columns first") {
        lender<float> from({1, 2, 3, 4, 5, 6}, {2, 3});
        from.set_strides({1, 2});
        CHECK_THROWS_AS(static_cast<void>(tx::from_dlpack<float>(&from.capsule, tx::copy::never)), tx::error);
        CHECK(from.discarded == 0);
        CHECK(tx::array_equal(tx::from_dlpack<float>(&from.capsule), mat{{1, 3, 5}, {2, 4, 6}}).item());
        CHECK(from.discarded == 1);
    }
    SUBCASE("backwards") {
        lender<float> from({1, 2, 3, 4}, {2, 2});
        from.set_strides({-2, -1});
        from.tensor().byte_offset = 3 * sizeof(float);
        CHECK(tx::array_equal(tx::from_dlpack<float>(&from.capsule), mat{{4, 3}, {2, 1}}).item());
        CHECK(from.discarded == 1);
    }
    SUBCASE("broadcast") {
        lender<float> from({1, 2}, {3, 2});
        from.set_strides({0, 1});
        CHECK(tx::array_equal(tx::from_dlpack<float>(&from.capsule), mat{{1, 2}, {1, 2}, {1, 2}}).item());
        CHECK(from.discarded == 1);
    }
    SUBCASE("gaps") {
        lender<float> from({1, 2, 0, 3, 4, 0}, {2, 2});
        from.set_strides({3, 1});
        CHECK(tx::array_equal(tx::from_dlpack<float>(&from.capsule), mat{{1, 2}, {3, 4}}).item());
    }
    SUBCASE("not aligned") {
        std::vector<std::byte> bytes(3 * sizeof(float) + 1);
        float const values[]{1, 2, 3};
        std::memcpy(bytes.data() + 1, values, sizeof(values));
        lender<float> from({}, {3});
        from.tensor().data = bytes.data();
        from.tensor().byte_offset = 1;
        CHECK_THROWS_AS(static_cast<void>(tx::from_dlpack<float>(&from.capsule, tx::copy::never)), tx::error);
        CHECK(tx::array_equal(tx::from_dlpack<float>(&from.capsule), vec{1, 2, 3}).item());
        CHECK(from.discarded == 1);
    }
    SUBCASE("small and of known shape") {
        lender<float> from({1, 2, 3}, {3});
        CHECK_THROWS_AS(static_cast<void>(tx::from_dlpack<float, shape<3>>(&from.capsule, tx::copy::never)), tx::error);
        CHECK(from.discarded == 0);
        CHECK(tx::equal(tx::from_dlpack<float, shape<3>>(&from.capsule), tensor<float, shape<3>>{1, 2, 3}));
        CHECK(from.discarded == 1);
    }
    SUBCASE("if it is asked for") {
        lender<float> from({1, 2, 3}, {3});
        vec const x = tx::from_dlpack<float, shape<dyn>>(&from.capsule, tx::copy::always);
        CHECK(x.data() != from.first());
        CHECK(from.discarded == 1);
        CHECK(x(2) == 3);
    }
}

TEST_CASE("dlpack: strides that say the same are shared") {
    lender<float> from({1, 2, 3}, {1, 3, 1});
    from.set_strides({99, 1, -7}); // of axes with one element they mean nothing
    auto const x = tx::from_dlpack<float>(&from.capsule, tx::copy::never);
    CHECK(x.data() == from.first());
    CHECK(x.dimensions() == tx::dims{{1, 3, 1}, 3});
}
TEST_CASE("dlpack: an offset in bytes is shared") {
    lender<float> from({0, 0, 1, 2}, {2});
    from.tensor().byte_offset = 2 * sizeof(float);
    auto const x = tx::from_dlpack<float, shape<dyn>>(&from.capsule, tx::copy::never);
    CHECK(x.data() == from.first() + 2);
}
TEST_CASE("dlpack: large known shapes share too") {
    std::vector<double> values(1000);
    std::iota(values.begin(), values.end(), 0.0);
    lender<double> from(values, {1000});
    auto x = tx::from_dlpack<double, shape<1000>>(&from.capsule, tx::copy::never);
    CHECK(x.data() == from.first());
    CHECK(tx::sum(x).item() == 499500);
    x(0) = 1;
    CHECK(from.elements[0] == 0);
    CHECK(from.discarded == 1);
}

TEST_CASE("dlpack: no axes, no elements") {
    SUBCASE("a scalar") {
        lender<float> from({5}, {});
        from.tensor().shape = nullptr;
        tensor<float> const x = tx::from_dlpack<float>(&from.capsule);
        CHECK(x.rank() == 0);
        CHECK(x.item() == 5);
        CHECK(x.data() == from.first());
    }
    SUBCASE("a scalar of known shape") {
        lender<float> from({5}, {});
        CHECK(tx::from_dlpack<float, shape<>>(&from.capsule).item() == 5);
        CHECK(from.discarded == 1);
    }
    SUBCASE("empty") {
        lender<float> from({}, {2, 0, 3});
        from.tensor().data = nullptr;
        tensor<float> const x = tx::from_dlpack<float>(&from.capsule, tx::copy::never); // there is nothing to copy
        CHECK(x.dimensions() == tx::dims{{2, 0, 3}, 3});
        CHECK(from.discarded == 1);
    }
    SUBCASE("no deleter") {
        lender<float> from({1, 2}, {2});
        from.capsule.deleter = nullptr;
        { auto const x = tx::from_dlpack<float>(&from.capsule); }
        CHECK(tx::from_dlpack<float>(&from.capsule, tx::copy::always)(1) == 2);
    }
}

namespace {
template <class T> void check_both_ways(std::initializer_list<T> values, DLDataType type) {
    tensor<T, shape<dyn>> x(values.size());
    std::copy(values.begin(), values.end(), x.mutable_data());
    auto* const capsule = tx::to_dlpack(x);
    CHECK(capsule->dl_tensor.dtype.code == type.code);
    CHECK(capsule->dl_tensor.dtype.bits == type.bits);
    CHECK(capsule->dl_tensor.dtype.lanes == 1);
    auto const y = tx::from_dlpack<T, shape<dyn>>(capsule);
    CHECK(y.data() == x.data());
    CHECK(std::memcmp(y.data(), std::data(values), values.size() * sizeof(T)) == 0);
}
} // namespace

TEST_CASE("dlpack: all dtypes, both ways") {
    check_both_ways<bool>({true, false, true}, {kDLBool, 8, 1});
    check_both_ways<std::int8_t>({-1, 2}, {kDLInt, 8, 1});
    check_both_ways<std::int16_t>({-1, 2}, {kDLInt, 16, 1});
    check_both_ways<std::int32_t>({-1, 2}, {kDLInt, 32, 1});
    check_both_ways<std::int64_t>({-1, 2}, {kDLInt, 64, 1});
    check_both_ways<std::uint8_t>({1, 255}, {kDLUInt, 8, 1});
    check_both_ways<std::uint16_t>({1, 2}, {kDLUInt, 16, 1});
    check_both_ways<std::uint32_t>({1, 2}, {kDLUInt, 32, 1});
    check_both_ways<std::uint64_t>({1, 2}, {kDLUInt, 64, 1});
    check_both_ways<tx::half>({tx::half(1.5f), tx::half(-2.f)}, {kDLFloat, 16, 1});
    check_both_ways<tx::bfloat16>({tx::bfloat16(1.5f), tx::bfloat16(-2.f)}, {kDLBfloat, 16, 1});
    check_both_ways<float>({1.5f, -2}, {kDLFloat, 32, 1});
    check_both_ways<double>({1.5, -2}, {kDLFloat, 64, 1});
    check_both_ways<std::complex<float>>({{1, 2}, {3, 4}}, {kDLComplex, 64, 1});
    check_both_ways<std::complex<double>>({{1, 2}, {3, 4}}, {kDLComplex, 128, 1});
    lender<std::int64_t> from({1, 2}, {2});
    tensor<std::int64_t> const same = tx::from_dlpack<long long>(&from.capsule); // one dtype has one type
    CHECK(same(1) == 2);
}
TEST_CASE("dlpack: strided elements of 16 bytes") {
    using c128 = std::complex<double>;
    lender<c128> from({1, 2, 3, 4}, {2, 2});
    from.set_strides({1, 2});
    auto const x = tx::from_dlpack<c128, shape<dyn, dyn>>(&from.capsule);
    CHECK(x(0, 1) == c128(3));
    CHECK(x(1, 0) == c128(2));
}

TEST_CASE("dlpack: capsules of tensors") {
    mat x{{1, 2, 3}, {4, 5, 6}};
    SUBCASE("shared, read-only") {
        auto const capsule = owned(tx::to_dlpack(x));
        DLTensor const& t = capsule->dl_tensor;
        CHECK(capsule->version.major == 1);
        CHECK(capsule->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
        CHECK(t.data == x.data());
        CHECK(t.device.device_type == kDLCPU);
        CHECK(t.device.device_id == 0);
        REQUIRE(t.ndim == 2);
        CHECK((t.shape[0] == 2 && t.shape[1] == 3));
        CHECK((t.strides[0] == 3 && t.strides[1] == 1));
        CHECK(t.byte_offset == 0);
        x(0, 0) = 9; // goes to elements of x's own
        CHECK(*static_cast<float const*>(t.data) == 1);
        CHECK(x(0, 0) == 9);
    }
    SUBCASE("outlives the tensor") {
        auto const capsule = owned(tx::to_dlpack(x));
        x = mat{{0}};
        CHECK(static_cast<float const*>(capsule->dl_tensor.data)[5] == 6);
    }
    SUBCASE("a copy") {
        auto const capsule = owned(tx::to_dlpack(x, tx::copy::always));
        CHECK(capsule->flags == DLPACK_FLAG_BITMASK_IS_COPIED);
        CHECK(capsule->dl_tensor.data != x.data());
        static_cast<float*>(capsule->dl_tensor.data)[0] = 7; // is the consumer's
        CHECK(x(0, 0) == 1);
    }
    SUBCASE("small and of known shape: a copy") {
        tensor<float, shape<2>> const small{1, 2};
        CHECK_THROWS_AS(static_cast<void>(tx::to_dlpack(small, tx::copy::never)), tx::error);
        auto const capsule = owned(tx::to_dlpack(small));
        CHECK(capsule->flags == DLPACK_FLAG_BITMASK_IS_COPIED);
        CHECK(static_cast<float const*>(capsule->dl_tensor.data)[1] == 2);
    }
    SUBCASE("legacy: a copy unless shared on purpose") {
        auto const copied = owned(tx::to_dlpack_legacy(x));
        CHECK(copied->dl_tensor.data != x.data());
        auto const shared = owned(tx::to_dlpack_legacy(x, tx::copy::never));
        CHECK(shared->dl_tensor.data == x.data());
    }
    SUBCASE("a variable's value now") {
        tx::variable<float, shape<dyn, dyn>> v{x};
        auto const capsule = owned(tx::to_dlpack(v));
        CHECK(capsule->dl_tensor.data == x.data());
        v.assign(v * 2.f);
        CHECK(static_cast<float const*>(capsule->dl_tensor.data)[1] == 2);
    }
    SUBCASE("never written: zeros that stay") {
        auto const capsule = owned(tx::to_dlpack(tensor<float, shape<1000>>{}, tx::copy::never));
        CHECK(static_cast<float const*>(capsule->dl_tensor.data)[999] == 0);
    }
    SUBCASE("no axes, no elements") {
        auto const scalar = owned(tx::to_dlpack(tensor<double>(3.0)));
        CHECK(scalar->dl_tensor.ndim == 0);
        CHECK(*static_cast<double const*>(scalar->dl_tensor.data) == 3);
        auto const empty = owned(tx::to_dlpack(tensor<double, shape<dyn, 3>>(0, 3)));
        CHECK(empty->dl_tensor.data == nullptr);
        CHECK(empty->dl_tensor.shape[1] == 3);
    }
    SUBCASE("of what is shared itself") {
        lender<float> from({1, 2}, {2});
        {
            auto const capsule = owned(tx::to_dlpack(tx::from_dlpack<float>(&from.capsule)));
            CHECK(capsule->dl_tensor.data == from.first());
            CHECK(capsule->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
            CHECK(from.discarded == 0);
        }
        CHECK(from.discarded == 1);
    }
    SUBCASE("back") {
        float const* const data = x.data();
        mat const y = tx::from_dlpack<float, shape<dyn, dyn>>(tx::to_dlpack(x));
        CHECK(y.data() == data);
        x += 1.f;
        CHECK(y(0, 0) == 1);
        mat z = tx::from_dlpack<float, shape<dyn, dyn>>(tx::to_dlpack_legacy(x));
        z(0, 0) = 0;
        CHECK(x(0, 0) == 2);
    }
}

TEST_CASE("dlpack: what doesn't fit is refused, and stays the caller's") {
    lender<float> from({1, 2, 3, 4, 5, 6}, {2, 3});
    auto const given = [&] { return tx::from_dlpack<float, shape<dyn, 3>>(&from.capsule); };
    SUBCASE("another dtype") {
        auto const text = message_of<tx::type_error>([&] { return tx::from_dlpack<double>(&from.capsule); });
        CHECK(text == "tx: from_dlpack: the capsule's elements must be float64; they are float32");
    }
    SUBCASE("lanes") {
        from.tensor().dtype.lanes = 4;
        CHECK(message_of<tx::type_error>(given) ==
              "tx: from_dlpack: the capsule's elements must be float32; they are float32 of 4 lanes");
    }
    SUBCASE("a dtype that tensors lack") {
        from.tensor().dtype = {kDLFloat8_e4m3fn, 8, 1};
        CHECK(holds(message_of<tx::type_error>(given), "they are type code 10 of 8 bits"));
    }
    SUBCASE("another extent") {
        auto const text = message_of<tx::shape_error>([&] { return tx::from_dlpack<float, shape<dyn, 4>>(&from.capsule); });
        CHECK(text == "tx: from_dlpack: the type says shape (?, 4); given shape (2, 3)");
    }
    SUBCASE("another rank") {
        CHECK_THROWS_AS(static_cast<void>(tx::from_dlpack<float, shape<dyn>>(&from.capsule)), tx::shape_error);
    }
    SUBCASE("too many axes") {
        from.tensor().ndim = 9;
        CHECK(message_of<tx::shape_error>(given) == "tx: from_dlpack: the capsule must have 0 to 8 axes; it has 9");
    }
    SUBCASE("no shape") {
        from.tensor().shape = nullptr;
        CHECK_THROWS_AS(given(), tx::shape_error);
    }
    SUBCASE("a negative extent") {
        from.extents[0] = -1;
        CHECK_THROWS_AS(given(), tx::shape_error);
    }
    SUBCASE("no data") {
        from.tensor().data = nullptr;
        CHECK(holds(message_of<tx::error>(given), "data must not be null"));
    }
    SUBCASE("a GPU that the program doesn't know") {
        from.tensor().device = {kDLCUDA, 3};
        CHECK(holds(message_of<tx::device_error>(given), "they are on CUDA device 3, and no file that nvcc compiles"));
    }
    SUBCASE("another device") {
        from.tensor().device = {kDLMetal, 0};
        CHECK(holds(message_of<tx::device_error>(given), "they are on Metal device 0; copy them to the CPU first"));
        from.tensor().device = {static_cast<DLDeviceType>(77), 1};
        CHECK(holds(message_of<tx::device_error>(given), "unknown (DLDeviceType 77) device 1"));
    }
    SUBCASE("another major version") {
        from.capsule.version = {2, 5};
        from.tensor().ndim = 99; // what follows may be anything
        CHECK(message_of<tx::error>(given) ==
              "tx: from_dlpack: the capsule must be of DLPack's major version 1; it is of version 2.5");
    }
    SUBCASE("strides") {
        from.set_strides({1, 2});
        auto const text = message_of<tx::error>([&] { return tx::from_dlpack<float>(&from.capsule, tx::copy::never); });
        CHECK(text ==
              "tx: from_dlpack: tx::copy::never: the elements can't be shared: its strides are not those of row-major order");
    }
    CHECK(from.discarded == 0);
}
TEST_CASE("dlpack: no capsule") {
    CHECK_THROWS_AS(static_cast<void>(tx::from_dlpack<float>(static_cast<DLManagedTensor*>(nullptr))), tx::error);
}
TEST_CASE("dlpack: a newer minor version, and memory of the host that CUDA knows, are read") {
    lender<float> from({1, 2}, {2});
    from.capsule.version = {1, 99};
    SUBCASE("pinned") { from.tensor().device = {kDLCUDAHost, 0}; }
    SUBCASE("managed") { from.tensor().device = {kDLCUDAManaged, 0}; }
    auto const x = tx::from_dlpack<float, shape<dyn>>(&from.capsule);
    CHECK(x.data() == from.first());
    CHECK(x(1) == 2);
}

// The layout is that of the standard, on machines with pointers of 8 bytes.
static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, device) == 8 && offsetof(DLTensor, dtype) == 20 &&
              offsetof(DLTensor, byte_offset) == 40);
static_assert(sizeof(DLManagedTensor) == 64 && offsetof(DLManagedTensor, deleter) == 56);
static_assert(sizeof(DLManagedTensorVersioned) == 80 && offsetof(DLManagedTensorVersioned, flags) == 24 &&
              offsetof(DLManagedTensorVersioned, dl_tensor) == 32);
