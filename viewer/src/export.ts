// Pictures to keep: SVG, PNG, and what goes to a printer.

import { SvgContext, escape } from './draw/context';
import { paint, type Marks } from './draw/paint';
import type { Rect, Scene } from './draw/scene';
import type { Theme } from './draw/theme';

const margin = 12;

function area(scene: Scene, view: Rect | null): Rect {
  if (view === null) return { x: -margin, y: -margin, w: scene.w + 2 * margin, h: scene.h + 2 * margin };
  const left = Math.max(view.x, -margin);
  const top = Math.max(view.y, -margin);
  return { x: left, y: top, w: Math.min(view.x + view.w, scene.w + margin) - left, h: Math.min(view.y + view.h, scene.h + margin) - top };
}

/** `view` null: everything that is open. */
export function toSvg(scene: Scene, theme: Theme, marks: Marks, view: Rect | null, title: string): string {
  const r = area(scene, view);
  const ctx = new SvgContext();
  for (const pause of paint(ctx, scene, { theme, zoom: 1, view: r, marks, labels: true })) void pause;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${r.x.toFixed(1)} ${r.y.toFixed(1)} ${r.w.toFixed(1)} ${r.h.toFixed(1)}" ` +
    `width="${Math.ceil(r.w)}" height="${Math.ceil(r.h)}" role="img"><title>${escape(title)}</title>` +
    `<rect x="${r.x.toFixed(1)}" y="${r.y.toFixed(1)}" width="${r.w.toFixed(1)}" height="${r.h.toFixed(1)}" fill="${theme.background}"/>\n${ctx.toString()}\n</svg>\n`;
}

const mostPixels = 12000;

export async function toPng(scene: Scene, theme: Theme, marks: Marks, view: Rect | null): Promise<Blob> {
  const r = area(scene, view);
  const scale = Math.min(2, mostPixels / r.w, mostPixels / r.h, Math.sqrt(1e8 / (r.w * r.h)));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(r.w * scale));
  canvas.height = Math.max(1, Math.round(r.h * scale));
  const ctx = canvas.getContext('2d')!;
  ctx.fillStyle = theme.background;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.setTransform(scale, 0, 0, scale, -r.x * scale, -r.y * scale);
  for (const pause of paint(ctx, scene, { theme, zoom: scale, view: r, marks, labels: true })) void pause;
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob === null ? reject(new Error('the picture is too big for this browser')) : resolve(blob)), 'image/png'));
}

export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
