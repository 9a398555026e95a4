// Chooses who lays out a graph, and remembers the answers: a problem is plain data, so its text is
// the key, and collapsing one scope or stepping through a history solves only what is new.

import type { ELK } from 'elkjs/lib/elk-api';
import { elkLayout } from './elk';
import { layered } from './layered';
import type { Problem, Solution } from './problem';
import type { Solve } from './tree';

const remembered = 4000;

export function makeSolve(elk: Pick<ELK, 'layout'>): Solve {
  const memory = new Map<string, Promise<Solution>>();
  return async (problem, quick) => {
    // What is quick to solve is not worth the memory when it is big.
    if (problem.nodes.length === 0 || isChain(problem) || (quick && problem.nodes.length > 500)) return layered(problem);
    const key = (quick ? 'q' : 'e') + JSON.stringify(problem);
    let answer = memory.get(key);
    if (answer === undefined) {
      answer = quick ? Promise.resolve(layered(problem)) : elkLayout(elk, problem).catch(() => layered(problem));
      memory.set(key, answer);
      if (memory.size > remembered) memory.delete(memory.keys().next().value!);
    }
    return structuredClone(await answer);
  };
}

/** One node below the other: ELK would do the same, more slowly. */
function isChain({ nodes, edges }: Problem): boolean {
  if (edges.length !== nodes.length - 1) return false;
  const above = new Set<number>();
  const below = new Set<number>();
  for (const e of edges) {
    if (e.lw > 0 || e.from >= e.to || above.has(e.to) || below.has(e.from)) return false;
    above.add(e.to);
    below.add(e.from);
  }
  return nodes.every((node) => node.inAt === null && node.outAt === null && node.ins <= 1 && node.outs <= 1);
}
