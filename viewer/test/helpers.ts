import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ELK from 'elkjs/lib/elk.bundled.js';
import { faceOf, type Face } from '../src/layout/face';
import { makeSolve } from '../src/layout/solve';
import { layoutTree, treeOf, type Placed, type Solve } from '../src/layout/tree';
import { readFile } from '../src/model/read';
import { buildModel, type Model } from '../src/model/model';
import type { JsonObject } from '../src/model/json';

/** Every SDFG file of the corpus, relative to it; empty when there is no corpus. */
export function corpusFiles(): { root: string; files: string[] } {
  const root = resolve(process.env['SDFG_CORPUS'] ?? join(import.meta.dirname, '../../../shared/corpus'));
  const files: string[] = [];
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) visit(path);
      else if (/\.sdfgz?$/.test(name)) files.push(relative(root, path));
    }
  };
  if (existsSync(root)) visit(root);
  if (files.length === 0) console.log(`[SKIP] tests over real programs: none at ${root}; set SDFG_CORPUS`);
  return { root, files };
}

export async function loadFile(path: string): Promise<Model> {
  const file = await readFile(path, new Uint8Array(readFileSync(path)));
  return buildModel(file.json, path);
}

export function solver(): Solve {
  return makeSolve(new ELK());
}

export function facesOf(model: Model): (id: number) => Face {
  const faces = new Map<number, Face>();
  return (id) => {
    let face = faces.get(id);
    if (face === undefined) faces.set(id, (face = faceOf(model, model.items[id]!)));
    return face;
  };
}

export async function layout(model: Model, open: Set<number>, solve: Solve): Promise<Placed> {
  return layoutTree(treeOf(model, facesOf(model), open), solve);
}

/** What a picture must not have: children outside their holder, siblings on one another, lines that end nowhere. */
export function defects(model: Model, placed: Placed): string[] {
  const found: string[] = [];
  const name = (item: number): string => `${model.items[item]!.kind} ${model.items[item]!.path}`;
  const groups: { holder: { x: number; y: number; w: number; h: number }; members: number[]; end: number }[] =
    [{ holder: { x: 0, y: 0, w: placed.w, h: placed.h }, members: [], end: placed.boxes.length }];
  const finish = (members: number[]): void => {
    const sorted = members.map((i) => placed.boxes[i]!).sort((a, b) => a.x - b.x);
    for (let i = 0; i < sorted.length; i++) {
      for (let j = i + 1; j < sorted.length && sorted[j]!.x < sorted[i]!.x + sorted[i]!.w - 0.5; j++) {
        const [a, b] = [sorted[i]!, sorted[j]!];
        if (a.y < b.y + b.h - 0.5 && b.y < a.y + a.h - 0.5) found.push(`${name(a.item)} overlaps ${name(b.item)}`);
      }
    }
  };
  placed.boxes.forEach((box, i) => {
    while (i >= groups[groups.length - 1]!.end) finish(groups.pop()!.members);
    const { holder, members } = groups[groups.length - 1]!;
    members.push(i);
    if (![box.x, box.y, box.w, box.h].every(Number.isFinite)) found.push(`${name(box.item)} has no place`);
    const inside = box.x >= holder.x - 1 && box.y >= holder.y - 1 && box.x + box.w <= holder.x + holder.w + 1 && box.y + box.h <= holder.y + holder.h + 1;
    if (!inside) found.push(`${name(box.item)} is outside its holder`);
    if (box.open) groups.push({ holder: box, members: [], end: box.end });
  });
  while (groups.length > 0) finish(groups.pop()!.members);
  for (const line of placed.lines) {
    const edge = model.edges[line.edge]!;
    if (line.points.length < 4 || !line.points.every(Number.isFinite)) found.push(`${edge.path} has no line`);
  }
  return found;
}

export interface Generate { states: number; chain: number; maps: number; flat?: boolean }

/** `states` states in a row, each with `maps` chains of `chain` access nodes and mapped tasklets. */
export function generate({ states, chain, maps, flat = false }: Generate): JsonObject {
  const arrays: JsonObject = {};
  const range = { type: 'Range', ranges: [{ start: '0', end: '-1 + $N', step: '1', tile: '1' }] };
  const point = { type: 'Range', ranges: [{ start: '$i', end: '$i', step: '1', tile: '1' }] };
  const memlet = (data: string, subset: JsonObject, volume: string): JsonObject => ({ data: { type: 'Memlet', attributes: { data, volume, subset } } });
  const nodesOf = (s: number): JsonObject => {
    const nodes: JsonObject[] = [];
    const edges: JsonObject[] = [];
    const node = (type: string, label: string, attributes: JsonObject, entry: number | null, exit: number | null): number => {
      nodes.push({ type, label, id: nodes.length, attributes, scope_entry: entry === null ? null : String(entry), scope_exit: exit === null ? null : String(exit) });
      return nodes.length - 1;
    };
    const edge = (src: number, srcConn: string | null, dst: number, dstConn: string | null, attributes: JsonObject): void => {
      edges.push({ type: 'MultiConnectorEdge', src: String(src), src_connector: srcConn, dst: String(dst), dst_connector: dstConn, attributes });
    };
    for (let m = 0; m < maps; m++) {
      const data = (c: number): string => {
        const name = `a_${s}_${m}_${c}`;
        arrays[name] = { type: 'Array', attributes: { dtype: 'float64', shape: ['$N'], strides: ['1'], total_size: '$N', transient: c > 0 } };
        return name;
      };
      let last = node('AccessNode', data(0), { data: data(0) }, null, null);
      for (let c = 1; c <= chain; c++) {
        const [from, to] = [data(c - 1), data(c)];
        if (flat) {
          const tasklet = node('Tasklet', `t${c}`, { label: `t${c}`, code: { string_data: 'o = i + 1', language: 'Python' }, in_connectors: { i: null }, out_connectors: { o: null } }, null, null);
          const access = node('AccessNode', to, { data: to }, null, null);
          edge(last, null, tasklet, 'i', memlet(from, point, '1'));
          edge(tasklet, 'o', access, null, memlet(to, point, '1'));
          last = access;
          continue;
        }
        const entry = nodes.length;
        const exit = entry + 2;
        node('MapEntry', `m${c}`, { label: `m${c}`, params: ['i'], range, in_connectors: { [`IN_${from}`]: null }, out_connectors: { [`OUT_${from}`]: null } }, null, exit);
        const tasklet = node('Tasklet', `t${c}`, { label: `t${c}`, code: { string_data: `o = i * ${c} + 1`, language: 'Python' }, in_connectors: { i: null }, out_connectors: { o: null } }, entry, exit);
        node('MapExit', `m${c}`, { in_connectors: { [`IN_${to}`]: null }, out_connectors: { [`OUT_${to}`]: null } }, entry, exit);
        const access = node('AccessNode', to, { data: to }, null, null);
        edge(last, null, entry, `IN_${from}`, memlet(from, range, '$N'));
        edge(entry, `OUT_${from}`, tasklet, 'i', memlet(from, point, '1'));
        edge(tasklet, 'o', exit, `IN_${to}`, memlet(to, point, '1'));
        edge(exit, `OUT_${to}`, access, null, memlet(to, range, '$N'));
        last = access;
      }
    }
    return { type: 'SDFGState', label: `state_${s}`, id: s, collapsed: false, attributes: {}, nodes, edges };
  };
  const nodes = Array.from({ length: states }, (_, s) => nodesOf(s));
  const edges = Array.from({ length: states - 1 }, (_, s): JsonObject => ({
    type: 'Edge', src: String(s), dst: String(s + 1),
    attributes: { data: { type: 'InterstateEdge', attributes: { assignments: {}, condition: { string_data: '1', language: 'Python' } } } },
  }));
  return {
    type: 'SDFG', dace_version: '2.0.0a6', cfg_list_id: 0, start_block: 0, label: '', id: null, collapsed: false,
    attributes: { name: 'generated', symbols: { N: 'int32' }, _arrays: arrays }, nodes, edges,
  };
}
