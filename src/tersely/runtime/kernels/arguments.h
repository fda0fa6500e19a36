/* Arguments of the kernels: described by tables, taken by name, and checked before use.

   Each kernel lists its parameters. An array parameter names its axes; arguments whose axes have
   the same name must have the same size. Together with the checks of each kernel in compiled.c
   this ensures that no kernel reads or writes beyond an array. */

#ifndef TERSELY_ARGUMENTS_H
#define TERSELY_ARGUMENTS_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

enum { MAX_PARAMETERS = 22, MAX_AXES = 3 };

typedef enum { INTEGER, FLOAT32, FLOAT64, INT8, INT64, UINT64, BOOL } value_type;

typedef enum { READ, WRITE } access_mode;

typedef enum {
    NO_AXIS,
    ROWS,
    UNITS,
    GATE_UNITS,
    COLUMNS,
    PANELS,
    PANEL_ENTRIES,
    UNIT_PAIRS,
    SCALES,
    COUNT,
    OVERRIDES,
    CHOICES,
    TOKEN_IDS,
    SENTENCES,
    STARTS,
    MAX_CONTINUING,
    MAX_ENDED,
    AXIS_COUNT,
} axis;

typedef struct {
    const char *name;
    value_type type;
    access_mode access;
    axis axes[MAX_AXES + 1]; /* up to the first NO_AXIS; an integer has none */
} parameter;

typedef struct {
    const char *name;
    int count;
    parameter parameters[MAX_PARAMETERS];
    PyObject *names[MAX_PARAMETERS]; /* interned, as the keywords of most calls are */
} signature;

/* Intern the names of the parameters; return 0 if there is no memory. */
int intern_names(signature *function);

typedef struct {
    const signature *function;
    int taken;                         /* arguments that hold a buffer or an integer */
    Py_buffer buffers[MAX_PARAMETERS]; /* of arrays */
    int64_t integers[MAX_PARAMETERS];
    Py_ssize_t sizes[AXIS_COUNT]; /* of axes; -1 if not known yet */
} arguments;

/* Take all arguments of a call by keyword. Return 0, with a Python exception and nothing to
   release, if one of them is missing or does not fit its parameter. */
int take_arguments(arguments *taken, const signature *function, PyObject *const *values,
                   Py_ssize_t positional, PyObject *names);

/* Return `condition`; if it is 0, raise ValueError with what was required. */
int require(const arguments *taken, int condition, const char *requirement);

void release_arguments(arguments *taken);

#endif
