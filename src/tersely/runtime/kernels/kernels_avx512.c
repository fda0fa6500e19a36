/* The kernels for x86-64 processors with AVX-512 and VNNI: vectors of sixteen floats. */

#include "kernels.h"

#ifdef HAS_AVX_KERNELS

#ifdef __clang__
#include <immintrin.h>
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,prefer-vector-width=512")
#include <immintrin.h>
#endif

enum { LANES = 16, BLOCK_ROWS = 8 };
#include "vectors.h"

ALWAYS_INLINE floats max_lanes(floats a, floats b) { return (floats)_mm512_max_ps(a, b); }

ALWAYS_INLINE floats min_lanes(floats a, floats b) { return (floats)_mm512_min_ps(a, b); }

ALWAYS_INLINE unsigned lanes_at_least(floats values, float floor) {
    return (unsigned)_mm512_cmp_ps_mask(values, splat(floor), _CMP_GE_OQ);
}

ALWAYS_INLINE ints widen_pairs(const int8_t *bytes) {
    return (ints)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)bytes));
}

typedef ints pair_sums;

ALWAYS_INLINE pair_sums add_pair_products(pair_sums sums, ints a, ints b) {
    return (ints)_mm512_dpwssd_epi32((__m512i)sums, (__m512i)a, (__m512i)b);
}

ALWAYS_INLINE ints total(pair_sums sums) { return sums; }

#include "activations.h"
#include "products.h"
#include "top_k.h"

const kernel_table avx512_kernels = {
    "avx512", multiply_float32, multiply_int8, lstm_cell, logsumexp, top_k,
};

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
