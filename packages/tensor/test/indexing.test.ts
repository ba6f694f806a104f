import { readFileSync } from "node:fs";
import { blocked, nhwc } from "@sw/layout";
import {
  arange,
  type IndexEntry,
  type Tensor,
  TensorValueError,
  tensor,
  UnsupportedError,
  views,
  zeros,
} from "@sw/tensor";
import { defaultPool, withLeaf } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { padded } from "./padded-tensors.js";

interface IndexCase {
  readonly shape: number[];
  readonly text: string | null;
  readonly key: IndexEntry[] | null;
  readonly out?: {
    readonly shape: number[];
    readonly data: number[];
    readonly strides?: number[];
    readonly offset?: number;
  };
  readonly err?: "IndexError" | "ValueError";
}

const { cases } = JSON.parse(readFileSync(new URL("vectors/numpy-index.json", import.meta.url), "utf8")) as {
  cases: IndexCase[];
};

/** The elements 0, 1, 2, … of a shape. */
function numbered(shape: readonly number[]): Tensor<"float32"> {
  return arange(shape.reduce((product, extent) => product * extent, 1)).reshape(shape);
}

function thrown(run: () => unknown): Error & { code?: string; position?: number } {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

describe("index is NumPy's basic indexing", () => {
  test.each(cases.map((c, i) => [i, c] as const))("case %i: %j", (_i, c) => {
    const base = numbered(c.shape);
    const keys = [c.text, c.key].filter((key) => key !== null);
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      if (c.out === undefined) {
        const error = thrown(() => base.index(key));
        expect(error).toBeInstanceOf(TensorValueError);
        expect(error.code).toMatch(c.err === "ValueError" ? /_KEY$/ : /_(INDEX|KEY)$/);
        continue;
      }
      const view = base.index(key);
      expect(view.shape).toEqual(c.out.shape);
      expect([...view.data()]).toEqual(c.out.data);
      expect([view.buffer, view.generation]).toEqual([base.buffer, base.generation]);
      if (c.out.strides === undefined) continue;
      expect(view.strides).toEqual(c.out.strides);
      expect(view.offset).toBe(c.out.offset);
    }
  });
});

describe("keys", () => {
  const t = numbered([4, 6]);

  test("text and lists say the same", () => {
    const pairs: readonly (readonly [string, readonly IndexEntry[]])[] = [
      ["1:5, ::-1, ..., None", [{ start: 1, stop: 5 }, { step: -1 }, "...", null]],
      [" 1 : , -1 ", [{ start: 1 }, -1]],
      ["+2", [2]],
      ["-0, 00", [0, 0]],
      ["...,::2", ["...", { step: 2 }]],
      [":,", [{}]],
      ["newaxis,:\t:\n,3", [null, {}, 3]],
      ["1,2", [1, 2]],
    ];
    for (const [text, list] of pairs) {
      const [a, b] = [t.index(text), t.index(list)];
      expect([a.shape, a.strides, a.offset]).toEqual([b.shape, b.strides, b.offset]);
    }
  });

  test("integers alone give a view of rank 0, which writes through", () => {
    const cell = t.index("1, -1");
    expect([cell.rank, cell.offset, cell.item()]).toEqual([0, 11, 11]);
    const u = zeros([2, 2]);
    u.index([1, 0]).fill(5);
    expect(u.toArray()).toEqual([
      [0, 0],
      [5, 0],
    ]);
    expectTypeOf(tensor([1n]).index("0")).toEqualTypeOf<Tensor<"int64">>();
  });

  test.each<[string, number, string]>([
    ["", 0, "its end"],
    ["  ", 2, "its end"],
    [",", 0, '","'],
    ["1,,2", 2, '","'],
    ["1 2", 2, '"2"'],
    ["1:2:3:4", 5, '":"'],
    ["1:x", 2, '"x"'],
    ["0, none", 3, '"none"'],
    ["1.5", 1, '"."'],
    ["[0]", 0, '"["'],
    ["0, ..", 3, '"."'],
    ["- 1", 0, '"-"'],
    ["01", 0, '"01"'],
    ["0, :-01", 4, '"-01"'],
    ["1_0", 1, '"_0"'],
    ["--1", 0, '"-"'],
    ["0x1", 1, '"x1"'],
    ["1n", 1, '"n"'],
    ["١", 0, '"١"'],
    ["0,😀", 2, '"😀"'],
    ["None1", 0, '"None1"'],
    ["...1", 3, '"1"'],
  ])("%j is no key, from position %i", (key, position, got) => {
    const error = thrown(() => t.index(key));
    expect(error).toMatchObject({ name: "TensorValueError", code: "SW_TENSOR_KEY", position, given: got });
    expect(error.message).toMatch(/^index: the key cannot be read: got /);
  });

  test("errors say where the key is wrong: the character of text, the entry of a list", () => {
    const wrong: readonly (readonly [string, readonly IndexEntry[], string, number, number])[] = [
      ["1, 6", [1, 6], "SW_TENSOR_INDEX", 3, 1],
      ["None,-5", [null, -5], "SW_TENSOR_INDEX", 5, 1],
      ["..., ...", ["...", "..."], "SW_TENSOR_KEY", 5, 1],
      ["0,0,:", [0, 0, {}], "SW_TENSOR_KEY", 4, 2],
      [":, 1::0", [{}, { start: 1, step: 0 }], "SW_TENSOR_KEY", 3, 1],
    ];
    for (const [text, list, code, character, entry] of wrong) {
      expect(thrown(() => t.index(text))).toMatchObject({ code, position: character });
      expect(thrown(() => t.index(list))).toMatchObject({ code, position: entry });
    }
    expect(thrown(() => t.index("1, 6")).message).toBe(
      "index: an index is out of range: got 6 for axis 1 at position 3 of the key, expected -6 to 5 (shape [4,6]).",
    );
    expect(thrown(() => t.index([0, 0, 0])).message).toBe(
      "index: the key names more axes than there are: got entry 3 at position 2 of the key, expected 2 at most (shape [4,6]).",
    );
    expect(thrown(() => t.index("a".repeat(1000))).message.length).toBeLessThan(200);
  });

  test("field case 24: a bigint is refused, as is every other type", () => {
    for (const key of [1, null, undefined, {}, 5n, Symbol("k")]) {
      expect(() => t.index(key as never)).toThrow(TypeError);
    }
    for (const entry of [1n, true, undefined, "1", 0.5, Number.NaN, Number.POSITIVE_INFINITY, [0], () => 0]) {
      expect(thrown(() => t.index([0, entry as never])).message).toMatch(/^index: an entry .* at position 1,/);
    }
    for (const bound of [1n, null, "1", 0.5, true]) {
      for (const name of ["start", "stop", "step"]) {
        expect(thrown(() => t.index([{ [name]: bound as never }])).message).toMatch(
          /^index: a bound .* at position 0,/,
        );
      }
    }
    // biome-ignore lint/suspicious/noSparseArray: a list with a hole is what is tested
    expect(() => t.index([, 0] as never)).toThrow(TypeError);
  });

  test.each<[string, unknown]>([
    ["an object of class Int32Array", Int32Array.of(0, 1)],
    ["an object of class Int32Array", new Int32Array()],
    ["an object of class Tensor", tensor([0])],
    ["an object of class Map", new Map()],
    ["an object of class Date", new Date(0)],
    ["{ end }", { end: 2 }],
    ["{ start, end }", { start: 0, end: 2 }],
    ["a list", [0]],
    ["a function", () => 0],
  ])("%s is no slice, and so not the whole axis", (got, entry) => {
    expect(() => arange(6).index([entry as never])).toThrow(
      new TypeError(
        `index: an entry of the key has a wrong type: got ${got} at position 0, expected an integer, { start, stop, step }, "..." or null.`,
      ),
    );
    if (Array.isArray(entry)) return;
    expect(() => arange(6).index(entry as never)).toThrow(TypeError);
    expect(() => views.slice(arange(6), [entry as never])).toThrow(
      new TypeError(
        `slice: the entry of mode 0 has a wrong type: got ${got}, expected an integer, a list of them, or { start, stop, step }.`,
      ),
    );
    expect(() => views.slice(arange(6), entry as never)).toThrow(
      new TypeError(
        `slice: the key has a wrong type: got ${got}, expected an integer, { start, stop, step }, or a list of them.`,
      ),
    );
  });

  test("more than eight axes are refused before any view is made", () => {
    expect(t.index("None,".repeat(6)).rank).toBe(8);
    expect(thrown(() => t.index("None,".repeat(7)))).toMatchObject({ code: "SW_TENSOR_SHAPE_LIMIT" });
    expect(thrown(() => t.index(new Array(10_000).fill(null)))).toMatchObject({ code: "SW_TENSOR_SHAPE_LIMIT" });
  });

  test("what throws leaves versions, liveness and statistics as they were", () => {
    const before = { version: t.buffer.version, statistics: defaultPool().statistics() };
    for (const key of ["9", "x", "::0", "0,0,0", "None,".repeat(7)]) expect(() => t.index(key)).toThrow(RangeError);
    expect({ version: t.buffer.version, statistics: defaultPool().statistics() }).toEqual(before);
    expect(t.at(3, 5)).toBe(23);
  });
});

describe("what is indexed", () => {
  test("a nested axis is taken whole, or at one index, in the order of its elements", () => {
    const t = numbered([2, 4, 3]);
    const nested = t.toLayout(blocked([2, 4, 3], 1, 2));
    expect(nested.layout.depth).toBe(2);
    expect(nested.index("1, :, ::-1").toArray()).toEqual(t.index("1, :, ::-1").toArray());
    for (let channel = -4; channel < 4; channel++) {
      expect(nested.index([{}, channel]).toArray()).toEqual(t.index([{}, channel]).toArray());
    }
    expect(thrown(() => nested.index(":, 1:"))).toMatchObject({
      name: "LayoutError",
      code: "SW_LAYOUT_NESTED_AXIS",
      message: expect.stringMatching(/^index: /),
    });
    const pixels = numbered([1, 3, 2, 2]);
    expect(pixels.toLayout(nhwc(pixels.shape)).index("0, 1").toArray()).toEqual(pixels.index("0, 1").toArray());
  });

  test("a padded tensor, and memory that was returned, are refused", () => {
    expect(() => padded(blocked([1, 3, 2], 1, 2), [1, 3, 2]).index("0")).toThrow(UnsupportedError);
    const gone = zeros([2]);
    gone.dispose();
    expect(() => gone.index("0")).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });

  test("one record is written, and none where nothing is recorded", () => {
    expect(numbered([4]).index("1:").node).toBeUndefined();
    const leaf = withLeaf(numbered([4, 3]), "shape");
    const narrowed = leaf.index("::-2, None, 1").node?.record;
    expect([narrowed?.kind, narrowed?.inputs.length, narrowed?.inputs[0]?.node === leaf.node]).toEqual([
      "gatherFrom",
      1,
      true,
    ]);
    expect([String(narrowed?.domain), String(narrowed?.selector?.layout), narrowed?.selector?.start]).toEqual([
      "(4,3):(3,1)",
      "(2,1):(-6,0)",
      10,
    ]);
    for (const key of ["...", "None, 0:4, :", ":, :, None"]) {
      expect(leaf.index(key).node?.record?.kind).toBe("reshape");
    }
  });
});

/** The indices that a slice takes, counted one by one. */
function taken(extent: number, { start, stop, step = 1 }: { start?: number; stop?: number; step?: number }): number[] {
  const inside = (bound: number): number => (bound < 0 ? bound + extent : bound);
  const all = Array.from({ length: extent }, (_, i) => i);
  const ordered = step > 0 ? all : all.reverse();
  const isBefore = (i: number, bound: number): boolean => (step > 0 ? i < bound : i > bound);
  return ordered
    .filter((i) => start === undefined || !isBefore(i, inside(start)))
    .filter((_, n) => n % Math.abs(step) === 0)
    .filter((i) => stop === undefined || isBefore(i, inside(stop)));
}

test("law: index shows what is taken axis by axis", () => {
  const bound = fc.option(fc.integer({ min: -8, max: 8 }), { nil: undefined });
  const step = fc.option(
    fc.integer({ min: -3, max: 3 }).filter((n) => n !== 0),
    { nil: undefined },
  );
  const slice = fc.record({ start: bound, stop: bound, step });
  const axis = fc.integer({ min: 0, max: 5 }).chain((extent) => {
    const index = fc.integer({ min: -extent, max: Math.max(0, extent - 1) });
    return fc.record({ extent: fc.constant(extent), entry: extent === 0 ? slice : fc.oneof(slice, index) });
  });
  fc.assert(
    fc.property(fc.array(axis, { maxLength: 4 }), (axes) => {
      const shape = axes.map(({ extent }) => extent);
      const rows = axes.map(({ extent, entry }) =>
        typeof entry === "number" ? [entry < 0 ? entry + extent : entry] : taken(extent, entry as never),
      );
      let elements = [0];
      rows.forEach((row, i) => {
        elements = elements.flatMap((e) => row.map((c) => e * (shape[i] as number) + c));
      });
      const base = numbered(shape);
      const view = base.index(axes.map(({ entry }) => entry as IndexEntry));
      expect(view.shape).toEqual(rows.map((row) => row.length).filter((_, i) => typeof axes[i]?.entry !== "number"));
      expect([...view.data()]).toEqual(elements);
      base.dispose();
    }),
    { numRuns: 500 },
  );
});
