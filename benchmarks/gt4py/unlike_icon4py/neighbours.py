"""Neighbors, sparse fields, skip values, concat_where domains."""
from common import *
CxC2EInt = gtx.Field[gtx.Dims[C, C2EDim], int32]
CxC2EBool = gtx.Field[gtx.Dims[C, C2EDim], bool]
VxV2EInt = gtx.Field[gtx.Dims[V, V2EDim], int32]
VxV2ESingle = gtx.Field[gtx.Dims[V, V2EDim], float32]
CxC2ExK = gtx.Field[gtx.Dims[C, C2EDim, K], float64]

@gtx.field_operator
def _sparse_choice(vn: EK, w: CxC2E, m: CxC2EBool, sgn: CxC2EInt, lim: float) -> tuple[CK, CK, CKInt, CK]:
    term = where(m, vn(C2E) * w, lim)
    a = neighbor_sum(term * astype(sgn, float64), axis=C2EDim)
    b = max_over(where(w > 0.0, vn(C2E), -1.0 * w), axis=C2EDim)
    n = neighbor_sum(where(vn(C2E) > lim, sgn, int32(0)), axis=C2EDim)
    c = w[C2EDim(0)] * vn(C2E[0]) - w[C2EDim(2)] * vn(C2E[2]) + min_over(term, axis=C2EDim)
    return a, b, n, c

@gtx.program
def sparse_choice(vn: EK, w: CxC2E, m: CxC2EBool, sgn: CxC2EInt, lim: float, a: CK, b: CK, n: CKInt, c: CK, hs: int32, he: int32, nlev: int32):
    _sparse_choice(vn, w, m, sgn, lim, out=(a, b, n, c), domain={C: (hs, he), K: (0, nlev)})

@case
def d_sparse_choice(g):
    return P(sparse_choice, dict(vn=g(E, K), w=g(C, C2EDim), m=g(C, C2EDim, dtype=bool), sgn=g(C, C2EDim, dtype=np.int32, low=-1, high=1), lim=0.1,
      a=g(C, K), b=g(C, K), n=g(C, K, dtype=np.int32, high=9), c=g(C, K), hs=2, he=g.size[C] - 1, nlev=g.nk))

# skip values everywhere, int / single
@gtx.field_operator
def _skips(p: CK, n: CKInt, s: EKSingle, wn: VxV2EInt, ws: VxV2ESingle) -> tuple[VK, VKInt, VKSingle, VKInt]:
    a = max_over(p(V2C), axis=V2CDim) - min_over(p(V2C), axis=V2CDim)
    b = neighbor_sum(n(V2C), axis=V2CDim) * max_over(n(V2C), axis=V2CDim)
    c = neighbor_sum(s(V2E) * ws, axis=V2EDim) + min_over(s(V2E), axis=V2EDim)
    d = neighbor_sum(where(s(V2E) > float32(0.0), wn, -wn), axis=V2EDim)
    return a, b, c, d

@gtx.program
def skips(p: CK, n: CKInt, s: EKSingle, wn: VxV2EInt, ws: VxV2ESingle, a: VK, b: VKInt, c: VKSingle, d: VKInt, nv: int32, vs: int32, ve: int32):
    _skips(p, n, s, wn, ws, out=(a, b, c, d), domain={V: (0, nv), K: (vs, ve)})

@case
def d_skips(g):
    g.missing("V2C", "V2E")
    return P(skips, dict(p=g(C, K), n=g(C, K, dtype=np.int32, low=-9, high=9), s=g(E, K, dtype=np.float32), wn=g(V, V2EDim, dtype=np.int32, low=-5, high=5),
      ws=g(V, V2EDim, dtype=np.float32), a=g(V, K), b=g(V, K, dtype=np.int32, high=9), c=g(V, K, dtype=np.float32), d=g(V, K, dtype=np.int32, high=9), nv=g.size[V], vs=1, ve=g.nk - 1), bound=1e-5)

# FFSL / miura like: E2C then C2E, upwind with gradients from C2E2CO, limiter over C2E2C with skip
@gtx.field_operator
def _grads(p: CK, gx: CxC2E2CO, gy: CxC2E2CO) -> tuple[CK, CK]:
    return neighbor_sum(gx * p(C2E2CO), axis=C2E2CODim), neighbor_sum(gy * p(C2E2CO), axis=C2E2CODim)

@gtx.field_operator
def _miura(p: CK, vn: EK, dx: EK, dy: EK, gx: CxC2E2CO, gy: CxC2E2CO, geofac: CxC2E, rho: CK, dt: float, lim: bool) -> tuple[CK, EK]:
    px, py = _grads(p, gx, gy)
    f = vn * where(vn > 0.0, p(E2C[0]) + dx * px(E2C[0]) + dy * py(E2C[0]), p(E2C[1]) + dx * px(E2C[1]) + dy * py(E2C[1]))
    if lim:
        pmin = minimum(p, min_over(p(C2E2C), axis=C2E2CDim))
        out = neighbor_sum(maximum(0.0, f(C2E) * geofac), axis=C2EDim) * dt
        r = minimum(1.0, (p * rho - pmin) / (out + 1.0e-10))
        fl = f * where(f > 0.0, r(E2C[0]), r(E2C[1]))
    else:
        fl = f
    return (p * rho - dt * neighbor_sum(fl(C2E) * geofac, axis=C2EDim)) / rho, fl

@gtx.program
def miura(p: CK, vn: EK, dx: EK, dy: EK, gx: CxC2E2CO, gy: CxC2E2CO, geofac: CxC2E, rho: CK, dt: float, lim: bool, pn: CK, fl: EK, cs: int32, ce: int32, es: int32, ee: int32, nlev: int32):
    _miura(p, vn, dx, dy, gx, gy, geofac, rho, dt, lim, out=(pn, fl), domain=({C: (cs, ce), K: (0, nlev)}, {E: (es, ee), K: (0, nlev)}))

def miura_args(g, lim):
    return dict(p=g(C, K), vn=g(E, K), dx=g(E, K), dy=g(E, K), gx=g(C, C2E2CODim), gy=g(C, C2E2CODim), geofac=g(C, C2EDim), rho=g(C, K, low=0.5), dt=0.1, lim=lim,
     pn=g(C, K), fl=g(E, K), cs=0, ce=g.size[C], es=0, ee=g.size[E], nlev=g.nk)
@case
def d_miura_lim(g): return P(miura, miura_args(g, True), embedded=False)
@case
def d_miura_nolim(g): return P(miura, miura_args(g, False), embedded=False)
@case
def d_miura_static(g): return P(miura, miura_args(g, True), embedded=False, static=("lim", "nlev"))
@case
def d_miura_tiny(g): return P(miura, miura_args(g, True), embedded=False)
d_miura_tiny.grid = dict(n=1, nk=1)
@case
def d_miura_skip(g):
    g.missing("C2E2C")
    return P(miura, miura_args(g, True), embedded=False)

# nested concat_where horizontally & vertically with computed bounds
@gtx.field_operator
def _zones(p: EK, q: EK, w: CK, nb: int32, ni: int32, ne: int32, nlev: int32, nrd: int32) -> EK:
    inner = concat_where(K < nlev - nrd, p + q, concat_where(K < nlev - 1, p - 0.5 * q, 2.0 * q))
    lat = concat_where((E >= nb) & (E < ni), w(E2C[0]) - w(E2C[1]), inner)
    bord = concat_where(E < nb - 1, 0.5 * (p + p), lat)
    return concat_where((E >= ne - 2) | (E < 2), -q, bord)

@gtx.field_operator
def _zsum(p: EK, q: EK, w: CK, geofac: CxC2E, nb: int32, ni: int32, ne: int32, nlev: int32, nrd: int32) -> tuple[CK, CK]:
    z = _zones(p, q, w, nb, ni, ne, nlev, nrd)
    d = neighbor_sum(z(C2E) * geofac, axis=C2EDim)
    dd = concat_where(K > 0, d - d(K - 1), d)
    return d, dd * w

@gtx.program
def zones(p: EK, q: EK, w: CK, geofac: CxC2E, nb: int32, ni: int32, ne: int32, nlev: int32, nrd: int32, o1: CK, o2: CK, cs: int32, ce: int32):
    _zsum(p, q, w, geofac, nb, ni, ne, nlev, nrd, out=(o1, o2), domain={C: (cs, ce), K: (0, nlev)})

@case
def d_zones(g):
    return P(zones, dict(p=g(E, K), q=g(E, K), w=g(C, K), geofac=g(C, C2EDim), nb=20, ni=60, ne=g.size[E], nlev=g.nk, nrd=4, o1=g(C, K), o2=g(C, K), cs=0, ce=g.size[C]))

@case
def d_zones_empty_parts(g):
    return P(zones, dict(p=g(E, K), q=g(E, K), w=g(C, K), geofac=g(C, C2EDim), nb=0, ni=0, ne=g.size[E], nlev=g.nk, nrd=0, o1=g(C, K), o2=g(C, K), cs=3, ce=3))

@case
def d_zones_unusual(g):   # all levels in the damping layer; inner zone covers everything
    return P(zones, dict(p=g(E, K), q=g(E, K), w=g(C, K), geofac=g(C, C2EDim), nb=1, ni=g.size[E], ne=g.size[E], nlev=g.nk, nrd=g.nk + 3, o1=g(C, K), o2=g(C, K), cs=5, ce=g.size[C]))

# rbf: V2E, C2E2C2E-like, E2C2V with tuple results, then shear & smagorinsky
@gtx.field_operator
def _smag(vn: EK, rx: VxV2E, ry: VxV2E, n1: ExE2C2V, n2: ExE2C2V, inv: EField, fac: KField, smag_limit: KField, off: float, ddt: bool) -> tuple[EK, EK, EK]:
    u, v = neighbor_sum(vn(V2E) * rx, axis=V2EDim), neighbor_sum(vn(V2E) * ry, axis=V2EDim)
    loc = u(E2C2V) * n1 + v(E2C2V) * n2
    tot = neighbor_sum(loc, axis=E2C2VDim)
    a = u(E2C2V[0]) * n1[E2C2VDim(0)] + v(E2C2V[0]) * n2[E2C2VDim(0)]
    b = u(E2C2V[1]) * n1[E2C2VDim(1)] + v(E2C2V[1]) * n2[E2C2VDim(1)]
    dvt = u(E2C2V[3]) * n2[E2C2VDim(3)] - u(E2C2V[2]) * n2[E2C2VDim(2)]
    sh1, sh2 = (b - a) * inv + dvt, (a + b - 2.0 * vn) * inv
    kh = sqrt(sh1 * sh1 + sh2 * sh2) * fac
    kh = maximum(0.0, kh - off) if ddt else kh
    return minimum(kh, smag_limit), tot, 4.0 * (a + b - 2.0 * vn) * inv * inv

@gtx.program
def smag(vn: EK, rx: VxV2E, ry: VxV2E, n1: ExE2C2V, n2: ExE2C2V, inv: EField, fac: KField, smag_limit: KField, off: float, ddt: bool, kh: EK, t: EK, n: EK, es: int32, ee: int32, vs: int32, ve: int32):
    _smag(vn, rx, ry, n1, n2, inv, fac, smag_limit, off, ddt, out=(kh, t, n), domain={E: (es, ee), K: (vs, ve)})

@case
def d_smag(g):
    return P(smag, dict(vn=g(E, K), rx=g(V, V2EDim), ry=g(V, V2EDim), n1=g(E, E2C2VDim), n2=g(E, E2C2VDim), inv=g(E, low=0.5), fac=g(K, low=0.1), smag_limit=g(K, low=0.1), off=0.05, ddt=True,
      kh=g(E, K), t=g(E, K), n=g(E, K), es=4, ee=g.size[E], vs=0, ve=g.nk))

@case
def d_smag_skip(g):
    g.missing("V2E")
    return P(smag, dict(vn=g(E, K), rx=g(V, V2EDim), ry=g(V, V2EDim), n1=g(E, E2C2VDim), n2=g(E, E2C2VDim), inv=g(E, low=0.5), fac=g(K, low=0.1), smag_limit=g(K, low=0.1), off=0.05, ddt=False,
      kh=g(E, K), t=g(E, K), n=g(E, K), es=4, ee=g.size[E], vs=0, ve=g.nk))

# chained neighbor tables, reductions of reductions w/ vertical weights and level shifts
@gtx.field_operator
def _chain(p: CK, w: CxC2ExK, mask: EBool, lim: CInt, lev: KInt) -> tuple[CK, CK]:
    e = where(mask, p(E2C[0]) * p(E2C[1]), 0.5 * (p(E2C[0]) + p(E2C[1])))
    c = neighbor_sum(e(C2E) * w, axis=C2EDim)
    near = e(C2E[1])(E2C[0])(C2E[2])
    active = where(broadcast(lev, (C, K)) >= broadcast(lim, (C, K)), c, near)
    d = max_over(active(C2E2C), axis=C2E2CDim) - active
    return d, c(K + 1) - near(K - 1)

@gtx.program
def chain(p: CK, w: CxC2ExK, mask: EBool, lim: CInt, lev: KInt, o1: CK, o2: CK, ce: int32, vs: int32, ve: int32):
    _chain(p, w, mask, lim, lev, out=(o1, o2), domain={C: (0, ce), K: (vs, ve)})

@case
def d_chain(g):
    return P(chain, dict(p=g(C, K), w=g(C, C2EDim, K), mask=g(E, dtype=bool), lim=g(C, dtype=np.int32, low=0, high=9), lev=lev(g), o1=g(C, K), o2=g(C, K), ce=g.size[C], vs=1, ve=g.nk - 1))

# moving horizontally with a boolean result and int index arithmetic
@gtx.field_operator
def _counts(p: CK, q: EK, kind: CInt) -> tuple[CKBool, CKInt, EK]:
    hot = p > 0.5
    n = neighbor_sum(where(hot(C2E2C), int32(1), int32(0)), axis=C2E2CDim)
    up = where(n % int32(2) == int32(0), kind // int32(2), n * kind)
    cell = (n > int32(1)) & hot | (up < int32(0))
    e = where(cell(E2C[0]) & ~cell(E2C[1]), q, where(cell(E2C[0]) ^ cell(E2C[1]), -q, 0.0))
    return cell, up, e

@gtx.program
def counts(p: CK, q: EK, kind: CInt, a: CKBool, n: CKInt, e: EK, nc: int32, ne: int32, nlev: int32):
    _counts(p, q, kind, out=(a, n, e), domain=({C: (0, nc), K: (0, nlev)}, {C: (2, nc), K: (1, nlev)}, {E: (3, ne), K: (0, nlev)}))

@case
def d_counts(g):
    g.missing("C2E2C")
    return P(counts, dict(p=g(C, K), q=g(E, K), kind=g(C, dtype=np.int32, low=0, high=9), a=g(C, K, dtype=bool), n=g(C, K, dtype=np.int32, high=9), e=g(E, K), nc=g.size[C], ne=g.size[E], nlev=g.nk))

# no vertical dimension at all, 0-d scalar fields, K-only results, tuples
Zero = gtx.Field[gtx.Dims[()], float64]
@gtx.field_operator
def _nok(a: CField, b: EField, wk: KField, s: Zero, geofac: CxC2E, nlev: int32) -> tuple[CField, KField, CK]:
    d = neighbor_sum(b(C2E) * geofac, axis=C2EDim) * s + a
    prof = concat_where(K < nlev - 1, wk(K + 1) - wk, wk * s)
    prof2 = concat_where(K > 0, prof - prof(K - 1), prof)
    return d - a, prof2, d * prof2 + broadcast(s, (C, K))

@gtx.program
def nok(a: CField, b: EField, wk: KField, s: Zero, geofac: CxC2E, nlev: int32, d: CField, pr: KField, o: CK, nc: int32):
    _nok(a, b, wk, s, geofac, nlev, out=(d, pr, o), domain=({C: (0, nc)}, {K: (0, nlev)}, {C: (0, nc), K: (0, nlev)}))

@case
def d_nok(g):
    return P(nok, dict(a=g(C), b=g(E), wk=g(K), s=Array((), np.array(1.5)), geofac=g(C, C2EDim), nlev=g.nk, d=g(C), pr=g(K), o=g(C, K), nc=g.size[C]))
