"""Writes the files beside it, which the tests of tracexpr/files.hpp read: numpy 2.4.6, ml_dtypes 0.6.0, safetensors 0.8.0."""
import warnings

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

warnings.simplefilter("ignore")  # NumPy warns of ml_dtypes' types
order_of = {"little": "<", "big": ">"}
integers = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
floats = ["float16", "bfloat16", "float32", "float64"]


def values(name):
    """A (2, 3) array of the dtype; see expected() in file_checks.hpp."""
    if name == "bool":
        return np.array([[1, 0, 1], [0, 0, 1]], bool)
    if name in integers:
        info = np.iinfo(name)
        return np.array([[info.min, info.max, 0], [1, 2, 100]], name)
    if name in floats:
        dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
        info = ml_dtypes.finfo(dtype)
        return np.array([[0.5, -1.5, np.inf], [-np.inf, info.max, info.smallest_subnormal]], dtype)
    if name == "string":
        return np.array([["a", "", "bcd \u00e9"], ["\U0001f600", "x\0y", "\u03a9\u03a9"]])
    parts = values({"complex64": "float32", "complex128": "float64"}[name])
    out = np.empty(parts.shape, name)
    out.real, out.imag = parts, parts[::-1, ::-1]
    return out


names = ["bool", *integers, *floats, "complex64", "complex128", "string"]
arrays = {}
for name in names:
    for order, sign in order_of.items():
        for axes in "CF":
            array = np.array(values(name), order=axes)
            arrays[f"{name}_{order}_{axes}"] = array.astype(array.dtype.newbyteorder(sign), order=axes)
np.savez("numpy.npz", **arrays)
np.savez_compressed("numpy_compressed.npz", **arrays)
np.savez_compressed("numpy_bytes.npz", s=np.array([b"ab", b"", b"c\0d"]))

save_file({name: values(name) for name in names if name not in ("complex128", "string")} | {"scalar": np.array(1.5, np.float32),
          "none": np.zeros((0, 3), np.int16), "\u03a9 \"\\\n": np.arange(3, dtype=np.uint8)},
          "reference.safetensors", metadata={"by \"safetensors\"": "0.8.0\t\u00e9"})
