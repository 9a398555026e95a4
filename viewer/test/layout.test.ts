import { describe, expect, it } from 'vitest';
import { firstOpen } from '../src/layout/tree';
import { buildModel } from '../src/model/model';
import { defects, generate, layout, solver, corpusFiles, loadFile } from './helpers';
import { join } from 'node:path';

describe('layout', () => {
  it('places every child inside its holder and no sibling on another', async () => {
    const model = buildModel(generate({ states: 3, chain: 4, maps: 2 }), 'g');
    const open = new Set(model.items.map((item) => item.id));
    const placed = await layout(model, open, solver());
    expect(placed.boxes.length).toBe(model.items.length - 1);
    expect(placed.lines.length).toBe(model.edges.length);
    expect(defects(model, placed)).toEqual([]);
  });

  it('ends an open scope where its exit ends, so that lines reach it', async () => {
    const model = buildModel(generate({ states: 1, chain: 1, maps: 1 }), 'g');
    const placed = await layout(model, new Set(model.items.map((item) => item.id)), solver());
    const box = (id: number): { y: number; h: number } => placed.boxes.find((b) => b.item === id)!;
    const scope = model.items.find((i) => i.kind === 'Scope')!;
    expect(box(scope.entry).y).toBeCloseTo(box(scope.id).y);
    expect(box(scope.exit).y + box(scope.exit).h).toBeCloseTo(box(scope.id).y + box(scope.id).h);
  });

  it('is the same twice', async () => {
    const model = buildModel(generate({ states: 2, chain: 3, maps: 3 }), 'g');
    const open = firstOpen(model);
    expect(await layout(model, open, solver())).toEqual(await layout(model, open, solver()));
  });

  it('lays out 10,000 open nodes of one state in the quick way', async () => {
    const model = buildModel(generate({ states: 1, chain: 50, maps: 100, flat: true }), 'g');
    const start = performance.now();
    const placed = await layout(model, firstOpen(model), solver());
    const ms = performance.now() - start;
    expect(placed.boxes.length).toBeGreaterThan(10000);
    expect(defects(model, placed)).toEqual([]);
    expect(ms).toBeLessThan(4000);
  });

  // The browser test opens them all; here every sixth is enough.
  const { root, files } = corpusFiles();
  const some = files.filter((_, i) => i % 6 === 0);
  it.skipIf(files.length === 0)(`lays out the first picture of ${some.length} of the ${files.length} corpus files without defects`, async () => {
    const solve = solver();
    for (const file of some) {
      const model = await loadFile(join(root, file));
      expect(defects(model, await layout(model, firstOpen(model), solve)), file).toEqual([]);
    }
  }, 120000);
});
