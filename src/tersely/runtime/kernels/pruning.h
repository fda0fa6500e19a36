/* Beam pruning; pruning.py defines it in NumPy, with the meaning of each field. */

#ifndef TERSELY_PRUNING_H
#define TERSELY_PRUNING_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const float *scores;            /* (rows, choices) */
    const int64_t *tokens;          /* (rows, choices) */
    const double *hypothesis_score; /* (rows,) */
    const uint64_t *dedup_key;      /* (rows,) */
    const int64_t *matched;         /* (rows,) */
    const int64_t *next_keyword;    /* (rows,) */
    const uint8_t *may_end;         /* (rows,) */
    const uint8_t *is_ignored;      /* (ids,) */
    const uint8_t *is_forbidden;    /* (ids,) */
    int64_t choices, ids;
    int64_t width, max_duplicates, end_id;
} candidate_rows;

typedef struct {
    int64_t *row, *token, *matched; /* of the candidates that continue */
    double *score;
    uint64_t *dedup_key;
    int64_t *ended_row;
    double *ended_score;
    size_t continuing, ended;
} pruned_beam;

typedef struct {
    double score;
    int64_t row;
    int64_t flat_index; /* row * choices + choice */
} candidate;

/* Prune the candidates of one sentence, those of its rows; append to `out` and return how many
   continue. `heap` has room for all of them. */
int64_t prune_sentence(const candidate_rows *in, int64_t first_row, int64_t end_row,
                       int reserves_slot, candidate *heap, pruned_beam *out);

#endif
