"""Small dense linear algebra written in the language itself. The frontend inlines these funcs where a kernel calls `qd.svd` and related
functions (frontend/linalg.cpp), with matrices of a real type `dt` and sizes known at compile time.

Choices are selects rather than branches, so that a loop over many matrices can be vectorised."""

from quadrants._language.func import func
from quadrants._language.matrix import Matrix, Vector
from quadrants._language.ops import abs, loop_config, max, select, sqrt, static


def _pairs(n):
    return tuple((p, q) for p in range(n) for q in range(p + 1, n))


def _upper(i, j):
    return (i, j) if i < j else (j, i)


@func
def _scale(A):
    """Returns the factor to divide A by, so that products of its entries neither overflow nor underflow."""
    size = abs(A).max()
    return select(size > 0, size, size * 0 + 1)


@func
def _rotation(a, b, c, dt):
    """The smaller rotation that diagonalises [[a, c], [c, b]] as J^T M J with J = [[cos, sin], [-sin, cos]]. Returns its tangent, its sine
    and the tangent of half the angle. Golub and Van Loan, Matrix Computations, 4th ed., 8.5.2, with one division."""
    d = b - a
    size = max(abs(d) + sqrt(d * d + 4 * c * c), dt(1e-30))
    t = select(d >= 0, 2 * c, -2 * c) / size
    r = sqrt(t * t + 1)
    return t, t / r, t / (r + 1)


@func
def _turn(x, y, sine, half):
    """Returns (x, y) J, computed such that a small angle makes a small change: Rutishauser, The Jacobi method, 1966."""
    return x - sine * (y + half * x), y + sine * (x - half * y)


@func
def _givens(a, b):
    """Returns cosine and sine of the rotation that maps (a, b) to (r, 0), r >= 0; the identity for (0, 0)."""
    r = sqrt(a * a + b * b)
    scale = 1 / select(r > 0, r, r + 1)
    return select(r > 0, a * scale, r + 1), b * scale


@func
def svd2(A, dt, eps):
    """Singular value decomposition by one rotation of one-sided Jacobi (Hestenes 1958), which makes the columns of A V orthogonal; they are
    U S. S is descending and non-negative, and det V = 1."""
    size = _scale(A)
    B = A / size
    b, c = B[:, 0], B[:, 1]
    tangent, sine, half = _rotation(b.dot(b), c.dot(c), b.dot(c), dt)
    x, y = _turn(b, c, sine, half)
    v, w = _turn(Vector([dt(1.0), dt(0.0)]), Vector([dt(0.0), dt(1.0)]), sine, half)
    swap = y.dot(y) > x.dot(x)
    x, y = select(swap, y, x), select(swap, -x, y)
    v, w = select(swap, w, v), select(swap, -v, w)
    u0, u1 = _givens(x[0], x[1])
    turned = u0 * y[1] - u1 * y[0]
    sign = select(turned >= 0, turned * 0 + 1, turned * 0 - 1)
    U = Matrix([[u0, -u1 * sign], [u1, u0 * sign]])
    S = Matrix([[x.norm() * size, turned * 0], [turned * 0, abs(turned) * size]])
    return U, S, Matrix.cols([v, w])


@func
def svd3(A, dt, eps):
    """Singular value decomposition: V by one-sided Jacobi (Hestenes 1958) with columns sorted by length, then U and S by Givens rotations,
    so that U and V are rotations and the smallest singular value has the sign of det A (McAdams et al., Computing the Singular Value
    Decomposition of 3x3 matrices, 2011)."""
    size = _scale(A)
    B = A / size
    V = Matrix.identity(dt, 3)
    loop_config(serialize=True)
    for sweep in range(12):
        most = dt(0.0)
        for p, q in static(_pairs(3)):
            b, c = B[:, p], B[:, q]
            bb, cc, bc = b.dot(b), c.dot(c), b.dot(c)
            left = select(bc * bc > bb * cc * (eps * eps), bc, dt(0.0))
            most = max(most, abs(left))
            tangent, sine, half = _rotation(bb, cc, left, dt)
            B[:, p], B[:, q] = _turn(b, c, sine, half)
            V[:, p], V[:, q] = _turn(V[:, p], V[:, q], sine, half)
        if most == 0:
            break
    for p, q in static(_pairs(3)):
        b, c, v, w = B[:, p], B[:, q], V[:, p], V[:, q]
        swap = c.dot(c) > b.dot(b)
        B[:, p] = select(swap, c, b)
        B[:, q] = select(swap, -b, c)
        V[:, p] = select(swap, w, v)
        V[:, q] = select(swap, -v, w)
    U = Matrix.identity(dt, 3)
    for p, q in static(_pairs(3)):
        cosine, sine = _givens(B[p, p], B[q, p])
        r, s = B[p, :], B[q, :]
        B[p, :] = r * cosine + s * sine
        B[q, :] = s * cosine - r * sine
        u, v = U[:, p], U[:, q]
        U[:, p] = u * cosine + v * sine
        U[:, q] = v * cosine - u * sine
    S = Matrix.zero(dt, 3, 3)
    for k in static(range(3)):
        S[k, k] = B[k, k] * size
    return U, S, V


@func
def sym_eig(A, dt, eps):
    """Cyclic Jacobi: Golub and Van Loan, Matrix Computations, 4th ed., 8.5.3. Reads the upper triangle. Eigenvalues are ascending. Entries
    below the rounding error count as 0: with equal eigenvalues they would rotate the eigenvectors arbitrarily."""
    size = _scale(A)
    D = A / size
    V = Matrix.identity(dt, D.n)
    loop_config(serialize=True)
    for sweep in range(12):
        most = dt(0.0)
        for p, q in static(_pairs(D.n)):
            c = select(abs(D[p, q]) > eps, D[p, q], dt(0.0))
            most = max(most, abs(c))
            tangent, sine, half = _rotation(D[p, p], D[q, q], c, dt)
            D[p, p] -= tangent * c
            D[q, q] += tangent * c
            D[p, q] = 0
            for k in static(range(D.n)):
                if static(k != p and k != q):
                    i, j = static(_upper(k, p)), static(_upper(k, q))
                    D[i], D[j] = _turn(D[i], D[j], sine, half)
                V[k, p], V[k, q] = _turn(V[k, p], V[k, q], sine, half)
        if most == 0:
            break
    L = Vector([D[k, k] for k in static(range(D.n))])
    for p, q in static(_pairs(D.n)):
        a, b, v, w = L[p], L[q], V[:, p], V[:, q]
        swap = b < a
        L[p] = select(swap, b, a)
        L[q] = select(swap, a, b)
        V[:, p] = select(swap, w, v)
        V[:, q] = select(swap, v, w)
    return L * size, V


@func
def eig2(A, dt, eps):
    """Eigenvalues of [[a, b], [c, d]] from its characteristic polynomial, (a + d) / 2 +- sqrt(h^2 + b c) with h = (a - d) / 2, as rows
    (real, imaginary). Eigenvectors are columns of (real, imaginary) pairs, from the row of A - l that has no cancellation."""
    size = _scale(A)
    B = A / size
    b, c, h, mean = B[0, 1], B[1, 0], (B[0, 0] - B[1, 1]) / 2, (B[0, 0] + B[1, 1]) / 2
    square = h * h + b * c
    root = sqrt(abs(square))
    real = square >= 0
    zero = square * 0
    re, im = select(real, root, zero), select(real, zero, root)
    L = Matrix([[mean + re, im], [mean - re, -im]]) * size
    far = re + abs(h)  # distance of each real eigenvalue from a or d, whichever is farther
    first = select(h >= 0, Vector([far, c]), Vector([b, far]))
    second = select(h >= 0, Vector([b, -far]), Vector([-far, c]))
    alone = select(abs(b) > abs(c), Vector([zero + 1, zero]), Vector([zero, zero + 1]))
    first = select(first.norm() > 0, first, select(b == c, Vector([zero + 1, zero]), alone))
    second = select(second.norm() > 0, second, select(b == c, Vector([zero, zero + 1]), alone))
    V = Matrix.zero(dt, 4, 2)
    for k, v in static(((0, first), (1, second))):
        w = select(real, Vector([v[0], zero, v[1], zero]), Vector([h, L[k, 1] / size, c, zero]))
        V[:, k] = w / w.norm()
    return L, V


@func
def polar2(A, dt, eps):
    """U is (A + cofactors of A) / length for det A >= 0, else (A - cofactors) / length; P = U^T A is symmetric positive semidefinite:
    Higham, Functions of Matrices, 2008, problem 8.2."""
    a, b, c, d = A[0, 0], A[0, 1], A[1, 0], A[1, 1]
    size = _scale(A)
    sign = select((a / size) * (d / size) >= (b / size) * (c / size), size / size, -size / size)
    x, y = _givens((a + d * sign) / size, (c - b * sign) / size)
    U = Matrix([[x, -y * sign], [y, x * sign]])
    P = U.transpose() @ A
    return U, (P + P.transpose()) / 2


@func
def polar3(A, dt, eps):
    """Polar decomposition from the singular value decomposition: U = U V^T, a rotation, and P = V S V^T."""
    U, S, V = svd3(A, dt, eps)
    return U @ V.transpose(), V @ S @ V.transpose()


@func
def make_spd(A, dt, eps):
    """The nearest positive semidefinite matrix in the Frobenius norm, with negative eigenvalues set to 0: Higham, Computing a nearest
    symmetric positive semidefinite matrix, 1988."""
    L, V = sym_eig(A, dt, eps)
    result = Matrix.zero(dt, V.n, V.n)
    for k in static(range(V.n)):
        v = V[:, k]
        result += (v * max(L[k], 0)).outer_product(v)
    return result


@func
def solve(A, b, dt):
    """Gaussian elimination with row pivoting: Golub and Van Loan, Matrix Computations, 4th ed., 3.4."""
    M = A
    x = b
    for p in static(range(M.n)):
        for q in static(range(p + 1, M.n)):
            swap = abs(M[q, p]) > abs(M[p, p])
            r, s, c, d = M[p, :], M[q, :], x[p], x[q]
            M[p, :] = select(swap, s, r)
            M[q, :] = select(swap, r, s)
            x[p] = select(swap, d, c)
            x[q] = select(swap, c, d)
        assert M[p, p] != 0, "Matrix is singular in linear solve."
        for q in static(range(p + 1, M.n)):
            factor = M[q, p] / M[p, p]
            M[q, :] -= M[p, :] * factor
            x[q] -= x[p] * factor
    for i in static(range(M.n)):
        p = static(M.n - 1 - i)
        for q in static(range(p + 1, M.n)):
            x[p] -= M[p, q] * x[q]
        x[p] /= M[p, p]
    return x


@func
def inverse_gauss(A, dt):
    """Gauss-Jordan elimination with row pivoting, in loops: Press et al., Numerical Recipes, 3rd ed., 2.1."""
    M = A
    R = Matrix.identity(dt, M.n)
    loop_config(serialize=True)
    for c in range(M.n):
        best = c
        for i in range(c + 1, M.n):
            if abs(M[i, c]) > abs(M[best, c]):
                best = i
        for j in range(M.n):
            x, y = M[c, j], R[c, j]
            M[c, j] = M[best, j]
            R[c, j] = R[best, j]
            M[best, j] = x
            R[best, j] = y
        scale = 1 / M[c, c]
        for j in range(M.n):
            M[c, j] *= scale
            R[c, j] *= scale
        for i in range(M.n):
            factor = M[i, c]
            if i != c:
                for j in range(M.n):
                    M[i, j] -= factor * M[c, j]
                    R[i, j] -= factor * R[c, j]
    return R
