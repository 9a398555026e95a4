"""Scans and as_offset."""
from common import *

# --- 1 graupel-like: nested tuple carry, flux of several species, if statements inside
@gtx.scan_operator(axis=K, forward=True, init=((0.0, 0.0), (int32(0), (False, 1.0))))
def _graupel(carry: tuple[tuple[float, float], tuple[int32, tuple[bool, float]]], q: float, t: float, rho: float, zeta: float, kmin: int32, lev: int32
             ) -> tuple[tuple[float, float], tuple[int32, tuple[bool, float]]]:
    fl, rest = carry
    n, more = rest
    active, vc = more
    flux, qold = fl
    act = active | (q > 0.2)
    if act:
        rho_x = q * rho
        vt = vc * sqrt(abs(rho_x) + 0.01)
        if lev > kmin:
            fl_new = minimum(rho_x * vt + flux * 0.5, rho_x * zeta + 0.5 * qold)
            n = n + int32(1)
        else:
            fl_new = rho_x * vt
        qnew = (zeta * rho_x - fl_new) / (1.0 + zeta * vt)
    else:
        fl_new = 0.0
        qnew = q
    return (fl_new, qnew), (n, (act, 0.5 * (vc + t)))

@gtx.field_operator
def _graupel_fo(q: CK, t: CK, rho: CK, zeta: float, kmin: CInt, lev: gtx.Field[gtx.Dims[K], int32]) -> tuple[CK, CK, CKInt, CKBool]:
    fl, rest = _graupel(q, t, rho, zeta, kmin, lev)
    n, more = rest
    return fl[0] + fl[1] * more[1], fl[1], n, more[0]

@gtx.program
def graupel(q: CK, t: CK, rho: CK, zeta: float, kmin: CInt, lev: gtx.Field[gtx.Dims[K], int32], o1: CK, o2: CK, o3: CKInt, o4: CKBool,
      hs: int32, he: int32, vs: int32, ve: int32):
    _graupel_fo(q, t, rho, zeta, kmin, lev, out=(o1, o2, o3, o4), domain={C: (hs, he), K: (vs, ve)})

@case
def c_graupel(g):
    return P(graupel, dict(q=g(C, K), t=g(C, K, low=0.5), rho=g(C, K, low=0.1), zeta=0.3, kmin=g(C, dtype=np.int32, low=0, high=5),
        lev=Array((K,), np.arange(g.nk, dtype=np.int32)), o1=g(C, K), o2=g(C, K), o3=g(C, K, dtype=np.int32, high=9), o4=g(C, K, dtype=bool),
        hs=0, he=g.size[C], vs=0, ve=g.nk))

# --- 2 scan result used at shifted k with boundary levels
@gtx.scan_operator(axis=K, forward=True, init=0.0)
def _acc(c: float, a: float, b: float) -> float:
    return c * b + a

@gtx.scan_operator(axis=K, forward=False, init=(0.0, 0.0))
def _accup(c: tuple[float, float], a: float, b: float) -> tuple[float, float]:
    return c[0] + a * b, maximum(c[1], a)

@gtx.field_operator
def _shifted(a: CK, b: CK, nlev: int32) -> tuple[CK, CK]:
    s = _acc(a, b)
    u, m = _accup(a, b)
    below = concat_where(K < nlev - 1, s(K + 1), s)
    above = concat_where(K > 0, s(K - 1), 0.0)
    return 0.5 * (below - above) + m, concat_where(K > 0, u(K - 1) - u, u) * below

@gtx.program
def shifted(a: CK, b: CK, o1: CK, o2: CK, nc: int32, nlev: int32):
    _shifted(a, b, nlev, out=(o1, o2), domain={C: (0, nc), K: (0, nlev)})

@case
def c_scan_shifted(g):
    return P(shifted, dict(a=g(C, K), b=g(C, K), o1=g(C, K), o2=g(C, K), nc=g.size[C], nlev=g.nk))

# --- 3 scan of divergences, then gradient of it, then in a where
@gtx.field_operator
def _divscan(vn: EK, geofac: CxC2E, invdual: EField, w0: CField, nlev: int32) -> tuple[CK, EK]:
    div = neighbor_sum(vn(C2E) * geofac, axis=C2EDim)
    w = _acc(concat_where(K == 0, w0 + div, div), 0.9 + 0.0 * div)
    grad = (w(E2C[1]) - w(E2C[0])) * invdual
    return w, where(vn > 0.0, grad, concat_where(K < nlev - 2, grad(K + 1), 0.5 * grad))

@gtx.program
def divscan(vn: EK, geofac: CxC2E, invdual: EField, w0: CField, ow: CK, og: EK, nc: int32, ne: int32, nlev: int32):
    _divscan(vn, geofac, invdual, w0, nlev, out=(ow, og), domain=({C: (0, nc), K: (0, nlev)}, {E: (0, ne), K: (0, nlev)}))

@case
def c_divscan(g):
    return P(divscan, dict(vn=g(E, K), geofac=g(C, C2EDim), invdual=g(E), w0=g(C), ow=g(C, K), og=g(E, K), nc=g.size[C], ne=g.size[E], nlev=g.nk))

# --- 4 two scans chained with reversed directions, tuple, a K-only arg and horizontal-only bool
@gtx.scan_operator(axis=K, forward=True, init=(1.0, 0.0, True))
def _fwd(c: tuple[float, float, bool], a: float, f: float, m: bool) -> tuple[float, float, bool]:
    x, y, first = c
    r = a if first else a + f * y
    return (r * x + 1.0 if m else r - x), r, False

@gtx.scan_operator(axis=K, forward=False, init=(0.0, int32(-1)))
def _bwd(c: tuple[float, int32], x: float, y: float, lim: float, lev: int32) -> tuple[float, int32]:
    v = c[0] * 0.3 + x - y
    if v > lim:
        return v, lev
    return 0.5 * v, c[1]

@gtx.field_operator
def _twoscans(a: CK, prof: KField, mask: CBool, lim: float, lev: KInt) -> tuple[CK, CKInt]:
    x, y, first = _fwd(a, prof, mask)
    v, l = _bwd(x, y, lim, lev)
    return v + astype(l, float64), l

@gtx.program
def twoscans(a: CK, prof: KField, mask: CBool, lim: float, lev: KInt, o1: CK, o2: CKInt, nc: int32, nlev: int32):
    _twoscans(a, prof, mask, lim, lev, out=(o1, o2), domain={C: (0, nc), K: (0, nlev)})

@case
def c_twoscans(g):
    return P(twoscans, dict(a=g(C, K), prof=g(K), mask=g(C, dtype=bool), lim=0.2, lev=Array((K,), np.arange(g.nk, dtype=np.int32)), o1=g(C, K),
      o2=g(C, K, dtype=np.int32, high=9), nc=g.size[C], nlev=g.nk))

# --- 5 offset computed from a scan (level search), then read there
@gtx.scan_operator(axis=K, forward=True, init=(int32(0), False))
def _search(c: tuple[int32, bool], z: float, target: float) -> tuple[int32, bool]:
    n, found = c
    now = found | (z > target)
    return (n if now else n + int32(1)), now

@gtx.field_operator
def _search_fo(z: CK, target: CField) -> CKInt:
    n, f = _search(z, target)
    return n

@gtx.field_operator
def _offset(p: CK, q: CK, n: CKInt, lev: KInt) -> CK:
    off = minimum(n, lev) - lev
    there = p(as_offset(Koff, off))
    return there + q * (p - there)

@gtx.program
def level_search(z: CK, target: CField, p: CK, q: CK, lev: KInt, n: CKInt, out: CK, nc: int32, nlev: int32):
    _search_fo(z, target, out=n, domain={C: (0, nc), K: (0, nlev)})
    _offset(p, q, n, lev, out=out, domain={C: (0, nc), K: (0, nlev)})

@case
def c_level_search(g):
    return P(level_search, dict(z=g(C, K), target=g(C, low=0.3), p=g(C, K), q=g(C, K), lev=Array((K,), np.arange(g.nk, dtype=np.int32)),
      n=g(C, K, dtype=np.int32, high=9), out=g(C, K), nc=g.size[C], nlev=g.nk))

# --- 6 horizontal gradient of exner, multiple levels with sparse offsets (E, E2C, K)
ExE2CxKInt = gtx.Field[gtx.Dims[E, E2CDim, K], int32]
ExE2CxK = gtx.Field[gtx.Dims[E, E2CDim, K], float64]

@gtx.field_operator
def _hgrad(inv_dual: EField, exner: CK, ddz: CK, zdiff: ExE2CxK, koff: ExE2CxKInt, flat: EInt, lev: KInt, nflat: int32) -> EK:
    e0 = exner(E2C[0])(as_offset(Koff, koff[E2CDim(0)]))
    e1 = exner(E2C[1])(as_offset(Koff, koff[E2CDim(1)]))
    d0 = ddz(E2C[0])(as_offset(Koff, koff[E2CDim(0)]))
    d1 = ddz(E2C[1])(as_offset(Koff, koff[E2CDim(1)]))
    z1, z0 = zdiff[E2CDim(1)], zdiff[E2CDim(0)]
    multi = inv_dual * ((e1 + z1 * (d1 + z1 * e1)) - (e0 + z0 * (d0 + z0 * e0)))
    fl = inv_dual * (exner(E2C[1]) - exner(E2C[0]))
    return concat_where(K < nflat, fl, where(broadcast(lev, (E, K)) > broadcast(flat, (E, K)), multi, fl - d0))

@gtx.program
def hgrad(inv_dual: EField, exner: CK, ddz: CK, zdiff: ExE2CxK, koff: ExE2CxKInt, flat: EInt, lev: KInt, nflat: int32, out: EK, hs: int32, he: int32, vs: int32, ve: int32):
    _hgrad(inv_dual, exner, ddz, zdiff, koff, flat, lev, nflat, out=out, domain={E: (hs, he), K: (vs, ve)})

@case
def c_hgrad(g):
    koff = offsets(g, E, E2CDim, K)
    return P(hgrad, dict(inv_dual=g(E), exner=g(C, K), ddz=g(C, K), zdiff=g(E, E2CDim, K), koff=koff, flat=g(E, dtype=np.int32, low=0, high=9),
       lev=Array((K,), np.arange(g.nk, dtype=np.int32)), nflat=3, out=g(E, K), hs=4, he=g.size[E], vs=0, ve=g.nk))

# --- 7 as_offset twice in a row & computed from where
@gtx.field_operator
def _advect(p: CK, w: CK, lev: KInt, nlev: int32) -> CK:
    up = where(w > 0.0, int32(1), int32(-1))
    dest = maximum(int32(0), minimum(lev + up, nlev - int32(1))) - lev
    first = p(as_offset(Koff, dest)) * w
    wn = w(as_offset(Koff, dest))
    return first - wn

@gtx.program
def advect(p: CK, w: CK, lev: KInt, out: CK, nc: int32, nlev: int32):
    _advect(p, w, lev, nlev, out=out, domain={C: (0, nc), K: (0, nlev)})

@case
def c_advect_offset(g):
    return P(advect, dict(p=g(C, K), w=g(C, K), lev=Array((K,), np.arange(g.nk, dtype=np.int32)), out=g(C, K), nc=g.size[C], nlev=g.nk))

# --- 8 scan of part of a column, combined by concat_where with another scan, in place
@gtx.field_operator
def _part(w: CK, a: CK, top: int32, nlev: int32) -> CK:
    s = _acc(w, a)
    t, m = _accup(w * a, a)
    return concat_where(K < top, s, t + w - m)

@gtx.program
def scan_parts(w: CK, a: CK, top: int32, nlev: int32, hs: int32, he: int32):
    _part(w, a, top, nlev, out=w, domain={C: (hs, he), K: (0, nlev)})
    _part(a, w, top + 1, nlev, out=a, domain={C: (0, he), K: (0, nlev)})

@case
def c_scan_parts(g):
    return P(scan_parts, dict(w=g(C, K), a=g(C, K), top=4, nlev=g.nk, hs=3, he=g.size[C]), embedded=False)

# --- 9 int64 & float32 carries, with power and mod
@gtx.scan_operator(axis=K, forward=False, init=(int64(1), float32(0.5)))
def _lcg(c: tuple[int64, float32], n: int32, x: float32) -> tuple[int64, float32]:
    s = (c[0] * int64(1103515245) + astype(n, int64)) % int64(2147483647)
    r = c[1] * float32(0.5) + x * astype(s % int64(17), float32)
    return s, r

@gtx.field_operator
def _random(n: CKInt, x: CKSingle, k: int32) -> tuple[CKLong, CKSingle, CKBool]:
    s, r = _lcg(n, x)
    odd = s % int64(2) == int64(1)
    return s // astype(k, int64), where(odd, r, -r), odd

@gtx.program
def lcg(n: CKInt, x: CKSingle, k: int32, o1: CKLong, o2: CKSingle, o3: CKBool, nc: int32, nlev: int32):
    _random(n, x, k, out=(o1, o2, o3), domain={C: (0, nc), K: (0, nlev)})

@case
def c_lcg(g):
    return P(lcg, dict(n=g(C, K, dtype=np.int32, low=0, high=1000), x=g(C, K, dtype=np.float32), k=3, o1=g(C, K, dtype=np.int64, high=9), o2=g(C, K, dtype=np.float32),
      o3=g(C, K, dtype=bool), nc=g.size[C], nlev=g.nk), bound=1e-5)

# --- 10 implicit vertical solver with surface terms, two tracers sharing the matrix, V2C of result
@gtx.scan_operator(axis=K, forward=True, init=(0.0, 0.0, 0.0))
def _elim2(c: tuple[float, float, float], a: float, b: float, cc: float, d1: float, d2: float) -> tuple[float, float, float]:
    g = 1.0 / (b + a * c[0])
    return -cc * g, (d1 - a * c[1]) * g, (d2 - a * c[2]) * g

@gtx.scan_operator(axis=K, forward=False, init=(0.0, 0.0))
def _back2(c: tuple[float, float], cc: float, d1: float, d2: float) -> tuple[float, float]:
    return cc * c[0] + d1, cc * c[1] + d2

@gtx.field_operator
def _vdiff2(km: CK, t: CK, q: CK, rho: CK, sfc_t: CField, sfc_q: CField, dt: float, nlev: int32) -> tuple[CK, CK, VK]:
    kup = concat_where(K > 0, 0.5 * (km + km(K - 1)) * dt / rho, 0.0)
    kdn = concat_where(K < nlev - 1, 0.5 * (km + km(K + 1)) * dt / rho, 0.0)
    rt = concat_where(K < nlev - 1, t, t + dt * sfc_t)
    rq = concat_where(K == nlev - 1, q + dt * sfc_q, q)
    c, d1, d2 = _elim2(-kup, 1.0 + kup + kdn, -kdn, rt, rq)
    tn, qn = _back2(c, d1, d2)
    return tn, qn, neighbor_sum((tn - t)(V2C), axis=V2CDim)

@gtx.program
def vdiff2(km: CK, t: CK, q: CK, rho: CK, sfc_t: CField, sfc_q: CField, dt: float, ot: CK, oq: CK, ov: VK, nc: int32, nv: int32, nlev: int32):
    _vdiff2(km, t, q, rho, sfc_t, sfc_q, dt, nlev, out=(ot, oq, ov), domain=({C: (0, nc), K: (0, nlev)}, {C: (0, nc), K: (0, nlev)}, {V: (0, nv), K: (0, nlev)}))

@case
def c_vdiff2(g):
    return P(vdiff2, dict(km=g(C, K, low=0.1), t=g(C, K), q=g(C, K), rho=g(C, K, low=0.5), sfc_t=g(C), sfc_q=g(C), dt=0.1, ot=g(C, K), oq=g(C, K), ov=g(V, K),
      nc=g.size[C], nv=g.size[V], nlev=g.nk))

# --- 11 scan over an empty and a single level
@case
def c_scan_empty(g):
    return P(twoscans, dict(a=g(C, K), prof=g(K), mask=g(C, dtype=bool), lim=0.2, lev=Array((K,), np.arange(g.nk, dtype=np.int32)), o1=g(C, K),
      o2=g(C, K, dtype=np.int32, high=9), nc=g.size[C], nlev=0))
@case
def c_scan_one(g):
    return P(vdiff2, dict(km=g(C, K, low=0.1), t=g(C, K), q=g(C, K), rho=g(C, K, low=0.5), sfc_t=g(C), sfc_q=g(C), dt=0.1, ot=g(C, K), oq=g(C, K), ov=g(V, K),
      nc=g.size[C], nv=g.size[V], nlev=1))
