"""Expected results of ops, and their tolerances."""

import numpy as np

from .dtypes import HAS_INFINITY, LARGEST, REAL, flushed, is_complex, is_float, rounded, smallest_normal


class Expected:
    """Values before rounding, an absolute tolerance for each, and which elements may have any value."""

    def __init__(self, values, dtype, tolerance=0.0, skip=False, moves=False):
        self.values = np.asarray(values)
        self.dtype = dtype
        self.tolerance = np.broadcast_to(tolerance, self.values.shape)
        self.skip = np.broadcast_to(skip, self.values.shape)
        # Elements that are only moved keep the sign of a zero and subnormal values.
        self.moves = moves

    def rounded(self):
        return rounded(self.values, self.dtype)

    def agrees_within(self, found, slack):
        """Where found values are within the tolerance."""
        if not (is_float(self.dtype) or is_complex(self.dtype)):
            return np.zeros(self.values.shape, bool)
        parts = [(self.values.real, found.real), (self.values.imag, found.imag)]
        with np.errstate(all="ignore"):
            near = [np.abs(expected - got) <= slack for expected, got in (parts if is_complex(self.dtype) else parts[:1])]
        return np.logical_and.reduce(near) & (slack > 0)

    def agrees(self, found):
        """Where found values are close enough."""
        with np.errstate(all="ignore"):
            if is_complex(self.dtype):
                real, imag = (
                    Expected(part, REAL[self.dtype], self.tolerance, self.skip, self.moves) for part in (self.values.real, self.values.imag)
                )
                both_nan = np.isnan(self.values) & np.isnan(found)
                return (real.agrees(found.real) & imag.agrees(found.imag)) | (both_nan & (not self.moves))
            nearest = self.rounded()
            agree = nearest == found
            if not is_float(self.dtype):
                return agree | self.skip
            nan = np.isnan(nearest) & np.isnan(found)
            if self.moves:
                return (agree & (np.signbit(nearest) == np.signbit(found))) | nan | self.skip
            agree = agree | nan | self.skip
            loose = self.tolerance > 0
            # The tolerance applies to values; overflow may yield the type's largest value, infinity or NaN.
            agree |= loose & (np.abs(found - self.values) <= self.tolerance)
            largest = LARGEST[self.dtype]
            beyond = loose & (np.abs(self.values) + self.tolerance >= largest)
            agree |= beyond & np.isinf(found) & (np.signbit(found) == np.signbit(self.values))
            if self.dtype not in HAS_INFINITY:
                agree |= beyond & (np.isnan(found) | (np.abs(found) == largest))
                # An overflow that depends on one rounding.
                agree |= np.isnan(nearest) & (self.tolerance >= largest)
            if self.dtype == "f8e8m0fnu":
                # The least number is below the normal range of f32, in which it is computed.
                agree |= loose & (np.abs(self.values) < 2.0**-126)
            smallest = smallest_normal(self.dtype)
            agree |= (np.abs(nearest) < smallest) & (np.abs(found) < smallest) & (flushed(nearest, self.dtype) == 0)
            return agree
