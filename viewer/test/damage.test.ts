import { describe, expect, it } from 'vitest';
import { firstOpen, treeOf } from '../src/layout/tree';
import { diffModels } from '../src/model/diff';
import { FileError, type Json, type JsonObject } from '../src/model/json';
import { buildModel, placeText } from '../src/model/model';
import { rows } from '../src/model/properties';
import { pattern, search, usesOf } from '../src/model/search';
import { attributes, memletText, volumeText } from '../src/model/text';
import { countBytes, readTrace } from '../src/model/cost';
import { facesOf, generate } from './helpers';

/** The same numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const odd: Json[] = [null, 0, -1, 1e9, '', 'x', '-1', '$?', true, [], {}, [null], [[]], { type: 'Range' }, { type: 'MapEntry' }, { type: 7 }];

/** Replaces, removes or doubles something somewhere. */
function damage(root: JsonObject, next: () => number): void {
  let holder: Json[] | JsonObject = root;
  for (;;) {
    const keys: string[] = Object.keys(holder);
    if (keys.length === 0) return;
    const key: string = keys[Math.floor(next() * keys.length)]!;
    const child: Json = (holder as JsonObject)[key]!;
    if (typeof child === 'object' && child !== null && next() < 0.85) { holder = child; continue; }
    if (Array.isArray(holder) && next() < 0.3) holder.splice(Number(key), 1);
    else if (next() < 0.3) delete (holder as JsonObject)[key];
    else (holder as JsonObject)[key] = structuredClone(odd[Math.floor(next() * odd.length)]!);
    return;
  }
}

const source = generate({ states: 2, chain: 2, maps: 1 }) as any;
source.nodes.push({ type: 'ConditionalBlock', label: 'c', id: 2, attributes: {}, branches: [[{ string_data: 'N > 1', language: 'Python' }, { type: 'ControlFlowRegion', label: 'b', attributes: {}, nodes: [], edges: [] }], [null, { type: 'ControlFlowRegion', label: 'e', attributes: {}, nodes: [], edges: [] }]] });
source.nodes.push({ type: 'LoopRegion', label: 'l', id: 3, attributes: { init_statement: { string_data: 'i = 0' }, loop_condition: { string_data: 'i < N' }, update_statement: { string_data: 'i = i + 1' } }, nodes: [structuredClone(source.nodes[0])], edges: [] });
source.nodes[1].nodes.push({ type: 'NestedSDFG', label: 'n', scope_entry: null, scope_exit: null, attributes: { label: 'n', sdfg: generate({ states: 1, chain: 1, maps: 1 }), symbol_mapping: { N: '$N' } } });

describe('damaged files', () => {
  it('are shown or refused with a place, never worse', () => {
    let refused = 0;
    const whole = buildModel(source, 'whole');
    for (let seed = 1; seed <= 600; seed++) {
      const next = random(seed);
      const root = structuredClone(source) as JsonObject;
      for (let n = 0; n < 1 + seed % 4; n++) damage(root, next);
      try {
        const model = buildModel(root, 'damaged');
        const faces = facesOf(model);
        treeOf(model, faces, firstOpen(model));
        for (const item of model.items) { rows(attributes(item.json)); placeText(model, item.id); faces(item.id); }
        for (const edge of model.edges) { memletText(edge.data); volumeText(edge.data); rows(edge.data); }
        search(model, pattern('a_').expression);
        usesOf(model, 0, 'a_0_0_1');
        countBytes(model, new Map([['N', 4]]));
        readTrace(model, { traceEvents: [null, 3, { ph: 'X', dur: 1, args: { cfg_id: 0, state_id: 0, id: 1 } }] });
        diffModels(whole, model);
        for (const problem of model.problems) expect(problem.place).not.toBe('');
      } catch (error) {
        expect(error, `seed ${seed}: ${(error as Error).stack}`).toBeInstanceOf(FileError);
        expect((error as FileError).place).not.toBe('');
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(200);
  });
});
