/* The kernels for any processor: vectors of four floats, SSE2 on x86-64 and NEON on ARM. */

#include "kernels.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

enum { LANES = 4, BLOCK_ROWS = 6 };
#include "vectors.h"

ALWAYS_INLINE floats select_lanes(ints mask, floats if_set, floats if_clear) {
    return (floats)(((ints)if_set & mask) | ((ints)if_clear & ~mask));
}

ALWAYS_INLINE floats max_lanes(floats a, floats b) { return select_lanes(a > b, a, b); }

ALWAYS_INLINE floats min_lanes(floats a, floats b) { return select_lanes(a < b, a, b); }

ALWAYS_INLINE unsigned lanes_at_least(floats values, float floor) {
    typedef int64_t halves __attribute__((vector_size(16)));
    ints is_reached = values >= splat(floor);
    halves any = (halves)is_reached;
    if (!(any[0] | any[1])) return 0;
    unsigned bits = 0;
    for (int lane = 0; lane < LANES; lane++) bits |= (unsigned)(is_reached[lane] & 1) << lane;
    return bits;
}

ALWAYS_INLINE ints widen_pairs(const int8_t *bytes) {
    int8s narrow;
    memcpy(&narrow, bytes, sizeof narrow);
    return (ints)__builtin_convertvector(narrow, int16_pairs);
}

#if defined(__aarch64__) && defined(__ARM_NEON)

/* NEON adds products to wider sums, but not to their neighbours: pairs are added at the end. */
typedef struct {
    int32x4_t low, high; /* the pairs of the first two lanes, and of the last two */
} pair_sums;

ALWAYS_INLINE pair_sums add_pair_products(pair_sums sums, ints a, ints b) {
    int16x8_t left = (int16x8_t)a, right = (int16x8_t)b;
    sums.low = vmlal_s16(sums.low, vget_low_s16(left), vget_low_s16(right));
    sums.high = vmlal_high_s16(sums.high, left, right);
    return sums;
}

ALWAYS_INLINE ints total(pair_sums sums) { return (ints)vpaddq_s32(sums.low, sums.high); }

#else

typedef ints pair_sums;

ALWAYS_INLINE pair_sums add_pair_products(pair_sums sums, ints a, ints b) {
#if defined(__SSE2__)
    return sums + (ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    return sums + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}

ALWAYS_INLINE ints total(pair_sums sums) { return sums; }

#endif

#include "activations.h"
#include "products.h"
#include "top_k.h"

const kernel_table generic_kernels = {
    "generic", multiply_float32, multiply_int8, lstm_cell, logsumexp, top_k,
};
