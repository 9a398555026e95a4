// From a model and the set of open items to boxes and lines, one graph at a time, inside out.
// `treeOf` says what to lay out; `layoutTree` needs only its result, so that it can run in a
// worker; `solve` does one graph.

import type { Edge, Item, Model } from '../model/model';
import { assignmentsText, conditionText, shorten } from '../model/text';
import { faceSize, headerHeight, headerWidth, pad, type Face } from './face';
import { textWidth } from './measure';
import type { Pin, Problem, Solution } from './problem';
import { spread } from './problem';

export interface TreeNode {
  item: number;
  w: number;            // of a closed item; at least so wide, when open
  h: number;
  ins: number;
  outs: number;
  pairs: number[];      // of an entry or exit: the port opposite of each outward port, or -1
  pin: Pin;
  inner: Tree | null;
}

export interface TreeEdge { edge: number; from: number; fromPort: number; to: number; toPort: number; lw: number; lh: number }

export interface Tree {
  nodes: TreeNode[];
  edges: TreeEdge[];
  arrange: 'graph' | 'row';
  header: number;
  pad: number;
  entry: number;        // of a scope: positions in `nodes`; their outward ports are the scope's
  exit: number;
  quick: boolean;
}

export interface Box { item: number; x: number; y: number; w: number; h: number; open: boolean; ins: number[]; outs: number[]; end: number; lines: [number, number] }
export interface Line { edge: number; points: number[]; label: [number, number] | null }

/** Boxes in paint order: an open box comes before what it holds, which ends before `end`. */
export interface Placed { boxes: Box[]; lines: Line[]; w: number; h: number }

/** Lines of text beside an interstate edge. */
export function edgeLabel(edge: Edge): string[] {
  if (edge.kind !== 'interstate') return [];
  const condition = conditionText(edge.data);
  const lines = assignmentsText(edge.data).map((line) => shorten(line, 60));
  if (lines.length > 6) lines.splice(5, lines.length, `… ${lines.length - 5} more`);
  return condition === '' ? lines : [`if ${shorten(condition, 60)}`, ...lines];
}

export const edgeLabelSize = 10;

/** How big a graph ELK gets: the more is shown at once, the less, as thousands of graphs add up. */
function elkLimit(shown: number): { nodes: number; edges: number } {
  if (shown <= 800) return { nodes: 250, edges: 600 };
  return shown <= 2500 ? { nodes: 80, edges: 160 } : { nodes: 0, edges: 0 };
}

export function treeOf(model: Model, faces: (id: number) => Face, open: ReadonlySet<number>): Tree {
  let shown = 0;
  const make = (item: Item): Tree => {
    const children = item.children;
    const at = new Map(children.map((id, i) => [id, i] as const));
    const scope = item.kind === 'Scope';
    shown += children.length;
    const tree: Tree = {
      nodes: children.map((id) => treeNode(model, faces, model.items[id]!)),
      edges: [], arrange: item.kind === 'ConditionalBlock' ? 'row' : 'graph',
      header: scope || item.parent < 0 ? 0 : headerHeight, pad: scope ? 10 : pad,
      entry: scope ? at.get(item.entry) ?? -1 : -1, exit: scope ? at.get(item.exit) ?? -1 : -1, quick: false,
    };
    const lift = (id: number): number => {
      let up = id;
      while (model.items[up]!.parent !== item.id) up = model.items[up]!.parent;
      return at.get(up)!;
    };
    for (const id of item.edges) {
      const edge = model.edges[id]!;
      const [from, to] = [lift(edge.src), lift(edge.dst)];
      const label = edgeLabel(edge);
      tree.edges.push({
        edge: id, from, to, fromPort: portOf(model, faces, edge.src, children[from]!, edge.srcConn, false),
        toPort: portOf(model, faces, edge.dst, children[to]!, edge.dstConn, true),
        lw: label.reduce((w, line) => Math.max(w, Math.ceil(textWidth(line, edgeLabelSize)) + 8), 0), lh: label.length * 13,
      });
    }
    return tree;
  };
  const root = make(model.items[0]!);
  const work: Tree[] = [root];
  const all: Tree[] = [root];
  while (work.length > 0) {
    const tree = work.pop()!;
    for (const node of tree.nodes) {
      const item = model.items[node.item]!;
      if (!open.has(node.item) || item.children.length === 0) continue;
      node.inner = make(item);
      node.w = headerWidth(faces(node.item));
      work.push(node.inner);
      all.push(node.inner);
    }
  }
  const limit = elkLimit(shown);
  for (const tree of all) tree.quick = tree.nodes.length > limit.nodes || tree.edges.length > limit.edges;
  return root;
}

function treeNode(model: Model, faces: (id: number) => Face, item: Item): TreeNode {
  const face = faces(item.id);
  const { w, h } = faceSize(face);
  const single = face.shape === 'ellipse';
  const holder = model.items[item.parent]!;
  const node: TreeNode = {
    item: item.id, w, h, ins: single ? 1 : face.ins.length, outs: single ? 1 : face.outs.length, pairs: [], pin: 'none', inner: null,
  };
  if (holder.kind === 'Scope' && item.id === holder.entry) {
    node.pin = holder.edges.some((e) => model.edges[e]!.dst === item.id) ? 'none' : 'first';
    node.pairs = face.ins.map((name) => face.outs.indexOf(name.replace(/^IN_/, 'OUT_')));
  } else if (holder.kind === 'Scope' && item.id === holder.exit) {
    node.pin = holder.edges.some((e) => model.edges[e]!.src === item.id) ? 'none' : 'last';
    node.pairs = face.outs.map((name) => face.ins.indexOf(name.replace(/^OUT_/, 'IN_')));
  }
  return node;
}

/** The port of `shown` that stands for a connector of `end`, which is `shown` or inside it. */
function portOf(model: Model, faces: (id: number) => Face, end: number, shown: number, connector: string, into: boolean): number {
  const item = model.items[shown]!;
  const face = faces(shown);
  if (face.shape === 'ellipse') return 0;
  if (end !== shown && !(item.kind === 'Scope' && (into ? end === item.entry : end === item.exit))) return -1;
  return (into ? face.ins : face.outs).indexOf(connector);
}

export type Solve = (problem: Problem, quick: boolean) => Promise<Solution>;

interface Done { tree: Tree; solution: Solution; w: number; h: number; nodes: { w: number; h: number }[] }

export async function layoutTree(root: Tree, solve: Solve): Promise<Placed> {
  const done = new Map<Tree, Done>();
  // Graphs of the same height do not depend on one another.
  for (const level of byHeight(root)) {
    await Promise.all(level.map(async (tree) => { done.set(tree, await layoutOne(tree, done, solve)); }));
  }
  return flatten(root, done);
}

function byHeight(root: Tree): Tree[][] {
  const order: Tree[] = [root];
  for (let i = 0; i < order.length; i++) for (const node of order[i]!.nodes) if (node.inner !== null) order.push(node.inner);
  const height = new Map<Tree, number>();
  const levels: Tree[][] = [];
  for (let i = order.length - 1; i >= 0; i--) {
    const tree = order[i]!;
    let h = 0;
    for (const node of tree.nodes) if (node.inner !== null) h = Math.max(h, height.get(node.inner)! + 1);
    height.set(tree, h);
    (levels[h] ??= []).push(tree);
  }
  return levels;
}

async function layoutOne(tree: Tree, done: Map<Tree, Done>, solve: Solve): Promise<Done> {
  const problem: Problem = { nodes: [], edges: tree.edges.map(({ from, fromPort, to, toPort, lw, lh }) => ({ from, fromPort, to, toPort, lw, lh })), gap: 22 };
  for (const node of tree.nodes) {
    const inner = node.inner === null ? undefined : done.get(node.inner);
    if (inner === undefined) {
      problem.nodes.push({ w: node.w, h: node.h, ins: node.ins, outs: node.outs, inAt: null, outAt: null, pin: node.pin });
      continue;
    }
    const w = Math.max(inner.w, node.w, 12 * (Math.max(node.ins, node.outs) + 1));
    problem.nodes.push({
      w, h: inner.h, ins: node.ins, outs: node.outs, pin: node.pin,
      inAt: outward(inner, inner.tree.entry, true, w, node.ins), outAt: outward(inner, inner.tree.exit, false, w, node.outs),
    });
  }
  const solution = tree.arrange === 'row' ? row(problem) : await solve(problem, tree.quick);
  const nodes = problem.nodes.map(({ w, h }) => ({ w, h }));
  return { tree, solution, nodes, w: solution.w + 2 * tree.pad, h: solution.h + tree.header + (tree.entry >= 0 ? 0 : 2 * tree.pad) };
}

/** Ports of an open scope: those of its entry or exit, in the order of their inner partners. */
function outward(inner: Done, index: number, into: boolean, width: number, count: number): number[] | null {
  if (index < 0 || inner.tree.entry < 0) return null;
  const { pairs } = inner.tree.nodes[index]!;
  const { w } = inner.nodes[index]!;
  const partner = (into ? inner.solution.outAt : inner.solution.inAt)[index]!;
  const order = pairs.map((_, i) => i).sort((a, b) => (partner[pairs[a]!] ?? -1) - (partner[pairs[b]!] ?? -1) || a - b);
  const own = new Array<number>(count).fill(w / 2);
  spread(order.length, w).forEach((at, i) => { own[order[i]!] = at; });
  (into ? inner.solution.inAt : inner.solution.outAt)[index] = own;
  const left = (width - inner.w) / 2 + inner.tree.pad + inner.solution.x[index]!;
  return own.map((at) => left + at);
}

function row(problem: Problem): Solution {
  let x = 0;
  const solution: Solution = { w: 0, h: 0, x: [], y: [], inAt: [], outAt: [], lines: problem.edges.map(() => []), labels: problem.edges.map(() => null) };
  for (const node of problem.nodes) {
    solution.x.push(x);
    solution.y.push(0);
    solution.inAt.push([]);
    solution.outAt.push([]);
    x += node.w + 16;
    solution.h = Math.max(solution.h, node.h);
  }
  solution.w = Math.max(0, x - 16);
  return solution;
}

/** Absolute coordinates, in paint order. An explicit stack, as SDFGs nest deep. */
function flatten(root: Tree, done: Map<Tree, Done>): Placed {
  const top = done.get(root)!;
  const placed: Placed = { boxes: [], lines: [], w: top.w, h: top.h };
  interface Frame { done: Done; x: number; y: number; next: number; box: Box | null }
  const enter = (inner: Done, x: number, y: number, box: Box | null): Frame => {
    const first = placed.lines.length;
    inner.tree.edges.forEach((e, i) => {
      const points = inner.solution.lines[i]!.map((v, n) => v + (n % 2 === 0 ? x : y));
      const label = inner.solution.labels[i] ?? null;
      placed.lines.push({ edge: e.edge, points, label: label === null ? null : [label[0] + x, label[1] + y] });
    });
    if (box !== null) box.lines = [first, placed.lines.length];
    return { done: inner, x, y, next: 0, box };
  };
  const stack: Frame[] = [enter(top, top.tree.pad, top.tree.pad, null)];
  while (stack.length > 0) {
    const frame = stack[stack.length - 1]!;
    const { tree, solution, nodes } = frame.done;
    const i = frame.next++;
    const node = tree.nodes[i];
    if (node === undefined) {
      if (frame.box !== null) frame.box.end = placed.boxes.length;
      stack.pop();
      continue;
    }
    const { w, h } = nodes[i]!;
    const [x, y] = [frame.x + solution.x[i]!, frame.y + solution.y[i]!];
    const box: Box = {
      item: node.item, x, y, w, h, open: node.inner !== null, end: placed.boxes.length + 1, lines: [0, 0],
      ins: solution.inAt[i]!.map((at) => x + at), outs: solution.outAt[i]!.map((at) => x + at),
    };
    placed.boxes.push(box);
    const inner = node.inner === null ? undefined : done.get(node.inner);
    if (inner === undefined) continue;
    const innerPad = inner.tree.entry >= 0 ? 0 : inner.tree.pad;
    stack.push(enter(inner, x + (w - inner.w) / 2 + inner.tree.pad, y + inner.tree.header + innerPad, box));
  }
  return placed;
}

/**
 * What is open when a file is opened: from the top down, as long as the picture stays readable.
 * Where there is only one thing to look at, it is opened even if it is big, up to `most`.
 */
export function firstOpen(model: Model, budget = 220, most = 20000): Set<number> {
  const open = new Set<number>([0]);
  let shown = model.items[0]!.children.length;
  let level = model.items[0]!.children;
  while (level.length > 0) {
    const candidates = level.filter((id) => model.items[id]!.children.length > 0 && attributesClosed(model.items[id]!));
    const next: number[] = [];
    for (const id of candidates) {
      const item = model.items[id]!;
      const alone = candidates.length === 1 && shown <= 12;
      if (shown + item.children.length > (alone ? most : budget)) continue;
      open.add(id);
      shown += item.children.length;
      next.push(...item.children);
    }
    level = next;
  }
  return open;
}

/** False for what the file says is collapsed. */
function attributesClosed(item: Item): boolean {
  const own = item.json['attributes'];
  const stored = typeof own === 'object' && own !== null && !Array.isArray(own) ? own['is_collapsed'] : undefined;
  return stored !== true;
}
