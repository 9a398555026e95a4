// Every SDFG file of the corpus opens, is drawn, and brings no complaint.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { corpusFiles } from '../helpers';
import { fromDisk, launch, newTab, notices, open, out, settle } from './browser';

const { root, files } = corpusFiles();
let browser: Browser;
beforeAll(async () => { browser = await launch(); mkdirSync(out, { recursive: true }); });
afterAll(() => browser.close());

if (files.length === 0) console.log(`[SKIP] no corpus at ${root}; set SDFG_CORPUS`);

it.skipIf(files.length === 0)(`opens and draws all ${files.length} files of the corpus`, async () => {
  const { page, complaints } = await newTab(browser);
  const slow: [number, string][] = [];
  for (const file of files) {
    const start = performance.now();
    await open(page, fromDisk(join(root, file), file));
    const seen = await page.evaluate(async () => {
      const { doc, main } = window.sdfgViewer;
      const before = main.counts.pictures;
      while (main.counts.pictures === before) await new Promise((resolve) => requestAnimationFrame(resolve));
      return { boxes: main.scene?.boxes.length ?? 0, children: doc?.model.items[0]!.children.length ?? -1, name: window.sdfgViewer.page.name };
    });
    slow.push([performance.now() - start, file]);
    expect(seen.name).toBe(file);
    expect(seen.boxes, file).toBeGreaterThanOrEqual(seen.children);
    expect(complaints, file).toEqual([]);
    expect(await notices(page), file).toEqual([]);
  }
  slow.sort((a, b) => b[0] - a[0]);
  console.log(`opened ${files.length} files, ${Math.round(slow.reduce((s, [ms]) => s + ms, 0) / files.length)} ms each; slowest ${slow.slice(0, 3).map(([ms, f]) => `${f} ${Math.round(ms)} ms`).join(', ')}`);
}, 400000);

it.skipIf(files.length === 0)('takes pictures of ten of them', async () => {
  const { page, complaints } = await newTab(browser);
  for (let i = 0; i < 10; i++) {
    const file = files[Math.floor(((i + 0.5) * files.length) / 10)]!;
    await open(page, fromDisk(join(root, file), file));
    await settle(page);
    await page.screenshot({ path: join(out, `corpus-${i}.png`) });
  }
  expect(complaints).toEqual([]);
}, 60000);
