// An element's attributes as rows of text, in the order of the file, which is the order of the
// library's own property lists. What is not known is shown as JSON: nothing is hidden.

import { asArray, asText, isObject, type Json, type JsonObject } from './json';
import { attributes, descriptorText, dtypeText, plain, subsetText, wcrText } from './text';

export interface Row { name: string; text: string; code: boolean }

/** Attributes that hold other elements or belong to editors, not to the program. */
const structural = new Set(['sdfg', 'orig_sdfg', 'transformation_hist', 'layout', 'position', '_arrays', 'constants_prop']);
/** Attributes that say nothing about the program; they do not count as differences. */
const incidental = new Set(['guid', 'hash', 'debuginfo', 'is_collapsed', 'collapsed']);
const dtypeKinds = new Set(['pointer', 'vector', 'opaque', 'struct', 'callback', 'string']);

export function valueText(value: Json): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return plain(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(valueText).join(', ')}]`;
  if (typeof value['string_data'] === 'string') return value['string_data'];
  const type = asText(value['type']);
  if (type === 'Range' || type === 'Indices') return `[${subsetText(value)}]`;
  if (type === 'DebugInfo') return `${asText(value['filename'] ?? value['file_index'])}:${asText(value['start_line'])}`;
  if (dtypeKinds.has(type)) return dtypeText(value);
  if (isObject(value['attributes']) && Array.isArray(value['attributes']['shape'])) return `${type} ${descriptorText(value)}`;
  const entries = Object.entries(value);
  return entries.length === 0 ? '{}' : entries.map(([k, v]) => `${k}: ${valueText(v)}`).join(', ');
}

function isCode(value: Json): boolean {
  return isObject(value) && typeof value['string_data'] === 'string';
}

export function rows(own: JsonObject): Row[] {
  const result: Row[] = [];
  for (const [name, value] of Object.entries(own)) {
    if (structural.has(name)) continue;
    let text = valueText(value);
    if (name === 'in_connectors' || name === 'out_connectors') text = connectorText(value);
    if (name === 'wcr' && typeof value === 'string') text = `${wcrText(value)}   ${value}`;
    const named = Object.entries(isObject(value) && name.endsWith('code') && !isCode(value) ? value : {});
    if (named.length > 0) {
      for (const [key, part] of named) if (valueText(part) !== '') result.push({ name: `${name}.${key}`, text: valueText(part), code: true });
      continue;
    }
    result.push({ name, text, code: isCode(value) });
  }
  return result;
}

function connectorText(value: Json): string {
  if (Array.isArray(value)) return value.map(valueText).join('\n') || 'none';
  const entries = Object.entries(isObject(value) ? value : {});
  return entries.length === 0 ? 'none' : entries.map(([name, type]) => (type === null ? name : `${name}: ${dtypeText(type)}`)).join('\n');
}

export interface Change { property: string; before: string; after: string }

/** How two attribute lists differ; both may leave out defaults, which then count as absent. */
export function changes(before: JsonObject, after: JsonObject, ignore: ReadonlySet<string> = new Set()): Change[] {
  const result: Change[] = [];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) {
    if (structural.has(name) || incidental.has(name) || ignore.has(name)) continue;
    const [a, b] = [before[name], after[name]];
    if (a === b || stable(a) === stable(b)) continue;
    if (isMap(a) && isMap(b)) result.push(...entryChanges(name, a, b));
    else result.push({ property: name, before: a === undefined ? '' : valueText(a), after: b === undefined ? '' : valueText(b) });
  }
  return result;
}

/** Connectors, symbols, assignments and the like: objects that are no elements. */
function isMap(value: Json | undefined): value is JsonObject {
  return isObject(value) && value['type'] === undefined && value['string_data'] === undefined;
}

/** Of two maps only the entries that differ; names alone where they have no values. */
function entryChanges(property: string, before: JsonObject, after: JsonObject): Change[] {
  const show = (map: JsonObject, other: JsonObject): string => Object.keys(map).filter((key) => stable(map[key]) !== stable(other[key]) || !(key in other))
    .map((key) => (map[key] === null ? key : `${key}: ${valueText(map[key]!)}`)).join(', ');
  const change = { property, before: show(before, after), after: show(after, before) };
  return change.before === '' && change.after === '' ? [] : [change];
}

export function containerChanges(before: JsonObject, after: JsonObject): Change[] {
  const [a, b] = [containers(before), containers(after)];
  const result: Change[] = [];
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [x, y] = [a[name], b[name]];
    if (x === y || stable(x) === stable(y)) continue;
    if (!isObject(x)) result.push({ property: `container ${name}`, before: '', after: isObject(y) ? descriptorText(y) : '' });
    else if (!isObject(y)) result.push({ property: `container ${name}`, before: descriptorText(x), after: '' });
    else {
      for (const change of changes(attributes(x), attributes(y))) result.push({ ...change, property: `${name}.${change.property}` });
      if (x['type'] !== y['type']) result.push({ property: `${name}.type`, before: asText(x['type']), after: asText(y['type']) });
    }
  }
  return result;
}

function containers(own: JsonObject): JsonObject {
  const value = own['_arrays'];
  return isObject(value) ? value : {};
}

/** The same text for the same value, whatever the order of keys. Debug info does not count. */
export function stable(value: Json | undefined): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).filter((k) => !incidental.has(k)).sort();
  return `{${keys.map((k) => `${k}:${stable(value[k])}`).join(',')}}`;
}

export function firstOf(value: Json | undefined): Json | undefined {
  return asArray(value)[0];
}
