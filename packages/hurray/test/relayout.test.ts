import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Descriptor, type DescriptorLayout, ELEMENT_TYPES, elementBits } from "../src/descriptor/index.js";
import type { StoredTensor } from "../src/stored.js";
import { newElements } from "../src/values/arrays.js";
import {
  canRelayout,
  checkData,
  type LayoutTarget,
  packElements,
  quantize,
  relayout,
  toNumbers,
  toSparse,
  valuesOf,
} from "../src/values/index.js";
import { thrown } from "./support.js";
import { raw, storedOf, tensorOf, valuesCases } from "./support-values.js";

const ROW_MAJOR: LayoutTarget = { kind: "rowMajor" };
const TAGS = {
  rowMajor: 1,
  columnMajor: 2,
  strided: 3,
  tiled: 4,
  morton: 5,
  coo: 6,
  csr: 7,
  csc: 8,
  csf: 9,
  hilbert: 64,
};

/** Every layout that a shape of four elements a dimension can have. */
function targets(rank: number): fc.Arbitrary<LayoutTarget> {
  const axes = Array.from({ length: rank }, (_, k) => k);
  const strides = fc
    .tuple(
      fc.shuffledSubarray(axes, { minLength: rank }),
      fc.array(fc.boolean(), { minLength: rank, maxLength: rank }),
      fc.nat(3),
    )
    .map(([order, reversed, gap]): DescriptorLayout => {
      const of = axes.map(() => 0n);
      order.reduce((stride, axis) => {
        of[axis] = reversed[axis] ? -stride : stride;
        return stride * 4n + BigInt(gap);
      }, 1n + BigInt(gap));
      return { kind: "strided", strides: of };
    });
  const tile = fc.array(fc.constantFrom(1n, 2n, 3n, 4n, 6n), { minLength: rank, maxLength: rank });
  const order = fc.constantFrom("rowMajor" as const, "columnMajor" as const);
  const tiled = fc.record({ kind: fc.constant("tiled" as const), tile, outer: order, inner: order });
  const nested = fc
    .record({ tile, outer: order, inner: order, within: order })
    .map(({ tile, outer, inner, within }): DescriptorLayout => {
      const level = { tile, outer: inner, inner: within };
      return { kind: "tiled", tile: tile.map((extent) => extent * 2n), outer, inner: level };
    });
  const kinds: fc.Arbitrary<LayoutTarget>[] = [strides, tiled, nested];
  for (const kind of ["rowMajor", "columnMajor", "strided", "morton", "coo"] as const)
    kinds.push(fc.constant({ kind }));
  if (rank >= 2) kinds.push(fc.constant({ kind: "hilbert" }));
  if (rank === 2) kinds.push(fc.constantFrom({ kind: "csr" }, { kind: "csc" }));
  if (rank >= 3) {
    const modeOrder = fc.shuffledSubarray(axes, { minLength: rank });
    kinds.push(fc.record({ kind: fc.constant("csf" as const), modeOrder }));
  }
  return fc.oneof(...kinds);
}

/** Tensors of every type with bits of every kind, many of them zero, and two layouts to bring them into. */
const tensors = fc.integer({ min: 1, max: 4 }).chain((rank) =>
  fc.record({
    type: fc.constantFrom(...ELEMENT_TYPES),
    shape: fc.constant(Array.from({ length: rank }, () => 4)),
    bytes: fc.uint8Array({ minLength: 512, maxLength: 512 }),
    zeros: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
    first: targets(rank),
    second: targets(rank),
  }),
);

/** Bytes whose element is zero where `zeros`, in a cycle, says so; codes of powers of two are kept where they are any. */
function elementsOf(
  type: (typeof ELEMENT_TYPES)[number],
  shape: readonly number[],
  bytes: Uint8Array,
  zeros: readonly boolean[],
) {
  const count = shape.reduce((product, extent) => product * extent, 1);
  const elements = newElements(type.name, count);
  const view = raw(elements);
  const width = view.length / count;
  for (let i = 0; i < view.length; i++) {
    const byte = bytes[(i * 7) % bytes.length]!;
    if (type.name === "float8_e8m0") view[i] = 1 + (byte % 254);
    else if (zeros[Math.floor(i / width) % zeros.length] === false) view[i] = byte;
  }
  const packed = new Uint8Array(Math.ceil((count * type.bits) / 24) * 3 + 16);
  packElements(type.name, elements, packed);
  return packed;
}

const hexOf = (view: ArrayBufferView): string => Buffer.from(raw(view)).toString("hex");

const valuesHex = (t: StoredTensor): string => hexOf(valuesOf(t).elements);

test("law: through any two layouts a tensor of any type keeps every bit", () => {
  fc.assert(
    fc.property(tensors, ({ type, shape, bytes, zeros, first, second }) => {
      const t = tensorOf(type.name, shape, { kind: "rowMajor" }, [elementsOf(type, shape, bytes, zeros)]);
      const before = valuesHex(t);
      const once = relayout(t, first);
      const twice = relayout(once, second);
      const back = relayout(twice, ROW_MAJOR);
      for (const copy of [once, twice, back]) {
        checkData(copy);
        expect(copy.descriptor.typeTag).toBe(type.tag);
        expect(valuesHex(copy)).toBe(before);
      }
      expect([once, twice, back].map((copy) => copy.descriptor.layout.kind)).toEqual([
        first.kind,
        second.kind,
        "rowMajor",
      ]);
    }),
    { numRuns: 150 },
  );
});

describe("what is kept", () => {
  test("a tensor that has the layout already is given back itself", () => {
    const t = tensorOf("int8", [2, 2], { kind: "columnMajor" }, [Uint8Array.of(1, 2, 3, 4)]);
    expect(relayout(t, { kind: "columnMajor" })).toBe(t);
    const coo = toSparse(t, "coo");
    expect(relayout(coo, { kind: "coo" })).toBe(coo);
    expect(relayout(coo, { kind: "coo", nnz: 9n, isSorted: false })).toBe(coo);
  });

  test("section 4.5: the elements of a matrix along Hilbert's curve", () => {
    const t = tensorOf("uint8", [4, 4], { kind: "rowMajor" }, [Uint8Array.from({ length: 16 }, (_, i) => i)]);
    const curve = relayout(t, { kind: "hilbert" });
    expect([...curve.buffers[0]!]).toEqual([0, 4, 5, 1, 2, 3, 7, 6, 10, 11, 15, 14, 13, 9, 8, 12]);
  });

  test("a sparse tensor of any shape changes its layout without being expanded", () => {
    const far = 2 ** 40;
    const t = tensorOf("int16", [far, far, far], { kind: "coo", nnz: 2n, isSorted: false }, [
      raw(Int16Array.of(7, 0)),
      [far - 1, 3, far - 2, 1, far - 1, 5],
    ]);
    const csf = relayout(t, { kind: "csf", modeOrder: [1, 2, 0] });
    // The stored zero is still stored.
    expect(csf.descriptor.layout).toEqual({ kind: "csf", nnz: 2n, modeOrder: [1, 2, 0] });
    const coo = relayout(csf, { kind: "coo" });
    expect([...new Int16Array(coo.buffers[0]!.slice().buffer)]).toEqual([0, 7]);
    expect([...new BigUint64Array(coo.buffers[1]!.slice().buffer)].map(Number)).toEqual([
      1,
      far - 1,
      5,
      far - 1,
      3,
      far - 2,
    ]);
    expect(relayout(t, { kind: "coo", isSorted: true }).buffers).toEqual(coo.buffers);
  });

  test("private element types move by their width, 24 bits too", () => {
    const extensionType = {
      bitWidth: 24,
      packingFactor: 1,
      isFloat: false,
      isSigned: false,
      signBits: 0,
      exponentBits: 0,
      mantissaBits: 0,
      exponentBias: 0,
      hasNan: false,
      hasInf: false,
    };
    const bytes = Uint8Array.from({ length: 18 }, (_, i) => i);
    const t = tensorOf("int8", [2, 3], { kind: "rowMajor" }, [bytes], { typeTag: 0xf0, extensionType });
    const column = relayout(t, { kind: "columnMajor" });
    expect([...column.buffers[0]!]).toEqual([0, 1, 2, 9, 10, 11, 3, 4, 5, 12, 13, 14, 6, 7, 8, 15, 16, 17]);
    expect(column.descriptor).toMatchObject({ typeTag: 0xf0, extensionType });
    expect(relayout(column, ROW_MAJOR).buffers).toEqual([bytes]);
    expect(canRelayout(t.descriptor, TAGS.coo)).toBe(false);
  });

  test("shard and statistics go along; sections of later versions do not", () => {
    const statistics = {
      computedMask: 1,
      nnz: 4n,
      sparsityRatio: 0,
      valueMin: 0,
      valueMax: 0,
      valueAbsMax: 0,
      valueMean: 0,
      valueStddev: 0,
      nmN: 0,
      nmM: 0,
      hasNan: false,
      hasInf: false,
    };
    const shard = { parentShape: [4n, 4n], offset: [0n, 2n] };
    const patch: Partial<Descriptor> = { shard, statistics, versionMinor: 3, tail: Uint8Array.of(1) };
    const t = tensorOf("int8", [2, 2], { kind: "rowMajor" }, [Uint8Array.of(1, 2, 3, 4)], patch);
    const { descriptor } = relayout(t, { kind: "morton" });
    expect(descriptor).toMatchObject({ shard, statistics, versionMinor: 0 });
    expect(descriptor.tail).toBeUndefined();
  });

  test("an empty tensor has no byte, in any layout", () => {
    const t = tensorOf("float6_e2m3", [0, 3], { kind: "rowMajor" }, [new Uint8Array(0)]);
    for (const kind of ["columnMajor", "strided", "morton", "coo", "csr", "csc"] as const) {
      const copy = relayout(t, { kind });
      expect(copy.buffers[0]!.byteLength).toBe(0);
      expect(relayout(copy, ROW_MAJOR).descriptor.shape).toEqual([0n, 3n]);
    }
  });
});

describe("quantised tensors", () => {
  // A scale below 0 makes a negative zero of a stored one.
  const numbersOf = (t: StoredTensor) => toNumbers("float32", valuesOf(t).elements).map((x) => x + 0);
  const values = Float32Array.from({ length: 64 }, (_, i) => (i % 3 === 0 ? 0 : Math.sin(i) + 0.5));
  const schemes = [
    { scheme: "perTensor", storage: "uint8" },
    { scheme: "perChannel", storage: "int8", axis: 0 },
    { scheme: "perChannel", storage: "uint4", axis: 2 },
    { scheme: "perBlock", storage: "int4", axis: 1, blockSize: 2 },
    { scheme: "perBlock", storage: "uint2", axis: 2, blockSize: 4, scaleType: "bfloat16" },
  ] as const;

  test.each(schemes)("$scheme $storage: the parameters ride along into every layout and back", (options) => {
    const t = quantize(values, [4, 4, 4], options);
    const before = numbersOf(t);
    fc.assert(
      fc.property(targets(3), targets(3), (first, second) => {
        const copy = relayout(relayout(t, first), second);
        expect(numbersOf(copy)).toEqual(before);
        const back = relayout(copy, ROW_MAJOR);
        expect(back.buffers).toEqual(t.buffers);
        expect(back.descriptor.quantisation).toEqual(t.descriptor.quantisation);
      }),
      { numRuns: 25 },
    );
  });

  test("what is the zero point is not stored by sparse layouts", () => {
    const t = quantize(values, [8, 8], { scheme: "perTensor", storage: "uint8" });
    const zeros = valuesOf(t).elements.filter((x: number | bigint) => Number(x) === 0).length;
    expect(zeros).toBeGreaterThan(20);
    expect(relayout(t, { kind: "csr" }).descriptor.layout).toEqual({ kind: "csr", nnz: BigInt(64 - zeros) });
  });

  test.each(valuesCases("dequant").map((c) => [c.id, c] as const))(
    "%s: the same values in column-major order",
    (_, c) => {
      const t = storedOf(c);
      const column = relayout(t, { kind: "columnMajor" });
      expect(valuesOf(column).elements).toEqual(valuesOf(t).elements);
      const back = relayout(column, ROW_MAJOR);
      if (t.descriptor.layout.kind === "rowMajor")
        expect(back.descriptor.buffers.map((b) => b.byteSize)).toEqual(t.descriptor.buffers.map((b) => b.byteSize));
      expect(valuesOf(back).elements).toEqual(valuesOf(t).elements);
    },
  );
});

describe("vectors in other layouts", () => {
  const sources = valuesCases("values", "lookup").map((c) => [c.id, c] as const);

  test.each(sources)("%s: into every layout that it can have", (_, c) => {
    const t = storedOf(c);
    const paged = t.descriptor.layout.kind === "blockPaged";
    const options = paged ? { tokens: tokensOf(c) } : {};
    const before = valuesOf(t, options);
    for (const [kind, tag] of Object.entries(TAGS)) {
      if (kind === "tiled") continue;
      const possible = canRelayout(t.descriptor, tag) || (paged && kind === "coo");
      if (!possible) continue;
      const copy = relayout(t, { kind } as LayoutTarget, options);
      expect(valuesOf(copy)).toMatchObject({ type: before.type, shape: before.shape });
      expect(valuesHex(copy)).toBe(hexOf(before.elements));
    }
  });

  /** As many tokens a sequence as its pages have, until the shape is full. */
  function tokensOf(c: { readonly queries?: readonly (readonly number[])[] }): number[] {
    const tokens: number[] = [];
    for (const [sequence, token] of c.queries ?? []) tokens[sequence!] = Math.max(tokens[sequence!] ?? 0, token! + 1);
    return tokens;
  }
});

describe("what is refused", () => {
  const t = tensorOf("float32", [4, 4], { kind: "rowMajor" }, [raw(Float32Array.from({ length: 16 }, (_, i) => i))]);
  const refused = async (to: unknown, item = t) => thrown(() => relayout(item, to as LayoutTarget));

  test("layouts that are none", async () => {
    for (const to of [undefined, null, "rowMajor", { kind: "rows" }]) {
      expect(await refused(to)).toMatchObject({ name: "TypeError" });
    }
  });

  test("layouts without elements of their own", async () => {
    const paged = {
      kind: "blockPaged",
      pageSize: 1,
      numPages: 1n,
      pagedAxis: 0,
      numSeqs: 1,
      kvRole: 0,
      layerIndex: undefined,
      indexBits: 32,
    };
    const composite = { kind: "composite", rule: "group", combine: "none", memberCount: 0 };
    const own = { kind: "private", tag: 0xf0, id: 1n, data: new Uint8Array(0) };
    for (const to of [paged, composite, own]) {
      expect(await refused(to)).toMatchObject({ name: "HurrayUnsupportedError", code: "SW_HURRAY_LAYOUT_UNSUPPORTED" });
    }
    expect([0x0a, 0x0b, 0xf0, 0x3f].map((tag) => canRelayout(t.descriptor, tag))).toEqual([false, false, false, false]);
  });

  test("OneModel 4: layouts that would put two elements into one place, or leave holes in a code", async () => {
    const refusals = [
      { kind: "strided", strides: [0n, 1n] },
      { kind: "strided", strides: [1n, 2n] },
      { kind: "tiled", tile: [2n, 2n], outer: { strides: [1n, 1n] }, inner: "rowMajor" },
      {
        kind: "tiled",
        tile: [3n, 4n],
        outer: "rowMajor",
        inner: { tile: [2n, 2n], outer: "rowMajor", inner: "rowMajor" },
      },
      { kind: "morton", bits: [2, 3] },
    ];
    for (const to of refusals) expect(await refused(to)).toMatchObject({ code: "SW_HURRAY_VALUE", field: "to" });
  });

  test("R25, R27, R28, R30, R31: layouts that the shape does not have", async () => {
    expect(await refused({ kind: "morton", bits: [1, 1] })).toMatchObject({ rule: "R25" });
    expect(await refused({ kind: "hilbert", order: 3 })).toMatchObject({ rule: "R28" });
    expect(await refused({ kind: "csf" })).toMatchObject({ rule: "R31" });
    expect(await refused({ kind: "strided", strides: [1n] })).toMatchObject({ code: "SW_HURRAY_VALUE" });
    expect(await refused({ kind: "strided", strides: [2n ** 62n, 1n] })).toMatchObject({ rule: "R99" });
    const vector = tensorOf("int8", [4], { kind: "rowMajor" }, [new Uint8Array(4)]);
    expect(await refused({ kind: "hilbert" }, vector)).toMatchObject({ rule: "R27" });
    expect(await refused({ kind: "csr" }, vector)).toMatchObject({ rule: "R30" });
    const scalar = tensorOf("int8", [], { kind: "rowMajor" }, [new Uint8Array(1)]);
    expect(Object.values(TAGS).filter((tag) => canRelayout(scalar.descriptor, tag))).toEqual([TAGS.rowMajor]);
    expect(Object.values(TAGS).filter((tag) => canRelayout(vector.descriptor, tag))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("more bytes than allowed, before they are allocated", async () => {
    const gap = { kind: "strided", strides: [2n ** 40n, 1n] } as const;
    expect(await refused(gap)).toMatchObject({ code: "SW_HURRAY_LIMIT", limit: "the bytes of a buffer" });
    const far = tensorOf("int8", [2 ** 30, 2 ** 30], { kind: "coo", nnz: 0n, isSorted: true }, [new Uint8Array(0), []]);
    expect(await refused(ROW_MAJOR, far)).toMatchObject({ code: "SW_HURRAY_LIMIT" });
    expect(await refused({ kind: "csr" }, far)).toMatchObject({ code: "SW_HURRAY_LIMIT" });
    const few = await thrown(() => relayout(t, { kind: "columnMajor" }, { maximumBytes: 63 }));
    expect(few).toMatchObject({ code: "SW_HURRAY_LIMIT", given: 64n });
  });

  test("R96: what has no zero stays sparse, unless every element is stored", async () => {
    const sparse = tensorOf("float8_e8m0", [2], { kind: "coo", nnz: 1n, isSorted: true }, [Uint8Array.of(127), [1]]);
    expect(await refused(ROW_MAJOR, sparse)).toMatchObject({ code: "SW_HURRAY_TYPE_UNSUPPORTED", typeTag: 0x42 });
    expect(canRelayout(sparse.descriptor, TAGS.rowMajor)).toBe(false);
    const full = tensorOf("float8_e8m0", [1], { kind: "coo", nnz: 1n, isSorted: true }, [Uint8Array.of(127), [0]]);
    expect(relayout(full, ROW_MAJOR).buffers).toEqual([Uint8Array.of(127)]);
  });

  test("A16: a sparse correction stays sparse: a dense one would replace everything", async () => {
    const patch = { memberRole: "correction", shard: { parentShape: [4n], offset: [0n] } } as const;
    const coo = tensorOf("int8", [4], { kind: "coo", nnz: 1n, isSorted: true }, [Uint8Array.of(5), [2]], patch);
    expect(await refused(ROW_MAJOR, coo)).toMatchObject({ code: "SW_HURRAY_LAYOUT_UNSUPPORTED", layoutTag: 1 });
    expect([1, 5, 6].map((tag) => canRelayout(coo.descriptor, tag))).toEqual([false, false, true]);
  });

  test("parameters of page slots, private schemes, composites, other devices", async () => {
    const scheme = { scheme: "private", tag: 0xf0, version: 1, flags: 0, data: new Uint8Array(0) } as const;
    const own = tensorOf("int8", [4], { kind: "rowMajor" }, [new Uint8Array(4)], { quantisation: scheme });
    expect(await refused({ kind: "columnMajor" }, own)).toMatchObject({ code: "SW_HURRAY_QUANTISED_UNSUPPORTED" });
    const elsewhere = [{ ...t.descriptor.buffers[0]!, deviceTag: 1 }];
    expect(canRelayout({ ...t.descriptor, buffers: elsewhere }, TAGS.columnMajor)).toBe(false);
    expect(canRelayout({ ...t.descriptor, opaque: true }, TAGS.columnMajor)).toBe(false);
    const head = {
      ...t.descriptor,
      layout: { kind: "composite", rule: "group", combine: "none", memberCount: 0 },
      buffers: [],
    };
    expect(await refused(ROW_MAJOR, { descriptor: head, members: [] } as never)).toMatchObject({
      code: "SW_HURRAY_VALUE",
    });
    expect(canRelayout(head as Descriptor, TAGS.rowMajor)).toBe(false);
  });
});

test("canRelayout says yes exactly where relayout works, tag by tag", () => {
  fc.assert(
    fc.property(
      tensors,
      fc.constantFrom(...Object.entries(TAGS)),
      ({ type, shape, bytes, zeros, first }, [kind, tag]) => {
        const packed = elementsOf(type, shape, bytes, zeros);
        const t = relayout(tensorOf(type.name, shape, { kind: "rowMajor" }, [packed]), first);
        const tile = { tile: shape.map(() => 2n), outer: "rowMajor", inner: "rowMajor" };
        const attempt = (): boolean => {
          try {
            relayout(t, { kind, ...(kind === "tiled" && tile) } as LayoutTarget);
            return true;
          } catch {
            return false;
          }
        };
        expect(elementBits(t.descriptor)).toBe(type.bits);
        expect(canRelayout(t.descriptor, tag)).toBe(attempt());
      },
    ),
    { numRuns: 100 },
  );
});
