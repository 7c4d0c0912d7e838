#!/usr/bin/env python3
"""
Write reference.h: reference values for the accounting tests, from the
definitions themselves at 100 digits (needs mpmath; the tests do not).

    test/unit/reference.py > test/unit/reference.h

Arguments are exact doubles or integers, printed as such.
"""
import random

from mpmath import ceil, erfc, exp, log, mp, mpf, nstr, sqrt

mp.dps = 100
random.seed(20)

ORDERS = [1.01, 1.1, 1.15, 1.3, 1.45, 1.7, 2, 2.125, 3.25, 5.5, 8, 22, 32, 100, 1330, 4096]


def tail(x):
    """P[N(0,1) >= x]"""
    return erfc(x / sqrt(mpf(2))) / 2


def laplace_curve(alpha, num, den, shift):
    """log sum_z P(z)^alpha P(z - shift)^(1 - alpha), summed over z <= 0, between, z >= shift"""
    a, s = mpf(alpha), mpf(den) / num
    x = s * shift
    norm = (1 - exp(-s)) / (1 + exp(-s))
    ratio = exp(-(2 * a - 1) * s)
    ends = (1 + exp(-(2 * a - 1) * x)) / (1 - exp(-s))
    between = ratio * (1 - exp(-(2 * a - 1) * s * (shift - 1))) / (1 - ratio)
    return x + log(norm * (ends + between)) / (a - 1)


def pure_curve(alpha, epsilon):
    """randomised response that answers truly with probability p = e^eps / (1 + e^eps)"""
    a, e = mpf(alpha), mpf(epsilon)
    p, q = 1 / (1 + exp(-e)), 1 / (1 + exp(e))
    return log(p ** a * q ** (1 - a) + q ** a * p ** (1 - a)) / (a - 1)


def between_curve(alpha, up, down):
    """the law of mean 1 on exp(up) and exp(-down)"""
    a, u, l = mpf(alpha), mpf(up), mpf(down)
    q = (1 - exp(-l)) / (exp(u) - exp(-l))
    return log(q * exp(a * u) + (1 - q) * exp(-a * l)) / (a - 1)


def order_budget(alpha, epsilon, delta):
    a = mpf(alpha)
    return epsilon + log(a * mpf(delta)) / (a - 1) - log(1 - 1 / a)


def gaussian_ratio(epsilon, delta):
    """root of the analytic formula in log t, by bisection"""
    e, target = mpf(epsilon), mpf(delta)

    def excess(t):
        return tail(e * t - 1 / (2 * t)) - exp(e) * tail(e * t + 1 / (2 * t)) - target
    low, high = mpf(10) ** -6, mpf(10) ** 14
    for _ in range(160):
        middle = sqrt(low * high)
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def laplace_reach(num, den, probability):
    s = mpf(den) / num
    return max(1, int(ceil((-log(mpf(probability)) - log(1 + exp(-s))) / s)))


def gaussian_reach(sigma, probability):
    """least m >= 1 with P[Z >= m] <= probability: sum from far out inwards"""
    s2 = 2 * mpf(sigma) ** 2
    top = int(sigma * sqrt(2 * (120 - log(mpf(probability))))) + 1
    terms = [exp(-mpf(z) ** 2 / s2) for z in range(top + 1)]
    total = 2 * sum(terms) - 1
    m, acc = top, terms[top]
    while m > 1 and acc + terms[m - 1] <= mpf(probability) * total:
        m -= 1
        acc += terms[m]
    return m


def laplace_stddev(num, den):
    q = exp(-mpf(den) / num)
    return sqrt(2 * q) / (1 - q)


def gaussian_stddev(sigma):
    s2 = 2 * mpf(sigma) ** 2
    terms = [exp(-mpf(z) ** 2 / s2) for z in range(1, 25 * sigma + 1)]
    return sqrt(2 * sum(t * z * z for z, t in enumerate(terms, 1)) / (1 + 2 * sum(terms)))


def real(x):
    return nstr(x, 25, min_fixed=0, max_fixed=0) + "L"


def double(x):
    return repr(float(x))


def table(struct, rows):
    fields, name = struct
    print("\nstatic const struct\n{")
    for kind, names in fields:
        print(f"\t{kind:<11} {names};")
    print(f"}} {name}[] = {{")
    for i, row in enumerate(rows):
        print("\t{" + ", ".join(row) + "}" + ("," if i < len(rows) - 1 else ""))
    print("};")


def log_uniform(low, high):
    return 10 ** random.uniform(low, high)


def laplace_cases():
    cases = [(a, 1, 1, d) for a in ORDERS for d in (1, 2, 7)]
    cases += [(a, 10, 1, 1) for a in ORDERS] + [(a, 10 ** 6, 1, 7) for a in ORDERS]
    cases += [(a, 2 ** 40, 1, 2 ** 40) for a in ORDERS]
    cases += [(a, 2 ** 62, 1, 1) for a in ORDERS] + [(a, 2 ** 62, 1, 2 ** 62) for a in ORDERS]
    cases += [(a, 4295, 2 ** 32, 1) for a in ORDERS] + [(a, 1, 2 ** 32, 2 ** 62) for a in ORDERS]
    for _ in range(300):
        num, den = int(2 ** random.uniform(0, 62)), int(2 ** random.uniform(0, 32))
        shift = num * log_uniform(-8, 3) / den
        cases.append((random.choice(ORDERS), num, den, min(max(1, int(shift)), 2 ** 62)))
    return cases


def main():
    print('''/*
 * reference.h
 *	  Reference values for the accounting tests: from the definitions at 100
 *	  digits, written by reference.py.
 */
#ifndef DP_REFERENCE_H
#define DP_REFERENCE_H

#include <stdint.h>''')

    table(([("double", "alpha"), ("uint64_t", "num, den, sensitivity"), ("long double", "value")],
           "laplace_curve"),
          [[double(a), str(n), str(d), str(s), real(laplace_curve(a, n, d, s))]
           for a, n, d, s in laplace_cases()])

    epsilons = [1e-9, 1e-6, 0.01, 0.1, 1, 5, 50, 1e6] + [log_uniform(-9, 3) for _ in range(8)]
    table(([("double", "alpha, epsilon"), ("long double", "value")], "pure_curve"),
          [[double(a), double(e), real(pure_curve(a, e))] for a in ORDERS for e in epsilons])

    ends = [(e, e * r) for e in (1e-9, 1e-6, 0.01, 0.2, 1, 5, 50, 1e4) for r in (0.5, 1, 2)]
    ends += [(log_uniform(-9, 3), log_uniform(-9, 3)) for _ in range(8)]
    table(([("double", "alpha, up, down"), ("long double", "value")], "between_curve"),
          [[double(a), double(u), double(l), real(between_curve(a, u, l))] for a in ORDERS for u, l in ends])

    table(([("double", "alpha, epsilon, delta"), ("long double", "value")], "order_budget"),
          [[double(a), double(e), double(d), real(order_budget(a, e, d))]
           for a in (1.1, 2, 8, 22, 32, 100, 1330, 4096)
           for e in (0.1, 1.0, 20.0) for d in (1e-30, 1e-12, 1e-6, 0.25)])

    pairs = [(e, d) for e in (1e-9, 1e-6, 0.01, 0.1, 1.0, 10.0, 50.0, 1e3, 1e6)
             for d in (1e-300, 1e-30, 1e-15, 1e-6, 0.001, 0.1, 0.5)]
    pairs += [(log_uniform(-9, 6), log_uniform(-30, -0.4)) for _ in range(60)]
    table(([("double", "epsilon, delta"), ("long double", "value")], "gaussian_ratio"),
          [[double(e), double(d), real(gaussian_ratio(e, d))] for e, d in pairs])

    tails = [0.5, 0.4, 0.25, 0.1, 0.025, 1e-3, 1e-6, 1e-15, 1e-36]
    scales = [(1, 1), (10, 1), (1000003, 1), (4295, 2 ** 32), (2 ** 32 + 1, 2 ** 32), (7, 3)]
    table(([("uint64_t", "num, den"), ("double", "tail"), ("int64_t", "value")], "laplace_reach"),
          [[str(n), str(d), double(t), str(laplace_reach(n, d, t))] for n, d in scales for t in tails])
    table(([("uint64_t", "sigma"), ("double", "tail"), ("int64_t", "value")], "gaussian_reach"),
          [[str(s), double(t), str(gaussian_reach(s, t))]
           for s in (1, 2, 3, 10, 37, 64, 65, 100, 1000) for t in tails])

    table(([("uint64_t", "num, den"), ("long double", "value")], "laplace_stddev"),
          [[str(n), str(d), real(laplace_stddev(n, d))]
           for n, d in [(1, 2), (10 ** 6, 1), (2 ** 62, 1), (1, 100), (7, 3)]])
    table(([("uint64_t", "sigma"), ("long double", "value")], "gaussian_stddev"),
          [[str(s), real(gaussian_stddev(s))] for s in (1, 2, 3, 4, 5, 100)])
    print("\n#endif\t\t\t\t\t\t\t/* DP_REFERENCE_H */")


main()
