// A layered layout in near-linear time, for graphs that are too big for ELK to be quick about.
//
// Cycles are broken at back edges of a depth-first search; layers are longest paths; sweeps sort
// each layer by the median of the neighbours; a few more sweeps move nodes towards their
// neighbours without overlap. Edges that cross more than `bend` layers run straight instead of
// getting a place in each layer, which keeps the work linear. Parts that are not connected are
// laid out alone and packed in rows.

import { spread, type Problem, type Solution } from './problem';

const bend = 6;
const layerGap = 34;

export function layered(problem: Problem): Solution {
  const parts = components(problem).map((members) => layPart(problem, members));
  return pack(problem, parts);
}

/** Math.max takes its numbers as arguments, of which there may not be many thousands. */
function largest(values: number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0);
}

interface Part { members: number[]; w: number; h: number; x: Map<number, number>; y: Map<number, number>; bends: Map<number, number[]> }

function components(problem: Problem): number[][] {
  const root = problem.nodes.map((_, i) => i);
  const find = (i: number): number => {
    while (root[i] !== i) i = root[i] = root[root[i]!]!;
    return i;
  };
  for (const e of problem.edges) {
    const [a, b] = [find(e.from), find(e.to)];
    if (a !== b) root[Math.max(a, b)] = Math.min(a, b);
  }
  const lists = new Map<number, number[]>();
  problem.nodes.forEach((_, i) => {
    const key = find(i);
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [i]);
    else list.push(i);
  });
  return [...lists.values()];
}

/** Slots are nodes, and places that long edges take in the layers they cross. */
function layPart(problem: Problem, members: number[]): Part {
  const local = new Map(members.map((m, i) => [m, i] as const));
  const edges: { from: number; to: number; id: number; flip: boolean }[] = [];
  problem.edges.forEach((e, id) => {
    const from = local.get(e.from);
    if (from !== undefined && e.from !== e.to) edges.push({ from, to: local.get(e.to)!, id, flip: false });
  });
  const layer = rank(members.length, edges);
  const deepest = largest(layer);
  members.forEach((m, i) => {
    if (problem.nodes[m]!.pin === 'last') layer[i] = deepest;
  });

  const width = members.map((m) => problem.nodes[m]!.w);
  const height = members.map((m) => problem.nodes[m]!.h);
  const ups: number[][] = members.map(() => []);
  const downs: number[][] = members.map(() => []);
  const slotsOf = new Map<number, number[]>();
  const link = (a: number, b: number): void => { downs[a]!.push(b); ups[b]!.push(a); };
  for (const e of edges) {
    const [top, bottom] = layer[e.from]! <= layer[e.to]! ? [e.from, e.to] : [e.to, e.from];
    const span = layer[bottom]! - layer[top]!;
    const chain: number[] = [];
    let last = top;
    if (span > 1 && span <= bend) {
      for (let l = layer[top]! + 1; l < layer[bottom]!; l++) {
        const slot = layer.push(l) - 1;
        width.push(4); height.push(0); ups.push([]); downs.push([]);
        link(last, slot);
        chain.push(slot);
        last = slot;
      }
    }
    if (span > 0) link(last, bottom);
    slotsOf.set(e.id, top === e.from ? chain : chain.reverse());
  }

  const layers = sortLayers(layer, ups, downs);
  const x = spreadLayers(layers, width, ups, downs, problem.gap);
  const y = new Array<number>(layer.length).fill(0);
  let h = 0;
  let gap = 0;
  for (const row of layers) {
    const tall = largest(row.map((s) => height[s]!));
    for (const s of row) y[s] = h + (tall - height[s]!) / 2;
    // Between wide layers many lines cross: they get more room.
    gap = layerGap + Math.min(60, Math.sqrt(row.length - 1) * 4);
    h += tall + gap;
  }
  h -= gap;

  let left = Infinity;
  let right = -Infinity;
  for (let s = 0; s < x.length; s++) {
    left = Math.min(left, x[s]!);
    right = Math.max(right, x[s]! + width[s]!);
  }
  const part: Part = { members, w: right - left, h: Math.max(h, 1), x: new Map(), y: new Map(), bends: new Map() };
  members.forEach((m, i) => { part.x.set(m, x[i]! - left); part.y.set(m, y[i]!); });
  for (const [id, slots] of slotsOf) {
    part.bends.set(id, slots.flatMap((s) => [x[s]! - left + 2, y[s]!]));
  }
  return part;
}

/** The longest path from a source; marks the edges of a depth-first search that close cycles. */
function rank(count: number, edges: { from: number; to: number; flip: boolean }[]): number[] {
  const outs: number[][] = Array.from({ length: count }, () => []);
  const degree = new Array<number>(count).fill(0);
  edges.forEach((e, i) => { outs[e.from]!.push(i); degree[e.to]!++; });
  const colour = new Uint8Array(count);
  const next = new Uint32Array(count);
  const starts = [...Array(count).keys()].sort((a, b) => Number(degree[a]! > 0) - Number(degree[b]! > 0) || a - b);
  const order: number[] = [];
  for (const start of starts) {
    if (colour[start] !== 0) continue;
    const stack = [start];
    colour[start] = 1;
    while (stack.length > 0) {
      const at = stack[stack.length - 1]!;
      const id = outs[at]![next[at]!++];
      if (id === undefined) {
        colour[at] = 2;
        order.push(at);
        stack.pop();
        continue;
      }
      const edge = edges[id]!;
      if (colour[edge.to] === 1) edge.flip = true;
      else if (colour[edge.to] === 0) { colour[edge.to] = 1; stack.push(edge.to); }
    }
  }
  const layer = new Array<number>(count).fill(0);
  const forward: number[][] = Array.from({ length: count }, () => []);
  for (const e of edges) forward[e.flip ? e.to : e.from]!.push(e.flip ? e.from : e.to);
  for (let i = order.length - 1; i >= 0; i--) {
    const at = order[i]!;
    for (const to of forward[at]!) layer[to] = Math.max(layer[to]!, layer[at]! + 1);
  }
  return layer;
}

function sortLayers(layer: number[], ups: number[][], downs: number[][]): number[][] {
  const layers: number[][] = [];
  layer.forEach((l, slot) => {
    while (layers.length <= l) layers.push([]);
    layers[l]!.push(slot);
  });
  const position = new Float64Array(layer.length);
  for (const row of layers) row.forEach((s, i) => { position[s] = i; });
  const median = (list: number[]): number => {
    if (list.length === 0) return -1;
    const at = list.map((s) => position[s]!).sort((a, b) => a - b);
    const half = at.length >> 1;
    return at.length % 2 === 1 ? at[half]! : (at[half - 1]! + at[half]!) / 2;
  };
  for (let round = 0; round < 6; round++) {
    const down = round % 2 === 0;
    const rows = down ? layers : [...layers].reverse();
    for (const row of rows) {
      const key = new Map(row.map((s) => {
        const m = median(down ? ups[s]! : downs[s]!);
        return [s, m < 0 ? position[s]! : m] as const;
      }));
      row.sort((a, b) => key.get(a)! - key.get(b)! || a - b);
      row.forEach((s, i) => { position[s] = i; });
    }
  }
  return layers;
}

/** Moves every slot towards the mean of its neighbours, keeping order and gaps. */
function spreadLayers(layers: number[][], width: number[], ups: number[][], downs: number[][], gap: number): number[] {
  const x = new Array<number>(width.length).fill(0);
  for (const row of layers) {
    let at = 0;
    for (const s of row) { x[s] = at; at += width[s]! + gap; }
    const half = at / 2;
    for (const s of row) x[s]! -= half;
  }
  const centre = (s: number): number => x[s]! + width[s]! / 2;
  for (let round = 0; round < 8; round++) {
    const down = round % 2 === 0;
    const rows = down ? layers : [...layers].reverse();
    for (const row of rows) {
      const wish = row.map((s) => {
        const list = down ? ups[s]! : downs[s]!;
        if (list.length === 0) return x[s]!;
        return list.reduce((sum, n) => sum + centre(n), 0) / list.length - width[s]! / 2;
      });
      place(row, wish, x, width, gap);
    }
  }
  return x;
}

/** Pool-adjacent-violators: the closest positions to the wishes that keep order and gaps. */
function place(row: number[], wish: number[], x: number[], width: number[], gap: number): void {
  const offset: number[] = [];
  let run = 0;
  for (const s of row) { offset.push(run); run += width[s]! + gap; }
  const blocks: { sum: number; count: number }[] = [];
  for (let i = 0; i < row.length; i++) {
    let block = { sum: wish[i]! - offset[i]!, count: 1 };
    while (blocks.length > 0) {
      const last = blocks[blocks.length - 1]!;
      if (last.sum / last.count <= block.sum / block.count) break;
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  let i = 0;
  for (const block of blocks) {
    const base = block.sum / block.count;
    for (let n = 0; n < block.count; n++, i++) x[row[i]!] = base + offset[i]!;
  }
}

/** Rows of parts, about as wide as the square root of the area asks for. */
function pack(problem: Problem, parts: Part[]): Solution {
  const area = parts.reduce((sum, p) => sum + (p.w + 30) * (p.h + 30), 0);
  const limit = Math.max(Math.sqrt(area) * 1.5, largest(parts.map((p) => p.w)));
  const n = problem.nodes.length;
  const solution: Solution = {
    w: 0, h: 0, x: new Array<number>(n).fill(0), y: new Array<number>(n).fill(0), inAt: [], outAt: [],
    lines: problem.edges.map(() => []), labels: problem.edges.map(() => null),
  };
  let [left, top, tall] = [0, 0, 0];
  const bends = new Map<number, number[]>();
  for (const part of parts) {
    if (left > 0 && left + part.w > limit) { left = 0; top += tall + 30; tall = 0; }
    for (const m of part.members) {
      solution.x[m] = left + part.x.get(m)!;
      solution.y[m] = top + part.y.get(m)!;
    }
    for (const [id, points] of part.bends) bends.set(id, points.map((v, i) => v + (i % 2 === 0 ? left : top)));
    solution.w = Math.max(solution.w, left + part.w);
    tall = Math.max(tall, part.h);
    left += part.w + 30;
    solution.h = Math.max(solution.h, top + part.h);
  }
  placePorts(problem, solution);
  problem.edges.forEach((_, id) => { solution.lines[id] = route(problem, solution, id, bends.get(id) ?? []); });
  problem.edges.forEach((e, id) => {
    const line = solution.lines[id]!;
    if (e.lw === 0) return;
    const [x0, y0, x1, y1] = [line[0]!, line[1]!, line[line.length - 2]!, line[line.length - 1]!];
    solution.labels[id] = [(x0 + x1) / 2 - e.lw / 2, (y0 + y1) / 2 - e.lh / 2];
  });
  return solution;
}

/** Ports of a side in the order of what they lead to. */
function placePorts(problem: Problem, solution: Solution): void {
  const centre = (i: number): number => solution.x[i]! + problem.nodes[i]!.w / 2;
  const wish = (count: number): { sum: number; n: number }[] => Array.from({ length: count }, () => ({ sum: 0, n: 0 }));
  const ins = problem.nodes.map((node) => wish(node.inAt === null ? node.ins : 0));
  const outs = problem.nodes.map((node) => wish(node.outAt === null ? node.outs : 0));
  for (const e of problem.edges) {
    const o = outs[e.from]![e.fromPort];
    if (o !== undefined) { o.sum += centre(e.to); o.n++; }
    const i = ins[e.to]![e.toPort];
    if (i !== undefined) { i.sum += centre(e.from); i.n++; }
  }
  const side = (wishes: { sum: number; n: number }[], given: number[] | null, width: number): number[] => {
    if (given !== null) return given;
    const order = wishes.map((_, i) => i).sort((a, b) => {
      const [p, q] = [wishes[a]!, wishes[b]!];
      return (p.n > 0 ? p.sum / p.n : 0) - (q.n > 0 ? q.sum / q.n : 0) || a - b;
    });
    const at = spread(order.length, width);
    const result = new Array<number>(order.length);
    order.forEach((port, i) => { result[port] = at[i]!; });
    return result;
  };
  problem.nodes.forEach((node, i) => {
    solution.inAt.push(side(ins[i]!, node.inAt, node.w));
    solution.outAt.push(side(outs[i]!, node.outAt, node.w));
  });
}

function route(problem: Problem, s: Solution, id: number, bends: number[]): number[] {
  const e = problem.edges[id]!;
  const [a, b] = [problem.nodes[e.from]!, problem.nodes[e.to]!];
  const x0 = s.x[e.from]! + (s.outAt[e.from]![e.fromPort] ?? a.w / 2);
  const y0 = s.y[e.from]! + a.h;
  const x1 = s.x[e.to]! + (s.inAt[e.to]![e.toPort] ?? b.w / 2);
  const y1 = s.y[e.to]!;
  if (e.from === e.to) {
    const side = s.x[e.from]! + a.w + 14;
    return [x0, y0, x0, y0 + 10, side, y0 + 10, side, y1 - 10, x1, y1 - 10, x1, y1];
  }
  if (y1 < y0 && bends.length === 0) {
    // Back to an earlier layer: beside both nodes.
    const side = Math.max(s.x[e.from]! + a.w, s.x[e.to]! + b.w) + 16;
    return [x0, y0, x0, y0 + 12, side, y0 + 12, side, y1 - 12, x1, y1 - 12, x1, y1];
  }
  return [x0, y0, ...bends, x1, y1];
}
