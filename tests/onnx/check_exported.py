"""Runs programs of the tests that write models, and has ONNX's checker and ONNX Runtime look at what they wrote.

    check_exported.py <folder> <program>...

Every model must be one that the checker accepts, with shapes that ONNX infers without an error, and ONNX Runtime must compute
what stands beside it. What it has no kernel for is counted; anything else is a failure.
"""
import os
import shutil
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper


def read(path):
    message = onnx.TensorProto()
    with open(path, "rb") as file:
        message.ParseFromString(file.read())
    return numpy_helper.to_array(message)


def parts(folder, name):
    out = []
    while os.path.exists(path := os.path.join(folder, "test_data_set_0", f"{name}_{len(out)}.pb")):
        out.append(read(path))
    return out


def difference(got, wanted):
    if got.dtype != wanted.dtype and not (got.dtype == object or wanted.dtype == object):
        return f"dtype {got.dtype}, not {wanted.dtype}"
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    if got.dtype == object or wanted.dtype == object:
        same = [str(a) == (b.decode() if isinstance(b, bytes) else str(b)) for a, b in zip(got.ravel(), wanted.ravel())]
        return "" if all(same) else "other strings"
    if not np.issubdtype(got.dtype, np.floating):
        return "" if np.array_equal(got, wanted) else f"{got.ravel()[got.ravel() != wanted.ravel()][:3]}, not {wanted.ravel()[got.ravel() != wanted.ravel()][:3]}"
    tolerance = 2e-3 if got.dtype == np.float16 else 2e-5 if got.dtype == np.float32 else 1e-12
    close = np.isclose(got, wanted, rtol=tolerance, atol=tolerance * 0.1, equal_nan=True)
    return "" if close.all() else f"{got[~close][:3]}, not {wanted[~close][:3]} at {np.argwhere(~close)[:3].tolist()}"


def check(folder):
    """What is wrong with the model in a folder; None where ONNX Runtime has no kernel for it."""
    model = onnx.load(os.path.join(folder, "model.onnx"))
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as problem:
        return f"checker: {str(problem)[:300]}"
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = ort.InferenceSession(os.path.join(folder, "model.onnx"), options, providers=["CPUExecutionProvider"])
    except Exception as problem:
        return None if "NOT_IMPLEMENTED" in str(problem) else f"onnxruntime: {str(problem)[:300]}"
    if any("bfloat16" in value.type for value in session.get_inputs() + session.get_outputs()):
        return None  # NumPy has no such numbers
    inputs = dict(zip([i.name for i in session.get_inputs()], parts(folder, "input")))
    try:
        outputs = session.run(None, inputs)
    except Exception as problem:
        return f"onnxruntime: {str(problem)[:300]}"
    wanted = parts(folder, "output")
    if len(outputs) != len(wanted):
        return "number of outputs"
    return "; ".join(filter(None, (difference(np.asarray(g), w) for g, w in zip(outputs, wanted))))


def main():
    folder, programs = sys.argv[1], sys.argv[2:]
    shutil.rmtree(folder, ignore_errors=True)
    for program in programs:
        subprocess.run([program], env={**os.environ, "TRACEXPR_ONNX_FOLDER": folder}, check=True, stdout=subprocess.DEVNULL)
    checked = failed = 0
    without = []
    for name in sorted(os.listdir(folder)):
        problem = check(os.path.join(folder, name))
        checked += 1
        if problem is None:
            without.append(name)
        elif problem:
            failed += 1
            print(f"{name}: {problem}")
    print(f"{checked} models, {failed} wrong, {len(without)} without a kernel: {' '.join(without)}")
    sys.exit(1 if failed or not checked else 0)


main()
