import { wasmMemory } from "@sw/buffer/wasm";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import type { DType } from "@sw/tensor";
import type { Operand } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indices, type Placing } from "../operands.js";

type Bits = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;
interface Placed extends Operand {
  readonly data: Bits & Operand["data"];
}

const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array } as const;
type Unsigned = keyof typeof ARRAYS;
const DTYPES = Object.keys(ARRAYS) as Unsigned[];
const backend = wasmKernelsSync();
const MARGIN = 40;

/** Places an operand in a block of its own that holds other numbers, all different nearly. */
function place(
  dtype: Unsigned,
  shape: readonly number[],
  seed: number,
  { order = shape.map((_, axis) => axis), reversed = [], broadcast = [], skip = 0, gap = 1 }: Placing,
  memory = backend.memory,
): Placed {
  const strides = new Array<number>(shape.length).fill(0);
  let reach = gap;
  for (const axis of [...order].reverse()) {
    if (broadcast.includes(axis)) continue;
    strides[axis] = reach;
    reach *= Math.max(1, shape[axis]!);
  }
  let offset = MARGIN + skip;
  for (const axis of reversed) {
    if (broadcast.includes(axis)) continue;
    offset += Math.max(0, shape[axis]! - 1) * strides[axis]!;
    strides[axis] = -strides[axis]!;
  }
  const make = ARRAYS[dtype] as Uint32ArrayConstructor;
  const length = reach + skip + 2 * MARGIN;
  const block = memory.allocate(length * make.BYTES_PER_ELEMENT);
  const data = new make(memory.memory.buffer, block.address, length);
  const bytes = new Uint8Array(memory.memory.buffer, block.address, length * make.BYTES_PER_ELEMENT);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.imul(i + seed, 0x9e3779b1) >>> 24;
  return { dtype: dtype as DType, data: data as unknown as Placed["data"], offset, shape, strides };
}

/** Copies, and compares the whole window of the output with what a loop makes of it. */
function check(dtype: Unsigned, shape: readonly number[], out: Placing, input: Placing, memory = backend.memory): void {
  const kernels = memory === backend.memory ? backend : wasmKernelsSync({ memory });
  const from = place(dtype, shape, 1, input, memory);
  const to = place(dtype, shape, 77, out, memory);
  const source = new (from.data.constructor as typeof Uint32Array)(
    memory.memory.buffer,
    from.data.byteOffset,
    from.data.length,
  );
  const target = new (to.data.constructor as typeof Uint32Array)(
    memory.memory.buffer,
    to.data.byteOffset,
    to.data.length,
  );
  const expected = target.slice();
  const places = indices(from);
  indices(to).forEach((at, i) => {
    expected[at] = source[places[i]!]!;
  });
  const operands = [
    { ...to, data: target },
    { ...from, data: source },
  ] as unknown as [Operand, Operand];
  expect(kernels.supports("copy", [operands[0]], [operands[1]])).toBe(true);
  kernels.kernels.copy([operands[0]], [operands[1]], [], []);
  expect(
    firstDifference(
      new Uint8Array(target.buffer, target.byteOffset, target.byteLength),
      new Uint8Array(expected.buffer),
    ),
  ).toBe(-1);
  if (memory !== backend.memory) kernels.dispose();
}

/** Where bytes differ first, or -1. */
function firstDifference(a: Uint8Array, b: Uint8Array): number {
  return a.findIndex((byte, i) => byte !== b[i]);
}

describe.each(DTYPES)("copy of %s writes the elements, to the bit, and nothing around them", (dtype) => {
  test("every length around vectors and long runs, at odd addresses", () => {
    for (let n = 0; n <= 67; n++) check(dtype, [n], { skip: n % 5 }, { skip: 1 });
    for (const n of [511, 512, 513, 20_001]) check(dtype, [n], { skip: 1 }, {});
    for (const n of [1, 3, 16, 33, 300]) check(dtype, [7, n], { skip: 1, gap: 1 }, { order: [0, 1], skip: 3 });
  });

  test("transposed on every side of the squares and of the tiles", () => {
    for (const rows of [1, 2, 7, 8, 9, 16, 31, 65, 130]) {
      for (const columns of [1, 3, 8, 15, 17, 129]) {
        check(dtype, [rows, columns], {}, { order: [1, 0], skip: 1 });
        check(dtype, [rows, columns], { order: [1, 0] }, { reversed: [0] });
      }
    }
    check(dtype, [37, 41], {}, { order: [1, 0], reversed: [0, 1] });
    check(dtype, [37, 41], { reversed: [1] }, { order: [1, 0], reversed: [0] });
  });

  test("images between NCHW, NHWC and blocks of channels", () => {
    check(dtype, [2, 5, 7, 16], {}, { order: [0, 3, 1, 2] });
    check(dtype, [2, 3, 9, 11], {}, { order: [0, 2, 3, 1] });
    check(dtype, [2, 4, 5, 6, 4], {}, { order: [0, 1, 4, 2, 3] });
  });

  test("strided, reversed and repeated", () => {
    check(dtype, [9, 33], {}, { gap: 2 });
    check(dtype, [9, 33], { gap: 3 }, { gap: 2, reversed: [1] });
    check(dtype, [64], {}, { reversed: [0] });
    check(dtype, [17, 40], {}, { broadcast: [0] });
    check(dtype, [17, 40], {}, { broadcast: [1] });
    check(dtype, [17, 40], { order: [1, 0] }, { broadcast: [0] });
    check(dtype, [17, 3], { skip: 1 }, { broadcast: [0, 1] });
    check(dtype, [], {}, {});
    check(dtype, [3, 0, 2], {}, {});
  });

  test("many loops, at random", () => {
    const axesOf = (rank: number) => [...Array(rank).keys()];
    const placing = (rank: number) =>
      fc.record({
        order: fc.shuffledSubarray(axesOf(rank), { minLength: rank, maxLength: rank }),
        reversed: fc.subarray(axesOf(rank)),
        skip: fc.nat(3),
        gap: fc.constantFrom(1, 1, 2),
      });
    const operands = fc
      .array(fc.oneof(fc.nat(5), fc.constantFrom(8, 17)), { minLength: 1, maxLength: 4 })
      .chain((shape) =>
        fc.tuple(fc.constant(shape), placing(shape.length), placing(shape.length), fc.subarray(axesOf(shape.length))),
      );
    fc.assert(
      fc.property(operands, ([shape, out, input, broadcast]) => check(dtype, shape, out, { ...input, broadcast })),
      { numRuns: 100 },
    );
  });

  test("field case 3: above 2 GiB", () => {
    const high = wasmMemory({ initialBytes: 2 ** 31 + 2 ** 27 });
    high.allocate(2 ** 31 - 1);
    check(dtype, [40, 37], {}, { order: [1, 0], reversed: [0] }, high);
    check(dtype, [40, 37], {}, { gap: 2 }, high);
    check(dtype, [40, 37], {}, { broadcast: [1] }, high);
    check(dtype, [40, 37], { gap: 2 }, {}, high);
    check(dtype, [900], {}, { skip: 1 }, high);
  });
});

test("arrays on the heap are copied as they are, on either side, without room in the memory", () => {
  const inUse = backend.memory.inUse;
  const heap = {
    dtype: "float32",
    data: Float32Array.of(1, 2, 3, 4, 5, 6),
    offset: 5,
    shape: [2, 3],
    strides: [-3, -1],
  } as const;
  const block = backend.memory.allocate(24);
  const inside = (): Operand => ({
    dtype: "float32",
    data: new Float32Array(backend.memory.memory.buffer, block.address, 6),
    offset: 0,
    shape: [2, 3],
    strides: [3, 1],
  });
  const to = inside();
  backend.kernels.copy([to], [heap], [], []);
  expect([...to.data]).toEqual([6, 5, 4, 3, 2, 1]);
  const back = { ...heap, data: new Float32Array(6), offset: 0, strides: [3, 1] };
  backend.kernels.copy([back], [to], [], []);
  expect([...back.data]).toEqual([6, 5, 4, 3, 2, 1]);
  backend.memory.free(block);
  expect(backend.memory.inUse).toBe(inUse);
  expect(backend.supports("copy", [back], [{ ...back, dtype: "int32" }])).toBe(false);
});
