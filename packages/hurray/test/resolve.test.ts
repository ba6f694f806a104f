import { expect, test } from "vitest";
import { type Descriptor, DYNAMIC, dataRange, decodeDescriptor, resolveShape } from "../src/descriptor/index.js";
import { bytesOf, thrown, vectors } from "./support.js";

const vector = (id: string): Descriptor =>
  decodeDescriptor(bytesOf(vectors("descriptor", "odd-descriptor").find((c) => c.id === id)!));

const BATCH: Descriptor = {
  versionMinor: 0,
  typeTag: 3,
  shape: [DYNAMIC, 4n],
  byteOffset: 0n,
  layout: { kind: "rowMajor" },
  buffers: [{ byteSize: 48n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
};

test("a batch of unknown size is a tensor once its size is known", () => {
  const resolved = resolveShape(BATCH, [3n, undefined]);
  expect(resolved).toEqual({ ...BATCH, shape: [3n, 4n] });
  expect(dataRange(BATCH)).toBeUndefined();
  expect(dataRange(resolved)).toEqual({ start: 0n, end: 48n });
});

test("R65 a size that the buffers do not hold is refused, huge ones too", async () => {
  for (const size of [4n, 2n ** 40n, DYNAMIC - 1n]) {
    const error = await thrown(() => resolveShape(BATCH, [size, undefined]));
    expect(error).toMatchObject({ rule: "R65", code: "SW_HURRAY_BUFFER_SIZE" });
  }
});

test("R28 a Hilbert dimension that was dynamic is judged when it is known (A30)", async () => {
  const d = vector("odd-hilbert-dynamic");
  expect(d.shape.includes(DYNAMIC)).toBe(true);
  const sizes = (size: bigint) => d.shape.map((extent) => (extent === DYNAMIC ? size : undefined));
  expect(resolveShape(d, sizes(4n)).shape).toEqual([4n, 4n]);
  expect(await thrown(() => resolveShape(d, sizes(3n)))).toMatchObject({ rule: "R28", field: "hilbert_order" });
});

test("R25 a Morton dimension that was dynamic is judged when it is known", async () => {
  const d: Descriptor = { ...vector("morton-4x4"), shape: [DYNAMIC, 4n] };
  expect(resolveShape(d, [3n, undefined]).shape).toEqual([3n, 4n]);
  expect(await thrown(() => resolveShape(d, [5n, undefined]))).toMatchObject({ rule: "R25", field: "morton_bits" });
});

test("the tokens of a paged tensor change no buffer", () => {
  const d = vector("bp-dynamic-tokens");
  expect(resolveShape(d, [1000n, undefined, undefined]).shape[0]).toBe(1000n);
});

test("undefined keeps a dynamic dimension, and a known size may be given again", () => {
  expect(resolveShape(BATCH, [undefined, undefined])).toEqual(BATCH);
  expect(resolveShape(BATCH, BATCH.shape)).toEqual(BATCH);
});

test("other sizes of known dimensions, other numbers of sizes and other types are refused", async () => {
  expect(await thrown(() => resolveShape(BATCH, [1n, 5n]))).toMatchObject({ code: "SW_HURRAY_VALUE", given: 5n });
  expect(await thrown(() => resolveShape(BATCH, [1n]))).toMatchObject({ code: "SW_HURRAY_VALUE", field: "sizes" });
  expect(await thrown(() => resolveShape(BATCH, [-1n, undefined]))).toMatchObject({ code: "SW_HURRAY_VALUE" });
  expect(await thrown(() => resolveShape(BATCH, [3 as unknown as bigint, undefined]))).toBeInstanceOf(TypeError);
});
