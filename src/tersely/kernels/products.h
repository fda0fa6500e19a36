/* Rows times a matrix that is packed in panels of PANEL columns. Included by arithmetic.h, once
   for each kind of instructions.

   A panel holds floats, unit by unit, or bytes, two units at a time. Rows that meet bytes are
   rounded to short integers first, in steps of a row's own: then all sums are whole numbers, the
   same in whatever order they are added, and take half the time. */

#define ALL_BLOCKS(BLOCK) BLOCK(1) BLOCK(2) BLOCK(3) BLOCK(4) BLOCK(5) BLOCK(6) BLOCK(7) BLOCK(8)

/* What a block is made of: columns of one panel. */
typedef struct {
    const float *panel;    /* (units, PANEL) */
    const int8_t *bytes;   /* (pairs, PANEL, 2), or NULL if they are widened already */
    const int16_t *pairs;  /* (pairs, PANEL, 2) */
    const float *scales;   /* (PANEL,): what each column's bytes are multiples of */
    size_t columns;        /* that count; the others are padding */
} NAMED(weights);
#define weights NAMED(weights)

/* Where a block goes. */
typedef struct {
    float *to;
    size_t stride;
    int adds; /* to what is there */
} NAMED(place);
#define place NAMED(place)

/* Write two registers of a row, or what the panel has of them. */
static inline __attribute__((always_inline)) void NAMED(write)(float *to, floats left, floats right, int adds,
                                                               size_t room) {
    if (room < 2 * LANES) {
        floats both[2] = {left, right};
        for (size_t at = 0; at < room; at++)
            to[at] = (adds ? to[at] : 0.0f) + both[at / LANES][at % LANES];
        return;
    }
    if (adds) {
        left += AT(to);
        right += AT(to + LANES);
    }
    PUT(to) = left;
    PUT(to + LANES) = right;
}

/* Rows (at most ROWS) times a panel of floats. */
static inline __attribute__((always_inline)) void NAMED(block)(int count, const float *rows, size_t units,
                                                               const weights *by, place out) {
    for (size_t first = 0; first < PANEL && first < by->columns; first += 2 * LANES) {
        floats sums[ROWS][2];
        for (int row = 0; row < count; row++) sums[row][0] = sums[row][1] = all(0.0f);
        for (size_t unit = 0, at = first; unit < units; unit++, at += PANEL) {
            floats left = AT(by->panel + at), right = AT(by->panel + at + LANES);
            for (int row = 0; row < count; row++) {
                floats value = all(rows[row * units + unit]);
                sums[row][0] += value * left;
                sums[row][1] += value * right;
            }
        }
        for (int row = 0; row < count; row++)
            NAMED(write)(out.to + row * out.stride + first, sums[row][0], sums[row][1], out.adds,
                         by->columns - first);
    }
}

static inline ints NAMED(pairs_at)(const weights *by, size_t at) {
    return by->bytes ? (ints)WIDENED(by->bytes + at) : *(const ints *)(by->pairs + at);
}

/* The same of short integers, in steps of each row, and a panel of bytes. */
static inline __attribute__((always_inline)) void NAMED(short_block)(int count, const int16_t *rows,
                                                                     const float *steps, size_t pairs,
                                                                     const weights *by, place out) {
    for (size_t first = 0; first < PANEL && first < by->columns; first += 2 * LANES) {
        ints sums[ROWS][2];
        for (int row = 0; row < count; row++) sums[row][0] = sums[row][1] = (ints){0};
        for (size_t pair = 0, at = 2 * first; pair < pairs; pair++, at += 2 * PANEL) {
            ints left = NAMED(pairs_at)(by, at), right = NAMED(pairs_at)(by, at + 2 * LANES);
            for (int row = 0; row < count; row++) {
                int both;
                memcpy(&both, rows + 2 * (row * pairs + pair), sizeof both);
                ints value = both - (ints){0};
                sums[row][0] = (ints)DOTTED(sums[row][0], left, value);
                sums[row][1] = (ints)DOTTED(sums[row][1], right, value);
            }
        }
        floats left = AT(by->scales + first), right = AT(by->scales + first + LANES);
        for (int row = 0; row < count; row++)
            NAMED(write)(out.to + row * out.stride + first,
                         __builtin_convertvector(sums[row][0], floats) * (left * steps[row]),
                         __builtin_convertvector(sums[row][1], floats) * (right * steps[row]), out.adds,
                         by->columns - first);
    }
}

/* All rows times one panel, in blocks of about the same size; that the size is a constant to the
   compiler keeps all sums in registers. */
static inline __attribute__((always_inline)) void NAMED(panel)(const float *rows, const int16_t *whole,
                                                               const float *steps, size_t count, size_t units,
                                                               const weights *by, place out) {
    size_t blocks = (count + ROWS - 1) / ROWS;
    for (size_t number = 0; number < blocks; number++) {
        size_t row = count * number / blocks, end = count * (number + 1) / blocks;
        place here = {out.to + row * out.stride, out.stride, out.adds};
#define BLOCK(size)                                                                                   \
    case size:                                                                                        \
        if (size > ROWS) break; /* never: it spares the compiler a block that does not fit */         \
        if (rows) NAMED(block)(size, rows + row * units, units, by, here);                            \
        else NAMED(short_block)(size, whole + 2 * row * units, steps + row, units, by, here);        \
        break;
        switch (end - row) { ALL_BLOCKS(BLOCK) }
#undef BLOCK
    }
}

/* Write the product to `out`, or add it to what is there. */
static void NAMED(multiply)(const float *rows, size_t count, size_t units, const float *panels, int adds,
                            float *out, size_t columns) {
    for (size_t start = 0; start < columns; start += PANEL) {
        weights by = {.panel = panels + start * units, .columns = columns - start};
        NAMED(panel)(rows, NULL, NULL, count, units, &by, (place){out + start, columns, adds});
    }
}

/* What a row holds: its greatest and smallest values, lane by lane, and whether all are numbers. */
typedef struct {
    floats highest, lowest, broken;
} NAMED(extent);

static inline void NAMED(extend)(NAMED(extent) * over, floats values) {
    over->highest = HIGHER(values, over->highest);
    over->lowest = LOWER(values, over->lowest);
    over->broken += values * 0.0f;
}

/* The greatest size of a row's values; infinite if one is no number. */
static float NAMED(size)(const float *row, size_t units) {
    NAMED(extent) over = {all(0.0f), all(0.0f), all(0.0f)};
    floats rest = all(0.0f);
    size_t unit = 0;
    for (; unit + LANES <= units; unit += LANES) NAMED(extend)(&over, AT(row + unit));
    memcpy(&rest, row + unit, (units - unit) * sizeof(float));
    NAMED(extend)(&over, rest);
    float greatest = 0.0f;
    for (int lane = 0; lane < LANES; lane++) {
        float size = over.highest[lane] > -over.lowest[lane] ? over.highest[lane] : -over.lowest[lane];
        greatest = over.broken[lane] != 0.0f ? INFINITY : size > greatest ? size : greatest;
    }
    return greatest;
}

/* Round a row to whole steps, -most to most of them, with a zero behind an odd number of units;
   return the step. A row that holds something that is no number, or beyond all measure, has none. */
static float NAMED(shorten)(const float *row, size_t units, float most, int16_t *out) {
    const float ROUNDS = 12582912.0f; /* 1.5 * 2^23: the sum's last bits are a whole number */
    float size = NAMED(size)(row, units);
    int is_usual = size > 1e-30f && size < 1e30f;
    float steps = is_usual ? most / size : 0.0f;
    size_t unit = 0;
    for (; is_usual && unit + LANES <= units; unit += LANES) {
        ints whole = (ints)(AT(row + unit) * steps + ROUNDS) - 0x4B400000;
        shorts narrow = __builtin_convertvector(whole, shorts);
        memcpy(out + unit, &narrow, sizeof narrow);
    }
    for (; unit < units + units % 2; unit++) {
        float shifted = (is_usual && unit < units ? row[unit] : 0.0f) * steps + ROUNDS;
        int bits;
        memcpy(&bits, &shifted, sizeof bits);
        out[unit] = (int16_t)(bits - 0x4B400000);
    }
    return is_usual ? size / most : size > 1.0f ? NAN : 0.0f;
}

/* The same with weights of a byte each. For many rows a panel is widened once, into `room` (as
   many shorts as a panel has); `whole` and `steps` take the rows as they are multiplied. */
static void NAMED(multiply_bytes)(const float *rows, size_t count, size_t units, const int8_t *panels,
                                  const float *scales, int adds, float *out, size_t columns,
                                  int16_t *room, int16_t *whole, float *steps) {
    size_t pairs = (units + 1) / 2;
    float most = units * 127.0 * 32767.0 < 2147483647.0 ? 32767.0f : (float)(int)(2147483647.0 / 127.0 / units);
    for (size_t row = 0; row < count; row++)
        steps[row] = NAMED(shorten)(rows + row * units, units, most, whole + 2 * row * pairs);
    for (size_t start = 0; start < columns; start += PANEL) {
        weights by = {.bytes = panels + 2 * start * pairs, .scales = scales + start, .columns = columns - start};
        if (count > ROWS) {
            for (size_t at = 0; at < 2 * PANEL * pairs; at += 2 * LANES)
                *(ints *)(room + at) = (ints)WIDENED(by.bytes + at);
            by.bytes = NULL;
            by.pairs = room;
        }
        NAMED(panel)(NULL, whole, steps, count, pairs, &by, (place){out + start, columns, adds});
    }
}

#undef weights
#undef place
#undef ALL_BLOCKS
