"""An interpreter of Hloom graphs made of NumPy, against which `tests/it/numpy` checks what programs compute."""
