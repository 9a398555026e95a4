// Paints a scene. The work is a generator that can be paused, so that a big picture never holds up
// a frame: whoever drives it decides how long a slice is. What is off the screen is skipped with
// all it holds; what is too small to be read is painted without text, then as plain rectangles.

import { captionSize, codeSize, headerHeight, signSpot, titleSize, type Face } from '../layout/face';
import { mono, sans, textWidth } from '../layout/measure';
import { edgeLabel, edgeLabelSize, type Box, type Line } from '../layout/tree';
import type { Edge } from '../model/model';
import { memletText } from '../model/text';
import type { Context } from './context';
import type { Rect, Scene } from './scene';
import { arrowHead, outline, polyline, rounded } from './shapes';
import { inkOn, type Theme } from './theme';

/** How one item or edge differs from its usual look. */
export interface Mark { fill?: string; stroke?: string; width?: number }

export interface Marks { items: Map<number, Mark>; edges: Map<number, Mark>; dimmed: boolean }

export const noMarks: Marks = { items: new Map(), edges: new Map(), dimmed: false };

export interface Look { theme: Theme; zoom: number; view: Rect; marks: Marks; labels: boolean }

const small = 8;         // pixels: nodes lower than this are rectangles
const readable = 4;      // pixels: texts smaller than this are left out
const slice = 120;       // things painted between two pauses

export function* paint(ctx: Context, scene: Scene, look: Look): Generator<void> {
  const { zoom, view, marks } = look;
  const tiny = new Map<string, Rect[]>();
  let count = 0;
  const lines = lineBatches(ctx, scene, look);
  yield* lines(0, scene.rootLines);
  for (let i = 0; i < scene.boxes.length;) {
    const box = scene.boxes[i]!;
    if (box.x > view.x + view.w || box.y > view.y + view.h || box.x + box.w < view.x || box.y + box.h < view.y) {
      i = box.end;
      continue;
    }
    if (++count % slice === 0) yield;
    const mark = marks.items.get(box.item);
    if (box.h * zoom < small && mark?.stroke === undefined) {
      const colour = mark?.fill ?? look.theme.borders[scene.fills[i]!];
      const key = `${colour} ${mark?.fill ?? look.theme.fills[scene.fills[i]!]}`;
      const list = tiny.get(key);
      if (list === undefined) tiny.set(key, [box]);
      else list.push(box);
      i = box.end;
      continue;
    }
    if (box.open) {
      paintOpen(ctx, scene, look, i, mark);
      yield* lines(box.lines[0], box.lines[1]);
    } else {
      paintClosed(ctx, scene, look, i, mark);
    }
    i++;
  }
  for (const [key, boxes] of tiny) {
    const [border, inside] = key.split(' ') as [string, string];
    ctx.fillStyle = border;
    for (const box of boxes) {
      if (++count % (slice * 4) === 0) yield;
      ctx.fillRect(box.x, box.y, Math.max(box.w, 1 / zoom), Math.max(box.h, 1 / zoom));
    }
    // What is big enough gets a border, so that it looks like what it is when seen closer.
    const edge = 1 / zoom;
    ctx.fillStyle = inside;
    for (const box of boxes) if (box.h > 3 * edge && box.w > 3 * edge) ctx.fillRect(box.x + edge, box.y + edge, box.w - 2 * edge, box.h - 2 * edge);
  }
  paintOverviewTitles(ctx, scene, look);
}

/** Marks stay visible from afar: their outlines are never thinner than a pixel and a half. */
function markWidth(mark: Mark | undefined, zoom: number): number | undefined {
  return mark?.width === undefined ? undefined : Math.max(mark.width, Math.min(1.5 / zoom, 12));
}

function paintOpen(ctx: Context, scene: Scene, look: Look, i: number, mark: Mark | undefined): void {
  const box = scene.boxes[i]!;
  const { theme, zoom } = look;
  const face = scene.faces(box.item);
  const fill = face.shape === 'scope' ? 'scope' : scene.fills[i]!;
  ctx.beginPath();
  if (face.shape === 'nested') outline(ctx, 'nested', box.x, box.y, box.w, box.h);
  else rounded(ctx, box.x, box.y, box.w, box.h, 8);
  ctx.fillStyle = theme.fills[fill];
  ctx.fill();
  if (mark?.fill !== undefined) { ctx.fillStyle = mark.fill + (face.shape === 'scope' ? '30' : '55'); ctx.fill(); }
  ctx.setLineDash(face.shape === 'scope' ? [3, 3] : []);
  ctx.strokeStyle = mark?.stroke ?? theme.borders[fill];
  ctx.lineWidth = markWidth(mark, zoom) ?? (face.shape === 'scope' ? 0.7 : 1.2);
  ctx.stroke();
  ctx.setLineDash([]);
  if (face.shape === 'scope' || titleSize * zoom < readable) return;
  ctx.textAlign = 'left';
  ctx.fillStyle = theme.faint;
  ctx.font = `600 ${titleSize}px ${sans}`;
  const sign = signSpot(face, box, true);
  toggleGlyph(ctx, sign.x, sign.y, true, theme.faint);
  ctx.fillStyle = theme.text;
  ctx.fillText(face.header, box.x + 24, box.y + headerHeight / 2 + 5, Math.max(10, box.w - 30));
  paintPorts(ctx, scene, look, box);
}

function paintClosed(ctx: Context, scene: Scene, look: Look, i: number, mark: Mark | undefined): void {
  const box = scene.boxes[i]!;
  const { theme, zoom } = look;
  const face = scene.faces(box.item);
  const fill = scene.fills[i]!;
  if (face.holds && box.h * zoom > 14) {
    ctx.beginPath();
    outline(ctx, face.shape, box.x + 3, box.y + 3, box.w, box.h);
    ctx.fillStyle = theme.borders[fill] + '44';
    ctx.fill();
  }
  ctx.beginPath();
  outline(ctx, face.shape, box.x, box.y, box.w, box.h);
  ctx.fillStyle = mark?.fill ?? theme.fills[fill];
  ctx.fill();
  ctx.strokeStyle = mark?.stroke ?? theme.borders[fill];
  ctx.lineWidth = markWidth(mark, zoom) ?? (face.outline === 'bold' ? 2 : 1.1);
  if (face.outline === 'dashed' && zoom > 0.4) ctx.setLineDash([4, 2.5]);
  ctx.stroke();
  ctx.setLineDash([]);
  if (box.h * zoom > 12) decorate(ctx, face, box, theme.borders[fill]);
  paintPorts(ctx, scene, look, box);
  if (titleSize * zoom >= readable) paintFace(ctx, face, box, mark?.fill === undefined || mark.fill.length > 7 ? theme.text : inkOn(mark.fill), theme);
}

/** Marks of views, references, streams and pages. */
function decorate(ctx: Context, face: Face, box: Box, colour: string): void {
  const { x, y, w, h } = box;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 0.9;
  ctx.beginPath();
  if (face.shape === 'page') {
    ctx.moveTo(x + w - 10, y);
    ctx.lineTo(x + w - 10, y + 10);
    ctx.lineTo(x + w, y + 10);
  } else if (face.mark === 'stream' || face.mark === 'view' || face.mark === 'reference') {
    if (face.mark === 'stream') ctx.setLineDash([1.5, 2]);
    if (face.mark === 'reference') ctx.setLineDash([5, 3]);
    ctx.ellipse(x + w / 2, y + h / 2, w / 2 - 3.5, h / 2 - 3.5, 0, 0, 2 * Math.PI);
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function paintFace(ctx: Context, face: Face, box: Box, ink: string, theme: Theme): void {
  const middle = box.x + box.w / 2 + (face.holds ? 8 : 0);
  const height = titleSize + face.code.length * 12 + (face.code.length > 0 ? 4 : 0) + (face.caption === '' ? 0 : 12);
  let y = box.y + (box.h - height) / 2 + titleSize - 2;
  ctx.textAlign = 'center';
  ctx.fillStyle = ink;
  ctx.font = `${face.shape === 'octagon' || face.holds ? '600 ' : ''}${titleSize}px ${sans}`;
  ctx.fillText(face.title, middle, y, box.w - 8);
  if (face.holds) {
    const sign = signSpot(face, box, false);
    toggleGlyph(ctx, sign.x, sign.y, false, ink === theme.text ? theme.faint : ink);
  }
  y += 4;
  if (face.code.length > 0) {
    ctx.font = `${codeSize}px ${mono}`;
    ctx.textAlign = 'left';
    ctx.fillStyle = ink;
    const left = box.x + (box.w - Math.max(...face.code.map((l) => l.length)) * codeSize * 0.603) / 2;
    for (const line of face.code) {
      y += 12;
      ctx.fillText(line, left, y, box.w - 8);
    }
  }
  if (face.caption === '') return;
  ctx.textAlign = 'center';
  ctx.font = `${captionSize}px ${sans}`;
  ctx.fillStyle = ink === theme.text ? theme.faint : ink;
  ctx.fillText(face.caption, middle, y + 11, box.w - 8);
}

/** The sign for "can be opened" or "can be closed". */
function toggleGlyph(ctx: Context, x: number, y: number, open: boolean, colour: string): void {
  ctx.beginPath();
  rounded(ctx, x - 5, y - 5, 10, 10, 2);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(x - 2.6, y);
  ctx.lineTo(x + 2.6, y);
  if (!open) { ctx.moveTo(x, y - 2.6); ctx.lineTo(x, y + 2.6); }
  ctx.stroke();
}

function paintPorts(ctx: Context, scene: Scene, look: Look, box: Box): void {
  const face = scene.faces(box.item);
  if (face.shape === 'ellipse' || look.zoom < 0.45) return;
  if (box.open && face.shape === 'scope') return;
  ctx.fillStyle = look.theme.background;
  ctx.strokeStyle = look.theme.faint;
  ctx.lineWidth = 0.8;
  ctx.beginPath();
  const dots = (list: number[], y: number): void => {
    for (const x of list) { ctx.moveTo(x + 2.6, y); ctx.ellipse(x, y, 2.6, 2.6, 0, 0, 2 * Math.PI); }
  };
  dots(box.ins, box.y);
  dots(box.outs, box.y + box.h);
  ctx.fill();
  ctx.stroke();
}

interface Style { colour: string; dash: number[]; width: number }

function lineStyle(edge: Edge, theme: Theme): Style {
  if (edge.kind !== 'memlet') return { colour: theme.interstate, dash: [], width: 1.4 };
  if (typeof edge.data['data'] !== 'string') return { colour: theme.order, dash: [2, 3], width: 1 };
  return { colour: theme.line, dash: typeof edge.data['wcr'] === 'string' ? [5, 3] : [], width: 1 };
}

/** Paints ranges of lines: those of one style together, as that is several times faster. */
function lineBatches(ctx: Context, scene: Scene, look: Look): (first: number, last: number) => Generator<void> {
  const { theme, zoom, view, marks } = look;
  const b = scene.bounds;
  return function* (first, last) {
    const groups = new Map<string, { style: Style; lines: Line[] }>();
    const marked: [Line, Mark][] = [];
    const visible: Line[] = [];
    for (let i = first; i < last; i++) {
      if (b[i * 4]! > view.x + view.w || b[i * 4 + 2]! < view.x || b[i * 4 + 1]! > view.y + view.h || b[i * 4 + 3]! < view.y) continue;
      if (b[i * 4 + 3]! - b[i * 4 + 1]! + b[i * 4 + 2]! - b[i * 4]! < 1.5 / zoom) continue;
      const line = scene.lines[i]!;
      visible.push(line);
      const mark = marks.edges.get(line.edge);
      if (mark !== undefined) { marked.push([line, mark]); continue; }
      const style = lineStyle(scene.model.edges[line.edge]!, theme);
      const key = style.colour + style.dash.join();
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { style, lines: [line] });
      else group.lines.push(line);
    }
    const heads = zoom > 0.35;
    for (const { style, lines } of groups.values()) {
      for (let from = 0; from < lines.length; from += slice) {
        const part = lines.slice(from, from + slice);
        strokeLines(ctx, part, style, zoom);
        if (heads) fillHeads(ctx, part, style.colour);
        if (from > 0) yield;
      }
    }
    for (const [line, mark] of marked) {
      const style = lineStyle(scene.model.edges[line.edge]!, theme);
      const own = { ...style, colour: mark.stroke ?? style.colour, width: markWidth(mark, zoom) ?? style.width };
      strokeLines(ctx, [line], own, zoom);
      fillHeads(ctx, [line], own.colour);
    }
    if (look.labels) paintLabels(ctx, scene, look, visible);
  };
}

function strokeLines(ctx: Context, lines: Line[], style: Style, zoom: number): void {
  ctx.beginPath();
  for (const line of lines) polyline(ctx, line.points, zoom > 0.2 ? 14 : 0);
  ctx.strokeStyle = style.colour;
  ctx.lineWidth = Math.max(style.width, 0.6 / zoom);
  ctx.setLineDash(zoom > 0.3 ? style.dash : []);
  ctx.stroke();
  ctx.setLineDash([]);
}

function fillHeads(ctx: Context, lines: Line[], colour: string): void {
  ctx.beginPath();
  for (const line of lines) arrowHead(ctx, line.points, 7);
  ctx.fillStyle = colour;
  ctx.fill();
}

/** Conditions and assignments have their own place; memlets are written where there is room. */
function paintLabels(ctx: Context, scene: Scene, look: Look, lines: Line[]): void {
  const { theme, zoom } = look;
  const taken: Rect[] = [];
  const size = 8.5;
  for (const line of lines) {
    const edge = scene.model.edges[line.edge]!;
    if (line.label !== null && edgeLabelSize * zoom >= readable) {
      ctx.textAlign = 'left';
      ctx.font = `${edgeLabelSize}px ${sans}`;
      const texts = edgeLabel(edge);
      texts.forEach((text, n) => {
        ctx.fillStyle = theme.halo;
        ctx.fillRect(line.label![0], line.label![1] + n * 13, textWidth(text, edgeLabelSize) + 6, 13);
        ctx.fillStyle = theme.interstate;
        ctx.fillText(text, line.label![0] + 3, line.label![1] + n * 13 + 10);
      });
      continue;
    }
    if (edge.kind !== 'memlet' || size * zoom < 7.5) continue;
    const text = memletText(edge.data);
    if (text === '' || text.length > 60) continue;
    const spot = labelSpot(line.points, textWidth(text, size) + 4, size + 3);
    if (spot === null || taken.some((r) => overlaps(r, spot))) continue;
    taken.push(spot);
    ctx.fillStyle = theme.halo;
    ctx.fillRect(spot.x, spot.y, spot.w, spot.h);
    ctx.font = `${size}px ${sans}`;
    ctx.textAlign = 'center';
    ctx.fillStyle = theme.faint;
    ctx.fillText(text, spot.x + spot.w / 2, spot.y + size);
  }
}

/** In the middle of the first part of a line that is long enough to be seen. */
function labelSpot(p: number[], w: number, h: number): Rect | null {
  for (let i = 0; i + 3 < p.length; i += 2) {
    const length = Math.abs(p[i + 3]! - p[i + 1]!);
    if (length < h + 8) continue;
    return { x: (p[i]! + p[i + 2]!) / 2 - w / 2, y: (p[i + 1]! + p[i + 3]!) / 2 - h / 2, w, h };
  }
  return null;
}

function overlaps(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** From afar, where headers cannot be read, the name of an open block in letters that can. */
function paintOverviewTitles(ctx: Context, scene: Scene, look: Look): void {
  const { zoom, view, theme } = look;
  if (titleSize * zoom >= readable) return;
  const size = 11 / zoom;
  ctx.font = `600 ${size}px ${sans}`;
  ctx.textAlign = 'center';
  const taken: Rect[] = [];
  for (let i = 0; i < scene.boxes.length; i++) {
    const box = scene.boxes[i]!;
    if (box.w * zoom < 50 || box.h * zoom < 16) { i = box.end - 1; continue; }
    if (box.x > view.x + view.w || box.y > view.y + view.h || box.x + box.w < view.x || box.y + box.h < view.y) { i = box.end - 1; continue; }
    const face = scene.faces(box.item);
    const text = face.header === '' ? face.title : face.header;
    const w = textWidth(text, size) + 10 / zoom;
    if (face.shape === 'scope' || w > box.w) continue;
    const spot: Rect = { x: box.x + (box.w - w) / 2, y: box.y + 2 / zoom, w, h: size * 1.3 };
    if (taken.length > 200 || taken.some((r) => overlaps(r, spot))) continue;
    taken.push(spot);
    ctx.fillStyle = theme.halo;
    ctx.fillRect(spot.x, spot.y, spot.w, spot.h);
    ctx.fillStyle = theme.text;
    ctx.fillText(text, box.x + box.w / 2, spot.y + size);
  }
}
