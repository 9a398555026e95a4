// Cost beside the graph: which measure colours it, the scale, a sorted table, and a roofline.

import { heatColour, type Theme } from '../draw/theme';
import type { Doc } from '../doc';
import { metricOf, metrics, withUnit, type Cost, type CostTable, type Metric } from '../model/cost';
import { placeText, type Model } from '../model/model';
import type { Mark } from '../draw/paint';
import { h } from './dom';

export interface CostActions {
  metric(metric: Metric | null): void;
  symbol(name: string, value: number | null): void;
  focus(item: number): void;
}

export interface CostState { table: CostTable; metric: Metric | null; symbols: Map<string, number>; free: string[] }

interface Scale { low: number; high: number }

/** The whole program is left out of the scale: it would make everything else look cold. */
function scaleOf(costs: Cost[], metric: Metric): Scale | null {
  const values = costs.filter((c) => c.item !== 0).map((c) => metricOf(c, metric)).filter((v): v is number => v !== null && v > 0);
  return values.length === 0 ? null : { low: Math.min(...values), high: Math.max(...values) };
}

/** Logarithmic where the values span more than a factor of fifty. */
function position(scale: Scale, value: number): number {
  if (scale.high <= scale.low) return 1;
  if (scale.high / scale.low > 50) return Math.max(0, Math.log(value / scale.low) / Math.log(scale.high / scale.low));
  return (value - scale.low) / (scale.high - scale.low);
}

export function heatMarks(model: Model, state: CostState, theme: Theme): Map<number, Mark> {
  const marks = new Map<number, Mark>();
  const { metric } = state;
  const costs = [...state.table.costs.values()];
  const scale = metric === null ? null : scaleOf(costs, metric);
  if (metric === null || scale === null) return marks;
  for (const cost of costs) {
    const value = metricOf(cost, metric);
    if (value === null || value <= 0 || cost.item === 0) continue;
    const mark: Mark = { fill: heatColour(theme, position(scale, value)) };
    const item = model.items[cost.item]!;
    marks.set(cost.item, mark);
    // An open scope shows little of itself: its entry and exit speak for it.
    if (item.kind === 'Scope') for (const id of [item.entry, item.exit]) if (id >= 0) marks.set(id, mark);
  }
  return marks;
}

export function costPane(doc: Doc, state: CostState, theme: Theme, actions: CostActions): HTMLElement {
  const { table, metric } = state;
  const costs = [...table.costs.values()];
  const select = h('select', { 'aria-label': 'Measure that colours the graph', onchange: () => actions.metric(select.value === '' ? null : (select.value as Metric)) },
    h('option', { value: '', selected: metric === null }, 'no colours'),
    ...metrics.filter((m) => costs.some((c) => metricOf(c, m.key) !== null)).map((m) => h('option', { value: m.key, selected: m.key === metric }, m.name)));
  const box = h('div', { class: 'pad' }, h('p', { style: 'display:flex;gap:8px;align-items:center;margin:0' }, select, h('span', { style: 'color:var(--faint)' }, `from ${table.source}`)));
  const scale = metric === null ? null : scaleOf(costs, metric);
  const unit = metrics.find((m) => m.key === metric)?.unit ?? '';
  if (scale !== null) {
    const stops = [0, 0.25, 0.5, 0.75, 1].map((t) => heatColour(theme, t)).join(',');
    box.append(h('div', { class: 'legend' }, withUnit(scale.low, unit), h('i', { style: `background:linear-gradient(90deg,${stops})` }), withUnit(scale.high, unit)));
  }
  if (state.free.length > 0 && table.source === 'memlet volumes') box.append(symbolInputs(state, actions));
  if (table.unknown.length > 0) box.append(h('p', { style: 'color:var(--faint)' }, `Not found in this SDFG: ${table.unknown.slice(0, 6).join(', ')}${table.unknown.length > 6 ? ' …' : ''}`));
  if (metric !== null && scale !== null) box.append(costTable(doc, costs, metric, scale, unit, theme, actions));
  const roofline = rooflinePlot(doc, costs, table, theme, actions);
  if (roofline !== null) box.append(h('h3', {}, `Roofline${table.machine === null ? '' : `: ${table.machine.name}`}`), roofline);
  return box;
}

function symbolInputs(state: CostState, actions: CostActions): HTMLElement {
  return h('details', { open: true }, h('summary', {}, 'Values of symbols'), h('table', {}, h('tbody', {}, ...state.free.map((name) => {
    const input = h('input', { type: 'number', style: 'width:110px', 'aria-label': `Value of ${name}`, value: state.symbols.get(name) ?? null, onchange: () => actions.symbol(name, input.value === '' ? null : Number(input.value)) });
    return h('tr', {}, h('th', {}, name), h('td', {}, input));
  }))));
}

function costTable(doc: Doc, costs: Cost[], metric: Metric, scale: Scale, unit: string, theme: Theme, actions: CostActions): HTMLElement {
  const listed = costs.map((cost) => ({ cost, value: metricOf(cost, metric) })).filter((e): e is { cost: Cost; value: number } => e.value !== null).sort((a, b) => b.value - a.value);
  return h('table', { class: 'cost' }, h('thead', {}, h('tr', {}, h('th', {}, 'element'), h('th', { class: 'num' }, metrics.find((m) => m.key === metric)!.name.toLowerCase()))), h('tbody', {}, ...listed.slice(0, 200).map(({ cost, value }) => {
    const t = cost.item === 0 ? 0 : position(scale, value);
    return h('tr', { tabindex: 0, title: placeText(doc.model, cost.item), onclick: () => actions.focus(cost.item), onkeydown: (event: KeyboardEvent) => { if (event.key === 'Enter') actions.focus(cost.item); } },
      h('td', { class: 'barcell' }, doc.model.items[cost.item]!.label || doc.model.items[cost.item]!.kind, h('i', { style: `width:${Math.round(t * 100)}%;background:${heatColour(theme, t)}` })),
      h('td', { class: 'num' }, withUnit(value, unit)));
  })));
}

const svg = 'http://www.w3.org/2000/svg';

/** Operations per second over operations per byte, under the roof of the machine. */
function rooflinePlot(doc: Doc, costs: Cost[], table: CostTable, theme: Theme, actions: CostActions): SVGElement | null {
  const dots = costs.flatMap((cost) => {
    const [intensity, time] = [metricOf(cost, 'intensity'), cost.measured ?? cost.expected];
    return intensity === null || intensity <= 0 || cost.flops === null || time === null || time <= 0 ? [] : [{ cost, x: intensity, y: cost.flops / time }];
  });
  if (dots.length === 0) return null;
  const { machine } = table;
  const xs = dots.map((d) => d.x);
  const ys = dots.map((d) => d.y);
  if (machine !== null && machine.bandwidth > 0 && machine.flops > 0) { xs.push(machine.flops / machine.bandwidth); ys.push(machine.flops); }
  const range = (v: number[]): [number, number] => [Math.floor(Math.log10(Math.min(...v)) - 0.3), Math.ceil(Math.log10(Math.max(...v)) + 0.3)];
  const [[x0, x1], [y0, y1]] = [range(xs), range(ys)];
  const [w, height, left, bottom] = [280, 210, 40, 26];
  const px = (v: number): number => left + ((Math.log10(v) - x0) / (x1 - x0)) * (w - left - 8);
  const py = (v: number): number => height - bottom - ((Math.log10(v) - y0) / (y1 - y0)) * (height - bottom - 8);
  const root = document.createElementNS(svg, 'svg');
  root.setAttribute('viewBox', `0 0 ${w} ${height}`);
  root.setAttribute('class', 'roofline');
  root.setAttribute('role', 'img');
  root.setAttribute('aria-label', `Roofline of ${dots.length} kernels`);
  const add = (tag: string, attributes: Record<string, string | number>, text = ''): SVGElement => {
    const element = document.createElementNS(svg, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== '') element.textContent = text;
    root.append(element);
    return element;
  };
  const faint = { fill: theme.faint, 'font-size': 9 };
  for (let e = x0; e <= x1; e++) {
    add('line', { x1: px(10 ** e), x2: px(10 ** e), y1: 8, y2: height - bottom, stroke: theme.faint, 'stroke-opacity': 0.2 });
    add('text', { x: px(10 ** e), y: height - bottom + 11, 'text-anchor': 'middle', ...faint }, e === 0 ? '1' : e > 0 && e < 4 ? String(10 ** e) : `1e${e}`);
  }
  for (let e = y0; e <= y1; e++) {
    add('line', { x1: left, x2: w - 8, y1: py(10 ** e), y2: py(10 ** e), stroke: theme.faint, 'stroke-opacity': 0.2 });
    add('text', { x: left - 4, y: py(10 ** e) + 3, 'text-anchor': 'end', ...faint }, withUnit(10 ** e, '').replace(/\.00/, ''));
  }
  add('text', { x: w / 2 + 10, y: height - 3, 'text-anchor': 'middle', ...faint }, 'operations per byte');
  add('text', { x: 9, y: height / 2, 'text-anchor': 'middle', transform: `rotate(-90 9 ${height / 2})`, ...faint }, 'operations per second');
  if (machine !== null && machine.bandwidth > 0 && machine.flops > 0) {
    const ridge = machine.flops / machine.bandwidth;
    const start = Math.max(10 ** x0, 10 ** y0 / machine.bandwidth);
    add('polyline', { points: `${px(start)},${py(start * machine.bandwidth)} ${px(ridge)},${py(machine.flops)} ${px(10 ** x1)},${py(machine.flops)}`, fill: 'none', stroke: theme.changed.stroke, 'stroke-width': 1.6 });
  }
  for (const d of dots) {
    const circle = add('circle', { cx: px(d.x), cy: py(d.y), r: 4, fill: theme.select, 'fill-opacity': 0.75, stroke: theme.background, cursor: 'pointer' });
    const title = document.createElementNS(svg, 'title');
    title.textContent = `${doc.model.items[d.cost.item]!.label}: ${withUnit(d.y, 'flop/s')}, ${withUnit(d.x, 'flop/B')}`;
    circle.append(title);
    circle.addEventListener('click', () => actions.focus(d.cost.item));
  }
  return root;
}
