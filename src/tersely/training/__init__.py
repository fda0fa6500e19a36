"""One run, from config to model folder; and queues of them."""
