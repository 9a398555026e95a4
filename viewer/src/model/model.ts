// The SDFG as a tree of things that can be opened, and edges between them.
//
// An item is an SDFG, a block, a node, or the scope between an entry and its exit. A nested SDFG
// and its node are one item. Items are numbered parents first, and every edge belongs to the
// lowest item that holds both its ends. Broken parts are left out and listed in `problems`, so
// that a damaged file can still be looked at.

import { asArray, asText, describe, FileError, isObject, parseJson, pointer, type Json, type JsonObject } from './json';
import { attributes, code, unparen } from './text';

export interface Item {
  id: number;
  kind: string;          // DaCe's type, or 'Scope'
  label: string;
  path: string;          // JSON pointer into the file; a scope has its entry's path + '#'
  guid: string;
  json: JsonObject;
  parent: number;        // -1 for the whole SDFG
  children: number[];
  edges: number[];       // edges whose lowest common holder this is
  descendants: number;
  depth: number;
  sdfg: number;          // index into Model.sdfgs: whose names are meant here
  condition: string;     // of a branch: what is shown above it
  entry: number;         // of a scope and of an exit: its entry; else -1
  exit: number;          // of a scope and of an entry: its exit; else -1
  cfg: number;           // cfg_list_id of the graph that it is, or -1
  index: number;         // position in its JSON array
}

export interface Edge {
  id: number;
  kind: 'memlet' | 'interstate' | 'order';   // 'order': branches follow one another
  src: number;
  dst: number;
  srcConn: string;
  dstConn: string;
  data: JsonObject;      // attributes of the memlet or interstate edge
  holder: number;
  path: string;
}

export interface Sdfg {
  name: string;
  json: JsonObject;
  path: string;
  item: number;
  arrays: Map<string, JsonObject>;
}

export interface Problem { place: string; what: string }

export interface Model {
  name: string;
  root: JsonObject;
  version: string;
  items: Item[];
  edges: Edge[];
  sdfgs: Sdfg[];
  problems: Problem[];
}

const stateKinds = new Set(['SDFGState', 'State']);
const regionKinds = new Set([
  'SDFG', 'ControlFlowRegion', 'LoopRegion', 'BranchRegion', 'NamedRegion', 'FunctionCallRegion',
  'UnstructuredControlFlow',
]);
const leafBlockKinds = new Set(['BreakBlock', 'ContinueBlock', 'ReturnBlock', 'ControlFlowBlock']);

export const isState = (item: Item): boolean => stateKinds.has(item.kind);
export const isEntry = (kind: string): boolean => kind.endsWith('Entry');
export const isExit = (kind: string): boolean => kind.endsWith('Exit');
export const isContainer = (item: Item): boolean => item.children.length > 0;
export const isRegionKind = (kind: string): boolean => regionKinds.has(kind);
export const isBlockKind = (kind: string): boolean =>
  stateKinds.has(kind) || regionKinds.has(kind) || leafBlockKinds.has(kind) || kind === 'ConditionalBlock';

/** A graph that still has to be read, and the item that will hold it. */
interface Task { graph: JsonObject; path: string; holder: number; sdfg: number }

export function buildModel(root: JsonObject, name: string): Model {
  if (root['type'] !== 'SDFG') throw new FileError('/type', `expected 'SDFG', found ${describe(root['type'])}`);
  const model: Model = {
    name, root, version: asText(root['dace_version']), items: [], edges: [], sdfgs: [], problems: [],
  };
  if (!Array.isArray(root['nodes'])) throw new FileError('/nodes', `expected an array, found ${describe(root['nodes'])}`);
  const top = addItem(model, root, '', -1, 0, 0);
  top.label = asText(attributes(root)['name']) || name;
  const tasks: Task[] = [{ graph: root, path: '', holder: top.id, sdfg: addSdfg(model, root, '', top.id) }];
  // Depth first, in file order, so that numbers of graphs can be derived when a file has none.
  let cfg = 0;
  while (tasks.length > 0) {
    const task = tasks.pop()!;
    const holder = model.items[task.holder]!;
    const found: Task[] = [];
    if (isState(holder)) {
      readState(model, task, found);
    } else {
      const given = task.graph['cfg_list_id'] ?? task.graph['sdfg_list_id'];
      holder.cfg = typeof given === 'number' ? given : cfg;
      cfg++;
      readRegion(model, task, found);
    }
    for (let i = found.length - 1; i >= 0; i--) tasks.push(found[i]!);
  }
  countDescendants(model);
  placeEdges(model);
  return model;
}

function addItem(model: Model, json: JsonObject, path: string, parent: number, sdfg: number, index: number): Item {
  const own = attributes(json);
  const item: Item = {
    id: model.items.length,
    kind: asText(json['type']).replace(/\..*$/, '') || 'Unknown',
    label: asText(own['label']) || asText(json['label']),
    path, guid: asText(own['guid']), json, parent, children: [], edges: [], descendants: 0,
    depth: parent < 0 ? 0 : model.items[parent]!.depth + 1,
    sdfg, condition: '', entry: -1, exit: -1, cfg: -1, index,
  };
  model.items.push(item);
  if (parent >= 0) model.items[parent]!.children.push(item.id);
  return item;
}

function addSdfg(model: Model, json: JsonObject, path: string, item: number): number {
  const arrays = new Map<string, JsonObject>();
  const own = attributes(json);
  const described = own['_arrays'];
  if (isObject(described)) {
    for (const [name, descriptor] of Object.entries(described)) {
      if (isObject(descriptor)) arrays.set(name, descriptor);
    }
  }
  model.sdfgs.push({ name: asText(own['name']), json, path, item, arrays });
  return model.sdfgs.length - 1;
}

/** The objects of an array; anything else in it becomes a problem. */
function objects(model: Model, json: JsonObject, key: string, path: string): (JsonObject | null)[] {
  const list = json[key];
  if (!Array.isArray(list)) {
    if (list !== undefined && list !== null) {
      model.problems.push({ place: path + pointer(key), what: `expected an array, found ${describe(list)}` });
    } else if (list === undefined && key !== 'edges') {
      model.problems.push({ place: path || '/', what: `expected the key '${key}', found no such key` });
    }
    return [];
  }
  return list.map((entry, i) => {
    if (isObject(entry)) return entry;
    model.problems.push({ place: path + pointer(key, i), what: `expected an object, found ${describe(entry)}` });
    return null;
  });
}

function readRegion(model: Model, task: Task, found: Task[]): void {
  const { graph, path, holder, sdfg } = task;
  if (graph['type'] === 'ConditionalBlock') {
    readBranches(model, task, found);
    return;
  }
  const blocks = objects(model, graph, 'nodes', path).map((json, i) => {
    if (json === null) return -1;
    const at = path + pointer('nodes', i);
    const item = addItem(model, json, at, holder, sdfg, i);
    if (!leafBlockKinds.has(item.kind)) found.push({ graph: json, path: at, holder: item.id, sdfg });
    return item.id;
  });
  readEdges(model, graph, path, blocks, 'interstate');
}

function readBranches(model: Model, task: Task, found: Task[]): void {
  const { graph, path, holder, sdfg } = task;
  const ids: number[] = [];
  asArray(graph['branches']).forEach((branch, i) => {
    const [condition, region] = asArray(branch);
    const at = path + pointer('branches', i, 1);
    if (!isObject(region)) {
      model.problems.push({ place: at, what: `expected a region, found ${describe(region)}` });
      return;
    }
    const item = addItem(model, region, at, holder, sdfg, i);
    const text = unparen(code(condition).trim());
    item.condition = text === '' ? 'else' : `${i === 0 ? 'if' : 'else if'} ${text}`;
    ids.push(item.id);
    found.push({ graph: region, path: at, holder: item.id, sdfg });
  });
}

function readState(model: Model, task: Task, found: Task[]): void {
  const { graph, path, holder, sdfg } = task;
  const nodes = objects(model, graph, 'nodes', path);
  const scopes = scopeOf(graph, nodes);
  const ids: number[] = new Array<number>(nodes.length).fill(-1);
  const scopeItems = new Map<number, number>();   // index of an entry -> scope item

  // An entry is read before what its scope holds, whatever the order in the file.
  const place = (start: number): void => {
    const chain: number[] = [];
    for (let n = start; n >= 0 && ids[n] === -1 && nodes[n] !== null && !chain.includes(n); n = scopes[n]!) chain.push(n);
    for (const n of chain.reverse()) {
      const json = nodes[n] as JsonObject;
      const parent = scopeItems.get(scopes[n]!) ?? holder;
      const at = path + pointer('nodes', n);
      if (isEntry(asText(json['type']))) {
        const scope = addItem(model, json, at + '#', parent, sdfg, n);
        scope.kind = 'Scope';
        scope.guid = '';
        scopeItems.set(n, scope.id);
        const entry = addItem(model, json, at, scope.id, sdfg, n);
        entry.entry = entry.id;
        scope.entry = entry.id;
        ids[n] = entry.id;
      } else {
        ids[n] = addItem(model, json, at, parent, sdfg, n).id;
        openNested(model, model.items[ids[n]!]!, found);
      }
    }
  };
  for (let n = 0; n < nodes.length; n++) if (nodes[n] !== null) place(n);

  for (let n = 0; n < nodes.length; n++) {
    const item = model.items[ids[n]!];
    if (item === undefined || !isExit(item.kind)) continue;
    const scope = model.items[item.parent]!;
    if (scope.kind !== 'Scope') {
      model.problems.push({ place: item.path, what: `${item.kind} '${item.label}' belongs to no entry` });
      continue;
    }
    item.entry = scope.entry;
    scope.exit = item.id;
    model.items[scope.entry]!.exit = item.id;
    // What the file says is the entry's name with all ranges.
    item.label = scope.label || item.label;
  }
  readEdges(model, graph, path, ids, 'memlet');
}

/** For each node the index of the entry whose scope it lies in, or -1. */
function scopeOf(graph: JsonObject, nodes: (JsonObject | null)[]): number[] {
  const result = new Array<number>(nodes.length).fill(-1);
  const listed = graph['scope_dict'];
  const dictionary = new Map<number, number>();
  if (isObject(listed)) {
    for (const [entry, children] of Object.entries(listed)) {
      for (const child of asArray(children)) dictionary.set(Number(child), Number(entry));
    }
  }
  const byExit = new Map<number, number>();
  nodes.forEach((node, i) => {
    const exit = node?.['scope_exit'];
    if (node !== null && isEntry(asText(node['type'])) && exit !== null && exit !== undefined) byExit.set(Number(exit), i);
  });
  nodes.forEach((node, i) => {
    if (node === null) return;
    const stored = node['scope_entry'];
    let entry = stored === null || stored === undefined ? -1 : Number(stored);
    if (entry < 0 && isExit(asText(node['type']))) entry = byExit.get(i) ?? -1;
    if (entry < 0 && stored === undefined) entry = dictionary.get(i) ?? -1;
    const holder = nodes[entry];
    if (entry !== i && holder !== null && holder !== undefined && isEntry(asText(holder['type']))) result[i] = entry;
  });
  // Entries that claim to lie in one another would never be placed.
  result.forEach((_, i) => {
    const seen = new Set<number>();
    for (let n = i; n >= 0; n = result[n]!) {
      if (seen.has(n)) { result[n] = -1; break; }
      seen.add(n);
    }
  });
  return result;
}

function openNested(model: Model, item: Item, found: Task[]): void {
  if (item.kind !== 'NestedSDFG' && item.kind !== 'ExternalNestedSDFG') return;
  let inner: Json | undefined = attributes(item.json)['sdfg'];
  const at = item.path + pointer('attributes', 'sdfg');
  if (typeof inner === 'string') {
    try {
      inner = parseJson(inner);
    } catch (error) {
      model.problems.push({ place: at, what: error instanceof Error ? error.message : String(error) });
      return;
    }
  }
  if (!isObject(inner)) return;
  if (item.label === '') item.label = asText(attributes(inner)['name']);
  found.push({ graph: inner, path: at, holder: item.id, sdfg: addSdfg(model, inner, at, item.id) });
}

function readEdges(model: Model, graph: JsonObject, path: string, ids: number[], kind: 'memlet' | 'interstate'): void {
  objects(model, graph, 'edges', path).forEach((json, i) => {
    if (json === null) return;
    const at = path + pointer('edges', i);
    const end = (key: 'src' | 'dst'): number => {
      const id = ids[Number(json[key])];
      if (id !== undefined && id >= 0) return id;
      model.problems.push({ place: at + pointer(key), what: `${describe(json[key])} names no node; there are ${ids.length}` });
      return -1;
    };
    const [src, dst] = [end('src'), end('dst')];
    if (src < 0 || dst < 0) return;
    const data = attributes(json)['data'];
    model.edges.push({
      id: model.edges.length, kind, src, dst, srcConn: asText(json['src_connector']), dstConn: asText(json['dst_connector']),
      data: isObject(data) ? attributes(data) : {}, holder: -1, path: at,
    });
  });
}

function countDescendants(model: Model): void {
  for (let i = model.items.length - 1; i > 0; i--) {
    const item = model.items[i]!;
    model.items[item.parent]!.descendants += item.descendants + 1;
  }
}

function placeEdges(model: Model): void {
  for (const edge of model.edges) {
    let a = model.items[edge.src]!.parent;
    let b = model.items[edge.dst]!.parent;
    while (a !== b) {
      if (model.items[a]!.depth >= model.items[b]!.depth) a = model.items[a]!.parent;
      else b = model.items[b]!.parent;
    }
    edge.holder = a;
    model.items[a]!.edges.push(edge.id);
  }
}

export function ancestors(model: Model, id: number): number[] {
  const result: number[] = [];
  for (let at = model.items[id]!.parent; at >= 0; at = model.items[at]!.parent) result.push(at);
  return result;
}

/** Where an item is, in words: `vadd › s0 › map add`. */
export function placeText(model: Model, id: number): string {
  const names = [id, ...ancestors(model, id)].reverse().map((at) => model.items[at]!);
  return names.filter((item) => item.kind !== 'Scope' || item.id === id).map((item) => item.label || item.kind).join(' › ');
}

/** The container that an access node or memlet names, as its SDFG declares it. */
export function descriptorOf(model: Model, sdfg: number, data: string): JsonObject | undefined {
  const arrays = model.sdfgs[sdfg]?.arrays;
  const whole = arrays?.get(data);
  if (whole !== undefined || !data.includes('.')) return whole;
  const [root, ...members] = data.split('.');
  let at = arrays?.get(root!);
  for (const member of members) {
    const pair: Json | undefined = asArray(at === undefined ? [] : attributes(at)['members']).find((m) => asArray(m)[0] === member);
    const next: Json | undefined = asArray(pair)[1];
    if (!isObject(next)) return undefined;
    at = next;
  }
  return at;
}

/** Numbers of nodes, edges and SDFGs, for the status line. */
export function countText(model: Model): string {
  const nodes = model.items.filter((item) => item.kind !== 'Scope' && item.parent >= 0).length;
  return `${nodes.toLocaleString('en')} nodes, ${model.edges.length.toLocaleString('en')} edges`;
}
