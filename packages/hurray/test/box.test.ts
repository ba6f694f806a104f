import { BufferPool, heapMemory } from "@sw/buffer";
import { arange, cast, type DType, type Tensor } from "@sw/tensor";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeHurray, FileWriter, type HurrayFile, openHurray, readBox } from "../src/index.js";
import { bytesTensor, dataAt, sparseFile } from "./sparse-file.js";
import { thrown } from "./support.js";

/** The same box, cut out of the whole. */
function cut(t: Tensor, start: readonly number[], extents: readonly number[]): unknown {
  let part = t;
  for (const [axis, from] of start.entries()) part = part.slice(axis, from, from + extents[axis]!);
  return part.toArray();
}

/** What the bytes of a box are, element by element. */
function expected(file: HurrayFile, name: string, strides: number[], start: number[], extents: number[]): number[] {
  const first = Number(file.entry(name).dataOffset);
  const out: number[] = [];
  const walk = (axis: number, at: number): void => {
    if (axis === extents.length) out.push(dataAt(at));
    else for (let k = 0; k < extents[axis]!; k++) walk(axis + 1, at + (start[axis]! + k) * strides[axis]!);
  };
  walk(0, first);
  return out;
}

describe("a box of a tensor in a file", () => {
  test("law: is what the same box of the whole tensor is, in every dtype and layout", async () => {
    const dtypes: readonly DType[] = ["float32", "bool", "int16", "int64", "float64", "uint8"];
    const base = arange(7 * 5 * 6).reshape([7, 5, 6]);
    const wholes = dtypes.flatMap((dtype) => {
      const t = dtype === "bool" ? cast(base.slice(2, 0, 6), "bool") : cast(base, dtype);
      return [t, t.permute([2, 0, 1]), t.flip(1), t.permute([1, 2, 0]).flip(0).flip(2)];
    });
    const file = await openHurray(encodeHurray(Object.fromEntries(wholes.map((t, k) => [`${k}`, t]))));
    // Odd bytes, so that nothing is aligned.
    const whole = await openHurray(file.source);
    const axis = (size: number) =>
      fc
        .integer({ min: 0, max: size })
        .chain((from) => fc.tuple(fc.constant(from), fc.integer({ min: 0, max: size - from })));
    const property = fc.asyncProperty(
      fc.integer({ min: 0, max: wholes.length - 1 }).chain((k) => {
        const [a, b, c] = wholes[k]!.shape;
        return fc.tuple(fc.constant(k), axis(a!), axis(b!), axis(c!));
      }),
      async ([k, ...axes]) => {
        const start = axes.map(([from]) => from);
        const extents = axes.map(([, extent]) => extent);
        const box = await readBox(whole, `${k}`, start, extents);
        expect([box.dtype, box.shape]).toEqual([wholes[k]!.dtype, extents]);
        expect(box.toArray()).toEqual(cut(wholes[k]!, start, extents));
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  test("rank 0 is a box of one element", async () => {
    const file = await openHurray(encodeHurray({ t: arange(1).reshape([]) }));
    expect((await readBox(file, "t", [], [])).item()).toBe(0);
  });

  test("bytes at no multiple of the element size are read all the same", async () => {
    const bytes = encodeHurray({ t: arange(10) });
    const odd = new Uint8Array(bytes.byteLength + 1);
    odd.set(bytes, 1);
    const file = await openHurray(odd.subarray(1));
    expect((await readBox(file, "t", [3], [4])).toArray()).toEqual([3, 4, 5, 6]);
  });

  test("only what lies in the box is read, runs that are near each other together", async () => {
    const source = sparseFile({ t: bytesTensor([10_000n, 100_000n]) });
    const file = await openHurray(source);
    const data = Number(file.entry("t").dataOffset);
    source.reads.length = 0;
    // Rows are 100,000 bytes apart: farther than is read over.
    await readBox(file, "t", [10, 500], [3, 100]);
    expect(source.reads.slice(1)).toEqual([10, 11, 12].map((row) => [data + row * 100_000 + 500, 100]));
    source.reads.length = 0;
    // Whole rows follow each other.
    await readBox(file, "t", [10, 0], [3, 100_000]);
    expect(source.reads.slice(1)).toEqual([[data + 1_000_000, 300_000]]);
    source.reads.length = 0;
    // Another source is asked as seldom as possible.
    const { byteLength, slice } = source;
    await readBox(await openHurray({ byteLength, slice }), "t", [10, 500], [3, 100]);
    expect(source.reads.at(-1)).toEqual([data + 1_000_500, 200_100]);
  });
});

describe("beyond 4 GiB", () => {
  test("boxes of tensors beyond 2³¹ bytes come from their places, in the layouts that a box is cut out of", async () => {
    const shape = [65536n, 131072n]; // 8 GiB
    const strides = [131072n, 1n];
    const file = await openHurray(
      sparseFile({
        first: bytesTensor(shape),
        columns: bytesTensor(shape, { kind: "columnMajor" }),
        strided: bytesTensor(shape, { kind: "strided", strides }),
        small: bytesTensor([1000n]),
      }),
    );
    expect(file.source.byteLength).toBeGreaterThan(3 * 8 * 2 ** 30);
    const start = [65500, 131000];
    const box = await readBox(file, "first", start, [36, 72]);
    expect(box.reshape([36 * 72]).toArray()).toEqual(expected(file, "first", [131072, 1], start, [36, 72]));
    const other = await readBox(file, "columns", start, [36, 72]);
    expect(other.reshape([36 * 72]).toArray()).toEqual(expected(file, "columns", [1, 65536], start, [36, 72]));
    expect((await readBox(file, "strided", [65535, 131071], [1, 1])).item()).toBe(
      expected(file, "strided", [131072, 1], [65535, 131071], [1, 1])[0],
    );
    // One that fits is read whole, from beyond 2³² bytes.
    const small = await file.tensor("small");
    expect(small.toArray()).toEqual(expected(file, "small", [1], [0], [1000]));
  });

  test("a file of 2⁵³ - 1 bytes is read to its last one", async () => {
    // What is beside the data: header and descriptor to the alignment, padding to 8, index, trailer.
    const rest = 4096 + 8 + (34 + 5) + 40;
    const length = BigInt(Number.MAX_SAFE_INTEGER - rest);
    const padded = length - (length % 8n);
    const source = sparseFile({ ["t".repeat(5)]: bytesTensor([padded]) });
    expect(source.byteLength).toBe(Number.MAX_SAFE_INTEGER);
    const file = await openHurray(source);
    const last = Number(padded) - 3;
    expect((await readBox(file, "ttttt", [last], [3])).toArray()).toEqual(expected(file, "ttttt", [1], [last], [3]));
    expect(await thrown(() => file.tensor("ttttt"))).toMatchObject({ code: "SW_HURRAY_LIMIT" });
  });
});

describe("what is no box", () => {
  test("is refused, and so is what tensors cannot hold; nothing is allocated", async () => {
    const file = await openHurray(
      sparseFile({
        t: bytesTensor([10n, 2n ** 32n]),
        tiled: bytesTensor([8n, 8n], { kind: "tiled", tile: [4n, 4n], outer: "rowMajor", inner: "rowMajor" }),
        hilbert: bytesTensor([8n, 8n], { kind: "hilbert", order: 3 }),
      }),
    );
    const rows: readonly (readonly [string, unknown, unknown, Record<string, unknown>])[] = [
      ["t", [0], [1, 1], { code: "SW_HURRAY_VALUE", field: "start" }],
      ["t", [0, 0], [1], { code: "SW_HURRAY_VALUE", field: "extents" }],
      ["t", [0, 0], [11, 1], { code: "SW_HURRAY_VALUE", field: "extents" }],
      ["t", [-1, 0], [1, 1], { code: "SW_HURRAY_VALUE" }],
      ["t", [0, 0], [1, -1], { code: "SW_HURRAY_VALUE" }],
      ["t", [0.5, 0], [1, 1], { name: "TypeError" }],
      ["t", "00", [1, 1], { name: "TypeError" }],
      ["t", [0, 0], [10, 2 ** 31], { code: "SW_HURRAY_LIMIT" }],
      ["u", [0, 0], [1, 1], { code: "SW_HURRAY_NAME_UNKNOWN" }],
      ["tiled", [0, 0], [1, 1], { code: "SW_HURRAY_LAYOUT_UNSUPPORTED", layoutTag: 4 }],
      ["hilbert", [0, 0], [1, 1], { code: "SW_HURRAY_LAYOUT_UNSUPPORTED" }],
    ];
    const memory = new BufferPool({ source: heapMemory() });
    for (const [name, start, extents, expected] of rows) {
      const reading = () => readBox(file, name, start as number[], extents as number[], { memory });
      expect(await thrown(reading), JSON.stringify([name, start, extents])).toMatchObject(expected);
    }
    expect(memory.statistics()).toMatchObject({ live: 0, created: 0 });
  });

  test("a signal and an error of the source return the memory", async () => {
    const control = new AbortController();
    const bytes = encodeHurray({ t: arange(1000) });
    let fail: () => void = () => {};
    const source = {
      byteLength: bytes.byteLength,
      slice: async (start: number, end: number) => {
        if (end - start > 400) fail();
        return bytes.subarray(start, end);
      },
    };
    const memory = new BufferPool({ source: heapMemory() });
    const file = await openHurray(source);
    fail = () => control.abort(new Error("stop"));
    const { signal } = control;
    expect((await thrown(() => readBox(file, "t", [0], [500], { memory, signal }))).message).toBe("stop");
    fail = () => {
      throw new Error("the disk is gone");
    };
    expect((await thrown(() => readBox(file, "t", [0], [500], { memory }))).message).toBe("the disk is gone");
    expect(memory.statistics().live).toBe(0);
  });
});

test("a file beyond 4 GiB is written in one pass, and its index is right", async () => {
  const piece = new Uint8Array(64 * 1024 * 1024);
  let position = 0;
  const tail: Uint8Array[] = [];
  const writer = new FileWriter({
    write: (bytes) => {
      if (position >= 2 ** 32) tail.push(bytes.slice(0, 200));
      position += bytes.byteLength;
    },
  });
  function* pieces() {
    for (let k = 0; k < 64; k++) yield piece;
  }
  await writer.add("large", { descriptor: bytesTensor([2n ** 32n]), pieces: () => pieces() });
  await writer.add("small", { descriptor: bytesTensor([3n]), buffers: [Uint8Array.of(1, 2, 3)] });
  const { byteLength } = await writer.finish();
  expect([byteLength, position]).toEqual([position, byteLength]);
  const frame = sparseFile({ large: bytesTensor([2n ** 32n]), small: bytesTensor([3n]) });
  expect(frame.byteLength).toBe(byteLength);
  const end = new Uint8Array(Buffer.concat(tail)).subarray(-100);
  expect(end).toEqual(await frame.slice(byteLength - 100, byteLength));
});
