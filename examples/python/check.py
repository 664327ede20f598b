"""check.py <folder of the module>: NumPy, JAX, PyTorch and pyarrow call the module's functions; ends with 77 where there is no NumPy."""
import gc
import sys

try:
    import numpy as np
except ImportError:
    print("check: NumPy is not installed, nothing was checked")
    sys.exit(77)

sys.path.insert(0, sys.argv[1])
import exchange


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def address(a):
    return a.__array_interface__["data"][0]


def check_numpy():
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    y = np.from_dlpack(exchange.softmax(x))
    np.testing.assert_allclose(y, softmax(x), rtol=1e-6)
    np.testing.assert_allclose(np.from_dlpack(exchange.softmax(x.T)), softmax(x.T), rtol=1e-6)  # strides: copied
    np.testing.assert_allclose(np.from_dlpack(exchange.softmax(x[::-1, ::2])), softmax(x[::-1, ::2]), rtol=1e-6)
    np.testing.assert_allclose(np.from_dlpack(exchange.gradient(x)), 3 * x**2, rtol=1e-6)
    assert not y.flags.writeable

    same = exchange.same(x)
    assert address(np.from_dlpack(same)) == address(x)  # there and back without a copy
    assert np.from_dlpack(same, copy=True).flags.writeable
    assert address(np.from_dlpack(same, copy=True)) != address(x)
    readonly = x.copy()
    readonly.flags.writeable = False
    assert address(np.from_dlpack(exchange.same(readonly))) == address(readonly)
    broadcast = np.broadcast_to(np.float32(2), (2, 3))
    assert (np.from_dlpack(exchange.same(broadcast)) == 2).all()
    assert np.from_dlpack(exchange.same(np.zeros((0, 3), np.float32))).shape == (0, 3)

    for wrong, error in ((x.astype(np.float64), TypeError), (x[0], ValueError), (3, AttributeError)):
        try:
            exchange.softmax(wrong)
        except error as e:
            assert error is AttributeError or str(e).startswith("tx: from_dlpack"), e
        else:
            raise AssertionError(f"{wrong} should be refused")


def check_lifetimes():
    x = np.ones((100, 100), np.float32)
    count = sys.getrefcount(x)
    same = exchange.same(x)
    assert sys.getrefcount(x) == count + 1
    back = np.from_dlpack(same)
    del same
    assert sys.getrefcount(x) == count + 1  # `back` shows it
    del back
    gc.collect()
    assert sys.getrefcount(x) == count
    for _ in range(3):
        try:
            exchange.softmax(x[0])
        except ValueError:
            pass
    exchange.same(x).__dlpack__()  # a capsule that nobody takes
    exchange.same(x).__dlpack__(max_version=(1, 0))
    gc.collect()
    assert sys.getrefcount(x) == count


def check_protocol():
    same = exchange.same(np.ones((2, 2), np.float32))
    assert "dltensor_versioned" in repr(same.__dlpack__(max_version=(1, 0)))
    assert "dltensor_versioned" not in repr(same.__dlpack__(max_version=(0, 8)))
    for options, error in (({"max_version": "a"}, TypeError), ({"dl_device": (2, 0)}, BufferError)):
        try:
            same.__dlpack__(**options)
        except error:
            pass
        else:
            raise AssertionError(f"{options} should be refused")
    same.__dlpack__(dl_device=(1, 0))


def check_jax():
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return print("check: no JAX")
    x = jnp.linspace(-1, 1, 12, dtype=jnp.float32).reshape(3, 4)
    y = jnp.from_dlpack(exchange.softmax(x))
    np.testing.assert_allclose(y, jax.nn.softmax(x, axis=1), rtol=1e-6)
    np.testing.assert_allclose(jnp.from_dlpack(exchange.gradient(x)), jax.grad(lambda a: (a**3).sum())(x), rtol=1e-6)
    assert address(np.from_dlpack(exchange.same(x))) == x.unsafe_buffer_pointer()


def check_torch():
    try:
        import torch
    except ImportError:
        return print("check: no PyTorch")
    close = torch.testing.assert_close
    x = torch.linspace(-1, 1, 12).reshape(3, 4)
    close(torch.from_dlpack(exchange.softmax(x)), torch.softmax(x, 1))
    close(torch.from_dlpack(exchange.softmax(x.T)), torch.softmax(x.T, 1))  # strides: copied
    close(torch.from_dlpack(exchange.softmax(x[1:, ::2])), torch.softmax(x[1:, ::2], 1))
    weights = x.clone().requires_grad_()
    weights.pow(3).sum().backward()
    close(torch.from_dlpack(exchange.gradient(weights.detach())), weights.grad)
    same = torch.from_dlpack(exchange.same(x))
    assert same.data_ptr() == x.data_ptr()  # there and back without a copy
    x[0, 0] = 7
    assert same[0, 0] == 7
    del x
    gc.collect()
    assert same[0, 0] == 7  # the memory lives as long as one of them
    close(torch.from_dlpack(exchange.same(torch.full((1,), 2.0).expand(2, 3))), torch.full((2, 3), 2.0))
    assert torch.from_dlpack(exchange.same(torch.zeros(0, 3))).shape == (0, 3)
    for wrong, error in ((same.double(), TypeError), (same[0], ValueError), (weights, BufferError)):
        try:
            exchange.softmax(wrong)
        except error:
            pass
        else:
            raise AssertionError(f"{wrong} should be refused")


def check_arrow():
    try:
        import pyarrow as pa
    except ImportError:
        return print("check: no pyarrow")
    values = np.array([1, 2, 4, 8, 16], np.float32)
    want = (values - values.mean()) / values.std()
    x = pa.array(values)
    before = pa.total_allocated_bytes()
    out = exchange.standardize(x)
    np.testing.assert_allclose(pa.array(out).to_numpy(), want, rtol=1e-6)
    part = exchange.standardize(pa.concat_arrays([pa.array(values[:1]), x])[1:])  # with an offset
    np.testing.assert_allclose(pa.array(part).to_numpy(), want, rtol=1e-6)
    assert pa.array(out).type == pa.float32()
    pa.array(out).validate(full=True)
    del out, part
    gc.collect()
    assert pa.total_allocated_bytes() == before
    for wrong, error, text in ((pa.array([1.0, None, 3.0, None], pa.float32()), ValueError, "2 of its 4 elements are null"),
                               (pa.array([1, 2]), TypeError, "it is int64"), (pa.array(["a"]), TypeError, 'Arrow\'s "u"')):
        try:
            exchange.standardize(wrong)
        except error as e:
            assert text in str(e), e
        else:
            raise AssertionError(f"{wrong} should be refused")
    try:
        pa.array(exchange.same(values.reshape(1, 5)))
    except ValueError as e:
        assert "must have one axis" in str(e), e
    else:
        raise AssertionError("a matrix is no column")


for check in (check_numpy, check_lifetimes, check_protocol, check_jax, check_torch, check_arrow):
    check()
print("all arrays came and went")
