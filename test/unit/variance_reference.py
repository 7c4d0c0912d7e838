#!/usr/bin/env python3
"""
Write variance_reference.h: what releases cost in variance, from the definitions at 100 digits
(needs mpmath; the tests do not).

    test/unit/variance_reference.py > test/unit/variance_reference.h

Arguments are exact doubles or integers, printed as such.
"""
import random

from mpmath import cosh, erfc, exp, log, mp, mpf, nstr, sqrt

mp.dps = 100
random.seed(29)


def worth(x):
    """randomised response of epsilon x: c and m"""
    x = mpf(x)
    c = 8 * log(cosh(x / 2)) if x <= 4 else x * x
    return c, max(x ** 4 / (6 * c), c / 6)


def gaussian_worth(sigma, shift):
    s, d = mpf(sigma), mpf(shift)
    return (d / s) ** 2, 3 * d ** 2 / (7 * s ** 2 * (s ** 2 - 3))


def sampled(epsilon, p):
    e, p = mpf(epsilon), mpf(p)
    return log((1 - p + p * exp(e)) / (1 - p + p * exp(-e))) / 2


def tail(x):
    return erfc(x / sqrt(mpf(2))) / 2


def gaussian_delta(v, epsilon):
    h = sqrt(v)
    u = epsilon / h - h / 2
    return tail(u) - exp(epsilon) * tail(u + h)


def spent(a, m, delta):
    """least epsilon with V(1, A + m (7 + log(1 + A / m))) <= delta (1 - 2^-20), by bisection"""
    a, m = mpf(a), mpf(m)
    v = a + m * (7 + log(1 + a / m))
    target = mpf(delta) * (1 - mpf(2) ** -20)
    if gaussian_delta(v, mpf(0)) <= target:
        return v, mpf(0)
    low, high = mpf(0), v / 2 + sqrt(v) * sqrt(-2 * log(target))
    for _ in range(300):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(v, middle) > target else (low, middle)
    return v, high


def log_uniform(low, high):
    return float(exp(random.uniform(float(log(mpf(low))), float(log(mpf(high))))))


def show(*numbers):
    return ", ".join(nstr(n, 30, min_fixed=0, max_fixed=0) + "L" if isinstance(n, mpf) else
                     n.hex() if isinstance(n, float) else str(n) for n in numbers)


def table(name, comment, fields, rows):
    print("\n/* %s */\nstatic const struct\n{\n%s\n}\t\t\t%s[] = {" % (comment, fields, name))
    print(",\n".join("\t{%s}" % show(*row) for row in rows))
    print("};")


print("/*\n * variance_reference.h\n *\t  Reference values for test_variance.c, written by variance_reference.py.\n */")
xs = [1e-9, 1e-4, 0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 3.5, 4.0, 4.000000001, 7.0, 30.0]
xs += [log_uniform("1e-6", 8) for _ in range(30)]
table("worth", "Randomised response: variance and coarseness.",
      "\tdouble\t\thalf;\n\tlong double variance;\n\tlong double coarseness;", [(x, *worth(x)) for x in xs])
pairs = [(2, 1), (2, 3), (3, 1), (20, 1), (1 << 40, 1 << 38), (1 << 55, (1 << 40) + 1), (1 << 32, 1 << 40)]
table("gaussian_worth", "Discrete Gaussian noise: variance and coarseness.",
      "\tuint64_t\tsigma;\n\tuint64_t\tshift;\n\tlong double variance;\n\tlong double coarseness;",
      [(s, d, *gaussian_worth(s, d)) for s, d in pairs])
rates = [(log_uniform("1e-5", 20), p) for p in (1e-9, 1e-4, 0.01, 0.3, 0.5, 0.9, 1 - 2.0 ** -53) for _ in range(4)]
table("sampled", "Half the range on a sample.", "\tdouble\t\tepsilon;\n\tdouble\t\trate;\n\tlong double half;",
      [(e, p, sampled(e, p)) for e, p in rates])
totals = [(a, a * log_uniform("1e-12", 0.4), d) for a in (1e-9, 1e-4, 0.01, 0.04, 0.3, 2.0, 40.0, 900.0)
          for d in (1e-30, 1e-12, 4.5e-7, 0.01, 0.3)]
table("spent", "A history's variance that is needed, and the least epsilon.",
      "\tdouble\t\tvariance;\n\tdouble\t\tcoarseness;\n\tdouble\t\tdelta;\n\tlong double needed;\n\tlong double epsilon;",
      [(a, m, d, *spent(a, m, d)) for a, m, d in totals])
