#!/usr/bin/env python3
"""
Write theorems_reference.h: reference values for the analysts' functions, from
definitions at 120 digits (needs mpmath; the tests do not).

    test/unit/theorems_reference.py > test/unit/theorems_reference.h

Sums are taken term by term, optima searched for, equations bisected: nothing
here shares a rearrangement with the code under test.  Arguments are exact
doubles or integers, printed as such.
"""
import random

from mpmath import binomial, ceil, erfc, exp, expm1, floor, log, log1p, mp, mpf, nstr, sqrt

mp.dps = 120
random.seed(1)


def log_uniform(low, high):
    return float(10 ** random.uniform(low, high))


def order(high=4):
    return random.choice([1.01, 1.5, 2.0, 3.0, 32.0]) if random.random() < 0.2 \
        else 1 + log_uniform(-1.99, high)


def search(function, low, high, digits=35):
    """least value of a unimodal function, by golden sections in log x"""
    ratio = (sqrt(mpf(5)) - 1) / 2
    low, high = log(mpf(low)), log(mpf(high))
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = function(exp(a)), function(exp(b))
    while high - low > mpf(10) ** -digits:
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = function(exp(a))
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = function(exp(b))
    return min(fa, fb)


def bisect(falling, low, high):
    """where a falling function crosses zero"""
    low, high = mpf(low), mpf(high)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return high


# curves

def laplace(alpha, scale, sensitivity):
    a, x = mpf(alpha), mpf(sensitivity) / mpf(scale)
    return log(a / (2 * a - 1) * exp((a - 1) * x) + (a - 1) / (2 * a - 1) * exp(-a * x)) / (a - 1)


def laplace_integer(alpha, scale, shift):
    """sum over z <= 0, the geometric series between, z >= shift"""
    a, s = mpf(alpha), 1 / mpf(scale)
    x = s * shift
    norm = (1 - exp(-s)) / (1 + exp(-s))
    ratio = exp(-(2 * a - 1) * s)
    ends = (1 + exp(-(2 * a - 1) * x)) / (1 - exp(-s))
    between = ratio * (1 - exp(-(2 * a - 1) * s * (shift - 1))) / (1 - ratio)
    return x + log(norm * (ends + between)) / (a - 1)


def gaussian_integer(alpha, sigma2, shift):
    """sum over z of P(z)^a P(z - shift)^(1 - a), around its greatest term"""
    a, v = mpf(alpha), mpf(sigma2)
    reach = int(ceil(sqrt(v * 2 * 190))) + 1
    norm = sum(exp(-mpf(z) ** 2 / (2 * v)) for z in range(-reach, reach + 1))
    middle = -int(floor((a - 1) * shift))
    top = a * (a - 1) * shift ** 2 / (2 * v)
    moment = sum(exp(-(a * z ** 2 + (1 - a) * (z - shift) ** 2) / (2 * v) - top)
                 for z in (mpf(middle + i) for i in range(-reach - 1, reach + 2)))
    return (top + log(moment / norm)) / (a - 1)


def two_points(alpha, p, q):
    a = mpf(alpha)
    return log(p ** a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)) / (a - 1)


def randomized_response(alpha, p):
    return abs(two_points(alpha, mpf(p), 1 - mpf(p)))


def exponential(alpha, epsilon):
    """worst pair of outcomes with privacy losses t and t - epsilon"""
    e = mpf(epsilon)

    def negative(t):
        p = (exp(e - t) - 1) / (exp(e - t) - exp(-t))
        return -two_points(alpha, p, p * exp(-t))
    return -search(negative, e / 10 ** 4, e * (1 - mpf(10) ** -30))


def subsampled(alpha, p, moment):
    """moment(k) is (k - 1) RDP(k)"""
    p = mpf(p)

    def log_moment(a):
        terms = [binomial(a, k) * (1 - p) ** (a - k) * p ** k * exp(moment(k))
                 for k in range(2, a + 1)]
        return log((1 - p) ** (a - 1) * (1 + (a - 1) * p) + sum(terms)) if p < 1 else moment(a)
    below = int(alpha)
    share = mpf(alpha) - below
    a = mpf(alpha)
    total = (1 - share) * log_moment(below) if below > 1 else mpf(0)
    if share > 0:
        total += share * log_moment(below + 1)
        gains = [expm1(log_moment(max(k, 2))) / max(k * (k - 1), 2) for k in (below, below + 1)]
        total = min(total, log1p(a * (a - 1) * gains[0] ** (1 - share) * gains[1] ** share))
    if alpha < 2:
        total = min(total, log1p(below_2(mpf(alpha), p, moment)))
    return total / (mpf(alpha) - 1)


def below_2(a, p, moment):
    """least of w^(3-a) x + (1-w)^(3-a) y, in its closed form"""
    gain = expm1(moment(a))
    if p == 1:
        return gain
    x = (1 - p) ** (a - 2) * p ** 2 * a * (a - 1) / 2 * expm1(moment(2))
    y = p ** a * gain
    return x / (1 + (x / y) ** (1 / (2 - a))) ** (2 - a)


def subsampled_gaussian(alpha, p, sigma):
    return subsampled(alpha, p, lambda k: k * (k - 1) / (2 * mpf(sigma) ** 2))


def subsampled_laplace(alpha, p, scale):
    return subsampled(alpha, p, lambda k: (k - 1) * laplace_integer(k, scale, 1))


# conversions

def rdp_to_epsilon(alpha, rdp, delta):
    a = mpf(alpha)
    return max(rdp - log(a * mpf(delta)) / (a - 1) + log(1 - 1 / a), mpf(0))


def rdp_to_delta(alpha, rdp, epsilon):
    a = mpf(alpha)
    return min(exp((a - 1) * (mpf(rdp) - mpf(epsilon))) / a * (1 - 1 / a) ** (a - 1), mpf(1))


def zcdp_to_epsilon(rho, delta):
    def at(x):
        a = 1 + x
        return mpf(rho) * a - log(a * mpf(delta)) / x + log(1 - 1 / a)
    return max(search(at, mpf(10) ** -20, mpf(10) ** 40), mpf(0))


def zcdp_to_delta(rho, epsilon):
    def at(x):
        a = 1 + x
        return x * (mpf(rho) * a - mpf(epsilon)) - log(a) + x * log(1 - 1 / a)
    return exp(search(at, mpf(10) ** -40, mpf(10) ** 40))


def zcdp_max_rho(epsilon, delta):
    def negative(x):
        a = 1 + x
        return -(mpf(epsilon) + log(a * mpf(delta)) / x - log(1 - 1 / a)) / a
    return -search(negative, mpf(10) ** -6, mpf(10) ** 40)


# privacy curves

def tail(x):
    return erfc(x / sqrt(mpf(2))) / 2


def gaussian_delta(sigma, epsilon, sensitivity):
    h, e = mpf(sensitivity) / mpf(sigma), mpf(epsilon)
    return tail(e / h - h / 2) - exp(e) * tail(e / h + h / 2)


def gaussian_sigma(epsilon, delta, sensitivity):
    t = bisect(lambda x: gaussian_delta(exp(x), epsilon, 1) - mpf(delta), -20, 40)
    return exp(t) * mpf(sensitivity)


def gdp_to_epsilon(mu, delta):
    if gaussian_delta(1, 0, mu) <= mpf(delta):
        return mpf(0)
    return exp(bisect(lambda x: gaussian_delta(1, exp(x), mu) - mpf(delta), -80, 40))


def laplace_delta(scale, epsilon, sensitivity):
    return max(mpf(0), 1 - exp((mpf(epsilon) - mpf(sensitivity) / mpf(scale)) / 2))


def discrete_laplace_delta(scale, epsilon, shift):
    s, e = 1 / mpf(scale), mpf(epsilon)
    q = exp(-s)
    norm = (1 - q) / (1 + q)
    below = norm / (1 - q) * max(mpf(0), 1 - exp(e - s * shift))
    return below + sum(max(mpf(0), norm * (q ** z - exp(e) * q ** (shift - z)))
                       for z in range(1, shift))


def gaussian_terms(sigma2, start):
    """exp(-z^2 / (2 sigma2)) from z = start upwards"""
    v = mpf(sigma2)
    term, step, square = (exp(-mpf(start) ** 2 / (2 * v)), exp(-(2 * mpf(start) + 1) / (2 * v)),
                          exp(-1 / v))
    while True:
        yield term
        term *= step
        step *= square


def gaussian_sum(sigma2, start):
    total = mpf(0)
    for i, term in enumerate(gaussian_terms(sigma2, start)):
        total += term
        if start + i > 0 and term * (1 + mpf(sigma2)) < total * mpf(10) ** -40:
            return total


def discrete_gaussian_delta(sigma2, epsilon, shift):
    v, e = mpf(sigma2), mpf(epsilon)
    start = int(floor(e * v / shift - mpf(shift) / 2)) + 1
    norm = 2 * gaussian_sum(sigma2, 0) - 1
    return (gaussian_sum(sigma2, start) - exp(e) * gaussian_sum(sigma2, start + shift)) / norm


def discrete_laplace_variance(scale):
    q = exp(-1 / mpf(scale))
    return 2 * q / (1 - q) ** 2


def discrete_gaussian_variance(sigma2):
    v = mpf(sigma2)
    reach = int(ceil(sqrt(v * 2 * 190))) + 1
    terms = [(z * z, exp(-mpf(z) ** 2 / (2 * v))) for z in range(1, reach + 1)]
    return 2 * sum(s * t for s, t in terms) / (1 + 2 * sum(t for _, t in terms))


# composition

def kov_optimal(epsilon, delta, k, delta_total):
    """the sum over l, taken anew for every e tried, until one interval is left"""
    e, target = mpf(epsilon), 1 - (1 - mpf(delta_total)) / (1 - mpf(delta)) ** k
    weights = [1 / (1 + exp(e)) ** k]
    for i in range(k):
        weights.append(weights[-1] * (k - i) / (i + 1) * exp(e))

    def sums(low):
        """of the weights, and of weight exp(-loss), from l = low"""
        return (sum(weights[low:]),
                sum(w * exp(-(2 * l - k) * e) for l, w in enumerate(weights[low:], low)))
    low, high = k // 2, k
    while low < high:
        middle = (low + high) // 2
        a, b = sums(middle)
        if a - exp((2 * middle - k) * e) * b <= target:
            high = middle
        else:
            low = middle + 1
    a, b = sums(low)
    return max(log((a - target) / b), mpf(0))


def drv(epsilon, k, slack):
    e = mpf(epsilon)
    return e * sqrt(2 * k * log(1 / mpf(slack))) + k * e * (exp(e) - 1)


def kov_bound(epsilons, deltas, slack):
    e, s = [mpf(x) for x in epsilons], mpf(slack)
    mean = sum(x * (exp(x) - 1) / (exp(x) + 1) for x in e)
    squares = sum(x ** 2 for x in e)
    sound = 1 - s
    for x in deltas:
        sound *= 1 - mpf(x)
    return (min(sum(e), mean + sqrt(2 * squares * log(exp(mpf(1)) + sqrt(squares) / s)),
                mean + sqrt(2 * squares * log(1 / s))), 1 - sound)


def advanced(epsilons, deltas, slack):
    squares = sum(mpf(x) ** 2 for x in epsilons)
    return (squares / 2 + sqrt(2 * log(1 / mpf(slack)) * squares),
            sum(mpf(x) for x in deltas) + mpf(slack))


def group_privacy(epsilon, delta, k):
    return min(mpf(delta) * sum(exp(i * mpf(epsilon)) for i in range(k)), mpf(1))


# thresholds

def each(delta, groups):
    return -expm1(log1p(-mpf(delta)) / groups)


def laplace_threshold(scale, delta, groups):
    s = 1 / mpf(scale)
    m = ceil((-log(each(delta, groups)) - log(1 + exp(-s))) / s)
    return 1 + max(1, int(m))


def gaussian_threshold(sigma2, delta, groups):
    """terms added from far out inwards for as long as they are few enough"""
    terms = []
    for term in gaussian_terms(sigma2, 0):
        terms.append(term)
        if term < mpf(10) ** -400:
            break
    goal = each(delta, groups) * (2 * sum(terms) - 1)
    m, rest = len(terms), mpf(0)
    while m > 1 and rest + terms[m - 1] <= goal:
        m -= 1
        rest += terms[m]
    return 1 + m


def partition_select(n, epsilon, delta):
    e, d, f = exp(mpf(epsilon)), mpf(delta), mpf(0)
    for _ in range(n):
        f = min(e * f + d, 1 - (1 - f - d) / e, mpf(1))
    return f


# printing

def real(x):
    """a long double; 1e-4900 stands for what is positive and less"""
    return "1e-4900L" if 0 < x < mpf(10) ** -4900 else nstr(x, 25, min_fixed=0, max_fixed=0) + "L"


def literal(x):
    return str(x) if isinstance(x, int) else repr(float(x))


def table(name, kinds, function, cases):
    """cases are tuples of arguments; kinds names their C types and fields"""
    print("\nstatic const struct\n{")
    for kind in kinds:
        print(f"\t{kind};")
    print(f"\tlong double value;\n}} {name}[] = {{")
    rows = ["\t{" + ", ".join([*map(literal, case), real(mpf(function(*case)))]) + "}"
            for case in cases]
    print(",\n".join(rows) + "\n};")


def some(count, *makers):
    return [tuple(make() for make in makers) for _ in range(count)]


def epsilon():
    return log_uniform(-6, 1.7)


def delta():
    return log_uniform(-15, -0.31)


def curves():
    table("laplace_real", ["double alpha, scale, sensitivity"], laplace,
          some(150, order, lambda: log_uniform(-1.7, 6), lambda: 1.0) +
          some(50, lambda: order(9), lambda: log_uniform(-3, 9), lambda: log_uniform(-3, 3)))
    table("laplace_integer", ["double alpha, scale", "int64_t sensitivity"], laplace_integer,
          some(150, order, lambda: log_uniform(-1.7, 6), lambda: random.choice([1, 1, 2, 17])) +
          some(50, lambda: order(9), lambda: log_uniform(-3, 18),
               lambda: int(log_uniform(0, 18.9))))
    table("gaussian_integer", ["double alpha, sigma2", "int64_t sensitivity"], gaussian_integer,
          some(150, order, lambda: log_uniform(-2, 2), lambda: random.choice([1, 1, 2, 17])) +
          [(a, v, 1) for a in (1.01, 1.5, 1.75, 2.5) for v in (1e-6, 0.1, 0.2499, 0.25, 0.3, 1.0)] +
          some(50, lambda: order(9), lambda: log_uniform(-6, 3), lambda: int(log_uniform(0, 18.9))))
    table("randomized_response", ["double alpha, p"], randomized_response,
          some(100, order, lambda: random.uniform(0.5, 1)) +
          some(50, order, lambda: 0.5 + log_uniform(-12, -1)) +
          some(50, lambda: order(9), lambda: log_uniform(-12, -0.31)))
    table("exponential", ["double alpha, epsilon"], exponential,
          some(100, order, epsilon) + some(20, lambda: order(9), lambda: log_uniform(-9, 3.5)))
    table("sampled_gaussian", ["double alpha, p, sigma"], subsampled_gaussian,
          some(100, lambda: order(2.2), lambda: log_uniform(-6, 0), lambda: log_uniform(-1, 2)) +
          [(10000.0, 0.01, 1.0), (2500.5, 1e-9, 20.0), (1000.0, 0.999, 50.0), (7.5, 1.0, 3.0),
           (64.0, 1e-300, 0.05), (300.0, 1e-12, 100.0)])
    table("sampled_laplace", ["double alpha, p, scale"], subsampled_laplace,
          some(100, lambda: order(2.2), lambda: log_uniform(-6, 0), lambda: log_uniform(-1.7, 3)) +
          [(10000.0, 0.01, 1.0), (2500.5, 1e-22, 0.02), (1000.0, 0.999, 1e6), (7.5, 1.0, 3.0),
           (3000.0, 1e-20, 0.0215)])


def conversions():
    table("to_epsilon", ["double alpha, rdp, delta"], rdp_to_epsilon,
          some(200, order, lambda: log_uniform(-6, 2), delta))
    table("to_delta", ["double alpha, rdp, epsilon"], rdp_to_delta,
          some(200, lambda: order(2), lambda: log_uniform(-6, 1), epsilon))
    table("zcdp_epsilon", ["double rho, delta"], zcdp_to_epsilon,
          some(100, lambda: log_uniform(-13, 3), delta) +
          [(1e-6, 0.001), (1e6, 0.999), (1e-30, 1e-30), (10.0, 1e-300)])
    table("zcdp_delta", ["double rho, epsilon"], zcdp_to_delta,
          some(100, lambda: log_uniform(-4, 1), epsilon) + [(1e-6, 0.0), (2.0, 0.0), (100.0, 1.0)])
    table("max_rho", ["double epsilon, delta"], zcdp_max_rho,
          some(100, epsilon, delta) + [(0.0, 1e-6), (1e6, 1e-6), (1e-9, 1e-300), (1.0, 0.9)])


def privacy_curves():
    table("gaussian_curve", ["double sigma, epsilon, sensitivity"], gaussian_delta,
          some(200, lambda: log_uniform(-1, 1.5), epsilon, lambda: 1.0) +
          [(s, 0.0, 1.0) for s in (0.04, 0.05, 0.1, 1.0, 1e3, 1e15)] +
          some(50, lambda: log_uniform(-3, 6), lambda: log_uniform(-6, 6), lambda: log_uniform(-3, 6)))
    table("gaussian_scale", ["double epsilon, delta, sensitivity"], gaussian_sigma,
          some(60, epsilon, delta, lambda: log_uniform(-3, 3)))
    table("gdp_epsilon", ["double mu, delta"], gdp_to_epsilon,
          some(80, lambda: log_uniform(-3, 1.5), delta) + [(0.001, 0.1), (1e-6, 1e-15), (5.0, 0.999)])
    table("laplace_mass", ["double scale, epsilon, sensitivity"], laplace_delta,
          some(100, lambda: log_uniform(-1.7, 1), lambda: log_uniform(-6, 1), lambda: 1.0) +
          [(10.0, 0.1, 1.0), (10.0, 0.0999999999999999, 1.0), (1e6, 0.0, 1e-6)])
    table("laplace_integer_mass", ["double scale, epsilon", "int64_t sensitivity"],
          discrete_laplace_delta,
          some(100, lambda: log_uniform(-1.7, 2), lambda: log_uniform(-6, 1),
               lambda: random.choice([1, 2, 3, 10, 300])) +
          [(10.0, 0.1, 1), (10.0, 0.2, 4), (2.0, 0.0, 5), (2.0, 1.0, 4), (1e12, 0.0, 1)])
    table("gaussian_integer_mass", ["double sigma2, epsilon", "int64_t sensitivity"],
          discrete_gaussian_delta,
          some(150, lambda: log_uniform(-2, 3), lambda: log_uniform(-6, 1.7),
               lambda: random.choice([1, 1, 2, 3, 10])) +
          [(s * s, x * d / s + d * d / (2 * s * s), d)
           for s in (63.9, 64.0, 100.25, 1000.0)
           for d in (1, 7, 60, 150) for x in (-0.5, 0.0, 3.0, 8.0, 30.0)
           if x * d / s + d * d / (2 * s * s) >= 0] +
          [(1e8, 0.0, 1), (1e8, 1e-4, 1), (1e-6, 0.5, 1), (0.01, 40.0, 1), (0.01, 60.0, 1)])
    table("laplace_integer_variance", ["double scale"], discrete_laplace_variance,
          [(log_uniform(-2, 9),) for _ in range(30)])
    table("gaussian_integer_variance", ["double sigma2"], discrete_gaussian_variance,
          [(log_uniform(-2, 3),) for _ in range(30)] + [(0.25,), (0.2499,), (0.5,)])


def composition():
    cases = [(log_uniform(-3, 0.5), random.choice([0.0, log_uniform(-15, -7)]),
              int(log_uniform(0, 2.7)), log_uniform(-4, -0.3)) for _ in range(80)]
    cases += [(log_uniform(-3, 0.5), 0.0, int(log_uniform(0, 2.7)), log_uniform(-15, -0.3))
              for _ in range(40)]
    cases += [(0.001, 1e-12, 20000, 1e-6), (50.0, 0.0, 300, 1e-9), (1e-6, 0.0, 1000, 1e-9),
              (1.0, 0.01, 1, 0.01), (0.0, 0.0, 10, 0.0), (1.0, 0.0, 7, 0.0), (2.0, 0.0, 3, 0.9)]
    table("optimal", ["double epsilon, delta", "int k", "double delta_total"], kov_optimal, cases)
    table("drv", ["double epsilon", "int k", "double slack"], drv,
          some(50, epsilon, lambda: int(log_uniform(0, 6)), delta))
    table("group", ["double epsilon, delta", "int k"], group_privacy,
          some(80, lambda: log_uniform(-6, 0), lambda: log_uniform(-15, -1),
               lambda: int(log_uniform(0, 2))) + [(0.0, 1e-6, 100), (50.0, 1e-15, 3)])
    print("\n#define COMPOSED 5\n\nstatic const struct\n{")
    print("\tdouble epsilons[COMPOSED], deltas[COMPOSED], slack;")
    print("\tlong double kov_epsilon, kov_delta, advanced_epsilon, advanced_delta;\n} composed[] = {")
    rows = []
    for _ in range(60):
        size = log_uniform(-6, 1)
        e = [size * log_uniform(-1, 0) for _ in range(5)]
        d = [random.choice([0.0, log_uniform(-15, -2)]) for _ in range(5)]
        s = delta()
        values = map(real, kov_bound(e, d, s) + advanced(e, d, s))
        rows.append("\t{{" + ", ".join(map(literal, e)) + "}, {" + ", ".join(map(literal, d)) +
                    "}, " + literal(s) + ", " + ", ".join(values) + "}")
    print(",\n".join(rows) + "\n};")


def thresholds():
    scales = [lambda: log_uniform(-1.7, 6), lambda: log_uniform(-15, -0.1),
              lambda: random.choice([1, 1, 3, 100])]
    table("laplace_cut", ["double scale, delta", "int groups"], laplace_threshold, some(80, *scales))
    table("gaussian_cut", ["double sigma2, delta", "int groups"], gaussian_threshold,
          some(60, lambda: log_uniform(-3, 4.5), scales[1], scales[2]) +
          [(4096.0, 1e-300, 1), (4096.0, 1e-15, 10), (4095.0, 0.3, 1), (0.01, 0.9, 1)])
    table("selection", ["int64_t n", "double epsilon, delta"], partition_select,
          some(150, lambda: int(log_uniform(0, 3)), lambda: log_uniform(-3, 1.7), delta) +
          [(0, 1.0, 0.1), (1, 1.0, 0.1), (1, 1e-6, 1e-15), (5, 3.0, 0.5)])


print('''/*
 * theorems_reference.h
 *	  Reference values for the analysts' functions: from definitions at 120
 *	  digits, written by theorems_reference.py.
 */
#ifndef DP_THEOREMS_REFERENCE_H
#define DP_THEOREMS_REFERENCE_H

#include <stdint.h>''')
curves()
conversions()
privacy_curves()
composition()
thresholds()
print("\n#endif\t\t\t\t\t\t\t/* DP_THEOREMS_REFERENCE_H */")
