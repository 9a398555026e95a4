// One graph on the screen: canvases, camera, mouse and touch. The picture is painted in slices of
// a few milliseconds into a spare canvas; until it is done, the last finished one is shown moved
// and scaled, so that panning and zooming stay smooth whatever the size of the graph.

import { noMarks, paint, type Marks } from '../draw/paint';
import { pick, shownBox, type Hit, type Rect, type Scene } from '../draw/scene';
import { outline, polyline, rounded } from '../draw/shapes';
import type { Theme } from '../draw/theme';
import { signSpot } from '../layout/face';
import { between, fit, toScreen, toWorld, visible, zoomAt, type Camera, type Size } from './camera';

export interface ViewEvents {
  select(hit: Hit): void;
  toggle(item: number): void;
  hover(hit: Hit, x: number, y: number): void;
  moved(): void;
}

/** Milliseconds of painting per frame, and when frames come late. */
const sliceMs = 7;
const lateSliceMs = 3;
const lateMs = 24;
const glideMs = 260;

export class GraphView {
  readonly canvas: HTMLCanvasElement;
  scene: Scene | null = null;
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  size: Size = { w: 1, h: 1 };
  selected: Hit = null;
  hovered: Hit = null;
  /** Pictures finished and frames shown, for the performance test. */
  readonly counts = { frames: 0, pictures: 0 };

  private marks_: Marks = noMarks;
  private theme_: Theme;
  private readonly ctx_: CanvasRenderingContext2D;
  private front_: { canvas: HTMLCanvasElement; camera: Camera } | null = null;
  private back_: HTMLCanvasElement = document.createElement('canvas');
  private job_: { steps: Generator<void>; camera: Camera } | null = null;
  private stale_ = true;
  private frame_ = 0;
  private last_ = 0;
  private late_ = false;
  private glide_: { from: Camera; to: Camera; start: number } | null = null;
  private readonly minimap_: HTMLCanvasElement;
  private overview_: HTMLCanvasElement | null = null;
  private readonly events_: ViewEvents;

  constructor(readonly host: HTMLElement, theme: Theme, events: ViewEvents) {
    this.theme_ = theme;
    this.events_ = events;
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', 'Graph. Arrow keys follow edges, Enter opens and closes, question mark lists all keys.');
    this.minimap_ = document.createElement('canvas');
    this.minimap_.className = 'minimap';
    this.minimap_.hidden = true;
    this.minimap_.setAttribute('aria-hidden', 'true');
    host.append(this.canvas, this.minimap_);
    this.ctx_ = this.canvas.getContext('2d', { alpha: false })!;
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.listen();
  }

  show(scene: Scene | null): void {
    this.scene = scene;
    this.overview_ = null;
    this.redraw();
  }

  setMarks(marks: Marks): void { this.marks_ = marks; this.overview_ = null; this.redraw(); }
  setTheme(theme: Theme): void { this.theme_ = theme; this.overview_ = null; this.redraw(); }
  get marks(): Marks { return this.marks_; }

  /** Something of the picture changed. */
  redraw(): void {
    this.stale_ = true;
    this.job_ = null;
    this.request();
  }

  setCamera(camera: Camera, glide = false): void {
    if (glide && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.glide_ = { from: this.camera, to: camera, start: performance.now() };
    } else {
      this.glide_ = null;
      this.camera = camera;
      this.events_.moved();
    }
    this.request();
  }

  fit(glide = true): void {
    if (this.scene !== null) this.setCamera(fit({ x: 0, y: 0, w: this.scene.w, h: this.scene.h }, this.size), glide);
  }

  /** Everything, or of a long narrow graph its upper end at a size that can be read. */
  begin(): void {
    const scene = this.scene;
    if (scene === null) return;
    const whole = fit({ x: 0, y: 0, w: scene.w, h: scene.h }, this.size);
    const across = Math.min((this.size.w - 40) / Math.max(scene.w, 1), 0.85);
    if (whole.zoom >= 0.5 || across < 0.45) this.setCamera(whole);
    else this.setCamera({ x: scene.w / 2, y: (this.size.h / 2 - 50) / across, zoom: across });
  }

  /** Brings an item or edge, or what hides it, into sight; nearer only if it is too small. */
  focus(hit: Hit, glide = true): void {
    const rect = this.rectOf(hit);
    if (rect === null) return;
    const whole = fit({ x: rect.x - 40, y: rect.y - 40, w: rect.w + 80, h: rect.h + 80 }, this.size, 1.2);
    const zoom = rect.w * this.camera.zoom > this.size.w || rect.h * this.camera.zoom > this.size.h ? whole.zoom : Math.min(Math.max(this.camera.zoom, 0.8), Math.max(whole.zoom, 0.05));
    this.setCamera({ x: rect.x + rect.w / 2, y: rect.y + rect.h / 2, zoom }, glide);
  }

  rectOf(hit: Hit): Rect | null {
    const scene = this.scene;
    if (scene === null || hit === null) return null;
    if ('item' in hit) return hit.item === 0 ? { x: 0, y: 0, w: scene.w, h: scene.h } : shownBox(scene, hit.item) ?? null;
    const line = scene.lineOf[hit.edge]!;
    if (line < 0) return shownBox(scene, scene.model.edges[hit.edge]!.holder) ?? null;
    const [x, y, right, bottom] = scene.bounds.subarray(line * 4, line * 4 + 4) as unknown as [number, number, number, number];
    return { x, y, w: right - x, h: bottom - y };
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.host;
    const ratio = window.devicePixelRatio || 1;
    this.size = { w: Math.max(w, 1), h: Math.max(h, 1) };
    for (const canvas of [this.canvas, this.back_]) {
      canvas.width = Math.max(1, Math.round(w * ratio));
      canvas.height = Math.max(1, Math.round(h * ratio));
    }
    this.front_ = null;
    this.redraw();
  }

  private request(): void {
    if (this.frame_ === 0) this.frame_ = requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.frame_ = 0;
    this.counts.frames++;
    this.late_ = now - this.last_ > lateMs && now - this.last_ < 200;
    this.last_ = now;
    if (this.glide_ !== null) {
      const t = Math.min(1, (now - this.glide_.start) / glideMs);
      this.camera = between(this.glide_.from, this.glide_.to, t * (2 - t));
      if (t >= 1) { this.camera = this.glide_.to; this.glide_ = null; }
      this.events_.moved();
    }
    this.work();
    this.compose();
    if (this.glide_ !== null || this.job_ !== null || this.stale_ || !same(this.front_?.camera, this.camera)) this.request();
  }

  /** Paints for a slice of time. A picture that was begun is finished, even when the camera moved on. */
  private work(): void {
    if (this.scene === null) return;
    const until = performance.now() + (this.late_ ? lateSliceMs : sliceMs);
    if (this.job_ === null) {
      if (!this.stale_ && same(this.front_?.camera, this.camera)) return;
      this.stale_ = false;
      this.job_ = { steps: this.start(this.back_, this.camera), camera: this.camera };
    }
    const { steps, camera } = this.job_;
    const ctx = spare(this.back_);
    do {
      const { done } = steps.next();
      // Browsers only note drawing calls down and do the work later, all at once. Reading a pixel
      // makes them do it now, so that a slice is as long as it looks.
      ctx.getImageData(0, 0, 1, 1);
      if (done === true) {
        const old = this.front_?.canvas ?? document.createElement('canvas');
        this.front_ = { canvas: this.back_, camera };
        old.width = this.back_.width;
        old.height = this.back_.height;
        this.back_ = old;
        this.job_ = null;
        this.counts.pictures++;
        return;
      }
    } while (performance.now() < until);
  }

  private start(canvas: HTMLCanvasElement, camera: Camera): Generator<void> {
    const ctx = spare(canvas);
    const ratio = canvas.width / this.size.w;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = this.theme_.background;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    const s = camera.zoom * ratio;
    ctx.setTransform(s, 0, 0, s, canvas.width / 2 - camera.x * s, canvas.height / 2 - camera.y * s);
    return paint(ctx, this.scene!, {
      theme: this.theme_, zoom: camera.zoom, view: visible(camera, this.size), marks: this.marks_, labels: true,
    });
  }

  private compose(): void {
    const ctx = this.ctx_;
    const { width, height } = this.canvas;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = this.theme_.background;
    ctx.fillRect(0, 0, width, height);
    if (this.scene === null) return;
    const front = this.front_;
    if (front === null) return;
    const k = this.camera.zoom / front.camera.zoom;
    const ratio = width / this.size.w;
    const s = this.camera.zoom * ratio;
    const dx = (front.camera.x - this.camera.x) * s + (width / 2) * (1 - k);
    const dy = (front.camera.y - this.camera.y) * s + (height / 2) * (1 - k);
    const covers = dx <= 0.5 && dy <= 0.5 && dx + width * k >= width - 0.5 && dy + height * k >= height - 0.5;
    if (!covers) {
      // Under the moved picture, a coarse one of everything, so that no border shows blank.
      this.makeOverview();
      if (this.overview_ !== null) {
        ctx.setTransform(s, 0, 0, s, width / 2 - this.camera.x * s, height / 2 - this.camera.y * s);
        ctx.imageSmoothingEnabled = false;
        ctx.drawImage(this.overview_, 0, 0, this.scene.w, this.scene.h);
        ctx.imageSmoothingEnabled = true;
        ctx.setTransform(1, 0, 0, 1, 0, 0);
      }
    }
    ctx.drawImage(front.canvas, dx, dy, width * k, height * k);
    ctx.setTransform(s, 0, 0, s, width / 2 - this.camera.x * s, height / 2 - this.camera.y * s);
    this.paintHit(this.hovered, this.theme_.hover, 2);
    this.paintHit(this.selected, this.theme_.select, 3);
    this.paintMinimap();
  }

  private paintHit(hit: Hit, colour: string, width: number): void {
    const scene = this.scene;
    if (scene === null || hit === null) return;
    const ctx = this.ctx_;
    ctx.strokeStyle = colour;
    ctx.lineWidth = Math.max(width, width / this.camera.zoom);
    ctx.beginPath();
    if ('edge' in hit) {
      const line = scene.lines[scene.lineOf[hit.edge]!];
      if (line === undefined) return;
      polyline(ctx, line.points, 14);
    } else {
      const box = shownBox(scene, hit.item);
      if (box === undefined) return;
      const face = scene.faces(box.item);
      if (box.open) rounded(ctx, box.x, box.y, box.w, box.h, 8);
      else outline(ctx, face.shape, box.x, box.y, box.w, box.h);
    }
    ctx.stroke();
  }

  private makeOverview(): void {
    const scene = this.scene;
    if (this.overview_ !== null || scene === null || scene.w === 0) return;
    const most = 420;
    const k = Math.min(most / scene.w, most / scene.h, 1);
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.ceil(scene.w * k));
    canvas.height = Math.max(1, Math.ceil(scene.h * k));
    const ctx = canvas.getContext('2d')!;
    ctx.fillStyle = this.theme_.background;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.setTransform(k, 0, 0, k, 0, 0);
    // Boxes only: at this size nothing else can be seen.
    const { boxes, fills } = scene;
    for (let i = 0; i < boxes.length;) {
      const box = boxes[i]!;
      const mark = this.marks_.items.get(box.item);
      ctx.fillStyle = mark?.fill ?? (box.open ? this.theme_.fills[fills[i]!] : this.theme_.borders[fills[i]!]);
      if (!(box.open && scene.faces(box.item).shape === 'scope')) ctx.fillRect(box.x, box.y, Math.max(box.w, 1 / k), Math.max(box.h, 1 / k));
      i = box.w * k < 2 ? box.end : i + 1;
    }
    this.overview_ = canvas;
  }

  private minimapScale(): number {
    const scene = this.scene!;
    return Math.min(170 / scene.w, 120 / scene.h);
  }

  private paintMinimap(): void {
    const scene = this.scene!;
    const seen = visible(this.camera, this.size);
    const all = seen.x <= 0 && seen.y <= 0 && seen.x + seen.w >= scene.w && seen.y + seen.h >= scene.h;
    this.minimap_.hidden = all || this.size.w < 420;
    if (this.minimap_.hidden) return;
    this.makeOverview();
    const k = this.minimapScale();
    const [w, h] = [Math.max(8, Math.round(scene.w * k)), Math.max(8, Math.round(scene.h * k))];
    const ratio = window.devicePixelRatio || 1;
    if (this.minimap_.width !== w * ratio || this.minimap_.height !== h * ratio) {
      this.minimap_.width = w * ratio;
      this.minimap_.height = h * ratio;
      this.minimap_.style.width = `${w}px`;
      this.minimap_.style.height = `${h}px`;
    }
    const ctx = this.minimap_.getContext('2d')!;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.overview_ !== null) ctx.drawImage(this.overview_, 0, 0, w, h);
    ctx.strokeStyle = this.theme_.select;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(seen.x * k, seen.y * k, Math.max(3, seen.w * k), Math.max(3, seen.h * k));
  }

  private at(event: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private hit(px: number, py: number): Hit {
    if (this.scene === null) return null;
    const [x, y] = toWorld(this.camera, this.size, px, py);
    return pick(this.scene, x, y, 5 / this.camera.zoom);
  }

  private listen(): void {
    const pointers = new Map<number, [number, number]>();
    let travelled = 0;
    const canvas = this.canvas;
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : 1;
      const [px, py] = this.at(event);
      if (event.shiftKey && !event.ctrlKey) {
        const d = (event.deltaY || event.deltaX) * unit;
        this.setCamera({ ...this.camera, x: this.camera.x + d / this.camera.zoom });
      } else {
        const factor = Math.exp(-Math.max(-120, Math.min(120, event.deltaY * unit)) * (event.ctrlKey ? 0.01 : 0.0022));
        this.setCamera(zoomAt(this.camera, this.size, px, py, factor));
      }
    }, { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, this.at(event));
      travelled = 0;
    });
    canvas.addEventListener('pointermove', (event) => {
      const now = this.at(event);
      const before = pointers.get(event.pointerId);
      if (before === undefined) {
        const hit = this.hit(...now);
        if (!sameHit(hit, this.hovered)) { this.hovered = hit; this.request(); }
        const box = canvas.getBoundingClientRect();
        this.events_.hover(hit, now[0] + box.left, now[1] + box.top);
        return;
      }
      travelled += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other !== undefined) {
        const factor = Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1]));
        this.setCamera(zoomAt(this.camera, this.size, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2, factor));
      } else if (travelled > 3) {
        const z = this.camera.zoom;
        this.setCamera({ x: this.camera.x - (now[0] - before[0]) / z, y: this.camera.y - (now[1] - before[1]) / z, zoom: z });
        canvas.classList.add('dragging');
      }
      pointers.set(event.pointerId, now);
    });
    const up = (event: PointerEvent): void => {
      const known = pointers.delete(event.pointerId);
      canvas.classList.remove('dragging');
      if (!known || travelled > 3 || event.type !== 'pointerup') return;
      const hit = this.hit(...this.at(event));
      if (hit !== null && 'item' in hit && this.onToggle(hit.item, ...this.at(event))) this.events_.toggle(hit.item);
      else this.events_.select(hit);
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', () => {
      this.hovered = null;
      this.events_.hover(null, 0, 0);
      this.request();
    });
    canvas.addEventListener('dblclick', (event) => {
      const hit = this.hit(...this.at(event));
      if (hit !== null && 'item' in hit && !this.onToggle(hit.item, ...this.at(event))) this.events_.toggle(hit.item);
    });
    let steering = false;
    const steer = (event: PointerEvent): void => {
      if (!steering || this.scene === null) return;
      const box = this.minimap_.getBoundingClientRect();
      const k = this.minimapScale();
      this.setCamera({ x: (event.clientX - box.left) / k, y: (event.clientY - box.top) / k, zoom: this.camera.zoom });
    };
    this.minimap_.addEventListener('pointerdown', (event) => {
      steering = true;
      this.minimap_.setPointerCapture(event.pointerId);
      steer(event);
    });
    this.minimap_.addEventListener('pointermove', steer);
    this.minimap_.addEventListener('pointerup', () => { steering = false; });
  }

  /** Whether a pixel is on the small sign that opens and closes. */
  private onToggle(item: number, px: number, py: number): boolean {
    const scene = this.scene!;
    const box = scene.boxes[scene.boxOf[item]!];
    if (box === undefined || scene.model.items[item]!.children.length === 0) return false;
    const face = scene.faces(item);
    if (box.open && face.shape === 'scope') return false;
    const sign = signSpot(face, box, box.open);
    const [x, y] = toScreen(this.camera, this.size, sign.x, sign.y);
    return this.camera.zoom > 0.4 && Math.abs(px - x) <= 8 * this.camera.zoom && Math.abs(py - y) <= 8 * this.camera.zoom;
  }
}

/** The spare canvas is painted by the processor: that can be done in slices. */
function spare(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  return canvas.getContext('2d', { alpha: false, willReadFrequently: true })!;
}

export function sameHit(a: Hit, b: Hit): boolean {
  if (a === null || b === null) return a === b;
  return 'item' in a ? 'item' in b && a.item === b.item : 'edge' in b && a.edge === b.edge;
}

function same(a: Camera | undefined, b: Camera): boolean {
  return a !== undefined && a.x === b.x && a.y === b.y && a.zoom === b.zoom;
}
