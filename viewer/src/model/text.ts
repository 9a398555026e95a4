// One-line texts for parts of an SDFG: expressions, subsets, memlets, types, conditions.

import { asArray, asObject, asText, isObject, type Json, type JsonObject } from './json';

/** An expression as people write it: without the $ and the type notes of newer files. */
export function plain(value: Json | undefined): string {
  if (isObject(value)) return plain(value['main'] ?? value['string_data'] ?? '');
  return asText(value)
    .replace(/symbol\(\s*\$(\w+)(?:\s*,[^()]*)?\)/g, '$1')
    .replace(/\$(?=[A-Za-z_?])/g, '');
}

export function code(value: Json | undefined): string {
  if (isObject(value)) return asText(value['string_data']);
  return asText(value);
}

/** The end of a range is stored inclusive and shown exclusive: one more, folded into a constant. */
function pastEnd(end: string): string {
  if (/^-?\d+$/.test(end)) return String(BigInt(end) + 1n);
  if (/[<>=]| if | and | or /.test(end)) return `(${end}) + 1`;
  const leading = /^(-?\d+) \+ (.*)$/.exec(end);
  if (leading !== null) return withConstant(leading[2]!, BigInt(leading[1]!) + 1n);
  const trailing = /^(.*\S) ([-+]) (\d+)$/.exec(end);
  if (trailing !== null) return withConstant(trailing[1]!, (trailing[2] === '-' ? -1n : 1n) * BigInt(trailing[3]!) + 1n);
  return `${end} + 1`;
}

function withConstant(text: string, constant: bigint): string {
  if (constant === 0n) return text;
  return constant < 0n ? `${text} - ${-constant}` : `${text} + ${constant}`;
}

export function rangeText(range: Json): string {
  const { start, end, step, tile } = asObject(range);
  const [a, b, s, t] = [plain(start), plain(end), plain(step), plain(tile)];
  let text = a === b ? a : `${a}:${pastEnd(b)}`;
  if (s !== '' && s !== '1') text += `:${s}`;
  if (t !== '' && t !== '1') text += `${s === '1' || s === '' ? ':1' : ''}:${t}`;
  return text;
}

export function subsetText(subset: Json | undefined): string {
  if (typeof subset === 'string') return plain(subset);
  if (!isObject(subset)) return '';
  if (subset['type'] === 'Indices') return asArray(subset['indices']).map(plain).join(', ');
  if (Array.isArray(subset['subset_list'])) return subset['subset_list'].map(subsetText).join(' ∪ ');
  return asArray(subset['ranges']).map(rangeText).join(', ');
}

export function memletText(memlet: JsonObject): string {
  const data = asText(memlet['data']);
  if (data === '') return '';
  const subset = subsetText(memlet['subset']);
  const other = subsetText(memlet['other_subset']);
  let text = subset === '' ? data : `${data}[${subset}]`;
  if (other !== '') text += ` → [${other}]`;
  const wcr = wcrText(memlet['wcr']);
  if (wcr !== '') text += ` (wcr ${wcr})`;
  return text;
}

/** Elements moved; DaCe writes 0 and `dynamic` for "unknown". */
export function volumeText(memlet: JsonObject): string {
  const volume = plain(memlet['volume'] ?? memlet['num_accesses'] ?? '0');
  if (memlet['dynamic'] === true) return volume === '0' || volume === '' ? 'dynamic' : `at most ${volume}`;
  return volume === '0' ? 'unbounded' : volume;
}

export function wcrText(wcr: Json | undefined): string {
  const text = asText(wcr);
  const body = /^lambda (\w+),\s*(\w+)\s*:\s*(.*)$/.exec(unparen(text.trim()));
  if (body === null) return text;
  const operation = unparen(body[3]!);
  const symbol = new RegExp(`^\\(?${body[1]} (\\S+) ${body[2]}\\)?$`).exec(operation);
  if (symbol !== null) return symbol[1]!;
  const call = new RegExp(`^(\\w+)\\(${body[1]}, ${body[2]}\\)$`).exec(operation);
  return call !== null ? call[1]! : operation;
}

export function dtypeText(dtype: Json | undefined): string {
  if (dtype === undefined) return 'int32';
  if (dtype === null) return '';
  if (!isObject(dtype)) return asText(dtype);
  switch (dtype['type']) {
    case 'pointer': return `${dtypeText(dtype['dtype']) || 'void'}*`;
    case 'vector': return `${dtypeText(dtype['dtype'])}<${asText(dtype['elements'])}>`;
    case 'opaque': return asText(dtype['ctype'] ?? dtype['name'] ?? 'opaque');
    case 'struct': return `struct ${asText(dtype['name'])}`;
    case 'callback': return 'callback';
    default: return asText(dtype['type']);
  }
}

/** `A: float64[N, M]`, without the name. */
export function descriptorText(descriptor: JsonObject): string {
  const a = attributes(descriptor);
  const shape = asArray(a['shape']).map(plain).join(', ');
  const type = asText(descriptor['type']);
  if (type === 'Scalar') return dtypeText(a['dtype']);
  if (type.startsWith('Structure')) return `${type} ${asText(a['name'])}`.trim();
  return `${dtypeText(a['dtype'])}[${shape}]`;
}

export function conditionText(edge: JsonObject): string {
  const text = code(edge['condition']).trim();
  return text === '1' || text === 'True' || text === '' ? '' : unparen(text);
}

export function assignmentsText(edge: JsonObject): string[] {
  return Object.entries(asObject(edge['assignments'])).map(([name, value]) => `${name} = ${unparen(asText(value))}`);
}

/** The head of a loop as in C. */
export function loopText(own: JsonObject): string {
  const part = (key: string): string => unparen(code(own[key]).trim());
  const [init, condition, update] = [part('init_statement'), part('loop_condition'), part('update_statement')];
  if (own['inverted'] === true) return `do ${update === '' ? '' : `${update} `}while ${condition}${init === '' ? '' : ` from ${init}`}`;
  if (init === '' && update === '') return `while ${condition}`;
  return `for ${init}; ${condition}; ${update}`;
}

/** Drops parentheses that enclose the whole text. */
export function unparen(text: string): string {
  let result = text;
  while (result.startsWith('(') && result.endsWith(')')) {
    let depth = 0;
    for (let i = 0; i < result.length - 1; i++) {
      if (result[i] === '(') depth++;
      if (result[i] === ')' && --depth === 0) return result;
    }
    result = result.slice(1, -1);
  }
  return result;
}

/** Old files write an element's attributes beside its type. */
export function attributes(element: JsonObject): JsonObject {
  const inner = element['attributes'];
  return isObject(inner) ? inner : element;
}

export function shorten(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, Math.max(1, length - 1)) + '…';
}
