// Layout off the main thread. ELK, when it finds itself in a worker, takes the worker's messages;
// they are taken back below, after it has been made.

import ELK from 'elkjs/lib/elk.bundled.js';
import { makeSolve } from './solve';
import { layoutTree, type Placed, type Tree } from './tree';

export interface Request { id: number; tree: Tree }
export type Reply = { id: number; placed: Placed } | { id: number; error: string };

const solve = makeSolve(new ELK());

self.onmessage = async (event: MessageEvent<Request>) => {
  const { id, tree } = event.data;
  let reply: Reply;
  try {
    reply = { id, placed: await layoutTree(tree, solve) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(reply);
};
