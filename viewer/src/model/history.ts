// The history that `sdfg-opt --history` writes: the SDFG before the first pass, and for each step a
// patch of its JSON (docs/history-format.md). Patched SDFGs share all that a step did not touch,
// so that a thousand steps fit into memory and comparing two neighbours is quick.

import { asArray, asObject, asText, describe, FileError, isObject, pointer, unescapePointer, type Json, type JsonObject } from './json';

export interface Step {
  pass: string;
  place: string;
  remark: string;
  counts: Record<string, number>;
  root: JsonObject;        // the whole SDFG after the step
}

export interface History { name: string; steps: Step[] }   // steps[0] is the start, with no pass

export function readHistory(json: JsonObject): History {
  const initial = json['initial'];
  if (!isObject(initial) || initial['type'] !== 'SDFG') throw new FileError('/initial', `expected an SDFG, found ${describe(initial)}`);
  const steps: Step[] = [{ pass: '', place: '', remark: 'before the first pass', counts: numbers(json['counts']), root: initial }];
  let root = initial;
  asArray(json['steps']).forEach((value, i) => {
    const place = pointer('steps', i);
    if (!isObject(value)) throw new FileError(place, `expected an object, found ${describe(value)}`);
    const whole = value['sdfg'];
    root = isObject(whole) ? whole : applyPatch(root, asArray(value['patch']), place + '/patch');
    const last = steps[steps.length - 1]!;
    steps.push({
      pass: asText(value['pass']), place: asText(value['place']), remark: asText(value['remark']),
      counts: { ...last.counts, ...numbers(value['counts']) }, root,
    });
  });
  return { name: asText(json['name']) || asText(asObject(initial['attributes'])['name']), steps };
}

function numbers(value: Json | undefined): Record<string, number> {
  const result: Record<string, number> = {};
  for (const [key, entry] of Object.entries(asObject(value))) if (typeof entry === 'number') result[key] = entry;
  return result;
}

/** JSON Patch (RFC 6902) with add, remove and replace. The given value stays as it is. */
export function applyPatch(root: JsonObject, patch: Json[], place: string): JsonObject {
  const fresh = new Set<object>();   // copies made for this patch, which may be written to
  let result: Json = root;
  patch.forEach((entry, i) => {
    const at = place + pointer(i);
    const { op, path, value } = asObject(entry);
    if (op !== 'add' && op !== 'remove' && op !== 'replace') throw new FileError(at + '/op', `expected add, remove or replace, found ${describe(op)}`);
    if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) throw new FileError(at + '/path', `expected a JSON pointer, found ${describe(path)}`);
    if (op !== 'remove' && value === undefined) throw new FileError(at + '/value', 'expected a value, found nothing');
    if (path === '') { result = value!; return; }
    const parts = path.slice(1).split('/').map(unescapePointer);
    const key = parts.pop()!;
    result = own(result, fresh);
    let holder: Json = result;
    parts.forEach((part, n) => {
      const parent = holder as JsonObject;
      const child: Json | undefined = parent[part];
      if (typeof child !== 'object' || child === null) throw new FileError(at + '/path', `${pointer(...parts.slice(0, n + 1))} does not exist`);
      holder = parent[part] = own(child, fresh);
    });
    edit(holder as Json[] | JsonObject, key, op, value, at);
  });
  if (!isObject(result)) throw new FileError(place, 'the patched SDFG is no object');
  return result;
}

function own(value: Json, fresh: Set<object>): Json {
  if (typeof value !== 'object' || value === null || fresh.has(value)) return value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  fresh.add(copy);
  return copy;
}

function edit(holder: Json[] | JsonObject, key: string, op: string, value: Json | undefined, at: string): void {
  if (!Array.isArray(holder)) {
    if (op !== 'add' && !(key in holder)) throw new FileError(at + '/path', `there is no key '${key}' to ${op}`);
    if (op === 'remove') delete holder[key];
    else holder[key] = value!;
    return;
  }
  const index = key === '-' ? holder.length : Number(key);
  const most = op === 'add' ? holder.length : holder.length - 1;
  if (!Number.isInteger(index) || index < 0 || index > most) throw new FileError(at + '/path', `there is no index ${key} to ${op}; the array has ${holder.length}`);
  if (op === 'replace') holder[index] = value!;
  else if (op === 'remove') holder.splice(index, 1);
  else holder.splice(index, 0, value!);
}
