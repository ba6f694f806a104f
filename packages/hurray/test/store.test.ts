import { BufferPool, heapMemory } from "@sw/buffer";
import {
  blocked,
  indexOf,
  type Layout,
  layout,
  layoutEquals,
  morton,
  strided,
  type TiledForm,
  type TileOrder,
  tiled,
} from "@sw/layout";
import { coalesceByMode } from "@sw/layout/algebra";
import { arange, asTensor, DTYPES, type DType, type Tensor, tensor, zeros } from "@sw/tensor";
import { current, fromBuffer, withScope } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dataRange, decodeDescriptor, encodeDescriptor, load, store } from "../src/index.js";
import { thrown } from "./support.js";

/** A tensor of `shape` whose bytes are all different from their neighbours, NaN patterns included. */
function patterned(dtype: DType, shape: readonly number[], seed = 1): Tensor {
  const size = shape.reduce((a, b) => a * b, 1);
  const info = DTYPES[dtype];
  const bytes = Uint8Array.from(
    { length: size * info.byteLength },
    (_, i) => ((i + seed) * 197 + (i >> 3) * 31) & 0xff,
  );
  const t = zeros(shape, { dtype });
  t.buffer.view(Uint8Array).set(dtype === "bool" ? bytes.map((b) => (b >> 4) & 1) : bytes);
  return t;
}

/** The bytes of each element in row-major order: what must survive. */
function elementBytes(t: Tensor): string {
  const c = t.contiguous();
  const width = DTYPES[t.dtype].byteLength;
  return Buffer.from(c.buffer.view(Uint8Array).subarray(c.offset * width, (c.offset + c.size) * width)).toString("hex");
}

function roundTrip(t: Tensor): { readonly back: Tensor; readonly packed: boolean; readonly kind: string } {
  const stored = store(t);
  const descriptor = decodeDescriptor(encodeDescriptor(stored.descriptor));
  expect(descriptor).toEqual(stored.descriptor);
  const range = dataRange(descriptor)!;
  expect(range).toEqual({ start: 0n, end: BigInt(stored.buffers[0]!.byteLength) });
  const { tensor: back } = load({ descriptor, buffers: stored.buffers });
  expect(back.shape).toEqual(t.shape);
  expect(back.dtype).toBe(t.dtype);
  expect(elementBytes(back)).toBe(elementBytes(t));
  return { back, packed: stored.packed, kind: descriptor.layout.kind };
}

describe("what is stored and how", () => {
  for (const dtype of Object.keys(DTYPES) as DType[]) {
    test(`${dtype}: bit patterns survive in every layout`, () => {
      const t = patterned(dtype, [3, 4, 5]);
      expect(roundTrip(t)).toMatchObject({ packed: false, kind: "rowMajor" });
      expect(roundTrip(t.T)).toMatchObject({ packed: false, kind: "columnMajor" });
      expect(roundTrip(t.permute([1, 0, 2]))).toMatchObject({ packed: false, kind: "strided" });
      expect(roundTrip(t.flip(0).flip(2))).toMatchObject({ packed: false, kind: "strided" });
      expect(roundTrip(t.select(0, 1))).toMatchObject({ packed: false, kind: "rowMajor" });
      expect(roundTrip(t.slice(2, 0, 5, 2))).toMatchObject({ packed: true, kind: "rowMajor" });
      expect(roundTrip(t.slice(1, 1, 3))).toMatchObject({ packed: true, kind: "rowMajor" });
      expect(roundTrip(t.select(0, 0).unsqueeze(0).expand([2, 4, 5]))).toMatchObject({ packed: true });
    });
  }

  test("a layout that the format can name is kept, not flattened", () => {
    const { back } = roundTrip(arange(12).reshape([3, 4]).T);
    expect(back.strides).toEqual([1, 4]);
    expect(roundTrip(arange(6).flip(0)).back.strides).toEqual([-1]);
  });

  test("scalars and empty tensors are ordinary tensors", () => {
    expect(roundTrip(tensor(3.5)).kind).toBe("rowMajor");
    expect(roundTrip(zeros([0])).packed).toBe(false);
    const { back } = roundTrip(zeros([3, 0, 5], { dtype: "bool" }));
    expect(back.shape).toEqual([3, 0, 5]);
    expect(store(zeros([3, 0, 5])).descriptor.buffers).toEqual([
      { byteSize: 0n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 },
    ]);
  });

  test("no byte outside the tensor is stored: a window of a larger buffer has its own bytes only", () => {
    const t = arange(0, 100, 1, { dtype: "int32" }).slice(0, 10, 14);
    const { buffers, packed } = store(t);
    expect(packed).toBe(false);
    expect(new Int32Array(buffers[0]!.slice().buffer)).toEqual(Int32Array.of(10, 11, 12, 13));
    const holes = store(arange(0, 8, 1, { dtype: "uint8" }).slice(0, 0, 8, 2));
    expect(holes.buffers[0]).toEqual(Uint8Array.of(0, 2, 4, 6));
  });

  test("a nested axis whose leaves continue each other comes back flat; one that does not is cut into tiles", () => {
    const t = arange(12);
    const nested = fromBuffer("float32", t.buffer, layout([[2, 2], 3], [[3, 6], 1]), 0);
    expect(roundTrip(nested)).toMatchObject({ packed: false, kind: "rowMajor" });
    const scattered = fromBuffer("float32", t.buffer, layout([[2, 2], 3], [[1, 6], 2]), 0);
    expect(roundTrip(scattered)).toMatchObject({ packed: false, kind: "tiled" });
  });

  test("storing records nothing and returns what it packed", () => {
    const pool = new BufferPool({ source: heapMemory() });
    withScope({ memory: pool }, () => {
      const t = arange(8).slice(0, 0, 8, 2);
      const before = pool.statistics().live;
      store(t);
      expect(pool.statistics().live).toBe(before);
    });
  });

  test("bool is one bit per element, lowest first, with zero padding bits", () => {
    const flags = [true, false, true, true, false, false, false, false, true, true];
    const { buffers, descriptor } = store(tensor(flags));
    expect(buffers[0]).toEqual(Uint8Array.of(0x0d, 0x03));
    expect(descriptor.buffers[0]!.byteSize).toBe(2n);
    const reversed = store(tensor(flags).flip(0));
    expect(reversed.descriptor.byteOffset).toBe(2n);
    expect(load(reversed).tensor.toArray()).toEqual([...flags].reverse());
  });

  test("what is no tensor, and a tensor that was disposed, is refused", async () => {
    expect(await thrown(() => store(3 as unknown as Tensor))).toBeInstanceOf(TypeError);
    const t = arange(3);
    t.dispose();
    expect((await thrown(() => store(t)))["code"]).toBe("SW_BUFFER_STALE");
  });
});

describe("tiled and Morton tensors", () => {
  const SECRET = 0x5e;
  /** A tensor in a layout, in memory that held something else before. */
  const placedIn = (dtype: DType, shape: readonly number[], target: Layout): Tensor => {
    const t = patterned(dtype, shape).toLayout(target);
    const width = DTYPES[dtype].byteLength;
    const bytes = t.buffer.view(Uint8Array);
    const isElement = new Set<number>();
    const visit = (coordinate: number[]): void => {
      if (coordinate.length === shape.length) isElement.add(t.offset + indexOf(target, coordinate));
      else for (let x = 0; x < shape[coordinate.length]!; x++) visit([...coordinate, x]);
    };
    visit([]);
    for (let i = 0; i < bytes.length; i++) if (!isElement.has(Math.floor(i / width))) bytes[i] = SECRET;
    return t;
  };
  const form = (tile: readonly number[], outer: TileOrder, inner: TileOrder | TiledForm) => ({ tile, outer, inner });

  for (const dtype of Object.keys(DTYPES) as DType[]) {
    test(`${dtype}: are stored as they lie, and shared when they are loaded`, () => {
      const nested = form([4, 4], "rowMajor", form([2, 4], "columnMajor", "rowMajor"));
      for (const [target, kind] of [
        [tiled([8, 8], form([4, 2], "columnMajor", "rowMajor")), "tiled"],
        [tiled([8, 8], nested), "tiled"],
        [morton([3, 3]), "morton"],
      ] as const) {
        const t = placedIn(dtype, [8, 8], target);
        const { back, packed, kind: stored } = roundTrip(t);
        expect([packed, stored]).toEqual([false, kind]);
        const flat = (l: Layout) => coalesceByMode(l, [1, 1]);
        expect(layoutEquals(flat(back.layout), flat(t.layout))).toBe(true);
        if (dtype !== "bool") expect(load(store(t), { copy: "never" }).copied).toBe(false);
      }
    });
  }

  test("R110, 0023: padding is written as zeros: no byte that lay in it leaves", () => {
    for (const [shape, target] of [
      [[6, 6], tiled([6, 6], form([4, 4], "rowMajor", "rowMajor"))],
      [[6, 7], morton([3, 3])],
      [[7, 3], tiled([7, 3], form([2, 3], "columnMajor", "columnMajor"))],
      [[8, 5], blocked([8, 5], 1, 4)],
    ] as const) {
      for (const dtype of ["uint8", "float32", "bool"] as const) {
        const t = placedIn(dtype, shape, target);
        const clean = patterned(dtype, shape).toLayout(target);
        expect(roundTrip(t)).toMatchObject({ packed: false });
        expect(store(t).buffers).toEqual(store(clean).buffers);
      }
    }
  });

  test("0023: what would be more padding than elements is packed", () => {
    const t = placedIn("uint8", [3, 3], tiled([3, 3], form([8, 8], "rowMajor", "columnMajor")));
    expect(roundTrip(t)).toMatchObject({ packed: true, kind: "rowMajor" });
    expect(store(t).buffers[0]!.byteLength).toBe(9);
  });

  test("A5: codes of unequal bits are packed, whether they leave holes or not", () => {
    expect(roundTrip(placedIn("uint8", [8, 2], morton([3, 1])))).toMatchObject({ packed: true });
    expect(roundTrip(placedIn("uint8", [2, 8], morton([1, 3])))).toMatchObject({ packed: true });
  });

  test("the copies that are made on the way are returned", () => {
    const t = placedIn("uint8", [6, 6], tiled([6, 6], form([4, 4], "rowMajor", "rowMajor")));
    const pool = new BufferPool({ source: heapMemory() });
    withScope({ memory: pool }, () => store(t));
    expect(pool.statistics().live).toBe(0);
  });

  test("law: a tensor of any tiles that divide is stored as it lies", () => {
    const axis = fc.tuple(fc.constantFrom(1, 3), fc.constantFrom(1, 3, 5), fc.constantFrom(1, 2));
    const orders = fc.constantFrom("rowMajor" as const, "columnMajor" as const);
    fc.assert(
      fc.property(
        fc.array(axis, { minLength: 1, maxLength: 3 }),
        orders,
        orders,
        orders,
        fc.nat(2),
        (axes, a, b, c, cut) => {
          const extent = axes.map(([x, y, z]) => x * y * z);
          const inner = form(
            axes.map(([x]) => x),
            b,
            c,
          );
          const target = tiled(
            extent,
            form(
              axes.map(([x, y]) => x * y),
              a,
              inner,
            ),
          );
          const shape = extent.map((e, k) => (k === 0 ? Math.max(1, e - cut) : e));
          const t = placedIn("int16", shape, target);
          const { packed } = roundTrip(t);
          if (cut === 0) expect(packed).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("loading", () => {
  test("by default the tensor has memory of its own, from the allocator in force or the one given", () => {
    const stored = store(arange(4));
    const pool = new BufferPool({ source: heapMemory() });
    const { tensor: t, ...report } = load(stored, { memory: pool });
    expect(t.buffer.owner).toBe(pool);
    expect(report).toEqual({ copied: true, realigned: false, unpacked: false });
    expect(load(stored).tensor.buffer.owner).toBe(current().memory);
    t.set(9, 0);
    expect(load(stored).tensor.at(0)).toBe(0);
  });

  test("bytes are shared on request, read-only", async () => {
    const stored = store(arange(4));
    const { tensor: t, copied } = load(stored, { copy: "never" });
    expect(copied).toBe(false);
    new Float32Array(stored.buffers[0]!.buffer as ArrayBuffer, stored.buffers[0]!.byteOffset, 4)[2] = 42;
    expect(t.at(2)).toBe(42);
    expect((await thrown(() => t.set(1, 0)))["code"]).toBe("SW_BUFFER_READ_ONLY");
  });

  test("field case 22: misaligned bytes are copied, and refused with both numbers where sharing was demanded", async () => {
    const { descriptor, buffers } = store(tensor([1.5, -2.25]));
    const room = new Uint8Array(9);
    room.set(buffers[0]!, 1);
    const shifted = { descriptor, buffers: [room.subarray(1)] };
    const loaded = load(shifted, { copy: "if-needed" });
    expect(loaded.tensor.toArray()).toEqual([1.5, -2.25]);
    expect(loaded).toMatchObject({ copied: true, realigned: true });
    const error = await thrown(() => load(shifted, { copy: "never" }));
    expect(error).toMatchObject({ code: "SW_HURRAY_ALIGNMENT", byteOffset: 1, alignment: 4 });
    expect(error.message).toBe(
      "load: unaligned bytes cannot be shared: got byte 1, expected a multiple of 4. Allow a copy.",
    );
    const int64 = store(tensor([7n, -8n]));
    const at4 = new Uint8Array(20);
    at4.set(int64.buffers[0]!, 4);
    const wide = load({ descriptor: int64.descriptor, buffers: [at4.subarray(4)] }, { copy: "if-needed" });
    expect(wide.tensor.toArray()).toEqual([7n, -8n]);
    expect(wide.realigned).toBe(true);
  });

  test("a byte offset that is no multiple of the element size is moved to one, and reported", () => {
    const { descriptor, buffers } = store(tensor([1, 2, 3]));
    const data = new Uint8Array(16);
    data.set(buffers[0]!, 3);
    const odd = { ...descriptor, byteOffset: 3n, buffers: [{ ...descriptor.buffers[0]!, byteSize: 16n }] };
    const loaded = load({ descriptor: odd, buffers: [data] });
    expect(loaded.tensor.toArray()).toEqual([1, 2, 3]);
    expect(loaded.realigned).toBe(true);
  });

  test("bool cannot be shared: it is unpacked, or refused", async () => {
    const stored = store(tensor([true, false, true]));
    expect(load(stored, { copy: "if-needed" })).toMatchObject({ copied: true, unpacked: true });
    expect((await thrown(() => load(stored, { copy: "never" })))["code"]).toBe("SW_HURRAY_TYPE_UNSUPPORTED");
  });

  test("buffers shorter than the descriptor says are refused before anything is allocated", async () => {
    const { descriptor } = store(arange(4));
    const error = await thrown(() => load({ descriptor, buffers: [new Uint8Array(15)] }));
    expect(error).toMatchObject({ name: "HurraySourceError", code: "SW_HURRAY_SOURCE_SHORT" });
    expect((await thrown(() => load({ descriptor, buffers: [] })))["code"]).toBe("SW_HURRAY_SOURCE_SHORT");
  });

  const plain = store(arange(4)).descriptor;
  const big = 2n ** 40n;
  const cases: readonly (readonly [string, string, object])[] = [
    ["complex64", "SW_HURRAY_TYPE_UNSUPPORTED", { typeTag: 0x50 }],
    ["a private type", "SW_HURRAY_TYPE_UNSUPPORTED", { typeTag: 0xf1 }],
    [
      "a quantised tensor",
      "SW_HURRAY_QUANTISED_UNSUPPORTED",
      { quantisation: { scheme: "perTensor", scale: 1, zeroPoint: 0 } },
    ],
    ["memory of CUDA", "SW_HURRAY_DEVICE_UNSUPPORTED", { buffers: [{ ...plain.buffers[0]!, deviceTag: 1 }] }],
    [
      "memory of a private device",
      "SW_HURRAY_DEVICE_UNSUPPORTED",
      { buffers: [{ ...plain.buffers[0]!, deviceTag: 0xf0 }] },
    ],
    ["a dynamic dimension", "SW_HURRAY_DYNAMIC_UNSUPPORTED", { shape: [0xffffffffffffffffn] }],
    ["rank 9", "SW_HURRAY_LIMIT", { shape: Array(9).fill(1n) }],
    ["an extent of 2^31", "SW_HURRAY_LIMIT", { shape: [2n ** 31n, 0n] }],
    ["a product of 2^32", "SW_HURRAY_LIMIT", { shape: [65536n, 65536n, 0n] }],
    ["2^32 bytes", "SW_HURRAY_LIMIT", { shape: [2n ** 30n] }],
    ["a stride of 2^40", "SW_HURRAY_LIMIT", { shape: [1n], layout: { kind: "strided", strides: [big] } }],
  ];
  for (const [what, code, patch] of cases) {
    test(`${what} is refused as a tensor, with the reason`, async () => {
      const descriptor = { ...plain, ...patch };
      const error = await thrown(() => load({ descriptor, buffers: [new Uint8Array(16)] }));
      expect(error["code"]).toBe(code);
      if (code === "SW_HURRAY_LIMIT") expect(typeof error["limit"]).toBe("string");
    });
  }
});

test("law: any permuted, reversed, cut or repeated view survives storing and loading, element for element", () => {
  const view = fc.record({
    dtype: fc.constantFrom(...(Object.keys(DTYPES) as DType[])),
    shape: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 4 }),
    order: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    flips: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    cut: fc.option(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 3 }))),
    repeat: fc.boolean(),
  });
  fc.assert(
    fc.property(view, ({ dtype, shape, order, flips, cut, repeat }) => {
      let t = patterned(dtype, shape, shape.length);
      const axes = shape.map((_, k) => k).sort((a, b) => order[a]! - order[b]!);
      t = t.permute(axes);
      axes.forEach((_, k) => {
        if (flips[k]) t = t.flip(k);
      });
      if (cut !== null) {
        const axis = cut[0] % t.rank;
        const start = cut[1] % (t.shape[axis]! + 1);
        t = t.slice(axis, start, t.shape[axis]!, cut[2]);
      }
      if (repeat) t = t.unsqueeze(0).expand([2, ...t.shape]);
      const { packed } = roundTrip(t);
      if (repeat && t.size > 0) expect(packed).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("a strided tensor that overlaps itself is packed", () => {
  const t = asTensor(Float32Array.of(1, 2, 3, 4));
  const windows = fromBuffer("float32", t.buffer, strided([3, 2], [1, 1]), t.offset);
  const { back, packed } = roundTrip(windows);
  expect(packed).toBe(true);
  expect(back.toArray()).toEqual([
    [1, 2],
    [2, 3],
    [3, 4],
  ]);
});
