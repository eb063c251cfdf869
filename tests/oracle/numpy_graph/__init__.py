"""A NumPy interpreter of Hloom graphs, with which `tests/it/numpy` compares compiled programs."""
