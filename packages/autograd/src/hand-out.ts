import type { Allocator, DataBuffer } from "@sw/buffer";
import type { Layout } from "@sw/layout";
import type { DType, Tensor } from "@sw/tensor";
import { COPY, type GradNode, runLoops } from "@sw/tensor/seam";
import type { Arrived, Reached } from "./engine.js";
import { gradientLayout, makeIn, sameLayout } from "./gradient-layout.js";
import { quietly, releaseAll } from "./scratch.js";

/** A copy that is to be made. */
interface Wish {
  readonly memory: Allocator;
  readonly dtype: DType;
  readonly layout: Layout;
  /** Zeros where there is nothing to copy. */
  readonly from: Tensor | undefined;
}

/** Makes copies in memory that stays: all of them, or none. */
export function copies(wishes: readonly Wish[]): Tensor[] {
  const made: Tensor[] = [];
  try {
    for (const { memory, dtype, layout, from } of wishes) {
      const copy = makeIn(memory, dtype, layout, { zero: from === undefined });
      made.push(copy);
      if (from !== undefined) runLoops(COPY, [copy], [from]);
    }
  } catch (error) {
    quietly(() => releaseAll(made.map((copy) => () => copy.dispose())));
    throw error;
  }
  return made;
}

/**
 * Copies cotangents of a pass into memory that stays.
 *
 * @param owner - where the copy of each lives.
 */
export function copyOut(reached: readonly Reached[], owner: (node: GradNode) => Allocator): Map<GradNode, Tensor> {
  const made = copies(
    reached.map(([node, from]) => ({ memory: owner(node), dtype: node.dtype, layout: gradientLayout(node), from })),
  );
  return new Map(reached.map(([node], i) => [node, made[i] as Tensor]));
}

/** Copies what a pass arrived at for some nodes, each another; zeros for those that it did not reach. */
export function copyOrZeros(nodes: readonly GradNode[], reached: readonly Reached[], memory: Allocator): Tensor[] {
  const found = new Map(reached);
  return copies(
    nodes.map((node) => ({ memory, dtype: node.dtype, layout: gradientLayout(node), from: found.get(node) })),
  );
}

/**
 * Gives the cotangents of a pass that wrote its own history, with that history. One is given as it is only where the
 * pass made its memory, no other is in it, and it lies as a gradient does; copies have a record.
 */
export function withHistory({ reached, scratch }: Pick<Arrived, "reached" | "scratch">): Map<GradNode, Tensor> {
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
