// The part of the address after '#', which restores what is on the screen.

import type { Camera } from './view/camera';

export interface Link {
  file: string;
  camera: Camera | null;
  selected: string;        // JSON pointer of an item, or of an edge
  toggled: number[];       // items that are open when they would be closed at first, and the reverse
  step: number;
  metric: string;
  query: string;
}

export function writeLink(link: Link): string {
  const parts = new URLSearchParams();
  if (link.file !== '') parts.set('f', link.file);
  if (link.camera !== null) parts.set('c', [link.camera.x.toFixed(0), link.camera.y.toFixed(0), link.camera.zoom.toPrecision(4)].join(','));
  if (link.selected !== '') parts.set('s', link.selected);
  if (link.toggled.length > 0) parts.set('o', link.toggled.map((id) => id.toString(36)).join('.'));
  if (link.step > 0) parts.set('h', String(link.step));
  if (link.metric !== '') parts.set('m', link.metric);
  if (link.query !== '') parts.set('q', link.query);
  return parts.toString();
}

export function readLink(text: string): Link {
  const parts = new URLSearchParams(text.replace(/^#/, ''));
  const camera = (parts.get('c') ?? '').split(',').map(Number);
  const [x, y, zoom] = camera;
  const good = camera.length === 3 && camera.every(Number.isFinite) && zoom! > 0;
  const number = Number(parts.get('h') ?? 0);
  return {
    file: parts.get('f') ?? '', camera: good ? { x: x!, y: y!, zoom: zoom! } : null, selected: parts.get('s') ?? '',
    toggled: (parts.get('o') ?? '').split('.').filter((t) => t !== '').map((t) => parseInt(t, 36)).filter(Number.isFinite),
    step: Number.isInteger(number) && number > 0 ? number : 0, metric: parts.get('m') ?? '', query: parts.get('q') ?? '',
  };
}
