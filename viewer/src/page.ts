// The frame of the page: bar, side panels, notices, help. It holds no state of the graph.

import { h } from './panel/dom';

export interface PageActions {
  open(files: File[]): void;
  compare(file: File): void;
  closeCompare(): void;
  fit(): void;
  zoom(factor: number): void;
  expand(): void;
  collapse(): void;
  theme(): void;
  search(query: string): void;
  data(filter: string): void;
  bytes(): void;
  svg(whole: boolean): void;
  png(whole: boolean): void;
  copyLink(): void;
}

export interface Panes { set(key: string, content: HTMLElement): void; show(key: string): void; hide(key: string): void }

export interface Page {
  name: string;
  main: HTMLElement;
  other: HTMLElement;
  search: HTMLInputElement;
  right: Panes;
  opened(name: string, text: string): void;
  compare(names: { left: string; right: string } | null): void;
  crumbs(path: { text: string; go: () => void }[]): void;
  found(query: string, count: number, problem: string): void;
  notice(text: string, mild?: boolean): void;
  announce(text: string): void;
  tip(content: HTMLElement | null, x: number, y: number): void;
  help(): void;
  pickFile(): void;
  print(svg: string): void;
}

const logo = '<svg viewBox="0 0 24 24" aria-hidden="true"><ellipse cx="12" cy="4.5" rx="6" ry="3.2" fill="none" stroke="currentColor" stroke-width="1.7"/><path d="M7 11h10l3 4H4z" fill="#1668dc"/><path d="M12 7.7V11M12 15v3" stroke="currentColor" stroke-width="1.7"/><path d="M9 18h6l2 1.6v1.8L15 23H9l-2-1.6v-1.8z" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>';

const keys: [string, string][] = [
  ['o', 'open files'], ['/', 'search with a regular expression'], ['f', 'fit the whole graph'], ['z', 'go to the selection'],
  ['+ −', 'zoom'], ['↑ ↓', 'follow an edge back or forward'], ['← →', 'neighbour on the same level'], ['Enter', 'open or close'],
  ['Backspace', 'go to what holds the selection'], ['e  c', 'open or close everything (in the selection)'],
  ['u', 'show all uses of the container'], ['[  ]', 'previous or next step of the history'], ['b', 'before or after the step'],
  ['v', 'before and after side by side'], ['t', 'light or dark'], ['Esc', 'clear'], ['?', 'this list'],
];

export function buildPage(root: HTMLElement, actions: PageActions, outline: HTMLElement, data: HTMLElement, hits: HTMLElement, time: HTMLElement): Page {
  const input = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files to open', onchange: () => { actions.open([...(input.files ?? [])]); input.value = ''; } });
  const second = h('input', { type: 'file', hidden: true, 'aria-label': 'File to compare with', onchange: () => { const file = second.files?.[0]; if (file !== undefined) actions.compare(file); second.value = ''; } });
  const search = h('input', { type: 'search', placeholder: 'Search names and code  ( / )', 'aria-label': 'Search with a regular expression', spellcheck: 'false', oninput: () => actions.search(search.value) });
  const fileText = h('span', { class: 'file', 'aria-live': 'polite' });
  const brand = h('span', { class: 'brand' }, 'SDFG viewer');
  brand.insertAdjacentHTML('afterbegin', logo);
  const button = (text: string, title: string, onclick: () => void, extra = ''): HTMLButtonElement => h('button', { title, 'aria-label': title, class: extra, onclick }, text);
  const menuList = h('div', { hidden: true, role: 'menu' });
  const item = (text: string, act: () => void): HTMLElement => h('button', { role: 'menuitem', onclick: () => { menuList.hidden = true; act(); } }, text);
  menuList.append(item('SVG of the whole open graph', () => actions.svg(true)), item('SVG of this view', () => actions.svg(false)),
    item('PNG of the whole open graph', () => actions.png(true)), item('PNG of this view', () => actions.png(false)),
    item('Print this view', () => window.print()), item('Copy a link to this view', () => actions.copyLink()));
  const menu = h('div', { class: 'menu' }, h('button', { 'aria-haspopup': 'menu', title: 'Save a picture or a link', onclick: (event: MouseEvent) => { event.stopPropagation(); menuList.hidden = !menuList.hidden; } }, 'Export ▾'), menuList);
  document.addEventListener('click', () => { menuList.hidden = true; });

  const left = h('aside', { class: 'side left', 'aria-label': 'Outline, data and search' });
  const right = h('aside', { class: 'side right', 'aria-label': 'Properties' });
  const filter = h('input', { type: 'search', placeholder: 'Filter containers', 'aria-label': 'Filter containers', style: 'margin:6px 8px', oninput: () => actions.data(filter.value) });
  const foundText = h('div', { class: 'pad', style: 'flex:none;color:var(--faint);padding-bottom:4px' }, 'Type a regular expression above.');
  const box = (...content: HTMLElement[]): HTMLElement => h('div', { class: 'pane', style: 'display:flex;flex-direction:column;overflow:hidden' }, ...content);
  const leftPanes = panes(left, [['outline', 'Outline', box(outline)], ['data', 'Data', box(filter, data)], ['search', 'Search', box(foundText, hits)]]);
  const rightPanes = panes(right, [['properties', 'Properties', h('div', { class: 'pane' })], ['changes', 'Changes', h('div', { class: 'pane' })], ['cost', 'Cost', h('div', { class: 'pane' })]]);
  rightPanes.hide('changes');
  rightPanes.set('cost', h('div', { class: 'pad' }, h('p', {}, 'Open an instrumentation report of DaCe or a report of sdfg-opt, or count from the file itself.'), h('button', { class: 'main', onclick: () => actions.bytes() }, 'Count bytes from memlets')));
  rightPanes.show('properties');
  grip(left, 1);
  grip(right, -1);

  const main = h('div', { class: 'view' });
  const other = h('div', { class: 'view', hidden: true });
  const crumbs = h('nav', { class: 'crumbs', 'aria-label': 'Place of the selection', hidden: true });
  const [leftTag, rightTag] = [h('div', { class: 'tag' }), h('div', { class: 'tag', hidden: true })];
  other.append(leftTag);
  main.append(rightTag, h('div', { class: 'zoom' }, button('−', 'Zoom out (-)', () => actions.zoom(1 / 1.4)), button('+', 'Zoom in (+)', () => actions.zoom(1.4)), button('Fit', 'Fit the whole graph (f)', () => actions.fit())));
  const welcome = h('div', { class: 'welcome' }, h('div', {}, h('h1', {}, 'Drop an SDFG here'), h('p', {}, 'a .sdfg or .sdfgz file of any DaCe version, a history of sdfg-opt, or two SDFGs to compare them'), h('button', { class: 'main', onclick: () => input.click() }, 'Open files…')));
  const notices = h('div', { class: 'notice', role: 'alert' });
  const stage = h('main', { class: 'stage' }, other, main, crumbs, welcome, notices);
  const status = h('div', { class: 'sr', 'aria-live': 'polite' });
  const tip = h('div', { class: 'tip', hidden: true, role: 'tooltip' });
  const compareButton = h('button', { title: 'Compare with another SDFG', onclick: () => second.click(), disabled: true }, 'Compare…');
  const closeCompare = h('button', { title: 'Leave the comparison', hidden: true, 'aria-pressed': 'true', onclick: () => actions.closeCompare() }, 'Close comparison ✕');
  const help = h('dialog', { 'aria-label': 'Keys' }, h('h2', {}, 'Keys'), h('table', {}, h('tbody', {}, ...keys.map(([key, text]) =>
    h('tr', {}, h('td', { style: 'white-space:nowrap;width:90px' }, ...key.split(/\s+/).flatMap((k) => [h('kbd', {}, k), ' '])), h('td', {}, text))))),
    h('p', { style: 'color:var(--faint)' }, 'Wheel: zoom. Drag: move. Shift and wheel: move sideways. Double click or the small square: open and close.'), h('p', { style: 'text-align:right;margin:0' }, h('button', { class: 'main', onclick: () => help.close() }, 'Close')));
  const printed = h('div', { id: 'print' });
  const side = (element: HTMLElement, name: string): HTMLElement => {
    const toggle = h('button', { title: `Show or hide: ${name}`, 'aria-label': `Show or hide: ${name}`, 'aria-pressed': 'true', onclick: () => { const closed = element.classList.toggle('closed'); element.classList.toggle('wanted', !closed); toggle.setAttribute('aria-pressed', String(!closed)); } }, element === left ? '◧' : '◨');
    return toggle;
  };

  root.append(h('header', { class: 'bar' }, side(left, 'outline'), brand, button('Open', 'Open files (o)', () => input.click(), 'main'), compareButton, closeCompare, fileText, search,
    h('span', { class: 'gap' }), button('Expand', 'Open everything in the selection, or in the graph (e)', actions.expand, 'optional'), button('Collapse', 'Close everything in the selection, or in the graph (c)', actions.collapse, 'optional'), menu,
    button('◐', 'Light or dark (t)', actions.theme), button('?', 'Keys (?)', () => help.showModal()), side(right, 'properties')), left, stage, right, time, input, second);
  document.body.append(tip, help, status, printed);

  for (const type of ['dragover', 'dragenter']) document.addEventListener(type, (event) => { event.preventDefault(); root.classList.add('dropping'); });
  document.addEventListener('dragleave', (event) => { if (event.relatedTarget === null) root.classList.remove('dropping'); });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    root.classList.remove('dropping');
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) actions.open(files);
  });

  const page: Page = {
    name: '', main, other, search, right: rightPanes,
    opened(name, text) {
      page.name = name;
      welcome.hidden = true;
      compareButton.disabled = false;
      fileText.replaceChildren(h('b', {}, name.replace(/^.*\//, '')), `  ${text}`);
      fileText.title = `${name} ${text}`;
      document.title = `${name.replace(/^.*\//, '')} - SDFG viewer`;
    },
    compare(names) {
      other.hidden = names === null;
      rightTag.hidden = names === null;
      closeCompare.hidden = names === null;
      leftTag.textContent = names?.left ?? '';
      rightTag.textContent = names?.right ?? '';
    },
    crumbs(path) {
      crumbs.hidden = path.length === 0;
      const shown = path.length > 9 ? [...path.slice(0, 2), { text: '…', go: () => undefined }, ...path.slice(-6)] : path;
      crumbs.replaceChildren(...shown.map(({ text, go }) => h('button', { onclick: go, title: text }, text)));
    },
    found(query, count, problem) {
      foundText.textContent = query === '' ? 'Type a regular expression above.' : `${count >= 1000 ? 'more than 1,000' : count} found${problem === '' ? '' : `; taken as plain text, as it is no expression: ${problem}`}`;
      if (query !== '') leftPanes.show('search');
    },
    notice(text, mild = false) {
      const note = h('div', { class: mild ? 'mild' : '' }, text, h('button', { 'aria-label': 'Dismiss', onclick: () => note.remove() }, '✕'));
      notices.append(note);
      while (notices.childElementCount > 4) notices.firstElementChild!.remove();
      if (mild) setTimeout(() => note.remove(), 8000);
    },
    announce(text) { status.textContent = text; },
    tip(content, x, y) {
      tip.hidden = content === null;
      if (content === null) return;
      tip.replaceChildren(content);
      const { width, height } = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
      tip.style.top = `${y + 18 + height > innerHeight ? y - height - 10 : y + 18}px`;
    },
    help() { help.showModal(); },
    pickFile() { input.click(); },
    print(svg) { printed.innerHTML = svg; },
  };
  return page;
}

function panes(side: HTMLElement, list: [string, string, HTMLElement][]): Panes {
  const tabs = h('div', { class: 'tabs', role: 'tablist' });
  const entries = new Map(list.map(([key, title, content]) => {
    const tab = h('button', { role: 'tab', 'aria-selected': 'false', onclick: () => show(key) }, title);
    tabs.append(tab);
    content.setAttribute('role', 'tabpanel');
    content.setAttribute('aria-label', title);
    return [key, { tab, content }] as const;
  }));
  const show = (key: string): void => {
    for (const [name, { tab, content }] of entries) {
      tab.setAttribute('aria-selected', String(name === key));
      content.hidden = name !== key;
      content.style.display = name !== key ? 'none' : content.style.overflow === 'hidden' ? 'flex' : '';
    }
    entries.get(key)!.tab.hidden = false;
  };
  side.append(tabs, ...list.map(([, , content]) => content));
  show(list[0]![0]);
  return {
    show,
    set(key, content) { const entry = entries.get(key)!; entry.content.replaceChildren(content); entry.tab.hidden = false; },
    hide(key) {
      const { tab } = entries.get(key)!;
      if (tab.getAttribute('aria-selected') === 'true') show(list[0]![0]);
      tab.hidden = true;
    },
  };
}

/** The border of a side panel can be dragged. */
function grip(side: HTMLElement, direction: 1 | -1): void {
  const bar = h('div', { class: 'grip', 'aria-hidden': 'true' });
  side.append(bar);
  bar.addEventListener('pointerdown', (event) => {
    const [start, width] = [event.clientX, side.clientWidth];
    bar.setPointerCapture(event.pointerId);
    const move = (e: PointerEvent): void => { side.style.width = `${Math.max(160, Math.min(innerWidth * 0.6, width + (e.clientX - start) * direction))}px`; };
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', () => bar.removeEventListener('pointermove', move), { once: true });
  });
}
