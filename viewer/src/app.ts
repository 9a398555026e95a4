// The page: opens files, keeps what is shown, and connects the parts. Each part paints or lists;
// only this one decides.

import { Doc } from './doc';
import { noMarks, type Mark, type Marks } from './draw/paint';
import { pick, type Hit } from './draw/scene';
import { dark, light, type Theme } from './draw/theme';
import { save, toPng, toSvg } from './export';
import { startLayout, type Layout } from './layout/client';
import { readLink, writeLink, type Link } from './link';
import { countBytes, freeSymbols, metricOf, metrics, readReport, readTrace } from './model/cost';
import { diffModels, type Diff } from './model/diff';
import { readHistory, type History } from './model/history';
import { FileError, type JsonObject } from './model/json';
import { ancestors, countText } from './model/model';
import { readFile, type ReadFile } from './model/read';
import { pattern, search, usesOf, type Found } from './model/search';
import { memletText, volumeText } from './model/text';
import { changeList, diffMarks, outermost, type Side } from './panel/changes';
import { costPane, heatMarks, type CostState } from './panel/costs';
import { container, details } from './panel/details';
import { h, VirtualList } from './panel/dom';
import { containerRows, foundRows, Outline, type Actions } from './panel/outline';
import { Timeline } from './panel/timeline';
import { buildPage, type Page } from './page';
import { visible } from './view/camera';
import { GraphView } from './view/view';

const mostReveal = 400;   // differences beyond this are left in their closed holders

export class App {
  readonly page: Page;
  readonly main: GraphView;
  readonly other: GraphView;
  doc: Doc | null = null;
  otherDoc: Doc | null = null;
  diff: Diff | null = null;
  history: History | null = null;
  step = 0;
  selected: Hit = null;
  found: Found[] = [];
  /** Set when everything that was asked for has been shown; for tests. */
  idle: Promise<void> = Promise.resolve();

  private theme_: Theme;
  private readonly layout_: Layout = startLayout();
  private readonly outline_: Outline;
  private readonly data_ = new VirtualList('list', 'Containers');
  private readonly hits_ = new VirtualList('listbox', 'Search results');
  private readonly timeline_: Timeline;
  private readonly actions_: Actions;
  private cost_: CostState | null = null;
  private uses_: { name: string; sdfg: number; marks: Marks } | null = null;
  private before_ = false;
  private split_ = false;
  private following_ = false;
  private readonly steps_ = new Map<number, Doc>();
  private report_: ReadFile | null = null;
  private link_: Link | null = null;
  private linkTimer_ = 0;
  private searchTimer_ = 0;

  constructor(root: HTMLElement) {
    const stored = readSetting('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    this.theme_ = stored === 'dark' ? dark : light;
    document.documentElement.dataset['theme'] = this.theme_.name;
    this.actions_ = { select: (hit, focus) => void this.select(hit, focus), showUses: (sdfg, data) => void this.showUses(sdfg, data) };
    this.outline_ = new Outline(this.theme_, this.actions_);
    this.timeline_ = new Timeline({ go: (step) => void this.goTo(step), flip: () => void this.flip(), split: () => void this.splitStep() });
    this.page = buildPage(root, {
      open: (files) => void this.openFiles(files), compare: (file) => void this.compareWith(file), closeCompare: () => void this.leaveCompare(),
      fit: () => this.main.fit(), zoom: (factor) => this.main.setCamera({ ...this.main.camera, zoom: Math.min(8, this.main.camera.zoom * factor) }, true),
      expand: () => void this.openAll(true), collapse: () => void this.openAll(false), theme: () => this.flipTheme(),
      search: (query) => this.searchSoon(query), data: (filter) => this.listData(filter), bytes: () => this.showBytes(),
      svg: (whole) => this.saveSvg(whole), png: (whole) => void this.savePng(whole), copyLink: () => void this.copyLink(),
    }, this.outline_.list.element, this.data_.element, this.hits_.element, this.timeline_.element);
    const view = (host: HTMLElement, side: Side): GraphView => new GraphView(host, this.theme_, {
      select: (hit) => void this.selectIn(side, hit), toggle: (item) => void this.toggle(side, item),
      hover: (hit, x, y) => this.tip(side, hit, x, y), moved: () => this.moved(side),
    });
    this.main = view(this.page.main, 'right');
    this.other = view(this.page.other, 'left');
    document.addEventListener('keydown', (event) => this.key(event));
    window.addEventListener('beforeprint', () => this.print());
    window.addEventListener('hashchange', () => this.followLink());
  }

  // ---- opening ----

  /** What the page was given: embedded files, then ?url=, with the view that the address asks for. */
  async start(): Promise<void> {
    this.link_ = readLink(location.hash);
    const embedded = [...document.querySelectorAll<HTMLElement>('script.sdfg-file')];
    if (embedded.length > 0) {
      await this.openBytes(embedded.map((e) => ({ name: e.dataset['name'] ?? 'embedded', bytes: fromBase64(e.textContent ?? '') })));
      return;
    }
    const parameters = new URLSearchParams(location.search);
    const urls = parameters.getAll('url');
    if (urls.length === 0) return;
    const files: { name: string; bytes: Uint8Array }[] = [];
    for (const url of urls) {
      try {
        const reply = await fetch(url);
        if (!reply.ok) throw new FileError(url, `the server answered ${reply.status} ${reply.statusText}`);
        files.push({ name: url.replace(/^.*\//, ''), bytes: new Uint8Array(await reply.arrayBuffer()) });
      } catch (error) {
        this.page.notice(`Cannot read ${url}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    await this.openBytes(files);
    const second = parameters.get('compare');
    if (second !== null) {
      try {
        await this.compareBytes(second.replace(/^.*\//, ''), new Uint8Array(await (await fetch(second)).arrayBuffer()));
      } catch (error) {
        this.page.notice(`Cannot read ${second}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  async openFiles(files: File[]): Promise<void> {
    const read: { name: string; bytes: Uint8Array }[] = [];
    for (const file of files) {
      try {
        read.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
      } catch (error) {
        this.page.notice(`Cannot read ${file.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    await this.openBytes(read);
  }

  /** Opens SDFGs and histories first and then the reports about them; two SDFGs are compared. */
  async openBytes(files: { name: string; bytes: Uint8Array }[]): Promise<void> {
    const read: ReadFile[] = [];
    for (const file of files) {
      const good = await this.guard(file.name, () => readFile(file.name, file.bytes));
      if (good !== null) read.push(good);
    }
    const graphs = read.filter((f) => f.kind === 'sdfg' || f.kind === 'history');
    const first = graphs[0];
    if (first !== undefined) await this.guard(first.name, () => (first.kind === 'sdfg' ? this.openSdfg(first) : this.openHistory(first)));
    const second = graphs[1];
    if (second !== undefined && second.kind === 'sdfg' && first!.kind === 'sdfg') await this.guard(second.name, () => this.compare(first!.json, second));
    for (const report of read.filter((f) => f.kind === 'trace' || f.kind === 'report')) await this.guard(report.name, () => this.openReport(report));
  }

  private async guard<T>(name: string, work: () => Promise<T> | T): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FileError)) console.warn(error);
      this.page.notice(`Cannot open ${name}\n${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }

  private async openSdfg(file: ReadFile): Promise<void> {
    const doc = new Doc(file.json, file.name);   // throws before anything of the old one is gone
    this.forget();
    await this.showDoc(doc, file.name);
  }

  private async openHistory(file: ReadFile): Promise<void> {
    const history = readHistory(file.json);
    const doc = new Doc(history.steps[0]!.root, file.name);
    this.forget();
    this.history = history;
    this.steps_.set(0, doc);
    this.timeline_.set(history);
    await this.showDoc(doc, file.name);
    this.timeline_.show(0, false, false);
    const wanted = this.pendingLink?.step ?? 0;
    if (wanted > 0) await this.goTo(Math.min(wanted, history.steps.length - 1));
  }

  private pendingLink: Link | null = null;

  private forget(): void {
    this.history = null;
    this.steps_.clear();
    this.timeline_.set(null);
    this.step = 0;
    this.before_ = this.split_ = false;
    this.diff = null;
    this.otherDoc = null;
    this.page.compare(null);
    this.cost_ = null;
    this.report_ = null;
    this.uses_ = null;
    this.found = [];
    this.selected = null;
  }

  private async showDoc(doc: Doc, name: string): Promise<void> {
    this.doc = doc;
    this.page.opened(name, `${doc.model.items[0]!.label}: ${countText(doc.model)}`);
    const link = this.link_ !== null && (this.link_.file === '' || this.link_.file === name) ? this.link_ : null;
    this.link_ = null;
    this.pendingLink = link;
    if (link !== null) applyToggles(doc, link.toggled);
    this.outline_.set(doc);
    this.listData('');
    this.select_(null);
    if (doc.model.problems.length > 0) {
      const [first] = doc.model.problems;
      this.page.notice(`${name} has ${doc.model.problems.length} problem${doc.model.problems.length === 1 ? '' : 's'}; what could be read is shown.\n${first!.place}: ${first!.what}`, true);
    }
    await this.relayout();
    if (link?.camera !== null && link?.camera !== undefined) this.main.setCamera(link.camera);
    else this.main.begin();
    if (link !== null && link.selected !== '') await this.selectPath(link.selected);
    if (link !== null && link.query !== '') { this.page.search.value = link.query; this.searchNow(link.query); }
    if (link !== null && metrics.some((m) => m.key === link.metric) && link.metric === 'bytes') this.showBytes();
  }

  // ---- pictures ----

  private async relayout(): Promise<void> {
    const jobs: Promise<void>[] = [];
    const lay = async (doc: Doc, view: GraphView): Promise<void> => {
      const scene = await doc.lay(this.layout_);
      if (scene !== null) view.show(scene);
    };
    if (this.doc !== null) jobs.push(lay(this.doc, this.main));
    if (this.otherDoc !== null) jobs.push(lay(this.otherDoc, this.other));
    const all = Promise.all(jobs).then(() => this.mark());
    this.idle = all;
    await all;
  }

  private docOf(side: Side): Doc | null { return side === 'right' ? this.doc : this.otherDoc; }
  private viewOf(side: Side): GraphView { return side === 'right' ? this.main : this.other; }

  private mark(): void {
    const items = new Map<number, Mark>();
    const edges = new Map<number, Mark>();
    const put = (marks: { items: Map<number, Mark>; edges?: Map<number, Mark> }): void => {
      for (const [id, mark] of marks.items) items.set(id, { ...items.get(id), ...mark });
      for (const [id, mark] of marks.edges ?? []) edges.set(id, { ...edges.get(id), ...mark });
    };
    if (this.cost_ !== null && this.doc !== null) put({ items: heatMarks(this.doc.model, this.cost_, this.theme_) });
    if (this.diff !== null) put(diffMarks(this.diff, this.before_ ? 'left' : 'right', this.theme_));
    if (this.found.length > 0) {
      for (const f of this.found) {
        const mark: Mark = { stroke: this.theme_.found, width: 2.6 };
        if (f.item >= 0) put({ items: new Map([[f.item, mark]]) });
        else put({ items: new Map(), edges: new Map([[f.edge, mark]]) });
      }
    }
    if (this.uses_ !== null) put(this.uses_.marks);
    this.main.setMarks(items.size + edges.size === 0 ? noMarks : { items, edges, dimmed: false });
    if (this.otherDoc !== null && this.diff !== null) this.other.setMarks(diffMarks(this.diff, 'left', this.theme_));
    this.listChanges();
  }

  private listChanges(): void {
    if (this.diff === null) { this.page.right.hide('changes'); return; }
    this.page.right.set('changes', changeList(this.diff, { show: (side, hit) => void this.showChange(side, hit) }));
  }

  private async showChange(side: Side, hit: { item: number } | { edge: number }): Promise<void> {
    if (side === 'left' && this.otherDoc === null && !this.before_) await this.flip();
    if (side === 'right' && this.before_) await this.flip();
    const target: Side = side === 'left' && this.otherDoc !== null ? 'left' : 'right';
    await this.revealIn(target, hit);
    this.viewOf(target).focus(hit);
    if (target === 'right') this.select_(hit);
  }

  /** Opens what hides an element. */
  private async revealIn(side: Side, hit: Hit): Promise<void> {
    const doc = this.docOf(side);
    if (doc === null || hit === null) return;
    const start = 'item' in hit ? ancestors(doc.model, hit.item) : [doc.model.edges[hit.edge]!.holder, ...ancestors(doc.model, doc.model.edges[hit.edge]!.holder)];
    const hidden = start.filter((id) => !doc.open.has(id));
    if (hidden.length === 0) return;
    for (const id of hidden) doc.open.add(id);
    await this.relayout();
  }

  async toggle(side: Side, item: number): Promise<void> {
    const doc = this.docOf(side);
    const view = this.viewOf(side);
    if (doc === null) return;
    let target = item;
    if (doc.model.items[target]!.children.length === 0) {
      // On an entry or exit: its scope.
      const holder = doc.model.items[doc.model.items[target]!.parent];
      if (holder?.kind !== 'Scope' || (holder.entry !== target && holder.exit !== target)) return;
      target = holder.id;
    }
    if (target === 0) return;
    const before = view.rectOf({ item: target });
    const corner = before === null ? null : [(before.x - view.camera.x) * view.camera.zoom, (before.y - view.camera.y) * view.camera.zoom];
    if (doc.open.has(target)) doc.open.delete(target);
    else doc.open.add(target);
    await this.relayout();
    const after = view.rectOf({ item: target });
    // The upper left corner of what was opened stays where it was.
    if (after !== null && corner !== null) {
      const z = view.camera.zoom;
      view.setCamera({ x: after.x - corner[0]! / z, y: after.y - corner[1]! / z, zoom: z });
    }
    if (side === 'right') { this.select_({ item: target }); this.saveLink(); }
  }

  /** Everything, or everything inside what is selected. Up to 20,000 elements are opened at once. */
  async openAll(open: boolean): Promise<void> {
    const doc = this.doc;
    if (doc === null) return;
    const start = this.selected !== null && 'item' in this.selected && doc.model.items[this.selected.item]!.children.length > 0 ? this.selected.item : 0;
    const work = [start];
    let shown = 0;
    while (work.length > 0) {
      const id = work.shift()!;
      const item = doc.model.items[id]!;
      if (item.children.length === 0) continue;
      if (open) {
        if (shown + item.children.length > 20000) { this.page.notice('Only the first 20,000 elements were opened.', true); break; }
        shown += item.children.length;
        doc.open.add(id);
      } else if (id !== 0) doc.open.delete(id);
      work.push(...item.children);
    }
    await this.relayout();
    if (start === 0) this.main.fit(); else this.main.focus({ item: start });
    this.saveLink();
  }

  // ---- selection ----

  private async selectIn(side: Side, hit: Hit): Promise<void> {
    this.viewOf(side).canvas.focus({ preventScroll: true });
    if (side === 'right') { this.select_(hit); return; }
    this.other.selected = hit;
    this.other.redraw();
    if (this.diff === null || hit === null || this.otherDoc === null) return;
    const partner: Hit = 'item' in hit ? (this.diff.toRight[hit.item]! >= 0 ? { item: this.diff.toRight[hit.item]! } : null) : this.diff.edgeToRight[hit.edge]! >= 0 ? { edge: this.diff.edgeToRight[hit.edge]! } : null;
    this.main.selected = partner;
    this.main.redraw();
    this.page.right.set('properties', details(this.otherDoc, hit, this.actions_, null));
  }

  async select(hit: Hit, focus: boolean): Promise<void> {
    await this.revealIn('right', hit);
    this.select_(hit);
    if (focus) this.main.focus(hit);
  }

  private select_(hit: Hit): void {
    const doc = this.doc;
    this.selected = hit;
    this.main.selected = hit;
    this.main.redraw();
    if (doc === null) return;
    if (this.diff !== null && this.otherDoc !== null) {
      const partner = hit === null ? -1 : 'item' in hit ? this.diff.toLeft[hit.item]! : this.diff.edgeToLeft[hit.edge]!;
      this.other.selected = partner < 0 || hit === null ? null : 'item' in hit ? { item: partner } : { edge: partner };
      this.other.redraw();
    }
    this.page.right.set('properties', details(doc, hit, this.actions_, this.cost_?.table ?? null));
    this.outline_.select(hit);
    const at = hit === null ? 0 : 'item' in hit ? hit.item : doc.model.edges[hit.edge]!.holder;
    const path = [at, ...ancestors(doc.model, at)].reverse().filter((id) => doc.model.items[id]!.kind !== 'Scope' || id === at);
    this.page.crumbs(path.map((id) => ({ text: doc.model.items[id]!.condition || doc.model.items[id]!.label || doc.model.items[id]!.kind, go: () => void this.select({ item: id }, true) })));
    this.page.announce(hit === null ? '' : 'item' in hit ? `${doc.model.items[hit.item]!.kind} ${doc.model.items[hit.item]!.label}` : `edge ${memletText(doc.model.edges[hit.edge]!.data)}`);
    this.saveLink();
  }

  private async selectPath(path: string): Promise<void> {
    const doc = this.doc!;
    const item = doc.model.items.find((i) => i.path === path);
    const edge = item === undefined ? doc.model.edges.find((e) => e.path === path) : undefined;
    const hit: Hit = item !== undefined ? { item: item.id } : edge !== undefined ? { edge: edge.id } : null;
    if (hit === null) return;
    await this.revealIn('right', hit);
    this.select_(hit);
  }

  async showUses(sdfg: number, data: string): Promise<void> {
    const doc = this.doc;
    if (doc === null) return;
    const uses = usesOf(doc.model, sdfg, data);
    const mark: Mark = { stroke: this.theme_.use, width: 3 };
    this.uses_ = { name: data, sdfg, marks: { items: new Map(uses.items.map((id) => [id, mark])), edges: new Map(uses.edges.map((id) => [id, mark])), dimmed: false } };
    const hidden = uses.items.flatMap((id) => ancestors(doc.model, id)).filter((id) => !doc.open.has(id));
    if (hidden.length > 0 && uses.items.length <= 60) for (const id of hidden) doc.open.add(id);
    if (hidden.length > 0) await this.relayout(); else this.mark();
    const list = h('div', { class: 'pad' }, h('h2', {}, data),
      h('p', { style: 'margin:4px 0;color:var(--faint)' }, `${uses.items.length} access nodes and conditions, ${uses.edges.length} memlets and assignments `,
        h('button', { onclick: () => { this.uses_ = null; this.mark(); } }, 'Clear')),
      container(doc, sdfg, data, this.actions_),
      h('h3', {}, 'Uses'), ...uses.items.slice(0, 200).map((id) => h('button', { class: 'change', onclick: () => void this.select({ item: id }, true) }, `${doc.model.items[id]!.kind} in ${doc.model.items[doc.model.items[id]!.parent]!.label || 'SDFG'}`)),
      ...uses.edges.slice(0, 200).map((id) => h('button', { class: 'change', onclick: () => void this.select({ edge: id }, true) }, memletText(doc.model.edges[id]!.data) || 'interstate edge')));
    this.page.right.set('properties', list);
    this.page.right.show('properties');
    if (uses.items[0] !== undefined) this.main.focus({ item: uses.items[0] });
  }

  // ---- search and lists ----

  private searchSoon(query: string): void {
    clearTimeout(this.searchTimer_);
    this.searchTimer_ = window.setTimeout(() => this.searchNow(query), 150);
  }

  searchNow(query: string): void {
    if (this.doc === null) return;
    const { expression, problem } = pattern(query);
    this.found = query === '' ? [] : search(this.doc.model, expression);
    this.hits_.set(foundRows(this.doc, this.found, this.actions_));
    this.page.found(query, this.found.length, problem);
    this.mark();
    this.saveLink();
  }

  private listData(filter: string): void {
    this.data_.set(this.doc === null ? [] : containerRows(this.doc, this.actions_, filter));
  }

  // ---- history ----

  private docAt(step: number): Doc {
    let doc = this.steps_.get(step);
    if (doc === undefined) {
      doc = new Doc(this.history!.steps[step]!.root, `${this.page.name} step ${step}`);
      this.steps_.set(step, doc);
      if (this.steps_.size > 40) this.steps_.delete(this.steps_.keys().next().value!);
    }
    return doc;
  }

  async goTo(step: number): Promise<void> {
    const history = this.history;
    if (history === null || step < 0 || step >= history.steps.length) return;
    await (this.idle = this.goTo_(step));
  }

  private async goTo_(step: number): Promise<void> {
    const shownBefore = this.doc!;
    this.step = step;
    this.before_ = false;
    const [now, last] = [this.docAt(step), this.docAt(Math.max(0, step - 1))];
    this.diff = step === 0 ? null : diffOf(last, now);
    carryOpen(shownBefore, now, diffOf(shownBefore, now));
    if (this.diff !== null) {
      reveal(now, [...outermost(now.model, this.diff.added), ...this.diff.changed.map((c) => c.right)], [...this.diff.addedEdges, ...this.diff.changedEdges.map((c) => c.right)]);
      carryOpen(now, last, reversed(this.diff));
    }
    this.doc = now;
    this.otherDoc = this.split_ && step > 0 ? last : null;
    this.page.compare(this.otherDoc === null ? null : { left: `before step ${step}`, right: `after step ${step}` });
    await this.afterDocChange(shownBefore);
    this.timeline_.show(step, false, this.split_);
    if (this.diff !== null) {
      this.page.right.show('changes');
      this.lookAtChanges();
    }
  }

  /** Shows the graph before the step in place of the one after it. */
  async flip(): Promise<void> {
    if (this.history === null || this.step === 0 || this.diff === null || this.otherDoc !== null) return;
    const from = this.doc!;
    this.before_ = !this.before_;
    const to = this.docAt(this.before_ ? this.step - 1 : this.step);
    carryOpen(from, to, this.before_ ? reversed(this.diff) : this.diff);
    if (this.before_) reveal(to, outermost(to.model, this.diff.removed), this.diff.removedEdges);
    this.doc = to;
    await this.afterDocChange(from);
    this.timeline_.show(this.step, this.before_, false);
  }

  async splitStep(): Promise<void> {
    this.split_ = !this.split_;
    await this.goTo(this.step);
    if (this.otherDoc !== null) this.other.fit(false);
    this.main.fit(false);
  }

  private async afterDocChange(from: Doc): Promise<void> {
    const path = this.selected === null || !('item' in this.selected) ? -1 : this.selected.item;
    this.uses_ = null;
    this.found = [];
    const doc = this.doc!;
    const anchor = this.main.scene === null ? null : pick(this.main.scene, this.main.camera.x, this.main.camera.y, 0);
    const rect = anchor === null ? null : this.main.rectOf(anchor);
    this.outline_.set(doc);
    this.listData('');
    if (this.cost_ !== null) this.refreshCost();
    await this.relayout();
    this.page.opened(this.page.name, `${doc.model.items[0]!.label}: ${countText(doc.model)}`);
    if (from === doc) { this.select_(this.selected); return; }
    const map = diffOf(from, doc).toRight;
    // What was in the middle stays in the middle.
    if (anchor !== null && 'item' in anchor && rect !== null && map[anchor.item]! >= 0) {
      const after = this.main.rectOf({ item: map[anchor.item]! });
      if (after !== null) this.main.setCamera({ ...this.main.camera, x: this.main.camera.x + after.x - rect.x, y: this.main.camera.y + after.y - rect.y });
    }
    const kept = path < 0 ? -1 : map[path]!;
    this.select_(kept < 0 ? null : { item: kept });
  }

  private lookAtChanges(): void {
    const diff = this.diff!;
    const hits: Hit[] = [...outermost(diff.right, diff.added).map((item) => ({ item })), ...diff.changed.map((c) => ({ item: c.right })), ...diff.changedEdges.map((c) => ({ edge: c.right })), ...diff.addedEdges.map((edge) => ({ edge }))];
    const seen = visible(this.main.camera, this.main.size);
    for (const hit of hits.slice(0, 200)) {
      const rect = this.main.rectOf(hit);
      if (rect !== null && rect.x >= seen.x && rect.y >= seen.y && rect.x + rect.w <= seen.x + seen.w && rect.y + rect.h <= seen.y + seen.h) return;
    }
    const first = hits.find((hit) => hit !== null && !('item' in hit && hit.item === 0));
    if (first !== undefined) this.main.focus(first);
  }

  // ---- side by side ----

  async compareWith(file: File): Promise<void> {
    await this.compareBytes(file.name, new Uint8Array(await file.arrayBuffer()));
  }

  async compareBytes(name: string, bytes: Uint8Array): Promise<void> {
    await this.guard(name, async () => {
      const file = await readFile(name, bytes);
      if (file.kind !== 'sdfg') throw new FileError('/type', 'only SDFGs can be compared');
      if (this.doc === null) await this.openSdfg(file);
      else await this.compare(this.doc.model.root, file);
    });
  }

  /** The open SDFG is the old one, on the left; `file` is the new one. */
  private async compare(old: JsonObject, file: ReadFile): Promise<void> {
    const before = this.doc!;
    const right = new Doc(file.json, file.name);
    const name = this.page.name;
    this.forget();
    this.otherDoc = new Doc(old, before.model.name);
    this.doc = right;
    this.diff = diffOf(this.otherDoc, right);
    carryOpen(before, this.otherDoc, diffOf(before, this.otherDoc));
    reveal(right, [...outermost(right.model, this.diff.added), ...this.diff.changed.map((c) => c.right)], [...this.diff.addedEdges, ...this.diff.changedEdges.map((c) => c.right)]);
    reveal(this.otherDoc, outermost(this.otherDoc.model, this.diff.removed), this.diff.removedEdges);
    this.page.compare({ left: name, right: file.name });
    this.page.opened(file.name, `${right.model.items[0]!.label}: ${countText(right.model)}, compared with ${name}`);
    this.outline_.set(right);
    this.listData('');
    this.select_(null);
    await this.relayout();
    this.following_ = true;
    this.main.fit(false);
    this.other.fit(false);
    this.following_ = false;
    this.page.right.show('changes');
  }

  async leaveCompare(): Promise<void> {
    if (this.history !== null) { if (this.split_) await this.splitStep(); return; }
    this.otherDoc = null;
    this.diff = null;
    this.page.compare(null);
    await this.relayout();
    this.main.fit();
  }

  /** Keeps the other picture on the same element at the same scale. */
  private moved(side: Side): void {
    if (side === 'right') this.saveLink();
    const diff = this.diff;
    if (this.following_ || diff === null || this.otherDoc === null) return;
    const [from, to] = [this.viewOf(side), this.viewOf(side === 'right' ? 'left' : 'right')];
    const map = side === 'right' ? diff.toLeft : diff.toRight;
    if (from.scene === null || to.scene === null) return;
    const hit = pick(from.scene, from.camera.x, from.camera.y, 0);
    let item = hit !== null && 'item' in hit ? hit.item : 0;
    while (item > 0 && (map[item]! < 0 || to.scene.boxOf[map[item]!]! < 0)) item = from.scene.model.items[item]!.parent;
    const [a, b] = [from.rectOf({ item }), to.rectOf({ item: Math.max(0, map[item]!) })];
    if (a === null || b === null) return;
    const fx = (from.camera.x - a.x) / Math.max(a.w, 1);
    const fy = (from.camera.y - a.y) / Math.max(a.h, 1);
    this.following_ = true;
    to.setCamera({ x: b.x + fx * b.w, y: b.y + fy * b.h, zoom: from.camera.zoom });
    this.following_ = false;
  }

  // ---- cost ----

  private openReport(file: ReadFile): void {
    if (this.doc === null) throw new FileError('', 'open the SDFG that this report is about first');
    this.report_ = file;
    this.cost_ = { table: file.kind === 'trace' ? readTrace(this.doc.model, file.json) : readReport(this.doc.model, file.json), metric: null, symbols: new Map(), free: [] };
    const costs = [...this.cost_.table.costs.values()];
    this.cost_.metric = metrics.find((m) => costs.some((c) => c.item !== 0 && metricOf(c, m.key) !== null))?.key ?? null;
    if (costs.length === 0) this.page.notice(`${file.name}: none of its elements is in this SDFG`, true);
    this.listCost();
    this.page.right.show('cost');
  }

  /** Bytes that the memlets name, for the values that the user gives. */
  showBytes(): void {
    const doc = this.doc;
    if (doc === null) return;
    const free = freeSymbols(doc.model);
    const symbols = this.cost_?.symbols ?? new Map(free.map((name) => [name, 128] as const));
    this.cost_ = { table: countBytes(doc.model, symbols), metric: 'bytes', symbols, free };
    this.listCost();
    this.page.right.show('cost');
  }

  private refreshCost(): void {
    const [doc, cost] = [this.doc, this.cost_];
    if (doc === null || cost === null) return;
    if (cost.table.source === 'memlet volumes') cost.table = countBytes(doc.model, cost.symbols);
    else if (this.report_ !== null) cost.table = this.report_.kind === 'trace' ? readTrace(doc.model, this.report_.json) : readReport(doc.model, this.report_.json);
    this.listCost();
  }

  private listCost(): void {
    const [doc, cost] = [this.doc, this.cost_];
    if (doc === null || cost === null) return;
    this.page.right.set('cost', costPane(doc, cost, this.theme_, {
      metric: (metric) => { cost.metric = metric; this.listCost(); },
      symbol: (name, value) => {
        if (value === null) cost.symbols.delete(name);
        else cost.symbols.set(name, value);
        this.refreshCost();
      },
      focus: (item) => void this.select({ item }, true),
    }));
    this.mark();
    this.saveLink();
  }

  // ---- keys, tips, links, export ----

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('dialog')) return;
    if (target.matches('input, select, textarea')) {
      if (event.key === 'Escape') (target as HTMLInputElement).blur();
      return;
    }
    const inGraph = target === this.main.canvas || target === document.body;
    const act = this.keyAction(event.key, inGraph);
    if (act === null) return;
    event.preventDefault();
    act();
  }

  private keyAction(key: string, inGraph: boolean): (() => void) | null {
    const zoom = (factor: number) => () => this.main.setCamera({ ...this.main.camera, zoom: Math.max(0.002, Math.min(8, this.main.camera.zoom * factor)) }, true);
    switch (key) {
      case '/': return () => { this.page.search.focus(); this.page.search.select(); };
      case '?': return () => this.page.help();
      case 'o': return () => this.page.pickFile();
      case 'f': return () => this.main.fit();
      case 'z': return () => this.main.focus(this.selected);
      case 't': return () => this.flipTheme();
      case '+': case '=': return zoom(1.4);
      case '-': return zoom(1 / 1.4);
      case 'e': return () => void this.openAll(true);
      case 'c': return () => void this.openAll(false);
      case '[': return () => this.timeline_.move(-1);
      case ']': return () => this.timeline_.move(1);
      case 'b': return () => void this.flip();
      case 'v': return () => { if (this.history !== null) void this.splitStep(); };
      case 'u': return () => this.usesOfSelected();
      case 'Escape': return () => { this.uses_ = null; this.found = []; this.page.search.value = ''; this.page.found('', 0, ''); this.mark(); this.select_(null); };
      default: return inGraph ? this.walkAction(key) : null;
    }
  }

  private usesOfSelected(): void {
    const [doc, hit] = [this.doc, this.selected];
    if (doc === null || hit === null) return;
    if ('item' in hit) {
      const item = doc.model.items[hit.item]!;
      if (item.kind === 'AccessNode') void this.showUses(item.sdfg, doc.face(item.id).title);
      return;
    }
    const edge = doc.model.edges[hit.edge]!;
    if (typeof edge.data['data'] === 'string') void this.showUses(doc.model.items[edge.src]!.sdfg, edge.data['data']);
  }

  /** Moving along edges with the keyboard. */
  private walkAction(key: string): (() => void) | null {
    const doc = this.doc;
    const scene = this.main.scene;
    if (doc === null || scene === null) return null;
    const go = (item: number | undefined): (() => void) | null => (item === undefined ? null : () => { this.select_({ item }); this.main.focus({ item }); });
    const hit = this.selected;
    if (!['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Enter', ' ', 'Backspace'].includes(key)) return null;
    if (hit === null) return go(doc.model.items[0]!.children[0]);
    const at = 'item' in hit ? hit.item : doc.model.edges[hit.edge]!.dst;
    const item = doc.model.items[at]!;
    if (key === 'Enter' || key === ' ') return () => void this.toggle('right', at);
    if (key === 'Backspace') return go(item.parent < 0 ? undefined : item.parent);
    const centre = (id: number): number => { const box = scene.boxes[scene.boxOf[id]!]; return box === undefined ? 0 : box.x + box.w / 2; };
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const siblings = (doc.model.items[item.parent]?.children ?? []).filter((id) => scene.boxOf[id]! >= 0);
      siblings.sort((a, b) => centre(a) - centre(b) || a - b);
      return go(siblings[siblings.indexOf(at) + (key === 'ArrowLeft' ? -1 : 1)]);
    }
    const holder = doc.model.items[item.parent];
    const lists = [...(holder?.edges ?? []), ...(holder !== undefined && holder.parent >= 0 ? doc.model.items[holder.parent]!.edges : [])].map((id) => doc.model.edges[id]!);
    const ends = lists.filter((e) => (key === 'ArrowDown' ? e.src : e.dst) === at || (item.kind === 'Scope' && (key === 'ArrowDown' ? e.src === item.exit : e.dst === item.entry)));
    const shown = ends.map((e) => (key === 'ArrowDown' ? e.dst : e.src)).map((id) => { let up = id; while (up > 0 && scene.boxOf[up]! < 0) up = doc.model.items[up]!.parent; return up; });
    const inside = key === 'ArrowDown' && shown.length === 0 && doc.open.has(at) ? [item.entry >= 0 ? item.entry : item.children[0]!] : [];
    return go([...inside, ...shown.sort((a, b) => centre(a) - centre(b))][0]);
  }

  private tip(side: Side, hit: Hit, x: number, y: number): void {
    const doc = this.docOf(side);
    if (doc === null || hit === null) { this.page.tip(null, 0, 0); return; }
    const zoom = this.viewOf(side).camera.zoom;
    if ('edge' in hit) {
      const edge = doc.model.edges[hit.edge]!;
      if (edge.kind !== 'memlet') { this.page.tip(null, 0, 0); return; }
      const text = memletText(edge.data);
      this.page.tip(h('div', {}, h('b', {}, text || 'empty memlet (order only)'), text === '' ? '' : `volume ${volumeText(edge.data)}`), x, y);
      return;
    }
    const item = doc.model.items[hit.item]!;
    const face = doc.face(hit.item);
    const small = zoom < 0.5 || item.kind === 'MapExit';
    if (!small || this.viewOf(side).scene?.boxes[this.viewOf(side).scene!.boxOf[hit.item]!]?.open === true) { this.page.tip(null, 0, 0); return; }
    this.page.tip(h('div', {}, h('b', {}, face.title), face.caption, face.code.length > 0 ? h('code', {}, `${face.caption === '' ? '' : '\n'}${face.code.join('\n')}`) : null), x, y);
  }

  private flipTheme(): void {
    this.theme_ = this.theme_.name === 'light' ? dark : light;
    document.documentElement.dataset['theme'] = this.theme_.name;
    writeSetting('theme', this.theme_.name);
    this.outline_.setTheme(this.theme_);
    this.main.setTheme(this.theme_);
    this.other.setTheme(this.theme_);
    if (this.cost_ !== null) this.listCost();
    this.mark();
  }

  /** The address that restores what is shown now. */
  linkText(): string {
    const doc = this.doc;
    if (doc === null) return '';
    const toggled = doc.model.items.filter((item) => doc.open.has(item.id) !== doc.first.has(item.id)).map((item) => item.id);
    const hit = this.selected;
    return writeLink({
      file: this.page.name, camera: this.main.camera, selected: hit === null ? '' : 'item' in hit ? doc.model.items[hit.item]!.path : doc.model.edges[hit.edge]!.path,
      toggled: toggled.length > 3000 || this.history !== null ? [] : toggled, step: this.history === null ? 0 : this.step, metric: this.cost_?.metric ?? '', query: this.page.search.value,
    });
  }

  private saveLink(): void {
    clearTimeout(this.linkTimer_);
    this.linkTimer_ = window.setTimeout(() => {
      try {
        window.history.replaceState(null, '', '#' + this.linkText());
      } catch {
        // Some browsers forbid it for file addresses; the link can still be copied.
      }
    }, 400);
  }

  private followLink(): void {
    const link = readLink(location.hash);
    const doc = this.doc;
    if (doc === null || (link.file !== '' && link.file !== this.page.name)) return;
    void (async () => {
      if (this.history !== null && link.step !== this.step) await this.goTo(link.step);
      const now = this.doc!;
      now.open = new Set(now.first);
      applyToggles(now, link.toggled);
      await this.relayout();
      if (link.selected !== '') await this.selectPath(link.selected);
      if (link.camera !== null) this.main.setCamera(link.camera, true);
    })();
  }

  private async copyLink(): Promise<void> {
    const url = location.href.replace(/#.*$/, '') + '#' + this.linkText();
    try {
      await navigator.clipboard.writeText(url);
      this.page.notice('The link to this view was copied.', true);
    } catch {
      this.page.notice(url, true);
    }
  }

  private saveSvg(whole: boolean): void {
    const scene = this.main.scene;
    if (scene === null) return;
    const text = toSvg(scene, this.theme_, this.main.marks, whole ? null : visible(this.main.camera, this.main.size), this.page.name);
    save(new Blob([text], { type: 'image/svg+xml' }), `${baseName(this.page.name)}.svg`);
  }

  private async savePng(whole: boolean): Promise<void> {
    const scene = this.main.scene;
    if (scene === null) return;
    await this.guard('the picture', async () => {
      save(await toPng(scene, this.theme_, this.main.marks, whole ? null : visible(this.main.camera, this.main.size)), `${baseName(this.page.name)}.png`);
    });
  }

  private print(): void {
    const scene = this.main.scene;
    if (scene !== null) this.page.print(toSvg(scene, light, this.main.marks, visible(this.main.camera, this.main.size), this.page.name));
  }
}

function applyToggles(doc: Doc, toggled: number[]): void {
  for (const id of toggled) {
    if (id <= 0 || id >= doc.model.items.length) continue;
    if (doc.open.has(id)) doc.open.delete(id);
    else doc.open.add(id);
  }
}

/** What was open stays open, where it still exists; what is new is open when it is small. */
function carryOpen(from: Doc, to: Doc, diff: Diff): void {
  const open = new Set<number>([0]);
  for (const id of from.open) if (diff.toRight[id]! >= 0) open.add(diff.toRight[id]!);
  for (const id of diff.added) {
    const item = to.model.items[id]!;
    if (item.children.length > 0 && item.children.length < 40 && open.has(item.parent)) open.add(id);
  }
  to.open = open;
}

/** Differences are asked for several times while stepping through a history. */
const known = new WeakMap<Doc, WeakMap<Doc, Diff>>();
function diffOf(left: Doc, right: Doc): Diff {
  let list = known.get(left);
  if (list === undefined) known.set(left, (list = new WeakMap()));
  const opposite = known.get(right)?.get(left);
  let diff = list.get(right) ?? (opposite === undefined ? undefined : reversed(opposite));
  if (diff === undefined) diff = diffModels(left.model, right.model);
  list.set(right, diff);
  return diff;
}

function reversed(diff: Diff): Diff {
  return {
    ...diff, left: diff.right, right: diff.left, toRight: diff.toLeft, toLeft: diff.toRight, edgeToRight: diff.edgeToLeft, edgeToLeft: diff.edgeToRight,
    added: diff.removed, removed: diff.added, addedEdges: diff.removedEdges, removedEdges: diff.addedEdges,
  };
}

function reveal(doc: Doc, items: number[], edges: number[]): void {
  if (items.length + edges.length > mostReveal) return;
  for (const id of items) for (const up of ancestors(doc.model, id)) doc.open.add(up);
  for (const id of edges) {
    const { holder } = doc.model.edges[id]!;
    for (const up of [holder, ...ancestors(doc.model, holder)]) doc.open.add(up);
  }
}

function baseName(name: string): string {
  return name.replace(/^.*\//, '').replace(/\.[^.]*$/, '') || 'sdfg';
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function readSetting(key: string): string | null {
  try { return localStorage.getItem(`sdfg-viewer.${key}`); } catch { return null; }
}

function writeSetting(key: string, value: string): void {
  try { localStorage.setItem(`sdfg-viewer.${key}`, value); } catch { /* Private windows may forbid it. */ }
}

