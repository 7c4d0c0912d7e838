#!/usr/bin/env python3
"""
Write sampled_reference.h: the Renyi divergences of orders below 2 between what
mechanisms release of a Poisson sample with a unit and without it, both ways,
summed outcome by outcome at 60 digits (needs mpmath; the tests do not).

    test/unit/sampled_reference.py > test/unit/sampled_reference.h

A mechanism is Laplace noise of scale num/den for a shift, discrete Gaussian
noise of sigma for a shift by 1, randomised response of epsilon 1/inverse, or
some of these together; 0 stands for none.
"""
from mpmath import exp, log, mp, mpf, nstr

mp.dps = 60
RATES = [1e-6, 0.01, 0.1, 0.3, 0.6, 0.9]
ORDERS = [1.1, 1.15, 1.2, 1.3, 1.45, 1.7]


def laplace(num, den, shift):
    """(likelihood ratio, probability without the unit) of every outcome"""
    s = mpf(den) / num
    norm = (1 - exp(-s)) / (1 + exp(-s))
    inner = [(exp(s * (abs(z) - abs(z - shift))), norm * exp(-s * abs(z))) for z in range(1, shift)]
    tail = exp(-s * shift) / (1 + exp(-s))
    return inner + [(exp(s * shift), tail), (exp(-s * shift), 1 / (1 + exp(-s)))]


def gaussian(sigma):
    outcomes = range(-17 * sigma, 17 * sigma + 2)
    weights = [exp(-mpf(z) ** 2 / (2 * mpf(sigma) ** 2)) for z in outcomes]
    return [(exp(mpf(2 * z - 1) / (2 * mpf(sigma) ** 2)), w / sum(weights))
            for z, w in zip(outcomes, weights)]


def response(inverse):
    e = mpf(1) / inverse
    return [(exp(e), 1 / (1 + exp(e))), (exp(-e), 1 / (1 + exp(-e)))]


def together(first, second):
    return [(r * t, u * v) for r, u in first for t, v in second]


def divergence(pair, p, alpha, sign):
    a = mpf(alpha)
    power = a if sign > 0 else 1 - a
    return log(sum(w * (1 - mpf(p) + mpf(p) * r) ** power for r, w in pair)) / (a - 1)


def mechanism(num, den, shift, sigma, inverse):
    pair = [(mpf(1), mpf(1))]
    if num:
        pair = together(pair, laplace(num, den, shift))
    if sigma:
        pair = together(pair, gaussian(sigma))
    if inverse:
        pair = together(pair, response(inverse))
    return pair


def main():
    print('''/*
 * sampled_reference.h
 *	  Divergences of mechanisms on samples: from the definition at 60 digits,
 *	  written by sampled_reference.py.
 */
#ifndef DP_SAMPLED_REFERENCE_H
#define DP_SAMPLED_REFERENCE_H

static const struct
{
	int			num, den, shift, sigma, inverse;
	double		p, alpha;
	long double value;
} sampled_curve[] = {''')
    mechanisms = [(1, 1, 1, 0, 0), (2, 1, 1, 0, 0), (10, 1, 1, 0, 0), (1, 1, 3, 0, 0), (5, 1, 12, 0, 0),
                  (0, 1, 0, 1, 0), (0, 1, 0, 3, 0), (0, 1, 0, 20, 0),
                  (0, 1, 0, 0, 1), (0, 1, 0, 0, 10), (2, 1, 2, 2, 0), (4, 1, 1, 5, 3)]
    rows = []
    for m in mechanisms:
        pair = mechanism(*m)
        for p in RATES:
            for alpha in ORDERS:
                to, back = (divergence(pair, p, alpha, sign) for sign in (1, -1))
                assert back <= to * (1 + mpf(10) ** -30)
                rows.append("\t{%s, %r, %r, %sL}" % (", ".join(map(str, m)), p, alpha, nstr(to, 25)))
    print(",\n".join(rows) + "\n};")
    print("\n#endif\t\t\t\t\t\t\t/* DP_SAMPLED_REFERENCE_H */")


main()
