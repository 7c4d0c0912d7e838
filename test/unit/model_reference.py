#!/usr/bin/env python3
"""
Write model_reference.h: linear regression from noisy totals, from its definition at 40 digits
(needs mpmath; the tests do not).

    test/unit/model_reference.py > test/unit/model_reference.h

The definition is that of doc/accounting.md, written with whole matrices: noise enters as a vector of
one element for each total, and what it does to the normal equations as the Jacobian of these.
"""
import random

from mpmath import diag, eigsy, eye, matrix, mp, mpf, nstr, sqrt, zeros

mp.dps = 40
random.seed(30)

# Layouts: n a number, b a boolean, a digit as many coordinates of keys; what is predicted is last.
CASES = [("nn", 500, 1.5), ("nbn", 3000, 4), ("n3bn", 20000, 30), ("nnnnn", 400, 40), ("2b4n", 900, 200), ("bn", 60, 25), ("nnn", 30, 90)]


def vector(layout):
    """A row in coordinates, of numbers that depend on each other."""
    v = [1.0]
    for kind in layout[:-1]:
        if kind == "n":
            v.append(min(1, max(-1, random.gauss(0.1, 0.4))))
        elif kind == "b":
            v.append(random.choice([-1.0, 1.0]))
        else:
            one = random.randint(0, int(kind))
            v += [1.0 if i + 1 == one else 0.0 for i in range(int(kind))]
    v.append(min(1, max(-1, 0.1 + sum(0.2 * x for x in v[1:]) + random.gauss(0, 0.2))))
    return v


def entries(layout):
    """Blocks and kinds of the vector's entries, and which products are totals."""
    block, kind = [-1], ["one"]
    for b, k in enumerate(layout):
        width = int(k) if k.isdigit() else 1
        block += [b] * width
        kind += ["key" if k.isdigit() else k] * width
    m = len(block)
    totals = [(i, j) for i in range(m) for j in range(i, m)
              if not (i > 0 and block[i] == block[j] and kind[i] != "n")]
    return block, kind, totals


def made_of(i, j, block, kind, totals):
    """The sum of v_i v_j as a dictionary from totals to factors."""
    i, j = min(i, j), max(i, j)
    if (i, j) in totals:
        return {(i, j): mpf(1), (0, 0): mpf(1) / 2} if i == j and i > 0 else {(i, j): mpf(1)}
    if i != j:
        return {}
    return {(0, 0): mpf(1)} if kind[i] == "b" else {(0, i): mpf(1)}


def spectral(a, f):
    values, vectors = eigsy(a)
    return vectors * diag([f(x) for x in values]) * vectors.T


def fit(layout, total, noise, scale):
    block, kind, totals = entries(layout)
    m = len(block)
    p, d, y = m - 1, m - 2, m - 1
    at = dict(zip(totals, map(mpf, total)))
    parts = {(i, j): made_of(i, j, block, kind, totals) for i in range(m) for j in range(m)}
    M = matrix(m, m)
    for (i, j), made in parts.items():
        M[i, j] = sum(f * at[e] for e, f in made.items())
    n = M[0, 0]
    C = matrix(d, d)
    h = matrix(d, 1)
    for i in range(d):
        h[i] = M[i + 1, y] - M[0, i + 1] * M[0, y] / n
        for j in range(d):
            C[i, j] = M[i + 1, j + 1] - M[0, i + 1] * M[0, j + 1] / n
    least = min(eigsy(C, eigvals_only=True))

    def solve(factor):
        lam = max(mpf(0), factor * noise * sqrt(d) - least)
        beta = spectral(C + lam * eye(d), lambda x: 1 / max(x, mpf(noise))) * h
        alpha = (M[0, y] - sum(M[0, i + 1] * beta[i] for i in range(d))) / n
        return matrix([alpha] + list(beta)), lam

    coef, lam4 = solve(4)
    theta, lam = solve(1)
    a = list(-theta) + [mpf(1)]
    s2 = sum(a[i] * a[j] * M[i, j] for i in range(m) for j in range(m)) / n
    gradient = {e: mpf(0) for e in totals}
    J = zeros(p, len(totals))
    for (i, j), made in parts.items():
        for e, f in made.items():
            gradient[e] += f * a[i] * a[j]
            if i < p:
                J[i, totals.index(e)] += f * a[j]
    sn = noise * sqrt(sum(x * x for x in gradient.values())) / n
    A = M[:p, :p]
    inverse = spectral(A + lam * diag([0] + [1] * d), lambda x: 1 / max(x, mpf(noise)))
    positive = spectral(A, lambda x: max(x, mpf(0)))
    V = inverse * ((max(s2, mpf(0)) + sn) * positive + noise * noise * (J * J.T)) * inverse
    T = zeros(p, p)
    half = mpf(scale[-1][1])
    T[0, 0] = half
    for i in range(1, p):
        T[i, i] = half / mpf(scale[i - 1][1])
        T[0, i] = -half * mpf(scale[i - 1][0]) / mpf(scale[i - 1][1])
    V = T * V * T.T
    shift = matrix([mpf(scale[-1][0])] + [0] * d)
    one_sided = mpf("1.6448536269514722")
    sigma = [half * sqrt(max(s2, mpf(0))), half * sqrt(max(s2 - one_sided * sn, mpf(0))),
             half * sqrt(max(s2, mpf(0)) + one_sided * sn)]
    return lam4 > 0, list(T * coef + shift), list(T * theta + shift), [V[i, j] for i in range(p) for j in range(p)], sigma


def numbers(values):
    return "{" + ", ".join(nstr(mpf(v), 17) for v in values) + "}"


def main():
    print("/* Made by model_reference.py. */\n")
    print("typedef struct ModelCase\n{\n\tconst char *layout;\n\tdouble\t\tnoise;\n\tbool\t\tshrunk;\n"
          "\tdouble\t\ttotal[64];\n\tdouble\t\tscale[32];\n\tdouble\t\tcoef[16];\n\tdouble\t\tcentre[16];\n"
          "\tdouble\t\tcovariance[128];\n\tdouble\t\tsigma[3];\n} ModelCase;\n")
    print("static const ModelCase model_cases[] = {")
    for layout, rows, noise in CASES:
        block, kind, totals = entries(layout)
        total = [0.0] * len(totals)
        for _ in range(rows):
            v = vector(layout)
            for t, (i, j) in enumerate(totals):
                total[t] += v[i] * v[j] - (0.5 if i == j and i > 0 else 0)
        total = [t + random.gauss(0, noise) for t in total]
        scale = [(float(random.randint(-9, 9)), random.choice([0.5, 1.0, 40.0])) for _ in range(len(block) - 1)]
        shrunk, coef, centre, covariance, sigma = fit(layout, total, mpf(noise), scale)
        print('\t{"%s", %s, %s,\n\t\t%s,\n\t\t%s,\n\t\t%s,\n\t\t%s,\n\t\t%s,\n\t%s},' % (
            layout, repr(float(noise)), "true" if shrunk else "false", numbers(total), numbers([x for s in scale for x in s]),
            numbers(coef), numbers(centre), numbers(covariance), numbers(sigma)))
    print("};")


if __name__ == "__main__":
    main()
