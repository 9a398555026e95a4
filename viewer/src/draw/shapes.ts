// Outlines. Each adds one closed path; DaCe's shapes, so that its users feel at home.

import type { Shape } from '../layout/face';
import type { Context } from './context';

export function outline(ctx: Context, shape: Shape, x: number, y: number, w: number, h: number): void {
  switch (shape) {
    case 'ellipse': ctx.ellipse(x + w / 2, y + h / 2, w / 2, h / 2, 0, 0, 2 * Math.PI); return;
    case 'octagon': octagon(ctx, x, y, w, h, Math.min(9, h / 3)); return;
    case 'entry': polygon(ctx, [x + slant(w, h), y, x + w - slant(w, h), y, x + w, y + h, x, y + h]); return;
    case 'exit': polygon(ctx, [x, y, x + w, y, x + w - slant(w, h), y + h, x + slant(w, h), y + h]); return;
    case 'scope': hexagon(ctx, x, y, w, h, slant(w, h)); return;
    case 'page': polygon(ctx, [x, y, x + w - 10, y, x + w, y + 10, x + w, y + h, x, y + h]); return;
    case 'nested': octagon(ctx, x, y, w, h, 6); return;
    case 'jump': hexagon(ctx, x, y, w, h, h / 2); return;
    default: rounded(ctx, x, y, w, h, 7);
  }
}

function slant(w: number, h: number): number {
  return Math.min(h * 0.7, w / 5);
}

function polygon(ctx: Context, p: number[]): void {
  ctx.moveTo(p[0]!, p[1]!);
  for (let i = 2; i < p.length; i += 2) ctx.lineTo(p[i]!, p[i + 1]!);
  ctx.closePath();
}

function octagon(ctx: Context, x: number, y: number, w: number, h: number, c: number): void {
  polygon(ctx, [x + c, y, x + w - c, y, x + w, y + c, x + w, y + h - c, x + w - c, y + h, x + c, y + h, x, y + h - c, x, y + c]);
}

function hexagon(ctx: Context, x: number, y: number, w: number, h: number, c: number): void {
  polygon(ctx, [x + c, y, x + w - c, y, x + w, y + h / 2, x + w - c, y + h, x + c, y + h, x, y + h / 2]);
}

export function rounded(ctx: Context, x: number, y: number, w: number, h: number, radius: number): void {
  const r = Math.min(radius, w / 2, h / 2);
  ctx.moveTo(x + r, y);
  ctx.lineTo(x + w - r, y);
  ctx.quadraticCurveTo(x + w, y, x + w, y + r);
  ctx.lineTo(x + w, y + h - r);
  ctx.quadraticCurveTo(x + w, y + h, x + w - r, y + h);
  ctx.lineTo(x + r, y + h);
  ctx.quadraticCurveTo(x, y + h, x, y + h - r);
  ctx.lineTo(x, y + r);
  ctx.quadraticCurveTo(x, y, x + r, y);
  ctx.closePath();
}

/** A line through points with rounded corners. */
export function polyline(ctx: Context, p: number[], radius: number): void {
  ctx.moveTo(p[0]!, p[1]!);
  for (let i = 2; i + 3 < p.length; i += 2) {
    const [ax, ay, bx, by, cx, cy] = [p[i - 2]!, p[i - 1]!, p[i]!, p[i + 1]!, p[i + 2]!, p[i + 3]!];
    const [before, after] = [Math.hypot(bx - ax, by - ay), Math.hypot(cx - bx, cy - by)];
    const r = Math.min(radius, before / 2, after / 2);
    if (r < 0.5) { ctx.lineTo(bx, by); continue; }
    ctx.lineTo(bx - ((bx - ax) / before) * r, by - ((by - ay) / before) * r);
    ctx.quadraticCurveTo(bx, by, bx + ((cx - bx) / after) * r, by + ((cy - by) / after) * r);
  }
  ctx.lineTo(p[p.length - 2]!, p[p.length - 1]!);
}

export function arrowHead(ctx: Context, p: number[], size: number): void {
  const [x, y] = [p[p.length - 2]!, p[p.length - 1]!];
  let [dx, dy] = [x - p[p.length - 4]!, y - p[p.length - 3]!];
  const length = Math.hypot(dx, dy);
  if (length === 0) return;
  [dx, dy] = [(dx / length) * size, (dy / length) * size];
  polygon(ctx, [x, y, x - dx - dy * 0.42, y - dy + dx * 0.42, x - dx + dy * 0.42, y - dy - dx * 0.42]);
}
