#!/usr/bin/env python3
"""The convolutions of conv.cpp by ONNX Runtime, one thread: pip install onnxruntime onnx numpy. Prints microseconds and Gflop/s."""
import time

import numpy
import onnxruntime
from onnx import TensorProto, helper


def run(name, x, w, strides, pads, group=1):
    """x and w have channels last, as in conv.cpp; ONNX wants them first."""
    x, w = [x[0], x[-1], *x[1:-1]], [w[-1], w[-2], *w[:-2]]
    filters = (numpy.arange(numpy.prod(w)) % 13 - 6).astype(numpy.float32)
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=strides, pads=pads, group=group)
    graph = helper.make_graph([node], "conv", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [helper.make_tensor("w", TensorProto.FLOAT, w, filters)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    given = {"x": (numpy.arange(numpy.prod(x)) % 17 - 8).astype(numpy.float32).reshape(x)}
    result = session.run(None, given)[0]
    best = 1e9
    for _ in range(7):
        start, count = time.perf_counter(), 0
        while time.perf_counter() - start < 0.05:
            session.run(None, given)
            count += 1
        best = min(best, (time.perf_counter() - start) / count)
    flops = 2.0 * result.size * numpy.prod(w[1:])
    print(f"conv/{name:28} {best * 1e6:10.1f} us {flops / best * 1e-9:8.1f} Gflop/s")


run("resnet/7x7_step2", [1, 224, 224, 3], [7, 7, 3, 64], [2, 2], [3] * 4)
run("resnet/56x56_64", [1, 56, 56, 64], [3, 3, 64, 64], [1, 1], [1] * 4)
run("resnet/56x56_1x1", [1, 56, 56, 64], [1, 1, 64, 256], [1, 1], [0] * 4)
run("resnet/28x28_128", [1, 28, 28, 128], [3, 3, 128, 128], [1, 1], [1] * 4)
run("resnet/14x14_256", [1, 14, 14, 256], [3, 3, 256, 256], [1, 1], [1] * 4)
run("resnet/7x7_512", [1, 7, 7, 512], [3, 3, 512, 512], [1, 1], [1] * 4)
run("mobilenet/112x112_each", [1, 112, 112, 32], [3, 3, 1, 32], [1, 1], [1] * 4, 32)
run("mobilenet/56x56_each", [1, 56, 56, 128], [3, 3, 1, 128], [1, 1], [1] * 4, 128)
run("audio/16000_window80", [1, 16000, 1], [80, 1, 32], [4], [0, 0])
run("audio/3980_32", [1, 3980, 32], [3, 32, 64], [1], [1, 1])
run("video/16x56x56_16", [1, 16, 56, 56, 16], [3, 3, 3, 16, 32], [1] * 3, [1] * 6)
