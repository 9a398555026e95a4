// What part of the plane is on the screen: the point in the middle and pixels per unit.

import type { Rect } from '../draw/scene';

export interface Camera { x: number; y: number; zoom: number }
export interface Size { w: number; h: number }

export const minZoom = 0.002;
export const maxZoom = 8;

export function clampZoom(zoom: number): number {
  return Math.max(minZoom, Math.min(maxZoom, zoom));
}

export function visible(camera: Camera, size: Size): Rect {
  const [w, h] = [size.w / camera.zoom, size.h / camera.zoom];
  return { x: camera.x - w / 2, y: camera.y - h / 2, w, h };
}

export function toWorld(camera: Camera, size: Size, px: number, py: number): [number, number] {
  return [camera.x + (px - size.w / 2) / camera.zoom, camera.y + (py - size.h / 2) / camera.zoom];
}

export function toScreen(camera: Camera, size: Size, x: number, y: number): [number, number] {
  return [(x - camera.x) * camera.zoom + size.w / 2, (y - camera.y) * camera.zoom + size.h / 2];
}

/** Zooms so that what is under a pixel stays there. */
export function zoomAt(camera: Camera, size: Size, px: number, py: number, factor: number): Camera {
  const [x, y] = toWorld(camera, size, px, py);
  const zoom = clampZoom(camera.zoom * factor);
  return { x: x - (px - size.w / 2) / zoom, y: y - (py - size.h / 2) / zoom, zoom };
}

/** Pixels at the upper border that the path of names covers. */
const covered = 32;

export function fit(rect: Rect, size: Size, most = 1.5): Camera {
  const zoom = clampZoom(Math.min((size.w - 40) / Math.max(rect.w, 1), (size.h - 36 - covered) / Math.max(rect.h, 1), most));
  return { x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 - covered / 2 / zoom, zoom };
}

export function between(a: Camera, b: Camera, t: number): Camera {
  // Zoom moves geometrically, so that it looks even.
  const zoom = a.zoom * Math.pow(b.zoom / a.zoom, t);
  const f = Math.abs(a.zoom - b.zoom) < 1e-9 ? t : (1 / zoom - 1 / a.zoom) / (1 / b.zoom - 1 / a.zoom);
  return { x: a.x + (b.x - a.x) * f, y: a.y + (b.y - a.y) * f, zoom };
}
