// The list of differences between two SDFGs, and how they are marked in the pictures.

import type { Mark, Marks } from '../draw/paint';
import type { Theme } from '../draw/theme';
import type { Diff } from '../model/diff';
import { placeText, type Model } from '../model/model';
import type { Change } from '../model/properties';
import { memletText, shorten } from '../model/text';
import { h } from './dom';

export type Side = 'left' | 'right';

/** Marks of one side: what it lost, gained or changed. Scopes are marked at their entry and exit. */
export function diffMarks(diff: Diff, side: Side, theme: Theme): Marks {
  const items = new Map<number, Mark>();
  const edges = new Map<number, Mark>();
  const changed: Mark = { fill: theme.changed.fill, stroke: theme.changed.stroke, width: 2 };
  const colour = side === 'left' ? theme.removed : theme.added;
  const whole: Mark = { fill: colour.fill, stroke: colour.stroke, width: 2 };
  const closed: Mark = { stroke: theme.changed.stroke, width: 2 };
  const model = side === 'left' ? diff.left : diff.right;
  for (const id of side === 'left' ? diff.removed : diff.added) items.set(id, whole);
  for (const c of diff.changed) items.set(c[side], changed);
  for (const id of side === 'left' ? diff.removedEdges : diff.addedEdges) edges.set(id, { stroke: colour.stroke, width: 2.2 });
  for (const c of diff.changedEdges) edges.set(c[side], { stroke: theme.changed.stroke, width: 2.2 });
  // Whoever holds a difference shows it in outline, so that it can be found while closed.
  const holders = new Set<number>();
  const note = (id: number): void => {
    for (let up = id; up >= 0 && !holders.has(up); up = model.items[up]!.parent) holders.add(up);
  };
  for (const id of items.keys()) note(model.items[id]!.parent);
  for (const id of edges.keys()) note(model.edges[id]!.holder);
  for (const id of holders) if (!items.has(id)) items.set(id, closed);
  return { items, edges, dimmed: false };
}

export interface DiffActions { show(side: Side, hit: { item: number } | { edge: number }): void }

export function changeList(diff: Diff, actions: DiffActions): HTMLElement {
  const total = { added: diff.added.length + diff.addedEdges.length, removed: diff.removed.length + diff.removedEdges.length, changed: diff.changed.length + diff.changedEdges.length };
  const box = h('div', { class: 'pad' }, h('p', { class: 'legend', style: 'justify-content:flex-start' },
    swatch('added', `${total.added} added`), swatch('removed', `${total.removed} removed`), swatch('changed', `${total.changed} changed`)));
  if (total.added + total.removed + total.changed === 0) box.append(h('p', {}, 'No difference in structure.'));
  const most = 400;
  const add = (kind: 'added' | 'removed' | 'changed', title: string, place: string, list: Change[], onclick: () => void): void => {
    if (box.childElementCount > most) return;
    box.append(h('button', { class: `change ${kind}`, onclick }, title, h('small', {}, place), ...list.slice(0, 8).map((c) =>
      h('small', {}, `${c.property}: `, h('del', {}, shorten(c.before || 'nothing', 160)), ' → ', h('ins', {}, shorten(c.after || 'nothing', 160))))));
  };
  for (const c of diff.changed) add('changed', itemTitle(diff.right, c.right), placeText(diff.right, c.right), c.changes, () => actions.show('right', { item: c.right }));
  for (const c of diff.changedEdges) add('changed', edgeTitle(diff.right, c.right), placeText(diff.right, diff.right.edges[c.right]!.holder), c.changes, () => actions.show('right', { edge: c.right }));
  for (const id of outermost(diff.right, diff.added)) add('added', itemTitle(diff.right, id), placeText(diff.right, id), [], () => actions.show('right', { item: id }));
  for (const id of outermost(diff.left, diff.removed)) add('removed', itemTitle(diff.left, id), placeText(diff.left, id), [], () => actions.show('left', { item: id }));
  for (const id of diff.addedEdges) add('added', edgeTitle(diff.right, id), placeText(diff.right, diff.right.edges[id]!.holder), [], () => actions.show('right', { edge: id }));
  for (const id of diff.removedEdges) add('removed', edgeTitle(diff.left, id), placeText(diff.left, diff.left.edges[id]!.holder), [], () => actions.show('left', { edge: id }));
  if (box.childElementCount > most) box.append(h('p', {}, `and ${total.added + total.removed + total.changed - most} more`));
  return box;
}

/** Elements whose holder is not in the list itself. */
export function outermost(model: Model, ids: number[]): number[] {
  const all = new Set(ids);
  return ids.filter((id) => !all.has(model.items[id]!.parent));
}

function swatch(kind: string, text: string): HTMLElement {
  return h('span', {}, h('span', { class: 'swatch', style: `background:var(--${kind})` }), text);
}

function itemTitle(model: Model, id: number): string {
  const item = model.items[id]!;
  const count = item.descendants === 0 ? '' : ` with ${item.descendants} elements`;
  return `${item.kind === 'Scope' ? 'map scope' : item.kind} ${item.condition || item.label}${count}`;
}

function edgeTitle(model: Model, id: number): string {
  const edge = model.edges[id]!;
  const name = (end: number): string => model.items[end]!.label || model.items[end]!.kind;
  return `${name(edge.src)} → ${name(edge.dst)}${edge.kind === 'memlet' ? `: ${memletText(edge.data) || 'empty memlet'}` : ''}`;
}
