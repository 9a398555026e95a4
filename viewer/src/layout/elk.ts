// ELK's layered algorithm for one graph.

import type { ELK, ElkExtendedEdge, ElkNode, ElkPort, LayoutOptions } from 'elkjs/lib/elk-api';
import { spread, type Problem, type ProblemNode, type Solution } from './problem';

const options: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.randomSeed': '1',
  'elk.edgeRouting': 'POLYLINE',
  'elk.aspectRatio': '1.5',
  'elk.padding': '[left=0, top=0, right=0, bottom=0]',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.componentComponent': '30',
  'elk.spacing.edgeNode': '12',
  'elk.spacing.edgeEdge': '8',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.edgeLabels.sideSelection': 'SMART_DOWN',
};

function ports(node: ProblemNode, id: number): ElkPort[] {
  const list: ElkPort[] = [];
  const add = (side: 'i' | 'o', count: number, at: number[], y: number): void => {
    for (let p = 0; p < count; p++) {
      list.push({
        id: `${side}${id}.${p}`, width: 0, height: 0, x: at[p]!, y,
        layoutOptions: { 'elk.port.side': side === 'i' ? 'NORTH' : 'SOUTH' },
      });
    }
  };
  add('i', node.ins, node.inAt ?? spread(node.ins, node.w), 0);
  add('o', node.outs, node.outAt ?? spread(node.outs, node.w), node.h);
  return list;
}

/** Network simplex makes the more compact picture, and takes several times longer on big graphs. */
function placement(problem: Problem): string {
  return problem.nodes.length <= 80 && problem.edges.length <= 160 ? 'NETWORK_SIMPLEX' : 'BRANDES_KOEPF';
}

function toElk(problem: Problem): ElkNode {
  const children = problem.nodes.map((node, i): ElkNode => {
    const fixed = node.inAt !== null || node.outAt !== null;
    const layoutOptions: LayoutOptions = { 'elk.portConstraints': fixed ? 'FIXED_POS' : 'FIXED_SIDE' };
    if (node.pin !== 'none') layoutOptions['elk.layered.layering.layerConstraint'] = node.pin === 'first' ? 'FIRST' : 'LAST';
    return { id: `n${i}`, width: node.w, height: node.h, ports: ports(node, i), layoutOptions };
  });
  const edges = problem.edges.map((e, i): ElkExtendedEdge => ({
    id: `e${i}`,
    sources: [e.fromPort >= 0 ? `o${e.from}.${e.fromPort}` : `n${e.from}`],
    targets: [e.toPort >= 0 ? `i${e.to}.${e.toPort}` : `n${e.to}`],
    labels: e.lw > 0 ? [{ id: `l${i}`, text: 'x', width: e.lw, height: e.lh }] : [],
  }));
  return { id: 'root', children, edges, layoutOptions: { ...options, 'elk.spacing.nodeNode': String(problem.gap), 'elk.layered.nodePlacement.strategy': placement(problem) } };
}

export async function elkLayout(elk: Pick<ELK, 'layout'>, problem: Problem): Promise<Solution> {
  const done = await elk.layout(toElk(problem));
  const nodes = done.children ?? [];
  const solution: Solution = {
    w: done.width ?? 0, h: done.height ?? 0, x: nodes.map((n) => n.x ?? 0), y: nodes.map((n) => n.y ?? 0),
    inAt: [], outAt: [], lines: [], labels: [],
  };
  nodes.forEach((n, i) => {
    const at = new Map((n.ports ?? []).map((p) => [p.id, p.x ?? 0] as const));
    const node = problem.nodes[i]!;
    solution.inAt.push(Array.from({ length: node.ins }, (_, p) => at.get(`i${i}.${p}`)!));
    solution.outAt.push(Array.from({ length: node.outs }, (_, p) => at.get(`o${i}.${p}`)!));
  });
  for (const e of done.edges ?? []) {
    const section = e.sections?.[0];
    const points = section === undefined ? [] : [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
    solution.lines.push(points.flatMap((p) => [p.x, p.y]));
    const label = e.labels?.[0];
    solution.labels.push(label === undefined ? null : [label.x ?? 0, label.y ?? 0]);
  }
  return solution;
}
