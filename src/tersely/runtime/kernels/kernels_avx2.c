/* The kernels for x86-64 processors with AVX2 and FMA: vectors of eight floats. */

#include "kernels.h"

#ifdef HAS_AVX_KERNELS

#ifdef __clang__
#include <immintrin.h>
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#include <immintrin.h>
#endif

enum { LANES = 8, BLOCK_ROWS = 6 };
#include "vectors.h"

ALWAYS_INLINE floats max_lanes(floats a, floats b) { return (floats)_mm256_max_ps(a, b); }

ALWAYS_INLINE floats min_lanes(floats a, floats b) { return (floats)_mm256_min_ps(a, b); }

ALWAYS_INLINE unsigned lanes_at_least(floats values, float floor) {
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(values, splat(floor), _CMP_GE_OQ));
}

ALWAYS_INLINE ints widen_pairs(const int8_t *bytes) {
    return (ints)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)bytes));
}

typedef ints pair_sums;

ALWAYS_INLINE pair_sums add_pair_products(pair_sums sums, ints a, ints b) {
    return (ints)_mm256_add_epi32((__m256i)sums, _mm256_madd_epi16((__m256i)a, (__m256i)b));
}

ALWAYS_INLINE ints total(pair_sums sums) { return sums; }

#include "activations.h"
#include "products.h"
#include "top_k.h"

const kernel_table avx2_kernels = {
    "avx2", multiply_float32, multiply_int8, lstm_cell, logsumexp, top_k,
};

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
