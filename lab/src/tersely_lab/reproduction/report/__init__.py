"""The report on a sweep: what evaluation found, as a page, plots and tables."""
