// This file tests what gradient tapes and forward accumulators refuse, and what explain says.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <thread>

using tx::shape;
using tx::tensor;
using rank0 = tensor<double, shape<>>;
using vec = tensor<double, shape<3>>;

namespace {

bool holds(std::string const& text, std::string const& part) {
    INFO(text);
    bool const found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

} // namespace

TEST_CASE("tape errors: a second gradient of a tape that is not persistent") {
    rank0 const x = 3.0;
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = x * x;
    CHECK(tape.gradient(y, x).item() == 6);
    std::string const words = "GradientTape.gradient can only be called once on non-persistent tapes";
    holds(message_of<tx::tape_error>([&] { (void)tape.gradient(y, x); }), words);
    holds(message_of<tx::tape_error>([&] { (void)tape.jacobian(y, x); }), words);
    holds(message_of<tx::tape_error>([&] { (void)tape.batch_jacobian(y, x); }), words);
    holds(message_of<tx::tape_error>([&] { tape.watch(x); }), words);
    holds(tape.explain(y, x), "forgotten");
}

TEST_CASE("tape errors: no derivative, and why") {
    vec x{1, 2, 3};
    vec const unwatched{1, 1, 1};
    tensor<int, shape<3>> const n{1, 2, 3};
    tx::gradient_tape tape;
    vec const early = x * 2;
    tape.watch(x, n);
    auto const y = x * x;
    auto const gradient = [&](auto const& target, auto const& source) {
        return message_of<tx::tape_error>([&] { (void)tape.gradient(target, source); });
    };
    holds(gradient(y, unwatched), "tx: gradient: there is no derivative with respect to source 0: x is not watched");
    holds(message_of<tx::tape_error>([&] { (void)tape.gradient(y, std::tuple(x, unwatched)); }), "source 1");
    holds(message_of<tx::tape_error>([&] { (void)tape.jacobian(y, unwatched); }), "tx: jacobian: there is no derivative");
    holds(gradient(early, x), "computed before x was watched");
    holds(gradient(y, n), "x is of integer dtype or bool (int32)");
    holds(gradient(tx::stop_gradient(y) * 2, x), "through stop_gradient");
    holds(gradient(tx::floor(y), x), "through floor, which is constant");
    holds(gradient(tx::cast<double>(tx::cast<int>(y)), x), "through cast, whose result is of integer dtype or bool (int32)");
    holds(gradient(tx::cast<int>(y), x), "whose result is of integer dtype");
    holds(tape.explain(y, x), "the tape has its gradient");
    SUBCASE("read by the program") {
        vec const out = unwatched * y(1);
        holds(gradient(out, x), "from elements that the program read itself");
    }
    SUBCASE("computed while stopped") {
        vec z;
        {
            auto const stopped = tape.stop_recording();
            z = x * 2;
        }
        holds(gradient(z, x), "after stop_recording");
        holds(gradient(z * 3, x), "after stop_recording");
    }
    SUBCASE("written to") {
        x.mutable_data()[0] = 5;
        holds(gradient(y, x), "don't write to it afterwards");
    }
    SUBCASE("in another thread") {
        vec z;
        std::thread([&] { z = x * 2; }).join();
        holds(gradient(z, x), "in another thread");
    }
    CHECK(tape.gradient(y, y, tx::unconnected::none)); // what fails doesn't use the tape up
}

TEST_CASE("tape errors: variables are named") {
    tx::variable const w{vec{1, 2, 3}, {.trainable = false, .name = "kernel"}};
    vec const x{1, 2, 3};
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = x * x;
    holds(message_of<tx::tape_error>([&] { (void)tape.gradient(y, std::tie(x, w)); }),
          "tx: gradient: there is no derivative with respect to source 1 (kernel): x is not watched");
    tx::function const traced{[&w](auto a) {
        tx::gradient_tape inner;
        inner.watch(a);
        return std::get<1>(inner.gradient(a * a, std::tie(a, w)));
    }};
    holds(message_of<tx::tape_error>([&] { (void)traced(x); }), "tx: gradient: there is no derivative with respect to source 1 (kernel): a source must be watched");
}

TEST_CASE("tape errors: output gradients") {
    vec const x{1, 2, 3};
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = x * x;
    holds(message_of<tx::shape_error>([&] { (void)tape.gradient(y, x, tensor<double, shape<2>>{1, 2}); }),
          "tx: gradient: the output gradients must have the shapes of the primals: (3,); given (2,)");
    holds(message_of<tx::signature_error>([&] { (void)tape.gradient(y, x, std::tuple(x, x)); }), "with 1 leaves; given 2");
    CHECK(tx::equal(tape.gradient(y, x), vec{2, 4, 6}));
}

TEST_CASE("tape errors: Jacobians") {
    tensor<double, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
    vec const v{1, 2, 3};
    auto const many = tx::ones<double>(shape<1, 1, 1, 1, 1>{});
    tx::gradient_tape tape;
    tape.watch(x, v, many);
    auto const y = x * v;
    holds(message_of<tx::shape_error>([&] { (void)tape.batch_jacobian(y, v); }), "must have the same first extent, that of the batch; given (2, 3) and (3,)");
    holds(message_of<tx::shape_error>([&] { (void)tape.batch_jacobian(tx::sum(y), x); }), "that of the batch");
    holds(message_of<tx::shape_error>([&] { (void)tape.jacobian(many * 2, many); }), "together at most 8 axes");
}

TEST_CASE("tape errors: stopping what is stopped") {
    tx::gradient_tape tape;
    auto const stopped = tape.stop_recording();
    holds(message_of<tx::tape_error>([&] { auto const again = tape.stop_recording(); }), "tx: stop_recording: the tape must be recording");
}

TEST_CASE("forward accumulator errors") {
    vec const x{1, 2, 3}, other{1, 1, 1};
    holds(message_of<tx::shape_error>([&] { tx::forward_accumulator acc{{x, tensor<double, shape<2>>{1, 1}}}; }),
          "tx: forward_accumulator: the tangents must have the shapes of the primals: (3,); given (2,)");
    tx::forward_accumulator acc{{x, other}};
    holds(message_of<tx::tape_error>([&] { (void)acc.jvp(other * 2); }), "tx: forward_accumulator: jvp: y has no derivative");
}
