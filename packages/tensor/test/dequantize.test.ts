import { BufferPool, heapMemory } from "@sw/buffer";
import { broadcastTo, type LayoutView, layout, permuteAxes, type Shape } from "@sw/layout";
import { asStrided, broadcastInDim, reshapeModes, sliceModes, squeezeMode, unsqueezeMode } from "@sw/layout/views";
import { cast, randn, type Tensor, zeros } from "@sw/tensor";
import {
  blockInt4,
  blockInt8,
  type CompoundTensor,
  type CompoundType,
  dequantize,
  makeCompound,
  mxfp4,
  type Part,
  quantize,
  type StorageDType,
} from "@sw/tensor/compound";
import { derive, withScope } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlainLayout, part, pool } from "./compound-parts.js";

/** A part that holds the bytes of a typed array. */
function holding(dtype: StorageDType, bytes: ArrayBufferView, l: PlainLayout, offset = 0): Part {
  const buffer = pool.allocate(bytes.byteLength);
  buffer.view(Uint8Array).set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return { dtype, buffer, generation: buffer.generation, offset, layout: layout(...l) };
}

/** A view that exists, or may, of a layout of this shape: any function of `views`, with numbers that fit often. */
function viewOf(shape: Shape, pick: (below: number) => number): LayoutView {
  const rank = shape.length;
  const size = layout(shape).size;
  switch (pick(8)) {
    case 0: {
      const order = shape.map((_, i) => i).sort(() => pick(3) - 1);
      return (l) => permuteAxes(l, order);
    }
    case 1: {
      const key = shape.map((mode) => {
        if (typeof mode !== "number" || pick(2) === 0) return pick(4) === 0 ? 0 : {};
        const stop = 1 + pick(mode);
        const step = 1 + pick(stop);
        return { start: 0, stop: stop - (stop % step), step };
      });
      return (l) => sliceModes(l, [...key.slice(0, -1), typeof key.at(-1) === "number" ? {} : (key.at(-1) ?? {})]);
    }
    case 2:
      return (l) => reshapeModes(l, size % 2 === 0 ? [2, [size / 2]] : [size]);
    case 3: {
      const target = shape.map((mode) => (mode === 1 ? 1 + pick(3) : mode));
      return (l) => ({ layout: broadcastTo(l, target), start: 0 });
    }
    case 4:
      return (l) =>
        broadcastInDim(
          l,
          [...shape, 2],
          shape.map((_, i) => i),
        );
    case 5: {
      const dim = pick(rank + 1);
      return (l) => unsqueezeMode(l, dim);
    }
    case 6: {
      const dim = pick(rank);
      return (l) => squeezeMode(l, dim);
    }
    default: {
      const stride = 1 + pick(3);
      const extent = 1 + pick(Math.max(1, Math.floor(size / stride)));
      return (l) => asStrided(l, [extent], [stride]);
    }
  }
}

function sameValues(a: Tensor, b: Tensor): void {
  expect([a.shape, String(a.layout.shape)]).toEqual([b.shape, String(b.layout.shape)]);
  expect(a.data()).toEqual(b.data());
}

const sources = fc.record({
  type: fc.constantFrom(blockInt8, blockInt4, mxfp4),
  zeroPoints: fc.boolean(),
  outer: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
  blocks: fc.integer({ min: 1, max: 3 }),
  blockSize: fc.integer({ min: 1, max: 4 }),
  axis: fc.nat(2),
  seed: fc.nat(),
});

describe("views", () => {
  test("VA-3, VA-32 a chain of views of a quantised tensor dequantises to the views of its values", () => {
    let made = 0;
    let refused = 0;
    fc.assert(
      fc.property(sources, fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), (source, numbers) => {
        const { type, outer, blocks, blockSize, seed } = source;
        const axis = source.axis % (outer.length + 1);
        const x = randn(outer.toSpliced(axis, 0, blocks * blockSize), { seed });
        const zeroPoints = source.zeroPoints && type !== mxfp4;
        let quantised = quantize(x, type, { axis, blockSize, zeroPoints });
        let values: Tensor = dequantize(quantised);
        let next = 0;
        const pick = (below: number) => (numbers[next++ % numbers.length]! + next) % Math.max(1, below);
        for (let step = 0; step < 4; step++) {
          const view = viewOf(quantised.layout.shape, pick);
          let viewed: CompoundTensor;
          try {
            viewed = quantised.mapLeading(view, "view");
          } catch (error) {
            // Not every view exists; those that do are compared.
            expect(error).toMatchObject({ name: "LayoutError" });
            refused++;
            continue;
          }
          made++;
          quantised = viewed;
          values = derive(values, view(values.layout));
          sameValues(dequantize(quantised), values);
        }
      }),
      { numRuns: 300 },
    );
    expect(made).toBeGreaterThan(refused / 4);
  });
});

describe("the formats", () => {
  const one = holding("float32", Float32Array.of(2), [[1], [1]]);
  const scaled = (values: Part, name = "test"): CompoundTensor =>
    makeCompound(
      { name, parts: [values.dtype, "float32"], rules: [] },
      [values, one],
      [
        layout(
          values.layout.shape,
          values.layout.shape.map(() => 0),
        ),
      ],
    );

  test("one scale for all is an adjacent layout of strides 0", () => {
    expect(dequantize(scaled(holding("int8", Int8Array.of(1, -2, 3, -128), [[4], [1]]))).toArray()).toEqual([
      2, -4, 6, -256,
    ]);
  });

  test("every storage dtype is read, by the lowest bits first", () => {
    const read = (dtype: StorageDType, bytes: ArrayBufferView, l: PlainLayout, offset = 0) => [
      ...dequantize(scaled(holding(dtype, bytes, l, offset))).data(),
    ];
    expect(read("int4", Uint8Array.of(0x8f, 0x17), [[3], [1]])).toEqual([-2, -16, 14]);
    expect(read("uint4", Uint8Array.of(0xc5, 0x03), [[3], [1]])).toEqual([10, 24, 6]);
    expect(read("uint4", Uint8Array.of(0xc5, 0x03), [[2], [1]], 1)).toEqual([24, 6]);
    expect(read("uint4", Uint8Array.of(0xc5, 0x03), [[3], [-1]], 2)).toEqual([6, 24, 10]);
    expect(read("float4_e2m1", Uint8Array.of(0x10, 0xf7, 0x9b), [[6], [1]])).toEqual([0, 1, 12, -12, -3, -1]);
    expect(read("float8_e8m0", Uint8Array.of(127, 1, 254), [[2], [1]])).toEqual([2, 2 ** -125]);
    expect(read("uint8", Uint8Array.of(255), [[1], [1]])).toEqual([510]);
    expect(read("int16", Int16Array.of(-3), [[1], [1]])).toEqual([-6]);
    expect(read("uint32", Uint32Array.of(2 ** 31), [[1], [1]])).toEqual([2 ** 32]);
    expect(read("int64", BigInt64Array.of(-5n), [[1], [1]])).toEqual([-10]);
    expect(read("float16", Uint16Array.of(0x3c00, 0xc000), [[2], [1]])).toEqual([2, -4]);
    expect(read("bfloat16", Uint16Array.of(0x3f80), [[1], [1]])).toEqual([2]);
    expect(read("float64", Float64Array.of(0.25), [[1], [1]])).toEqual([0.5]);
  });

  test("the arithmetic is float32, rounded after the difference and after the product", () => {
    const q = holding("int32", Int32Array.of(2 ** 31 - 1, 16777217, 7), [[3], [1]]);
    const scale = Math.fround(0.1);
    const zeros = [-(2 ** 31), 0, 3];
    const c = makeCompound(
      { name: "test", parts: ["int32", "float32", "int32"], rules: [] },
      [
        q,
        holding("float32", Float32Array.of(scale, scale, scale), [[3], [1]]),
        holding("int32", Int32Array.from(zeros), [[3], [1]]),
      ],
      [layout([3]), layout([3])],
    );
    const expected = [2 ** 32 - 1, 16777217, 4].map((d) => Math.fround(scale * Math.fround(d)));
    expect([...dequantize(c).data()]).toEqual(expected);
  });

  test("a table gives patterns their values, and then a scale may be 0 (NF4)", () => {
    const nf: CompoundType = {
      name: "table",
      parts: ["uint4", "float32"],
      table: Float32Array.from({ length: 16 }, (_, code) => (code - 7) / 8),
      rules: [],
    };
    const values = holding("uint4", Uint8Array.of(0x70, 0xf1), [[4], [1]]);
    const scales = (...s: number[]) => holding("float32", Float32Array.from(s), [[2], [1]]);
    const blocks = [layout([[2, 2]], [[0, 1]])];
    const nested: Part = { ...values, layout: layout([[2, 2]]) };
    expect(dequantize(makeCompound(nf, [nested, scales(8, 0)], blocks)).toArray()).toEqual([-7, 0, -0, 0]);
    const affine: CompoundType = { name: "affine", parts: ["uint4", "float32"], rules: [] };
    expect(() => dequantize(makeCompound(affine, [nested, scales(8, 0)], blocks))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE", given: 0, position: 1 }),
    );
    expect(() => dequantize(makeCompound(nf, [nested, scales(8, Number.NaN)], blocks))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE", given: Number.NaN, position: 1 }),
    );
  });

  test("a power of two whose pattern stands for nothing is refused", () => {
    const powers = holding("float8_e8m0", Uint8Array.of(127, 255), [[2], [1]]);
    const c = makeCompound(mxfp4, [holding("float4_e2m1", Uint8Array.of(0x11), [[2], [1]]), powers], [layout([2])]);
    expect(() => dequantize(c)).toThrow(expect.objectContaining({ code: "SW_TENSOR_VALUE", position: 1 }));
  });

  test("a last block that is not full is read through the box (A7)", () => {
    // 2 rows of 5 in blocks of 4: memory holds 2 rows of 8.
    const values = holding(
      "int8",
      Int8Array.from({ length: 16 }, (_, i) => i),
      [
        [2, [4, 2]],
        [8, [1, 4]],
      ],
    );
    const scales = holding("float32", Float32Array.of(1, 10, 100, 1000), [[4], [1]]);
    const c = makeCompound(blockInt8, [values, scales], [layout([2, [4, 2]], [2, [0, 1]])], [2, 5]);
    const out = dequantize(c);
    expect([out.toArray(), out.strides]).toEqual([
      [
        [0, 1, 2, 3, 40],
        [800, 900, 1000, 1100, 12000],
      ],
      [5, 1],
    ]);
    expect(dequantize(c, "float64").toArray()).toEqual(out.toArray());
  });
});

describe("dequantize", () => {
  const x = randn([6, 8], { seed: 5 });
  const q = quantize(x, blockInt8, { blockSize: 4 });

  test("keeps the order of strides and the nest of the first part", () => {
    expect(String(dequantize(q).layout)).toBe("(6,(4,2)):(8,(1,4))");
    const transposed = q.mapLeading((l) => permuteAxes(l, [1, 0]), "permute");
    expect(String(dequantize(transposed).layout)).toBe("((4,2),6):((1,4),8)");
    expect(dequantize(q).reshape([6, 8]).strides).toEqual([8, 1]);
  });

  test("gives any float dtype, rounded from float32", () => {
    const values = dequantize(q);
    for (const dtype of ["float64", "float16", "bfloat16"] as const) {
      expect(dequantize(q, dtype).data()).toEqual(cast(values, dtype).data());
    }
    expect(() => dequantize(q, "int8")).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED", given: "int8" }),
    );
  });

  test("takes the memory of its result only, also where it throws", () => {
    const memory = new BufferPool({ source: heapMemory() });
    withScope({ memory }, () => {
      for (const dtype of ["float32", "float16"] as const) {
        const out = dequantize(q, dtype);
        expect(memory.statistics().live).toBe(1);
        out.dispose();
      }
      const broken = {
        name: "broken",
        seamVersion: 1,
        kernels: {
          cast: () => {
            throw new Error("no cast");
          },
        },
      } as const;
      withScope({ kernels: [broken] }, () => expect(() => dequantize(q, "float16")).toThrow("no cast"));
      expect(memory.statistics().live).toBe(0);
    });
  });

  test("refuses anything else", () => {
    const gone = zeros([2]);
    gone.dispose();
    for (const [other, got] of [
      [zeros([1000]), "an object of class Tensor"],
      [gone, "an object of class Tensor"],
      [Object.create(null), "{}"],
      [null, "null"],
      [Symbol("s"), "a symbol"],
    ]) {
      const message = `dequantize: not a tensor of several parts: got ${String(got)}, expected one made by quantize or makeCompound.`;
      expect(() => dequantize(other as never)).toThrow(new TypeError(message));
      expect(() => quantize(x, other as never)).toThrow(
        new TypeError(`quantize: not a type of several parts: got ${String(got)}, expected { name, parts, rules }.`),
      );
    }
    expect(() => dequantize(q, "f16" as never)).toThrow(TypeError);
    const lone = makeCompound({ name: "lone", parts: ["int8"], rules: [] }, [part("int8", 1, [[1], [1]])], []);
    expect(() => dequantize(lone)).toThrow(expect.objectContaining({ code: "SW_TENSOR_UNSUPPORTED" }));
    const stale = quantize(x, mxfp4, { blockSize: 8 });
    stale.dispose();
    expect(() => dequantize(stale)).toThrow(
      expect.objectContaining({ code: "SW_BUFFER_STALE", name: "StaleTensorError" }),
    );
  });
});
