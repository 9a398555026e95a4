// What is written on an item, and in which of DaCe's shapes. Layout measures faces, draw paints
// them.

import { isEntry, isExit, isRegionKind, descriptorOf, type Item, type Model } from '../model/model';
import { asArray, asObject, asText, type JsonObject } from '../model/json';
import { attributes, code, loopText, plain, rangeText, shorten } from '../model/text';
import { codeWidth, textWidth } from './measure';

export type Shape =
  | 'ellipse' | 'octagon' | 'entry' | 'exit' | 'scope' | 'page' | 'nested' | 'state' | 'region' | 'loop'
  | 'conditional' | 'branch' | 'jump' | 'plain';

export interface Face {
  shape: Shape;
  title: string;
  code: string[];      // in a fixed-width face below the title
  caption: string;     // small, below
  header: string;      // of an open container
  outline: 'thin' | 'bold' | 'dashed' | 'dotted';
  mark: '' | 'view' | 'reference' | 'stream';
  ins: string[];       // connectors with an own place
  outs: string[];
  holds: boolean;      // can be opened
}

export const titleSize = 12;
export const codeSize = 9.5;
export const captionSize = 9;
export const headerHeight = 24;
export const pad = 14;

const codeLines = 6;
const codeColumns = 44;

export function faceOf(model: Model, item: Item): Face {
  const own = attributes(item.json);
  const face: Face = {
    shape: 'plain', title: item.label || item.kind, code: [], caption: '', header: '', outline: 'thin', mark: '', ins: [], outs: [],
    holds: item.children.length > 0,
  };
  if (item.kind === 'AccessNode') accessFace(model, item, own, face);
  else if (item.kind === 'Scope' || isEntry(item.kind)) scopeFace(model, item, own, face);
  else if (isExit(item.kind)) { face.shape = 'exit'; face.title = item.label; }
  else if (item.kind === 'Tasklet') taskletFace(own, face);
  else if (item.kind === 'LibraryNode' || item.kind === 'Reduce') libraryFace(item, own, face);
  else if (item.kind === 'NestedSDFG' || item.kind === 'ExternalNestedSDFG') nestedFace(model, item, own, face);
  else blockFace(item, own, face);
  if (item.kind !== 'AccessNode' && !['state', 'region', 'loop', 'conditional', 'branch', 'jump'].includes(face.shape)) {
    face.ins = connectors(own['in_connectors']);
    if (face.shape !== 'scope') face.outs = connectors(own['out_connectors']);
  }
  return face;
}

function connectors(value: unknown): string[] {
  if (Array.isArray(value)) return value.map((v) => asText(v));
  return Object.keys(asObject(value as JsonObject));
}

function accessFace(model: Model, item: Item, own: JsonObject, face: Face): void {
  const data = asText(own['data']) || item.label;
  const descriptor = descriptorOf(model, item.sdfg, data);
  const d = descriptor === undefined ? {} : attributes(descriptor);
  const type = asText(descriptor?.['type']);
  face.shape = 'ellipse';
  face.title = data;
  face.outline = d['transient'] === true ? 'dashed' : 'bold';
  if (type.includes('View')) face.mark = 'view';
  if (type.includes('Reference')) face.mark = 'reference';
  if (type.startsWith('Stream')) face.mark = 'stream';
  const notes = [asText(d['storage']), asText(d['lifetime'])].filter((t) => t !== '' && t !== 'Default' && t !== 'Scope');
  if (face.mark !== '') notes.unshift(face.mark);
  face.caption = notes.join(' · ');
}

function scopeFace(model: Model, item: Item, own: JsonObject, face: Face): void {
  face.shape = item.kind === 'Scope' ? 'scope' : 'entry';
  const kind = asText(item.json['type']);
  const params = asArray(own['params']).map(asText);
  const ranges = asArray(asObject(own['range'])['ranges']).map(rangeText);
  const pairs = params.map((p, i) => `${p}=${ranges[i] ?? '?'}`);
  face.title = `${item.label}[${pairs.join(', ')}]`;
  if (kind.startsWith('Consume')) {
    face.title = `${item.label}[${asText(own['pe_index'])}=0:${plain(own['num_pes'] ?? '1')}]`;
    face.outline = 'dashed';
  }
  face.title = shorten(face.title, 90);
  const schedule = asText(own['schedule']);
  face.caption = schedule === '' || schedule === 'Default' ? '' : schedule;
  if (item.kind === 'Scope') {
    face.caption = [face.caption, `${item.descendants} nodes`].filter((t) => t !== '').join(' · ');
    const exit = item.exit < 0 ? undefined : model.items[item.exit];
    face.outs = exit === undefined ? [] : connectors(attributes(exit.json)['out_connectors']);
  }
}

function taskletFace(own: JsonObject, face: Face): void {
  face.shape = 'octagon';
  const lines = code(own['code']).split('\n').map((l) => l.replace(/\t/g, '  ').trimEnd()).filter((l) => l !== '');
  face.code = lines.slice(0, codeLines).map((l) => shorten(l, codeColumns));
  if (lines.length > codeLines) face.code[codeLines - 1] = `… ${lines.length - codeLines + 1} more lines`;
  if (own['side_effects'] === true) face.caption = 'side effects';
}

function libraryFace(item: Item, own: JsonObject, face: Face): void {
  face.shape = 'page';
  const type = asText(item.json['classpath']).replace(/^.*\./, '');
  if (type !== '' && !item.label.startsWith(type)) face.caption = type;
  const implementation = asText(own['implementation']);
  if (implementation !== '') face.caption = [face.caption, implementation].filter((t) => t !== '').join(' · ');
}

function nestedFace(model: Model, item: Item, own: JsonObject, face: Face): void {
  face.shape = 'nested';
  face.header = face.title;
  const external = asText(own['ext_sdfg_path']);
  const blocks = item.children.length;
  face.caption = blocks === 0 && external !== '' ? shorten(external, 40) : `SDFG, ${blocks} block${blocks === 1 ? '' : 's'}, ${item.descendants} elements`;
  void model;
}

function blockFace(item: Item, own: JsonObject, face: Face): void {
  face.header = face.title;
  switch (item.kind) {
    case 'SDFGState':
    case 'State':
      face.shape = 'state';
      face.caption = item.descendants === 0 ? 'empty' : `${item.descendants} elements`;
      return;
    case 'LoopRegion':
      face.shape = 'loop';
      face.header = shorten(loopText(own), 100);
      face.code = [shorten(loopText(own), 60)];
      face.caption = `${item.descendants} elements`;
      return;
    case 'ConditionalBlock':
      face.shape = 'conditional';
      face.caption = `${item.children.length} branch${item.children.length === 1 ? '' : 'es'}, ${item.descendants} elements`;
      return;
    case 'BreakBlock': case 'ContinueBlock': case 'ReturnBlock':
      face.shape = 'jump';
      face.title = item.kind.replace('Block', '').toLowerCase();
      return;
    default:
      if (!isRegionKind(item.kind)) { face.caption = item.kind; return; }
      face.shape = item.condition === '' ? 'region' : 'branch';
      if (item.condition !== '') { face.header = shorten(item.condition, 90); face.title = shorten(item.condition, 50); }
      face.caption = `${item.kind === 'SDFG' ? 'SDFG' : item.kind.replace('ControlFlowRegion', 'region')}, ${item.descendants} elements`;
  }
}

/** The size of an item that is shown closed. */
export function faceSize(face: Face): { w: number; h: number } {
  const caption = face.caption === '' ? 0 : textWidth(face.caption, captionSize);
  let w = Math.max(textWidth(face.title, titleSize), caption);
  let h = 18 + (face.caption === '' ? 0 : 12);
  for (const line of face.code) { w = Math.max(w, codeWidth(line, codeSize)); h += 12; }
  if (face.code.length > 0) h += 4;
  switch (face.shape) {
    case 'ellipse': w = w * 1.12 + (face.mark === '' ? 26 : 36); h += face.mark === '' ? 12 : 18; break;
    case 'octagon': w += 26; h += 10; break;
    case 'entry': case 'exit': w += 56; h += 8; break;
    case 'scope': w += 60; h += 18; break;
    case 'page': case 'nested': w += 30; h += 14; break;
    default: w += 28; h += 14;
  }
  if (face.holds) w += 20;
  const ports = Math.max(face.ins.length, face.outs.length);
  return { w: Math.ceil(Math.max(w, 40, 12 * (ports + 1))), h: Math.ceil(h) };
}

export function headerWidth(face: Face): number {
  return face.header === '' ? 0 : Math.ceil(textWidth(face.header, titleSize)) + 46;
}

/** The middle of the small sign that opens or closes an item. */
export function signSpot(face: Face, box: { x: number; y: number; h: number }, open: boolean): { x: number; y: number } {
  if (open) return { x: box.x + 13, y: box.y + headerHeight / 2 + 1 };
  return { x: box.x + (face.shape === 'scope' ? Math.min(box.h * 0.7, 30) + 4 : 14), y: box.y + box.h / 2 };
}
