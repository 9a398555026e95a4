// The tree of all elements, the list of containers, and the results of a search.

import type { Hit } from '../draw/scene';
import { fillOf, type Theme } from '../draw/theme';
import type { Doc } from '../doc';
import { ancestors, isExit, placeText, type Item } from '../model/model';
import type { Found } from '../model/search';
import { attributes, descriptorText, memletText } from '../model/text';
import { asText } from '../model/json';
import { h, marked, VirtualList, type ListRow } from './dom';

export interface Actions {
  select(hit: Hit, focus: boolean): void;
  showUses(sdfg: number, data: string): void;
}

function dot(doc: Doc, theme: Theme, item: Item): HTMLElement {
  const { shape } = doc.face(item.id);
  const fill = fillOf(doc.model, item, shape);
  return h('span', { class: shape === 'ellipse' ? 'dot round' : 'dot', style: `background:${theme.fills[fill]};border-color:${theme.borders[fill]}` });
}

export class Outline {
  readonly list = new VirtualList('tree', 'Outline');
  private doc_: Doc | null = null;
  private open_ = new Set<number>();
  private shown_: number[] = [];
  private selected_ = -1;
  private theme_: Theme;

  constructor(theme: Theme, private readonly actions_: Actions) {
    this.theme_ = theme;
    this.list.element.addEventListener('keydown', (event) => this.key(event));
  }

  setTheme(theme: Theme): void { this.theme_ = theme; this.refresh(); }

  set(doc: Doc | null): void {
    // A step of a history keeps open what is at the same place in the file.
    const paths = new Set(this.doc_ === null || doc?.model.items[0]!.label !== this.doc_.model.items[0]!.label ? [] : [...this.open_].map((id) => this.doc_!.model.items[id]!.path));
    this.doc_ = doc;
    this.open_ = new Set(doc === null ? [] : paths.size > 0 ? doc.model.items.filter((item) => paths.has(item.path)).map((item) => item.id) : [...doc.first].filter((id) => doc.model.items[id]!.depth < 3 && doc.model.items[id]!.children.length < 60));
    this.open_.add(0);
    this.selected_ = -1;
    this.refresh();
  }

  select(hit: Hit): void {
    this.selected_ = hit !== null && 'item' in hit ? hit.item : -1;
    if (this.doc_ !== null && this.selected_ >= 0) {
      const item = this.doc_.model.items[this.selected_]!;
      const holder = this.doc_.model.items[item.parent];
      if (holder?.kind === 'Scope' && (item.id === holder.entry || item.id === holder.exit)) this.selected_ = holder.id;
      for (const up of ancestors(this.doc_.model, this.selected_)) this.open_.add(up);
    }
    this.refresh();
    if (this.selected_ >= 0) this.list.reveal(this.shown_.indexOf(this.selected_));
  }

  private children(item: Item): number[] {
    return item.children.filter((id) => id !== item.entry && !isExit(this.doc_!.model.items[id]!.kind));
  }

  private refresh(): void {
    const doc = this.doc_;
    this.shown_ = [];
    if (doc !== null) {
      const stack = [0];
      while (stack.length > 0) {
        const id = stack.pop()!;
        this.shown_.push(id);
        if (this.open_.has(id)) stack.push(...this.children(doc.model.items[id]!).reverse());
      }
    }
    this.list.set(this.shown_.map((id): ListRow => ({ key: String(id), build: () => this.row(id) })));
  }

  private row(id: number): HTMLElement {
    const doc = this.doc_!;
    const item = doc.model.items[id]!;
    const holds = this.children(item).length > 0;
    const open = this.open_.has(id);
    const face = doc.face(id);
    const name = item.condition !== '' ? item.condition : face.shape === 'jump' ? face.title : item.kind === 'AccessNode' ? face.title : item.label || item.kind;
    const note = item.kind === 'Scope' ? asText(item.json['type']).replace('Entry', '').toLowerCase() : item.kind === 'LoopRegion' ? face.header : item.kind.replace('SDFGState', 'state').replace('AccessNode', '');
    const twist = h('span', { class: 'twist', 'aria-hidden': 'true', onclick: (event: MouseEvent) => { event.stopPropagation(); this.toggle(id); } }, holds ? (open ? '▾' : '▸') : '');
    return h('div', {
      class: 'row', role: 'treeitem', style: `padding-left:${4 + Math.min(item.depth, 20) * 13}px`, 'aria-level': item.depth + 1,
      'aria-expanded': holds ? String(open) : null, 'aria-selected': String(id === this.selected_), title: placeText(doc.model, id),
      onclick: () => this.actions_.select({ item: id }, true), ondblclick: () => this.toggle(id),
    }, twist, dot(doc, this.theme_, item), h('span', { class: 'name' }, name), h('span', { class: 'note' }, note));
  }

  private toggle(id: number): void {
    if (this.open_.has(id)) this.open_.delete(id);
    else this.open_.add(id);
    this.refresh();
  }

  private key(event: KeyboardEvent): void {
    const doc = this.doc_;
    if (doc === null) return;
    const at = this.shown_.indexOf(this.selected_);
    const go = (index: number): void => {
      const id = this.shown_[Math.max(0, Math.min(this.shown_.length - 1, index))];
      if (id !== undefined) this.actions_.select({ item: id }, true);
    };
    const item = doc.model.items[this.selected_];
    if (event.key === 'ArrowDown') go(at + 1);
    else if (event.key === 'ArrowUp') go(at - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(this.shown_.length - 1);
    else if (event.key === 'ArrowRight' && item !== undefined) { if (this.open_.has(item.id)) go(at + 1); else this.toggle(item.id); }
    else if (event.key === 'ArrowLeft' && item !== undefined) { if (this.open_.has(item.id)) this.toggle(item.id); else if (item.parent >= 0) this.actions_.select({ item: item.parent }, true); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** All containers, grouped by SDFG. */
export function containerRows(doc: Doc, actions: Actions, filter: string): ListRow[] {
  const list: ListRow[] = [];
  doc.model.sdfgs.forEach((sdfg, index) => {
    const names = [...sdfg.arrays.keys()].filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
    if (names.length === 0) return;
    list.push({ key: `s${index}`, build: () => h('div', { class: 'row head', style: 'padding-left:8px' }, sdfg.name || 'SDFG', h('span', { class: 'note' }, String(names.length))) });
    for (const name of names) {
      const descriptor = sdfg.arrays.get(name)!;
      const own = attributes(descriptor);
      const notes = [own['transient'] === true ? '' : 'argument', asText(own['storage'])].filter((t) => t !== '' && t !== 'Default').join(' ');
      list.push({
        key: `${index} ${name}`,
        build: () => h('div', { class: 'row', style: 'padding-left:14px', title: `${name}: ${descriptorText(descriptor)} ${notes}`, onclick: () => actions.showUses(index, name) },
          h('span', { class: 'dot round', style: `background:none;border-color:var(--faint);border-style:${own['transient'] === true ? 'dashed' : 'solid'}` }),
          h('span', { class: 'name' }, name), h('span', { class: 'note' }, descriptorText(descriptor))),
      });
    }
  });
  return list;
}

export function foundRows(doc: Doc, found: Found[], actions: Actions): ListRow[] {
  return found.map((f): ListRow => ({
    key: `${f.item} ${f.edge}`,
    build: () => {
      const hit: Hit = f.item >= 0 ? { item: f.item } : { edge: f.edge };
      const edge = doc.model.edges[f.edge];
      const title = f.item >= 0 ? placeText(doc.model, f.item) : edge === undefined ? '' : `${placeText(doc.model, edge.holder)}: ${memletText(edge.data)}`;
      return h('div', { class: 'row hit', style: 'padding-left:8px', role: 'option', title, onclick: () => actions.select(hit, true) },
        h('span', { class: 'name' }, ...marked(f.text, f.from, f.to)), h('span', { class: 'note' }, f.field === 'name' && f.item >= 0 ? doc.model.items[f.item]!.kind : f.field));
    },
  }));
}
