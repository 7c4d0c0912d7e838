#!/usr/bin/env python3
"""
Write membership_reference.h: what (epsilon, delta)-differential privacy leaves to
somebody who guesses, from its definition at 120 digits, 50 of which are printed
(needs mpmath; the tests do not).

    test/unit/membership_reference.py > test/unit/membership_reference.h

A mechanism that tells whether an event B happened has two probabilities of B, p with
the unit and q without, which have to fulfil the four inequalities of the definition.
Nothing here shares a rearrangement with the code under test.  Arguments are exact doubles.
"""
import random
from itertools import combinations

from mpmath import exp, log, mp, mpf, nstr

mp.dps = 120
random.seed(31)


def inequalities(epsilon, delta):
    """a p + b q <= c, for B, for its complement, and with the laws exchanged"""
    e, d = exp(mpf(epsilon)), mpf(delta)
    return [(1, -e, d), (-1, e, d + e - 1), (-e, 1, d), (e, -1, d + e - 1),
            (-1, 0, 0), (0, -1, 0), (1, 0, 1), (0, 1, 1)]


def greatest_exceeding(likelihood, epsilon, delta):
    """greatest p of a private mechanism with p = likelihood q"""
    bound = mpf(1)
    for a, b, c in inequalities(epsilon, delta):
        slope = a + b / likelihood
        if slope > 0:
            bound = min(bound, c / slope)
    return bound


def max_posterior(prior, epsilon, delta, risk):
    """least posterior that is exceeded with probability risk at most, by bisection of log odds"""
    p = mpf(prior)
    low, high = mpf(0), mpf(epsilon) + 2000
    for _ in range(420):
        middle = (low + high) / 2
        if greatest_exceeding(exp(middle), epsilon, delta) > mpf(risk):
            low = middle
        else:
            high = middle
    return p * exp(high) / (p * exp(high) + 1 - p)


def max_guess(prior, epsilon, delta):
    """greatest prior p + (1 - prior) (1 - q), at a corner of what is private"""
    best, lines = mpf(0), inequalities(epsilon, delta)
    slack = mpf(10) ** -100
    for (a, b, c), (f, g, h) in combinations(lines, 2):
        determinant = a * g - b * f
        if determinant == 0:
            continue
        p, q = (c * g - b * h) / determinant, (a * h - c * f) / determinant
        if all(u * p + v * q <= w + slack * exp(mpf(epsilon)) for u, v, w in lines):
            best = max(best, mpf(prior) * p + (1 - mpf(prior)) * (1 - q))
    return best


def log_uniform(low, high):
    return float(exp(random.uniform(float(log(mpf(low))), float(log(mpf(high))))))


def table(name, comment, arguments, function, rows):
    print("\n/* %s */\nstatic const struct\n{\n\tdouble\t\t%s;\n\tlong double value;\n}\t\t\t%s[] = {"
          % (comment, ", ".join(arguments), name))
    print(",\n".join("\t{%s, %sL}" % (", ".join(x.hex() for x in row),
                                      nstr(function(*row), 50, min_fixed=0, max_fixed=0))
                     for row in rows))
    print("};")


print("/*\n * membership_reference.h\n *\t  Reference values for test_membership.c, written by membership_reference.py.\n */")
priors = [0.01, 0.1, 0.5, 0.9, 1e-12, 1 - 2.0 ** -53]
epsilons = [0.0, 1e-9, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 40.0]
some = [(random.random(), log_uniform("1e-6", 30), log_uniform("1e-15", 1e-3)) for _ in range(60)]
table("posterior", "The greatest posterior but with probability risk.",
      ["prior", "epsilon", "delta", "risk"], max_posterior,
      [(p, e, 0.0, 0.001) for p in priors for e in epsilons] +
      [(p, e, d, log_uniform(2 * d, 0.5)) for p, e, d in some] +
      [(0.1, 1.0, 1e-6, r) for r in (1.0000000001e-6, 1.1e-6, 1e-3, 0.5)] +
      [(p, 0.0, 1e-3, 0.5) for p in priors])
table("guess", "The greatest probability of a right guess.",
      ["prior", "epsilon", "delta"], max_guess,
      [(p, e, d) for p in priors for e in epsilons for d in (0.0, 1e-9, 0.1, 1.0)] + some)
