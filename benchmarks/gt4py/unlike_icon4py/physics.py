"""More of dycore and physics: combined programs."""
from common import *

# 1: hydrostatic/vertical wind: predictor-like with tridiagonal solver & boundary levels & where on int K-field
@gtx.scan_operator(axis=K, forward=True, init=(0.0, 0.0, True))
def _fw(c: tuple[float, float, bool], a: float, b: float, cc: float, r: float, b0: float) -> tuple[float, float, bool]:
    z, w, first = c
    if first:
        zn = -cc / b
        wn = (r + b0) / b
    else:
        g = 1.0 / (b + a * z)
        zn = -cc * g
        wn = (r - a * w) * g
    return zn, wn, False
@gtx.scan_operator(axis=K, forward=False, init=0.0)
def _bw(c: float, z: float, w: float) -> float:
    return w + z * c
@gtx.field_operator
def _solver(w: CK, rho: CK, th: CK, ddz: CK, wlow: CField, alpha: KField, lev: KInt, nlev: int32, dt: float, damp: bool, kst: int32) -> tuple[CK, CK, CK]:
    rho_ic = concat_where(K > 0, 0.5 * (rho + rho(K - 1)), rho)
    th_ic = where((lev > int32(0)) & (lev < nlev), 0.5 * (th + th(K - 1)), th) if damp else th
    beta = dt * th_ic / (ddz * rho)
    al = alpha * beta
    a = -al * rho_ic
    c = -al * beta
    b = 1.0 + beta * (al * al + 1.0)
    expl = w - dt * (th_ic * ddz)
    z, q, f = _fw(a, b, c, expl, broadcast(wlow, (C, K)))
    wn = _bw(z, q)
    wr = concat_where(K < kst, wn * alpha, wn) if damp else wn
    flux = rho_ic * wr
    rn = rho - dt * ddz * (flux - concat_where(K < nlev - 1, flux(K + 1), 0.0 * flux))
    return wr, rn, (rn * th - rho) / rn
@gtx.program
def solver(w: CK, rho: CK, th: CK, ddz: CK, wlow: CField, alpha: KField, lev: KInt, nlev: int32, dt: float, damp: bool, kst: int32, ow: CK, orho: CK, oth: CK, cs: int32, ce: int32):
    _solver(w, rho, th, ddz, wlow, alpha, lev, nlev, dt, damp, kst, out=(ow, orho, oth), domain={C: (cs, ce), K: (0, nlev)})
def sargs(g, **o):
    a = dict(w=g(C, K), rho=g(C, K, low=0.5, more={K: 1}, start=(0, -1)), th=g(C, K, low=0.5, more={K: 1}, start=(0, -1)), ddz=g(C, K, low=1.0, high=2.0), wlow=g(C), alpha=g(K), lev=lev(g), nlev=g.nk, dt=0.2, damp=True, kst=3,
      ow=g(C, K), orho=g(C, K), oth=g(C, K), cs=1, ce=g.size[C]); a.update(o); return a
@case
def g_solver(g): return P(solver, sargs(g))
@case
def g_solver_nodamp(g): return P(solver, sargs(g, damp=False))
@case
def g_solver_static(g): return P(solver, sargs(g), static=("nlev", "damp", "kst"))

# 2: velocity tendencies w/ masks, several grids, cfl clipping with int counting
@gtx.field_operator
def _velo(vn: EK, w: CK, vt: EK, e_bln: CxC2E, coeff: ExE2V, geofac_rot: VxV2E, f_e: EField, ddz: EK, inv: EField, cfl: float, dt: float, lev: KInt, nrd: int32, nlev: int32) -> tuple[EK, CK, CKBool, CKInt]:
    zeta = neighbor_sum(vn(V2E) * geofac_rot, axis=V2EDim)
    zeta_e = neighbor_sum(zeta(E2V) * coeff, axis=E2VDim)
    ekin_e = 0.5 * (vn * vn + vt * vt)
    ekin = neighbor_sum(e_bln * ekin_e(C2E), axis=C2EDim)
    wcon = w - concat_where(K >= nrd, neighbor_sum(e_bln * (vn * ddz)(C2E), axis=C2EDim), 0.0)
    clip = abs(wcon) > cfl / dt
    wc = where(clip, where(wcon < 0.0, -cfl / dt, cfl / dt), wcon)
    wfull = concat_where(K < nlev - 1, 0.5 * (wc + wc(K + 1)), wc)
    count = neighbor_sum(where(clip(C2E2C), int32(1), int32(0)), axis=C2E2CDim) + where(clip, int32(1), int32(0))
    wce = 0.5 * (wfull(E2C[0]) + wfull(E2C[1]))
    dvn = concat_where(K > 0, concat_where(K < nlev - 1, 0.5 * (vn(K - 1) - vn(K + 1)), vn), vn)
    ddt = -((ekin(E2C[1]) - ekin(E2C[0])) * inv + vt * (f_e + zeta_e) + wce * dvn / ddz)
    return ddt, wfull, clip, count
@gtx.program
def velo(vn: EK, w: CK, vt: EK, e_bln: CxC2E, coeff: ExE2V, geofac_rot: VxV2E, f_e: EField, ddz: EK, inv: EField, cfl: float, dt: float, lev: KInt, nrd: int32, nlev: int32,
   ddt: EK, wf: CK, clip: CKBool, n: CKInt, cs: int32, ce: int32, es: int32, ee: int32):
    _velo(vn, w, vt, e_bln, coeff, geofac_rot, f_e, ddz, inv, cfl, dt, lev, nrd, nlev, out=(ddt, wf, clip, n), domain=({E: (es, ee), K: (0, nlev)}, {C: (cs, ce), K: (0, nlev)}, {C: (cs, ce), K: (0, nlev)}, {C: (cs, ce), K: (nrd, nlev)}))
def vargs(g, **o):
    a = dict(vn=g(E, K), w=g(C, K), vt=g(E, K), e_bln=g(C, C2EDim), coeff=g(E, E2VDim), geofac_rot=g(V, V2EDim), f_e=g(E), ddz=g(E, K, low=0.5), inv=g(E), cfl=0.5, dt=1.0, lev=lev(g), nrd=4, nlev=g.nk, ddt=g(E, K), wf=g(C, K), clip=g(C, K, dtype=bool), n=g(C, K, dtype=np.int32, high=9),
     cs=0, ce=g.size[C], es=0, ee=g.size[E]); a.update(o); return a
@case
def g_velo(g): return P(velo, vargs(g), embedded=False)
@case
def g_velo_sub(g): return P(velo, vargs(g, cs=10, ce=50, es=20, ee=70, nrd=0), embedded=False)
@case
def g_velo_nk1(g): return P(velo, vargs(g, nlev=1, nrd=0), embedded=False)
@case
def g_velo_static(g): return P(velo, vargs(g), embedded=False, static=("nlev", "nrd", "cs", "ce", "es", "ee"))

# 3: sedimentation with a scan reading as_offset values and a second over half-levels, K-1 of int
@gtx.scan_operator(axis=K, forward=True, init=(0.0, 0.0, int32(0)))
def _sed(c: tuple[float, float, int32], q: float, v: float, rho: float, kb: int32) -> tuple[float, float, int32]:
    f, vold, n = c
    vn = 0.5 * (v + vold) if n > kb else v
    fn = minimum(q * rho * vn, q * rho + f) if q > 0.1 else 0.5 * f
    return fn, v, n + int32(1)
@gtx.field_operator
def _sedi(q: CK, v: CK, rho: CK, off: CKInt, kb: CInt, dt: float, nlev: int32) -> tuple[CK, CK]:
    qs = q(as_offset(Koff, off))
    f, vo, n = _sed(qs, v, rho, broadcast(kb, (C, K)))
    qn = q + dt * (concat_where(K > 0, f(K - 1), 0.0) - f) / rho
    return maximum(0.0, qn), f
@gtx.program
def sedi(q: CK, v: CK, rho: CK, off: CKInt, kb: CInt, dt: float, nlev: int32, qn: CK, f: CK, nc: int32):
    _sedi(q, v, rho, off, kb, dt, nlev, out=(qn, f), domain={C: (0, nc), K: (0, nlev)})
@case
def g_sedi(g): return P(sedi, dict(q=g(C, K), v=g(C, K, low=0), rho=g(C, K, low=0.5), off=offsets(g, C, K), kb=g(C, dtype=np.int32, low=0, high=5), dt=0.1, nlev=g.nk, qn=g(C, K), f=g(C, K), nc=g.size[C]))
@case
def g_sedi_inplace(g): return P(sedip, dict(q=g(C, K), v=g(C, K, low=0), rho=g(C, K, low=0.5), off=offsets(g, C, K), kb=g(C, dtype=np.int32, low=0, high=5), dt=0.1, nlev=g.nk, f=g(C, K), nc=g.size[C]), embedded=False)
@gtx.field_operator
def _sedi2(q: CK, v: CK, rho: CK, kb: CInt, dt: float, nlev: int32) -> tuple[CK, CK]:
    f, vo, n = _sed(q, v, rho, broadcast(kb, (C, K)))
    qn = q + dt * (concat_where(K > 0, f(K - 1), 0.0) - f) / rho
    return maximum(0.0, qn), f
@gtx.program
def sedip(q: CK, v: CK, rho: CK, off: CKInt, kb: CInt, dt: float, nlev: int32, f: CK, nc: int32):
    _sedi2(q, v, rho, kb, dt, nlev, out=(q, f), domain={C: (0, nc), K: (0, nlev)})
    _sedi2(q, f, rho, kb, dt, nlev, out=(q, f), domain={C: (0, nc), K: (1, nlev)})

# 4: ffsl-like patches: many where on tuples, C2V, E2V, bool fields
@gtx.field_operator
def _patch(vn: EK, vt: EK, vx: VField, vy: VField, cx: CField, cy: CField, nx: ExE2V, dt: float, sys_or: EField) -> tuple[EK, EK, EKInt, EKBool]:
    fam = (vn * sys_or) > 0.0
    x0, y0 = where(fam, (vx(E2V[0]), vy(E2V[0])), (vx(E2V[1]), vy(E2V[1])))
    x1, y1 = where(fam, (vx(E2V[1]), vy(E2V[1])), (vx(E2V[0]), vy(E2V[0])))
    dx, dy = x0 - vn * dt, y0 - vt * dt
    ex, ey = where(vn > 0.0, (cx(E2C[0]), cy(E2C[0])), (cx(E2C[1]), cy(E2C[1])))
    l1 = (x1 - x0) * (dy - y0) - (y1 - y0) * (dx - x0) > 0.0
    l2 = (ex - dx) * nx[E2VDim(0)] + (ey - dy) * nx[E2VDim(1)] > 0.0
    a, b = where(l1 & l2, (dx, dy), where(l1, (ex, dy), where(l2, (dx, ey), (ex, ey))))
    kind = where(l1 & l2, int32(1), where(l1, int32(2), where(l2, int32(3), int32(0))))
    return a * b - x0, where(fam, a, b) + y1, kind, l1 ^ l2
@gtx.program
def patch(vn: EK, vt: EK, vx: VField, vy: VField, cx: CField, cy: CField, nx: ExE2V, dt: float, sys_or: EField, a: EK, b: EK, k: EKInt, l: EKBool, es: int32, ee: int32, nlev: int32):
    _patch(vn, vt, vx, vy, cx, cy, nx, dt, sys_or, out=(a, b, k, l), domain={E: (es, ee), K: (0, nlev)})
@case
def g_patch(g): return P(patch, dict(vn=g(E, K), vt=g(E, K), vx=g(V), vy=g(V), cx=g(C), cy=g(C), nx=g(E, E2VDim), dt=0.3, sys_or=g(E), a=g(E, K), b=g(E, K), k=g(E, K, dtype=np.int32, high=9), l=g(E, K, dtype=bool), es=7, ee=g.size[E], nlev=g.nk))

# 5: vertical ppm-ish: many K shifts with slopes, monotonic limiter, boundary treatments by nested concat_where
@gtx.field_operator
def _ppm(p: CK, dz: CK, slev: int32, elev: int32, lim: int32) -> tuple[CK, CK, CK]:
    s = concat_where((K > slev) & (K < elev), dz / (dz(K - 1) + dz + dz(K + 1)) * ((2.0 * dz(K - 1) + dz) / (dz(K + 1) + dz) * (p(K + 1) - p) + (dz + 2.0 * dz(K + 1)) / (dz(K - 1) + dz) * (p - p(K - 1))), 0.0 * p)
    sm = minimum(abs(s), 2.0 * abs(p)) if lim == 1 else s
    face = concat_where(K > slev + 1, p(K - 1) + dz(K - 1) / (dz(K - 1) + dz) * (p - p(K - 1)) - 0.1 * (sm - sm(K - 1)), concat_where(K > slev, 0.5 * (p + p(K - 1)), p))
    lo = concat_where(K < elev, face(K + 1), p)
    mono = (face - p) * (p - lo)
    up, dn = where(mono < 0.0, (p, p), where(abs(face - p) > 2.0 * abs(lo - p), (3.0 * p - 2.0 * lo, lo), (face, lo)))
    return (up, dn, face) if lim > 0 else (face, lo, p)
@gtx.program
def ppm(p: CK, dz: CK, slev: int32, elev: int32, lim: int32, a: CK, b: CK, c: CK, cs: int32, ce: int32, ks: int32, ke: int32):
    _ppm(p, dz, slev, elev, lim, out=(a, b, c), domain={C: (cs, ce), K: (ks, ke)})
def pargs(g, **o):
    a = dict(p=g(C, K), dz=g(C, K, low=0.5), slev=0, elev=g.nk - 1, lim=1, a=g(C, K), b=g(C, K), c=g(C, K), cs=0, ce=g.size[C], ks=0, ke=g.nk); a.update(o); return a
@case
def g_ppm(g): return P(ppm, pargs(g))
@case
def g_ppm_2(g): return P(ppm, pargs(g, slev=2, elev=6, lim=0, ks=1, ke=8))
@case
def g_ppm_static(g): return P(ppm, pargs(g), static=("slev", "elev", "lim", "ks", "ke"))
@case
def g_ppm_3lev(g): return P(ppm, pargs(g, slev=0, elev=1, lim=2, ks=0, ke=2))
@case
def g_ppm_1cell(g): return P(ppm, pargs(g, cs=3, ce=4))
