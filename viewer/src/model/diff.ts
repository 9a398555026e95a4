// What differs between two SDFGs, element by element.
//
// Holders are matched from the top down, and what they hold by guid, then by equal content, then
// by name and neighbours, then by name, then as the only ones of their kind. What is left over is
// looked for in the whole other graph, so that a node that moved to another scope or state is
// matched there. Everything still unmatched was added or removed. Parts that both SDFGs share as
// the same object, as the steps of a history do, are matched without being compared.

import { attributes } from './text';
import { asText, type JsonObject } from './json';
import { changes, containerChanges, stable, type Change } from './properties';
import type { Edge, Item, Model } from './model';

export interface Changed { left: number; right: number; changes: Change[] }

export interface Diff {
  left: Model;
  right: Model;
  toRight: Int32Array;          // item of the left -> item of the right, or -1
  toLeft: Int32Array;
  edgeToRight: Int32Array;
  edgeToLeft: Int32Array;
  added: number[];              // items of the right
  removed: number[];            // items of the left
  changed: Changed[];
  addedEdges: number[];
  removedEdges: number[];
  changedEdges: Changed[];
}

const holderOnly = new Set(['nodes', 'edges']);

export function diffModels(left: Model, right: Model): Diff {
  const diff: Diff = {
    left, right,
    toRight: new Int32Array(left.items.length).fill(-1), toLeft: new Int32Array(right.items.length).fill(-1),
    edgeToRight: new Int32Array(left.edges.length).fill(-1), edgeToLeft: new Int32Array(right.edges.length).fill(-1),
    added: [], removed: [], changed: [], addedEdges: [], removedEdges: [], changedEdges: [],
  };
  const names = { left: left.items.map(nameOf), right: right.items.map(nameOf) };
  const work: [number, number][] = [];
  const match = (a: number, b: number): void => {
    diff.toRight[a] = b;
    diff.toLeft[b] = a;
    work.push([a, b]);
  };
  match(0, 0);
  matchHolders(diff, names, work, match);
  matchMoved(diff, names, work, match);
  compareItems(diff);
  matchEdges(diff);
  return diff;
}

interface Names { left: string[]; right: string[] }
type Match = (a: number, b: number) => void;

/** What makes an element that element: its kind and what it names. */
function nameOf(item: Item): string {
  const own = attributes(item.json);
  return `${item.kind} ${item.kind === 'AccessNode' ? asText(own['data']) : item.condition || item.label}`;
}

/** What a node says about itself; what it holds is compared one by one. */
function contentOf(item: Item): string {
  const { sdfg, ...own } = attributes(item.json) as JsonObject & { sdfg?: unknown };
  void sdfg;
  const { nodes, edges, _arrays, ...rest } = own as JsonObject;
  void nodes; void edges; void _arrays;
  return stable(rest);
}

function matchHolders(diff: Diff, names: Names, work: [number, number][], match: Match): void {
  const { left, right } = diff;
  while (work.length > 0) {
    const [a, b] = work.pop()!;
    const [p, q] = [left.items[a]!, right.items[b]!];
    if (p.json === q.json && p.children.length === q.children.length) {
      p.children.forEach((child, i) => match(child, q.children[i]!));
      continue;
    }
    if (p.kind === 'Scope' && q.kind === 'Scope') {
      if (p.entry >= 0 && q.entry >= 0) match(p.entry, q.entry);
      if (p.exit >= 0 && q.exit >= 0) match(p.exit, q.exit);
    }
    const keys: [(item: Item) => string, (item: Item) => string][] = [
      [guidKey, guidKey],
      [sharedKey(left), sharedKey(right)],
      [(i) => names.left[i.id]! + '|' + contentOf(i) + '|' + around(left, i, names.left), (i) => names.right[i.id]! + '|' + contentOf(i) + '|' + around(right, i, names.right)],
      [(i) => names.left[i.id]! + '|' + contentOf(i), (i) => names.right[i.id]! + '|' + contentOf(i)],
      [(i) => names.left[i.id]! + '|' + around(left, i, names.left), (i) => names.right[i.id]! + '|' + around(right, i, names.right)],
      [(i) => names.left[i.id]!, (i) => names.right[i.id]!],
    ];
    for (const [keyLeft, keyRight] of keys) matchByKey(diff, p.children, q.children, keyLeft, keyRight, match, false);
    matchByKey(diff, p.children, q.children, (i) => i.kind, (i) => i.kind, match, true);
  }
}

function guidKey(item: Item): string {
  return item.guid === '' ? '' : `${item.kind} ${item.guid}`;
}

/** Elements that are the very same object on both sides get the same number. */
const identities = new WeakMap<object, number>();
let identity = 0;
function sharedKey(model: Model): (item: Item) => string {
  void model;
  return (item) => {
    let id = identities.get(item.json);
    if (id === undefined) identities.set(item.json, (id = identity++));
    return `${item.kind} ${id}`;
  };
}

function around(model: Model, item: Item, names: string[]): string {
  const holder = model.items[item.parent];
  if (holder === undefined) return '';
  let list = neighbours.get(holder.edges);
  if (list === undefined) {
    list = new Map();
    for (const id of holder.edges) {
      const e = model.edges[id]!;
      push(list, e.src, `>${e.srcConn} ${names[e.dst]!}`);
      push(list, e.dst, `<${e.dstConn} ${names[e.src]!}`);
    }
    neighbours.set(holder.edges, list);
  }
  return (list.get(item.id) ?? []).sort().join(';');
}

const neighbours = new WeakMap<number[], Map<number, string[]>>();

function push<K>(map: Map<K, string[]>, key: K, value: string): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Matches what has the same key, first with first; with `single`, only where there is one of each. */
function matchByKey(
  diff: Diff, lefts: number[], rights: number[], keyLeft: (i: Item) => string, keyRight: (i: Item) => string, match: Match, single: boolean,
): void {
  const free = new Map<string, number[]>();
  for (const id of rights) {
    if (diff.toLeft[id]! >= 0) continue;
    const key = keyRight(diff.right.items[id]!);
    const list = free.get(key);
    if (key === '') continue;
    if (list === undefined) free.set(key, [id]);
    else list.push(id);
  }
  if (free.size === 0) return;
  const wanted = new Map<string, number[]>();
  for (const id of lefts) {
    if (diff.toRight[id]! >= 0) continue;
    const key = keyLeft(diff.left.items[id]!);
    if (!free.has(key)) continue;
    const list = wanted.get(key);
    if (list === undefined) wanted.set(key, [id]);
    else list.push(id);
  }
  for (const [key, ids] of wanted) {
    const others = free.get(key)!;
    if (single && (ids.length !== 1 || others.length !== 1)) continue;
    for (let i = 0; i < Math.min(ids.length, others.length); i++) match(ids[i]!, others[i]!);
  }
}

/** Looks for what left its holder: matched where name and content are found exactly once elsewhere. */
function matchMoved(diff: Diff, names: Names, work: [number, number][], match: Match): void {
  const rest = (map: Int32Array): number[] => [...map.keys()].filter((i) => map[i]! < 0);
  const levels: [(i: Item) => string, (i: Item) => string][] = [
    [guidKey, guidKey],
    [sharedKey(diff.left), sharedKey(diff.right)],
    [(i) => `${names.left[i.id]!}|${contentOf(i)}`, (i) => `${names.right[i.id]!}|${contentOf(i)}`],
  ];
  for (const [keyLeft, keyRight] of levels) {
    matchByKey(diff, rest(diff.toRight), rest(diff.toLeft), keyLeft, keyRight, match, true);
    matchHolders(diff, names, work, match);
  }
}

function compareItems(diff: Diff): void {
  diff.left.items.forEach((item, a) => {
    const b = diff.toRight[a]!;
    if (b < 0) { diff.removed.push(a); return; }
    const other = diff.right.items[b]!;
    if (item.json === other.json || item.kind === 'Scope') return;
    const found = changes(attributes(item.json), attributes(other.json), holderOnly);
    if (item.condition !== other.condition) found.push({ property: 'condition', before: item.condition, after: other.condition });
    const [own, its] = [sdfgOf(diff.left, item), sdfgOf(diff.right, other)];
    if (own !== null && its !== null && own !== its) found.push(...containerChanges(own, its), ...(item.id === 0 ? [] : changes(own, its, holderOnly)));
    const place = diff.toRight[item.parent];
    if (item.parent >= 0 && place !== undefined && place !== other.parent) {
      found.push({ property: 'place', before: holderName(diff.left, item), after: holderName(diff.right, other) });
    }
    if (found.length > 0) diff.changed.push({ left: a, right: b, changes: found });
  });
  diff.toLeft.forEach((a, b) => { if (a < 0) diff.added.push(b); });
}

function holderName(model: Model, item: Item): string {
  const holder = model.items[item.parent]!;
  return `${holder.kind} ${holder.label}`;
}

/** Attributes of the SDFG that an item is or holds. */
function sdfgOf(model: Model, item: Item): JsonObject | null {
  if (item.id === 0) return attributes(model.root);
  const inner = item.kind === 'NestedSDFG' ? model.items[item.children[0] ?? -1] : undefined;
  const sdfg = inner === undefined ? undefined : model.sdfgs[inner.sdfg];
  return sdfg === undefined ? null : attributes(sdfg.json);
}

function matchEdges(diff: Diff): void {
  const { left, right } = diff;
  const loose = (e: Edge, src: number, dst: number): string => `${src} ${dst} ${asText(e.data['data'])}`;
  const exact = (e: Edge, src: number, dst: number): string => `${src} ${e.srcConn} ${dst} ${e.dstConn}`;
  const same = (e: Edge, src: number, dst: number): string => `${exact(e, src, dst)} ${stable(e.data)}`;
  for (const key of [same, exact, loose]) {
    const free = new Map<string, number[]>();
    for (const e of right.edges) {
      if (diff.edgeToLeft[e.id]! >= 0) continue;
      const k = key(e, e.src, e.dst);
      const list = free.get(k);
      if (list === undefined) free.set(k, [e.id]);
      else list.push(e.id);
    }
    if (free.size === 0) break;
    for (const e of left.edges) {
      if (diff.edgeToRight[e.id]! >= 0) continue;
      const [src, dst] = [diff.toRight[e.src]!, diff.toRight[e.dst]!];
      if (src < 0 || dst < 0) continue;
      const other = free.get(key(e, src, dst))?.shift();
      if (other === undefined) continue;
      diff.edgeToRight[e.id] = other;
      diff.edgeToLeft[other] = e.id;
    }
  }
  for (const e of left.edges) {
    const other = diff.edgeToRight[e.id]!;
    if (other < 0) { diff.removedEdges.push(e.id); continue; }
    const its = right.edges[other]!;
    const found = e.data === its.data ? [] : changes(e.data, its.data, derived);
    if (e.srcConn !== its.srcConn) found.push({ property: 'src_connector', before: e.srcConn, after: its.srcConn });
    if (e.dstConn !== its.dstConn) found.push({ property: 'dst_connector', before: e.dstConn, after: its.dstConn });
    if (found.length > 0) diff.changedEdges.push({ left: e.id, right: other, changes: found });
  }
  diff.edgeToLeft.forEach((a, b) => { if (a < 0) diff.addedEdges.push(b); });
}

/** Memlet attributes that follow from others. */
const derived = new Set(['src_subset', 'dst_subset', 'num_accesses', 'is_data_src']);

export function isEmpty(diff: Diff): boolean {
  return diff.added.length + diff.removed.length + diff.changed.length + diff.addedEdges.length + diff.removedEdges.length + diff.changedEdges.length === 0;
}
