/* Which candidates a beam follows; runtime/kernels/beam.py says the same in NumPy. */

typedef struct {
    double score;
    int64_t row, place; /* place: row * choices + choice */
} candidate;

typedef struct {
    const float *scores;     /* (rows, choices) */
    const int64_t *words;    /* (rows, choices) */
    const double *so_far;    /* (rows,) */
    const uint64_t *heard;   /* (rows,) */
    const int64_t *placed;   /* (rows,) */
    const int64_t *keyword;  /* (rows,) */
    const uint8_t *may_end;  /* (rows,) */
    const uint8_t *silent;   /* (ids,) */
    const uint8_t *barred;   /* (ids,) */
    int64_t choices, ids, width, alike, end;
} field;

typedef struct {
    int64_t *row, *word, *placed; /* of those that go on */
    double *score;
    uint64_t *heard;
    int64_t *ended_row; /* of sentences that end */
    double *ended_score;
    size_t going, ended;
} followed;

/* Words beyond a table are not in it. */
static inline int is_marked_in(const uint8_t *table, int64_t ids, int64_t word) {
    return 0 <= word && word < ids && table[word];
}

static inline int is_better(candidate a, candidate b) {
    return a.score > b.score || (a.score == b.score && a.place < b.place);
}

/* Let the candidate at `at` of a heap sink to where it belongs; the best is at the top. */
static void sink(candidate *heap, size_t count, size_t at) {
    candidate own = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(heap[child + 1], heap[child])) child++;
        if (!is_better(heap[child], own)) break;
        heap[at] = heap[child];
    }
    heap[at] = own;
}

static uint64_t hear(uint64_t heard, int64_t word) {
    const uint64_t FACTOR = 0x9E3779B97F4A7C15u;
    uint64_t spoken = (heard ^ (uint64_t)word) * FACTOR + FACTOR;
    return spoken ^ (spoken >> 29);
}

static void put(followed *out, size_t at, candidate one, int64_t word, uint64_t heard, int64_t placed) {
    out->row[at] = one.row;
    out->word[at] = word;
    out->placed[at] = placed;
    out->score[at] = one.score;
    out->heard[at] = heard;
}

/* Follow one sentence, rows from `row` to `last`; return how many go on. The heap has room for
   all their candidates. */
static int64_t follow_sentence(const field *in, int64_t row, int64_t last, int marked, candidate *heap,
                            followed *out) {
    size_t count = 0, first = out->going;
    for (; row < last; row++)
        for (int64_t choice = 0; choice < in->choices; choice++) {
            int64_t place = row * in->choices + choice, word = in->words[place];
            double score = in->so_far[row] + in->scores[place];
            int may_come = word == in->end ? in->may_end[row] : !is_marked_in(in->barred, in->ids, word);
            if (may_come && score > -INFINITY) heap[count++] = (candidate){score, row, place};
        }
    for (size_t at = count / 2; at-- > 0;) sink(heap, count, at);
    int64_t furthest = -1;
    for (; count > 0; heap[0] = heap[--count], sink(heap, count, 0)) {
        candidate one = heap[0];
        int64_t word = in->words[one.place];
        int is_full = out->going - first == (size_t)in->width;
        if (is_full && !marked) break;
        if (word == in->end) {
            if (!is_full) {
                out->ended_row[out->ended] = one.row;
                out->ended_score[out->ended++] = one.score;
            }
            continue;
        }
        int64_t placed = in->placed[one.row] + (in->keyword[one.row] == word);
        int is_silent = is_marked_in(in->silent, in->ids, word);
        uint64_t heard = is_silent ? in->heard[one.row] : hear(in->heard[one.row], word);
        if (is_full) {
            /* A keyword that needs a capital seldom comes of itself; one row stays for it. */
            if (placed <= furthest) continue;
            put(out, out->going - 1, one, word, heard, placed);
            break;
        }
        int64_t alike = 0;
        for (size_t at = first; at < out->going; at++) alike += out->heard[at] == heard;
        if (alike >= in->alike) continue;
        put(out, out->going++, one, word, heard, placed);
        if (placed > furthest) furthest = placed;
    }
    return (int64_t)(out->going - first);
}
