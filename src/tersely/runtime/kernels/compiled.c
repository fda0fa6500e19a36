/* What NumPy has no fast word for, in C: products of a few rows with a matrix that is packed
   once, the gates of an LSTM, and the best of ten thousand words.

   plain.py and beam.py say the same in NumPy; tests hold each kernel against them. Arrays are
   checked here, so no caller can make a kernel read or write beyond one. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INTERFACE 2 /* raised with every change of what a kernel is given */
#define PANEL 32    /* columns */
#define MOST_UNITS 1024 /* of a matrix in bytes: with more, rows would be rounded too coarsely */

#include "instructions.h"
#include "beam.h"

/* Take arguments as contiguous arrays. Two characters of `kinds` tell of each its entries (f
   float32, d float64, i int64, u uint64, b bool, c int8; upper case if it is written to) and dimensions. */
static int take(PyObject *const *given, Py_ssize_t count, const char *kinds, Py_buffer *views) {
    if (count != (Py_ssize_t)strlen(kinds) / 2) {
        PyErr_SetString(PyExc_TypeError, "a kernel was given the wrong number of arrays");
        return 0;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        char kind = kinds[2 * at] | 32;
        int is_written = kinds[2 * at] != kind;
        int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0);
        int is_got = PyObject_GetBuffer(given[at], &views[at], flags) == 0;
        const char *formats = kind == 'i'   ? "lq"
                              : kind == 'u' ? "LQ"
                              : kind == 'b' ? "?"
                              : kind == 'c' ? "b"
                              : kind == 'd' ? "d"
                                            : "f";
        Py_ssize_t size = kind == 'b' || kind == 'c' ? 1 : kind == 'f' ? 4 : 8;
        if (!is_got || views[at].ndim != kinds[2 * at + 1] - '0' || views[at].itemsize != size ||
            !views[at].format || !views[at].format[0] || !strchr(formats, views[at].format[0])) {
            if (is_got) PyErr_Format(PyExc_ValueError, "array %zd of a kernel is of another kind", at);
            for (Py_ssize_t done = is_got ? at : at - 1; done >= 0; done--) PyBuffer_Release(&views[done]);
            return 0;
        }
    }
    return 1;
}

static PyObject *finish(Py_buffer *views, int count, int fits) {
    for (int at = 0; at < count; at++) PyBuffer_Release(&views[at]);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "the arrays of a kernel do not fit each other");
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Other threads may run while a product of many multiply-adds is made. A small one, and every other
   kernel, is over before they would have begun. */
static PyThreadState *let_go(Py_ssize_t rows, Py_ssize_t units, Py_ssize_t columns) {
    return (double)rows * units * columns > 1e7 ? PyEval_SaveThread() : NULL;
}

static PyObject *no_memory(Py_buffer *views, int count) {
    Py_XDECREF(finish(views, count, 1));
    return PyErr_NoMemory();
}

/* The last argument tells whether the product is added to what is there; no array is in its place. */
static int adds_to(PyObject *const *given, Py_ssize_t count, Py_ssize_t arrays) {
    return count == arrays + 1 && given[arrays] == Py_True;
}

/* Whether rows (rows, units) times panels (panels, units, PANEL), or (panels, pairs of units,
   2 * PANEL), is as large as what is written. */
static int is_product(const Py_ssize_t *rows, const Py_ssize_t *panels, const Py_ssize_t *out, int together) {
    return rows[0] == out[0] && (rows[1] + together - 1) / together == panels[1] &&
           panels[2] == PANEL * together && panels[0] == (out[1] + PANEL - 1) / PANEL;
}

static PyObject *multiply(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    Py_buffer views[3];
    int adds = adds_to(given, count, 3);
    if (!take(given, count - 1, "f2f3F2", views)) return NULL;
    const Py_ssize_t *rows = views[0].shape, *panels = views[1].shape, *out = views[2].shape;
    int fits = is_product(rows, panels, out, 1);
    if (fits) {
        PyThreadState *others = let_go(rows[0], rows[1], out[1]);
        chosen->multiply(views[0].buf, rows[0], rows[1], views[1].buf, adds, views[2].buf, out[1]);
        if (others) PyEval_RestoreThread(others);
    }
    return finish(views, 3, fits);
}

static PyObject *multiply_bytes(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    enum { LINE = 64 };
    Py_buffer views[4];
    int adds = adds_to(given, count, 4);
    if (!take(given, count - 1, "f2c3f1F2", views)) return NULL;
    const Py_ssize_t *rows = views[0].shape, *panels = views[1].shape, *out = views[3].shape;
    int fits = is_product(rows, panels, out, 2) && views[2].shape[0] == panels[0] * PANEL &&
               rows[1] <= MOST_UNITS;
    if (!fits || !rows[0] || !out[1]) return finish(views, 4, fits);
    /* Room for a widened panel, which begins where a cache line does, for short rows, for their steps. */
    size_t padded = 2 * panels[1], panel = padded * PANEL * sizeof(int16_t);
    size_t whole = rows[0] * padded * sizeof(int16_t);
    char *room = malloc(LINE + panel + whole + rows[0] * sizeof(float));
    if (!room) return no_memory(views, 4);
    char *begins = room + (LINE - (uintptr_t)room % LINE) % LINE;
    PyThreadState *others = let_go(rows[0], rows[1], out[1]);
    chosen->multiply_bytes(views[0].buf, rows[0], rows[1], views[1].buf, views[2].buf, adds, views[3].buf,
                           out[1], (int16_t *)begins, (int16_t *)(begins + panel),
                           (float *)(begins + panel + whole));
    if (others) PyEval_RestoreThread(others);
    free(room);
    return finish(views, 4, fits);
}

static PyObject *remember(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    Py_buffer views[4];
    if (!take(given, count, "f2f2F2F2", views)) return NULL;
    const Py_ssize_t *gates = views[0].shape, *state = views[1].shape;
    int fits = gates[0] == state[0] && gates[1] == 4 * state[1];
    for (int at = 2; at < 4; at++)
        fits = fits && views[at].shape[0] == state[0] && views[at].shape[1] == state[1];
    if (fits) {
        chosen->remember(views[0].buf, views[1].buf, state[0], state[1], views[2].buf, views[3].buf);
    }
    return finish(views, 4, fits);
}

static PyObject *log_sum(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    Py_buffer views[2];
    if (!take(given, count, "f2F1", views)) return NULL;
    int fits = views[0].shape[0] == views[1].shape[0] && views[0].shape[1] >= 1;
    if (fits) {
        chosen->log_sum(views[0].buf, views[0].shape[0], views[0].shape[1], views[1].buf);
    }
    return finish(views, 2, fits);
}

static PyObject *best(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    enum { ARRAYS = 7 };
    Py_buffer views[ARRAYS];
    int64_t columns = count == ARRAYS + 1 ? PyLong_AsLongLong(given[ARRAYS]) : 0;
    if (PyErr_Occurred()) return NULL;
    if (!take(given, count - 1, "F2f1f1i2f2I2F2", views)) return NULL;
    Py_ssize_t rows = views[0].shape[0], others = views[3].shape[1], wanted = views[5].shape[1];
    int fits = 1 <= columns && columns <= views[0].shape[1] && 1 <= wanted && wanted <= columns &&
               views[4].shape[1] == others && views[6].shape[1] == wanted;
    for (int at = 1; at < ARRAYS; at++) fits = fits && views[at].shape[0] == rows;
    float *kept = fits ? malloc((others + 1) * sizeof(float)) : NULL;
    if (kept) {
        chosen->best(views[0].buf, rows, views[0].shape[1], columns, views[1].buf, views[2].buf,
                     views[3].buf, views[4].buf, others, kept, wanted, views[5].buf, views[6].buf);
        free(kept);
    } else if (fits) {
        return no_memory(views, ARRAYS);
    }
    return finish(views, ARRAYS, fits);
}

/* Whether every start of a sentence lies within the rows, in order. */
static int are_starts(const int64_t *starts, Py_ssize_t count, Py_ssize_t rows) {
    int is_right = count >= 1 && starts[0] == 0 && starts[count - 1] == rows;
    for (Py_ssize_t at = 1; at < count; at++) is_right = is_right && starts[at - 1] <= starts[at];
    return is_right;
}

static int64_t most_rows(const int64_t *starts, Py_ssize_t count) {
    int64_t most = 0;
    for (Py_ssize_t at = 1; at < count; at++)
        if (starts[at] - starts[at - 1] > most) most = starts[at] - starts[at - 1];
    return most;
}

static PyObject *follow(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    enum { ARRAYS = 19, NUMBERS = 3 };
    Py_buffer views[ARRAYS];
    int64_t numbers[NUMBERS]; /* width, alike, end */
    for (int at = 0; at < NUMBERS && count == ARRAYS + NUMBERS; at++)
        numbers[at] = PyLong_AsLongLong(given[ARRAYS + at]);
    if (PyErr_Occurred()) return NULL;
    if (!take(given, count - NUMBERS, "f2i2d1u1i1i1b1b1b1i1b1I1I1I1I1D1U1I1D1", views)) return NULL;
    Py_ssize_t rows = views[0].shape[0], choices = views[0].shape[1];
    Py_ssize_t ids = views[7].shape[0], starts = views[9].shape[0], room = views[12].shape[0];
    /* A copy: what is written may be the same memory. */
    int64_t *start = malloc((starts + 1) * sizeof(int64_t));
    if (!start) return no_memory(views, ARRAYS);
    memcpy(start, views[9].buf, starts * sizeof(int64_t));
    int fits = views[1].shape[0] == rows && views[1].shape[1] == choices && views[8].shape[0] == ids &&
               are_starts(start, starts, rows) && views[10].shape[0] == starts - 1 &&
               views[11].shape[0] == starts - 1 && numbers[0] >= 1 && numbers[0] <= room + 1 &&
               (starts - 1) * numbers[0] <= room;
    for (int at = 2; at < 7; at++) fits = fits && views[at].shape[0] == rows;
    for (int at = 12; at < 17; at++) fits = fits && views[at].shape[0] == room;
    fits = fits && views[17].shape[0] == rows * choices && views[18].shape[0] == rows * choices;
    followed out = {views[12].buf, views[13].buf, views[14].buf, views[15].buf,
                    views[16].buf, views[17].buf, views[18].buf, 0, 0};
    candidate *heap = fits ? malloc((most_rows(start, starts) * choices + 1) * sizeof(candidate)) : NULL;
    if (heap) {
        const uint8_t *marked = views[10].buf;
        int64_t *sizes = views[11].buf;
        field in = {views[0].buf, views[1].buf, views[2].buf, views[3].buf, views[4].buf, views[5].buf,
                    views[6].buf, views[7].buf, views[8].buf, choices, ids, numbers[0], numbers[1], numbers[2]};
        for (Py_ssize_t at = 0; at + 1 < starts; at++)
            sizes[at] = follow_sentence(&in, start[at], start[at + 1], marked[at], heap, &out);
    }
    free(start);
    free(heap);
    if (fits && !heap) return no_memory(views, ARRAYS);
    PyObject *done = finish(views, ARRAYS, fits);
    if (!done) return NULL;
    Py_DECREF(done);
    return Py_BuildValue("nn", (Py_ssize_t)out.going, (Py_ssize_t)out.ended);
}

static PyMethodDef methods[] = {
    {"multiply", (PyCFunction)(void (*)(void))multiply, METH_FASTCALL, "Multiply rows by a packed matrix."},
    {"multiply_bytes", (PyCFunction)(void (*)(void))multiply_bytes, METH_FASTCALL, "The same, of bytes."},
    {"remember", (PyCFunction)(void (*)(void))remember, METH_FASTCALL, "One step of an LSTM behind its products."},
    {"log_sum", (PyCFunction)(void (*)(void))log_sum, METH_FASTCALL, "Logarithm of the sum of e^score."},
    {"best", (PyCFunction)(void (*)(void))best, METH_FASTCALL, "The greatest of each row, best first."},
    {"follow", (PyCFunction)(void (*)(void))follow, METH_FASTCALL, "Choose what a beam goes on with."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "compiled", NULL, -1, methods};

PyMODINIT_FUNC PyInit_compiled(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module && (PyModule_AddStringConstant(module, "INSTRUCTIONS", choose()) < 0 ||
                   PyModule_AddIntConstant(module, "INTERFACE", INTERFACE) < 0 ||
                   PyModule_AddIntConstant(module, "PANEL", PANEL) < 0 ||
                   PyModule_AddIntConstant(module, "MOST_UNITS", MOST_UNITS) < 0))
        Py_CLEAR(module);
    return module;
}
