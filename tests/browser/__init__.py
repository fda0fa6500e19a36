"""Tests in a real browser. A package, so that its browser closes before the next folder's tests."""
