"""One level, known or not."""
from common import *
@gtx.field_operator
def _gath(p: CK, vn: EK, geofac: CxC2E) -> CK:
    f = vn * where(vn > 0.0, p(E2C[0]), p(E2C[1])) 
    return neighbor_sum(f(C2E) * geofac, axis=C2EDim)
@gtx.program
def gath(p: CK, vn: EK, geofac: CxC2E, o: CK, nc: int32, nlev: int32):
    _gath(p, vn, geofac, out=o, domain={C: (0, nc), K: (0, nlev)})
@case
def z_one_level(g): return P(gath, dict(p=g(C, K), vn=g(E, K), geofac=g(C, C2EDim), o=g(C, K), nc=g.size[C], nlev=1), static=("nlev",))


@gtx.field_operator
def _chosen(p: CK, gx: CxC2E2CO, vn: EK, a: int32) -> EK:
    q = neighbor_sum(gx * p(C2E2CO), axis=C2E2CODim)
    if a > 0:
        r = q + p
    else:
        r = q * p
    return where(vn > 0.0, r(E2C[0]), r(E2C[1]))
@gtx.program
def chosen(p: CK, gx: CxC2E2CO, vn: EK, o: EK, ne: int32, nlev: int32, a: int32):
    _chosen(p, gx, vn, a, out=o, domain={E: (0, ne), K: (0, nlev)})
@case
def z_chosen(g): return P(chosen, dict(p=g(C, K), gx=g(C, C2E2CODim), vn=g(E, K), o=g(E, K), ne=g.size[E], nlev=1, a=1))
