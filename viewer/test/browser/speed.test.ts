// Big graphs: first picture, panning and zooming, and what opens collapsed.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../helpers';
import { given, launch, newTab, open, type Given } from './browser';

let browser: Browser;
beforeAll(async () => { browser = await launch(); });
afterAll(() => browser.close());

/** Milliseconds from handing over the bytes to the first finished picture. */
async function firstPicture(page: Page, file: Given): Promise<number> {
  await page.evaluate((text) => { (window as unknown as { given: Uint8Array }).given = new TextEncoder().encode(text); }, Buffer.from(file.bytes).toString());
  return page.evaluate(async (name) => {
    const { main } = window.sdfgViewer;
    const before = main.counts.pictures;
    const start = performance.now();
    await window.sdfgViewer.openBytes([{ name, bytes: (window as unknown as { given: Uint8Array }).given }]);
    while (main.counts.pictures === before) await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - start;
  }, file.name);
}

/** The best of three: what else the machine does can only make it slower. */
async function best<T>(work: () => Promise<T>, good: (value: T) => boolean): Promise<T> {
  let value = await work();
  for (let n = 0; n < 2 && !good(value); n++) value = await work();
  return value;
}

interface Motion { fps: number; worst: number; pictures: number }
const smooth = ({ fps }: Motion): boolean => fps >= 30;

/** Frames per second while the camera moves and zooms for two seconds; also the longest gap. */
async function motion(page: Page): Promise<Motion> {
  return page.evaluate(async () => {
    const { main } = window.sdfgViewer;
    const start = { ...main.camera };
    const before = { ...main.counts };
    const begin = performance.now();
    let [last, worst] = [begin, 0];
    for (let now = begin; now - begin < 2000; now = performance.now()) {
      const t = (now - begin) / 2000;
      const zoom = start.zoom * Math.pow(12, Math.sin(t * Math.PI));
      main.setCamera({ x: start.x * (1 + 0.5 * Math.sin(t * 9)), y: start.y * (1 + 0.5 * Math.cos(t * 7)), zoom });
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const here = performance.now();
      worst = Math.max(worst, here - last);
      last = here;
    }
    const seconds = (performance.now() - begin) / 1000;
    return { fps: (main.counts.frames - before.frames) / seconds, worst, pictures: main.counts.pictures - before.pictures };
  });
}

const flat = given('flat-10000.sdfg', generate({ states: 1, chain: 50, maps: 100, flat: true }));
const maps = given('maps-10000.sdfg', generate({ states: 20, chain: 25, maps: 5 }));

describe('10,000 nodes', () => {
  it.each([['in one state', flat], ['in maps of twenty states', maps]])('%s: first picture in two seconds, 30 frames a second', async (_, file) => {
    const { page, complaints } = await newTab(browser);
    await page.waitForTimeout(500);
    const first = await best(() => firstPicture(page, file), (ms) => ms < 2000);
    const shown = await page.evaluate(() => window.sdfgViewer.main.scene!.boxes.length);
    const { fps, worst, pictures } = await best(() => motion(page), smooth);
    console.log(`${file.name}: first picture ${Math.round(first)} ms with ${shown} boxes, ${fps.toFixed(1)} frames/s, longest gap ${Math.round(worst)} ms, ${pictures} pictures painted`);
    expect(first).toBeLessThan(2000);
    expect(fps).toBeGreaterThanOrEqual(30);
    expect(pictures).toBeGreaterThan(3);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('all open at once, still 30 frames a second', async () => {
    const { page, complaints } = await newTab(browser);
    await open(page, maps);
    const ms = await page.evaluate(async () => { const start = performance.now(); await window.sdfgViewer.openAll(true); return performance.now() - start; });
    const shown = await page.evaluate(() => window.sdfgViewer.main.scene!.boxes.length);
    expect(shown).toBeGreaterThan(10000);
    await page.waitForTimeout(400);
    const { fps, worst } = await best(() => motion(page), smooth);
    console.log(`${maps.name}, all open: ${shown} boxes in ${Math.round(ms)} ms, ${fps.toFixed(1)} frames/s, longest gap ${Math.round(worst)} ms`);
    expect(fps).toBeGreaterThanOrEqual(30);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

it('100,000 nodes open collapsed', async () => {
  const { page, complaints } = await newTab(browser);
  const first = await firstPicture(page, given('flat-100000.sdfg', generate({ states: 1, chain: 500, maps: 100, flat: true })));
  const [shown, items] = await page.evaluate(() => [window.sdfgViewer.main.scene!.boxes.length, window.sdfgViewer.doc!.model.items.length]);
  console.log(`100,000 nodes: ${Math.round(first)} ms`);
  expect(items).toBeGreaterThan(100000);
  expect(shown).toBe(1);
  const { fps } = await best(() => motion(page), smooth);
  expect(fps).toBeGreaterThanOrEqual(30);
  expect(complaints).toEqual([]);
}, 60000);
