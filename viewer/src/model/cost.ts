// Cost of elements: measured times from DaCe's instrumentation reports, our own report, and bytes
// counted from the memlets of the file itself.

import { asArray, asObject, asText, describe, FileError, isObject, type JsonObject } from './json';
import { attributes, plain } from './text';
import { descriptorOf, isBlockKind, type Item, type Model } from './model';
import { evaluate } from './evaluate';

export interface Cost {
  item: number;
  bytes: number | null;
  flops: number | null;
  expected: number | null;   // seconds
  measured: number | null;   // seconds: the median of all runs
  runs: number;
}

export interface Machine { name: string; bandwidth: number; flops: number }   // bytes and operations per second
export interface CostTable { costs: Map<number, Cost>; machine: Machine | null; source: string; unknown: string[] }

export type Metric = 'measured' | 'expected' | 'bytes' | 'flops' | 'intensity' | 'bandwidth';

export const metrics: { key: Metric; name: string; unit: string }[] = [
  { key: 'measured', name: 'Measured time', unit: 's' }, { key: 'expected', name: 'Expected time', unit: 's' },
  { key: 'bytes', name: 'Bytes moved', unit: 'B' }, { key: 'flops', name: 'Operations', unit: 'flop' },
  { key: 'intensity', name: 'Arithmetic intensity', unit: 'flop/B' }, { key: 'bandwidth', name: 'Bandwidth', unit: 'B/s' },
];

export function metricOf(cost: Cost, metric: Metric): number | null {
  if (metric === 'intensity') return cost.flops === null || !cost.bytes ? null : cost.flops / cost.bytes;
  if (metric === 'bandwidth') return cost.bytes === null || !cost.measured ? null : cost.bytes / cost.measured;
  return cost[metric];
}

function emptyCost(item: number): Cost {
  return { item, bytes: null, flops: null, expected: null, measured: null, runs: 0 };
}

/** One entry per element that the report names. Newer DaCe writes cfg_id, older sdfg_id. */
export function readTrace(model: Model, trace: JsonObject): CostTable {
  const graphs = new Map<number, Item>();
  for (const item of model.items) if (item.cfg >= 0) graphs.set(item.cfg, item);
  const durations = new Map<number, number[]>();
  const unknown = new Set<string>();
  asArray(trace['traceEvents']).forEach((value) => {
    const event = asObject(value);
    if (event['ph'] !== 'X' || typeof event['dur'] !== 'number') return;
    const args = asObject(event['args']);
    const item = elementAt(model, graphs, idOf(args['cfg_id'] ?? args['sdfg_id']), idOf(args['state_id']), idOf(args['id']));
    if (item === null) { unknown.add(asText(event['name'])); return; }
    const list = durations.get(item.id);
    if (list === undefined) durations.set(item.id, [event['dur']]);
    else list.push(event['dur']);
  });
  const costs = new Map<number, Cost>();
  for (const [item, list] of durations) {
    list.sort((a, b) => a - b);
    costs.set(item, { ...emptyCost(item), measured: list[list.length >> 1]! / 1e6, runs: list.length });
  }
  return { costs, machine: null, source: 'instrumentation report', unknown: [...unknown] };
}

function idOf(value: unknown): number {
  return typeof value === 'number' ? value : -1;
}

function elementAt(model: Model, graphs: Map<number, Item>, graph: number, state: number, node: number): Item | null {
  const holder = graphs.get(graph);
  if (holder === undefined) return null;
  if (state < 0) return holder;
  const block = holder.children.map((id) => model.items[id]!).find((item) => item.index === state && isBlockKind(item.kind));
  if (block === undefined) return null;
  if (node < 0) return block;
  // Nodes of a state may lie in scopes; the index is that of the state's list.
  const work = [...block.children];
  while (work.length > 0) {
    const item = model.items[work.pop()!]!;
    if (item.kind === 'Scope') {
      if (item.index === node) return item;
      work.push(...item.children);
    } else if (item.index === node) return item;
  }
  return null;
}

/** Our own report: kernels by JSON pointer or guid (docs/history-format.md). */
export function readReport(model: Model, report: JsonObject): CostTable {
  const kernels = report['kernels'];
  if (!Array.isArray(kernels)) throw new FileError('/kernels', `expected an array, found ${describe(kernels)}`);
  const byName = new Map<string, number>();
  for (const item of model.items) {
    if (item.guid !== '') byName.set(item.guid, item.id);
    byName.set(item.path.replace(/#$/, ''), Math.min(byName.get(item.path.replace(/#$/, '')) ?? Infinity, item.id));
  }
  const costs = new Map<number, Cost>();
  const unknown: string[] = [];
  for (const value of kernels) {
    const kernel = asObject(value);
    let item = byName.get(asText(kernel['element']));
    if (item === undefined) { unknown.push(asText(kernel['name']) || asText(kernel['element'])); continue; }
    const holder = model.items[item]!.parent;
    if (model.items[item]!.entry === item && holder >= 0 && model.items[holder]!.kind === 'Scope') item = holder;
    const number = (key: string): number | null => (typeof kernel[key] === 'number' ? kernel[key] : null);
    costs.set(item, {
      item, bytes: number('bytes'), flops: number('flops'), expected: number('expected'), measured: number('measured'),
      runs: number('runs') ?? 1,
    });
  }
  const machine = report['machine'];
  return {
    costs, unknown, source: 'report',
    machine: isObject(machine) ? { name: asText(machine['name']), bandwidth: Number(machine['bandwidth'] ?? 0), flops: Number(machine['flops'] ?? 0) } : null,
  };
}

const sizes: Record<string, number> = {
  bool: 1, bool_: 1, int8: 1, uint8: 1, int16: 2, uint16: 2, float16: 2, bfloat16: 2, int32: 4, uint32: 4, float32: 4,
  int64: 8, uint64: 8, float64: 8, complex64: 8, complex128: 16,
};

/** Symbols of the file that need a value before bytes can be counted. */
export function freeSymbols(model: Model): string[] {
  const names = new Set<string>();
  for (const sdfg of model.sdfgs) for (const name of Object.keys(asObject(attributes(sdfg.json)['symbols']))) names.add(name);
  return [...names].sort();
}

/** Bytes that cross the border of each outermost map, library node and copy, as memlets say. */
export function countBytes(model: Model, symbols: ReadonlyMap<string, number>): CostTable {
  const costs = new Map<number, Cost>();
  let missing = 0;
  for (const edge of model.edges) {
    if (edge.kind !== 'memlet' || typeof edge.data['data'] !== 'string') continue;
    for (const end of [edge.src, edge.dst]) {
      const item = kernelOf(model, end, edge.holder);
      if (item === null) continue;
      const descriptor = descriptorOf(model, item.sdfg, edge.data['data']);
      const dtype = descriptor === undefined ? undefined : attributes(descriptor)['dtype'] ?? 'int32';
      const size = sizes[asText(dtype)] ?? null;
      const volume = edge.data['dynamic'] === true ? null : evaluate(plain(edge.data['volume'] ?? edge.data['num_accesses']), symbols);
      const cost = costs.get(item.id) ?? { ...emptyCost(item.id), bytes: 0 };
      if (size === null || volume === null || volume <= 0) { missing++; cost.bytes = cost.bytes === 0 ? null : cost.bytes; }
      else cost.bytes = (cost.bytes ?? 0) + size * volume;
      costs.set(item.id, cost);
    }
  }
  return { costs, machine: null, source: 'memlet volumes', unknown: missing === 0 ? [] : [`${missing} memlets without a known volume`] };
}

/** The outermost scope, or the library node, that an end of a state's edge belongs to. */
function kernelOf(model: Model, end: number, holder: number): Item | null {
  for (let up = holder; up >= 0; up = model.items[up]!.parent) if (model.items[up]!.kind === 'Scope') return null;
  const node = model.items[end]!;
  if (node.parent !== holder) {
    let up = node;
    while (up.parent !== holder) up = model.items[up.parent]!;
    return up.kind === 'Scope' ? up : null;
  }
  return node.kind === 'LibraryNode' ? node : null;
}

const prefixes: [number, string][] = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];

export function withUnit(value: number, unit: string): string {
  if (value === 0) return `0 ${unit}`;
  const [scale, prefix] = prefixes.find(([s]) => Math.abs(value) >= s) ?? [1e-9, 'n'];
  const scaled = value / scale;
  return `${scaled >= 100 ? scaled.toFixed(0) : scaled >= 10 ? scaled.toFixed(1) : scaled.toFixed(2)} ${prefix}${unit}`;
}
