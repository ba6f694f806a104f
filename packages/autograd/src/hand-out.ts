import type { Allocator, DataBuffer } from "@sw/buffer";
import type { Tensor } from "@sw/tensor";
import { COPY, type GradNode, runLoops } from "@sw/tensor/seam";
import type { Arrived, Reached } from "./engine.js";
import { gradientLayout, makeIn, sameLayout } from "./gradient-layout.js";
import { quietly, releaseAll } from "./scratch.js";

/**
 * Copies cotangents of a pass into memory that stays: all of them, or none.
 *
 * @param owner - where the copy of each lives.
 */
export function copyOut(reached: readonly Reached[], owner: (node: GradNode) => Allocator): Map<GradNode, Tensor> {
  const copies = new Map<GradNode, Tensor>();
  try {
    for (const [node, cotangent] of reached) {
      const copy = makeIn(owner(node), node.dtype, gradientLayout(node));
      copies.set(node, copy);
      runLoops(COPY, [copy], [cotangent]);
    }
  } catch (error) {
    quietly(() => releaseAll([...copies.values()].map((copy) => () => copy.dispose())));
    throw error;
  }
  return copies;
}

/**
 * Gives the cotangents of a pass that wrote its own history, with that history. One is given as it is only where the
 * pass made its memory, no other is in it, and it lies as a gradient does; copies have a record.
 */
export function withHistory({ reached, scratch }: Arrived): Map<GradNode, Tensor> {
  const given = new Map<GradNode, Tensor>();
  const taken = new Set<DataBuffer>();
  for (const [node, cotangent] of reached) {
    const layout = gradientLayout(node);
    const { buffer } = cotangent;
    const own = scratch.of(cotangent) !== undefined && !taken.has(buffer) && sameLayout(cotangent.layout, layout);
    taken.add(buffer);
    given.set(node, own ? cotangent : cotangent.toLayout(layout));
  }
  return given;
}
