// One opened SDFG: its model, what is open in it, and its picture.

import { makeScene, type Scene } from './draw/scene';
import type { Layout } from './layout/client';
import { faceOf, type Face } from './layout/face';
import { firstOpen, treeOf } from './layout/tree';
import { buildModel, type Model } from './model/model';
import type { JsonObject } from './model/json';

export class Doc {
  readonly model: Model;
  readonly first: ReadonlySet<number>;
  open: Set<number>;
  scene: Scene | null = null;
  private readonly faces_ = new Map<number, Face>();
  private turn_ = 0;

  constructor(root: JsonObject, name: string) {
    this.model = buildModel(root, name);
    this.first = firstOpen(this.model);
    this.open = new Set(this.first);
  }

  readonly face = (id: number): Face => {
    let face = this.faces_.get(id);
    if (face === undefined) this.faces_.set(id, (face = faceOf(this.model, this.model.items[id]!)));
    return face;
  };

  /** The picture of what is open now; null when another call came in between. */
  async lay(layout: Layout): Promise<Scene | null> {
    const turn = ++this.turn_;
    const placed = await layout(treeOf(this.model, this.face, this.open));
    if (turn !== this.turn_) return null;
    this.scene = makeScene(this.model, this.face, placed);
    return this.scene;
  }
}
