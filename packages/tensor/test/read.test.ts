import { isInjective, parseLayout } from "@sw/layout";
import {
  type ArrayOf,
  createArena,
  type DType,
  fromBuffer,
  full,
  TensorStateError,
  tensor,
  withArena,
  withData,
  withMutableData,
  zeros,
} from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { boxLayout } from "../src/box.js";
import { showsOnce } from "../src/overlap.js";

const t = tensor([
  [1, 2, 3],
  [4, 5, 6],
]);

describe("at, set and item", () => {
  test("take one index per axis, in range", () => {
    expect(t.at(1, 2)).toBe(6);
    expect(tensor(7).at()).toBe(7);
    expect(() => t.at(1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_INDEX", given: 1, expected: 2 }));
    expect(() => t.at(2, 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_INDEX", given: 2, position: 0 }));
    expect(() => t.at(0, -1)).toThrow(RangeError);
    expect(() => t.at(0.5, 0)).toThrow(TypeError);
  });
  test("set checks the value, and bumps the version once", () => {
    const u = zeros([2], { dtype: "uint8" });
    const { version } = u.buffer;
    u.set(255, 1);
    expect(u.buffer.version).toBe(version + 1);
    expect(() => u.set(256, 1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_VALUE" }));
    expect(() => u.set(1, 2)).toThrow(expect.objectContaining({ code: "SW_TENSOR_INDEX" }));
    expect(u.buffer.version).toBe(version + 1);
    expect(u.toArray()).toEqual([0, 255]);
  });
  test("D11: set refuses a tensor that overlaps itself", () => {
    const cell = tensor([2]);
    expect(() => cell.expand([3]).set(5, 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
    expect(cell.toArray()).toEqual([2]);
  });
  test.each([
    ["(3,3,4):(17,5,41)", true],
    ["(3,3,3):(9,13,13)", false],
  ])("whether %s overlaps itself is searched once, not for each element that is set", (text, isInjectiveLayout) => {
    const layout = parseLayout(text);
    const t = fromBuffer("uint8", zeros([200], { dtype: "uint8" }).buffer, layout);
    expect(() => isInjective(layout, 1)).toThrow(expect.objectContaining({ code: "SW_LAYOUT_SEARCH_LIMIT" }));
    if (isInjectiveLayout) t.set(1, 2, 2, 2);
    else expect(() => t.set(1, 2, 2, 2)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
    // One step is not enough for the search, but what it found is known.
    expect(isInjective(layout, 1)).toBe(isInjectiveLayout);
  });
  test("a box that does not overlap itself is written, though the layout around it does", () => {
    const overlapping = parseLayout("(3,4):(1,2)");
    const memory = zeros([9]);
    const t = fromBuffer("float32", memory.buffer, overlapping, 0, [2, 4]);
    t.set(5, 1, 3);
    expect(memory.toArray()).toEqual([0, 0, 0, 0, 0, 0, 0, 5, 0]);
    expect(boxLayout(t)).toBe(boxLayout(t));
    const wider = fromBuffer("float32", memory.buffer, overlapping, 0, [3, 4]);
    expect(() => wider.set(5, 0, 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
  });
  test("where a search is too short to tell, nothing is written", () => {
    expect(showsOnce(parseLayout("(3,3,4):(17,5,41)"), 1)).toBe(false);
  });
  test("item wants exactly one element", () => {
    expect(tensor([[5]]).item()).toBe(5);
    expect(() => t.item()).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH", given: 6, expected: 1 }),
    );
  });
});

describe("data", () => {
  test("is a copy, row-major, of any view", () => {
    const copy = t.data();
    copy[0] = 99;
    expect(t.at(0, 0)).toBe(1);
    expect([...t.T.data()]).toEqual([1, 4, 2, 5, 3, 6]);
    expect([...t.flip(1).slice(0, 1, 2).data()]).toEqual([6, 5, 4]);
    expect([...t.expand([2, 2, 3]).data()]).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
    expect([...zeros([0, 3]).data()]).toEqual([]);
    expect([...tensor(3).data()]).toEqual([3]);
  });
  test("has the array of the dtype", () => {
    const kinds: [DType, keyof ArrayOf][] = [
      ["int64", "int64"],
      ["uint8", "uint8"],
      ["bool", "bool"],
    ];
    for (const [dtype] of kinds) expect(full([2], 1, { dtype }).data()).toHaveLength(2);
    expect(full([1], 1, { dtype: "int64" }).data()).toBeInstanceOf(BigInt64Array);
  });
});

describe("toArray", () => {
  test("nests as deep as the rank", () => {
    expect(t.toArray()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(tensor(2).toArray()).toBe(2);
    expect(zeros([2, 0]).toArray()).toEqual([[], []]);
    expect(tensor([0.5], { dtype: "float16" }).toArray()).toEqual([0.5]);
  });
});

describe("withData and withMutableData", () => {
  test("lend a window without a copy", () => {
    const u = tensor([1, 2, 3]);
    expect(withData(u.slice(0, 1), (elements) => [...elements])).toEqual([2, 3]);
    const { version } = u.buffer;
    withMutableData(u, (elements) => {
      elements[0] = 9;
    });
    expect(u.toArray()).toEqual([9, 2, 3]);
    expect(u.buffer.version).toBe(version + 1);
  });
  test("refuse what is not contiguous", () => {
    expect(() => withData(t.T, () => 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_VIEW_COPY" }));
    expect(() => withMutableData(t.expand([2, 2, 3]), () => 0)).toThrow(RangeError);
  });
});

test("fill writes every element of a view and nothing else", () => {
  const u = zeros([3, 3]);
  u.slice(1, 0, 3, 2).fill(5);
  expect(u.toArray()).toEqual([
    [5, 0, 5],
    [5, 0, 5],
    [5, 0, 5],
  ]);
  expect(() => u.fill("1" as never)).toThrow(TypeError);
});

describe("field case 9: memory that was returned", () => {
  test("reads and writes throw, through views too, and name both generations", () => {
    const u = tensor([1, 1, 1, 1]);
    const v = u.slice(0, 1, 3);
    u.dispose();
    const other = tensor([7, 7, 7, 7]);
    for (const attempt of [
      () => v.at(0),
      () => v.data(),
      () => v.set(1, 0),
      () => v.slice(0, 0, 1),
      () => String(v),
      () => v.fill(0),
    ]) {
      expect(attempt).toThrow(expect.objectContaining({ name: "StaleTensorError", code: "SW_BUFFER_STALE" }));
    }
    expect(other.toArray()).toEqual([7, 7, 7, 7]);
    v.dispose();
    expect(other.toArray()).toEqual([7, 7, 7, 7]);
  });
  test("a reset arena makes its tensors stale", () => {
    const arena = createArena();
    const x = withArena(arena, () => tensor([1, 2]));
    arena.reset();
    const y = withArena(arena, () => tensor([8, 9]));
    expect(() => x.at(0)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    expect(() => x.set(3, 0)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    expect(y.toArray()).toEqual([8, 9]);
    arena.dispose();
  });
});

describe("a window ends with the function it is lent to", () => {
  const lenders = [
    ["withData", withData],
    ["withMutableData", withMutableData],
  ] as const;
  test.each(lenders)("%s without a function changes nothing", (name, lend) => {
    const u = zeros([2]);
    const { version } = u.buffer;
    for (const fn of [undefined, null, {}, "f"]) {
      expect(() => lend(u, fn as never)).toThrow(TypeError);
      expect(() => lend(u, fn as never)).toThrow(`${name}: nothing to lend the elements to: got `);
    }
    expect(u.buffer.version).toBe(version);
  });
  test.each(lenders)("%s refuses what goes on after it", (name, lend) => {
    const outliving: readonly (() => unknown)[] = [
      async () => 1,
      () => Promise.reject(new Error("nobody hears of it")),
      () => Promise.resolve(1),
      function* () {
        yield 1;
      },
    ];
    for (const fn of outliving) {
      expect(() => lend(zeros([2]), fn)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" }));
      expect(() => lend(zeros([2]), fn)).toThrow(
        new RegExp(`^${name}: the function returned a promise or a generator`),
      );
    }
    expect(() => lend(zeros([2]), (elements) => elements.values())).toThrow(TensorStateError);
  });
  test("what it returns is given back", () => {
    expect(withData(tensor([1, 2]), (elements) => elements[1])).toBe(2);
    expect(withMutableData(tensor([1, 2]), (elements) => [...elements])).toEqual([1, 2]);
  });
});
