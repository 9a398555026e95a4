// Asks the layout worker, and does the work here where a page may not start one.

import { layered } from './layered';
import { layoutTree, type Placed, type Tree } from './tree';
import type { Reply, Request } from './worker';
import LayoutWorker from './worker?worker&inline';

export type Layout = (tree: Tree) => Promise<Placed>;

export function startLayout(): Layout {
  const waiting = new Map<number, { resolve: (placed: Placed) => void; tree: Tree }>();
  const here = (tree: Tree): Promise<Placed> => layoutTree(tree, async (problem) => layered(problem));
  let next = 0;
  let worker: Worker | null = null;
  const giveUp = (): void => {
    worker = null;
    for (const { resolve, tree } of waiting.values()) void here(tree).then(resolve);
    waiting.clear();
  };
  try {
    worker = new LayoutWorker();
    worker.onerror = giveUp;
    worker.onmessage = (event: MessageEvent<Reply>) => {
      const reply = event.data;
      const waiter = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (waiter === undefined) return;
      if ('placed' in reply) waiter.resolve(reply.placed);
      else void here(waiter.tree).then(waiter.resolve);
    };
  } catch {
    giveUp();
  }
  return (tree) => {
    if (worker === null) return here(tree);
    const request: Request = { id: next++, tree };
    return new Promise((resolve) => {
      waiting.set(request.id, { resolve, tree });
      try {
        worker!.postMessage(request);
      } catch {
        // Graphs that nest many thousands deep cannot be sent.
        waiting.delete(request.id);
        void here(tree).then(resolve);
      }
    });
  };
}
