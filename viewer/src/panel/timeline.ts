// The steps of a history: where one is, what it did, and how counts went.

import type { History } from '../model/history';
import { withUnit } from '../model/cost';
import { h } from './dom';

export interface TimelineActions { go(step: number): void; flip(): void; split(): void }

const colours = ['#1668dc', '#d6336c', '#138a36', '#b07700', '#7a4fd0'];
const svg = 'http://www.w3.org/2000/svg';

export class Timeline {
  readonly element: HTMLElement;
  private history_: History | null = null;
  private step_ = 0;
  private filter_ = '';
  private readonly chart_: SVGSVGElement;
  private readonly what_ = h('div', { class: 'what', 'aria-live': 'polite' });
  private readonly legend_ = h('div', { class: 'legend' });
  private readonly passes_ = h('select', { 'aria-label': 'Show only the steps of one pass' });
  private readonly flip_: HTMLButtonElement;
  private readonly split_: HTMLButtonElement;

  constructor(private readonly actions_: TimelineActions) {
    this.chart_ = document.createElementNS(svg, 'svg');
    this.chart_.setAttribute('role', 'slider');
    this.chart_.setAttribute('aria-label', 'Step of the pipeline');
    this.chart_.setAttribute('tabindex', '0');
    this.chart_.setAttribute('preserveAspectRatio', 'none');
    this.chart_.addEventListener('pointerdown', (event) => { this.chart_.setPointerCapture(event.pointerId); this.steer(event); });
    this.chart_.addEventListener('pointermove', (event) => { if (event.buttons === 1) this.steer(event); });
    this.chart_.addEventListener('keydown', (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
      if (move === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.move(move);
    });
    this.passes_.addEventListener('change', () => { this.filter_ = this.passes_.value; this.draw(); });
    this.flip_ = h('button', { onclick: () => this.actions_.flip(), title: 'Show the graph before this step (b)', 'aria-pressed': 'false' }, 'Before');
    this.split_ = h('button', { onclick: () => this.actions_.split(), title: 'Before and after side by side (v)', 'aria-pressed': 'false' }, 'Side by side');
    this.element = h('section', { class: 'time', 'aria-label': 'Pass time line', hidden: true },
      h('div', {}, h('button', { onclick: () => this.move(-1), 'aria-label': 'Previous step', title: 'Previous step ([)' }, '◀'), h('button', { onclick: () => this.move(1), 'aria-label': 'Next step', title: 'Next step (])' }, '▶')),
      this.what_, h('div', {}, this.flip_, this.split_, this.passes_), h('div', { class: 'track' }, this.chart_), h('div', { style: 'grid-column:1/-1' }, this.legend_));
  }

  set(history: History | null): void {
    this.history_ = history;
    this.filter_ = '';
    this.element.hidden = history === null;
    if (history === null) return;
    const counts = new Map<string, number>();
    for (const step of history.steps.slice(1)) counts.set(step.pass, (counts.get(step.pass) ?? 0) + 1);
    this.passes_.replaceChildren(h('option', { value: '' }, `all passes (${history.steps.length - 1} steps)`),
      ...[...counts].sort().map(([name, count]) => h('option', { value: name }, `${name} (${count})`)));
  }

  show(step: number, before: boolean, split: boolean): void {
    this.step_ = step;
    this.flip_.setAttribute('aria-pressed', String(before));
    this.split_.setAttribute('aria-pressed', String(split));
    const at = this.history_?.steps[step];
    if (at === undefined) return;
    this.what_.replaceChildren(h('b', {}, `${step} / ${this.history_!.steps.length - 1}`), h('b', { style: 'color:var(--accent)' }, at.pass || 'start'), h('span', {}, at.place), at.remark);
    this.what_.title = `${at.pass} ${at.place} ${at.remark}`;
    this.draw();
  }

  /** To the next step that the filter lets through. */
  move(by: number): void {
    const history = this.history_;
    if (history === null) return;
    const steps = history.steps.map((_, i) => i).filter((i) => this.filter_ === '' || history.steps[i]!.pass === this.filter_);
    let target: number | undefined;
    if (by > 0) target = by > 1 ? steps[steps.length - 1] : steps.find((i) => i > this.step_);
    else target = by < -1 ? steps[0] : steps.filter((i) => i < this.step_).pop();
    if (target !== undefined) this.actions_.go(target);
  }

  private steer(event: PointerEvent): void {
    const history = this.history_;
    if (history === null) return;
    const box = this.chart_.getBoundingClientRect();
    const t = (event.clientX - box.left) / box.width;
    const step = Math.max(0, Math.min(history.steps.length - 1, Math.round(t * history.steps.length - 0.5)));
    if (step !== this.step_) this.actions_.go(step);
  }

  private draw(): void {
    const history = this.history_;
    if (history === null) return;
    const n = history.steps.length;
    const [w, tall] = [1000, 54];
    const x = (i: number): number => ((i + 0.5) / n) * w;
    this.chart_.setAttribute('viewBox', `0 0 ${w} ${tall}`);
    this.chart_.setAttribute('aria-valuemin', '0');
    this.chart_.setAttribute('aria-valuemax', String(n - 1));
    this.chart_.setAttribute('aria-valuenow', String(this.step_));
    this.chart_.setAttribute('aria-valuetext', `${history.steps[this.step_]!.pass || 'start'}`);
    const parts: SVGElement[] = [];
    const add = (tag: string, attributes: Record<string, string | number>): SVGElement => {
      const element = document.createElementNS(svg, tag);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
      parts.push(element);
      return element;
    };
    const passes = [...new Set(history.steps.map((s) => s.pass))].sort();
    history.steps.forEach((step, i) => {
      const on = this.filter_ === '' || step.pass === this.filter_;
      const hue = (passes.indexOf(step.pass) * 137) % 360;
      const tick = add('rect', { x: x(i) - Math.min(10, (w / n) * 0.42), width: Math.min(20, (w / n) * 0.84), y: tall - 9, height: 7, rx: 1.5, fill: step.pass === '' ? '#8895a5' : `hsl(${hue} 55% 52%)`, opacity: on ? 1 : 0.15 });
      const title = document.createElementNS(svg, 'title');
      title.textContent = `${i}: ${step.pass} ${step.place} ${step.remark}`;
      tick.append(title);
    });
    const keys = [...new Set(history.steps.flatMap((s) => Object.keys(s.counts)))];
    this.legend_.replaceChildren();
    keys.slice(0, colours.length).forEach((key, k) => {
      const values = history.steps.map((s) => s.counts[key] ?? 0);
      // From zero, unless that would hide how the values differ.
      const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b), 1e-300)];
      const base = least > most / 2 ? least - (most - least) * 0.25 : Math.min(0, least);
      const height = (v: number): number => 40 - (most === base ? 17 : ((v - base) / (most - base)) * 34);
      const points: string[] = [];
      values.forEach((v, i) => {
        if (i > 0) points.push(`${x(i)},${height(values[i - 1]!)}`);
        points.push(`${x(i)},${height(v)}`);
      });
      add('polyline', { points: points.join(' '), fill: 'none', stroke: colours[k]!, 'stroke-width': 1.6, 'vector-effect': 'non-scaling-stroke' });
      const value = values[this.step_]!;
      this.legend_.append(h('span', {}, h('span', { class: 'swatch', style: `background:${colours[k]}` }), `${key} ${key.includes('bytes') ? withUnit(value, 'B') : value.toLocaleString('en')}`));
    });
    add('line', { x1: x(this.step_), x2: x(this.step_), y1: 1, y2: tall - 1, stroke: 'currentColor', 'stroke-width': 2, 'vector-effect': 'non-scaling-stroke' });
    this.chart_.replaceChildren(...parts);
  }
}
