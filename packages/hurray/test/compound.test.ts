import { BufferPool, heapMemory } from "@sw/buffer";
import { layout, rowMajor } from "@sw/layout";
import { arange, tensor, views } from "@sw/tensor";
import {
  blockInt4,
  blockInt8,
  type CompoundTensor,
  type CompoundType,
  dequantize,
  makeCompound,
  mxfp4,
  type Part,
  quantize as quantizeTensor,
} from "@sw/tensor/compound";
import { withScope } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadCompound, storeCompound } from "../src/compound/index.js";
import { encodeHurray, openHurray } from "../src/index.js";
import type { StoredTensor } from "../src/stored.js";
import { itemBytes, readItem, readItems } from "../src/stream/index.js";
import { quantize, relayout, toNumbers, valuesOf } from "../src/values/index.js";
import { thrown } from "./support.js";
import { raw, storedOf, tensorOf, valuesCases } from "./support-values.js";

const dequant = valuesCases("dequant").map((c) => [c.id, c] as const);
const hexOf = (view: ArrayBufferView): string => Buffer.from(raw(view)).toString("hex");
const valuesHex = (item: StoredTensor): string => hexOf(valuesOf(item).elements);
const numbersHex = (c: CompoundTensor): string => hexOf(dequantize(c).contiguous().data());

describe("the vectors", () => {
  test.each(dequant)("%s: dequantize of the compound gives the values to the bit", (_, c) => {
    const item = storedOf(c);
    const compound = loadCompound(item);
    expect(compound.shape).toEqual(c.expect.shape);
    const values = dequantize(compound).contiguous();
    expect([...values.data()]).toEqual(c.values.map(Number));
    expect(hexOf(values.data())).toBe(valuesHex(item));
  });

  test.each(dequant)("%s: stored again it has the same scheme, elements and parameters", (_, c) => {
    const item = storedOf(c);
    const again = storeCompound(loadCompound(item));
    const { layout: _layout, buffers: _buffers, quantisation, ...rest } = again.descriptor;
    expect(rest).toMatchObject({ typeTag: item.descriptor.typeTag, shape: item.descriptor.shape });
    expect(again.descriptor.layout).toEqual(item.descriptor.layout);
    expect(quantisation?.scheme).toBe(item.descriptor.quantisation?.scheme);
    expect(valuesHex(again)).toBe(valuesHex(item));
  });
});

const SCHEMES = [
  { scheme: "perTensor", storage: "uint8" },
  { scheme: "perTensor", storage: "int2" },
  { scheme: "perTensor", storage: "int32" },
  { scheme: "perChannel", storage: "int8", axis: 0 },
  { scheme: "perChannel", storage: "uint4", axis: 2 },
  { scheme: "perChannel", storage: "uint2", axis: 1, symmetric: true },
  { scheme: "perBlock", storage: "int4", axis: 1, blockSize: 4 },
  { scheme: "perBlock", storage: "int8", axis: 2, blockSize: 2, symmetric: true },
  { scheme: "perBlock", storage: "uint2", axis: 0, blockSize: 2, scaleType: "bfloat16" },
  { scheme: "perBlock", storage: "uint4", axis: 2, blockSize: 4, scaleType: "float16" },
] as const;

describe("tensors of our own writer", () => {
  const values = Float32Array.from({ length: 64 }, (_, i) => Math.abs(Math.sin(i * i)) * 3);

  test.each(SCHEMES)("$scheme $storage: every byte comes back, in every layout", (options) => {
    const item = quantize(values, [4, 4, 4], options);
    const kinds = ["rowMajor", "columnMajor", "morton"] as const;
    for (const to of [...kinds.map((kind) => ({ kind })), { kind: "strided" as const, strides: [-4n, 16n, 1n] }]) {
      const placed = relayout(item, to);
      const compound = loadCompound(placed);
      expect(numbersHex(compound)).toBe(valuesHex(item));
      expect(storeCompound(compound)).toEqual(placed);
    }
  });

  test.each(SCHEMES)("$scheme $storage: a view of the compound is stored as a view of the values", (options) => {
    const compound = loadCompound(quantize(values, [4, 4, 4], options));
    const view = views.permute(compound, 2, 0, 1);
    const stored = storeCompound(view);
    expect(valuesHex(stored)).toBe(numbersHex(view));
    expect(numbersHex(loadCompound(stored))).toBe(numbersHex(view));
  });
});

describe("tensors that the tensor package quantises", () => {
  const t = arange(0, 95, 0.37).slice(0, 0, 256).reshape([4, 64]);

  test.each([
    [blockInt8, "int8", "perBlock"],
    [blockInt4, "int4", "perBlock"],
    [mxfp4, "float4_e2m1", "mxfp"],
  ] as const)("$name are stored and loaded as that very type", (type, _storage, scheme) => {
    for (const options of [{}, { axis: 0, blockSize: 4 }, { blockSize: 64 }]) {
      if (type === mxfp4 && options.axis === 0) continue;
      const q = quantizeTensor(t, type, options);
      const item = storeCompound(q);
      expect(item.descriptor.quantisation).toMatchObject({
        scheme,
        axis: options.axis ?? 1,
        blockSize: options.blockSize ?? 32,
      });
      const back = loadCompound(item);
      expect([back.type, back.shape]).toEqual([type, [4, 64]]);
      expect(numbersHex(back)).toBe(numbersHex(q));
      expect(valuesHex(item)).toBe(numbersHex(q));
    }
  });

  test("with zero points too", () => {
    const q = quantizeTensor(t, blockInt8, { zeroPoints: true });
    const item = storeCompound(q);
    expect(item.buffers.map((b) => b.byteLength)).toEqual([256, 32, 32]);
    expect(numbersHex(loadCompound(item))).toBe(numbersHex(q));
  });

  test("blocks that are no power of two have their scales as often as the scheme needs", () => {
    const q = quantizeTensor(arange(0, 96).reshape([2, 48]), blockInt8, { blockSize: 24 });
    const item = storeCompound(q);
    expect(item.descriptor.quantisation).toMatchObject({ scheme: "perBlock", axis: 1, blockSize: 8 });
    expect(valuesHex(item)).toBe(numbersHex(q));
  });

  test("law: any blocks, any axis, any order of the axes", () => {
    const cases = fc.record({
      shape: fc.constantFrom<number[]>([4, 8], [2, 3, 8], [16, 2], [8, 1, 4]),
      axis: fc.nat(),
      size: fc.constantFrom(2, 4, 8),
      zeroPoints: fc.boolean(),
      type: fc.constantFrom(blockInt8, blockInt4),
      order: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ shape, axis, size, zeroPoints, type, order }) => {
        const along = axis % shape.length;
        const blockSize = shape[along]! % size === 0 ? size : 1;
        if (blockSize === 1) return;
        const count = shape.reduce((a, b) => a * b, 1);
        const q = quantizeTensor(arange(-7, count - 7).reshape(shape), type, { axis: along, blockSize, zeroPoints });
        const view = order ? views.permute(q, ...shape.map((_, k) => shape.length - 1 - k)) : q;
        const item = storeCompound(view);
        expect(valuesHex(item)).toBe(numbersHex(view));
        expect(numbersHex(loadCompound(item))).toBe(numbersHex(view));
        expect(storeCompound(loadCompound(item))).toEqual(item);
      }),
      { numRuns: 120 },
    );
  });
});

describe("memory", () => {
  const item = quantize(
    Float32Array.from({ length: 64 }, (_, i) => i),
    [2, 32],
    {
      scheme: "perBlock",
      storage: "uint4",
      axis: 1,
      blockSize: 16,
    },
  );

  test("parts are windows of the item where that is wanted and aligned, read-only", async () => {
    const shared = loadCompound(item, { copy: "never" });
    const [elements, scales, zeros] = shared.parts as [Part, Part, Part];
    for (const [k, { buffer }] of [elements, scales, zeros].entries()) {
      expect(buffer.view(Uint8Array).buffer).toBe(item.buffers[k]!.buffer);
      expect(buffer.readOnly).toBe(true);
    }
    const odd = new Uint8Array(17);
    odd.set(item.buffers[1]!, 1);
    const misaligned = { ...item, buffers: item.buffers.map((b, k) => (k === 1 ? odd.subarray(1) : b)) };
    expect(await thrown(() => loadCompound(misaligned, { copy: "never" }))).toMatchObject({
      code: "SW_HURRAY_ALIGNMENT",
      alignment: 4,
    });
    expect(numbersHex(loadCompound(misaligned, { copy: "if-needed" }))).toBe(valuesHex(item));
  });

  test("by default they are copies from the allocator in force, returned by dispose and when loading fails", async () => {
    const pool = new BufferPool({ source: heapMemory() });
    withScope({ memory: pool }, () => loadCompound(item).dispose());
    expect(pool.statistics().live).toBe(0);
    const long = tensorOf("int8", [2, 2, 2, 2, 2, 2, 2, 2, 2], { kind: "rowMajor" }, [new Uint8Array(512)], {
      quantisation: { scheme: "perTensor", scale: 1, zeroPoint: 1 },
    });
    expect(await thrown(() => loadCompound(long, { memory: pool }))).toMatchObject({ name: "TensorShapeError" });
    expect(pool.statistics().live).toBe(0);
  });

  test("A8: scales and zero points in one buffer", () => {
    const both = new Uint8Array(16);
    both.set(raw(Float32Array.of(0.5, 2)));
    both.set(raw(Int32Array.of(1, -1)), 8);
    const q = tensorOf("int8", [2, 2], { kind: "rowMajor" }, [Uint8Array.of(1, 2, 3, 4), both], {
      quantisation: { scheme: "perChannel", axis: 0, scaleBuffer: 1, zeroPointBuffer: 1 },
    });
    const compound = loadCompound(q, { copy: "never" });
    expect(dequantize(compound).toArray()).toEqual([
      [0, 0.5],
      [8, 10],
    ]);
    expect(valuesHex(storeCompound(compound))).toBe(valuesHex(q));
  });

  test("storing takes no byte that is no element", () => {
    const buffer = loadCompound(item).parts[0]!.buffer;
    const bytes = buffer.view(Uint8Array);
    const scale = loadCompound(item).parts[1]!;
    const one = { ...scale, layout: rowMajor([1]) };
    // Seven elements from the odd place 3 on: half bytes of others at both ends.
    const part = { dtype: "uint4", buffer, generation: buffer.generation, offset: 3, layout: rowMajor([7]) } as const;
    const type: CompoundType = { name: "mine", parts: ["uint4", "float32"], rules: [] };
    const stored = storeCompound(makeCompound(type, [part, one], [layout([7], [0])]));
    expect(stored.buffers[0]!.byteLength).toBe(4);
    expect(stored.buffers[0]![3]! >> 4).toBe(0);
    expect(stored.buffers[0]![0]! & 15).toBe(bytes[1]! >> 4);
  });
});

test("a compound of what streams and files hold; what is not quantised is for load", async () => {
  const item = quantize(Float32Array.of(0, 1, 2, 3), [2, 2], { scheme: "perChannel", storage: "int4", axis: 1 });
  for await (const read of readItems(itemBytes([item]))) {
    expect(dequantize(loadCompound(read as StoredTensor)).toArray()).toEqual([
      [0, 1],
      [2, 3],
    ]);
  }
  const file = await openHurray(encodeHurray({ plain: tensor([1]) }));
  const plain = (await readItem(file, "plain")) as StoredTensor;
  expect(await thrown(() => loadCompound(plain))).toMatchObject({ code: "SW_HURRAY_VALUE", field: "item" });
});

describe("what is refused", () => {
  const scale = { scheme: "perTensor", scale: 1, zeroPoint: 0 } as const;

  test("2 and 6 bits where no copy is allowed, by the storage", async () => {
    const t = tensorOf("int2", [4], { kind: "rowMajor" }, [Uint8Array.of(0x1b)], { quantisation: scale });
    expect(await thrown(() => loadCompound(t, { copy: "never" }))).toMatchObject({
      code: "SW_HURRAY_TYPE_UNSUPPORTED",
    });
    expect(dequantize(loadCompound(t)).toArray()).toEqual([-1, -2, 1, 0]);
  });

  test("layouts that no tensor has, private schemes", async () => {
    const coo = tensorOf("int8", [4], { kind: "coo", nnz: 1n, isSorted: true }, [Uint8Array.of(5), [2]], {
      quantisation: scale,
    });
    expect(await thrown(() => loadCompound(coo))).toMatchObject({ code: "SW_HURRAY_LAYOUT_UNSUPPORTED", layoutTag: 6 });
    const curve = tensorOf("int8", [2, 2], { kind: "hilbert", order: 1 }, [new Uint8Array(4)], { quantisation: scale });
    expect(await thrown(() => loadCompound(curve))).toMatchObject({
      code: "SW_HURRAY_LAYOUT_UNSUPPORTED",
      layoutTag: 64,
    });
    const own = { scheme: "private", tag: 0xf0, version: 1, flags: 0, data: new Uint8Array(0) } as const;
    const t = tensorOf("int8", [4], { kind: "rowMajor" }, [new Uint8Array(4)], { quantisation: own });
    expect(await thrown(() => loadCompound(t))).toMatchObject({ code: "SW_HURRAY_QUANTISED_UNSUPPORTED" });
  });

  test("blocks that tiles cut, padding without parameters, and partial blocks in strides (A7)", async () => {
    const whole = quantize(
      Float32Array.from({ length: 24 }, (_, i) => i),
      [12, 2],
      { scheme: "perBlock", storage: "int8", axis: 0, blockSize: 4 },
    );
    const cut = relayout(whole, { kind: "tiled", tile: [3n, 2n], outer: "rowMajor", inner: "rowMajor" });
    expect(await thrown(() => loadCompound(cut))).toMatchObject({ code: "SW_HURRAY_QUANTISED_UNSUPPORTED" });
    const padded = relayout(whole, { kind: "tiled", tile: [8n, 2n], outer: "rowMajor", inner: "rowMajor" });
    expect(await thrown(() => loadCompound(padded))).toMatchObject({ code: "SW_HURRAY_QUANTISED_UNSUPPORTED" });
    const partial = relayout(storedOf(dequant.find(([id]) => id.includes("partial"))![1]), { kind: "strided" });
    expect(await thrown(() => loadCompound(partial))).toMatchObject({ code: "SW_HURRAY_QUANTISED_UNSUPPORTED" });
  });

  test("R97: a scale that is none, at its byte", async () => {
    const t = tensorOf("int8", [2], { kind: "rowMajor" }, [new Uint8Array(2), raw(Float32Array.of(1, Number.NaN))], {
      quantisation: { scheme: "perChannel", axis: 0, scaleBuffer: 1 },
    });
    expect(await thrown(() => loadCompound(t))).toMatchObject({
      code: "SW_HURRAY_DATA_INVALID",
      rule: "R97",
      byteOffset: 4,
    });
  });

  test("types that no scheme reckons like, and parameters that none shares like", async () => {
    expect(await thrown(() => storeCompound(arange(3) as never))).toMatchObject({ name: "TypeError" });
    const q = quantizeTensor(arange(0, 64).reshape([2, 32]), blockInt8);
    const table: CompoundType = { ...blockInt8, table: new Float32Array(256) };
    const unsupported = { name: "HurrayUnsupportedError", code: "SW_HURRAY_QUANTISED_UNSUPPORTED" };
    expect(await thrown(() => storeCompound(makeCompound(table, q.parts, q.adjacent)))).toMatchObject(unsupported);
    const each = quantizeTensor(arange(0, 64).reshape([2, 32]), blockInt8, { blockSize: 1 });
    expect(await thrown(() => storeCompound(each))).toMatchObject(unsupported);
    q.dispose();
    expect(await thrown(() => storeCompound(q))).toMatchObject({ code: "SW_BUFFER_STALE" });
  });
});

test("tiles keep the scales of their channels", () => {
  const values = Float32Array.from({ length: 64 }, (_, i) => i / 3);
  const item = quantize(values, [8, 8], { scheme: "perChannel", storage: "int8", axis: 1 });
  const form = { kind: "tiled", tile: [8n, 4n], outer: "rowMajor", inner: "rowMajor" } as const;
  const compound = loadCompound(relayout(item, form));
  expect(storeCompound(compound)).toEqual(relayout(item, storeCompound(compound).descriptor.layout));
  expect([...toNumbers("float32", valuesOf(storeCompound(compound)).elements)]).toEqual([
    ...dequantize(compound).contiguous().data(),
  ]);
});
