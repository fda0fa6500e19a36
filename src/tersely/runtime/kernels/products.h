/* Products of a few rows with a packed matrix. Included by kernels_*.c.

   A matrix is packed in panels of PANEL columns, so that a product reads each panel from its start
   to its end. A panel holds float32, unit by unit; or int8, two units at a time. Rows that meet
   int8 are rounded to int16 first, with a scale for each row: then all sums are integers, equal
   in whatever order they are added, and one instruction makes two products and adds them.

   Rows are taken in blocks of up to BLOCK_ROWS, whose sums stay in registers. Each sum runs over
   the units in order, so a row's product does not depend on the other rows. */

enum { MAX_BLOCK_ROWS = 8, SLICE = 2 * LANES }; /* SLICE: columns of a panel done at a time */

/* A panel, of float32 or of int8. */
typedef struct {
    const float *float32;        /* (units, PANEL) */
    const int8_t *int8;          /* (pairs, PANEL, 2), or NULL if it is widened to int16 already: */
    const int16_t *int16;        /* (pairs, PANEL, 2) */
    const float *column_scales;  /* (PANEL,) */
    size_t columns;              /* the others, up to PANEL, are padding */
} panel;

/* The part of the result that a block and a panel contribute. */
typedef struct {
    float *start;
    size_t stride;
    int accumulate;
} destination;

/* Write one slice of a row, or its first `columns`. */
ALWAYS_INLINE void write_slice(float *out, floats left, floats right, int accumulate,
                               size_t columns) {
    if (columns < SLICE) {
        floats both[2] = {left, right};
        for (size_t offset = 0; offset < columns; offset++)
            out[offset] = (accumulate ? out[offset] : 0.0f) + both[offset / LANES][offset % LANES];
        return;
    }
    if (accumulate) {
        left += load(out);
        right += load(out + LANES);
    }
    store(out, left);
    store(out + LANES, right);
}

/* Multiply `count` rows, a constant wherever this is inlined, by a panel of float32. */
ALWAYS_INLINE void float32_block(int count, const float *rows, size_t units, const panel *weights,
                                 destination out) {
    for (size_t first = 0; first < PANEL && first < weights->columns; first += SLICE) {
        floats sums[MAX_BLOCK_ROWS][2];
        for (int row = 0; row < count; row++) sums[row][0] = sums[row][1] = splat(0.0f);
        for (size_t unit = 0, offset = first; unit < units; unit++, offset += PANEL) {
            floats left = load(weights->float32 + offset);
            floats right = load(weights->float32 + offset + LANES);
            for (int row = 0; row < count; row++) {
                floats value = splat(rows[row * units + unit]);
                sums[row][0] += value * left;
                sums[row][1] += value * right;
            }
        }
        for (int row = 0; row < count; row++)
            write_slice(out.start + row * out.stride + first, sums[row][0], sums[row][1],
                        out.accumulate, weights->columns - first);
    }
}

ALWAYS_INLINE ints load_pairs(const panel *weights, size_t offset) {
    return weights->int8 ? widen_pairs(weights->int8 + offset)
                         : *(const ints *)(weights->int16 + offset);
}

/* Multiply `count` rows of int16 pairs, a constant as above, by a panel of int8. */
ALWAYS_INLINE void int8_block(int count, const int16_t *rows, const float *row_scales, size_t pairs,
                              const panel *weights, destination out) {
    for (size_t first = 0; first < PANEL && first < weights->columns; first += SLICE) {
        pair_sums sums[MAX_BLOCK_ROWS][2];
        for (int row = 0; row < count; row++) sums[row][0] = sums[row][1] = (pair_sums){0};
        for (size_t pair = 0, offset = 2 * first; pair < pairs; pair++, offset += 2 * PANEL) {
            ints left = load_pairs(weights, offset);
            ints right = load_pairs(weights, offset + 2 * LANES);
            for (int row = 0; row < count; row++) {
                ints values = splat_pair(rows + 2 * (row * pairs + pair));
                sums[row][0] = add_pair_products(sums[row][0], left, values);
                sums[row][1] = add_pair_products(sums[row][1], right, values);
            }
        }
        floats left = load(weights->column_scales + first);
        floats right = load(weights->column_scales + first + LANES);
        for (int row = 0; row < count; row++)
            write_slice(out.start + row * out.stride + first,
                        to_floats(total(sums[row][0])) * (left * row_scales[row]),
                        to_floats(total(sums[row][1])) * (right * row_scales[row]),
                        out.accumulate, weights->columns - first);
    }
}

/* Blocks are of about the same size: block `number` ends before the row returned. */
ALWAYS_INLINE size_t block_end(size_t row_count, size_t number) {
    size_t blocks = (row_count + BLOCK_ROWS - 1) / BLOCK_ROWS;
    return row_count * (number + 1) / blocks;
}

static void multiply_float32_panel(const float32_product *in, const panel *weights, size_t start) {
    size_t units = in->units;
    for (size_t number = 0, row = 0, end; row < in->row_count; number++, row = end) {
        end = block_end(in->row_count, number);
        const float *rows = in->rows + row * units;
        destination out = {in->out + start + row * in->columns, in->columns, in->accumulate};
        switch (end - row) { /* constants let the compiler keep all sums in registers */
            case 1: float32_block(1, rows, units, weights, out); break;
            case 2: float32_block(2, rows, units, weights, out); break;
            case 3: float32_block(3, rows, units, weights, out); break;
            case 4: float32_block(4, rows, units, weights, out); break;
            case 5: float32_block(5, rows, units, weights, out); break;
            case 6: float32_block(6, rows, units, weights, out); break;
            case 7: float32_block(7, rows, units, weights, out); break;
            case 8: float32_block(8, rows, units, weights, out); break;
        }
    }
}

ALWAYS_INLINE size_t panel_columns(size_t remaining) {
    return remaining < PANEL ? remaining : PANEL;
}

static void multiply_float32(const float32_product *in) {
    for (size_t start = 0; start < in->columns; start += PANEL) {
        panel weights = {.float32 = in->panels + start * in->units,
                         .columns = panel_columns(in->columns - start)};
        multiply_float32_panel(in, &weights, start);
    }
}

/* The extremes of a row by lane; `not_finite` is 0 only where all values were finite. */
typedef struct {
    floats highest, lowest, not_finite;
} extremes;

ALWAYS_INLINE void include_values(extremes *range, floats values) {
    range->highest = max_lanes(values, range->highest);
    range->lowest = min_lanes(values, range->lowest);
    range->not_finite += values * 0.0f;
}

/* The greatest absolute value of a row; infinite if a value is not finite. */
static float greatest_magnitude(const float *row, size_t units) {
    extremes range = {splat(0.0f), splat(0.0f), splat(0.0f)};
    size_t unit = 0;
    for (; unit + LANES <= units; unit += LANES) include_values(&range, load(row + unit));
    include_values(&range, load_part(row + unit, units - unit));
    float greatest = 0.0f;
    for (int lane = 0; lane < LANES; lane++) {
        float above = range.highest[lane], below = -range.lowest[lane];
        float magnitude = above > below ? above : below;
        if (magnitude > greatest) greatest = magnitude;
        if (range.not_finite[lane] != 0.0f) greatest = INFINITY;
    }
    return greatest;
}

ALWAYS_INLINE int16s quantize(floats values, float per_unit) {
    return __builtin_convertvector(rounded_bits(values * per_unit + ROUNDING_SHIFT), int16s);
}

/* Round a row to integers from -limit to limit, with a zero behind an odd number of units; return
   its scale. A row below 1e-30 counts as zero. The scale of a row with a value that is not finite,
   or beyond 1e30, is NaN. */
static float quantize_row(const float *row, size_t units, float limit, int16_t *out) {
    float magnitude = greatest_magnitude(row, units);
    if (!(magnitude > 1e-30f && magnitude < 1e30f)) {
        memset(out, 0, (units + units % 2) * sizeof *out);
        return magnitude > 1.0f ? NAN : 0.0f;
    }
    size_t unit = 0;
    for (; unit + LANES <= units; unit += LANES) {
        int16s integers = quantize(load(row + unit), limit / magnitude);
        memcpy(out + unit, &integers, sizeof integers);
    }
    int16s integers = quantize(load_part(row + unit, units - unit), limit / magnitude);
    memcpy(out + unit, &integers, (units - unit) * sizeof *out);
    if (units % 2) out[units] = 0;
    return magnitude / limit;
}

static void multiply_int8_panel(const int8_product *in, const panel *weights, size_t start) {
    size_t pairs = (in->units + 1) / 2;
    for (size_t number = 0, row = 0, end; row < in->row_count; number++, row = end) {
        end = block_end(in->row_count, number);
        const int16_t *rows = in->row_buffer + 2 * row * pairs;
        const float *scales = in->row_scales + row;
        destination out = {in->out + start + row * in->columns, in->columns, in->accumulate};
        switch (end - row) {
            case 1: int8_block(1, rows, scales, pairs, weights, out); break;
            case 2: int8_block(2, rows, scales, pairs, weights, out); break;
            case 3: int8_block(3, rows, scales, pairs, weights, out); break;
            case 4: int8_block(4, rows, scales, pairs, weights, out); break;
            case 5: int8_block(5, rows, scales, pairs, weights, out); break;
            case 6: int8_block(6, rows, scales, pairs, weights, out); break;
            case 7: int8_block(7, rows, scales, pairs, weights, out); break;
            case 8: int8_block(8, rows, scales, pairs, weights, out); break;
        }
    }
}

static void multiply_int8(const int8_product *in) {
    size_t pairs = (in->units + 1) / 2;
    /* The greatest entry of a row with which no sum exceeds an int32. */
    double no_overflow = 2147483647.0 / 128.0 / (2.0 * pairs);
    float limit = no_overflow < 32767.0 ? (float)(int)no_overflow : 32767.0f;
    for (size_t row = 0; row < in->row_count; row++)
        in->row_scales[row] = quantize_row(in->rows + row * in->units, in->units, limit,
                                           in->row_buffer + 2 * row * pairs);
    for (size_t start = 0; start < in->columns; start += PANEL) {
        panel weights = {.int8 = in->panels + 2 * start * pairs,
                         .column_scales = in->scales + start,
                         .columns = panel_columns(in->columns - start)};
        if (in->row_count > BLOCK_ROWS) { /* several blocks: widen the panel once */
            for (size_t offset = 0; offset < 2 * PANEL * pairs; offset += 2 * LANES)
                *(ints *)(in->panel_buffer + offset) = widen_pairs(weights.int8 + offset);
            weights.int8 = NULL;
            weights.int16 = in->panel_buffer;
        }
        multiply_int8_panel(in, &weights, start);
    }
}
