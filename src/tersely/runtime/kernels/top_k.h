/* The top k of each row. Included by kernels_*.c. */

enum { VECTORS = 4 }; /* vectors whose running maxima are kept at a time */

/* Insert a value into a list of the greatest, best first; return the list's length. */
ALWAYS_INLINE size_t insert(float value, int64_t id, size_t length, size_t count, int64_t *ids,
                            float *values) {
    if (length == count && !(value > values[count - 1])) return length;
    size_t index = length < count ? length++ : count - 1;
    for (; index > 0 && value > values[index - 1]; index--) {
        values[index] = values[index - 1];
        ids[index] = ids[index - 1];
    }
    values[index] = value;
    ids[index] = id;
    return length;
}

/* A value that at least `count` scores reach, or the threshold: the row is split into VECTORS *
   LANES parts, and this is the `count`th of their maxima. `ids` and `values` are buffers. */
static float lower_bound(const float *scores, size_t columns, float threshold, size_t count,
                         int64_t *ids, float *values) {
    floats maxima[VECTORS];
    size_t length = 0;
    for (int vector = 0; vector < VECTORS; vector++) maxima[vector] = splat(-INFINITY);
    for (size_t index = 0; index + VECTORS * LANES <= columns; index += VECTORS * LANES)
        for (int vector = 0; vector < VECTORS; vector++)
            maxima[vector] = max_lanes(load(scores + index + vector * LANES), maxima[vector]);
    for (int vector = 0; vector < VECTORS; vector++)
        for (int lane = 0; lane < LANES; lane++)
            if (maxima[vector][lane] > threshold)
                length = insert(maxima[vector][lane], 0, length, count, ids, values);
    return length == count ? values[count - 1] : threshold;
}

/* Find the `count` greatest scores above the threshold, best first, of equals the first; return
   how many there are. */
static size_t top_k_of_row(const float *scores, size_t columns, float threshold, size_t count,
                           int64_t *ids, float *values) {
    float floor = lower_bound(scores, columns, threshold, count, ids, values);
    size_t length = 0, index = 0;
    for (; index + LANES <= columns; index += LANES)
        for (unsigned lanes = lanes_at_least(load(scores + index), floor); lanes;
             lanes &= lanes - 1) {
            size_t column = index + __builtin_ctz(lanes);
            if (scores[column] > threshold)
                length = insert(scores[column], (int64_t)column, length, count, ids, values);
        }
    for (; index < columns; index++)
        if (scores[index] > threshold)
            length = insert(scores[index], (int64_t)index, length, count, ids, values);
    return length;
}

ALWAYS_INLINE int is_column(int64_t column, size_t columns) {
    return column >= 0 && column < (int64_t)columns;
}

static void top_k(const top_k_rows *in) {
    for (size_t row = 0; row < in->row_count; row++) {
        float *scores = in->scores + row * in->stride, log_normalizer = in->log_normalizer[row];
        const int64_t *column = in->override_columns + row * in->overrides;
        const float *override = in->override_values + row * in->overrides;
        int64_t *ids = in->ids + row * in->count;
        float *values = in->values + row * in->count;
        for (size_t index = 0; index < in->overrides; index++) {
            if (!is_column(column[index], in->columns)) continue;
            in->saved_scores[index] = scores[column[index]];
            scores[column[index]] = override[index] - log_normalizer;
        }
        float threshold = in->threshold[row] - log_normalizer;
        size_t length = top_k_of_row(scores, in->columns, threshold, in->count, ids, values);
        for (size_t index = 0; index < length; index++) values[index] += log_normalizer;
        for (size_t index = length; index < in->count; index++) {
            values[index] = -INFINITY;
            ids[index] = 0;
        }
        /* Backwards, because a column may be overridden twice. */
        for (size_t index = in->overrides; index-- > 0;)
            if (is_column(column[index], in->columns))
                scores[column[index]] = in->saved_scores[index];
    }
}
