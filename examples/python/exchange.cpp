// A Python module whose functions are those of tracexpr: arrays of NumPy, JAX and PyTorch come and go through DLPack, columns of
// pyarrow, pandas and Polars through Arrow, without copies where that can be. It needs CPython's headers and nothing else.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <tracexpr/arrow.hpp>
#include <tracexpr/dlpack.hpp>
#include <tracexpr/tracexpr.hpp>

#include <exception>
#include <initializer_list>
#include <new>

namespace {

using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using column = tx::tensor<float, tx::shape<tx::dyn>>;

tx::function const softmax{[](auto x) { return tx::softmax(x, tx::axis<1>); }};
tx::function const gradient{tx::grad([](auto x) { return tx::sum(x * x * x); })};
tx::function const standardize{[](auto x) { return (x - tx::mean(x)) / tx::std(x); }};

// C++'s exceptions become Python's.
template <class F> PyObject* guarded(F const& f) {
    try {
        return f();
    } catch (tx::type_error const& e) {
        PyErr_SetString(PyExc_TypeError, e.what());
    } catch (tx::error const& e) {
        PyErr_SetString(PyExc_ValueError, e.what());
    } catch (std::exception const& e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
    }
    return nullptr;
}

// The capsule of a pointer under one of two names, whose destructor discards it where nobody has taken it and renamed it
// "used_...".
template <class Capsule> constexpr char const* name_of = "dltensor";
template <> constexpr char const* name_of<DLManagedTensorVersioned> = "dltensor_versioned";
template <class Capsule> PyObject* to_python(Capsule* made) {
    PyObject* const out = PyCapsule_New(made, name_of<Capsule>, [](PyObject* self) {
        if (!PyCapsule_IsValid(self, name_of<Capsule>)) return;
        auto* const unused = static_cast<Capsule*>(PyCapsule_GetPointer(self, name_of<Capsule>));
        if (unused->deleter) unused->deleter(unused);
    });
    if (!out) made->deleter(made);
    return out;
}
template <class Struct> PyObject* to_python(Struct const& made, char const* name) {
    static char const* const known = name; // one for each struct
    return PyCapsule_New(new Struct(made), known, [](PyObject* self) {
        auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(self, known));
        if (held->release) held->release(held);
        delete held;
    });
}

// What Python sees of a tensor.
struct tensor_object {
    PyObject_HEAD tx::tensor<float> value;
};
PyTypeObject* tensor_type = nullptr;
PyObject* to_python(tx::tensor<float> const& x) {
    auto* const out = PyObject_New(tensor_object, tensor_type);
    if (out) ::new (&out->value) tx::tensor<float>(x);
    return reinterpret_cast<PyObject*>(out);
}
tx::tensor<float> const& value_of(PyObject* self) { return reinterpret_cast<tensor_object*>(self)->value; }

void discard(PyObject* self) {
    reinterpret_cast<tensor_object*>(self)->value.~tensor();
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}
// Reads a pair of integers, where one is given.
bool two_numbers(char const* called, PyObject* from, long& first, long& second) {
    if (!from || from == Py_None) return true;
    if (PyTuple_Check(from) && PyArg_ParseTuple(from, "ll", &first, &second)) return true;
    PyErr_Format(PyExc_TypeError, "%s must be a tuple of two integers", called);
    return false;
}
PyObject* dlpack(PyObject* self, PyObject* args, PyObject* named) {
    static char const* names[]{"stream", "max_version", "dl_device", "copy", nullptr};
    PyObject *stream = nullptr, *version = nullptr, *device = nullptr, *copy = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, named, "|$OOOO", const_cast<char**>(names), &stream, &version, &device, &copy))
        return nullptr;
    long major = 0, minor = 0, kind = kDLCPU, number = 0;
    if (!two_numbers("max_version", version, major, minor) || !two_numbers("dl_device", device, kind, number)) return nullptr;
    if (kind != kDLCPU) {
        PyErr_SetString(PyExc_BufferError, "the elements are in the memory of this process (device kind 1)");
        return nullptr;
    }
    bool const is_versioned = major >= 1;
    return guarded([&] {
        tx::copy const how = copy == Py_True ? tx::copy::always : copy == Py_False ? tx::copy::never : tx::copy::if_needed;
        if (is_versioned) return to_python(tx::to_dlpack(value_of(self), how));
        return to_python(tx::to_dlpack_legacy(value_of(self), copy == Py_False ? tx::copy::never : tx::copy::always));
    });
}
PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", static_cast<int>(kDLCPU), 0); }
PyObject* arrow_array(PyObject* self, PyObject*, PyObject*) {
    return guarded([&] {
        auto const [schema, array] = tx::to_arrow(value_of(self));
        return Py_BuildValue("(NN)", to_python(schema, "arrow_schema"), to_python(array, "arrow_array"));
    });
}

// The tensor of an object that has __dlpack__; it holds what the object lends.
template <class Capsule> matrix taken(PyObject* capsule) {
    matrix out = tx::from_dlpack<float, tx::shape<tx::dyn, tx::dyn>>(
        static_cast<Capsule*>(PyCapsule_GetPointer(capsule, name_of<Capsule>)));
    PyCapsule_SetName(capsule, std::is_same_v<Capsule, DLManagedTensor> ? "used_dltensor" : "used_dltensor_versioned");
    return out;
}
// f(the object's tensor), as an object. (A capsule that an exception leaves to us is discarded by its own destructor.)
template <class F> PyObject* called_by_dlpack(F const& f, PyObject* array) {
    PyObject* const method = PyObject_GetAttrString(array, "__dlpack__");
    if (!method) return nullptr;
    PyObject *const none = PyTuple_New(0), *const version = Py_BuildValue("{s:(ii)}", "max_version", 1, 1);
    PyObject* capsule = PyObject_Call(method, none, version);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) { // it is from before DLPack 1.0
        PyErr_Clear();
        capsule = PyObject_Call(method, none, nullptr);
    }
    for (PyObject* const done : {method, none, version}) Py_DECREF(done);
    if (!capsule) return nullptr;
    PyObject* const out = guarded([&] {
        bool const is_versioned = PyCapsule_IsValid(capsule, name_of<DLManagedTensorVersioned>);
        return to_python(f(is_versioned ? taken<DLManagedTensorVersioned>(capsule) : taken<DLManagedTensor>(capsule)));
    });
    Py_DECREF(capsule);
    return out;
}
PyObject* call_softmax(PyObject*, PyObject* array) { return called_by_dlpack(softmax, array); }
PyObject* call_gradient(PyObject*, PyObject* array) { return called_by_dlpack(gradient, array); }
PyObject* same(PyObject*, PyObject* array) {
    return called_by_dlpack([](auto const& x) { return x; }, array);
}
PyObject* call_standardize(PyObject*, PyObject* array) {
    PyObject* const both = PyObject_CallMethod(array, "__arrow_c_array__", nullptr);
    if (!both) return nullptr;
    auto* const schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(PyTuple_GetItem(both, 0), "arrow_schema"));
    auto* const given = static_cast<ArrowArray*>(PyCapsule_GetPointer(PyTuple_GetItem(both, 1), "arrow_array"));
    PyObject* const out =
        schema && given ? guarded([&] { return to_python(standardize(tx::from_arrow<float>(*schema, *given))); }) : nullptr;
    Py_DECREF(both);
    return out;
}

PyMethodDef methods_of_tensor[]{
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(dlpack)), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, nullptr},
    {"__arrow_c_array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(arrow_array)), METH_VARARGS | METH_KEYWORDS,
     nullptr},
    {}};
PyType_Slot slots_of_tensor[]{
    {Py_tp_dealloc, reinterpret_cast<void*>(discard)}, {Py_tp_methods, methods_of_tensor}, {0, nullptr}};
PyType_Spec spec_of_tensor{"exchange.Tensor", sizeof(tensor_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           slots_of_tensor};

PyMethodDef functions[]{{"softmax", call_softmax, METH_O, "The softmax of each row of a matrix."},
                        {"gradient", call_gradient, METH_O, "The gradient of sum(x ** 3) at a matrix x."},
                        {"same", same, METH_O, "A tensor that shares a matrix."},
                        {"standardize", call_standardize, METH_O, "A column less its mean, by its standard deviation."},
                        {}};
PyModuleDef module{PyModuleDef_HEAD_INIT, "exchange", "Functions of tracexpr", -1, functions, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_exchange() {
    tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec_of_tensor));
    return tensor_type ? PyModule_Create(&module) : nullptr;
}
