import { describe, expect, test } from "vitest";
import type { Descriptor, ElementTypeName } from "../src/descriptor/index.js";
import type { StoredComposite, StoredItem } from "../src/stored.js";
import {
  type ElementArray,
  fromNumbers,
  packElements,
  toNumbers,
  toSparse,
  valueAt,
  valuesOf,
} from "../src/values/index.js";
import { thrown } from "./support.js";
import { coordinatesOf, denseOf, raw, tensorOf } from "./support-values.js";

const row = { kind: "rowMajor" } as const;
type Composite = Extract<Descriptor["layout"], { kind: "composite" }>;

const head = (
  rule: Composite["rule"],
  combine: Composite["combine"],
  type: ElementTypeName,
  shape: number[],
  members: StoredItem[],
  patch: Partial<Descriptor> = {},
): StoredComposite => ({
  descriptor: denseOf(type, shape, {
    layout: { kind: "composite", rule, combine, memberCount: members.length },
    buffers: [],
    ...patch,
  }),
  members,
});
const shardOf = (parent: number[], offset: number[]) => ({
  shard: { parentShape: parent.map(BigInt), offset: offset.map(BigInt) },
});
const bytesFor = (type: ElementTypeName, numbers: number[]): Uint8Array => {
  const bytes = new Uint8Array(numbers.length * 16);
  packElements(type, fromNumbers(type, numbers) as never, bytes);
  return bytes;
};
const member = (
  type: ElementTypeName,
  parent: number[],
  offset: number[],
  shape: number[],
  numbers: number[],
  role?: "base" | "correction",
) =>
  tensorOf(type, shape, row, [bytesFor(type, numbers)], {
    ...shardOf(parent, offset),
    ...(role && { memberRole: role }),
  });
const numbersOf = (item: StoredItem): number[] => {
  const { type, elements } = valuesOf(item);
  return [...toNumbers(type, elements as ElementArray)];
};
const singles = (item: StoredItem) =>
  [...coordinatesOf(item.descriptor.shape.map(Number))].map((coordinate) => Number(valueAt(item, coordinate)));

describe("partitions", () => {
  const inner = head(
    "partition",
    "none",
    "int16",
    [2, 1],
    [member("int16", [2, 1], [0, 0], [1, 1], [3]), member("int16", [2, 1], [1, 0], [1, 1], [6])],
    shardOf([2, 3], [0, 2]),
  );
  const outer = head(
    "partition",
    "none",
    "int16",
    [2, 3],
    [member("int16", [2, 3], [0, 0], [2, 2], [1, 2, 4, 5]), inner],
  );

  test("each member in its place, nested ones too", () => {
    expect(numbersOf(outer)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(singles(outer)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("a box that nobody holds is a broken rule (R119), told before any value", async () => {
    const torn = head("partition", "none", "int16", [2, 3], [outer.members[0]!]);
    expect(await thrown(() => valuesOf(torn))).toMatchObject({ code: "SW_HURRAY_COMPOSITE_INVALID", rule: "R119" });
    expect(await thrown(() => valueAt(torn, [0, 0]))).toMatchObject({ rule: "R119" });
  });

  test("A13 quantised members decode to float32 and take the type of the head", () => {
    const quantisation = { scheme: "perTensor", scale: 0.1, zeroPoint: 0 } as const;
    const q = tensorOf("int8", [2], row, [raw(Int8Array.of(1, 3))], { ...shardOf([2], [0]), quantisation });
    const item = head("partition", "none", "float16", [2], [q]);
    expect(numbersOf(item)).toEqual([0.0999755859375, 0.300048828125]);
    expect(singles(item)).toEqual(numbersOf(item));
  });

  test("A14 an empty head without members has no values", () => {
    expect(numbersOf(head("partition", "none", "int8", [0, 3], []))).toEqual([]);
  });
});

describe("overlays", () => {
  const overlay = (combine: "replace" | "add", type: ElementTypeName, ...corrections: StoredItem[]) =>
    head("overlay", combine, type, [4], [member(type, [4], [0], [4], [1, 2, 3, 4], "base"), ...corrections]);

  test("replace: the last correction that covers a coordinate wins", () => {
    const item = overlay(
      "replace",
      "uint4",
      member("uint4", [4], [1], [2], [8, 9], "correction"),
      member("uint4", [4], [2], [2], [10, 11], "correction"),
    );
    expect(numbersOf(item)).toEqual([1, 8, 10, 11]);
    expect(singles(item)).toEqual([1, 8, 10, 11]);
  });

  test("A16 a sparse correction replaces only what it stores; adding it leaves the rest", () => {
    const sparse = toSparse(tensorOf("float32", [3], row, [raw(Float32Array.of(0, 7, 0))]), "coo");
    const correction = {
      descriptor: { ...sparse.descriptor, ...shardOf([4], [1]), memberRole: "correction" as const },
      buffers: sparse.buffers,
    };
    for (const [combine, expected] of [
      ["replace", [1, 2, 7, 4]],
      ["add", [1, 2, 10, 4]],
    ] as const) {
      const item = overlay(combine, "float32", correction);
      expect(numbersOf(item)).toEqual(expected);
      expect(singles(item)).toEqual(expected);
    }
  });

  test.each([
    [
      "float16",
      0.0001,
      [1, 2, 3, 4].map((x) => toNumbers("float16", fromNumbers("float16", [x + 0.00010001659393310547]))[0]),
    ],
    ["float32", 2 ** -24, [1, 2, 3, 4]],
    ["float64", 0.5, [1.5, 2.5, 3.5, 4.5]],
    ["int4", 5, [6, 7, -8, -7]],
    ["uint2", 3, [0, 1, 2, 2]],
    ["int8", 127, [-128, -127, -126, -125]],
    ["uint64", 2, [3, 4, 5, 6]],
    ["float8_e4m3", 448, [448, 448, 448, 448]],
  ] as const)("add: %s is added in its own type", (type, addend, expected) => {
    const more = member(type, [4], [0], [4], [addend, addend, addend, addend], "correction");
    const item = overlay("add", type, more);
    expect(numbersOf(item)).toEqual(expected);
    expect(singles(item)).toEqual(numbersOf(item));
  });

  test("complex elements are added by part; bool and float128 are not added", async () => {
    const pair = (offset: number, numbers: number[], role: "base" | "correction") =>
      member("complex64", [1], [offset], [1], numbers, role);
    const item = head("overlay", "add", "complex64", [1], [pair(0, [1, 2], "base"), pair(0, [10, -5], "correction")]);
    expect(numbersOf(item)).toEqual([11, -3]);
    expect(valueAt(item, [0])).toEqual([11, -3]);
    for (const type of ["bool", "float128"] as const) {
      const wrong = overlay("add", type, member(type, [4], [0], [1], [1], "correction"));
      expect(await thrown(() => valuesOf(wrong))).toMatchObject({ code: "SW_HURRAY_TYPE_UNSUPPORTED" });
    }
  });
});

test("groups and private rules have no values of their own", async () => {
  const only = tensorOf("int8", [1], row, [Uint8Array.of(1)]);
  for (const item of [head("group", "none", "int8", [1], [only]), head(0xf3, "none", "int8", [1], [only])]) {
    const unsupported = { name: "HurrayUnsupportedError", code: "SW_HURRAY_LAYOUT_UNSUPPORTED", layoutTag: 11 };
    expect(await thrown(() => valuesOf(item))).toMatchObject(unsupported);
    expect(await thrown(() => valueAt(item, [0]))).toMatchObject(unsupported);
  }
});

test("the limit is asked before members are read", async () => {
  const item = head("overlay", "replace", "float64", [4], [member("float64", [4], [0], [4], [1, 2, 3, 4], "base")]);
  expect(await thrown(() => valuesOf(item, { maximumBytes: 31 }))).toMatchObject({
    code: "SW_HURRAY_LIMIT",
    given: 32n,
  });
  expect(numbersOf(item)).toEqual([1, 2, 3, 4]);
});

test("a composite is no tensor: operations on one say so", async () => {
  const item = head("group", "none", "int8", [1], []);
  const { checkData } = await import("../src/values/index.js");
  expect(await thrown(() => checkData(item as never))).toMatchObject({ code: "SW_HURRAY_VALUE", field: "item" });
});
