/* Taking and checking the arguments of a kernel; see arguments.h. */

#include "arguments.h"

#include <string.h>

static const char *const AXIS_NAMES[AXIS_COUNT] = {
    [ROWS] = "rows",
    [UNITS] = "units",
    [GATE_UNITS] = "gate units",
    [COLUMNS] = "columns",
    [PANELS] = "panels",
    [PANEL_ENTRIES] = "panel entries",
    [UNIT_PAIRS] = "pairs of units",
    [SCALES] = "scales",
    [COUNT] = "count",
    [OVERRIDES] = "overrides",
    [CHOICES] = "choices",
    [TOKEN_IDS] = "token ids",
    [SENTENCES] = "sentences",
    [STARTS] = "starts",
    [MAX_CONTINUING] = "max continuing",
    [MAX_ENDED] = "max ended",
};

typedef struct {
    const char *name;
    const char *formats; /* of the buffer protocol, one character each */
    Py_ssize_t size;
} type_description;

static const type_description TYPES[] = {
    [FLOAT32] = {"float32", "f", 4}, [FLOAT64] = {"float64", "d", 8},
    [INT8] = {"int8", "b", 1},       [INT64] = {"int64", "lq", 8},
    [UINT64] = {"uint64", "LQ", 8},  [BOOL] = {"bool", "?", 1},
};

static int axis_count(const parameter *expected) {
    int count = 0;
    while (expected->axes[count] != NO_AXIS) count++;
    return count;
}

int intern_names(signature *function) {
    for (int index = 0; index < function->count; index++) {
        function->names[index] = PyUnicode_InternFromString(function->parameters[index].name);
        if (!function->names[index]) return 0;
    }
    return 1;
}

/* The value passed for parameter `index`; callers mostly keep the order of the signature. */
static PyObject *find_value(const signature *function, int index, PyObject *const *values,
                            PyObject *names) {
    if (PyTuple_GetItem(names, index) == function->names[index]) return values[index];
    const char *name = function->parameters[index].name;
    for (int other = 0; other < function->count; other++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, other), name) == 0)
            return values[other];
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' is missing", function->name, name);
    return NULL;
}

static int has_type(const Py_buffer *buffer, const type_description *type) {
    const char *format = buffer->format;
    return buffer->itemsize == type->size && format && format[0] && !format[1] &&
           strchr(type->formats, format[0]);
}

/* Compare the size of each axis with the size that an axis of this name has already. */
static int bind_axes(arguments *taken, const parameter *expected, const Py_buffer *buffer) {
    for (int index = 0; index < buffer->ndim; index++) {
        axis name = expected->axes[index];
        if (taken->sizes[name] < 0) taken->sizes[name] = buffer->shape[index];
        if (taken->sizes[name] != buffer->shape[index]) {
            PyErr_Format(PyExc_ValueError,
                         "%s(): argument '%s' has size %zd on axis %d (%s); expected %zd",
                         taken->function->name, expected->name, buffer->shape[index], index,
                         AXIS_NAMES[name], taken->sizes[name]);
            return 0;
        }
    }
    return 1;
}

static int take_array(arguments *taken, int index, PyObject *value) {
    const parameter *expected = &taken->function->parameters[index];
    Py_buffer *buffer = &taken->buffers[index];
    int is_written = expected->access == WRITE;
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0);
    int is_held = PyObject_GetBuffer(value, buffer, flags) == 0;
    if (is_held) {
        taken->taken = index + 1;
        if (buffer->ndim == axis_count(expected) && has_type(buffer, &TYPES[expected->type]))
            return bind_axes(taken, expected, buffer);
    } else {
        PyErr_Clear();
    }
    PyErr_Format(PyExc_ValueError,
                 "%s(): argument '%s' must be a %sC-contiguous %s array with %d axes",
                 taken->function->name, expected->name, is_written ? "writable " : "",
                 TYPES[expected->type].name, axis_count(expected));
    return 0;
}

static int take_integer(arguments *taken, int index, PyObject *value) {
    taken->integers[index] = PyLong_AsLongLong(value);
    if (!PyErr_Occurred()) {
        taken->taken = index + 1;
        return 1;
    }
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must be an integer of 64 bits",
                 taken->function->name, taken->function->parameters[index].name);
    return 0;
}

int take_arguments(arguments *taken, const signature *function, PyObject *const *values,
                   Py_ssize_t positional, PyObject *names) {
    taken->function = function;
    taken->taken = 0;
    for (int name = 0; name < AXIS_COUNT; name++) taken->sizes[name] = -1;
    if (positional || !names || PyTuple_Size(names) != function->count) {
        PyErr_Format(PyExc_TypeError, "%s() takes exactly %d arguments, all by keyword",
                     function->name, function->count);
        return 0;
    }
    for (int index = 0; index < function->count; index++) {
        PyObject *value = find_value(function, index, values, names);
        int is_integer = function->parameters[index].type == INTEGER;
        if (!value || !(is_integer ? take_integer : take_array)(taken, index, value)) {
            release_arguments(taken);
            return 0;
        }
    }
    return 1;
}

int require(const arguments *taken, int condition, const char *requirement) {
    if (!condition) PyErr_Format(PyExc_ValueError, "%s(): %s", taken->function->name, requirement);
    return condition;
}

void release_arguments(arguments *taken) {
    for (int index = 0; index < taken->taken; index++)
        if (taken->function->parameters[index].type != INTEGER)
            PyBuffer_Release(&taken->buffers[index]);
    taken->taken = 0;
}
