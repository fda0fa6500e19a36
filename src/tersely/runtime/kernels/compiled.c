/* The Python module of the compiled kernels; compiled.pyi describes its functions.

   Each function takes its arguments by name, checks that they fit each other, and calls a kernel.
   numpy_backend.py and pruning.py define the results; tests compare both. */

#include "arguments.h"
#include "kernels.h"
#include "pruning.h"

#include <stdlib.h>

enum { INTERFACE_VERSION = 4 }; /* raised with every change of the parameters of a kernel */

/* Set once, when the module is loaded. */
static const kernel_table *kernels = &generic_kernels;

/* Return None, or NULL if an exception was raised. */
static PyObject *finish(arguments *taken) {
    release_arguments(taken);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

/* Let other threads run during a large product. All else ends before they could start. */
static PyThreadState *release_gil(size_t rows, size_t units, size_t columns) {
    return (double)rows * units * columns > 1e7 ? PyEval_SaveThread() : NULL;
}

static void restore_gil(PyThreadState *state) {
    if (state) PyEval_RestoreThread(state);
}

static int is_panel_count(const arguments *taken) {
    Py_ssize_t panels = (taken->sizes[COLUMNS] + PANEL - 1) / PANEL;
    return require(taken, taken->sizes[PANELS] == panels, "panels and out differ in columns");
}

static signature MULTIPLY_FLOAT32 = {
    "multiply_float32",
    4,
    {{"rows", FLOAT32, READ, {ROWS, UNITS}},
     {"panels", FLOAT32, READ, {PANELS, UNITS, PANEL_ENTRIES}},
     {"out", FLOAT32, WRITE, {ROWS, COLUMNS}},
     {"accumulate", INTEGER}},
};

static PyObject *multiply_float32(PyObject *self, PyObject *const *values, Py_ssize_t positional,
                                  PyObject *names) {
    enum { ARG_ROWS, ARG_PANELS, OUT, ACCUMULATE };
    arguments given;
    if (!take_arguments(&given, &MULTIPLY_FLOAT32, values, positional, names)) return NULL;
    if (require(&given, given.sizes[PANEL_ENTRIES] == PANEL, "panels have another width") &&
        is_panel_count(&given)) {
        float32_product product = {
            .rows = given.buffers[ARG_ROWS].buf,
            .panels = given.buffers[ARG_PANELS].buf,
            .out = given.buffers[OUT].buf,
            .row_count = given.sizes[ROWS],
            .units = given.sizes[UNITS],
            .columns = given.sizes[COLUMNS],
            .accumulate = given.integers[ACCUMULATE] != 0,
        };
        PyThreadState *state = release_gil(product.row_count, product.units, product.columns);
        kernels->multiply_float32(&product);
        restore_gil(state);
    }
    return finish(&given);
}

/* Multiply with buffers for a widened panel (at the start of a cache line), for rows of int16 and
   for their scales. Return 0 if there is no memory. */
static int multiply_int8_buffered(int8_product *product) {
    enum { CACHE_LINE = 64 };
    size_t padded_units = product->units + product->units % 2;
    size_t panel_bytes = padded_units * PANEL * sizeof(int16_t);
    size_t row_bytes = product->row_count * padded_units * sizeof(int16_t);
    size_t scale_bytes = product->row_count * sizeof(float);
    char *memory = malloc(CACHE_LINE + panel_bytes + row_bytes + scale_bytes);
    if (!memory) return 0;
    char *aligned = memory + (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE;
    product->panel_buffer = (int16_t *)aligned;
    product->row_buffer = (int16_t *)(aligned + panel_bytes);
    product->row_scales = (float *)(aligned + panel_bytes + row_bytes);
    PyThreadState *state = release_gil(product->row_count, product->units, product->columns);
    kernels->multiply_int8(product);
    restore_gil(state);
    free(memory);
    return 1;
}

static signature MULTIPLY_INT8 = {
    "multiply_int8",
    5,
    {{"rows", FLOAT32, READ, {ROWS, UNITS}},
     {"panels", INT8, READ, {PANELS, UNIT_PAIRS, PANEL_ENTRIES}},
     {"scales", FLOAT32, READ, {SCALES}},
     {"out", FLOAT32, WRITE, {ROWS, COLUMNS}},
     {"accumulate", INTEGER}},
};

static PyObject *multiply_int8(PyObject *self, PyObject *const *values, Py_ssize_t positional,
                               PyObject *names) {
    enum { ARG_ROWS, ARG_PANELS, COLUMN_SCALES, OUT, ACCUMULATE };
    arguments given;
    if (!take_arguments(&given, &MULTIPLY_INT8, values, positional, names)) return NULL;
    const Py_ssize_t *sizes = given.sizes;
    if (require(&given, sizes[PANEL_ENTRIES] == 2 * PANEL, "panels have another width") &&
        is_panel_count(&given) &&
        require(&given, sizes[UNIT_PAIRS] == (sizes[UNITS] + 1) / 2,
                "rows and panels differ in units") &&
        require(&given, sizes[SCALES] == sizes[PANELS] * PANEL,
                "scales and panels differ in columns") &&
        require(&given, sizes[UNITS] <= MAX_INT8_UNITS, "rows have too many units for int8") &&
        sizes[ROWS] && sizes[COLUMNS]) {
        int8_product product = {
            .rows = given.buffers[ARG_ROWS].buf,
            .panels = given.buffers[ARG_PANELS].buf,
            .scales = given.buffers[COLUMN_SCALES].buf,
            .out = given.buffers[OUT].buf,
            .row_count = sizes[ROWS],
            .units = sizes[UNITS],
            .columns = sizes[COLUMNS],
            .accumulate = given.integers[ACCUMULATE] != 0,
        };
        if (!multiply_int8_buffered(&product)) PyErr_NoMemory();
    }
    return finish(&given);
}

static signature LSTM_CELL = {
    "lstm_cell",
    4,
    {{"gates", FLOAT32, READ, {ROWS, GATE_UNITS}},
     {"cell", FLOAT32, READ, {ROWS, UNITS}},
     {"next_hidden", FLOAT32, WRITE, {ROWS, UNITS}},
     {"next_cell", FLOAT32, WRITE, {ROWS, UNITS}}},
};

static PyObject *lstm_cell(PyObject *self, PyObject *const *values, Py_ssize_t positional,
                           PyObject *names) {
    enum { GATES, CELL, NEXT_HIDDEN, NEXT_CELL };
    arguments given;
    if (!take_arguments(&given, &LSTM_CELL, values, positional, names)) return NULL;
    if (require(&given, given.sizes[GATE_UNITS] == 4 * given.sizes[UNITS],
                "gates must have four times the units of cell")) {
        lstm_cell_step step = {
            .gates = given.buffers[GATES].buf,
            .cell = given.buffers[CELL].buf,
            .next_hidden = given.buffers[NEXT_HIDDEN].buf,
            .next_cell = given.buffers[NEXT_CELL].buf,
            .row_count = given.sizes[ROWS],
            .units = given.sizes[UNITS],
        };
        kernels->lstm_cell(&step);
    }
    return finish(&given);
}

static signature LOGSUMEXP = {
    "logsumexp",
    2,
    {{"scores", FLOAT32, READ, {ROWS, COLUMNS}}, {"out", FLOAT32, WRITE, {ROWS}}},
};

static PyObject *logsumexp(PyObject *self, PyObject *const *values, Py_ssize_t positional,
                           PyObject *names) {
    enum { SCORES, OUT };
    arguments given;
    if (!take_arguments(&given, &LOGSUMEXP, values, positional, names)) return NULL;
    if (require(&given, given.sizes[COLUMNS] >= 1, "scores must have columns")) {
        logsumexp_rows rows = {
            .scores = given.buffers[SCORES].buf,
            .out = given.buffers[OUT].buf,
            .row_count = given.sizes[ROWS],
            .columns = given.sizes[COLUMNS],
        };
        kernels->logsumexp(&rows);
    }
    return finish(&given);
}

static signature TOP_K = {
    "top_k",
    8,
    {{"scores", FLOAT32, WRITE, {ROWS, COLUMNS}},
     {"log_normalizer", FLOAT32, READ, {ROWS}},
     {"threshold", FLOAT32, READ, {ROWS}},
     {"override_columns", INT64, READ, {ROWS, OVERRIDES}},
     {"override_values", FLOAT32, READ, {ROWS, OVERRIDES}},
     {"ids", INT64, WRITE, {ROWS, COUNT}},
     {"values", FLOAT32, WRITE, {ROWS, COUNT}},
     {"columns", INTEGER}},
};

static PyObject *top_k(PyObject *self, PyObject *const *values, Py_ssize_t positional,
                       PyObject *names) {
    enum {
        SCORES, LOG_NORMALIZER, THRESHOLD, OVERRIDE_COLUMNS, OVERRIDE_VALUES, IDS, VALUES,
        ARG_COLUMNS,
    };
    arguments given;
    if (!take_arguments(&given, &TOP_K, values, positional, names)) return NULL;
    Py_ssize_t count = given.sizes[COUNT];
    int64_t columns = given.integers[ARG_COLUMNS];
    if (require(&given, 1 <= columns && columns <= given.sizes[COLUMNS],
                "columns must be between 1 and the columns of scores") &&
        require(&given, 1 <= count && count <= columns,
                "ids must have between 1 and `columns` columns")) {
        top_k_rows rows = {
            .scores = given.buffers[SCORES].buf,
            .log_normalizer = given.buffers[LOG_NORMALIZER].buf,
            .threshold = given.buffers[THRESHOLD].buf,
            .override_columns = given.buffers[OVERRIDE_COLUMNS].buf,
            .override_values = given.buffers[OVERRIDE_VALUES].buf,
            .saved_scores = malloc((given.sizes[OVERRIDES] + 1) * sizeof(float)),
            .ids = given.buffers[IDS].buf,
            .values = given.buffers[VALUES].buf,
            .row_count = given.sizes[ROWS],
            .stride = given.sizes[COLUMNS],
            .columns = columns,
            .overrides = given.sizes[OVERRIDES],
            .count = count,
        };
        if (rows.saved_scores)
            kernels->top_k(&rows);
        else
            PyErr_NoMemory();
        free(rows.saved_scores);
    }
    return finish(&given);
}

/* Whether the first row of each sentence lies within the rows, in order. */
static int are_starts(const int64_t *starts, Py_ssize_t count, Py_ssize_t rows) {
    int is_right = count >= 1 && starts[0] == 0 && starts[count - 1] == rows;
    for (Py_ssize_t index = 1; index < count; index++)
        is_right = is_right && starts[index - 1] <= starts[index];
    return is_right;
}

static size_t max_rows(const int64_t *starts, Py_ssize_t count) {
    int64_t most = 0;
    for (Py_ssize_t index = 1; index < count; index++)
        if (starts[index] - starts[index - 1] > most) most = starts[index] - starts[index - 1];
    return (size_t)most;
}

/* The parameters of prune(): fields of Candidates, fields of Pruned, and three integers. */
enum {
    SCORES, TOKENS, HYPOTHESIS_SCORE, DEDUP_KEY, MATCHED, NEXT_KEYWORD, MAY_END, IS_IGNORED,
    IS_FORBIDDEN, ARG_STARTS, RESERVES_SLOT,
    SIZES, OUT_ROW, OUT_TOKEN, OUT_MATCHED, OUT_SCORE, OUT_DEDUP_KEY, ENDED_ROW, ENDED_SCORE,
    WIDTH, MAX_DUPLICATES, END_ID,
};

static signature PRUNE = {
    "prune",
    22,
    {[SCORES] = {"scores", FLOAT32, READ, {ROWS, CHOICES}},
     [TOKENS] = {"tokens", INT64, READ, {ROWS, CHOICES}},
     [HYPOTHESIS_SCORE] = {"hypothesis_score", FLOAT64, READ, {ROWS}},
     [DEDUP_KEY] = {"dedup_key", UINT64, READ, {ROWS}},
     [MATCHED] = {"matched", INT64, READ, {ROWS}},
     [NEXT_KEYWORD] = {"next_keyword", INT64, READ, {ROWS}},
     [MAY_END] = {"may_end", BOOL, READ, {ROWS}},
     [IS_IGNORED] = {"is_ignored", BOOL, READ, {TOKEN_IDS}},
     [IS_FORBIDDEN] = {"is_forbidden", BOOL, READ, {TOKEN_IDS}},
     [ARG_STARTS] = {"starts", INT64, READ, {STARTS}},
     [RESERVES_SLOT] = {"reserves_slot", BOOL, READ, {SENTENCES}},
     [SIZES] = {"out_sizes", INT64, WRITE, {SENTENCES}},
     [OUT_ROW] = {"out_row", INT64, WRITE, {MAX_CONTINUING}},
     [OUT_TOKEN] = {"out_token", INT64, WRITE, {MAX_CONTINUING}},
     [OUT_MATCHED] = {"out_matched", INT64, WRITE, {MAX_CONTINUING}},
     [OUT_SCORE] = {"out_score", FLOAT64, WRITE, {MAX_CONTINUING}},
     [OUT_DEDUP_KEY] = {"out_dedup_key", UINT64, WRITE, {MAX_CONTINUING}},
     [ENDED_ROW] = {"out_ended_row", INT64, WRITE, {MAX_ENDED}},
     [ENDED_SCORE] = {"out_ended_score", FLOAT64, WRITE, {MAX_ENDED}},
     [WIDTH] = {"width", INTEGER},
     [MAX_DUPLICATES] = {"max_duplicates", INTEGER},
     [END_ID] = {"end_id", INTEGER}},
};

/* Check what the axes' sizes do not imply. `starts` is a copy of the argument: an output array may
   share memory with the argument, and pruning would then change it. */
static int fits_pruning(const arguments *given, const int64_t *starts) {
    const Py_ssize_t *sizes = given->sizes;
    Py_ssize_t sentences = sizes[STARTS] - 1, room = sizes[MAX_CONTINUING];
    int64_t width = given->integers[WIDTH];
    return require(given, are_starts(starts, sizes[STARTS], sizes[ROWS]),
                   "starts must ascend from 0 to the number of rows") &&
           require(given, sizes[SENTENCES] == sentences,
                   "starts must be one more than sentences") &&
           require(given, width >= 1, "width must be at least 1") &&
           require(given, width <= room + 1 && sentences * width <= room,
                   "out_row must have room for width rows of each sentence") &&
           require(given, sizes[MAX_ENDED] == sizes[ROWS] * sizes[CHOICES],
                   "out_ended_row must have room for all candidates");
}

static void prune_sentences(const arguments *given, const int64_t *starts, candidate *heap,
                            pruned_beam *out) {
    const Py_buffer *buffers = given->buffers;
    candidate_rows in = {
        .scores = buffers[SCORES].buf,
        .tokens = buffers[TOKENS].buf,
        .hypothesis_score = buffers[HYPOTHESIS_SCORE].buf,
        .dedup_key = buffers[DEDUP_KEY].buf,
        .matched = buffers[MATCHED].buf,
        .next_keyword = buffers[NEXT_KEYWORD].buf,
        .may_end = buffers[MAY_END].buf,
        .is_ignored = buffers[IS_IGNORED].buf,
        .is_forbidden = buffers[IS_FORBIDDEN].buf,
        .choices = given->sizes[CHOICES],
        .ids = given->sizes[TOKEN_IDS],
        .width = given->integers[WIDTH],
        .max_duplicates = given->integers[MAX_DUPLICATES],
        .end_id = given->integers[END_ID],
    };
    const uint8_t *reserves_slot = buffers[RESERVES_SLOT].buf;
    int64_t *sizes = buffers[SIZES].buf;
    for (Py_ssize_t index = 0; index < given->sizes[SENTENCES]; index++)
        sizes[index] = prune_sentence(&in, starts[index], starts[index + 1], reserves_slot[index],
                                      heap, out);
}

static PyObject *prune(PyObject *self, PyObject *const *values, Py_ssize_t positional,
                       PyObject *names) {
    arguments given;
    if (!take_arguments(&given, &PRUNE, values, positional, names)) return NULL;
    const Py_buffer *buffers = given.buffers;
    pruned_beam out = {
        .row = buffers[OUT_ROW].buf,
        .token = buffers[OUT_TOKEN].buf,
        .matched = buffers[OUT_MATCHED].buf,
        .score = buffers[OUT_SCORE].buf,
        .dedup_key = buffers[OUT_DEDUP_KEY].buf,
        .ended_row = buffers[ENDED_ROW].buf,
        .ended_score = buffers[ENDED_SCORE].buf,
    };
    candidate *heap = NULL;
    Py_ssize_t start_count = given.sizes[STARTS];
    int64_t *starts = malloc((start_count + 1) * sizeof *starts);
    if (starts) memcpy(starts, buffers[ARG_STARTS].buf, start_count * sizeof *starts);
    int fits = starts && fits_pruning(&given, starts);
    if (fits) {
        size_t max_candidates = max_rows(starts, start_count) * given.sizes[CHOICES];
        heap = malloc((max_candidates + 1) * sizeof *heap);
    }
    if (heap) prune_sentences(&given, starts, heap, &out);
    if (!starts || (fits && !heap)) PyErr_NoMemory();
    free(starts);
    free(heap);
    PyObject *none = finish(&given);
    if (!none) return NULL;
    Py_DECREF(none);
    return Py_BuildValue("nn", (Py_ssize_t)out.continuing, (Py_ssize_t)out.ended);
}

/* The widest instructions that this processor has, or narrower ones that TERSELY_KERNELS names. */
static const kernel_table *select_kernels(void) {
#ifdef HAS_AVX_KERNELS
    const char *requested = getenv("TERSELY_KERNELS");
    if (!requested) requested = "";
    int is_generic = !strcmp(requested, "generic") || !strcmp(requested, "any");
    __builtin_cpu_init();
    int has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    int has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vnni");
    if (has_avx512 && !is_generic && strcmp(requested, "avx2")) return &avx512_kernels;
    if (has_avx2 && !is_generic) return &avx2_kernels;
#endif
    return &generic_kernels;
}

#define METHOD(function, doc) \
    {#function, (PyCFunction)(void (*)(void))function, METH_FASTCALL | METH_KEYWORDS, doc}

static PyMethodDef methods[] = {
    METHOD(multiply_float32, "Multiply rows by a packed matrix of float32."),
    METHOD(multiply_int8, "Multiply rows by a packed matrix of int8."),
    METHOD(lstm_cell, "Compute the next state of an LSTM from its gates."),
    METHOD(logsumexp, "Compute the logarithm of the sum of e^score of each row."),
    METHOD(top_k, "Find the greatest log-probabilities of each row, best first."),
    METHOD(prune, "Choose the candidates that the beam of each sentence continues with."),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "compiled", NULL, -1, methods};

PyMODINIT_FUNC PyInit_compiled(void) {
    signature *all[] = {&MULTIPLY_FLOAT32, &MULTIPLY_INT8, &LSTM_CELL, &LOGSUMEXP, &TOP_K, &PRUNE};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++)
        if (!intern_names(all[index])) return NULL;
    kernels = select_kernels();
    PyObject *module = PyModule_Create(&definition);
    if (module && (PyModule_AddStringConstant(module, "INSTRUCTIONS", kernels->name) < 0 ||
                   PyModule_AddIntConstant(module, "INTERFACE", INTERFACE_VERSION) < 0 ||
                   PyModule_AddIntConstant(module, "PANEL", PANEL) < 0 ||
                   PyModule_AddIntConstant(module, "MAX_INT8_UNITS", MAX_INT8_UNITS) < 0))
        Py_CLEAR(module);
    return module;
}
