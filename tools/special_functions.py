"""Prints the polynomials of `crates/graph/src/ops/special`: Chebyshev interpolation in 300 bits, of the least degree whose
error is below 2^-27 (`_32`) and 2^-57 (`_64`) of the function, the coefficient of the highest power first.

Needs mpmath.
"""

import mpmath as mp

mp.mp.prec = 300
ERRORS = {"32": mp.mpf(2) ** -27, "64": mp.mpf(2) ** -57}
MOST = 60


def series(function, low, high):
    """Chebyshev coefficients on an interval."""
    count = MOST + 12
    at = [mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [function((high - low) / 2 * x + (high + low) / 2) for x in at]
    sums = [sum(y * mp.cos(mp.pi * j * (2 * k + 1) / (2 * count)) for k, y in enumerate(values)) for j in range(MOST)]
    return [s * (1 if j == 0 else 2) / count for j, s in enumerate(sums)]


def powers(terms, low, high):
    """The sum of Chebyshev polynomials as coefficients of powers, lowest first."""
    slope, shift = 2 / (high - low), -(low + high) / (high - low)

    def times(p):
        out = [mp.mpf(0)] * (len(p) + 1)
        for i, v in enumerate(p):
            out[i] += v * shift
            out[i + 1] += v * slope
        return out

    before, now = [mp.mpf(1)], times([mp.mpf(1)])
    total = [terms[0]] + [mp.mpf(0)] * (len(terms) - 1)
    for term in terms[1:]:
        for i, v in enumerate(now):
            total[i] += term * v
        after = [2 * v for v in times(now)]
        for i, v in enumerate(before):
            after[i] -= v
        before, now = now, after
    return total


def polynomial(function, low, high, error):
    low, high = mp.mpf(low), mp.mpf(high)
    terms = series(function, low, high)
    degree = next(n for n in range(MOST) if sum(map(abs, terms[n + 1 :])) < error * abs(terms[0]))
    return powers(terms[: degree + 1], low, high)


def show(name, function, intervals):
    for (width, error), (low, high) in zip(ERRORS.items(), intervals):
        values = [repr(float(v)) for v in reversed(polynomial(function, low, high, error))]
        print(f"const {name}_{width}: [f64; {len(values)}] = [{', '.join(values)}];")


def scaled_erfc(center):
    def function(t):
        x = center * (1 + t) / (1 - t)
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)

    return function


def place(x, center):
    return (mp.mpf(x) - center) / (mp.mpf(x) + center)


def bessel_far(order):
    """exp(-x) sqrt(x) I(x) by u = 16 / x - 1."""

    def function(u):
        x = 16 / (u + 1)
        return mp.besseli(order, x) * mp.exp(-x) * mp.sqrt(x)

    return function


def bessel_difference(x):
    """exp(-x) (I0(x) - I1(x))."""
    return mp.exp(-x) * (mp.besseli(0, x) - mp.besseli(1, x))


def difference_near(t):
    """(1 + 2 x)^1.5 times the difference by t = (x - 3) / (x + 3) + 3/11, which is symmetric for x from 0 to 8."""
    t -= mp.mpf(3) / 11
    x = 3 * (1 + t) / (1 - t)
    return (1 + 2 * x) ** mp.mpf(1.5) * bessel_difference(x)


def difference_far(u):
    """x^1.5 times the difference by u = 16 / x - 1."""
    x = 16 / (u + 1)
    return x ** mp.mpf(1.5) * bessel_difference(x)


def main():
    show("ERF", lambda s: mp.erf(mp.sqrt(s)) / mp.sqrt(s), [(0, 0.43)] * 2)
    show("ERFC", scaled_erfc(mp.mpf(3)), [(-1, place(12, 3)), (-1, place(30, 3))])
    show("LGAMMA_1", lambda z: mp.loggamma(1 + z) / z if z else -mp.euler, [(-0.5, 0.5)] * 2)
    show("LGAMMA_2", lambda z: mp.loggamma(2 + z) / z if z else 1 - mp.euler, [(-0.5, 0.5)] * 2)
    root = mp.findroot(mp.digamma, 1.4616321449683623)
    high = mp.mpf(int(root * 2**20)) / 2**20
    print(f"root {float(high)!r} {float(root - high)!r}")
    show("DIGAMMA", lambda z: mp.digamma(z + mp.mpf(1.5)) / (z + mp.mpf(1.5) - root), [(-0.5, 0.5)] * 2)
    show("I0_FAR", bessel_far(0), [(-1, 1)] * 2)
    show("I1_FAR", bessel_far(1), [(-1, 1)] * 2)
    show("DIFFERENCE_NEAR", difference_near, [(-mp.mpf(8) / 11, mp.mpf(8) / 11)] * 2)
    show("DIFFERENCE_FAR", difference_far, [(-1, 1)] * 2)


if __name__ == "__main__":
    main()
