import { describe, expect, it } from 'vitest';
import { SvgContext } from '../src/draw/context';
import { noMarks } from '../src/draw/paint';
import { makeScene, pick } from '../src/draw/scene';
import { light } from '../src/draw/theme';
import { toSvg } from '../src/export';
import { firstOpen } from '../src/layout/tree';
import { readLink, writeLink } from '../src/link';
import { countBytes, metricOf, readReport, readTrace, withUnit } from '../src/model/cost';
import { evaluate } from '../src/model/evaluate';
import { buildModel } from '../src/model/model';
import { facesOf, generate, layout, solver } from './helpers';

describe('expressions', () => {
  const symbols = new Map([['N', 10], ['M', 3]]);
  it('are evaluated where all names are known', () => {
    const cases: [string, number | null][] = [
      ['N*(M + 1)', 40], ['-1 + N', 9], ['N//M', 3], ['int_ceil(N, M)', 4], ['Min(N, M)**2', 9], ['N % 4', 2], ['-N + 2*M', -4],
      ['1/2*N', 5], ['K + 1', null], ['N +', null], ['f(N)', null], ['', null], ['N M', null],
    ];
    for (const [text, value] of cases) expect(evaluate(text, symbols), text).toBe(value);
  });
});

describe('cost', () => {
  const model = buildModel(generate({ states: 2, chain: 2, maps: 1 }), 'g');
  const scopes = model.items.filter((i) => i.kind === 'Scope');
  const event = (args: object, dur: number): any => ({ ph: 'X', name: 'e', cat: 'Timer', ts: 0, dur, pid: 1, tid: 1, args });

  it('reads reports of newer and of older DaCe', () => {
    for (const key of ['cfg_id', 'sdfg_id']) {
      const trace = readTrace(model, { traceEvents: [event({ [key]: 0, state_id: 1, id: 1 }, 30), event({ [key]: 0, state_id: 1, id: 1 }, 10), event({ [key]: 0, state_id: 1, id: 1 }, 20), event({ [key]: 0 }, 99), event({ [key]: 7 }, 1)] });
      expect(trace.costs.get(scopes[2]!.id)).toMatchObject({ measured: 20e-6, runs: 3 });
      expect(trace.costs.get(0)?.measured).toBeCloseTo(99e-6);
      expect(trace.unknown).toEqual(['e']);
    }
  });

  it('reads our report by JSON pointer', () => {
    const report = readReport(model, { type: 'SDFGReport', machine: { name: 'm', bandwidth: 1e12, flops: 1e13 }, kernels: [{ element: '/nodes/0/nodes/1', name: 'm1', bytes: 1000, flops: 500, measured: 1e-6 }, { element: '/nowhere', name: 'lost' }] });
    const cost = report.costs.get(scopes[0]!.id)!;
    expect(metricOf(cost, 'intensity')).toBe(0.5);
    expect(metricOf(cost, 'bandwidth')).toBeCloseTo(1e9);
    expect(report.unknown).toEqual(['lost']);
  });

  it('counts bytes at the border of each map', () => {
    const table = countBytes(model, new Map([['N', 100]]));
    expect([...table.costs.keys()]).toEqual(scopes.map((s) => s.id));
    expect([...table.costs.values()].map((c) => c.bytes)).toEqual([1600, 1600, 1600, 1600]);
    expect(countBytes(model, new Map()).costs.get(scopes[0]!.id)?.bytes).toBe(null);
  });

  it('writes numbers with units', () => {
    expect([withUnit(1234567, 'B'), withUnit(0.00002, 's'), withUnit(0, 's')]).toEqual(['1.23 MB', '20.0 µs', '0 s']);
  });
});

describe('pictures', () => {
  it('are the same as SVG twice, hold the names, and escape them', async () => {
    const source = generate({ states: 1, chain: 2, maps: 1 }) as any;
    source.nodes[0].label = 'a<b>&"c"';
    const model = buildModel(source, 'g');
    const scene = makeScene(model, facesOf(model), await layout(model, firstOpen(model), solver()));
    const svg = toSvg(scene, light, noMarks, null, 'g');
    expect(svg).toBe(toSvg(scene, light, noMarks, null, 'g'));
    expect(svg).toContain('a&lt;b&gt;&amp;&quot;c&quot;');
    expect(svg).toContain('o = i * 2 + 1');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('know what lies at a point', async () => {
    const model = buildModel(generate({ states: 1, chain: 1, maps: 1 }), 'g');
    const scene = makeScene(model, facesOf(model), await layout(model, firstOpen(model), solver()));
    const tasklet = model.items.find((i) => i.kind === 'Tasklet')!;
    const box = scene.boxes[scene.boxOf[tasklet.id]!]!;
    expect(pick(scene, box.x + box.w / 2, box.y + box.h / 2, 4)).toEqual({ item: tasklet.id });
    const line = scene.lines.find((l) => model.edges[l.edge]!.dst === tasklet.id)!;
    expect(pick(scene, line.points[0]!, line.points[1]! + 12, 8)).toEqual({ edge: line.edge });
    expect(pick(scene, -50, -50, 4)).toBe(null);
  });

  it('write half-transparent colours in a way that every reader of SVG knows', () => {
    const ctx = new SvgContext();
    ctx.fillStyle = '#11223380';
    ctx.fillRect(0, 0, 1, 1);
    expect(ctx.toString()).toContain('fill="#112233" fill-opacity="0.50"');
  });
});

describe('links', () => {
  it('restore what they were made from', () => {
    const link = { file: 'a b.sdfg', camera: { x: 10, y: -20, zoom: 0.5 }, selected: '/nodes/0', toggled: [3, 40, 1000], step: 4, metric: 'bytes', query: 'a|b&c' };
    expect(readLink('#' + writeLink(link))).toEqual(link);
    expect(readLink('#c=1,2,x&h=-3')).toEqual({ file: '', camera: null, selected: '', toggled: [], step: 0, metric: '', query: '' });
  });
});
