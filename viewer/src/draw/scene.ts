// A laid-out picture with what painting and pointing need: where each item and edge went.

import type { Face } from '../layout/face';
import type { Box, Line, Placed } from '../layout/tree';
import type { Model } from '../model/model';
import { fillOf, type Fill } from './theme';

export interface Rect { x: number; y: number; w: number; h: number }

export interface Scene {
  model: Model;
  faces: (id: number) => Face;
  boxes: Box[];
  lines: Line[];
  w: number;
  h: number;
  boxOf: Int32Array;       // item -> position in `boxes`, or -1
  lineOf: Int32Array;      // edge -> position in `lines`, or -1
  bounds: Float64Array;    // four numbers per line: left, top, right, bottom
  rootLines: number;       // that many lines come first and belong to the whole SDFG
  fills: Fill[];           // per box
}

export function makeScene(model: Model, faces: (id: number) => Face, placed: Placed): Scene {
  const scene: Scene = {
    model, faces, boxes: placed.boxes, lines: placed.lines, w: placed.w, h: placed.h,
    boxOf: new Int32Array(model.items.length).fill(-1), lineOf: new Int32Array(model.edges.length).fill(-1),
    bounds: new Float64Array(placed.lines.length * 4), rootLines: model.items[0]!.edges.length, fills: [],
  };
  placed.boxes.forEach((box, i) => {
    scene.boxOf[box.item] = i;
    scene.fills.push(fillOf(model, model.items[box.item]!, faces(box.item).shape));
  });
  placed.lines.forEach((line, i) => {
    scene.lineOf[line.edge] = i;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const p = line.points;
    for (let n = 0; n + 1 < p.length; n += 2) {
      left = Math.min(left, p[n]!); right = Math.max(right, p[n]!);
      top = Math.min(top, p[n + 1]!); bottom = Math.max(bottom, p[n + 1]!);
    }
    scene.bounds.set([left, top, right, bottom], i * 4);
  });
  return scene;
}

/** The box of an item, or of the closed item that hides it. */
export function shownBox(scene: Scene, item: number): Box | undefined {
  for (let at = item; at >= 0; at = scene.model.items[at]!.parent) {
    const i = scene.boxOf[at]!;
    if (i >= 0) return scene.boxes[i];
  }
  return undefined;
}

export type Hit = { item: number } | { edge: number } | null;

/** What lies at a point; `reach` is how near a line must be. */
export function pick(scene: Scene, x: number, y: number, reach: number): Hit {
  let found = -1;
  for (let i = 0; i < scene.boxes.length;) {
    const box = scene.boxes[i]!;
    if (x < box.x || x > box.x + box.w || y < box.y || y > box.y + box.h) { i = box.end; continue; }
    found = i;
    i++;
  }
  const box = scene.boxes[found];
  if (box !== undefined && !box.open) return { item: box.item };
  const [first, last] = box === undefined ? [0, scene.rootLines] : box.lines;
  let best = reach;
  let edge = -1;
  for (let i = first; i < last; i++) {
    const b = scene.bounds;
    if (x < b[i * 4]! - reach || x > b[i * 4 + 2]! + reach || y < b[i * 4 + 1]! - reach || y > b[i * 4 + 3]! + reach) continue;
    const d = distance(scene.lines[i]!.points, x, y);
    if (d < best) { best = d; edge = scene.lines[i]!.edge; }
  }
  if (edge >= 0) return { edge };
  return box === undefined ? null : { item: box.item };
}

function distance(p: number[], x: number, y: number): number {
  let best = Infinity;
  for (let i = 0; i + 3 < p.length; i += 2) {
    const [x0, y0, dx, dy] = [p[i]!, p[i + 1]!, p[i + 2]! - p[i]!, p[i + 3]! - p[i + 1]!];
    const length = dx * dx + dy * dy;
    const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / length));
    best = Math.min(best, Math.hypot(x - x0 - t * dx, y - y0 - t * dy));
  }
  return best;
}
