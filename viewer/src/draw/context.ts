// The few drawing calls that painting uses. A canvas has them all; `SvgContext` writes them down.

export interface Context {
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  font: string;
  textAlign: CanvasTextAlign;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void;
  ellipse(x: number, y: number, rx: number, ry: number, rotation: number, start: number, end: number): void;
  closePath(): void;
  fill(): void;
  stroke(): void;
  fillRect(x: number, y: number, w: number, h: number): void;
  setLineDash(dash: number[]): void;
  fillText(text: string, x: number, y: number, maxWidth?: number): void;
}

/** Collects SVG elements. Paths are kept as texts; coordinates have one digit after the point. */
export class SvgContext implements Context {
  fillStyle: string | CanvasGradient | CanvasPattern = '#000';
  strokeStyle: string | CanvasGradient | CanvasPattern = '#000';
  lineWidth = 1;
  font = '12px sans-serif';
  textAlign: CanvasTextAlign = 'start';
  private path_: string[] = [];
  private dash_ = '';
  private parts_: string[] = [];

  beginPath(): void { this.path_ = []; }
  moveTo(x: number, y: number): void { this.path_.push(`M${n(x)} ${n(y)}`); }
  lineTo(x: number, y: number): void { this.path_.push(`L${n(x)} ${n(y)}`); }
  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void { this.path_.push(`Q${n(cx)} ${n(cy)} ${n(x)} ${n(y)}`); }
  closePath(): void { this.path_.push('Z'); }

  /** Whole ellipses only. */
  ellipse(x: number, y: number, rx: number, ry: number): void {
    this.path_.push(`M${n(x - rx)} ${n(y)}a${n(rx)} ${n(ry)} 0 1 0 ${n(2 * rx)} 0a${n(rx)} ${n(ry)} 0 1 0 ${n(-2 * rx)} 0Z`);
  }

  fill(): void {
    if (this.path_.length > 0) this.parts_.push(`<path d="${this.path_.join('')}" ${paint('fill', this.fillStyle)}/>`);
  }

  stroke(): void {
    if (this.path_.length === 0) return;
    const dash = this.dash_ === '' ? '' : ` stroke-dasharray="${this.dash_}"`;
    this.parts_.push(`<path d="${this.path_.join('')}" fill="none" ${paint('stroke', this.strokeStyle)} stroke-width="${n(this.lineWidth)}"${dash}/>`);
  }

  fillRect(x: number, y: number, w: number, h: number): void {
    this.parts_.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" ${paint('fill', this.fillStyle)}/>`);
  }

  setLineDash(dash: number[]): void { this.dash_ = dash.map(n).join(' '); }

  fillText(text: string, x: number, y: number, maxWidth?: number): void {
    void maxWidth;
    const anchor = this.textAlign === 'center' ? 'middle' : this.textAlign === 'right' ? 'end' : 'start';
    const [, weight, size, family] = /^(?:(bold|600|italic) )?([\d.]+)px (.*)$/.exec(this.font) ?? ['', '', '12', 'sans-serif'];
    const style = weight === undefined || weight === '' ? '' : weight === 'italic' ? ' font-style="italic"' : ` font-weight="${weight}"`;
    this.parts_.push(
      `<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}" font-size="${size}"${style} font-family="${escape(family!)}" ` +
      `${paint('fill', this.fillStyle)} xml:space="preserve">${escape(text)}</text>`);
  }

  toString(): string { return this.parts_.join('\n'); }
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** #rrggbbaa, as not every SVG reader knows it, becomes a colour and an opacity. */
function paint(key: 'fill' | 'stroke', style: string | CanvasGradient | CanvasPattern): string {
  const colour = String(style);
  if (colour.length !== 9 || !colour.startsWith('#')) return `${key}="${colour}"`;
  return `${key}="${colour.slice(0, 7)}" ${key}-opacity="${(parseInt(colour.slice(7), 16) / 255).toFixed(2)}"`;
}

export function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
