// One graph to be laid out, as plain numbers. Nested graphs are laid out inside out: the size of
// an inner graph is the size of a node of the outer one.

export type Pin = 'first' | 'last' | 'none';

export interface ProblemNode {
  w: number;
  h: number;
  ins: number;           // ports on the upper side
  outs: number;          // ports on the lower side
  inAt: number[] | null;   // where they are, when that is decided already
  outAt: number[] | null;
  pin: Pin;
}

export interface ProblemEdge { from: number; fromPort: number; to: number; toPort: number; lw: number; lh: number }

export interface Problem { nodes: ProblemNode[]; edges: ProblemEdge[]; gap: number }

export interface Solution {
  w: number;
  h: number;
  x: number[];
  y: number[];
  inAt: number[][];      // port positions, from the left of their node
  outAt: number[][];
  lines: number[][];     // x, y, x, y, … from the source to the target
  labels: ([number, number] | null)[];   // upper left corners
}

/** Ports spread evenly over a side. */
export function spread(count: number, width: number): number[] {
  return Array.from({ length: count }, (_, i) => (width * (i + 1)) / (count + 1));
}
