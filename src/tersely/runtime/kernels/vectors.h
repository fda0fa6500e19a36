/* Vector types of LANES entries. GCC and Clang compile their operators to vector instructions.

   Included by kernels_*.c, which then define these operations:

     max_lanes(a, b), min_lanes(a, b)   by lane; b where either is NaN
     lanes_at_least(values, floor)      one bit for each lane that is at least the floor
     widen_pairs(bytes)                 2 * LANES int8 as int16, two in each 32-bit lane
     pair_sums                          a type of 32-bit sums; {0} is zero
     add_pair_products(sums, a, b)      add both products of the int16 pairs in each lane
     total(sums)                        the sum of each lane */

typedef float floats __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t ints __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int16_t int16s __attribute__((vector_size(2 * LANES)));
typedef int16_t int16_pairs __attribute__((vector_size(4 * LANES)));
typedef int8_t int8s __attribute__((vector_size(2 * LANES)));

ALWAYS_INLINE floats splat(float value) { return value - (floats){0}; }

ALWAYS_INLINE ints splat_pair(const int16_t *pair) {
    int32_t both;
    memcpy(&both, pair, sizeof both);
    return both - (ints){0};
}

ALWAYS_INLINE floats to_floats(ints values) { return __builtin_convertvector(values, floats); }

ALWAYS_INLINE floats load(const float *source) { return *(const floats *)source; }

ALWAYS_INLINE void store(float *target, floats values) { *(floats *)target = values; }

/* Load or store the first `count` of LANES floats; the others are loaded as zero. */
ALWAYS_INLINE floats load_part(const float *source, size_t count) {
    if (count == LANES) return load(source);
    floats values = splat(0.0f);
    memcpy(&values, source, count * sizeof(float));
    return values;
}

ALWAYS_INLINE void store_part(float *target, floats values, size_t count) {
    if (count == LANES)
        store(target, values);
    else
        memcpy(target, &values, count * sizeof(float));
}
