import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ElementTypeName, Quantisation } from "../src/descriptor/index.js";
import { elementTypeNamed } from "../src/descriptor/index.js";
import {
  checkData,
  fromNumbers,
  type QuantizedStorage,
  type QuantizeOptions,
  quantize,
  toNumbers,
  toSparse,
  valueAt,
  valuesOf,
} from "../src/values/index.js";
import { thrown } from "./support.js";
import { coordinatesOf, raw, tensorOf } from "./support-values.js";

const row = { kind: "rowMajor" } as const;
const quantised = (
  type: ElementTypeName,
  shape: number[],
  data: ArrayBufferView,
  quantisation: Quantisation,
  ...parameters: ArrayBufferView[]
) => tensorOf(type, shape, row, [raw(data), ...parameters.map(raw)], { quantisation });
const values = (t: Parameters<typeof valuesOf>[0]) => [...(valuesOf(t).elements as Float32Array)];

describe("dequantising", () => {
  test("A34 differences are exact before they are rounded: uint32 beside a negative zero point", () => {
    const q = { scheme: "perTensor", scale: 1, zeroPoint: 3 } as const;
    const t = quantised("uint32", [2], Uint32Array.of(0xffffffff, 0), q);
    expect(values(t)).toEqual([Math.fround(0xfffffffc), -3]);
  });

  test("A8 scales and zero points in one buffer: the zero points follow", () => {
    const q = { scheme: "perChannel", axis: 0, scaleBuffer: 1, zeroPointBuffer: 1 } as const;
    const both = new Uint8Array(16);
    both.set(raw(Float32Array.of(2, 0.5)));
    both.set(raw(Int32Array.of(1, -1)), 8);
    expect(values(quantised("int8", [2, 2], Int8Array.of(1, 2, 3, 4), q, both))).toEqual([0, 2, 2, 2.5]);
  });

  test("blocks along an inner axis, one scale for each of the others (section 7)", () => {
    const q = { scheme: "perBlock", axis: 0, blockSize: 2, scaleBuffer: 1, scaleTypeTag: 2 } as const;
    const scales = fromNumbers("bfloat16", [1, 2, 10, 20]);
    const t = quantised("int8", [4, 2], Int8Array.of(1, 1, 2, 2, 3, 3, 4, 4), q, scales);
    // Block of an index: the other index times the blocks of the axis, plus the block along it.
    expect(values(t)).toEqual([1, 10, 2, 20, 6, 60, 8, 80]);
  });

  test("a quantised sparse tensor: what is not stored is 0, not the zero point", () => {
    const q = { scheme: "perTensor", scale: 0.5, zeroPoint: 4 } as const;
    const layout = { kind: "coo", nnz: 2n, isSorted: true } as const;
    const t = tensorOf("uint8", [4], layout, [Uint8Array.of(4, 8), [0, 2]], { quantisation: q });
    expect(values(t)).toEqual([0, 0, 2, 0]);
    expect([0, 1, 2, 3].map((x) => valueAt(t, [x]))).toEqual([0, 0, 2, 0]);
    const perChannel = { scheme: "perChannel", axis: 0, scaleBuffer: 2 } as const;
    const scaled = tensorOf("uint8", [4], layout, [Uint8Array.of(4, 8), [0, 2], raw(Float32Array.of(1, 2, 3, 4))], {
      quantisation: perChannel,
    });
    expect(values(scaled)).toEqual([4, 0, 24, 0]);
    expect(toSparse(scaled, "coo").descriptor.typeTag).toBe(3);
  });

  test("R97 scales are finite and not 0; those of NF4 may be 0", async () => {
    const q = { scheme: "perChannel", axis: 0, scaleBuffer: 1 } as const;
    for (const scale of [0, NaN, Infinity]) {
      const t = quantised("int8", [2], Int8Array.of(1, 2), q, Float32Array.of(1, scale));
      const error = { code: "SW_HURRAY_DATA_INVALID", rule: "R97", field: "buffer 1", byteOffset: 4 };
      expect(await thrown(() => checkData(t, { mode: "permissive" }))).toMatchObject(error);
    }
    const nf4 = { scheme: "nf4", axis: 0, blockSize: 8, scaleBuffer: 1 } as const;
    expect(values(quantised("uint4", [8], Uint8Array.of(0, 0, 0, 0xff), nf4, Float32Array.of(0)))[7]).toBe(0);
    const negative = quantised("uint4", [8], new Uint8Array(4), nf4, Float32Array.of(-1));
    expect(await thrown(() => valueAt(negative, [0]))).toMatchObject({ rule: "R97" });
  });

  test("R98 zero points are stored values", async () => {
    const q = { scheme: "perChannel", axis: 0, scaleBuffer: 1, zeroPointBuffer: 2 } as const;
    const t = quantised("int4", [2], Uint8Array.of(0x21), q, Float32Array.of(1, 1), Int32Array.of(-8, 8));
    expect(await thrown(() => checkData(t))).toMatchObject({ rule: "R98", field: "buffer 2", byteOffset: 4, given: 8 });
  });

  test("a private scheme has data and no values", async () => {
    const q = { scheme: "private", tag: 0xf0, version: 1, flags: 0, data: new Uint8Array(0) } as const;
    const t = quantised("int8", [1], Int8Array.of(1), q);
    checkData(t);
    expect(await thrown(() => valuesOf(t))).toMatchObject({ code: "SW_HURRAY_QUANTISED_UNSUPPORTED" });
  });
});

describe("quantising", () => {
  const STORAGES = ["int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32"] as const;

  const cases = fc
    .record({
      shape: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(4, 8), fc.integer({ min: 1, max: 3 })),
      scheme: fc.constantFrom("perTensor" as const, "perChannel" as const, "perBlock" as const),
      storage: fc.constantFrom(...STORAGES),
      symmetric: fc.boolean(),
      scaleType: fc.constantFrom("float16" as const, "bfloat16" as const, "float32" as const),
      numbers: fc.infiniteStream(fc.double({ min: -1000, max: 1000, noNaN: true })),
    })
    .map(({ scheme, storage, scaleType, symmetric, ...rest }) => {
      const blocks = scheme === "perBlock" && elementTypeNamed(storage).bits <= 8;
      const options: QuantizeOptions = {
        scheme: blocks ? scheme : scheme === "perBlock" ? "perChannel" : scheme,
        storage,
        symmetric,
        ...(scheme !== "perTensor" && { axis: 1 }),
        ...(blocks && { blockSize: 4, scaleType }),
      };
      return { ...rest, options };
    });

  test("law: a value comes back within half its scale and the rounding of float32", () => {
    fc.assert(
      fc.property(cases, ({ shape, options, numbers }) => {
        const count = shape.reduce((product, extent) => product * extent, 1);
        const unsigned = options.symmetric === true && options.storage.startsWith("u");
        const given = Float64Array.from({ length: count }, () => numbers.next().value as number);
        const input = unsigned ? given.map(Math.abs) : given;
        const t = quantize(input, shape, options);
        const back = values(t);
        const scaleType = options.scaleType ?? "float32";
        const q = t.descriptor.quantisation!;
        const scales =
          q.scheme === "perTensor" ? [q.scale] : [...toNumbers(scaleType, fromBytes(scaleType, t.buffers[1]!))];
        [...coordinatesOf(shape)].forEach(([a, b, c], i) => {
          const [, extent, inner] = shape;
          const p =
            q.scheme === "perTensor"
              ? 0
              : q.scheme === "perChannel"
                ? b!
                : (a! * inner + c!) * (extent / 4) + Math.floor(b! / 4);
          const bound = (scales[p]! / 2) * (1 + 2 ** -40) + Math.abs(back[i]!) * 2 ** -23;
          expect(Math.abs(back[i]! - input[i]!)).toBeLessThanOrEqual(bound);
        });
      }),
    );
  });

  const fromBytes = (type: "float16" | "bfloat16" | "float32", bytes: Uint8Array) =>
    type === "float32" ? new Float32Array(bytes.slice().buffer) : new Uint16Array(bytes.slice().buffer);

  test("zeros stay zeros, and a tensor of zeros has the scale 1", () => {
    const t = quantize(Float32Array.of(0, 0), [2], { scheme: "perTensor", storage: "uint8" });
    expect(t.descriptor.quantisation).toEqual({ scheme: "perTensor", scale: 1, zeroPoint: 0 });
    const shifted = quantize(Float32Array.of(-3, 0, 10), [3], { scheme: "perTensor", storage: "uint8" });
    expect(values(shifted)[1]).toBe(0);
  });

  test("the scale is the least of its type that spans the values: never below, and one step less is too small", () => {
    const t = quantize(Float32Array.of(0, 0.1, 1.1, 0), [4], {
      scheme: "perBlock",
      storage: "uint8",
      axis: 0,
      blockSize: 4,
      scaleType: "float16",
      symmetric: true,
    });
    const code = new Uint16Array(t.buffers[1]!.slice().buffer)[0]!;
    const scale = (c: number) => toNumbers("float16", Uint16Array.of(c))[0]!;
    const needed = Math.fround(1.1) / 255;
    expect(scale(code)).toBeGreaterThanOrEqual(needed);
    expect(scale(code - 1)).toBeLessThan(needed);
    const tiny = quantize(Float64Array.of(1e-60), [1], { scheme: "perTensor", storage: "int8" });
    expect(tiny.descriptor.quantisation).toMatchObject({ scale: 2 ** -149 });
  });

  test("what cannot be quantised is refused", async () => {
    const two = Float32Array.of(1, -2);
    const field = async (given: Float32Array, options: Partial<QuantizeOptions>, shape = [2]) => {
      const error = await thrown(() => quantize(given, shape, { scheme: "perTensor", storage: "int8", ...options }));
      expect(error).toMatchObject({ name: "HurrayValueError", code: "SW_HURRAY_VALUE" });
      return error["field"];
    };
    expect(await field(Float32Array.of(NaN, 1), {})).toBe("values");
    expect(await field(two, {}, [3])).toBe("values");
    expect(await field(two, { storage: "uint8", symmetric: true })).toBe("values");
    expect(await field(two, { storage: "float32" as QuantizedStorage })).toBe("storage");
    expect(await field(two, { scheme: "perBlock", storage: "int16", axis: 0, blockSize: 2 })).toBe("storage");
    expect(await field(two, { scheme: "perChannel", axis: 1 })).toBe("axis");
    expect(await field(two, { scheme: "perBlock", axis: 0 })).toBe("blockSize");
    expect(await field(Float32Array.of(1, 2, 3), { scheme: "perBlock", axis: 0, blockSize: 2 }, [3])).toBe("blockSize");
    expect(await field(two, { scaleType: "float16" })).toBe("scaleType");
    expect(
      await field(Float32Array.of(1e30, 1), { scheme: "perBlock", axis: 0, blockSize: 2, scaleType: "float16" }),
    ).toBe("values");
  });
});
