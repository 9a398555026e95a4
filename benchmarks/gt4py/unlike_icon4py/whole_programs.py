"""Program-level: several calls, parts of outputs, in place, origins, structured."""
from common import *
IJKSingle = gtx.Field[gtx.Dims[I, J, K], float32]
JK = gtx.Field[gtx.Dims[J, K], float64]
IK = gtx.Field[gtx.Dims[I, K], float64]

@gtx.field_operator
def _interp(w: CK, p: CK) -> CK:
    return w * p + (1.0 - w) * p(K - 1)
@gtx.field_operator
def _top(p: CK, a: CField) -> CK:
    return a * p + 0.5 * p(K + 1) - 0.1 * p(K + 2)
@gtx.field_operator
def _bot(p: CK, a: CField) -> CK:
    return p(K - 1) * a - 0.3 * p(K - 2)
@gtx.field_operator
def _ddz(h: CK, dz: CK) -> CK:
    return (h - h(K + 1)) * dz

@gtx.program
def halflev(w: CK, p: CK, a: CField, h: CK, dz: CK, d: CK, cs: int32, ce: int32, nlev: int32, nlevp1: int32):
    _interp(w, p, out=h, domain={C: (cs, ce), K: (1, nlev)})
    _top(p, a, out=h, domain={C: (cs, ce), K: (0, 1)})
    _bot(p, a, out=h, domain={C: (cs, ce), K: (nlev, nlevp1)})
    _ddz(h, dz, out=d, domain={C: (cs, ce), K: (0, nlev)})
    _ddz(d, dz, out=p, domain={C: (cs, ce), K: (0, nlev - 1)})

def half_args(g, **o):
    a = dict(w=g(C, K, more={K: 1}), p=g(C, K), a=g(C), h=g(C, K, more={K: 1}), dz=g(C, K), d=g(C, K), cs=2, ce=g.size[C], nlev=g.nk, nlevp1=g.nk + 1)
    a.update(o); return a
@case
def f_halflev(g): return P(halflev, half_args(g))
@case
def f_halflev_static(g): return P(halflev, half_args(g), static=("nlev", "nlevp1"))

# sub-stepping: same field in/out many times, with pointwise and neighbor alternation
@gtx.field_operator
def _gradp(p: CK, vn: EK, dt: float, inv: EField) -> EK:
    return vn - dt * (p(E2C[1]) - p(E2C[0])) * inv
@gtx.field_operator
def _contp(p: CK, vn: EK, dt: float, geofac: CxC2E, damp: KField) -> tuple[CK, CK]:
    d = neighbor_sum(vn(C2E) * geofac, axis=C2EDim)
    return p - dt * d, d * damp
@gtx.field_operator
def _add(acc: EK, vn: EK, r: float) -> EK:
    return acc + r * vn
@gtx.field_operator
def _zero() -> EK:
    return broadcast(0.0, (E, K))
@gtx.field_operator
def _scale(a: EK, r: float) -> EK:
    return a * r

@gtx.program
def substeps(p: CK, vn: EK, div: CK, traj: EK, inv: EField, geofac: CxC2E, damp: KField, dt: float, r: float, nc: int32, ne: int32, es: int32, nlev: int32):
    _zero(out=traj, domain={E: (0, ne), K: (0, nlev)})
    _gradp(p, vn, dt, inv, out=vn, domain={E: (es, ne), K: (0, nlev)})
    _contp(p, vn, dt, geofac, damp, out=(p, div), domain={C: (0, nc), K: (0, nlev)})
    _add(traj, vn, r, out=traj, domain={E: (0, ne), K: (0, nlev)})
    _gradp(p, vn, dt, inv, out=vn, domain={E: (es, ne), K: (0, nlev)})
    _contp(p, vn, dt, geofac, damp, out=(p, div), domain={C: (0, nc), K: (0, nlev)})
    _add(traj, vn, r, out=traj, domain={E: (0, ne), K: (0, nlev)})
    _scale(traj, r, out=traj, domain={E: (es, ne), K: (1, nlev)})
@case
def f_substeps(g): return P(substeps, dict(p=g(C, K), vn=g(E, K), div=g(C, K), traj=g(E, K), inv=g(E), geofac=g(C, C2EDim), damp=g(K), dt=0.1, r=0.5, nc=g.size[C], ne=g.size[E], es=9, nlev=g.nk))

# structured: horizontal diffusion with vertical coupling, negative origins, K shifts in several directions
@gtx.field_operator
def _lap3(p: IJK) -> IJK:
    return p(I + 1) + p(I - 1) + p(J + 1) + p(J - 1) + 0.5 * (p(K + 1) + p(K - 1)) - 5.0 * p
@gtx.field_operator
def _hdv(p: IJK, c: IJ, kf: KField, m: IJKBool, lo: int32, hi: int32) -> tuple[IJK, IJK]:
    l = _lap3(p)
    fi = l(I + 1) - l
    fi = where(fi * (p(I + 1) - p) > 0.0, 0.0, fi)
    fj = l(J + 1) - l
    fj = where(m, fj, 0.5 * fj(I - 1))
    r = p - c * kf * (fi - fi(I - 1) + fj - fj(J - 1))
    r2 = concat_where((J >= lo) & (J < hi), r, p)
    return r2, where(m, l, l(K - 1))
@gtx.program
def hdv(p: IJK, c: IJ, kf: KField, m: IJKBool, lo: int32, hi: int32, o1: IJK, o2: IJK, i0: int32, i1: int32, j0: int32, j1: int32, k0: int32, k1: int32):
    _hdv(p, c, kf, m, lo, hi, out=(o1, o2), domain={I: (i0, i1), J: (j0, j1), K: (k0, k1)})
@case
def f_hdv(g): return P(hdv, dict(p=g(I, J, K, start=(-3, -4, -2)), c=g(I, J, start=(-3, -4)), kf=g(K, start=(-2,)), m=g(I, J, K, dtype=bool, start=(-3, -4, -2)), lo=-1, hi=2,
   o1=g(I, J, K, start=(-3, -4, -2)), o2=g(I, J, K, start=(-2, -4, -2)), i0=-1, i1=3, j0=-2, j1=2, k0=0, k1=g.nk - 4))
@case
def f_hdv_one(g): return P(hdv, dict(p=g(I, J, K, start=(-3, -4, -2)), c=g(I, J, start=(-3, -4)), kf=g(K, start=(-2,)), m=g(I, J, K, dtype=bool, start=(-3, -4, -2)), lo=-1, hi=2,
   o1=g(I, J, K, start=(-3, -4, -2)), o2=g(I, J, K, start=(-2, -4, -2)), i0=0, i1=1, j0=-2, j1=2, k0=0, k1=1))

# padded fields, transposed-ish: planes of different dims
@gtx.field_operator
def _planes(a: IJ, b: JK, c: IK, p: IJK, s: float32, t: float) -> tuple[IJK, IJ, IJKSingle]:
    q = broadcast(a, (I, J, K)) * broadcast(b, (I, J, K)) + broadcast(c, (I, J, K)) * p(K + 1)
    z = a(I + 1) - a(J - 1)
    return q(I + 1) - q(J - 1) * t, z * z, astype(q, float32) * s - astype(z, float32)
@gtx.program
def planes(a: IJ, b: JK, c: IK, p: IJK, s: float32, t: float, o1: IJK, o2: IJ, o3: IJKSingle, ni: int32, nj: int32, nk: int32):
    _planes(a, b, c, p, s, t, out=(o1, o2, o3), domain=({I: (0, ni), J: (1, nj), K: (0, nk)}, {I: (0, ni), J: (1, nj)}, {I: (0, ni), J: (1, nj), K: (0, nk)}))
@case
def f_planes(g): return P(planes, dict(a=g(I, J, padded=2), b=g(J, K, padded=1), c=g(I, K), p=g(I, J, K, padded=3), s=np.float32(0.5), t=1.5, o1=g(I, J, K, padded=1), o2=g(I, J, padded=4), o3=g(I, J, K, dtype=np.float32), ni=g.size[I] - 1, nj=g.size[J], nk=g.nk - 1), embedded=False, bound=1e-6)

# parts of one output from different operators + reading it back with horizontal neighbours, overlapping writes
@gtx.field_operator
def _upw(p: CK, vn: EK) -> EK:
    return where(vn > 0.0, p(E2C[0]), p(E2C[1])) * vn
@gtx.field_operator
def _cen(p: CK, vn: EK) -> EK:
    return 0.5 * (p(E2C[0]) + p(E2C[1])) * vn
@gtx.field_operator
def _bnd(b: EField) -> EK:
    return broadcast(b, (E, K))
@gtx.field_operator
def _divf(f: EK, geofac: CxC2E, p: CK) -> CK:
    return p - neighbor_sum(f(C2E) * geofac, axis=C2EDim)
@gtx.program
def parts(p: CK, vn: EK, b: EField, f: EK, geofac: CxC2E, q: CK, ne: int32, e1: int32, e2: int32, k1: int32, nlev: int32, cs: int32, nc: int32):
    _bnd(b, out=f, domain={E: (0, e1), K: (0, nlev)})
    _upw(p, vn, out=f, domain={E: (e1, ne), K: (0, k1)})
    _cen(p, vn, out=f, domain={E: (e1, ne), K: (k1, nlev)})
    _bnd(b, out=f, domain={E: (e1 + e2, ne), K: (k1 - 1, k1 + 2)})
    _divf(f, geofac, p, out=q, domain={C: (cs, nc), K: (0, nlev)})
    _divf(f, geofac, q, out=p, domain={C: (cs, nc), K: (1, nlev)})
@case
def f_parts(g): return P(parts, dict(p=g(C, K), vn=g(E, K), b=g(E), f=g(E, K), geofac=g(C, C2EDim), q=g(C, K), ne=g.size[E], e1=20, e2=40, k1=4, nlev=g.nk, cs=3, nc=g.size[C]))
@case
def f_parts_k0(g): return P(parts, dict(p=g(C, K), vn=g(E, K), b=g(E), f=g(E, K), geofac=g(C, C2EDim), q=g(C, K), ne=g.size[E], e1=0, e2=g.size[E], k1=1, nlev=3, cs=0, nc=g.size[C]))

# scans in a program with neighbour stencils before and after, multi outputs
@gtx.scan_operator(axis=K, forward=True, init=0.0)
def _sc(c: float, a: float) -> float:
    return 0.5 * c + a
@gtx.scan_operator(axis=K, forward=False, init=(0.0, True))
def _sc2(c: tuple[float, bool], a: float, b: float) -> tuple[float, bool]:
    return (c[0] + a if c[1] else a), a > b
@gtx.field_operator
def _scfo(p: CK, q: CK) -> tuple[CK, CKBool, CK]:
    s = _sc(p - q)
    a, b = _sc2(s, q)
    return a, b, s
@gtx.field_operator
def _after(a: CK, b: CKBool, s: CK, vn: EK) -> EK:
    return where(b(E2C[0]) & b(E2C[1]), a(E2C[0]) - a(E2C[1]), vn) + s(E2C[1])(K + 1)
@gtx.program
def scanprog(p: CK, q: CK, a: CK, b: CKBool, s: CK, vn: EK, geofac: CxC2E, nc: int32, ne: int32, k0: int32, nlev: int32):
    _divf(vn, geofac, p, out=p, domain={C: (0, nc), K: (0, nlev)})
    _scfo(p, q, out=(a, b, s), domain={C: (0, nc), K: (k0, nlev)})
    _after(a, b, s, vn, out=vn, domain={E: (0, ne), K: (k0, nlev - 1)})
    _divf(vn, geofac, s, out=q, domain={C: (0, nc), K: (0, nlev)})
@case
def f_scanprog(g): return P(scanprog, dict(p=g(C, K), q=g(C, K), a=g(C, K), b=g(C, K, dtype=bool), s=g(C, K), vn=g(E, K), geofac=g(C, C2EDim), nc=g.size[C], ne=g.size[E], k0=2, nlev=g.nk))
@case
def f_scanprog_tiny(g): return P(scanprog, dict(p=g(C, K), q=g(C, K), a=g(C, K), b=g(C, K, dtype=bool), s=g(C, K), vn=g(E, K), geofac=g(C, C2EDim), nc=g.size[C], ne=g.size[E], k0=1, nlev=2))
f_scanprog_tiny.grid = dict(n=1, nk=2)

# outputs with tuples, in place swaps
@gtx.field_operator
def _swap(a: CK, b: CK, f: float) -> tuple[CK, CK]:
    return b + f * a, a - f * b
@gtx.field_operator
def _rot(a: CK, b: CK, c: CK) -> tuple[CK, CK, CK]:
    return c, a, b(C2E2C[0])
@gtx.program
def swaps(a: CK, b: CK, c: CK, d: CK, f: float, cs: int32, nc: int32, nlev: int32):
    _swap(a, b, f, out=(b, a), domain={C: (cs, nc), K: (0, nlev)})
    _swap(a, b, f, out=(a, b), domain={C: (0, nc), K: (1, nlev)})
    _rot(a, b, c, out=(b, d, a), domain={C: (0, nc), K: (0, nlev - 1)})
@case
def f_swaps(g): return P(swaps, dict(a=g(C, K), b=g(C, K), c=g(C, K), d=g(C, K), f=0.3, cs=4, nc=g.size[C], nlev=g.nk))
