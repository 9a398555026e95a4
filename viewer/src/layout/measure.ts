// Widths of text without a browser, so that layout is a pure function: the advance widths of
// Helvetica, which Arial and Liberation Sans share, in thousandths of the font size.

const narrow: Record<string, number> = {
  ' ': 278, '!': 278, '"': 355, "'": 191, '(': 333, ')': 333, '*': 389, ',': 278, '-': 333, '.': 278, '/': 278,
  ':': 278, ';': 278, '[': 278, '\\': 278, ']': 278, '{': 334, '|': 260, '}': 334, I: 278, J: 500, c: 500, f: 278,
  i: 222, j: 222, k: 500, l: 222, r: 333, s: 500, t: 278, v: 500, x: 500, y: 500, z: 500,
};
const wide: Record<string, number> = {
  '%': 889, '&': 667, '+': 584, '<': 584, '=': 584, '>': 584, '@': 1015, A: 667, B: 667, C: 722, D: 722, E: 667,
  F: 611, G: 778, H: 722, K: 667, L: 556, M: 833, N: 722, O: 778, P: 667, Q: 778, R: 722, S: 667, T: 611, U: 722,
  V: 667, W: 944, X: 667, Y: 667, Z: 611, m: 833, w: 722, '…': 1000, '→': 1000, '⊞': 900,
};

export const sans = '"Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif';
export const mono = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

export function textWidth(text: string, size: number): number {
  let sum = 0;
  for (const char of text) sum += narrow[char] ?? wide[char] ?? 556;
  return (sum * size) / 1000;
}

export function codeWidth(text: string, size: number): number {
  return text.length * size * 0.603;
}
