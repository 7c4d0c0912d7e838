#!/usr/bin/env python3
"""
Write classifier_reference.h: classifiers from noisy totals and passes, from their definition at 40 digits
(needs mpmath; the tests do not).

    test/unit/classifier_reference.py > test/unit/classifier_reference.h

The definition is that of doc/accounting.md, written with whole matrices.  Totals of passes are those of rows
that are drawn here, at the weights so far, with noise.
"""
import random

from mpmath import diag, eigsy, eye, exp, log, matrix, mp, mpf, nint, pi, sqrt, zeros

from model_reference import entries, made_of, numbers, spectral, vector

random.seed(31)

# Layout, the last block y; rows, noise of totals, loss (0 logistic, 1 hinge), passes.
CASES = [("nb", 400, 1, 0, 2), ("n3b", 3000, 5, 0, 3), ("bbb", 500, 30, 0, 2), ("2n4b", 800, 9, 1, 4),
         ("nnb", 50, 12, 0, 2), ("nb", 200, 1, 1, 0), ("nnnb", 900, 3, 0, 0), ("nb", 6, 0.5, 0, 2)]


def rounded(weights):
    most = max(abs(w) for w in weights)
    weights = [w * 20 / most for w in weights] if most > 20 else weights
    return [nint(w * 2**20) / 2**20 for w in weights]


class Classifier:
    def __init__(self, layout, total, noise, loss):
        block, kind, totals = entries(layout)
        m = len(block)
        self.loss, self.p, d = loss, m - 1, m - 2
        at = dict(zip(totals, map(mpf, total)))
        M = matrix(m, m)
        for i in range(m):
            for j in range(m):
                M[i, j] = sum(f * at[e] for e, f in made_of(i, j, block, kind, totals).items())
        n = self.n = max(M[0, 0], mpf(10))
        far = max(2 / n, mpf(2)**-20)
        mean_y = min(max(M[0, m - 1] / n, -1 + far), 1 - far)
        self.mean = [M[0, i + 1] / n for i in range(d)]
        C = matrix(d, d)
        h = matrix(d, 1)
        for i in range(d):
            h[i] = M[i + 1, m - 1] - n * self.mean[i] * mean_y
            for j in range(d):
                C[i, j] = M[i + 1, j + 1] - n * self.mean[i] * self.mean[j]
        least = min(eigsy(C, eigvals_only=True))
        shifted = C + max(mpf(0), 4 * noise * sqrt(d) - least) * eye(d)
        shifted = spectral(shifted, lambda x: max(x, mpf(noise)))
        beta = shifted**-1 * h
        dot = lambda x, y: sum(a * b for a, b in zip(x, y))
        if loss:
            self.w = [mean_y - dot(self.mean, beta)] + list(beta)
        else:
            v = n * (1 - mean_y**2)
            slope = beta * 2 * n / max(v - dot(h, beta), v / 10)
            spread = max(mpf(0), (slope.T * C * slope)[0] / n)
            odds = (1 + mean_y) / (1 - mean_y)
            self.w = [log(odds) * sqrt(1 + pi * spread / 8) - dot(self.mean, slope)] + list(slope)
        self.w = rounded(self.w)
        # All of X'X, with the shift
        self.X = zeros(self.p, self.p)
        for i in range(self.p):
            for j in range(self.p):
                x, y = ([mpf(1)] + self.mean)[i], ([mpf(1)] + self.mean)[j]
                self.X[i, j] = n * x * y + (shifted[i - 1, j - 1] if i and j else 0)
        self.passes = 0

    def row(self, v):
        z = sum(w * x for w, x in zip(self.w, v))
        if self.loss:
            u = min(max(mpf(3) / 2 - v[-1] * z, mpf(0)), mpf(1))
            return -v[-1] * u, mpf(1) / 2 if 0 < u < 1 else mpf(0)
        p = 1 / (1 + exp(-z))
        return p - (1 if v[-1] > 0 else 0), 2 * p * (1 - p)

    def update(self, total):
        self.passes += 1
        self.k = max(mpf("0.05"), min(mpf(total[-1]) / self.n * (2 if self.loss else mpf(1) / 2), mpf(1) if self.loss else mpf(1) / 4))
        step = (self.k * self.X)**-1 * matrix(list(map(mpf, total[:-1])))
        self.w = rounded([w - s / self.passes for w, s in zip(self.w, step)])

    def covariance(self, noise):
        E = (self.k * self.X)**-1
        return E * (self.k * self.X + mpf(noise)**2 / self.passes * eye(self.p)) * E


def drawn(layout):
    v = vector(layout)
    return v[:-1] + [1.0 if random.random() < 1 / (1 + 2.718 ** (-1 - 4 * (v[-1] - 0.1))) else -1.0]


def main():
    print("/* Made by classifier_reference.py. */\n")
    print("typedef struct ClassifierCase\n{\n\tconst char *layout;\n\tdouble\t\tnoise;\n\tint\t\t\tloss;\n\tint\t\t\tpasses;\n"
          "\tdouble\t\ttotal[64];\n\tdouble\t\tpass[64];\n\tdouble\t\tscale[32];\n\tdouble\t\tcoef[16];\n\tdouble\t\tcovariance[128];\n"
          "} ClassifierCase;\n")
    print("static const ClassifierCase classifier_cases[] = {")
    for layout, count, noise, loss, passes in CASES:
        block, kind, totals = entries(layout)
        rows = [drawn(layout) for _ in range(count)]
        total = [sum(v[i] * v[j] - (0.5 if i == j and i > 0 else 0) for v in rows) + random.gauss(0, noise) for i, j in totals]
        scale = [(float(random.randint(-9, 9)), random.choice([0.5, 1.0, 40.0])) for _ in range(len(block) - 1)]
        c = Classifier(layout, total, mpf(noise), loss)
        passed = []
        for _ in range(passes):
            sums = [mpf(0)] * (c.p + 1)
            for v in rows:
                s, k = c.row(v)
                sums = [a + s * x for a, x in zip(sums, v[:-1])] + [sums[-1] + k]
            sums = [float(a + random.gauss(0, noise)) for a in sums]
            c.update(sums)
            passed += sums
        T = eye(c.p)
        for i in range(1, c.p):
            T[i, i] = 1 / mpf(scale[i - 1][1])
            T[0, i] = -mpf(scale[i - 1][0]) / mpf(scale[i - 1][1])
        V = T * c.covariance(noise) * T.T if passes else zeros(c.p, c.p)
        print('\t{"%s", %r, %d, %d,\n\t\t%s,\n\t\t%s,\n\t\t%s,\n\t\t%s,\n\t%s},' % (
            layout, float(noise), loss, passes, numbers(total), numbers(passed or [0]), numbers([x for s in scale for x in s]),
            numbers(T * matrix(c.w)), numbers([V[i, j] for i in range(c.p) for j in range(c.p)])))
    print("};")


if __name__ == "__main__":
    main()
