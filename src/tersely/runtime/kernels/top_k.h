/* The top k of each row. Included by kernels_*.c. */

enum { VECTORS = 4 }; /* vectors whose running maxima are kept at a time */

/* Insert a value into a list of the greatest, best first; return the list's length. */
ALWAYS_INLINE size_t insert(float value, int64_t id, size_t length, size_t count, int64_t *ids,
                            float *values) {
    if (length == count && !(value > values[count - 1])) return length;
    size_t place = length < count ? length++ : count - 1;
    for (; place > 0 && value > values[place - 1]; place--) {
        values[place] = values[place - 1];
        ids[place] = ids[place - 1];
    }
    values[place] = value;
    ids[place] = id;
    return length;
}

/* A value that at least `count` scores reach, or the threshold: the row is split into VECTORS *
   LANES parts, and this is the `count`th of their maxima. `ids` and `values` are buffers. */
static float lower_bound(const float *scores, size_t columns, float threshold, size_t count,
                         int64_t *ids, float *values) {
    floats maxima[VECTORS];
    size_t length = 0;
    for (int vector = 0; vector < VECTORS; vector++) maxima[vector] = splat(-INFINITY);
    for (size_t at = 0; at + VECTORS * LANES <= columns; at += VECTORS * LANES)
        for (int vector = 0; vector < VECTORS; vector++)
            maxima[vector] = max_lanes(load(scores + at + vector * LANES), maxima[vector]);
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
    size_t length = 0, at = 0;
    for (; at + LANES <= columns; at += LANES)
        for (unsigned lanes = lanes_at_least(load(scores + at), floor); lanes; lanes &= lanes - 1) {
            size_t column = at + __builtin_ctz(lanes);
            if (scores[column] > threshold)
                length = insert(scores[column], (int64_t)column, length, count, ids, values);
        }
    for (; at < columns; at++)
        if (scores[at] > threshold)
            length = insert(scores[at], (int64_t)at, length, count, ids, values);
    return length;
}

ALWAYS_INLINE int is_column(int64_t column, size_t columns) {
    return column >= 0 && column < (int64_t)columns;
}

static void top_k(const top_k_rows *in) {
    for (size_t row = 0; row < in->row_count; row++) {
        float *scores = in->scores + row * in->stride, shift = in->shift[row];
        const int64_t *column = in->override_columns + row * in->overrides;
        const float *override = in->override_values + row * in->overrides;
        int64_t *ids = in->ids + row * in->count;
        float *values = in->values + row * in->count;
        for (size_t at = 0; at < in->overrides; at++) {
            if (!is_column(column[at], in->columns)) continue;
            in->saved_scores[at] = scores[column[at]];
            scores[column[at]] = override[at] - shift;
        }
        float threshold = in->threshold[row] - shift;
        size_t length = top_k_of_row(scores, in->columns, threshold, in->count, ids, values);
        for (size_t at = 0; at < length; at++) values[at] += shift;
        for (size_t at = length; at < in->count; at++) {
            values[at] = -INFINITY;
            ids[at] = 0;
        }
        for (size_t at = in->overrides; at-- > 0;) /* backwards: a column may be overridden twice */
            if (is_column(column[at], in->columns)) scores[column[at]] = in->saved_scores[at];
    }
}
