// The properties of what is selected.

import type { Hit } from '../draw/scene';
import type { Doc } from '../doc';
import { asObject, asText, isObject, type JsonObject } from '../model/json';
import { descriptorOf, isEntry, isExit, placeText, type Item } from '../model/model';
import { rows, type Row } from '../model/properties';
import { assignmentsText, attributes, conditionText, descriptorText, dtypeText, memletText, plain, shorten, volumeText } from '../model/text';
import { withUnit, type CostTable } from '../model/cost';
import { h } from './dom';
import type { Actions } from './outline';

export function details(doc: Doc, hit: Hit, actions: Actions, cost: CostTable | null): HTMLElement {
  if (hit === null) return overview(doc);
  return 'item' in hit ? itemDetails(doc, doc.model.items[hit.item]!, actions, cost) : edgeDetails(doc, hit.edge, actions);
}

function table(list: Row[]): HTMLElement {
  return h('table', {}, h('tbody', {}, ...list.map((row) =>
    h('tr', {}, h('th', { scope: 'row' }, row.name), h('td', {}, row.code || row.text.includes('\n') ? h('pre', {}, row.text) : row.text)))));
}

function section(title: string, ...content: (HTMLElement | null)[]): HTMLElement {
  return h('section', {}, h('h3', {}, title), ...content);
}

function overview(doc: Doc): HTMLElement {
  const { model } = doc;
  const kinds = new Map<string, number>();
  for (const item of model.items) if (item.kind !== 'Scope') kinds.set(item.kind, (kinds.get(item.kind) ?? 0) + 1);
  const counts = [...kinds].sort((a, b) => b[1] - a[1]).map(([name, count]): Row => ({ name, text: count.toLocaleString('en'), code: false }));
  const root = rows(attributes(model.root)).filter((row) => row.text !== '' && row.text !== '[]' && row.text !== '{}');
  return h('div', { class: 'pad' },
    h('span', { class: 'kind' }, `SDFG${model.version === '' ? '' : ` · DaCe ${model.version}`}`), h('h2', {}, model.items[0]!.label),
    model.problems.length === 0 ? null : section(`${model.problems.length} problem${model.problems.length === 1 ? '' : 's'} in the file`,
      table(model.problems.slice(0, 100).map((p): Row => ({ name: p.place, text: p.what, code: false })))),
    section('Contents', table([...counts, { name: 'edges', text: model.edges.length.toLocaleString('en'), code: false }])), section('Attributes', table(root)));
}

function itemDetails(doc: Doc, item: Item, actions: Actions, cost: CostTable | null): HTMLElement {
  const { model } = doc;
  const entry = (isExit(item.kind) || item.kind === 'Scope') && item.entry >= 0 ? model.items[item.entry]! : item;
  const own = attributes(entry.json);
  const box = h('div', { class: 'pad' },
    h('span', { class: 'kind' }, kindText(item)), h('h2', {}, item.condition || asText(own['data']) || item.label || item.kind),
    h('div', { style: 'color:var(--faint);font-size:11.5px' }, placeText(model, item.id)));
  const known = cost?.costs.get(item.id);
  if (known !== undefined) {
    const list: Row[] = [];
    if (known.measured !== null) list.push({ name: 'measured', text: `${withUnit(known.measured, 's')} (median of ${known.runs})`, code: false });
    if (known.expected !== null) list.push({ name: 'expected', text: withUnit(known.expected, 's'), code: false });
    if (known.bytes !== null) list.push({ name: 'bytes', text: withUnit(known.bytes, 'B'), code: false });
    if (known.flops !== null) list.push({ name: 'operations', text: withUnit(known.flops, 'flop'), code: false });
    box.append(section('Cost', table(list)));
  }
  if (item.kind === 'AccessNode') {
    const data = asText(own['data']);
    box.append(container(doc, item.sdfg, data, actions) ?? '');
  }
  box.append(section(entry === item ? 'Attributes' : `Attributes of ${entry.label || 'its entry'}`, table(rows(own))));
  if (item.kind === 'NestedSDFG' && isObject(own['sdfg'])) box.append(section('Nested SDFG', table(rows(attributes(own['sdfg'])))));
  if (item.id === 0 || item.kind === 'NestedSDFG') {
    const sdfg = model.sdfgs[item.id === 0 ? 0 : model.items[item.children[0] ?? -1]?.sdfg ?? -1];
    if (sdfg !== undefined) box.append(symbols(sdfg.json));
  }
  if (isEntry(entry.kind) && entry.exit >= 0) box.append(h('p', {}, h('button', { onclick: () => actions.select({ item: entry.exit }, true) }, 'Go to its exit')));
  return box;
}

function kindText(item: Item): string {
  const path = asText(item.json['classpath']);
  if (item.kind === 'Scope') return `scope of ${asText(item.json['type'])}`;
  return path === '' ? item.kind : `${item.kind} · ${path.replace(/^.*\./, '')}`;
}

function symbols(sdfg: JsonObject): HTMLElement {
  const list = Object.entries(asObject(attributes(sdfg)['symbols'])).map(([name, type]): Row => ({ name, text: dtypeText(type), code: false }));
  return list.length === 0 ? h('span') : section('Symbols', table(list));
}

/** What the SDFG says about a container. */
export function container(doc: Doc, sdfg: number, data: string, actions: Actions): HTMLElement | null {
  const descriptor = descriptorOf(doc.model, sdfg, data);
  if (descriptor === undefined) return section('Container', h('p', {}, `'${data}' is not declared in its SDFG.`));
  return section(`Container: ${asText(descriptor['type'])}`, h('p', { class: 'mono', style: 'margin:2px 0 4px' }, descriptorText(descriptor)),
    h('p', { style: 'margin:4px 0' }, h('button', { class: 'main', onclick: () => actions.showUses(sdfg, data) }, 'Show all uses')), table(rows(attributes(descriptor))));
}

function edgeDetails(doc: Doc, id: number, actions: Actions): HTMLElement {
  const { model } = doc;
  const edge = model.edges[id]!;
  const end = (item: number, connector: string): HTMLElement =>
    h('button', { onclick: () => actions.select({ item }, true), style: 'padding:0 4px;white-space:normal;text-align:left' }, `${model.items[item]!.label || asText(attributes(model.items[item]!.json)['data']) || model.items[item]!.kind}${connector === '' ? '' : ` . ${connector}`}`);
  const memlet = edge.kind === 'memlet';
  const title = memlet ? memletText(edge.data) || 'empty memlet' : [conditionText(edge.data), ...assignmentsText(edge.data)].filter((t) => t !== '').join('; ') || 'unconditional';
  const data = asText(edge.data['data']);
  const sdfg = model.items[edge.src]!.sdfg;
  const descriptor = memlet && data !== '' ? descriptorOf(model, sdfg, data) : undefined;
  return h('div', { class: 'pad' }, h('span', { class: 'kind' }, memlet ? 'memlet' : 'interstate edge'), h('h2', {}, shorten(title, 200)),
    h('p', { style: 'margin:4px 0' }, end(edge.src, edge.srcConn), ' → ', end(edge.dst, edge.dstConn)),
    memlet && data !== '' ? section('Moves', table([
      { name: 'volume', text: `${volumeText(edge.data)} elements`, code: false },
      { name: 'shape', text: descriptor === undefined ? 'unknown' : descriptorText(descriptor), code: false },
      { name: 'subset', text: plain(memletText(edge.data)), code: false }])) : null,
    section('Attributes', table(rows(edge.data))), data === '' ? null : container(doc, sdfg, data, actions));
}
