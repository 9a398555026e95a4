"""More combos: flags x regions x in-place x scans; ifs with fields in place; many typical branches."""
from common import *

# flags select between several operators writing into the same output region; in/out
@gtx.field_operator
def _flags(p: CK, q: CK, vn: EK, geofac: CxC2E, wgt: CxC2E2CO, area: CField, limited: bool, order: int32, extra: bool, k0: int32, k1: int32, c0: int32) -> tuple[CK, CK]:
    if order == 2:
        s = neighbor_sum(p(C2E2CO) * wgt, axis=C2E2CODim)
        l = neighbor_sum(s(C2E2CO) * wgt, axis=C2E2CODim)
    elif order == 1:
        l = neighbor_sum(p(C2E2CO) * wgt, axis=C2E2CODim)
    else:
        l = 0.0 * p
    d = neighbor_sum(vn(C2E) * geofac, axis=C2EDim) if extra else broadcast(0.0, (C, K))
    inner = concat_where((K >= k0) & (K < k1), p - area * l + d, p + d)
    if limited:
        lo = min_over(p(C2E2C), axis=C2E2CDim)
        hi = max_over(p(C2E2C), axis=C2E2CDim)
        inner2 = maximum(minimum(inner, hi), lo)
    else:
        inner2 = inner
    r = concat_where(C < c0, p, inner2)
    return r, r * q - d
@gtx.program
def flags(p: CK, q: CK, vn: EK, geofac: CxC2E, wgt: CxC2E2CO, area: CField, limited: bool, order: int32, extra: bool, k0: int32, k1: int32, c0: int32, o1: CK, o2: CK, cs: int32, ce: int32, nlev: int32):
    _flags(p, q, vn, geofac, wgt, area, limited, order, extra, k0, k1, c0, out=(o1, o2), domain={C: (cs, ce), K: (0, nlev)})
    _flags(o1, q, vn, geofac, wgt, area, limited, order, extra, k0 + 1, k1, c0, out=(p, o2), domain={C: (cs, ce), K: (1, nlev)})
def fargs(g, **o):
    a = dict(p=g(C, K), q=g(C, K), vn=g(E, K), geofac=g(C, C2EDim), wgt=g(C, C2E2CODim), area=g(C), limited=True, order=np.int32(2), extra=True, k0=2, k1=7, c0=12, o1=g(C, K), o2=g(C, K), cs=0, ce=g.size[C], nlev=g.nk); a.update(o); return a
@case
def h_flags_1(g): return P(flags, fargs(g), embedded=False)
@case
def h_flags_2(g): return P(flags, fargs(g, limited=False, order=np.int32(0), extra=False), embedded=False)
@case
def h_flags_3(g):
    g.missing("C2E2C", "C2E2CO")
    return P(flags, fargs(g, limited=True, order=np.int32(1), extra=False, k0=0, k1=g.nk, c0=0), embedded=False)
@case
def h_flags_static(g): return P(flags, fargs(g, extra=False), embedded=False, static=("limited", "order", "extra", "k0", "k1"))

# scan with neighbor-based inputs, chosen by flag; outputs partially unused
@gtx.scan_operator(axis=K, forward=True, init=(0.0, 1.0, int32(0), False))
def _wet(c: tuple[float, float, int32, bool], q: float, lim: float, evap: float, k: int32, base: int32) -> tuple[float, float, int32, bool]:
    acc, fac, n, on = c
    if k >= base:
        if q > lim:
            acc = acc + q * fac
            on = True
        elif on:
            acc = maximum(0.0, acc - evap)
            n = n + int32(1)
        else:
            fac = fac * 0.99
    else:
        acc = 0.0
    return acc, fac, n, on
@gtx.field_operator
def _wetfo(q: CK, ve: EK, geofac: CxC2E, lim: CField, evap: KField, lev: KInt, base: CInt, smooth: bool, nlev: int32) -> tuple[CK, CKInt]:
    qs = neighbor_sum(ve(C2E) * geofac, axis=C2EDim) + q if smooth else q
    acc, fac, n, on = _wet(qs, lim, evap, lev, base)
    flux = where(on, acc, 0.5 * acc)
    net = concat_where(K > 0, flux - flux(K - 1), flux)
    return net, n
@gtx.program
def wet(q: CK, ve: EK, geofac: CxC2E, lim: CField, evap: KField, lev: KInt, base: CInt, smooth: bool, net: CK, n: CKInt, nc: int32, nlev: int32):
    _wetfo(q, ve, geofac, lim, evap, lev, base, smooth, nlev, out=(net, n), domain={C: (0, nc), K: (0, nlev)})
def wargs(g, **o):
    a = dict(q=g(C, K), ve=g(E, K), geofac=g(C, C2EDim), lim=g(C), evap=g(K, low=0), lev=lev(g), base=g(C, dtype=np.int32, low=0, high=4), smooth=True, net=g(C, K), n=g(C, K, dtype=np.int32, high=9), nc=g.size[C], nlev=g.nk); a.update(o); return a
@case
def h_wet(g): return P(wet, wargs(g), embedded=False)
@case
def h_wet_nosmooth(g): return P(wet, wargs(g, smooth=False), embedded=False)
@case
def h_wet_nk1(g): return P(wet, wargs(g, nlev=1, nc=5), embedded=False)

# in-place with K shifts between statements where it overlaps (write K part, read shifted later)
@gtx.field_operator
def _up(a: CK, b: CK) -> CK:
    return a(K + 1) + b
@gtx.field_operator
def _dn(a: CK, b: CK) -> CK:
    return 0.5 * a(K - 1) - b
@gtx.field_operator
def _self(a: CK) -> CK:
    return 2.0 * a
@gtx.program
def shifts(a: CK, b: CK, c: CK, nc: int32, n1: int32, nlev: int32):
    _up(a, b, out=c, domain={C: (0, nc), K: (0, nlev - 1)})
    _dn(c, a, out=b, domain={C: (0, nc), K: (1, nlev)})
    _self(c, out=c, domain={C: (0, n1), K: (2, nlev - 2)})
    _up(b, c, out=a, domain={C: (n1, nc), K: (0, nlev - 1)})
    _dn(a, c, out=c, domain={C: (n1, nc), K: (1, nlev)})
    _self(a, out=a, domain={C: (0, nc), K: (0, 1)})
@case
def h_shifts(g): return P(shifts, dict(a=g(C, K), b=g(C, K), c=g(C, K), nc=g.size[C], n1=30, nlev=g.nk))
@case
def h_shifts_all(g): return P(shifts, dict(a=g(C, K), b=g(C, K), c=g(C, K), nc=g.size[C], n1=0, nlev=4))

# neighbor table of K-weighted int mask & horizontally shifted bools & local fields built in place
@gtx.field_operator
def _local(p: VK, q: CK, w1: ExE2C2V, w2: ExE2C, m: EBool, k: KInt, kk: EInt) -> tuple[EK, VK]:
    t = p(E2C2V) * w1
    s = where(broadcast(m, (E, K)), neighbor_sum(t * p(E2C2V), axis=E2C2VDim), max_over(t, axis=E2C2VDim))
    u = neighbor_sum(q(E2C) * w2, axis=E2CDim)
    r = where(broadcast(k, (E, K)) < broadcast(kk, (E, K)), s, u - s)
    return r, neighbor_sum(r(V2E) * r(V2E), axis=V2EDim) + max_over(q(V2C), axis=V2CDim)
@gtx.program
def local(p: VK, q: CK, w1: ExE2C2V, w2: ExE2C, m: EBool, k: KInt, kk: EInt, o1: EK, o2: VK, ne: int32, nv: int32, k0: int32, nlev: int32):
    _local(p, q, w1, w2, m, k, kk, out=(o1, o2), domain=({E: (0, ne), K: (k0, nlev)}, {V: (1, nv), K: (k0, nlev)}))
def largs(g, **o):
    a = dict(p=g(V, K), q=g(C, K), w1=g(E, E2C2VDim), w2=g(E, E2CDim), m=g(E, dtype=bool), k=lev(g), kk=g(E, dtype=np.int32, low=0, high=9), o1=g(E, K), o2=g(V, K), ne=g.size[E], nv=g.size[V], k0=1, nlev=g.nk); a.update(o); return a
@case
def h_local(g): return P(local, largs(g), embedded=False)
@case
def h_local_skip(g):
    g.missing("V2E", "V2C", "E2C2V", "E2C")
    return P(local, largs(g), embedded=False)
@case
def h_local_pre(g): return P(local, largs(g, k0=4, nlev=5), embedded=False)

# advection on structured grid in three directions with flags; temporaries shifted all ways; periodic with concat_where
@gtx.field_operator
def _per(p: IJK, ni: int32) -> IJK:
    return concat_where(I > 0, p(I - 1), p(I + 2)) - concat_where(I < ni - 1, p(I + 1), p(I - 2))
@gtx.field_operator
def _adv3(p: IJK, u: IJK, v: IJK, w: IJK, n: IJInt, ni: int32, nj: int32, nk: int32, up: bool) -> tuple[IJK, IJK]:
    gx = _per(p, ni)
    gy = concat_where((J > 0) & (J < nj - 1), p(J + 1) - p(J - 1), 0.0 * p)
    gz = concat_where(K > 0, concat_where(K < nk - 1, 0.5 * (p(K + 1) - p(K - 1)), p - p(K - 1)), p(K + 1) - p)
    t = u * gx + v * gy + w * gz
    if up:
        m = where(broadcast(n, (I, J, K)) % int32(2) == int32(0), t, -t)
    else:
        m = _per(t, ni)
    return m, concat_where(K < nk - 1, m(K + 1) * t, m)
@gtx.program
def adv3(p: IJK, u: IJK, v: IJK, w: IJK, n: IJInt, o1: IJK, o2: IJK, ni: int32, nj: int32, nk: int32, up: bool):
    _adv3(p, u, v, w, n, ni, nj, nk, up, out=(o1, o2), domain={I: (0, ni), J: (0, nj), K: (0, nk)})
def a3(g, **o):
    a = dict(p=g(I, J, K), u=g(I, J, K), v=g(I, J, K), w=g(I, J, K), n=g(I, J, dtype=np.int32, low=0, high=9), o1=g(I, J, K), o2=g(I, J, K), ni=g.size[I], nj=g.size[J], nk=g.nk, up=True); a.update(o); return a
@case
def h_adv3(g): return P(adv3, a3(g), embedded=False)
@case
def h_adv3_b(g): return P(adv3, a3(g, up=False), embedded=False)
