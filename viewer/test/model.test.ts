import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { faceOf } from '../src/layout/face';
import { firstOpen } from '../src/layout/tree';
import { FileError, parseJson, type Json, type JsonObject } from '../src/model/json';
import { buildModel, placeText, type Model } from '../src/model/model';
import { readFile } from '../src/model/read';
import { pattern, search, usesOf } from '../src/model/search';
import { conditionText, dtypeText, memletText, plain, rangeText, subsetText, volumeText, wcrText } from '../src/model/text';
import { corpusFiles, generate, loadFile } from './helpers';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function failure(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(FileError);
    return (error as FileError).message;
  }
  throw new Error('nothing was refused');
}

const block = (type: string, label: string, more: JsonObject = {}): JsonObject => ({ type, label, id: 0, attributes: {}, nodes: [], edges: [], ...more });
const sdfg = (nodes: Json[], edges: Json[] = []): JsonObject => ({ type: 'SDFG', attributes: { name: 's' }, nodes, edges });
const find = (model: Model, label: string): number => model.items.find((i) => i.label === label)!.id;

describe('reading files', () => {
  const text = JSON.stringify(generate({ states: 1, chain: 1, maps: 1 }));

  it('reads plain and compressed JSON whatever the name', async () => {
    expect((await readFile('a.sdfgz', bytes(text))).kind).toBe('sdfg');
    expect((await readFile('a.sdfg', new Uint8Array(gzipSync(text)))).kind).toBe('sdfg');
  });

  it('reads NaN and infinities, which the standard parser refuses', () => {
    expect(parseJson('{"a": [NaN, -Infinity, Infinity, 1e3, "\\u00e4", {}, []]}')).toEqual({ a: [NaN, -Infinity, Infinity, 1000, 'ä', {}, []] });
  });

  it('names line, column and element of what cannot be read', async () => {
    expect(await failure(() => parseJson('{"nodes": [\n  {"type": "x",\n   "label" 1}]}'))).toBe("line 3, column 12, in /nodes/0/label: expected ':', found '1}]}'");
    expect(await failure(() => parseJson('{"a": [1, 2'))).toBe("line 1, column 12, in /a/1: expected ',' or ']', found the end of the file");
    expect(await failure(() => parseJson('{"a": "x'))).toContain('closing quote');
    expect(await failure(() => parseJson('[1] x'))).toContain("line 1, column 5: expected the end of the file, found 'x'");
  });

  it('tells what a file is that is no SDFG', async () => {
    expect(await failure(() => readFile('p', new Uint8Array([0x80, 4, 95])))).toContain('Python pickle');
    expect(await failure(() => readFile('p', bytes('../other/place.sdfg')))).toContain("expected '{', found '../other/place.sdfg'");
    expect(await failure(() => readFile('p', new Uint8Array(0)))).toContain('empty');
    expect(await failure(() => readFile('p', bytes('{"type": "Other"}')))).toBe("/type: expected 'SDFG', 'SDFGHistory' or 'SDFGReport', found 'Other'");
    expect(await failure(() => readFile('p', bytes('[1]')))).toBe('/: expected an object, found an array');
    expect(await failure(() => readFile('p', new Uint8Array(gzipSync(text)).slice(0, 60)))).toContain('damaged or cut short');
    expect(await failure(() => buildModel({ type: 'SDFG', attributes: {}, edges: [] }, 'x'))).toBe('/nodes: expected an array, found nothing');
  });
});

describe('the model', () => {
  it('puts what a map holds into its scope, and edges where both ends are', () => {
    const model = buildModel(generate({ states: 2, chain: 1, maps: 1 }), 'g');
    const scope = model.items.find((i) => i.kind === 'Scope')!;
    expect(scope.children.map((id) => model.items[id]!.kind)).toEqual(['MapEntry', 'Tasklet', 'MapExit']);
    expect(model.items[scope.parent]!.kind).toBe('SDFGState');
    expect(scope.edges.map((id) => model.edges[id]!.dstConn)).toEqual(['i', 'IN_a_0_0_1']);
    expect(model.items[scope.parent]!.edges.length).toBe(2);
    expect(placeText(model, scope.children[1]!)).toBe('generated › state_0 › t1');
    expect(model.problems).toEqual([]);
  });

  it('shows branches with their conditions and ignores the copies that old files hold', () => {
    const branch = (label: string): JsonObject => block('ControlFlowRegion', label, { nodes: [block('SDFGState', `${label}_s`)] });
    const conditional = block('ConditionalBlock', 'c', {
      nodes: [branch('copy')], branches: [[{ string_data: '(i < 3)', language: 'Python' }, branch('yes')], [null, branch('no')]],
    });
    const model = buildModel(sdfg([conditional]), 'x');
    expect(model.items[find(model, 'c')]!.children.map((id) => model.items[id]!.condition)).toEqual(['if i < 3', 'else']);
    expect(model.items.some((i) => i.label === 'copy')).toBe(false);
  });

  it('keeps what can be read of a broken file and lists the rest with places', () => {
    const state = block('SDFGState', 'main', {
      nodes: [block('AccessNode', 'A', { scope_entry: null }), 7, block('MapExit', 'e', { scope_entry: '9' }), block('Strange', 'new')],
      edges: [{ src: '0', dst: '12', attributes: {} }, { src: '0', dst: '3', attributes: { data: null } }],
    });
    const model = buildModel(sdfg([state, null]), 'x');
    expect(model.problems.map((p) => `${p.place}: ${p.what}`)).toEqual([
      '/nodes/1: expected an object, found null', '/nodes/0/nodes/1: expected an object, found 7',
      "/nodes/0/nodes/2: MapExit 'e' belongs to no entry", "/nodes/0/edges/0/dst: '12' names no node; there are 4",
    ]);
    expect(model.edges.length).toBe(1);
  });

  it('survives scopes that lie in one another', () => {
    const entry = (label: string, scope: string): JsonObject => block('MapEntry', label, { scope_entry: scope });
    const model = buildModel(sdfg([block('SDFGState', 'main', { nodes: [entry('a', '1'), entry('b', '0')] })]), 'x');
    expect(model.items.filter((i) => i.kind === 'MapEntry').length).toBe(2);
  });

  it('opens 10,000 SDFGs inside one another', () => {
    let inner = sdfg([block('SDFGState', 'deepest')]);
    for (let i = 0; i < 10000; i++) inner = sdfg([block('SDFGState', 's', { nodes: [block('NestedSDFG', 'n', { attributes: { label: 'n', sdfg: inner } })] })]);
    const model = buildModel(inner, 'deep');
    expect(model.items.length).toBe(20002);
    expect(firstOpen(model).size).toBeLessThan(5000);
  });

  it('reads the element graphs of old files that hold nested SDFGs as text', () => {
    const nested = block('NestedSDFG', 'n', { attributes: { sdfg: JSON.stringify(sdfg([block('SDFGState', 'inner')])) } });
    const model = buildModel(sdfg([block('SDFGState', 'main', { nodes: [nested] })]), 'x');
    expect(model.items.map((i) => i.label)).toEqual(['s', 'main', 'n', 'inner']);
  });

  it('collapses 100,000 nodes at first', () => {
    const model = buildModel(generate({ states: 1, chain: 500, maps: 100, flat: true }), 'big');
    expect(model.items.length).toBeGreaterThan(100000);
    expect(firstOpen(model)).toEqual(new Set([0]));
  });
});

describe('texts', () => {
  const range = (start: string, end: string, step = '1', tile = '1'): JsonObject => ({ start, end, step, tile });

  it('shows ranges with an exclusive end', () => {
    expect(rangeText(range('0', '-1 + $N'))).toBe('0:N');
    expect(rangeText(range('0', 'N - 1'))).toBe('0:N');
    expect(rangeText(range('$i', '$i'))).toBe('i');
    expect(rangeText(range('0', '9', '2'))).toBe('0:10:2');
    expect(rangeText(range('0', 'N', '1', '4'))).toBe('0:N + 1:1:4');
    expect(rangeText(range('0', 'Min(N, M)'))).toBe('0:Min(N, M) + 1');
    expect(rangeText(range('1', '-2 + $K'))).toBe('1:K - 1');
    expect(rangeText(range('1', 'K - 4'))).toBe('1:K - 3');
    expect(rangeText(range('1', 'K + 1'))).toBe('1:K + 2');
    expect(rangeText(range('0', 'a if c else N - 1'))).toBe('0:(a if c else N - 1) + 1');
  });

  it('reads both dialects of expressions, and approximate ones', () => {
    expect(plain('symbol($N, dtype=dace.int64)*$M + 1')).toBe('N*M + 1');
    expect(plain({ main: 'N', approx: '8' })).toBe('N');
    expect(subsetText({ type: 'Indices', indices: ['i', '$j'] })).toBe('i, j');
  });

  it('tells what a memlet moves', () => {
    const subset: JsonObject = { type: 'Range', ranges: [range('0', '9')] };
    expect(memletText({ data: 'A', subset, other_subset: subset, wcr: '(lambda a, b: (a + b))' })).toBe('A[0:10] → [0:10] (wcr +)');
    expect(memletText({ data: null })).toBe('');
    expect(volumeText({ volume: '0', dynamic: true })).toBe('dynamic');
    expect(volumeText({ volume: '$N', dynamic: true })).toBe('at most N');
    expect(wcrText('lambda x, y: max(x, y)')).toBe('max');
  });

  it('names types', () => {
    expect(dtypeText({ type: 'pointer', dtype: { type: 'vector', dtype: 'float32', elements: '4' } })).toBe('float32<4>*');
    expect(dtypeText(undefined)).toBe('int32');
    expect(conditionText({ condition: { string_data: '(not (a))', language: 'Python' } })).toBe('not (a)');
    expect(conditionText({ condition: { string_data: '1' } })).toBe('');
  });
});

describe('search', () => {
  const model = buildModel(generate({ states: 2, chain: 2, maps: 1 }), 'g');

  it('looks into names, code and memlets with regular expressions', () => {
    expect(search(model, pattern('^state_[01]$').expression).length).toBe(2);
    expect(search(model, pattern('i \\* 2').expression).map((f) => f.field)).toEqual(['code', 'code']);
    expect(search(model, pattern('a_0_0_1\\[0:N\\]').expression).every((f) => f.field === 'memlet')).toBe(true);
    expect(search(model, pattern('STATE').expression)).toEqual([]);
  });

  it('takes what is no expression as plain text, and says so', () => {
    const { expression, problem } = pattern('A[');
    expect(expression.test('xa[')).toBe(false);
    expect(expression.test('xA[')).toBe(true);
    expect(problem).not.toBe('');
  });

  it('finds all uses of a container', () => {
    const uses = usesOf(model, 0, 'a_0_0_1');
    expect(uses.items.map((id) => model.items[id]!.kind)).toEqual(['AccessNode']);
    expect(uses.edges.length).toBe(4);
  });
});

const { root, files } = corpusFiles();
describe.skipIf(files.length === 0)('the corpus', () => {
  it(`reads all ${files.length} files without problems and has a face for everything`, async () => {
    for (const file of files) {
      const model = await loadFile(join(root, file));
      expect(model.problems, file).toEqual([]);
      for (const item of model.items) expect(faceOf(model, item).title, `${file} ${item.path}`).not.toBe('');
    }
  }, 120000);
});
