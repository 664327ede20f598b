"""Made net/ and loop/ here: small models, inputs of theirs, and what ONNX Runtime 1.32 computes with them (onnx 1.23)."""
import os
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(11)
here = os.path.dirname(os.path.abspath(__file__))


def array(name, values):
    return numpy_helper.from_array(np.asarray(values), name)


def normal(name, *shape):
    return array(name, random.standard_normal(shape).astype(np.float32))


def net():
    """A convolution, a batch norm, a pool and a linear layer, of any number of images."""
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "gamma", "beta", "mean", "variance"], ["n"]),
        helper.make_node("Relu", ["n"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p"], ["f"]),
        helper.make_node("Gemm", ["f", "v", "d"], ["s"], transB=1),
        helper.make_node("Softmax", ["s"], ["y"]),
    ]
    initializers = [normal("w", 4, 1, 3, 3), normal("b", 4), normal("gamma", 4), normal("beta", 4), normal("mean", 4),
                    array("variance", np.array([0.5, 1.0, 2.0, 1.5], np.float32)), normal("v", 3, 64), normal("d", 3)]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])], initializers)
    return graph, [random.standard_normal((2, 1, 8, 8)).astype(np.float32)]


def loop():
    """A loop with a state and a result of each iteration, and two outputs."""
    body = helper.make_graph(
        [helper.make_node("Mul", ["s", "half"], ["t"]), helper.make_node("Add", ["t", "x"], ["next"]),
         helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0), helper.make_node("Identity", ["goes"], ["goes_on"])],
        "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("goes", TensorProto.BOOL, []), helper.make_tensor_value_info("s", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []), helper.make_tensor_value_info("next", TensorProto.FLOAT, [4]), helper.make_tensor_value_info("sum", TensorProto.FLOAT, [])],
        [array("half", np.float32(0.5))])
    graph = helper.make_graph([helper.make_node("Loop", ["count", "", "x"], ["y", "sums"], body=body)], "loop",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4]), helper.make_tensor_value_info("sums", TensorProto.FLOAT, [5])],
                              [array("count", np.int64(5))])
    return graph, [np.array([1.0, -2.0, 0.5, 3.0], np.float32)]


for make in (net, loop):
    graph, inputs = make()
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    folder = os.path.join(here, make.__name__)
    os.makedirs(folder, exist_ok=True)
    onnx.save(model, os.path.join(folder, make.__name__ + ".onnx"))
    outputs = ort.InferenceSession(model.SerializeToString()).run(None, {"x": inputs[0]})
    np.savez(os.path.join(folder, "values.npz"), x=inputs[0], **{f"y{k}": value for k, value in enumerate(outputs)})
