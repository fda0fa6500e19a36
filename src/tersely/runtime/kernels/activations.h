/* Exponentials, and the kernels that use them: LSTM cell and logsumexp. Included by kernels_*.c. */

/* Adding it to a float below 2^22 in size leaves the nearest integer in the last bits. */
static const float ROUNDING_SHIFT = 12582912.0f; /* 1.5 * 2^23 */

ALWAYS_INLINE ints rounded_bits(floats shifted) { return (ints)shifted - 0x4B400000; }

/* e^x to within 2 units in the last place: 2^n times a series for the remainder of x. */
ALWAYS_INLINE floats exponential(floats x) {
    x = min_lanes(splat(88.0f), max_lanes(splat(-87.0f), x)); /* in this order NaN stays NaN */
    floats shifted = x * 1.44269504f + ROUNDING_SHIFT;
    floats n = shifted - ROUNDING_SHIFT;
    floats rest = x - n * 0.693359375f; /* log 2 in two parts, the first exact */
    rest = rest - n * -2.12194440e-4f;
    floats sum = splat(1.0f / 5040.0f);
    sum = sum * rest + 1.0f / 720.0f;
    sum = sum * rest + 1.0f / 120.0f;
    sum = sum * rest + 1.0f / 24.0f;
    sum = sum * rest + 1.0f / 6.0f;
    sum = sum * rest + 0.5f;
    sum = sum * rest + 1.0f;
    sum = sum * rest + 1.0f;
    ints power_of_two = (rounded_bits(shifted) + 127) << 23;
    return sum * (floats)power_of_two;
}

ALWAYS_INLINE floats sigmoid(floats x) { return 1.0f / (1.0f + exponential(-x)); }

ALWAYS_INLINE floats hyperbolic_tangent(floats x) {
    return 2.0f / (1.0f + exponential(x * -2.0f)) - 1.0f;
}

/* One vector of units of one row, or the first `count` of its lanes. */
ALWAYS_INLINE void lstm_units(const lstm_cell_step *step, size_t row, size_t unit, size_t count) {
    const float *gates = step->gates + 4 * row * step->units + unit;
    size_t index = row * step->units + unit;
    floats input = load_part(gates, count);
    floats forget = load_part(gates + step->units, count);
    floats candidate = load_part(gates + 2 * step->units, count);
    floats output = load_part(gates + 3 * step->units, count);
    floats cell = load_part(step->cell + index, count);
    floats next_cell = sigmoid(forget) * cell + sigmoid(input) * hyperbolic_tangent(candidate);
    floats next_hidden = sigmoid(output) * hyperbolic_tangent(next_cell);
    store_part(step->next_cell + index, next_cell, count);
    store_part(step->next_hidden + index, next_hidden, count);
}

static void lstm_cell(const lstm_cell_step *step) {
    for (size_t row = 0; row < step->row_count; row++) {
        size_t unit = 0;
        for (; unit + LANES <= step->units; unit += LANES) lstm_units(step, row, unit, LANES);
        if (unit < step->units) lstm_units(step, row, unit, step->units - unit);
    }
}

/* The greatest value that is not NaN. */
static float greatest_of(const float *values, size_t count) {
    float greatest = -INFINITY;
    size_t index = 0;
    if (count >= LANES) {
        floats lanes = load(values);
        for (index = LANES; index + LANES <= count; index += LANES)
            lanes = max_lanes(load(values + index), lanes);
        for (int lane = 0; lane < LANES; lane++)
            greatest = lanes[lane] > greatest ? lanes[lane] : greatest;
    }
    for (; index < count; index++) greatest = values[index] > greatest ? values[index] : greatest;
    return greatest;
}

static float logsumexp_row(const float *scores, size_t columns) {
    float greatest = greatest_of(scores, columns);
    floats sums = splat(0.0f);
    size_t index = 0;
    for (; index + LANES <= columns; index += LANES)
        sums += exponential(load(scores + index) - greatest);
    double sum = 0.0;
    for (int lane = 0; lane < LANES; lane++) sum += sums[lane];
    for (; index < columns; index++) sum += exp((double)scores[index] - greatest);
    return greatest + (float)log(sum);
}

static void logsumexp(const logsumexp_rows *in) {
    for (size_t row = 0; row < in->row_count; row++)
        in->out[row] = logsumexp_row(in->scores + row * in->columns, in->columns);
}
