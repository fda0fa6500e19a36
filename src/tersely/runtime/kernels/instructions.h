/* The arithmetic for each kind of instructions, and which of them is used. What a kind can do in an
   instruction or two is told to arithmetic.h, which is compiled once for each. */

#define COMBS 4

typedef struct {
    void (*multiply)(const float *, size_t, size_t, const float *, int, float *, size_t);
    void (*multiply_bytes)(const float *, size_t, size_t, const int8_t *, const float *, int, float *,
                           size_t, int16_t *, int16_t *, float *);
    void (*remember)(const float *, const float *, size_t, size_t, float *, float *);
    void (*log_sum)(const float *, size_t, size_t, float *);
    void (*best)(float *, size_t, size_t, size_t, const float *, const float *, const int64_t *,
                 const float *, size_t, float *, size_t, int64_t *, float *);
} kernels;

/* Put a value into a list of the greatest, best first, which holds `held` of `wanted`. */
static inline size_t insert(float value, int64_t id, size_t held, size_t wanted, int64_t *ids,
                            float *found) {
    if (held == wanted && !(value > found[wanted - 1])) return held;
    size_t place = held < wanted ? held++ : wanted - 1;
    for (; place > 0 && value > found[place - 1]; place--) {
        found[place] = found[place - 1];
        ids[place] = ids[place - 1];
    }
    found[place] = value;
    ids[place] = id;
    return held;
}

static inline unsigned reaching(const float *values, float floor) {
    unsigned bits = 0;
    for (int lane = 0; lane < 4; lane++) bits |= (unsigned)(values[lane] >= floor) << lane;
    return bits;
}

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
typedef int four_ints __attribute__((vector_size(16), aligned(4), may_alias));

static inline four pick(four_ints mask, four yes, four no) {
    return (four)(((four_ints)yes & mask) | ((four_ints)no & ~mask));
}

/* Eight bytes as four pairs of short integers. */
static inline four_ints widened(const int8_t *bytes) {
    int16_t both[8];
    four_ints pairs;
    for (int at = 0; at < 8; at++) both[at] = bytes[at];
    memcpy(&pairs, both, sizeof pairs);
    return pairs;
}

static inline four_ints dotted(four_ints sums, four_ints a, four_ints b) {
    return sums + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
}

#define LANES 4
#define ROWS 6
#define HIGHER(a, b) (floats)pick((four)(a) > (four)(b), (four)(a), (four)(b))
#define LOWER(a, b) (floats)pick((four)(a) < (four)(b), (four)(a), (four)(b))
#define REACHING(values, floor) reaching((const float *)&(values), (floor)[0])
#define WIDENED(b) (ints)widened(b)
#define DOTTED(sums, a, b) dotted((four_ints)(sums), (four_ints)(a), (four_ints)(b))
#define NAMED(name) name##_any
#include "arithmetic.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HAS_WIDER 1
#include <immintrin.h>
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LANES 8
#define HIGHER(a, b) (floats)_mm256_max_ps(a, b)
#define LOWER(a, b) (floats)_mm256_min_ps(a, b)
#define REACHING(values, floor) (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(values, floor, _CMP_GE_OQ))
#define ROWS 6
#define WIDENED(b) _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(b)))
#define DOTTED(sums, a, b) _mm256_add_epi32((__m256i)(sums), _mm256_madd_epi16((__m256i)(a), (__m256i)(b)))
#define NAMED(name) name##_avx2
#include "arithmetic.h"
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,prefer-vector-width=512")
#define LANES 16
#define HIGHER(a, b) (floats)_mm512_max_ps(a, b)
#define LOWER(a, b) (floats)_mm512_min_ps(a, b)
#define REACHING(values, floor) (unsigned)_mm512_cmp_ps_mask(values, floor, _CMP_GE_OQ)
#define ROWS 8
#define WIDENED(b) _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(b)))
#define DOTTED(sums, a, b) _mm512_dpwssd_epi32((__m512i)(sums), (__m512i)(a), (__m512i)(b))
#define NAMED(name) name##_avx512
#include "arithmetic.h"
#pragma GCC pop_options
#endif

static const kernels *chosen = &kernels_any;

/* The widest instructions that this processor has, or the ones TERSELY_KERNELS names if it has them. */
static const char *choose(void) {
    const char *asked = getenv("TERSELY_KERNELS");
    int is_open = !asked || (strcmp(asked, "avx2") && strcmp(asked, "any"));
#ifdef HAS_WIDER
    __builtin_cpu_init();
    int has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (is_open && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vnni")) {
        chosen = &kernels_avx512;
        return "avx512";
    }
    if (has_avx2 && (is_open || strcmp(asked, "any"))) {
        chosen = &kernels_avx2;
        return "avx2";
    }
#else
    (void)is_open;
#endif
    return "any";
}
