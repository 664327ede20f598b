"""Makes small models of usual kinds with ONNX's own builders, and what ONNX Runtime computes with them.

    zoo.py <folder>              writes <folder>/<model>/model.onnx with inputs and outputs, as ONNX's own tests are laid out
    zoo.py <folder> --time       prints, for each model, the time of a run in ONNX Runtime with one thread, in microseconds
"""
import os
import sys
import time

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(7)


class Builder:
    def __init__(self):
        self.nodes, self.initializers, self.count = [], [], 0

    def name(self):
        self.count += 1
        return f"t{self.count}"

    def weight(self, *shape, scale=None):
        fan_in = int(np.prod(shape[1:])) or 1
        return self.array((random.standard_normal(shape) * (scale or 1 / np.sqrt(fan_in))).astype(np.float32))

    def array(self, values):
        out = self.name()
        self.initializers.append(numpy_helper.from_array(np.asarray(values), out))
        return out

    def __call__(self, op, *inputs, outputs=1, **attributes):
        out = [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), out, **attributes))
        return out[0] if outputs == 1 else out

    def model(self, inputs, outputs, opset=17):
        values = lambda all: [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in all]
        graph = helper.make_graph(self.nodes, "zoo", values(inputs), values(outputs), self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        return model


def tensor(name, *shape):
    return (name, TensorProto.FLOAT, list(shape))


def mlp():
    b = Builder()
    x = "x"
    for inner, outer in ((784, 512), (512, 512)):
        x = b("Relu", b("Gemm", x, b.weight(outer, inner), b.weight(outer), transB=1))
    y = b("Softmax", b("Gemm", x, b.weight(10, 512), b.weight(10), transB=1))
    return b.model([tensor("x", 32, 784)], [tensor(y, 32, 10)]), [(32, 784)]


def convnet():
    b = Builder()
    x = "x"
    for channels, filters in ((1, 32), (32, 64)):
        x = b("Relu", b("Conv", x, b.weight(filters, channels, 5, 5), b.weight(filters), pads=[2] * 4))
        x = b("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b("Relu", b("Gemm", b("Flatten", x), b.weight(128, 3136), b.weight(128), transB=1))
    y = b("Gemm", x, b.weight(10, 128), b.weight(10), transB=1)
    return b.model([tensor("x", 8, 1, 28, 28)], [tensor(y, 8, 10)]), [(8, 1, 28, 28)]


def normed(b, x, channels):
    statistics = [b.array(np.abs(random.standard_normal(channels)).astype(np.float32) + 0.5) for _ in range(4)]
    return b("BatchNormalization", x, *statistics)


def resnet():
    b = Builder()
    x = b("Relu", normed(b, b("Conv", "x", b.weight(32, 3, 3, 3), pads=[1] * 4), 32))
    channels = 32
    for filters, stride in ((32, 1), (64, 2), (128, 2)):
        for block in range(2):
            step = stride if block == 0 else 1
            y = b("Relu", normed(b, b("Conv", x, b.weight(filters, channels, 3, 3), pads=[1] * 4, strides=[step] * 2), filters))
            y = normed(b, b("Conv", y, b.weight(filters, filters, 3, 3), pads=[1] * 4), filters)
            if step != 1 or channels != filters:
                x = normed(b, b("Conv", x, b.weight(filters, channels, 1, 1), strides=[step] * 2), filters)
            x = b("Relu", b("Add", x, y))
            channels = filters
    x = b("Flatten", b("GlobalAveragePool", x))
    y = b("Gemm", x, b.weight(100, 128), b.weight(100), transB=1)
    return b.model([tensor("x", 1, 3, 64, 64)], [tensor(y, 1, 100)]), [(1, 3, 64, 64)]


def mobilenet():
    b = Builder()
    x = b("HardSwish", normed(b, b("Conv", "x", b.weight(16, 3, 3, 3), pads=[1] * 4, strides=[2, 2]), 16))
    channels = 16
    for filters, stride in ((24, 2), (24, 1), (48, 2), (48, 1)):
        wide = 4 * channels
        y = b("HardSwish", normed(b, b("Conv", x, b.weight(wide, channels, 1, 1)), wide))
        y = b("HardSwish", normed(b, b("Conv", y, b.weight(wide, 1, 3, 3), pads=[1] * 4, strides=[stride] * 2, group=wide), wide))
        y = normed(b, b("Conv", y, b.weight(filters, wide, 1, 1)), filters)
        x = b("Add", x, y) if stride == 1 and channels == filters else y
        channels = filters
    y = b("Gemm", b("Flatten", b("GlobalAveragePool", x)), b.weight(10, channels), b.weight(10), transB=1)
    return b.model([tensor("x", 1, 3, 96, 96)], [tensor(y, 1, 10)]), [(1, 3, 96, 96)]


def lstm():
    b = Builder()
    hidden, features = 128, 64
    y, last, _ = b("LSTM", "x", b.weight(1, 4 * hidden, features, scale=0.1), b.weight(1, 4 * hidden, hidden, scale=0.1), b.weight(1, 8 * hidden, scale=0.1),
                   outputs=3, hidden_size=hidden)
    y = b("Gemm", b("Squeeze", last, b.array(np.array([0], np.int64))), b.weight(10, hidden), b.weight(10), transB=1)
    return b.model([tensor("x", 50, 8, features)], [tensor(y, 8, 10)]), [(50, 8, features)]


def transformer():
    b = Builder()
    length, width, heads, inner = 128, 256, 4, 1024

    def normal(x):
        return b("LayerNormalization", x, b.weight(width, scale=1.0), b.weight(width, scale=0.1), axis=-1)

    def linear(x, outer, of):
        return b("Add", b("MatMul", x, b.weight(of, outer, scale=of ** -0.5)), b.weight(outer, scale=0.1))

    x = "x"
    for _ in range(2):
        n = normal(x)
        shape = b.array(np.array([length, heads, width // heads], np.int64))
        q, k, v = (b("Transpose", b("Reshape", linear(n, width, width), shape), perm=[1, 0, 2]) for _ in range(3))
        scores = b("Mul", b("MatMul", q, b("Transpose", k, perm=[0, 2, 1])), b.array(np.float32((width // heads) ** -0.5)))
        seen = b("Transpose", b("MatMul", b("Softmax", scores, axis=-1), v), perm=[1, 0, 2])
        x = b("Add", x, linear(b("Reshape", seen, b.array(np.array([length, width], np.int64))), width, width))
        h = linear(normal(x), inner, width)
        half = b("Mul", h, b.array(np.float32(0.5)))
        gelu = b("Mul", half, b("Add", b("Erf", b("Mul", h, b.array(np.float32(0.5 ** 0.5)))), b.array(np.float32(1))))
        x = b("Add", x, linear(gelu, width, inner))
    return b.model([tensor("x", length, width)], [tensor(x, length, width)]), [(length, width)]


def loop():
    """Newton's iteration for the inverse of a matrix, ten times."""
    b = Builder()
    inner = Builder()
    inner.count = 1000
    two = inner.array((2 * np.eye(64)).astype(np.float32))
    rest = inner("Sub", two, inner("MatMul", "a", "s"))
    next_state = inner("MatMul", "s", rest)
    norm = inner("ReduceSum", rest, keepdims=0)
    goes_on = inner("Identity", "goes_on")
    body = helper.make_graph(
        inner.nodes, "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []), helper.make_tensor_value_info("s", TensorProto.FLOAT, [64, 64])],
        [helper.make_tensor_value_info(goes_on, TensorProto.BOOL, []), helper.make_tensor_value_info(next_state, TensorProto.FLOAT, [64, 64]), helper.make_tensor_value_info(norm, TensorProto.FLOAT, [])],
        inner.initializers)
    a = b("Add", b("Mul", "x", b.array(np.float32(0.01))), b.array(np.eye(64, dtype=np.float32)))
    b.nodes[-1].output[0] = "a"
    state = b("Transpose", "a", perm=[1, 0])
    y, sums = b("Loop", b.array(np.int64(10)), "", b("Mul", state, b.array(np.float32(0.5))), outputs=2, body=body)
    return b.model([tensor("x", 64, 64)], [tensor(y, 64, 64), tensor(sums, 10)]), [(64, 64)]


zoo = [mlp, convnet, resnet, mobilenet, lstm, transformer, loop]


def main():
    folder = sys.argv[1]
    for make in zoo:
        model, shapes = make()
        at = os.path.join(folder, make.__name__)
        os.makedirs(os.path.join(at, "test_data_set_0"), exist_ok=True)
        path = os.path.join(at, "model.onnx")
        if not os.path.exists(path):  # a build that depends on it stays as it is
            onnx.save(model, path)
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        names = [i.name for i in session.get_inputs()]
        inputs = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
        outputs = session.run(None, dict(zip(names, inputs)))
        for kind, values in (("input", inputs), ("output", outputs)):
            for k, value in enumerate(values):
                with open(os.path.join(at, "test_data_set_0", f"{kind}_{k}.pb"), "wb") as file:
                    file.write(numpy_helper.from_array(value, (names if kind == "input" else [""] * len(values))[k]).SerializeToString())
        if "--time" in sys.argv[2:]:
            given = dict(zip(names, inputs))
            binding = session.io_binding()
            for name, value in given.items():
                binding.bind_cpu_input(name, value)
            for output in session.get_outputs():
                binding.bind_output(output.name)
            best = float("inf")
            for _ in range(15):
                start, runs = time.perf_counter(), 0
                while time.perf_counter() - start < 0.05:
                    session.run_with_iobinding(binding)
                    runs += 1
                best = min(best, (time.perf_counter() - start) / runs)
            print(make.__name__, round(best * 1e6, 2), flush=True)


main()
