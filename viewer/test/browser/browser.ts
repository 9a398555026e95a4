// The built page in a real browser: how tests open it, give it files, and see its complaints.

import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { App } from '../../src/app';

declare global { interface Window { sdfgViewer: App } }

export const dist = join(import.meta.dirname, '../../dist/index.html');
export const out = join(import.meta.dirname, '../out');

const places = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function launch(): Promise<Browser> {
  const executablePath = places.find((p) => p !== '' && existsSync(p));
  if (executablePath === undefined) throw new Error('no Chromium found; install the package chromium or set CHROMIUM to one');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export interface Tab { page: Page; complaints: string[] }

export async function newTab(browser: Browser, url = pathToFileURL(dist).href): Promise<Tab> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
  const complaints: string[] = [];
  page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.type()}: ${message.text()}`); });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  await page.goto(url);
  await page.waitForFunction(() => window.sdfgViewer !== undefined);
  return { page, complaints };
}

export type Given = { name: string; bytes: Uint8Array };

export const given = (name: string, json: unknown): Given => ({ name, bytes: Buffer.from(JSON.stringify(json)) });
export const fromDisk = (path: string, name: string): Given => ({ name, bytes: readFileSync(path) });

/** Opens files as a drop does, and waits until they are on the screen. */
export async function open(page: Page, ...files: Given[]): Promise<void> {
  await page.evaluate(async (list) => {
    await window.sdfgViewer.openBytes(list.map(({ name, base64 }) => ({ name, bytes: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) })));
    await window.sdfgViewer.idle;
  }, files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString('base64') })));
}

/** Until the last picture shows where the camera is now. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await window.sdfgViewer.idle;
    for (let still = 0, last = -1; still < 3;) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      const { frames } = window.sdfgViewer.main.counts;
      still = frames === last ? still + 1 : 0;
      last = frames;
    }
  });
}

export const notices = (page: Page): Promise<string[]> => page.$$eval('.notice > div', (list) => list.map((e) => e.firstChild?.textContent ?? ''));

export async function serve(files: Record<string, Uint8Array | string>): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const body = files[new URL(request.url!, 'http://x').pathname];
    if (body === undefined) { response.writeHead(404, 'Not Found').end(); return; }
    response.writeHead(200, { 'content-type': request.url!.includes('.html') ? 'text/html' : 'application/octet-stream' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`, server };
}
