import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diffModels, isEmpty, type Diff } from '../src/model/diff';
import { applyPatch, readHistory } from '../src/model/history';
import type { Json, JsonObject } from '../src/model/json';
import { buildModel } from '../src/model/model';
import { diffMarks } from '../src/panel/changes';
import { light } from '../src/draw/theme';
import { corpusFiles, generate, loadFile } from './helpers';

type Editor = (copy: any) => void;

function edited(source: JsonObject, edit: Editor): Diff {
  const copy = structuredClone(source);
  edit(copy);
  return diffModels(buildModel(source, 'a'), buildModel(copy, 'b'));
}

const summary = (d: Diff): Record<string, string[]> => ({
  added: d.added.map((i) => `${d.right.items[i]!.kind} ${d.right.items[i]!.label}`),
  removed: d.removed.map((i) => `${d.left.items[i]!.kind} ${d.left.items[i]!.label}`),
  changed: d.changed.map((c) => `${d.right.items[c.right]!.kind} ${d.right.items[c.right]!.label}: ${c.changes.map((x) => `${x.property} ${x.before} → ${x.after}`).join('; ')}`),
  edges: [...d.addedEdges.map(() => 'added'), ...d.removedEdges.map(() => 'removed'), ...d.changedEdges.map((c) => c.changes.map((x) => x.property).join())],
});

describe('diff', () => {
  const source = generate({ states: 2, chain: 2, maps: 1 });

  it('finds nothing between a graph and its copy', () => {
    expect(isEmpty(edited(source, () => undefined))).toBe(true);
  });

  it('names the property that changed, before and after', () => {
    const d = edited(source, (g) => { g.nodes[0].nodes[1].attributes.schedule = 'GPU_Device'; });
    expect(summary(d)).toEqual({ added: [], removed: [], changed: ['MapEntry m1: schedule  → GPU_Device'], edges: [] });
  });

  it('of connectors and symbols names only those that differ', () => {
    const d = edited(source, (g) => { g.nodes[0].nodes[1].attributes.in_connectors = { IN_a_0_0_0: null, IN_new: null }; g.attributes.symbols = { N: 'int64', M: 'int32' }; });
    expect(summary(d).changed).toEqual(['SDFG generated: symbols N: int32 → N: int64, M: int32', 'MapEntry m1: in_connectors  → IN_new']);
  });

  it('matches nodes when others before them are removed', () => {
    const d = edited(source, (g) => {
      // The second map of the first state goes, with the access node behind it.
      const state = g.nodes[0];
      state.nodes = state.nodes.slice(0, 5);
      state.edges = state.edges.filter((e: any) => Number(e.src) < 5 && Number(e.dst) < 5);
    });
    expect(summary(d)).toEqual({
      added: [], removed: ['Scope m2', 'MapEntry m2', 'Tasklet t2', 'MapExit m2', 'AccessNode a_0_0_2'], changed: [], edges: ['removed', 'removed', 'removed', 'removed'],
    });
  });

  it('finds a node that moved to another state', () => {
    const d = edited(source, (g) => {
      g.nodes[0].nodes.push({ type: 'Tasklet', label: 'lonely', scope_entry: null, scope_exit: null, attributes: { label: 'lonely' } });
    });
    expect(summary(d).added).toEqual(['Tasklet lonely']);
    const copy = structuredClone(d.right.root) as any;
    copy.nodes[1].nodes.push(copy.nodes[0].nodes.pop());
    const moved = diffModels(d.right, buildModel(copy, 'c'));
    expect(summary(moved).changed).toEqual(['Tasklet lonely: place SDFGState state_0 → SDFGState state_1']);
    expect(moved.added.length + moved.removed.length).toBe(0);
  });

  it('sees changed subsets, containers and renamed states', () => {
    const d = edited(source, (g) => {
      g.nodes[0].edges[0].attributes.data.attributes.volume = '2*$N';
      g.attributes._arrays.a_0_0_0.attributes.storage = 'GPU_Global';
      g.nodes[1].label = 'renamed';
    });
    expect(summary(d)).toEqual({ added: [], removed: [], changed: ['SDFG generated: a_0_0_0.storage  → GPU_Global'], edges: ['volume'] });
    expect(d.toRight[d.left.items.find((i) => i.label === 'state_1')!.id]).toBe(d.right.items.find((i) => i.label === 'renamed')!.id);
  });

  it('marks what was added on the right, what was removed on the left, and who holds it', () => {
    const d = edited(source, (g) => { g.nodes[0].nodes[3].label = 'x'; g.nodes[0].nodes[2].attributes.code.string_data = 'o = 0'; });
    const tasklet = d.right.items.find((i) => i.label === 't1')!;
    const marks = diffMarks(d, 'right', light);
    expect(marks.items.get(tasklet.id)?.fill).toBe(light.changed.fill);
    expect(marks.items.get(tasklet.parent)).toEqual({ stroke: light.changed.stroke, width: 2 });
    const less = edited(source, (g) => { g.nodes.pop(); g.edges.pop(); });
    const gone = less.left.items.find((i) => i.label === 'state_1')!;
    expect(diffMarks(less, 'left', light).items.get(gone.id)?.fill).toBe(light.removed.fill);
    expect(diffMarks(less, 'right', light).items.size).toBe(0);
  });
});

it('compares graphs of 10,000 nodes in a moment', () => {
  const big = generate({ states: 20, chain: 25, maps: 5 });
  const start = performance.now();
  const d = edited(big, (g) => { g.nodes[3].nodes[7].attributes.schedule = 'Sequential'; g.nodes[9].nodes.splice(0, 0, { type: 'Tasklet', label: 'first', attributes: { label: 'first' }, scope_entry: null, scope_exit: null }); shift(g.nodes[9]); });
  expect(d.right.items.length).toBeGreaterThan(10000);
  expect(d.added.map((i) => d.right.items[i]!.label)).toEqual(['first']);
  expect(d.removed).toEqual([]);
  expect(d.addedEdges.length + d.removedEdges.length + d.changedEdges.length).toBe(0);
  expect(performance.now() - start).toBeLessThan(5000);
});

/** Renumbers a state after a node was put before all others. */
function shift(state: any): void {
  const next = (id: string | null): string | null => (id === null ? null : String(Number(id) + 1));
  for (const e of state.edges) { e.src = next(e.src); e.dst = next(e.dst); }
  for (const n of state.nodes.slice(1)) { n.scope_entry = next(n.scope_entry); n.scope_exit = next(n.scope_exit); }
}

describe('history', () => {
  const initial = generate({ states: 2, chain: 2, maps: 1 });
  const patch: Json[] = [
    { op: 'replace', path: '/nodes/0/nodes/1/attributes/schedule', value: 'GPU_Device' },
    { op: 'add', path: '/nodes/0/nodes/-', value: { type: 'Tasklet', label: 'new', attributes: { label: 'new' }, scope_entry: null, scope_exit: null } },
    { op: 'remove', path: '/edges/0' },
  ];

  it('applies patches without touching what they do not name', () => {
    const root = structuredClone(initial) as any;
    root.nodes[0].nodes[1].attributes.schedule = 'Default';
    const before = JSON.stringify(root);
    const after = applyPatch(root, patch, '/steps/0/patch') as any;
    expect(JSON.stringify(root)).toBe(before);
    expect(after.nodes[0].nodes[1].attributes.schedule).toBe('GPU_Device');
    expect(after.nodes[0].nodes.length).toBe(root.nodes[0].nodes.length + 1);
    expect(after.edges.length).toBe(0);
    expect(after.nodes[1]).toBe(root.nodes[1]);
    expect(after.attributes).toBe(root.attributes);
  });

  it('names the step and operation of a bad patch', () => {
    const bad = (op: Json): string => {
      try { applyPatch(initial, [op], '/steps/3/patch'); } catch (error) { return (error as Error).message; }
      return '';
    };
    expect(bad({ op: 'remove', path: '/nodes/7' })).toBe('/steps/3/patch/0/path: there is no index 7 to remove; the array has 2');
    expect(bad({ op: 'replace', path: '/nodes/0/blue/x', value: 1 })).toBe('/steps/3/patch/0/path: /nodes/0/blue does not exist');
    expect(bad({ op: 'move', path: '' })).toBe("/steps/3/patch/0/op: expected add, remove or replace, found 'move'");
    expect(bad({ op: 'add', path: '/nodes/0' })).toBe('/steps/3/patch/0/value: expected a value, found nothing');
  });

  it('shows for every step what its pass did', () => {
    const history = readHistory({
      type: 'SDFGHistory', version: 1, initial, counts: { kernels: 4 },
      steps: [
        { pass: 'set-schedule', place: 'state_0, m1', patch: [{ op: 'add', path: '/nodes/0/nodes/1/attributes/schedule', value: 'GPU_Device' }] },
        { pass: 'add-tasklet', patch: [patch[1]!], counts: { kernels: 5 } },
        { pass: 'nothing', patch: [] },
      ],
    });
    expect(history.steps.map((s) => s.counts['kernels'])).toEqual([4, 4, 5, 5]);
    const models = history.steps.map((s) => buildModel(s.root, 'h'));
    const diffs = [1, 2, 3].map((i) => diffModels(models[i - 1]!, models[i]!));
    expect(summary(diffs[0]!)).toEqual({ added: [], removed: [], changed: ['MapEntry m1: schedule  → GPU_Device'], edges: [] });
    expect(summary(diffs[1]!)).toEqual({ added: ['Tasklet new'], removed: [], changed: [], edges: [] });
    expect(isEmpty(diffs[2]!)).toBe(true);
  });
});

const { root, files } = corpusFiles();
const pairs = files.filter((f) => /lowered\.sdfgz$/.test(f)).slice(0, 25);
describe.skipIf(pairs.length === 0)('the corpus', () => {
  it('matches every file with itself, and both ways alike with what an optimizer made of it', async () => {
    for (const file of pairs) {
      const [a, again, b] = [await loadFile(join(root, file)), await loadFile(join(root, file)), await loadFile(join(root, file.replace('lowered', 'gt4py_gpu')))];
      expect(isEmpty(diffModels(a, again)), file).toBe(true);
      const d = diffModels(a, b);
      d.toRight.forEach((right, left) => { if (right >= 0) expect(d.toLeft[right]).toBe(left); });
      expect(d.removed.length + d.toRight.filter((r) => r >= 0).length).toBe(a.items.length);
      expect(d.added.length + d.toLeft.filter((l) => l >= 0).length).toBe(b.items.length);
    }
  }, 120000);
});
