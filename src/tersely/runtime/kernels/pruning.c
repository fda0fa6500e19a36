/* Beam pruning: choose the candidates of a sentence that its beam continues with.

   pruning.py is the reference. Here the candidates are in a heap and are taken best first, so that
   candidates after the last one needed are never sorted. */

#include "pruning.h"

#include <math.h>

static int is_member(const uint8_t *table, int64_t ids, int64_t token) {
    return 0 <= token && token < ids && table[token];
}

static int is_better(const candidate *a, const candidate *b) {
    return a->score > b->score || (a->score == b->score && a->flat_index < b->flat_index);
}

/* Move the candidate at `index` down to its place in the heap; the best is at the top. */
static void sift_down(candidate *heap, size_t count, size_t index) {
    candidate moved = heap[index];
    for (size_t child; (child = 2 * index + 1) < count; index = child) {
        if (child + 1 < count && is_better(&heap[child + 1], &heap[child])) child++;
        if (!is_better(&heap[child], &moved)) break;
        heap[index] = heap[child];
    }
    heap[index] = moved;
}

static uint64_t extend_key(uint64_t dedup_key, int64_t token) {
    const uint64_t FACTOR = 0x9E3779B97F4A7C15u;
    uint64_t mixed = (dedup_key ^ (uint64_t)token) * FACTOR + FACTOR;
    return mixed ^ (mixed >> 29);
}

/* Fill the heap with the candidates that are allowed and possible; return their number. */
static size_t collect(const candidate_rows *in, int64_t first_row, int64_t end_row,
                      candidate *heap) {
    size_t count = 0;
    for (int64_t row = first_row; row < end_row; row++)
        for (int64_t choice = 0; choice < in->choices; choice++) {
            int64_t flat_index = row * in->choices + choice, token = in->tokens[flat_index];
            int is_allowed = token == in->end_id ? in->may_end[row]
                                                 : !is_member(in->is_forbidden, in->ids, token);
            double score = in->hypothesis_score[row] + in->scores[flat_index];
            if (is_allowed && score > -INFINITY)
                heap[count++] = (candidate){score, row, flat_index};
        }
    for (size_t index = count / 2; index-- > 0;) sift_down(heap, count, index);
    return count;
}

int64_t prune_sentence(const candidate_rows *in, int64_t first_row, int64_t end_row,
                       int reserves_slot, candidate *heap, pruned_beam *out) {
    size_t first = out->continuing;
    size_t end = first + (size_t)in->width;
    int64_t most_matched = -1;
    size_t count = collect(in, first_row, end_row, heap);
    for (; count > 0; heap[0] = heap[--count], sift_down(heap, count, 0)) {
        const candidate *best = &heap[0];
        int64_t row = best->row, token = in->tokens[best->flat_index];
        int is_full = out->continuing == end;
        if (is_full && !reserves_slot) break;

        if (token == in->end_id) {
            if (!is_full) {
                out->ended_row[out->ended] = row;
                out->ended_score[out->ended++] = best->score;
            }
            continue;
        }

        int64_t matched = in->matched[row] + (in->next_keyword[row] == token);
        uint64_t dedup_key = in->dedup_key[row];
        if (!is_member(in->is_ignored, in->ids, token)) dedup_key = extend_key(dedup_key, token);

        size_t slot = out->continuing;
        if (is_full) { /* the reserved slot is the last one */
            if (matched <= most_matched) continue;
            slot = end - 1;
        } else {
            int64_t duplicates = 0;
            for (size_t other = first; other < slot; other++)
                duplicates += out->dedup_key[other] == dedup_key;
            if (duplicates >= in->max_duplicates) continue;
            out->continuing++;
            if (matched > most_matched) most_matched = matched;
        }
        out->row[slot] = row;
        out->token[slot] = token;
        out->matched[slot] = matched;
        out->score[slot] = best->score;
        out->dedup_key[slot] = dedup_key;
        if (is_full) break;
    }
    return (int64_t)(out->continuing - first);
}
