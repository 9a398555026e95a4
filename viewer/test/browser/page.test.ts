// What a user does with the page, in a real browser.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corpusFiles, generate } from '../helpers';
import { dist, fromDisk, given, launch, newTab, notices, open, out, serve, settle, type Tab } from './browser';

let browser: Browser;
beforeAll(async () => { browser = await launch(); mkdirSync(out, { recursive: true }); });
afterAll(() => browser.close());

const small = generate({ states: 2, chain: 2, maps: 1 }) as any;
const smallFile = given('small.sdfg', small);

const shown = (page: Page): Promise<number> => page.evaluate(() => window.sdfgViewer.main.scene!.boxes.length);
const labels = (page: Page, kind: 'fill' | 'stroke', colour: string): Promise<string[]> => page.evaluate(([k, c]) => {
  const { doc, main } = window.sdfgViewer;
  return [...main.marks.items].filter(([, mark]) => mark[k as 'fill' | 'stroke'] === c).map(([id]) => `${doc!.model.items[id]!.kind} ${doc!.model.items[id]!.label}`).sort();
}, [kind, colour] as const);

/** Where an item is on the screen. */
const spot = (page: Page, label: string): Promise<{ x: number; y: number; open: boolean }> => page.evaluate((name) => {
  const { doc, main } = window.sdfgViewer;
  const item = doc!.model.items.find((i) => i.label === name && main.scene!.boxOf[i.id]! >= 0)!;
  const box = main.scene!.boxes[main.scene!.boxOf[item.id]!]!;
  const { left, top } = main.canvas.getBoundingClientRect();
  const x = (box.x + box.w / 2 - main.camera.x) * main.camera.zoom + main.size.w / 2 + left;
  const y = (box.y + (box.open ? 4 : box.h / 2) - main.camera.y) * main.camera.zoom + main.size.h / 2 + top;
  return { x, y, open: box.open };
}, label);

async function withTab(work: (tab: Tab) => Promise<void>, url?: string): Promise<void> {
  const tab = await newTab(browser, url);
  try {
    await work(tab);
    expect(tab.complaints).toEqual([]);
  } finally {
    await tab.page.close();
  }
}

describe('opening', () => {
  it('from the dialog, by drop, and compressed', () => withTab(async ({ page }) => {
    const input = { name: 'small.sdfgz', mimeType: 'application/gzip', buffer: gzipSync(smallFile.bytes) };
    await page.setInputFiles('input[type=file][multiple]', input);
    await page.waitForFunction(() => window.sdfgViewer.main.scene !== null);
    expect(await page.textContent('.file')).toContain('small.sdfgz');
    expect(page.workers().length).toBe(1);
    await page.evaluate((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'dropped.sdfg'));
      document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    }, JSON.stringify(small));
    await page.waitForFunction(() => window.sdfgViewer.page.name === 'dropped.sdfg');
  }));

  it('from ?url=, also compressed, and says when there is nothing', async () => {
    const { url, server } = await serve({ '/index.html': readFileSync(dist), '/a.sdfgz': gzipSync(smallFile.bytes), '/b.sdfg': smallFile.bytes });
    try {
      await withTab(async ({ page }) => {
        await page.waitForFunction(() => window.sdfgViewer.main.scene !== null);
        expect(await page.title()).toBe('a.sdfgz - SDFG viewer');
      }, `${url}/index.html?url=a.sdfgz`);
      await withTab(async ({ page }) => {
        await page.waitForFunction(() => window.sdfgViewer.diff !== null);
        expect(await page.textContent('.side.right')).toContain('No difference');
      }, `${url}/index.html?url=a.sdfgz&compare=b.sdfg`);
      const { page } = await newTab(browser, `${url}/index.html?url=nothing.sdfg`);
      await page.waitForSelector('.notice > div');
      expect(await notices(page)).toEqual([expect.stringContaining('the server answered 404')]);
      await page.close();
    } finally {
      server.close();
    }
  });

  it('from the page itself, with history and report, without a server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
    const embed = (name: string, value: unknown): string => `<script type="text/plain" class="sdfg-file" data-name="${name}">${gzipSync(JSON.stringify(value)).toString('base64')}</script>`;
    const files = [
      embed('h.json', { type: 'SDFGHistory', version: 1, initial: small, steps: [{ pass: 'p', patch: [] }] }),
      embed('r.json', { type: 'SDFGReport', kernels: [{ element: '/nodes/0/nodes/1', name: 'm1', measured: 1e-5, bytes: 100, flops: 10 }] }),
    ];
    try {
      const path = join(folder, 'x.html');
      writeFileSync(path, readFileSync(dist, 'utf8').replace('<!-- sdfg-files -->', () => files.join('')));
      await withTab(async ({ page }) => {
        await page.waitForFunction(() => document.querySelector('.roofline') !== null);
        expect(await page.evaluate(() => window.sdfgViewer.history!.steps.length)).toBe(2);
        expect(await page.isVisible('.time')).toBe(true);
      }, pathToFileURL(path).href);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names the place of what is wrong, and stays usable', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    const before = await shown(page);
    const cases: [string, Uint8Array, RegExp][] = [
      ['cut.sdfg', smallFile.bytes.slice(0, 3000), /Cannot open cut\.sdfg\nline 1, column \d+, in \/.*: expected .*, found/],
      ['cut.sdfgz', gzipSync(smallFile.bytes).subarray(0, 200), /damaged or cut short/],
      ['link.sdfgz', Buffer.from('../elsewhere/x.sdfgz'), /byte 0: expected '\{', found '..\/elsewhere\/x.sdfgz'/],
      ['other.json', Buffer.from('{"type": "Graph"}'), /\/type: expected 'SDFG'/],
      ['no-nodes.sdfg', Buffer.from('{"type": "SDFG", "attributes": {}, "nodes": 3}'), /\/nodes: expected an array, found 3/],
      ['h.json', Buffer.from(JSON.stringify({ type: 'SDFGHistory', initial: small, steps: [{ pass: 'x', patch: [{ op: 'remove', path: '/nodes/9' }] }] })), /\/steps\/0\/patch\/0\/path: there is no index 9/],
    ];
    for (const [name, bytes, message] of cases) {
      await open(page, { name, bytes });
      const list = await notices(page);
      expect(list[list.length - 1], name).toMatch(message);
      expect(await shown(page)).toBe(before);
    }
    const broken = structuredClone(small);
    broken.nodes[0].edges[0].dst = '99';
    await open(page, given('broken.sdfg', broken));
    expect((await notices(page)).pop()).toContain("/nodes/0/edges/0/dst: '99' names no node");
    expect(await shown(page)).toBe(before);
  }));
});

it('opens 10,000 SDFGs inside one another', () => withTab(async ({ page }) => {
  const head = '{"type":"SDFG","attributes":{"name":"s"},"edges":[],"nodes":[{"type":"SDFGState","label":"m","attributes":{},"edges":[],"nodes":[{"type":"NestedSDFG","label":"n","scope_entry":null,"attributes":{"label":"n","sdfg":';
  const text = head.repeat(10000) + '{"type":"SDFG","attributes":{"name":"last"},"nodes":[],"edges":[]}' + '}}]}]}'.repeat(10000);
  await open(page, { name: 'deep.sdfg', bytes: Buffer.from(text) });
  expect(await notices(page)).toEqual([]);
  expect(await page.evaluate(() => window.sdfgViewer.doc!.model.items.length)).toBe(20001);
  await settle(page);
  await page.keyboard.press('e');
  await settle(page);
  expect(await shown(page)).toBeGreaterThan(10000);
}));

describe('looking around', () => {
  it('opens and closes with the mouse and the keyboard', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    const all = await shown(page);
    const at = await spot(page, 'state_0');
    expect(at.open).toBe(true);
    await page.mouse.dblclick(at.x, at.y);
    await settle(page);
    expect(await shown(page)).toBeLessThan(all);
    await page.keyboard.press('Enter');
    await settle(page);
    expect(await shown(page)).toBe(all);
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await settle(page);
    expect(await shown(page)).toBe(2);
    await page.keyboard.press('e');
    await settle(page);
    expect(await shown(page)).toBe(all);
  }));

  it('zooms at the pointer, pans, and fits', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    await settle(page);
    const camera = (): Promise<{ x: number; y: number; zoom: number }> => page.evaluate(() => ({ ...window.sdfgViewer.main.camera }));
    const before = await camera();
    const at = await spot(page, 't1');
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, -300);
    await settle(page);
    const after = await spot(page, 't1');
    expect((await camera()).zoom).toBeGreaterThan(before.zoom);
    expect(Math.abs(after.x - at.x) + Math.abs(after.y - at.y)).toBeLessThan(2);
    await page.mouse.down();
    await page.mouse.move(at.x + 120, at.y + 50, { steps: 4 });
    await page.mouse.up();
    const moved = await spot(page, 't1');
    expect(moved.x - after.x).toBeCloseTo(120, 0);
    await page.keyboard.press('f');
    await settle(page);
    expect((await camera()).zoom).toBeCloseTo(before.zoom, 5);
  }));

  it('shows properties, follows edges with the arrow keys, and shows all uses of a container', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    await settle(page);
    const at = await spot(page, 't1');
    await page.mouse.click(at.x, at.y);
    expect(await page.textContent('.side.right')).toContain('o = i * 1 + 1');
    expect(await page.textContent('.crumbs')).toContain('state_0');
    await page.keyboard.press('ArrowDown');
    expect(await page.textContent('.side.right h2')).toBe('m1');
    await page.keyboard.press('ArrowDown');
    expect(await page.textContent('.side.right h2')).toBe('a_0_0_1');
    await page.keyboard.press('u');
    await settle(page);
    expect(await labels(page, 'stroke', '#d6336c')).toEqual(['AccessNode a_0_0_1']);
    expect(await page.evaluate(() => window.sdfgViewer.main.marks.edges.size)).toBe(4);
  }));

  it('searches with regular expressions and goes to what is hidden', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    await page.keyboard.press('c');
    await settle(page);
    await page.keyboard.press('/');
    await page.keyboard.type('i \\* 2');
    await page.waitForSelector('.row.hit');
    expect(await page.$$eval('.row.hit', (rows) => rows.length)).toBe(2);
    await page.click('.row.hit');
    await settle(page);
    expect(await page.textContent('.side.right h2')).toBe('t2');
    expect((await spot(page, 't2')).open).toBe(false);
  }));

  it('restores the view from a link', async () => {
    const { url, server } = await serve({ '/index.html': readFileSync(dist), '/a.sdfg': smallFile.bytes });
    try {
      let link = '';
      let camera: unknown;
      await withTab(async ({ page }) => {
        await page.waitForFunction(() => window.sdfgViewer.main.scene !== null);
        await page.evaluate(async () => {
          const app = window.sdfgViewer;
          await app.toggle('right', app.doc!.model.items.find((i) => i.label === 'state_1')!.id);
          await app.select({ item: app.doc!.model.items.find((i) => i.label === 't2')!.id }, false);
          app.main.setCamera({ x: 100, y: 200, zoom: 0.75 });
        });
        await page.waitForTimeout(600);
        link = page.url();
        camera = await page.evaluate(() => ({ ...window.sdfgViewer.main.camera }));
      }, `${url}/index.html?url=a.sdfg`);
      expect(link).toContain('#');
      await withTab(async ({ page }) => {
        await page.waitForFunction(() => window.sdfgViewer.selected !== null);
        expect(await page.evaluate(() => ({ ...window.sdfgViewer.main.camera }))).toEqual(camera);
        expect((await spot(page, 'state_1')).open).toBe(false);
        expect(await page.textContent('.side.right h2')).toBe('t2');
      }, link);
    } finally {
      server.close();
    }
  });

  it('names everything for those who do not see it', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    const nameless = await page.$$eval('button, input, select, [role=application], [role=tree], [role=slider]', (list) =>
      list.filter((e) => !(e.getAttribute('aria-label') || e.getAttribute('title') || e.textContent?.trim())).map((e) => e.outerHTML.slice(0, 80)));
    expect(nameless).toEqual([]);
    expect(await page.getAttribute('[role=tree] [role=treeitem]', 'aria-level')).toBe('1');
  }));
});

describe('what passes did', () => {
  const history = (): unknown => {
    const fused = structuredClone(small.nodes[0]);
    fused.nodes[3].attributes.code = { string_data: 'o = 0', language: 'Python' };
    return {
      type: 'SDFGHistory', version: 1, initial: small, counts: { kernels: 4, bytes: 4000 },
      steps: [
        { pass: 'set-schedule', place: 'state_0, m1', remark: 'runs on the GPU', patch: [{ op: 'add', path: '/nodes/0/nodes/1/attributes/schedule', value: 'GPU_Device' }] },
        { pass: 'add-tasklet', place: 'state_1', counts: { kernels: 5 }, patch: [{ op: 'add', path: '/nodes/1/nodes/-', value: { type: 'Tasklet', label: 'fresh', attributes: { label: 'fresh', code: { string_data: 'x = 1', language: 'Python' } }, scope_entry: null, scope_exit: null } }] },
        { pass: 'remove-state', place: 'state_1', counts: { kernels: 2, bytes: 2000 }, patch: [{ op: 'remove', path: '/nodes/1' }, { op: 'remove', path: '/edges/0' }] },
      ],
    };
  };

  it('is highlighted step by step, from the keyboard', () => withTab(async ({ page }) => {
    await open(page, given('h.json', history()));
    await settle(page);
    await page.click('.view:not([hidden]) canvas', { position: { x: 5, y: 300 } });
    const step = async (key: string): Promise<void> => { await page.keyboard.press(key); await page.waitForTimeout(30); await settle(page); };
    await step(']');
    expect(await page.textContent('.time .what')).toContain('set-schedule');
    expect(await labels(page, 'fill', '#ffeaa6')).toEqual(['MapEntry m1']);
    expect(await labels(page, 'fill', '#c6f2cf')).toEqual([]);
    expect(await page.textContent('.side.right')).toContain('GPU_Device');
    await step(']');
    expect(await labels(page, 'fill', '#c6f2cf')).toEqual(['Tasklet fresh']);
    expect(await labels(page, 'fill', '#ffeaa6')).toEqual([]);
    await page.screenshot({ path: join(out, 'timeline.png') });
    await step(']');
    expect(await labels(page, 'fill', '#c6f2cf')).toEqual([]);
    await step('b');
    expect(await labels(page, 'fill', '#ffd4d1')).toContain('SDFGState state_1');
    await step('b');
    await step('[');
    expect(await page.textContent('.time .what')).toContain('2 / 3');
    await page.selectOption('.time select', 'set-schedule');
    await step('[');
    expect(await page.textContent('.time .what')).toContain('1 / 3');
    await step(']');
    expect(await page.textContent('.time .what')).toContain('1 / 3');
    await step('v');
    expect(await page.isVisible('.view:first-child')).toBe(true);
  }));

  it('shows two files side by side and moves them together', () => withTab(async ({ page }) => {
    const other = structuredClone(small);
    other.nodes[0].nodes[1].attributes.schedule = 'Sequential';
    other.nodes[1].nodes = other.nodes[1].nodes.slice(0, 5);
    other.nodes[1].edges = other.nodes[1].edges.filter((e: any) => Number(e.src) < 5 && Number(e.dst) < 5);
    await open(page, smallFile, given('other.sdfg', other));
    await settle(page);
    expect(await labels(page, 'fill', '#ffeaa6')).toEqual(['MapEntry m1']);
    const removed = await page.evaluate(() => {
      const { other: view, otherDoc } = window.sdfgViewer;
      return [...view.marks.items].filter(([, m]) => m.fill === '#ffd4d1').map(([id]) => `${otherDoc!.model.items[id]!.kind} ${otherDoc!.model.items[id]!.label}`).sort();
    });
    expect(removed).toEqual(['AccessNode a_1_0_2', 'MapEntry m2', 'MapExit m2', 'Scope m2', 'Tasklet t2']);
    expect(await page.textContent('.side.right')).toContain('schedule: nothing → Sequential');
    const [left, right] = await page.evaluate(() => {
      const { main, other: view, doc, otherDoc } = window.sdfgViewer;
      const where = (v: typeof main, d: typeof doc): number[] => {
        const box = v.scene!.boxes[v.scene!.boxOf[d!.model.items.find((i) => i.label === 'a_0_0_1')!.id]!]!;
        return [(box.x - v.camera.x) * v.camera.zoom, (box.y - v.camera.y) * v.camera.zoom, v.camera.zoom];
      };
      const box = main.scene!.boxes[main.scene!.boxOf[doc!.model.items.find((i) => i.label === 'a_0_0_1')!.id]!]!;
      main.setCamera({ x: box.x + 10, y: box.y + 5, zoom: 1.7 });
      return [where(view, otherDoc), where(main, doc)];
    });
    left!.forEach((v, i) => expect(v).toBeCloseTo(right![i]!, 3));
    await page.screenshot({ path: join(out, 'diff.png') });
    await page.click('text=Close comparison');
    expect(await page.evaluate(() => window.sdfgViewer.diff)).toBe(null);
  }));
});

describe('cost', () => {
  it('colours elements from a report of DaCe, with table and scale', () => withTab(async ({ page }) => {
    const event = (node: number, dur: number): unknown => ({ ph: 'X', name: 'm', cat: 'Timer', ts: 1, dur, pid: 1, tid: 1, args: { cfg_id: 0, state_id: 0, id: node, sdfg_id: 0 } });
    await open(page, smallFile, given('report.json', { traceEvents: [event(1, 10), event(1, 12), event(5, 40)], sdfgHash: 'x' }));
    expect(await page.$$eval('table.cost tbody tr', (rows) => rows.map((r) => r.textContent))).toEqual(['m240.0 µs', 'm112.0 µs']);
    expect(await labels(page, 'fill', '#c9252d')).toEqual(['MapEntry m2', 'MapExit m2', 'Scope m2']);
    expect(await labels(page, 'fill', '#2f6db5')).toEqual(['MapEntry m1', 'MapExit m1', 'Scope m1']);
  }));

  it('counts bytes from the memlets for given symbols', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    await page.click('[role=tab]:has-text("Cost")');
    await page.click('text=Count bytes from memlets');
    await page.fill('input[aria-label="Value of N"]', '1000');
    await page.keyboard.press('Tab');
    expect(await page.textContent('table.cost tbody tr')).toBe('m116.0 kB');
  }));
});

describe('keeping pictures', () => {
  it('saves SVG and PNG, and prints', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    for (const [entry, check] of [
      ['SVG of the whole open graph', (b: Buffer) => b.toString().startsWith('<svg') && b.toString().includes('state_1')],
      ['PNG of this view', (b: Buffer) => b.subarray(1, 4).toString() === 'PNG' && b.length > 5000],
    ] as const) {
      await page.click('text=Export ▾');
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`text=${entry}`)]);
      expect(check(readFileSync((await download.path())!)), entry).toBe(true);
    }
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    expect(await page.isVisible('#print svg')).toBe(true);
    expect(await page.isVisible('#app')).toBe(false);
  }));

  it('in the dark, too', () => withTab(async ({ page }) => {
    await open(page, smallFile);
    await page.keyboard.press('t');
    await settle(page);
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.screenshot({ path: join(out, 'dark.png') });
  }));
});

// One page of the solver with a made-up history: how big, how fast.
const { root, files } = corpusFiles();
const solver = files.find((f) => /vertically_implicit_solver_at_predictor_step__none\/lowered\.sdfgz$/.test(f));
it.skipIf(solver === undefined)('holds the predictor solver with a history in one page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  try {
    const { gunzipSync } = await import('node:zlib');
    const initial = JSON.parse(gunzipSync(fromDisk(join(root, solver!), 's').bytes).toString()) as any;
    const steps = initial.nodes.flatMap((state: any, s: number) => (state.nodes ?? []).map((node: any, n: number) => ({ node, s, n })))
      .filter(({ node }: any) => node.type === 'NestedSDFG' || node.type === 'MapEntry').slice(0, 40)
      .map(({ s, n }: any) => ({ pass: 'mark', place: `/nodes/${s}/nodes/${n}`, patch: [{ op: 'add', path: `/nodes/${s}/nodes/${n}/attributes/instrument`, value: 'Timer' }] }));
    const page64 = gzipSync(JSON.stringify({ type: 'SDFGHistory', version: 1, initial, steps })).toString('base64');
    const path = join(folder, 'solver.html');
    writeFileSync(path, readFileSync(dist, 'utf8').replace('<!-- sdfg-files -->', () => `<script type="text/plain" class="sdfg-file" data-name="solver.json">${page64}</script>`));
    await withTab(async ({ page }) => {
      await page.waitForFunction(() => window.sdfgViewer.main.counts.pictures > 0 && window.sdfgViewer.main.scene !== null);
      const opened = await page.evaluate(() => performance.now());
      const start = Date.now();
      for (let i = 1; i <= 5; i++) {
        await page.evaluate(() => document.body.focus());
        await page.keyboard.press(']');
        await page.waitForFunction((n) => document.querySelector('.time .what')?.textContent?.startsWith(`${n} /`), i);
        await page.evaluate(() => window.sdfgViewer.idle);
      }
      const each = (Date.now() - start) / 5;
      console.log(`predictor solver in one page: ${(readFileSync(path).length / 1e6).toFixed(2)} MB, open after ${Math.round(opened)} ms, ${Math.round(each)} ms a step`);
      expect(opened).toBeLessThan(10000);
    }, pathToFileURL(path).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60000);
