// Colours. Every colour of the graph is named here once, for light and for dark.

import { asText } from '../model/json';
import { attributes } from '../model/text';
import { descriptorOf, type Item, type Model } from '../model/model';

export interface Theme {
  name: 'light' | 'dark';
  background: string;
  text: string;
  faint: string;         // captions, labels of edges
  halo: string;          // behind texts on lines
  line: string;          // memlets
  order: string;         // empty memlets
  interstate: string;
  outline: string;
  fills: Record<Fill, string>;
  borders: Record<Fill, string>;
  select: string;
  hover: string;
  found: string;
  use: string;
  added: MarkColour;
  removed: MarkColour;
  changed: MarkColour;
  heat: [string, string, string];   // cold, middle, hot
}

export interface MarkColour { fill: string; stroke: string }

export type Fill =
  | 'state' | 'region' | 'loop' | 'conditional' | 'branch' | 'nested' | 'scope' | 'jump' | 'plain'
  | 'data' | 'dataGpu' | 'dataShared' | 'dataRegister' | 'tasklet' | 'library'
  | 'map' | 'mapGpu' | 'mapBlock' | 'mapCpu' | 'mapSequential';

export const light: Theme = {
  name: 'light', background: '#fbfcfe', text: '#1b2430', faint: '#5b6776', halo: '#ffffffd8',
  line: '#56616f', order: '#9aa5b1', interstate: '#3f6fb0', outline: '#303b47',
  fills: {
    state: '#e6eef8', region: '#eff3f0', loop: '#fdf1dc', conditional: '#f1eafa', branch: '#faf6fe', nested: '#ffffff',
    scope: '#3a5a7d0a', jump: '#fbe3df', plain: '#f2f2f2', data: '#ffffff', dataGpu: '#e2f4e6', dataShared: '#d0eef0',
    dataRegister: '#fff4d1', tasklet: '#fffdf2', library: '#ebe4fb', map: '#e4e9ef', mapGpu: '#cfeed7', mapBlock: '#c3e8e6',
    mapCpu: '#d4e3fa', mapSequential: '#ececec',
  },
  borders: {
    state: '#a9c1de', region: '#b5c4b9', loop: '#e0b869', conditional: '#b99bdc', branch: '#cdb8e6', nested: '#8ea3ba',
    scope: '#8ea3ba66', jump: '#d4816f', plain: '#999999', data: '#303b47', dataGpu: '#2b6b3c', dataShared: '#1d6a70',
    dataRegister: '#8a6a14', tasklet: '#6d6540', library: '#6b4fb0', map: '#5d6b7a', mapGpu: '#2b7a43', mapBlock: '#1f7a76',
    mapCpu: '#35629f', mapSequential: '#777777',
  },
  select: '#1668dc', hover: '#1668dc88', found: '#f08c00', use: '#d6336c',
  added: { fill: '#c6f2cf', stroke: '#138a36' }, removed: { fill: '#ffd4d1', stroke: '#c9252d' }, changed: { fill: '#ffeaa6', stroke: '#b07700' },
  heat: ['#2f6db5', '#f4e09a', '#c9252d'],
};

export const dark: Theme = {
  name: 'dark', background: '#14181d', text: '#e6ebf1', faint: '#9aa7b5', halo: '#14181dd0',
  line: '#8c99a8', order: '#5d6875', interstate: '#79a9e8', outline: '#c3ccd6',
  fills: {
    state: '#1d2733', region: '#1e2623', loop: '#2e271a', conditional: '#282133', branch: '#221d2b', nested: '#171c22',
    scope: '#9cc1ea0d', jump: '#43231d', plain: '#2a2a2a', data: '#232b34', dataGpu: '#1c3a26', dataShared: '#173a3d',
    dataRegister: '#3c3216', tasklet: '#2b2920', library: '#2e2647', map: '#2c343d', mapGpu: '#1d472b', mapBlock: '#174542',
    mapCpu: '#20385a', mapSequential: '#333333',
  },
  borders: {
    state: '#3f5876', region: '#475a4e', loop: '#8a6b2c', conditional: '#6c4f94', branch: '#55426f', nested: '#586a7e',
    scope: '#586a7e66', jump: '#a4513f', plain: '#777777', data: '#c3ccd6', dataGpu: '#7ccf92', dataShared: '#6fc8cf',
    dataRegister: '#dcb95a', tasklet: '#b8ad7a', library: '#a993ec', map: '#93a1b1', mapGpu: '#6fc98a', mapBlock: '#66c6c0',
    mapCpu: '#7fadec', mapSequential: '#a0a0a0',
  },
  select: '#4a9eff', hover: '#4a9eff88', found: '#ffa94d', use: '#ff6b9e',
  added: { fill: '#174a26', stroke: '#4ccb6d' }, removed: { fill: '#571f22', stroke: '#ff7b72' }, changed: { fill: '#4d3c0c', stroke: '#e3b341' },
  heat: ['#4b8fe0', '#d9c36a', '#ff5f57'],
};

export function fillOf(model: Model, item: Item, shape: string): Fill {
  switch (shape) {
    case 'ellipse': return dataFill(model, item);
    case 'entry': case 'exit': case 'scope': return mapFill(model, item);
    case 'octagon': return 'tasklet';
    case 'page': return 'library';
    case 'state': case 'region': case 'loop': case 'conditional': case 'branch': case 'nested': case 'jump': return shape;
    default: return 'plain';
  }
}

function dataFill(model: Model, item: Item): Fill {
  const descriptor = descriptorOf(model, item.sdfg, asText(attributes(item.json)['data']));
  const storage = descriptor === undefined ? '' : asText(attributes(descriptor)['storage']);
  if (storage === 'GPU_Shared') return 'dataShared';
  if (storage.startsWith('GPU')) return 'dataGpu';
  return storage === 'Register' ? 'dataRegister' : 'data';
}

function mapFill(model: Model, item: Item): Fill {
  const entry = item.entry >= 0 ? model.items[item.entry]! : item;
  const schedule = asText(attributes(entry.json)['schedule']);
  if (schedule.startsWith('GPU_ThreadBlock')) return 'mapBlock';
  if (schedule.startsWith('GPU')) return 'mapGpu';
  if (schedule.startsWith('CPU')) return 'mapCpu';
  return schedule === 'Sequential' ? 'mapSequential' : 'map';
}

/** A colour between cold and hot, for t in 0..1. */
export function heatColour(theme: Theme, t: number): string {
  const [cold, middle, hot] = theme.heat.map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16))) as [number[], number[], number[]];
  const [a, b, f] = t < 0.5 ? [cold, middle, t * 2] : [middle, hot, t * 2 - 1];
  return '#' + a.map((v, i) => Math.round(v + (b[i]! - v) * f).toString(16).padStart(2, '0')).join('');
}

/** Black or white, whichever can be read on a #rrggbb colour. */
export function inkOn(colour: string): string {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)) as [number, number, number];
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#10161d' : '#ffffff';
}
