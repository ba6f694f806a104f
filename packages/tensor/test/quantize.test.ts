import { BufferPool, heapMemory } from "@sw/buffer";
import { rowMajor, tiled } from "@sw/layout";
import { arange, cast, type DType, fromBuffer, rand, randn, type Tensor, tensor, zeros } from "@sw/tensor";
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
  STORAGE,
} from "@sw/tensor/compound";
import { withScope } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const bitsBuffer = new DataView(new ArrayBuffer(4));
function float32Of(bits: number): number {
  bitsBuffer.setUint32(0, bits);
  return bitsBuffer.getFloat32(0);
}

/** The distance to the next float32 from a magnitude. */
function ulp(x: number): number {
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x) || 2 ** -149)), -126);
  return 2 ** (exponent - 23);
}

/** The scale of each element, row-major, read by coordinates. */
function scalesOf(q: CompoundTensor): Tensor<"float32"> {
  const type: CompoundType = { name: "ones", parts: ["uint8", q.parts[1]!.dtype], rules: [] };
  const buffer = new BufferPool({ source: heapMemory() }).allocate(q.size);
  buffer.view(Uint8Array).fill(1);
  const ones: Part = { dtype: "uint8", buffer, generation: buffer.generation, offset: 0, layout: q.layout };
  return dequantize(makeCompound(type, [ones, q.parts[1]!], [q.adjacent[0]!]));
}

const finiteBits = fc
  .integer({ min: 0, max: 2 ** 32 - 1 })
  .map(float32Of)
  .filter(Number.isFinite);
/** Elements of one order of magnitude mostly, of any sometimes, and the edges of float32. */
const element = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: -8, max: 8, noNaN: true }).map(Math.fround) },
  { weight: 2, arbitrary: finiteBits },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 2 ** -149, -(2 ** -149), 3 * 2 ** -149, 2 ** -126) },
);
const ordinary = element.filter((x) => Math.abs(x) < 2 ** 127);
const blocks = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(1, 2, 3, 8)).chain(([count, size]) =>
  fc.record({
    size: fc.constant(size),
    elements: fc.array(ordinary, { minLength: count * size, maxLength: count * size }),
  }),
);

describe("the error bounds of quantisation", () => {
  for (const [type, zeroPoints] of [
    [blockInt8, false],
    [blockInt4, false],
    [blockInt8, true],
    [blockInt4, true],
  ] as const) {
    test(`${type.name}${zeroPoints ? " with zero points" : ""} is within half a scale, float32 rounding aside`, () => {
      fc.assert(
        fc.property(blocks, ({ size, elements }) => {
          const q = quantize(tensor(elements), type, { blockSize: size, zeroPoints });
          const values = dequantize(q).data();
          const scales = scalesOf(q).data();
          elements.forEach((x, i) => {
            expect(Math.abs(x - values[i]!)).toBeLessThanOrEqual(
              scales[i]! / 2 + ulp(Math.max(Math.abs(x), scales[i]!)),
            );
          });
        }),
        { numRuns: 300 },
      );
    });
  }

  test("mxfp4 is within one scale, which is at most a third of the largest of its block", () => {
    fc.assert(
      fc.property(blocks, ({ size, elements }) => {
        const q = quantize(tensor(elements), mxfp4, { blockSize: size });
        const values = dequantize(q).data();
        const scales = scalesOf(q).data();
        elements.forEach((x, i) => {
          expect(Math.abs(x - values[i]!)).toBeLessThanOrEqual(scales[i]!);
          const block = elements.slice(i - (i % size), i - (i % size) + size);
          const largest = Math.max(...block.map(Math.abs));
          if (largest >= 2 ** -124) expect(scales[i]!).toBeLessThan(largest / 3);
        });
      }),
      { numRuns: 300 },
    );
  });

  test("next to the largest float32 nothing becomes infinite, and the bound is one scale", () => {
    const largest = (2 - 2 ** -23) * 2 ** 127;
    const near = fc.oneof(
      fc.constantFrom(largest, -largest, 2 ** 127, -(2 ** 127)),
      fc.double({ min: -largest, max: largest, noNaN: true }).map(Math.fround).filter(Number.isFinite),
    );
    fc.assert(
      fc.property(
        fc.array(near, { minLength: 4, maxLength: 4 }),
        fc.constantFrom(blockInt8, blockInt4, mxfp4),
        fc.boolean(),
        (elements, type, zeroPoints) => {
          const q = quantize(tensor(elements), type, { blockSize: 4, zeroPoints: zeroPoints && type !== mxfp4 });
          const values = dequantize(q).data();
          const scale = scalesOf(q).data()[0]!;
          elements.forEach((x, i) => {
            expect(Math.abs(x / 4 - values[i]! / 4)).toBeLessThanOrEqual((scale / 4) * (1 + 2 ** -20));
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  test("values of mxfp4 are quantised again without any error", () => {
    fc.assert(
      fc.property(blocks, ({ size, elements }) => {
        const once = dequantize(quantize(tensor(elements), mxfp4, { blockSize: size }));
        expect(dequantize(quantize(once, mxfp4, { blockSize: size })).data()).toEqual(once.data());
      }),
      { numRuns: 300 },
    );
  });
});

describe("how blocks are stored", () => {
  test("the quantised axis is nested, elements are row-major, scales in the order of blocks (spine 5)", () => {
    const q = quantize(arange(24).reshape([2, 12]), blockInt4, { blockSize: 4 });
    expect([String(q.layout), String(q.adjacent[0]), String(q.parts[1]!.layout)]).toEqual([
      "(2,(4,3)):(12,(1,4))",
      "(2,(4,3)):(3,(0,1))",
      "(6):(1)",
    ]);
    expect(q.parts.map((p) => [p.dtype, p.buffer.byteLength])).toEqual([
      ["int4", 12],
      ["float32", 24],
    ]);
    expect([...q.parts[1]!.buffer.view(Float32Array)].map((s) => Math.round(s * 7))).toEqual([3, 7, 11, 15, 19, 23]);
  });

  test("another axis: blocks of the axis are fastest, the other axes row-major", () => {
    const x = arange(2 * 4 * 3).reshape([2, 4, 3]);
    const q = quantize(x, blockInt8, { axis: 1, blockSize: 2, zeroPoints: true });
    expect([String(q.layout), String(q.adjacent[0])]).toEqual(["(2,(2,2),3):(12,(3,6),1)", "(2,(2,2),3):(6,(0,1),2)"]);
    expect([q.parts.map((p) => p.dtype), String(q.adjacent[1])]).toEqual([["int8", "float32", "int32"], "(12):(1)"]);
    const values = dequantize(q).data();
    x.data().forEach((v, i) => {
      expect(Math.abs(v - values[i]!)).toBeLessThan(0.05);
    });
  });

  test("packed elements fill bytes from the lowest bits, negative ones as two's complement", () => {
    const q = quantize(tensor([7, -7, 1, -1, 0, 3]), blockInt4, { blockSize: 6 });
    expect([...q.parts[0]!.buffer.view(Uint8Array)]).toEqual([0x97, 0xf1, 0x30]);
    const odd = quantize(tensor([6, -0.5, 3]), mxfp4, { blockSize: 3 });
    expect([...odd.parts[0]!.buffer.view(Uint8Array)]).toEqual([0x97, 0x05]);
    expect([...odd.parts[1]!.buffer.view(Uint8Array)]).toEqual([127]);
  });

  test("mxfp4 rounds ties to the even pattern, and keeps signs of zero", () => {
    const ties = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, 6];
    const q = quantize(tensor([...ties, ...ties.map((x) => -x)]), mxfp4, { blockSize: 16 });
    const expected = [0, 1, 1, 2, 2, 4, 4, 6];
    expect([...dequantize(q).data()]).toEqual([...expected, ...expected.map((x) => -x)]);
  });

  test("mxfp4 rounds the power up, where it would saturate, and clamps it to its 254", () => {
    const powers = (x: number) => quantize(tensor([x]), mxfp4, { blockSize: 1 }).parts[1]!.buffer.view(Uint8Array)[0];
    expect([6, 6.0001, 7.99, 8, 12, 12.1, 0, 2 ** -149].map(powers)).toEqual([127, 128, 128, 128, 128, 129, 127, 1]);
    expect(powers((2 - 2 ** -23) * 2 ** 127)).toBe(253);
  });

  test("a block of zeros has the scale 1", () => {
    for (const type of [blockInt8, blockInt4]) {
      for (const zeroPoints of [false, true]) {
        const q = quantize(zeros([4]), type, { blockSize: 2, zeroPoints });
        expect([...q.parts[1]!.buffer.view(Float32Array)]).toEqual([1, 1]);
        expect([...dequantize(q).data()]).toEqual([0, 0, 0, 0]);
      }
    }
  });

  test("every float dtype and every layout of the source is taken", () => {
    const x = randn([4, 6], { seed: 3 });
    const expected = dequantize(quantize(x, blockInt8, { blockSize: 3 })).data();
    const tiles = x.toLayout(tiled([4, 6], { tile: [2, 3], outer: "rowMajor", inner: "columnMajor" }));
    for (const source of [cast(x, "float64"), tiles, x.T.contiguous().T]) {
      expect(dequantize(quantize(source, blockInt8, { blockSize: 3 })).data()).toEqual(expected);
    }
    const half = cast(x, "float16");
    const halved = dequantize(quantize(half, blockInt8, { blockSize: 3 })).data();
    expect(halved).toEqual(dequantize(quantize(cast(half, "float32"), blockInt8, { blockSize: 3 })).data());
  });

  test("an axis without elements has no blocks", () => {
    for (const shape of [[0], [2, 0], [0, 32]]) {
      const q = quantize(zeros(shape), mxfp4);
      expect([q.shape, q.parts[1]!.layout.size, dequantize(q).toArray()]).toEqual([shape, 0, zeros(shape).toArray()]);
    }
  });

  test("a type of one's own says how it is encoded", () => {
    const signs: CompoundType = {
      name: "signs",
      parts: ["uint4", "float16"],
      table: Float32Array.from({ length: 16 }, (_, code) => (code === 1 ? -1 : 1)),
      rules: [],
      encoder: () => ({
        fit: (low, high) => ({ scale: Math.max(-low, high), zero: 0 }),
        encode: (x) => (x < 0 ? 1 : 0),
      }),
    };
    const q = quantize(tensor([1.5, -1, 4, 0.5]), signs, { blockSize: 2 });
    expect([...dequantize(q).data()]).toEqual([1.5, -1.5, 4, 4]);
  });
});

describe("what quantize refuses", () => {
  test("wrong values, by code and fields, with no memory taken", () => {
    const memory = new BufferPool({ source: heapMemory() });
    const x = rand([4, 64], { seed: 1 });
    const gone = zeros([32]);
    gone.dispose();
    const padded = fromBuffer("float32", zeros([64]).buffer, rowMajor([1, 64]), 0, [1, 32]);
    const huge = tensor(Float64Array.of(0, 1e39));
    const refused: [t: unknown, type: unknown, options: unknown, fields: object][] = [
      [[1, 2], mxfp4, {}, { name: "TypeError" }],
      [gone, mxfp4, {}, { code: "SW_BUFFER_STALE" }],
      [padded, mxfp4, {}, { code: "SW_TENSOR_UNSUPPORTED" }],
      [quantize(x, mxfp4), mxfp4, {}, { code: "SW_TENSOR_UNSUPPORTED" }],
      [arange(32, undefined, 1, { dtype: "int32" }), mxfp4, {}, { code: "SW_TENSOR_DTYPE_REFUSED", given: "int32" }],
      [x, "mxfp4", {}, { name: "TypeError" }],
      [x, { name: "read", parts: ["int8", "float32"], rules: [] }, {}, { code: "SW_TENSOR_UNSUPPORTED" }],
      [x, mxfp4, { axis: 2 }, { code: "SW_TENSOR_AXIS", axis: 2 }],
      [x, mxfp4, { axis: 0.5 }, { name: "TypeError" }],
      [tensor(1), mxfp4, {}, { code: "SW_TENSOR_AXIS" }],
      [x, mxfp4, { blockSize: 1.5 }, { name: "TypeError" }],
      [x, mxfp4, { blockSize: 0 }, { code: "SW_TENSOR_OPTION", given: 0, expected: 1 }],
      [x, mxfp4, { blockSize: 48 }, { code: "SW_TENSOR_SHAPE_MISMATCH", given: 64, expected: 48, axis: 1 }],
      [x, blockInt4, { axis: 0 }, { code: "SW_TENSOR_SHAPE_MISMATCH", given: 4, expected: 32, axis: 0 }],
      [x, mxfp4, { zeroPoints: true }, { code: "SW_TENSOR_OPTION", given: true }],
      [x, blockInt8, { zeroPoints: 1 }, { name: "TypeError" }],
      [
        tensor([[1, Number.NaN]]),
        blockInt8,
        { blockSize: 1 },
        { code: "SW_TENSOR_VALUE", given: Number.NaN, position: 1 },
      ],
      [
        tensor([
          [1, 2],
          [-Infinity, 0],
        ]),
        mxfp4,
        { blockSize: 2, axis: 0 },
        { code: "SW_TENSOR_VALUE", position: 2 },
      ],
      [huge, blockInt8, { blockSize: 2 }, { code: "SW_TENSOR_VALUE", given: Number.POSITIVE_INFINITY, position: 1 }],
    ];
    withScope({ memory }, () => {
      for (const [t, type, options, fields] of refused) {
        expect(() => quantize(t as Tensor, type as never, options as never)).toThrow(expect.objectContaining(fields));
      }
    });
    expect(memory.statistics().live).toBe(0);
  });

  test("an error halfway gives all memory back", () => {
    const memory = new BufferPool({ source: heapMemory() });
    const strict: CompoundType = {
      ...blockInt8,
      rules: [
        () => {
          throw new Error("no");
        },
      ],
    };
    withScope({ memory }, () => expect(() => quantize(zeros([32]).T, strict)).toThrow("no"));
    expect(memory.statistics().live).toBe(1);
  });
});

test("at the largest float32 the bound is one scale, everywhere else half of one", () => {
  const largest = (2 - 2 ** -23) * 2 ** 127;
  for (const type of [blockInt8, blockInt4]) {
    for (const x of [largest, -largest, largest / 2, 1e38, 3e38]) {
      const q = quantize(tensor([x, 0]), type, { blockSize: 2 });
      const scale = Math.fround(x / (type === blockInt8 ? 127 : 7));
      const error = Math.abs(dequantize(q).at(0) - Math.fround(x));
      const bound = Math.abs(x) === largest ? 1 : 0.5;
      expect(error / Math.abs(scale)).toBeLessThanOrEqual(bound);
    }
  }
});

test("every storage dtype says how wide it is", () => {
  const widths: [string, number][] = Object.entries(STORAGE).map(([name, { bits }]) => [name, bits]);
  expect(widths.filter(([, bits]) => bits === 4).map(([name]) => name)).toEqual(["int4", "uint4", "float4_e2m1"]);
  const { decode } = STORAGE.float8_e8m0;
  expect([decode![0], decode![1], decode![127], decode![254], decode![255]]).toEqual([
    Number.NaN,
    2 ** -126,
    1,
    2 ** 127,
    Number.NaN,
  ]);
  const names: DType[] = ["float32", "bfloat16", "int64"];
  expect(names.map((name) => STORAGE[name].bits)).toEqual([32, 16, 64]);
});
