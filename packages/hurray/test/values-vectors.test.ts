import { describe, expect, test } from "vitest";
import { createBinder } from "../src/composite/bind.js";
import { decodeDescriptor, descriptorLength } from "../src/descriptor/index.js";
import type { StoredItem } from "../src/stored.js";
import {
  checkData,
  elementPlace,
  pagedOffset,
  sparsePosition,
  toNumbers,
  valueAt,
  valuesOf,
} from "../src/values/index.js";
import { bytesOf, thrown } from "./support.js";
import { coordinatesOf, expectValues, split, storedOf, type ValuesCase, valuesCases } from "./support-values.js";

const named = (...kinds: string[]) => valuesCases(...kinds).map((c) => [c.id, c] as const);

test.each(named("address"))("%s: every element lies where the reference finds it", (_, c) => {
  const descriptor = decodeDescriptor(bytesOf(c));
  const places = [...coordinatesOf(c.expect.shape)].map((coordinate) => elementPlace(descriptor, coordinate));
  expect(places.map(({ offset }) => offset)).toEqual(c.offsets);
  expect(places.map(({ byteOffset }) => byteOffset)).toEqual(c.byteAddresses ?? c.groupByteAddresses);
  const groups = c.groupByteAddresses !== undefined;
  if (groups) expect(places.map(({ bit }) => bit)).toEqual(c.offsets.map((o) => 6 * (o % 4)));
});

describe("values", () => {
  test.each(named("values"))("%s: all at once, and one by one", (_, c) => {
    const { type, shape } = c.expect;
    const item = storedOf(c);
    const values = valuesOf(item);
    expect([values.type, values.shape]).toEqual([type, shape]);
    expectValues(type, values.elements, c.values);
    const singles = [...coordinatesOf(shape)].map((coordinate) => valueAt(item, coordinate));
    if (type === "float128") expect(singles).toEqual([...toNumbers(type, values.elements)]);
    else expect(singles).toEqual(c.values.map((value) => numberOf(type, value)));
  });

  const numberOf = (type: string, value: ValuesCase["values"][number]): unknown => {
    if (typeof value === "boolean" || typeof value === "object") return value;
    return type.endsWith("int64") ? BigInt(value) : Number(value);
  };
});

describe("sparse and paged tensors", () => {
  test.each(named("lookup").filter(([, c]) => c.slots !== null))("%s: every coordinate, and dense", (_, c) => {
    const { shape, type } = c.expect;
    const item = storedOf(c);
    const found = [...coordinatesOf(shape)].map((coordinate) => sparsePosition(item, coordinate) ?? null);
    expect(found).toEqual(c.slots);
    const values = valuesOf(item);
    expect(values.shape).toEqual(shape);
    expectValues(type, values.elements, c.dense!);
    const singles = [...coordinatesOf(shape)].map((coordinate) => Number(valueAt(item, coordinate)));
    expect(singles).toEqual(c.dense!.map(Number));
  });

  test.each(named("lookup").filter(([, c]) => c.queries !== undefined))("%s: every component of a page", (_, c) => {
    const item = storedOf(c);
    for (const [sequence, token, head, dim, offset] of c.queries!) {
      expect(pagedOffset(item, sequence, token, head, dim)).toBe(offset);
    }
  });
});

test.each(named("dequant"))("%s: float32 values to the bit, all at once and one by one", (_, c) => {
  const item = storedOf(c);
  const values = valuesOf(item);
  expect([values.type, values.shape]).toEqual(["float32", c.expect.shape]);
  expectValues("float32", values.elements, c.values);
  const singles = [...coordinatesOf(c.expect.shape)].map((coordinate) => valueAt(item, coordinate));
  expect(singles).toEqual(c.values.map(Number));
});

test.each(named("invalid-buffers"))("%s: the descriptor is fine, the data is not", async (_, c) => {
  const [rule] = c.spec.rule!.split(" ");
  const expected = { name: "HurrayFormatError", code: "SW_HURRAY_DATA_INVALID", rule };
  expect(await thrown(() => checkData(storedOf(c)))).toMatchObject(expected);
  expect(await thrown(() => valuesOf(storedOf(c)))).toMatchObject(expected);
});

/** The items of a raw stream (section 10). */
function itemsOf(bytes: Uint8Array): StoredItem[] {
  const binder = createBinder({ operation: "test" });
  const items: StoredItem[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = bytes.subarray(at);
    const descriptor = decodeDescriptor(start);
    binder.begin(descriptor, at);
    const buffers = split(descriptor, start.subarray(descriptorLength(start)));
    const item = binder.finish(buffers);
    if (item !== undefined) items.push(item);
    at += descriptorLength(start) + buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  }
  return items;
}

describe("composites", () => {
  const views = named("stream").filter(([, c]) => c.view !== undefined);

  test("three streams have views", () => {
    expect(views).toHaveLength(3);
  });

  test.each(views)("%s: what the members are together", (_, c) => {
    const view = c.view!;
    const [item] = itemsOf(bytesOf(c));
    const values = valuesOf(item!);
    expect(values.shape).toEqual(view.shape);
    expect([...toNumbers(values.type, values.elements)]).toEqual(view.values);
    expect([...coordinatesOf(view.shape)].map((coordinate) => valueAt(item!, coordinate))).toEqual(view.values);
  });
});
