"""Writes step.onnx, which the program onnx reads: the loss and its gradient, with the derivatives by hand as in eager.cpp."""
from onnx import TensorProto, checker, helper, save

nodes = []


def op(kind, *inputs, **attributes):
    nodes.append(helper.make_node(kind, inputs, [f"v{len(nodes)}"], **attributes))
    return f"v{len(nodes) - 1}"


def mean(x):
    return op("ReduceMean", x, keepdims=0)


decay = op("Exp", op("Mul", op("Neg", "rate"), "x"))
off = op("Sub", op("Add", "room", op("Mul", "excess", decay)), "y")
slope = op("Mul", off, decay)
two = op("Constant", value_float=2.0)
results = [mean(op("Mul", off, off)), op("Mul", two, mean(off)), op("Mul", two, mean(slope)),
           op("Mul", op("Mul", op("Neg", two), "excess"), mean(op("Mul", slope, "x")))]
inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
          for name, shape in (("room", []), ("excess", []), ("rate", []), ("x", ["n"]), ("y", ["n"]))]
outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, []) for name in results]
model = helper.make_model(helper.make_graph(nodes, "step", inputs, outputs), opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
checker.check_model(model, full_check=True)
save(model, "step.onnx")
