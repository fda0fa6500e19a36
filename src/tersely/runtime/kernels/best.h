/* The best of each row. Included by arithmetic.h, once for each kind of instructions. */

/* The `wanted` greatest of a row that exceed `above`, best first, of equals the first; returns
   how many there are.

   The row is dealt out to COMBS * LANES heaps like cards, and the greatest of each is found. The
   last wanted of those is a floor: what is below it need not be looked at. */
static size_t NAMED(top_row)(const float *scores, size_t columns, float above, size_t wanted,
                             int64_t *ids, float *found) {
    floats greatest[COMBS];
    size_t held = 0, at = 0, whole = columns - columns % LANES;
    for (int comb = 0; comb < COMBS; comb++) greatest[comb] = all(-INFINITY);
    for (; at + COMBS * LANES <= whole; at += COMBS * LANES)
        for (int comb = 0; comb < COMBS; comb++) {
            greatest[comb] = HIGHER(AT(scores + at + comb * LANES), greatest[comb]);
        }
    for (int comb = 0; comb < COMBS; comb++)
        for (int lane = 0; lane < LANES; lane++)
            if (greatest[comb][lane] > above)
                held = insert(greatest[comb][lane], 0, held, wanted, ids, found);
    float floor = held == wanted ? found[wanted - 1] : above;
    held = 0;
    for (at = 0; at < whole; at += LANES)
        for (unsigned reach = REACHING(AT(scores + at), all(floor)); reach; reach &= reach - 1) {
            size_t column = at + __builtin_ctz(reach);
            if (scores[column] > above)
                held = insert(scores[column], (int64_t)column, held, wanted, ids, found);
        }
    for (; at < columns; at++)
        if (scores[at] > above) held = insert(scores[at], (int64_t)at, held, wanted, ids, found);
    return held;
}

/* The best of the first columns of each row; where fewer exceed `above`, the rest is impossible.
   Some columns of each row, `at`, count with another score than theirs, `instead`. All that is
   told and found is higher by `shift` than the scores; they are as before when this returns. */
static void NAMED(best)(float *scores, size_t count, size_t stride, size_t columns, const float *shift,
                        const float *above, const int64_t *at, const float *instead, size_t others,
                        float *kept, size_t wanted, int64_t *ids, float *found) {
    for (size_t row = 0; row < count; row++, scores += stride, at += others, instead += others) {
        for (size_t one = 0; one < others; one++) {
            if (at[one] < 0 || at[one] >= (int64_t)columns) continue;
            kept[one] = scores[at[one]];
            scores[at[one]] = instead[one] - shift[row];
        }
        size_t held = NAMED(top_row)(scores, columns, above[row] - shift[row], wanted, ids, found);
        for (size_t one = 0; one < wanted; one++)
            found[one] = one < held ? found[one] + shift[row] : -INFINITY;
        for (size_t one = held; one < wanted; one++) ids[one] = 0;
        for (size_t one = others; one-- > 0;) /* backwards: the same column may have come twice */
            if (at[one] >= 0 && at[one] < (int64_t)columns) scores[at[one]] = kept[one];
        ids += wanted;
        found += wanted;
    }
}

