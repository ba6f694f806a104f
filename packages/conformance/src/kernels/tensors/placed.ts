import type { Allocator, DataBuffer } from "@sw/buffer";
import { type Layout, layout, rowMajor } from "@sw/layout";
import type { Tensor } from "@sw/tensor";
import { fromBuffer } from "@sw/tensor/seam";
import { sizeOf } from "../../operands/placing.js";
import { arrayOf, type DType, readElement, type Value, writeElement } from "../../values.js";
import type { Plan } from "../sample.js";

/** A tensor of a case, and where its elements lie in its buffer, row-major. */
export interface Placed {
  readonly tensor: Tensor;
  readonly dtype: DType;
  readonly buffer: DataBuffer;
  readonly positions: readonly number[];
}

interface Arrangement {
  readonly layout: Layout;
  readonly positions: readonly number[];
}

/** The smallest factor of an extent that leaves another one; the extent itself where there is none. */
function factorOf(extent: number): number {
  for (let factor = 2; factor * factor <= extent; factor++) if (extent % factor === 0) return factor;
  return extent;
}

/**
 * Arranges a shape so that each axis that has factors is a nested mode of two, whose first leaf takes the larger strides
 * of the two: no such axis has one stride.
 */
function nested(shape: readonly number[]): Arrangement {
  const factors = shape.map(factorOf);
  const rests = shape.map((extent, axis) => extent / factors[axis]!);
  let step = 1;
  const steps = (extents: readonly number[]): number[] =>
    extents.map((extent) => {
      const own = step;
      step *= extent;
      return own;
    });
  const fine = steps(rests);
  const coarse = steps(factors);
  const byAxis = <T>(single: (axis: number) => T, pair: (axis: number) => T): T[] =>
    shape.map((_, axis) => (rests[axis] === 1 ? single(axis) : pair(axis)));
  const modes = byAxis<number | number[]>(
    (axis) => shape[axis]!,
    (axis) => [factors[axis]!, rests[axis]!],
  );
  const strides = byAxis<number | number[]>(
    (axis) => coarse[axis]!,
    (axis) => [coarse[axis]!, fine[axis]!],
  );
  let positions = [0];
  shape.forEach((extent, axis) => {
    const factor = factors[axis]!;
    const along = Array.from(
      { length: extent },
      (_, i) => (i % factor) * coarse[axis]! + Math.floor(i / factor) * fine[axis]!,
    );
    positions = positions.flatMap((at) => along.map((more) => at + more));
  });
  return { layout: layout(modes, strides), positions };
}

function flat(shape: readonly number[]): Arrangement {
  return { layout: rowMajor(shape), positions: Array.from({ length: sizeOf(shape) }, (_, i) => i) };
}

/** Makes a tensor of an operand of a sample, in memory of an allocator. */
export function placeTensor(plan: Plan, memory: Allocator, how: "nested" | "flat"): Placed {
  const { dtype, values } = plan;
  const shape = plan.placement.shape.slice(0, plan.loops);
  const arrangement = how === "nested" ? nested(shape) : flat(shape);
  const buffer = memory.allocate(sizeOf(shape) * arrayOf(dtype).BYTES_PER_ELEMENT);
  const tensor = fromBuffer(dtype, buffer, arrangement.layout);
  const placed = { tensor, dtype, buffer, positions: arrangement.positions };
  const data = windowOf(placed);
  if (values === undefined) {
    // What nobody expects as a result.
    new Uint8Array(data.buffer, data.byteOffset, data.byteLength).fill(0xa5);
  } else {
    arrangement.positions.forEach((at, i) => {
      writeElement(dtype, data, at, values[i]!);
    });
  }
  return placed;
}

function windowOf({ dtype, buffer, positions }: Placed): InstanceType<ReturnType<typeof arrayOf>> {
  const { source, block } = buffer;
  return new (arrayOf(dtype))(source.bytes(block), block.address, positions.length);
}

/** Reads the elements, row-major. */
export function elementsOf(placed: Placed): readonly Value[] {
  const data = windowOf(placed);
  return placed.positions.map((at) => readElement(placed.dtype, data, at));
}
