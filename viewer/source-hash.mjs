// A stamp of all that the built page is made of, so that a test can tell whether it is current.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = import.meta.dirname;

function files(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).sort().flatMap((name) => files(join(path, name)));
}

export function sourceHash() {
  const hash = createHash('sha256');
  for (const path of ['index.html', 'package.json', 'package-lock.json', 'source-hash.mjs', 'src', 'vite.config.ts'].flatMap((p) => files(join(root, p)))) {
    hash.update(relative(root, path).replaceAll('\\', '/')).update('\0').update(readFileSync(path, 'utf8').replaceAll('\r\n', '\n')).update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}
