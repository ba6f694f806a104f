import { BufferPool, heapMemory } from "@sw/buffer";
import { indexOf, type Layout, rowMajor, tiled } from "@sw/layout";
import { fromBuffer, type Tensor } from "@sw/tensor";
import fc from "fast-check";

/** Every coordinate of a box, row-major. */
function coordinates(box: readonly number[]): number[][] {
  let all: number[][] = [[]];
  for (const extent of box) all = all.flatMap((c) => Array.from({ length: extent }, (_, i) => [...c, i]));
  return all;
}

/** A padded tensor over memory of 7s, its elements 0, 1, 2, … row-major. */
export function padded(l: Layout, box: readonly number[], first = 0): Tensor<"float32"> {
  const buffer = new BufferPool({ source: heapMemory() }).allocate(Math.max(1, l.size) * 4);
  const window = buffer.view(Float32Array).fill(7);
  coordinates(box).forEach((c, ordinal) => {
    window[indexOf(l, c)] = first + ordinal;
  });
  return fromBuffer("float32", buffer, l, 0, box);
}

/** The memory outside of the box. */
export function padding(t: Tensor): number[] {
  const used = new Set(coordinates(t.shape).map((c) => t.offset + indexOf(t.layout, c)));
  return [...t.buffer.view(Float32Array)].filter((_, index) => !used.has(index));
}

const boxes = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 });
/** A box in tiles of its rank, in tiles of tiles, or in a larger flat layout: padded mostly. */
export const paddedBoxes = boxes.chain((box) => {
  const list = (max: number) => fc.array(fc.integer({ min: 1, max }), { minLength: box.length, maxLength: box.length });
  return fc.tuple(list(3), list(2), fc.constantFrom("tiles", "nest", "flat")).map(([inner, times, kind]) => {
    const tile = inner.map((extent, axis) => extent * times[axis]!);
    if (kind === "flat") return { box, l: rowMajor(box.map((extent, axis) => extent + times[axis]! - 1)) };
    const tiles = { tile: inner, outer: "rowMajor", inner: "columnMajor" } as const;
    return { box, l: tiled(box, kind === "tiles" ? tiles : { tile, outer: "columnMajor", inner: tiles }) };
  });
});
