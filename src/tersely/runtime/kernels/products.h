/* Rows times a matrix that is packed in panels of PANEL columns. Included by arithmetic.h, once
   for each kind of instructions.

   A panel holds floats, unit by unit, or bytes, two units at a time. Rows that meet bytes are
   rounded to short integers first, in steps of a row's own: then all sums are whole numbers, the
   same in whatever order they are added, and wide instructions make them in half the time. */

/* What a block is multiplied by: a panel. */
typedef struct {
    const float *numbers;   /* (units, PANEL); or */
    const int8_t *bytes;    /* (pairs, PANEL, 2), or NULL if they are widened already: */
    const int16_t *widened; /* (pairs, PANEL, 2) */
    const float *scales;    /* (PANEL,): what each column's bytes are multiples of */
    size_t columns;         /* how many of the panel's count; the others are padding */
} NAMED(weights);
#define weights NAMED(weights)

/* Where a block goes. */
typedef struct {
    float *to;
    size_t stride;
    int adds; /* to what is there */
} NAMED(place);
#define place NAMED(place)

/* Write two registers of a row, or what there is room for. */
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
            floats left = AT(by->numbers + at), right = AT(by->numbers + at + LANES);
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
    return by->bytes ? (ints)WIDENED(by->bytes + at) : *(const ints *)(by->widened + at);
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

/* Do something for all rows, in blocks of about the same size: BLOCK(size) for those from `row` on.
   That the size is a constant to the compiler keeps all sums in registers; no block is larger than
   ROWS, so it need not make one. */
#define CASE(size) \
    case size: if (size <= ROWS) { BLOCK(size); } break;
#define IN_BLOCKS(count)                                                                              \
    for (size_t blocks = (count + ROWS - 1) / ROWS, number = 0, row = 0, end; number < blocks;        \
         number++, row = end)                                                                         \
        switch (end = count * (number + 1) / blocks, end - row) {                                     \
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)                           \
        }

static inline size_t NAMED(at_most)(size_t columns) { return columns < PANEL ? columns : PANEL; }

/* Write the product to `out`, or add it to what is there. */
static void NAMED(multiply)(const float *rows, size_t count, size_t units, const float *panels, int adds,
                            float *out, size_t columns) {
    for (size_t start = 0; start < columns; start += PANEL) {
        weights by = {.numbers = panels + start * units, .columns = NAMED(at_most)(columns - start)};
#define BLOCK(size) \
    NAMED(block)(size, rows + row * units, units, &by, (place){out + start + row * columns, columns, adds})
        IN_BLOCKS(count)
#undef BLOCK
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

static inline shorts NAMED(in_steps)(floats values, float steps) {
    return __builtin_convertvector(WHOLE(values * steps + ROUNDS), shorts);
}

/* Round a row to whole steps, -most to most of them, with a zero behind an odd number of units;
   return the step. Next to nothing counts as nothing, and a row that holds something that is no
   number, or beyond all measure, has no step: what it is divided by must be a number too. */
static float NAMED(shorten)(const float *row, size_t units, float most, int16_t *out) {
    float size = NAMED(size)(row, units);
    if (!(size > 1e-30f && size < 1e30f)) {
        memset(out, 0, (units + units % 2) * sizeof *out);
        return size > 1.0f ? NAN : 0.0f;
    }
    size_t unit = 0;
    for (; unit + LANES <= units; unit += LANES) {
        shorts whole = NAMED(in_steps)(AT(row + unit), most / size);
        memcpy(out + unit, &whole, sizeof whole);
    }
    floats rest = all(0.0f);
    memcpy(&rest, row + unit, (units - unit) * sizeof(float));
    shorts whole = NAMED(in_steps)(rest, most / size);
    memcpy(out + unit, &whole, (units - unit) * sizeof *out);
    if (units % 2) out[units] = 0;
    return size / most;
}

/* The same with weights of a byte each. For many rows a panel is widened once, into `room` (as
   many shorts as a panel has bytes); `whole` and `steps` take the rows as they are multiplied. */
static void NAMED(multiply_bytes)(const float *rows, size_t count, size_t units, const int8_t *panels,
                                  const float *scales, int adds, float *out, size_t columns,
                                  int16_t *room, int16_t *whole, float *steps) {
    size_t pairs = (units + 1) / 2;
    double greatest = 2147483647.0 / 128.0 / (2.0 * pairs); /* that no sum exceeds an int with */
    float most = greatest < 32767.0 ? (float)(int)greatest : 32767.0f;
    for (size_t row = 0; row < count; row++)
        steps[row] = NAMED(shorten)(rows + row * units, units, most, whole + 2 * row * pairs);
    for (size_t start = 0; start < columns; start += PANEL) {
        weights by = {.bytes = panels + 2 * start * pairs,
                      .scales = scales + start,
                      .columns = NAMED(at_most)(columns - start)};
        if (count > ROWS) {
            for (size_t at = 0; at < 2 * PANEL * pairs; at += 2 * LANES)
                *(ints *)(room + at) = (ints)WIDENED(by.bytes + at);
            by.bytes = NULL;
            by.widened = room;
        }
#define BLOCK(size)                                                         \
    NAMED(short_block)(size, whole + 2 * row * pairs, steps + row, pairs, &by, \
                       (place){out + start + row * columns, columns, adds})
        IN_BLOCKS(count)
#undef BLOCK
    }
}

#undef weights
#undef place
#undef CASE
#undef IN_BLOCKS
