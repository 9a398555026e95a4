// Finding elements by what is written in them, and all uses of a container.

import { isObject, asText } from './json';
import { assignmentsText, attributes, code, conditionText, loopText, memletText } from './text';
import { descriptorOf, isEntry, type Item, type Model } from './model';
import { rows } from './properties';

export interface Found { item: number; edge: number; field: string; text: string; from: number; to: number }

/** A regular expression from what was typed; plain text when it is none. Capitals make it strict. */
export function pattern(query: string): { expression: RegExp; problem: string } {
  const flags = /[A-Z]/.test(query) ? 'g' : 'gi';
  try {
    return { expression: new RegExp(query, flags), problem: '' };
  } catch (error) {
    const text = query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return { expression: new RegExp(text, flags), problem: error instanceof Error ? error.message : String(error) };
  }
}

function fields(item: Item): [string, string][] {
  const own = attributes(item.json);
  const list: [string, string][] = [['name', item.label]];
  if (item.kind === 'AccessNode') list[0] = ['data', asText(own['data'])];
  if (item.kind === 'LoopRegion') list.push(['loop', loopText(own)]);
  if (item.condition !== '') list.push(['condition', item.condition]);
  for (const key of ['code', 'code_global', 'code_init', 'code_exit']) {
    const value = own[key];
    if (isObject(value)) for (const line of code(value).split('\n')) if (line !== '') list.push([key, line]);
  }
  const path = asText(item.json['classpath']);
  if (path !== '') list.push(['class', path]);
  if (isEntry(item.kind)) for (const row of rows(own)) if (row.name === 'range' || row.name === 'schedule' || row.name === 'params') list.push([row.name, row.text]);
  return list;
}

export function search(model: Model, expression: RegExp, limit = 1000): Found[] {
  const found: Found[] = [];
  const look = (item: number, edge: number, list: [string, string][]): void => {
    for (const [field, text] of list) {
      expression.lastIndex = 0;
      const match = expression.exec(text);
      if (match === null || match[0] === '') continue;
      found.push({ item, edge, field, text, from: match.index, to: match.index + match[0].length });
      return;
    }
  };
  for (const item of model.items) {
    if (item.kind === 'Scope') continue;
    look(item.id, -1, fields(item));
    if (found.length >= limit) return found;
  }
  for (const edge of model.edges) {
    const list: [string, string][] = edge.kind === 'memlet' ? [['memlet', memletText(edge.data)]] :
      [['condition', conditionText(edge.data)], ...assignmentsText(edge.data).map((a): [string, string] => ['assignment', a])];
    look(-1, edge.id, list);
    if (found.length >= limit) return found;
  }
  return found;
}

export interface Uses { items: number[]; edges: number[] }

/** Where a container of an SDFG is named, here and under its names inside nested SDFGs. */
export function usesOf(model: Model, sdfg: number, data: string): Uses {
  const uses: Uses = { items: [], edges: [] };
  const seen = new Set<string>();
  const work: [number, string][] = [[sdfg, data]];
  while (work.length > 0) {
    const [in_, name] = work.pop()!;
    if (seen.has(`${in_} ${name}`)) continue;
    seen.add(`${in_} ${name}`);
    if (descriptorOf(model, in_, name) === undefined) continue;
    const word = new RegExp(`(?<![\\w.])${name.replace(/\W/g, '\\$&')}(?!\\w)`);
    for (const item of model.items) {
      if (item.sdfg !== in_) continue;
      const own = attributes(item.json);
      if (item.kind === 'AccessNode' && (asText(own['data']) === name || asText(own['data']).startsWith(name + '.'))) uses.items.push(item.id);
      if ((item.kind === 'LoopRegion' && word.test(loopText(own))) || (item.condition !== '' && word.test(item.condition))) uses.items.push(item.id);
    }
    for (const edge of model.edges) {
      if (model.items[edge.src]!.sdfg !== in_) continue;
      if (edge.kind === 'interstate') {
        if (word.test(conditionText(edge.data)) || assignmentsText(edge.data).some((a) => word.test(a))) uses.edges.push(edge.id);
        continue;
      }
      if (asText(edge.data['data']).split('.')[0] !== name.split('.')[0]) continue;
      uses.edges.push(edge.id);
      for (const [end, connector] of [[edge.dst, edge.dstConn], [edge.src, edge.srcConn]] as const) {
        const node = model.items[end]!;
        const inner = model.items[node.children[0] ?? -1];
        if (node.kind === 'NestedSDFG' && inner !== undefined && connector !== '') work.push([inner.sdfg, connector]);
      }
    }
  }
  return uses;
}
