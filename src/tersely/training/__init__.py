"""Training: a config and a prepared corpus in, a model folder out; and queues of such runs."""
