// Every SDFG file of the corpus opens, is drawn, and brings no complaint.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { corpusFiles } from '../helpers';
import { fromDisk, launch, newTab, notices, open, out, settle } from './browser';

const { root, files } = corpusFiles();
const batch = 12;
let browser: Browser;
beforeAll(async () => { browser = await launch(); mkdirSync(out, { recursive: true }); });
afterAll(() => browser.close());

it.skipIf(files.length === 0)(`opens and draws all ${files.length} files of the corpus`, async () => {
  const { page, complaints } = await newTab(browser);
  await page.setViewportSize({ width: 900, height: 600 });
  const times: [number, string][] = [];
  for (let from = 0; from < files.length; from += batch) {
    const names = files.slice(from, from + batch);
    const seen = await page.evaluate(async (list) => {
      const app = window.sdfgViewer;
      const result: { boxes: number; children: number; name: string; ms: number }[] = [];
      for (const { name, base64 } of list) {
        const start = performance.now();
        const before = app.main.counts.pictures;
        await app.openBytes([{ name, bytes: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) }]);
        while (app.main.counts.pictures === before) await new Promise((resolve) => requestAnimationFrame(resolve));
        result.push({ boxes: app.main.scene?.boxes.length ?? 0, children: app.doc?.model.items[0]!.children.length ?? -1, name: app.page.name, ms: performance.now() - start });
      }
      return result;
    }, names.map((name) => ({ name, base64: readFileSync(join(root, name)).toString('base64') })));
    names.forEach((name, i) => {
      expect(seen[i]!.name).toBe(name);
      expect(seen[i]!.boxes, name).toBeGreaterThanOrEqual(seen[i]!.children);
      times.push([seen[i]!.ms, name]);
    });
    expect(complaints, names.join(' ')).toEqual([]);
    expect(await notices(page), names.join(' ')).toEqual([]);
  }
  times.sort((a, b) => b[0] - a[0]);
  console.log(`opened ${files.length} files, ${Math.round(times.reduce((s, [ms]) => s + ms, 0) / files.length)} ms each; slowest ${times.slice(0, 3).map(([ms, f]) => `${f} ${Math.round(ms)} ms`).join(', ')}`);
}, 900000);

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
