"""Routes: one module per group of routes, each with a `router`; app.py includes them.

A new route is one function here and its request and response models in schemas.py.
"""
