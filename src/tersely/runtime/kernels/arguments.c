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

static int axis_count(const parameter *of) {
    int count = 0;
    while (of->axes[count] != NO_AXIS) count++;
    return count;
}

int intern_names(signature *of) {
    for (int place = 0; place < of->count; place++) {
        of->names[place] = PyUnicode_InternFromString(of->parameters[place].name);
        if (!of->names[place]) return 0;
    }
    return 1;
}

/* The value passed for parameter `place`; callers mostly keep the order of the signature. */
static PyObject *find_value(const signature *of, int place, PyObject *const *values,
                            PyObject *names) {
    if (PyTuple_GetItem(names, place) == of->names[place]) return values[place];
    const char *name = of->parameters[place].name;
    for (int at = 0; at < of->count; at++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, at), name) == 0)
            return values[at];
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' is missing", of->name, name);
    return NULL;
}

static int has_type(const Py_buffer *buffer, const type_description *type) {
    const char *format = buffer->format;
    return buffer->itemsize == type->size && format && format[0] && !format[1] &&
           strchr(type->formats, format[0]);
}

/* Compare the size of each axis with the size that an axis of this name has already. */
static int bind_axes(arguments *taken, const parameter *of, const Py_buffer *buffer) {
    for (int at = 0; at < buffer->ndim; at++) {
        axis name = of->axes[at];
        if (taken->sizes[name] < 0) taken->sizes[name] = buffer->shape[at];
        if (taken->sizes[name] != buffer->shape[at]) {
            PyErr_Format(PyExc_ValueError,
                         "%s(): argument '%s' has size %zd on axis %d (%s); expected %zd",
                         taken->of->name, of->name, buffer->shape[at], at, AXIS_NAMES[name],
                         taken->sizes[name]);
            return 0;
        }
    }
    return 1;
}

static int take_array(arguments *taken, int place, PyObject *value) {
    const parameter *of = &taken->of->parameters[place];
    Py_buffer *buffer = &taken->buffers[place];
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (of->access == WRITE ? PyBUF_WRITABLE : 0);
    int is_held = PyObject_GetBuffer(value, buffer, flags) == 0;
    if (is_held) {
        taken->taken = place + 1;
        if (buffer->ndim == axis_count(of) && has_type(buffer, &TYPES[of->type]))
            return bind_axes(taken, of, buffer);
    } else {
        PyErr_Clear();
    }
    PyErr_Format(PyExc_ValueError,
                 "%s(): argument '%s' must be a %sC-contiguous %s array with %d axes",
                 taken->of->name, of->name, of->access == WRITE ? "writable " : "",
                 TYPES[of->type].name, axis_count(of));
    return 0;
}

static int take_integer(arguments *taken, int place, PyObject *value) {
    taken->integers[place] = PyLong_AsLongLong(value);
    if (!PyErr_Occurred()) {
        taken->taken = place + 1;
        return 1;
    }
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must be an integer of 64 bits",
                 taken->of->name, taken->of->parameters[place].name);
    return 0;
}

int take_arguments(arguments *taken, const signature *of, PyObject *const *values,
                   Py_ssize_t positional, PyObject *names) {
    taken->of = of;
    taken->taken = 0;
    for (int name = 0; name < AXIS_COUNT; name++) taken->sizes[name] = -1;
    if (positional || !names || PyTuple_Size(names) != of->count) {
        PyErr_Format(PyExc_TypeError, "%s() takes exactly %d arguments, all by keyword", of->name,
                     of->count);
        return 0;
    }
    for (int place = 0; place < of->count; place++) {
        PyObject *value = find_value(of, place, values, names);
        int is_integer = of->parameters[place].type == INTEGER;
        if (!value || !(is_integer ? take_integer : take_array)(taken, place, value)) {
            release_arguments(taken);
            return 0;
        }
    }
    return 1;
}

int require(const arguments *taken, int condition, const char *requirement) {
    if (!condition) PyErr_Format(PyExc_ValueError, "%s(): %s", taken->of->name, requirement);
    return condition;
}

void release_arguments(arguments *taken) {
    for (int place = 0; place < taken->taken; place++)
        if (taken->of->parameters[place].type != INTEGER) PyBuffer_Release(&taken->buffers[place]);
    taken->taken = 0;
}
