#!/usr/bin/env python3
"""
Write pld_reference.h: reference values for exact composition, by convolving the
distributions of the privacy loss themselves (needs mpmath and gmpy2; the tests
do not).

    test/unit/pld_reference.py > test/unit/pld_reference.h

Probabilities are integers over 2^BITS, in products as slots of one big integer;
their error is far below 10^-60.
"""
from gmpy2 import mpz
from mpmath import erfc, exp, floor, isinf, log, mp, mpf, nstr, sqrt, workdps

mp.dps = 50

BITS = 256
SLOT = 640
ONE = 1 << BITS


def fixed(x):
    return int(floor(x * ONE + mpf(1) / 2))


def pack(a):
    return mpz(int.from_bytes(b"".join(x.to_bytes(SLOT // 8, "little") for x in a), "little"))


def unpack(n, count):
    raw = int(n).to_bytes(count * SLOT // 8, "little")
    return [int.from_bytes(raw[i:i + SLOT // 8], "little") >> BITS
            for i in range(0, len(raw), SLOT // 8)]


def convolve(a, b):
    return unpack(pack(a) * pack(b), len(a) + len(b) - 1)


def power(a, k):
    """k-fold convolution"""
    result = [ONE]
    while True:
        if k % 2:
            result = convolve(result, a)
        k //= 2
        if k == 0:
            return result
        a = convolve(a, a)


# A loss distribution: (probabilities as fixed-point integers, loss of the first, step).

def laplace(num, den, d, k):
    s = mpf(den) / num
    norm = (1 - exp(-s)) / (1 + exp(-s))
    masses = [exp(-s * d) / (1 + exp(-s))]
    masses += [norm * exp(-s * z) for z in range(d - 1, 0, -1)] + [1 / (1 + exp(-s))]
    return power([fixed(p) for p in masses], k), -k * s * d, 2 * s


def pure(epsilon, k):
    """binomial, by recurrence"""
    e = mpf(epsilon)
    p = exp(-k * log(1 + exp(e)))
    up = exp(e)
    masses = []
    for i in range(k + 1):
        masses.append(fixed(p))
        p *= up * (k - i) / (i + 1)
    return masses, -k * e, 2 * e


def discrete_gaussian(sigma, d, k):
    sigma = mpf(sigma)
    reach = int(14 * sigma) + 2
    terms = [exp(-mpf(z) ** 2 / 2 / sigma ** 2) for z in range(reach, -reach - 1, -1)]
    total = sum(terms)
    step = d / sigma ** 2
    masses = power([fixed(t / total) for t in terms], k)
    return masses, k * step * (mpf(d) / 2 - reach), step


def gaussian_delta(mu, epsilon):
    root = sqrt(mpf(2))
    return (erfc((epsilon / mu - mu / 2) / root) - exp(epsilon) * erfc((epsilon / mu + mu / 2) / root)) / 2


def atoms(parts):
    """all sums of losses with their probabilities, as a dictionary"""
    total = {mpf(0): mpf(1)}
    for masses, first, step in parts:
        new = {}
        part = [(first + i * step, mpf(m) / ONE) for i, m in enumerate(masses) if m > ONE >> 170]
        for l, p in total.items():
            for m, q in part:
                if p * q > mpf(10) ** -50:
                    new[l + m] = new.get(l + m, 0) + p * q
        total = new
    return sorted(total.items(), reverse=True)


def atoms_epsilon(losses, delta):
    """root of A - e^epsilon B between two atoms, from the largest loss down"""
    delta = mpf(delta)
    a = b = mpf(0)
    for i, (loss, p) in enumerate(losses):
        a += p
        b += p * exp(-loss)
        below = losses[i + 1][0] if i + 1 < len(losses) else mpf(0)
        if a - exp(max(below, 0)) * b > delta:
            return log((a - delta) / b)
        if below <= 0:
            return mpf(0)


def mixed_epsilon(mu, losses, delta):
    """with Gaussian noise besides: bisection of the mean of its delta"""
    def mean(epsilon):
        return sum(p * gaussian_delta(mu, epsilon - l) for l, p in losses)

    low, high = mpf(0), losses[0][0] + mu ** 2 / 2 + 40 * mu
    if mean(low) <= delta:
        return low
    while high - low > mpf(10) ** -24 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) > delta else (low, middle)
    return high


def gaussian_epsilon(mu, delta):
    """at enough digits for any delta"""
    with workdps(150):
        return mixed_epsilon(mpf(mu), [(mpf(0), mpf(1))], mpf(delta))


def epsilon(parts, mu, delta):
    if delta <= 0:
        return mpf("inf")
    if mu:
        return mixed_epsilon(mu, atoms(parts), delta)
    if len(parts) > 1:
        return atoms_epsilon(atoms(parts), delta)
    masses, first, step = parts[0]
    return atoms_epsilon([(first + i * step, mpf(m) / ONE) for i, m in enumerate(masses)][::-1], delta)


def real(x):
    if isinf(x):
        return "INFINITY"
    return nstr(x, 25, min_fixed=0, max_fixed=0) + "L"


DELTAS = ["1e-15", "1e-9", "1e-6", "1e-3"]


def entry(kind, count, sensitivity=1, num=1, den=1, sigma="0", epsilon="0", delta="0"):
    return (f"{{DP_PLD_{kind}, {count}, {sensitivity}, {num}, {den}, {sigma}, {epsilon}, {delta}}}")


def pure_cases():
    table = {1: ["0.01", "0.1", "1", "5", "50"], 2: ["0.01", "0.5", "20"],
             10: ["0.001", "0.01", "0.1", "1", "5"], 100: ["1e-3", "0.01", "0.1", "0.5"],
             1000: ["3e-4", "0.003", "0.03", "0.2"], 10000: ["1e-4", "0.001", "0.01", "0.05"],
             100000: ["3e-5", "3e-4", "0.003", "0.02"]}
    for k, epsilons in table.items():
        for e in epsilons:
            yield [entry("PURE", k, epsilon=e)], [pure(float(e), k)], 0


def approximate_cases():
    for k, e, delta in [(1, "0.5", "1e-7"), (100, "0.05", "1e-9"), (100, "0.05", "9e-6"), (3000, "0.01", "1e-16")]:
        yield [entry("PURE", k, epsilon=e, delta=delta)], [pure(float(e), k)], 0, (1 - mpf(float(delta))) ** k


def laplace_cases():
    for num, den, d, k in [(10, 1, 1, 10), (20, 1, 3, 1), (20, 1, 3, 100), (7, 3, 5, 7), (100, 1, 7, 1000),
                           (10, 1, 7, 20), (1000, 1, 60, 100), (30, 1, 100, 3), (30, 1, 100, 30),
                           (1000, 1, 100, 1000), (5000, 1, 200, 400), (1000, 1, 1000, 1), (1000, 1, 1000, 2),
                           (1000, 1, 1000, 12), (1000, 1, 1000, 50), (150, 1, 600, 10), (20, 1, 500, 2),
                           (30000, 1, 300, 1), (30000, 1, 300, 300)]:
        yield [entry("DISCRETE_LAPLACE", k, d, num, den)], [laplace(num, den, d, k)], 0


def discrete_gaussian_cases():
    for sigma, d, k in [("1", 1, 1), ("0.5", 1, 3), ("2", 1, 10), ("10", 1, 1), ("10", 1, 1000), ("20.5", 3, 20),
                        ("32", 1, 5), ("33", 5, 50), ("100", 20, 30), ("100", 1, 100), ("500", 250, 4),
                        ("1000", 3, 8), ("1100", 3, 8), ("1500", 500, 12)]:
        yield [entry("DISCRETE_GAUSSIAN", k, d, sigma=sigma)], [discrete_gaussian(sigma, d, k)], 0


def mixed_cases():
    yield [entry("DISCRETE_LAPLACE", 5, 1, 10), entry("PURE", 2, epsilon="0.3"),
           entry("DISCRETE_GAUSSIAN", 3, sigma="5")], \
        [laplace(10, 1, 1, 5), pure(0.3, 2), discrete_gaussian(5, 1, 3)], 0
    yield [entry("DISCRETE_LAPLACE", 20, 4, 7, 3), entry("DISCRETE_LAPLACE", 50, 1, 5)], \
        [laplace(7, 3, 4, 20), laplace(5, 1, 1, 50)], 0
    yield [entry("PURE", 1, epsilon="1"), entry("PURE", 1, epsilon="0.37")], [pure(1.0, 1), pure(0.37, 1)], 0
    yield [entry("PURE", 1, epsilon="1"), entry("PURE", 3, epsilon="0.01"), entry("DISCRETE_LAPLACE", 2, 3, 17)], \
        [pure(1.0, 1), pure(0.01, 3), laplace(17, 1, 3, 2)], 0
    yield [entry("PURE", 4, epsilon="1e-6"), entry("DISCRETE_LAPLACE", 300, 2, 100)], \
        [pure(1e-6, 4), laplace(100, 1, 2, 300)], 0
    yield [entry("DISCRETE_GAUSSIAN", 2, 2, sigma="40"), entry("DISCRETE_LAPLACE", 3, 70, 210)], \
        [discrete_gaussian(40, 2, 2), laplace(210, 1, 70, 3)], 0
    yield [entry("GAUSSIAN", 3, sigma="20"), entry("DISCRETE_LAPLACE", 5, 1, 10), entry("PURE", 10, epsilon="0.1")], \
        [laplace(10, 1, 1, 5), pure(0.1, 10)], sqrt(3 / mpf(400))
    yield [entry("PURE", 1, epsilon="5"), entry("GAUSSIAN", 1, sigma="20"), entry("PURE", 60, epsilon="0.01")], \
        [pure(5.0, 1), pure(0.01, 60)], 1 / mpf(20)
    yield [entry("GAUSSIAN", 1, sigma="1000"), entry("PURE", 1, epsilon="1"), entry("PURE", 1, epsilon="0.37")], \
        [pure(1.0, 1), pure(0.37, 1)], 1 / mpf(1000)
    yield [entry("GAUSSIAN", 7, sigma="2"), entry("PURE", 800, epsilon="0.02")], [pure(0.02, 800)], sqrt(mpf(7)) / 2
    yield [entry("GAUSSIAN", 1, sigma="200"), entry("PURE", 2, epsilon="0.001")], [pure(0.001, 2)], 1 / mpf(200)


def many_cases():
    """many kinds whose losses lie on one grid: multiples of an exact double"""
    unit = 1.0 / 1024
    for kinds, scale in [(20, 8), (60, 2), (200, 1)]:
        epsilons = [scale * i * unit for i in range(1, kinds + 1)]
        total = [ONE]
        for i, e in enumerate(epsilons, 1):
            p = fixed(1 / (1 + exp(-mpf(e))))
            new = [(ONE - p) * x >> BITS for x in total] + [0] * i
            for j, x in enumerate(total):
                new[j + i] += p * x >> BITS
            total = new
        yield [entry("PURE", 1, epsilon=repr(e)) for e in epsilons], \
            [(total, -mpf(sum(epsilons)), 2 * mpf(scale * unit))], 0


def main():
    print('''/*
 * pld_reference.h
 *	  Reference values for exact composition, from convolutions at 50 digits
 *	  and more, written by pld_reference.py.
 */
#ifndef DP_PLD_REFERENCE_H
#define DP_PLD_REFERENCE_H

#include <math.h>

#include "accounting/pld.h"

/* The least epsilon at each of four deltas. */
typedef struct Reference
{
	const DpPldRelease *releases;
	int			kinds;
	long double epsilon[4];
} Reference;
''')
    print("static const double reference_delta[4] = {" + ", ".join(DELTAS) + "};\n")
    rows = []
    for group in (pure_cases, approximate_cases, laplace_cases, discrete_gaussian_cases, mixed_cases, many_cases):
        for releases, parts, mu, *kept in group():
            # probability that none of the releases tells all
            kept = kept[0] if kept else mpf(1)
            values = [epsilon(parts, mu, 1 - (1 - mpf(float(d))) / kept) for d in DELTAS]
            name = f"case_{len(rows)}"
            print(f"static const DpPldRelease {name}[] = {{")
            print(",\n".join("\t" + r for r in releases) + "\n};\n")
            rows.append(f"\t{{{name}, {len(releases)}, {{" + ", ".join(map(real, values)) + "}}")
    print("static const Reference reference[] = {\n" + ",\n".join(rows) + "\n};\n")

    ratios = [("20", d) for d in DELTAS] + [("1000", d) for d in DELTAS] + \
        [(s, d) for s in ("0.1", "0.3", "1", "5", "100") for d in DELTAS + ["1e-100", "0.3", "0.9"]]
    print("static const struct\n{\n\tdouble\t\tsigma, delta;\n\tlong double epsilon;\n} gaussian_reference[] = {")
    print(",\n".join(f"\t{{{s}, {d}, {real(gaussian_epsilon(1 / mpf(float(s)), mpf(float(d))))}}}" for s, d in ratios))
    print("};\n\n#endif\t\t\t\t\t\t\t/* DP_PLD_REFERENCE_H */")


main()
