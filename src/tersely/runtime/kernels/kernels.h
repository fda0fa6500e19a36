/* The kernels: their arguments, and one table of functions for each instruction set.

   kernels_generic.c, kernels_avx2.c and kernels_avx512.c define the few operations in which
   instruction sets differ (vectors.h lists them), then include the kernels themselves:
   activations.h, products.h and top_k.h. Pruning (pruning.c) needs no vectors. */

#ifndef TERSELY_KERNELS_H
#define TERSELY_KERNELS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__GNUC__) || (!defined(__clang__) && __GNUC__ < 9)
#error "The kernels need vector extensions: GCC from 9 on, or Clang. tersely uses NumPy instead."
#endif

#if defined(__x86_64__)
#define HAS_AVX_KERNELS 1
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    PANEL = 32,            /* columns of a packed matrix that are stored together */
    MAX_INT8_UNITS = 1024, /* more units would leave too few bits for a row's entries */
};

typedef struct {
    const float *rows;   /* (row_count, units) */
    const float *panels; /* (panels, units, PANEL) */
    float *out;          /* (row_count, columns) */
    size_t row_count, units, columns;
    int accumulate; /* add to `out` instead of overwriting it */
} float32_product;

typedef struct {
    const float *rows;    /* (row_count, units) */
    const int8_t *panels; /* (panels, pairs of units, PANEL, 2) */
    const float *scales;  /* (panels * PANEL,): the scale of each column */
    float *out;           /* (row_count, columns) */
    size_t row_count, units, columns;
    int accumulate;
    int16_t *panel_buffer; /* (pairs, PANEL, 2), aligned to 64 bytes */
    int16_t *row_buffer;   /* (row_count, pairs, 2) */
    float *row_scales;     /* (row_count,) */
} int8_product;

typedef struct {
    const float *gates; /* (row_count, 4 * units): input, forget, cell, output */
    const float *cell;  /* (row_count, units) */
    float *next_hidden; /* (row_count, units) */
    float *next_cell;   /* (row_count, units) */
    size_t row_count, units;
} lstm_cell_step;

typedef struct {
    const float *scores; /* (row_count, columns) */
    float *out;          /* (row_count,) */
    size_t row_count, columns;
} logsumexp_rows;

typedef struct {
    float *scores;                   /* (row_count, stride): overridden in place, then restored */
    const float *log_normalizer;     /* (row_count,): added to scores, gives log-probabilities */
    const float *threshold;          /* (row_count,): only log-probabilities above it count */
    const int64_t *override_columns; /* (row_count, overrides) */
    const float *override_values;    /* (row_count, overrides): log-probabilities */
    float *saved_scores;             /* (overrides,): a buffer */
    int64_t *ids;                    /* (row_count, count) */
    float *values;                   /* (row_count, count): log-probabilities */
    size_t row_count, stride, columns, overrides, count;
} top_k_rows;

typedef struct {
    const char *name;
    void (*multiply_float32)(const float32_product *);
    void (*multiply_int8)(const int8_product *);
    void (*lstm_cell)(const lstm_cell_step *);
    void (*logsumexp)(const logsumexp_rows *);
    void (*top_k)(const top_k_rows *);
} kernel_table;

extern const kernel_table generic_kernels;
#ifdef HAS_AVX_KERNELS
extern const kernel_table avx2_kernels;
extern const kernel_table avx512_kernels;
#endif

#endif
