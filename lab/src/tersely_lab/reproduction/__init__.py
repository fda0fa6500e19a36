"""The paper's figures, tables and claims, reproduced from a sweep of training runs.

Lee, Hashimoto and Liang, "Learning Autocomplete Systems as a Communication Game" (2019).

    figure2, figure3    Constrained against Linear; against Unif and Stopword (tradeoff, curves)
    stability           λ and ε: Linear's degenerate schemes, even spacing, variation over seeds
    training_curves     section 2: ε bounds the loss; retention falls slowly during training
    table2              every decoder on every encoder's keywords (cross_decoding)
    kept_words          which words are kept: figure4 (by frequency), table3 (by part of speech)
    restarts            appendix E: two seeds of one setting
    table1              completions of the paper's keywords, and appendix B's illustration
    user_study          claims that need people
    scale               size and training time of the sweep

Each of these modules computes its numbers, judges the paper's claims by them and lays out its
section of the page; its `reproduce` function returns verdicts and section. The paper's own
numbers are in paper.py. runs.py reads a sweep, bootstrap.py resamples its sentences, and
report.py writes the page.
"""
