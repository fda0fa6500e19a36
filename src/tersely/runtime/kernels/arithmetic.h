/* The arithmetic, written once and compiled for each kind of instructions.

   The includer sets LANES (floats a register holds), ROWS (rows multiplied at a time),
   WIDENED(bytes) (2 * LANES bytes as short integers, two a lane), DOTTED(sums, a, b) (both
   products of a lane's short integers, added up), REACHING(values, floor) (a bit for each value
   that is no less), HIGHER(a, b) and LOWER(a, b) (of two, lane by lane; b if either is no
   number), and NAMED(name). GCC's vector types turn into the widest instructions of the target
   chosen there, or into several narrower ones. */

typedef float NAMED(floats) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int NAMED(ints) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int16_t NAMED(shorts) __attribute__((vector_size(2 * LANES)));
#define floats NAMED(floats)
#define ints NAMED(ints)
#define shorts NAMED(shorts)
#define AT(address) (*(const floats *)(address))
#define PUT(address) (*(floats *)(address))

static inline floats NAMED(all)(float value) { return value - (floats){0}; }
#define all NAMED(all)

/* Added to a number below 2^22 in size, it leaves a whole number in the sum's last bits. */
#define ROUNDS 12582912.0f /* 1.5 * 2^23 */
#define WHOLE(shifted) ((ints)(shifted) - 0x4B400000)

/* e^x to within 2 units in the last place: 2^n times a series for what is left of x. */
static inline floats NAMED(exponential)(floats x) {
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
    ints power = (WHOLE(shifted) + 127) << 23;
    return sum * (floats)power;
}
#define exponential NAMED(exponential)

static inline floats NAMED(logistic)(floats x) { return 1.0f / (1.0f + exponential(-x)); }
static inline floats NAMED(tangent)(floats x) { return 2.0f / (1.0f + exponential(x * -2.0f)) - 1.0f; }

#include "products.h"

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

#include "best.h"

static const kernels NAMED(kernels) = {NAMED(multiply), NAMED(multiply_bytes), NAMED(remember), NAMED(log_sum), NAMED(best)};

#undef floats
#undef ints
#undef shorts
#undef AT
#undef PUT
#undef all
#undef exponential
#undef ROUNDS
#undef WHOLE
#undef LANES
#undef ROWS
#undef WIDENED
#undef DOTTED
#undef REACHING
#undef HIGHER
#undef LOWER
#undef NAMED
