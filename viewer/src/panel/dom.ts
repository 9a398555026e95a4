// Making elements without a framework.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value as (event: Event) => void);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/** A text with the part between `from` and `to` marked. */
export function marked(text: string, from: number, to: number): Node[] {
  const start = Math.max(0, from - 40);
  return [
    document.createTextNode((start > 0 ? '…' : '') + text.slice(start, from)), h('mark', {}, text.slice(from, to)),
    document.createTextNode(text.slice(to, to + 200)),
  ];
}

export interface ListRow { key: string; build(): HTMLElement }

/** A list of any length: only the rows on the screen exist. */
export class VirtualList {
  readonly element: HTMLElement;
  static readonly height = 23;
  private rows_: ListRow[] = [];
  private readonly inner_: HTMLElement;

  constructor(role: string, label: string) {
    this.inner_ = h('div', { style: 'position:relative' });
    this.element = h('div', { class: 'pane rows', role, 'aria-label': label, tabindex: 0 }, this.inner_);
    this.element.addEventListener('scroll', () => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.element);
  }

  set(rows: ListRow[]): void {
    this.rows_ = rows;
    this.inner_.style.height = `${rows.length * VirtualList.height}px`;
    this.paint();
  }

  reveal(index: number): void {
    const { scrollTop, clientHeight } = this.element;
    const top = index * VirtualList.height;
    if (top < scrollTop || top + VirtualList.height > scrollTop + clientHeight) this.element.scrollTop = Math.max(0, top - clientHeight / 2);
    this.paint();
  }

  paint(): void {
    const first = Math.max(0, Math.floor(this.element.scrollTop / VirtualList.height) - 5);
    const count = Math.ceil(Math.max(this.element.clientHeight, 100) / VirtualList.height) + 10;
    this.inner_.replaceChildren(...this.rows_.slice(first, first + count).map((row, i) => {
      const element = row.build();
      element.style.top = `${(first + i) * VirtualList.height}px`;
      return element;
    }));
  }
}
