import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceHash } from '../source-hash.mjs';

const path = join(import.meta.dirname, '../dist/index.html');

it('the built page is current; `npm run build` renews it', () => {
  const stamp = /name="source-hash" content="(\w+)"/.exec(readFileSync(path, 'utf8'))?.[1];
  expect(stamp).toBe(sourceHash());
});

it('the built page is small, whole, and has its one mark for embedded files', () => {
  const page = readFileSync(path, 'utf8');
  expect(statSync(path).size).toBeLessThan(3e6);
  expect(page.split('<!-- sdfg-files -->').length).toBe(2);
  expect(page).not.toMatch(/<script[^>]* src=|<link[^>]*stylesheet/);
});
