"""Types, ifs, builtins, scalars, tuples, dataclasses."""
from common import *

# nested ifs with returns in the branches, tuple results
@gtx.field_operator
def _pick(p: CK, q: CK, kind: int32, lim: float, on: bool) -> tuple[CK, CK]:
    if on:
        if kind == 0:
            return p + lim, q
        elif kind < 3:
            a = p * q
            return where(a > lim, a, q), a - p
        return minimum(p, q), maximum(p, q)
    else:
        if lim > 0.5:
            return q, p
    r = p(K + 1) if kind > 1 else p
    return r, q * lim

@gtx.field_operator
def _pick2(p: CK, q: CK, kind: int32, lim: float, on: bool, geofac: CxC2E, vn: EK) -> tuple[CK, CK, CK]:
    a, b = _pick(p, q, kind, lim, on)
    c, d = _pick(b, a, kind - int32(1), lim * 2.0, not on)
    s = neighbor_sum(vn(C2E) * geofac, axis=C2EDim) if kind % 2 == 1 else 0.5 * (a + d)
    return a - c, b * d, s + b

@gtx.program
def pick(p: CK, q: CK, kind: int32, lim: float, on: bool, geofac: CxC2E, vn: EK, o1: CK, o2: CK, o3: CK, nc: int32, nlev: int32):
    _pick2(p, q, kind, lim, on, geofac, vn, out=(o1, o2, o3), domain={C: (0, nc), K: (0, nlev)})

def pick_args(g, kind, lim, on):
    return dict(p=g(C, K), q=g(C, K), kind=kind, lim=lim, on=on, geofac=g(C, C2EDim), vn=g(E, K), o1=g(C, K), o2=g(C, K), o3=g(C, K), nc=g.size[C], nlev=g.nk - 1)
@case
def e_pick_1(g): return P(pick, pick_args(g, 2, 0.3, True))
@case
def e_pick_2(g): return P(pick, pick_args(g, 1, 0.3, False))
@case
def e_pick_3(g): return P(pick, pick_args(g, 5, 0.7, True))
@case
def e_pick_static(g): return P(pick, pick_args(g, 0, 0.2, True), static=("kind", "on"))

# builtins
@gtx.field_operator
def _thermo(t: CK, p: CK, qv: CK, n: CKInt) -> tuple[CK, CK, CK, CK, CK]:
    es = 610.78 * exp(17.269 * (t - 273.16) / (t - 35.86))
    qs = 0.622 * es / maximum(p - 0.378 * es, 1.0e-10)
    th = t * power(100000.0 / p, 0.2857) + cbrt(qv) - tanh(qv)
    ang = arctan(qv) + arcsin(minimum(abs(qv), 1.0)) * cos(t) + sin(t) * tan(qv) + cosh(qv) - sinh(qv) + arccos(maximum(-1.0, minimum(qv, 1.0)))
    rest = floor(t / 7.0) + ceil(qv * 3.0) - trunc(qv * 5.0) + fmod(t, 3.0) + log(1.0 + qv * qv) + sqrt(abs(qv))
    return qs, th, ang, rest, qv ** 3 - qv ** 2 + abs(qv) ** 0.5 + power(astype(n, float64), 2.0)

@gtx.program
def thermo(t: CK, p: CK, qv: CK, n: CKInt, a: CK, b: CK, c: CK, d: CK, e: CK, nc: int32, nlev: int32):
    _thermo(t, p, qv, n, out=(a, b, c, d, e), domain={C: (0, nc), K: (0, nlev)})
@case
def e_thermo(g): return P(thermo, dict(t=g(C, K, low=220, high=300), p=g(C, K, low=30000, high=100000), qv=g(C, K), n=g(C, K, dtype=np.int32, low=-5, high=5),
   a=g(C, K), b=g(C, K), c=g(C, K), d=g(C, K), e=g(C, K), nc=g.size[C], nlev=g.nk), bound=1e-10)

# ints: floor div & modulo of negative numbers are undefined in C++; positive only; casts; bit ops on bool
@gtx.field_operator
def _ints(a: CKInt, b: CKLong, s: CKSingle, m: CKBool, k: int32, l: int64) -> tuple[CKInt, CKLong, CKSingle, CKBool, CK]:
    q = a // k + a % int32(5) * k
    r = b // l - astype(a, int64) * b % int64(11)
    f = astype(q, float32) / float32(3.0) + s * astype(m, float32)
    z = m & (q > int32(3)) | ~(f < float32(0.5)) ^ (r % int64(2) == int64(0))
    return where(z, q, -q), where(m, r, minimum(b, int64(7))), maximum(f, s), z, astype(f, float64) + astype(r, float64) * 0.5

@gtx.program
def ints(a: CKInt, b: CKLong, s: CKSingle, m: CKBool, k: int32, l: int64, o1: CKInt, o2: CKLong, o3: CKSingle, o4: CKBool, o5: CK, nc: int32, nlev: int32):
    _ints(a, b, s, m, k, l, out=(o1, o2, o3, o4, o5), domain={C: (0, nc), K: (0, nlev)})
@case
def e_ints(g): return P(ints, dict(a=g(C, K, dtype=np.int32, low=0, high=99), b=g(C, K, dtype=np.int64, low=0, high=10**6), s=g(C, K, dtype=np.float32), m=g(C, K, dtype=bool), k=np.int32(3), l=np.int64(4),
   o1=g(C, K, dtype=np.int32, high=9), o2=g(C, K, dtype=np.int64, high=9), o3=g(C, K, dtype=np.float32), o4=g(C, K, dtype=bool), o5=g(C, K), nc=g.size[C], nlev=g.nk), bound=1e-5)
@case
def e_ints_negative(g): return P(ints, dict(a=g(C, K, dtype=np.int32, low=-99, high=99), b=g(C, K, dtype=np.int64, low=-10**6, high=10**6), s=g(C, K, dtype=np.float32), m=g(C, K, dtype=bool), k=np.int32(-3), l=np.int64(4),
   o1=g(C, K, dtype=np.int32, high=9), o2=g(C, K, dtype=np.int64, high=9), o3=g(C, K, dtype=np.float32), o4=g(C, K, dtype=bool), o5=g(C, K), nc=g.size[C], nlev=g.nk), bound=1e-5, embedded=False)  # // and % round as in C with DaCe, as in Python in embedded mode

# broadcasts and ternaries, K-only int arrays, scalars in all kinds, unary
@gtx.field_operator
def _bc(a: CField, b: KField, n: KInt, m: CBool, s: float, single: float32, i: int32, on: bool) -> tuple[CK, CKInt, CKSingle]:
    x = broadcast(a, (C, K)) * b + (s if on else -s)
    y = where(broadcast(m, (C, K)), x, broadcast(2.5, (C, K)))
    c = broadcast(n, (C, K)) + (i if s > 1.0 else -i)
    z = astype(y, float32) * (single if i > 3 else float32(1.5))
    return x - y, where(y > x, c, int32(0)), z

@gtx.program
def bc(a: CField, b: KField, n: KInt, m: CBool, s: float, single: float32, i: int32, on: bool, o1: CK, o2: CKInt, o3: CKSingle, cs: int32, nc: int32, vs: int32, nlev: int32):
    _bc(a, b, n, m, s, single, i, on, out=(o1, o2, o3), domain={C: (cs, nc), K: (vs, nlev)})
@case
def e_bc(g): return P(bc, dict(a=g(C), b=g(K), n=lev(g), m=g(C, dtype=bool), s=1.25, single=np.float32(0.3), i=np.int32(4), on=False, o1=g(C, K), o2=g(C, K, dtype=np.int32, high=9), o3=g(C, K, dtype=np.float32), cs=1, nc=g.size[C], vs=2, nlev=g.nk), bound=1e-6)
@case
def e_bc_single(g): return P(bc, dict(a=g(C), b=g(K), n=lev(g), m=g(C, dtype=bool), s=1.25, single=np.float32(0.3), i=np.int32(4), on=True, o1=g(C, K), o2=g(C, K, dtype=np.int32, high=9), o3=g(C, K, dtype=np.float32), cs=5, nc=6, vs=2, nlev=3), bound=1e-6)
@case
def e_bc_empty(g): return P(bc, dict(a=g(C), b=g(K), n=lev(g), m=g(C, dtype=bool), s=1.25, single=np.float32(0.3), i=np.int32(4), on=True, o1=g(C, K), o2=g(C, K, dtype=np.int32, high=9), o3=g(C, K, dtype=np.float32), cs=7, nc=6, vs=2, nlev=3), bound=1e-6, embedded=False)

# NamedTuple args, nested, where of tuples
class Wind(NamedTuple):
    u: EK
    v: EK
class State(NamedTuple):
    wind: Wind
    rho: CK
    theta: CK

@gtx.field_operator
def _step(s: State, t: State, dt: float, geofac: CxC2E, hot: CBool) -> State:
    div = neighbor_sum(s.wind.u(C2E) * geofac, axis=C2EDim)
    rho, theta = where(hot, (s.rho - dt * div, s.theta), (t.rho, s.theta + dt * div * t.theta))
    gr = rho(E2C[1]) - rho(E2C[0])
    return State(wind=Wind(u=s.wind.u - dt * gr, v=t.wind.v * gr), rho=rho, theta=theta)

@gtx.program
def step(s: State, t: State, dt: float, geofac: CxC2E, hot: CBool, nc: int32, ne: int32, nlev: int32):
    _step(s, t, dt, geofac, hot, out=t, domain=(({E: (0, ne), K: (0, nlev)}, {E: (2, ne), K: (0, nlev)}), {C: (0, nc), K: (0, nlev)}, {C: (0, nc), K: (0, nlev)}))
@case
def e_records(g): 
    st = lambda: State(Wind(g(E, K), g(E, K)), g(C, K), g(C, K))
    return P(step, dict(s=st(), t=st(), dt=0.1, geofac=g(C, C2EDim), hot=g(C, dtype=bool), nc=g.size[C], ne=g.size[E], nlev=g.nk), embedded=False)

@dataclasses.dataclass
class Met:
    z: CK
    area: CField
@dataclasses.dataclass
class Out:
    a: CK
    b: CK
@gtx.field_operator
def _dc(m: Met, x: tuple[CK, tuple[CK, float]], w: float) -> tuple[CK, CK]:
    a = m.z * x[0] / m.area
    b = where(a > w, x[1][0] * x[1][1], a(K - 1))
    return a - b, b
@gtx.program
def dc(m: Met, x: tuple[CK, tuple[CK, float]], w: float, oa: CK, ob: CK, nc: int32, nlev: int32):
    _dc(m, x, w, out=(oa, ob), domain={C: (0, nc), K: (1, nlev)})
@case
def e_dataclass(g): return P(dc, dict(m=Met(g(C, K), g(C, low=0.5)), x=(g(C, K), (g(C, K), 0.4)), w=0.1, oa=g(C, K), ob=g(C, K), nc=g.size[C], nlev=g.nk))

# single precision stencil with double accumulators and neighbours
@gtx.field_operator
def _sp(vn: EKSingle, geofac: gtx.Field[gtx.Dims[C, C2EDim], float32], rho: CK, f: float32) -> tuple[CKSingle, CK]:
    div = neighbor_sum(vn(C2E) * geofac, axis=C2EDim)
    lap = neighbor_sum(div(C2E2C), axis=C2E2CDim) - float32(3.0) * div
    mx = max_over(div(C2E2C), axis=C2E2CDim)
    return lap * f + mx, astype(lap, float64) * rho / astype(maximum(mx, float32(0.1)), float64)
@gtx.program
def sp(vn: EKSingle, geofac: gtx.Field[gtx.Dims[C, C2EDim], float32], rho: CK, f: float32, o1: CKSingle, o2: CK, nc: int32, nlev: int32):
    _sp(vn, geofac, rho, f, out=(o1, o2), domain={C: (0, nc), K: (0, nlev)})
@case
def e_single(g):
    g.missing("C2E2C", "C2E")
    return P(sp, dict(vn=g(E, K, dtype=np.float32), geofac=g(C, C2EDim, dtype=np.float32), rho=g(C, K), f=np.float32(0.7), o1=g(C, K, dtype=np.float32), o2=g(C, K), nc=g.size[C], nlev=g.nk), bound=2e-5)
