/* The kernels, written once and compiled for each kind of processor.

   The includer sets LANES (floats a register holds), ROWS (rows multiplied at a time),
   WIDENED(bytes) (LANES bytes as floats), REACHING(values, floor) (a bit for each value that is
   no less), HIGHER(a, b) and LOWER(a, b) (of two, lane by lane; b if either is no number), and
   NAMED(name). GCC's vector types turn into the widest instructions of the target chosen there,
   or into several narrower ones. */

typedef float NAMED(floats) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int NAMED(ints) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
#define floats NAMED(floats)
#define ints NAMED(ints)
#define AT(address) (*(const floats *)(address))
#define PUT(address) (*(floats *)(address))

static inline floats NAMED(all)(float value) { return value - (floats){0}; }
#define all NAMED(all)

/* e^x to within 2 units in the last place: 2^n times a series for what is left of x. */
static inline floats NAMED(exponential)(floats x) {
    const float ROUNDS = 12582912.0f; /* 1.5 * 2^23: the sum's last bits are a whole number */
    x = LOWER(all(88.0f), HIGHER(all(-87.0f), x)); /* in this order what is no number stays none */
    floats shifted = x * 1.44269504f + ROUNDS;
    floats whole = shifted - ROUNDS;
    floats r = x - whole * 0.693359375f;
    r = r - whole * -2.12194440e-4f;
    floats sum = all(1.0f / 5040.0f);
    sum = sum * r + 1.0f / 720.0f;
    sum = sum * r + 1.0f / 120.0f;
    sum = sum * r + 1.0f / 24.0f;
    sum = sum * r + 1.0f / 6.0f;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    sum = sum * r + 1.0f;
    ints power = ((ints)shifted - 0x4B400000 + 127) << 23;
    return sum * (floats)power;
}
#define exponential NAMED(exponential)

static inline floats NAMED(logistic)(floats x) { return 1.0f / (1.0f + exponential(-x)); }
static inline floats NAMED(tangent)(floats x) { return 2.0f / (1.0f + exponential(x * -2.0f)) - 1.0f; }

static inline floats NAMED(widened)(const int8_t *weights) { return (floats)WIDENED(weights); }

/* Rows (at most ROWS) times one panel, which is PANEL columns of a matrix, as floats or as bytes
   with a scale for each column. */
static inline __attribute__((always_inline)) void NAMED(block)(
    int count, const float *rows, size_t units, const float *panel, const int8_t *bytes,
    const float *scales, int adds, float *out, size_t stride, size_t columns) {
    for (size_t first = 0; first < PANEL && first < columns; first += 2 * LANES) {
        floats sums[ROWS][2];
        for (int row = 0; row < count; row++) sums[row][0] = sums[row][1] = all(0.0f);
        for (size_t unit = 0, at = first; unit < units; unit++, at += PANEL) {
            floats left = bytes ? NAMED(widened)(bytes + at) : AT(panel + at);
            floats right = bytes ? NAMED(widened)(bytes + at + LANES) : AT(panel + at + LANES);
            for (int row = 0; row < count; row++) {
                floats value = all(rows[row * units + unit]);
                sums[row][0] += value * left;
                sums[row][1] += value * right;
            }
        }
        size_t room = columns - first;
        for (int row = 0; row < count; row++) {
            if (scales) {
                sums[row][0] *= AT(scales + first);
                sums[row][1] *= AT(scales + first + LANES);
            }
            float *to = out + row * stride + first;
            if (room < 2 * LANES) {
                for (size_t at = 0; at < room; at++)
                    to[at] = (adds ? to[at] : 0.0f) + sums[row][at / LANES][at % LANES];
                continue;
            }
            if (adds) {
                sums[row][0] += AT(to);
                sums[row][1] += AT(to + LANES);
            }
            PUT(to) = sums[row][0];
            PUT(to + LANES) = sums[row][1];
        }
    }
}

/* All rows times one panel, in blocks of about the same size; that the size is a constant to the
   compiler keeps all sums in registers. */
static inline __attribute__((always_inline)) void NAMED(panel)(
    const float *rows, size_t count, size_t units, const float *panel, const int8_t *bytes,
    const float *scales, int adds, float *out, size_t stride, size_t columns) {
    size_t blocks = (count + ROWS - 1) / ROWS;
    for (size_t number = 0; number < blocks; number++) {
        size_t row = count * number / blocks, end = count * (number + 1) / blocks;
        const float *own = rows + row * units;
        float *to = out + row * stride;
#define BLOCK(size) \
    case size: NAMED(block)(size, own, units, panel, bytes, scales, adds, to, stride, columns); break;
        switch (end - row) {
            BLOCK(1) BLOCK(2) BLOCK(3) BLOCK(4) BLOCK(5) BLOCK(6)
#if ROWS > 6
            BLOCK(7) BLOCK(8)
#endif
        }
#undef BLOCK
    }
}

/* Write the product to `out`, or add it to what is there. */
static void NAMED(multiply)(const float *rows, size_t count, size_t units, const float *panels, int adds,
                            float *out, size_t columns) {
    for (size_t start = 0; start < columns; start += PANEL)
        NAMED(panel)(rows, count, units, panels + start * units, NULL, NULL, adds, out + start, columns,
                     columns - start < PANEL ? columns - start : PANEL);
}

/* The same with weights of a byte each. For many rows a panel is widened once, into `room`. */
static void NAMED(multiply_bytes)(const float *rows, size_t count, size_t units, const int8_t *panels,
                                  const float *scales, int adds, float *out, size_t columns, float *room) {
    for (size_t start = 0; start < columns; start += PANEL) {
        const int8_t *panel = panels + start * units;
        size_t wide = columns - start < PANEL ? columns - start : PANEL;
        if (count <= ROWS) {
            NAMED(panel)(rows, count, units, NULL, panel, scales + start, adds, out + start, columns, wide);
            continue;
        }
        for (size_t at = 0; at < units * PANEL; at += LANES) PUT(room + at) = NAMED(widened)(panel + at);
        NAMED(panel)(rows, count, units, room, NULL, scales + start, adds, out + start, columns, wide);
    }
}

/* One step of an LSTM behind its products; gates are (rows, 4 * units): input, forget, cell, output. */
static inline __attribute__((always_inline)) void NAMED(unit)(
    const float *gates, const float *before, size_t units, float *hidden, float *cell, size_t bytes) {
    floats in = all(0.0f), forget = in, next = in, out = in, old = in;
    memcpy(&in, gates, bytes);
    memcpy(&forget, gates + units, bytes);
    memcpy(&next, gates + 2 * units, bytes);
    memcpy(&out, gates + 3 * units, bytes);
    memcpy(&old, before, bytes);
    floats now = NAMED(logistic)(forget) * old + NAMED(logistic)(in) * NAMED(tangent)(next);
    floats said = NAMED(logistic)(out) * NAMED(tangent)(now);
    memcpy(cell, &now, bytes);
    memcpy(hidden, &said, bytes);
}

static void NAMED(remember)(const float *gates, const float *before, size_t count, size_t units,
                            float *hidden, float *cell) {
    for (size_t row = 0; row < count; row++) {
        const float *own = gates + 4 * row * units;
        size_t at = row * units, unit = 0;
        for (; unit + LANES <= units; unit += LANES)
            NAMED(unit)(own + unit, before + at + unit, units, hidden + at + unit, cell + at + unit,
                        sizeof(floats));
        if (unit < units)
            NAMED(unit)(own + unit, before + at + unit, units, hidden + at + unit, cell + at + unit,
                        (units - unit) * sizeof(float));
    }
}

static float NAMED(greatest)(const float *values, size_t count) {
    float found = -INFINITY;
    size_t at = 0;
    if (count >= LANES) {
        floats best = AT(values);
        for (at = LANES; at + LANES <= count; at += LANES) {
            best = HIGHER(AT(values + at), best); /* what is no number is passed over */
        }
        for (int lane = 0; lane < LANES; lane++) found = best[lane] > found ? best[lane] : found;
    }
    for (; at < count; at++) found = values[at] > found ? values[at] : found;
    return found;
}

/* The logarithm of the sum of e^score. */
static float NAMED(log_sum_row)(const float *scores, size_t columns) {
    float most = NAMED(greatest)(scores, columns);
    floats sums = all(0.0f);
    size_t at = 0;
    for (; at + LANES <= columns; at += LANES) sums += exponential(AT(scores + at) - most);
    double sum = 0.0;
    for (int lane = 0; lane < LANES; lane++) sum += sums[lane];
    for (; at < columns; at++) sum += exp((double)scores[at] - most);
    return most + (float)log(sum);
}

static void NAMED(log_sum)(const float *scores, size_t count, size_t columns, float *out) {
    for (size_t row = 0; row < count; row++) out[row] = NAMED(log_sum_row)(scores + row * columns, columns);
}

/* The `wanted` greatest of a row that exceed `above`, best first, of equals the first; returns
   how many there are.

   The row is dealt out to COMBS * LANES heaps like cards, and the greatest of each is found. The
   last wanted of those is a floor: what is below it need not be looked at. */
static size_t NAMED(top_row)(const float *scores, size_t columns, float above, size_t wanted,
                             int64_t *ids, float *found) {
    floats greatest[COMBS];
    size_t held = 0, at = 0, whole = columns - columns % LANES;
    for (int comb = 0; comb < COMBS; comb++) greatest[comb] = all(-INFINITY);
    for (; at + COMBS * LANES <= whole; at += COMBS * LANES)
        for (int comb = 0; comb < COMBS; comb++) {
            greatest[comb] = HIGHER(AT(scores + at + comb * LANES), greatest[comb]);
        }
    for (int comb = 0; comb < COMBS; comb++)
        for (int lane = 0; lane < LANES; lane++)
            if (greatest[comb][lane] > above)
                held = insert(greatest[comb][lane], 0, held, wanted, ids, found);
    float floor = held == wanted ? found[wanted - 1] : above;
    held = 0;
    for (at = 0; at < whole; at += LANES)
        for (unsigned reach = REACHING(AT(scores + at), all(floor)); reach; reach &= reach - 1) {
            size_t column = at + __builtin_ctz(reach);
            if (scores[column] > above)
                held = insert(scores[column], (int64_t)column, held, wanted, ids, found);
        }
    for (; at < columns; at++)
        if (scores[at] > above) held = insert(scores[at], (int64_t)at, held, wanted, ids, found);
    return held;
}

/* The best of the first columns of each row; where fewer exceed `above`, the rest is impossible.
   Some columns of each row, `at`, count with another score than theirs, `instead`. All that is
   told and found is higher by `shift` than the scores; they are as before when this returns. */
static void NAMED(best)(float *scores, size_t count, size_t stride, size_t columns, const float *shift,
                        const float *above, const int64_t *at, const float *instead, size_t others,
                        float *kept, size_t wanted, int64_t *ids, float *found) {
    for (size_t row = 0; row < count; row++, scores += stride, at += others, instead += others) {
        for (size_t one = 0; one < others; one++) {
            if (at[one] < 0 || at[one] >= (int64_t)columns) continue;
            kept[one] = scores[at[one]];
            scores[at[one]] = instead[one] - shift[row];
        }
        size_t held = NAMED(top_row)(scores, columns, above[row] - shift[row], wanted, ids, found);
        for (size_t one = 0; one < wanted; one++)
            found[one] = one < held ? found[one] + shift[row] : -INFINITY;
        for (size_t one = held; one < wanted; one++) ids[one] = 0;
        for (size_t one = others; one-- > 0;) /* backwards: the same column may have come twice */
            if (at[one] >= 0 && at[one] < (int64_t)columns) scores[at[one]] = kept[one];
        ids += wanted;
        found += wanted;
    }
}

static const kernels NAMED(kernels) = {NAMED(multiply), NAMED(multiply_bytes), NAMED(remember), NAMED(log_sum), NAMED(best)};

#undef floats
#undef ints
#undef AT
#undef PUT
#undef all
#undef exponential
#undef LANES
#undef ROWS
#undef WIDENED
#undef REACHING
#undef HIGHER
#undef LOWER
#undef NAMED
