import { heapMemory } from "@sw/buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arrangements, FORMS, type Role, randomPlacer } from "../src/operands/forms.js";
import { allocate, createWorkspace, fill, findStray, free, operandOf, readAll } from "../src/operands/memory.js";
import { coordinateOf, place, positionsOf, sizeOf } from "../src/operands/placing.js";
import { createSlab } from "../src/operands/slab.js";
import { random, seedOf } from "../src/random.js";

describe("place", () => {
  test("row-major and dense by default", () => {
    expect(place([2, 3, 4])).toEqual({ shape: [2, 3, 4], strides: [12, 4, 1], offset: 0, length: 24 });
  });

  test("an order, gaps, directions and a shift", () => {
    expect(place([2, 3], { order: [1, 0], gap: 2, reversed: [true, false], shift: 5 })).toMatchObject({
      strides: [-2, 4],
      offset: 7,
    });
  });

  test("every element lies in the area, and an output's elements never share a place", () => {
    const shapes = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 });
    fc.assert(
      fc.property(shapes, fc.constantFrom<Role>("in", "out"), fc.integer(), (shape, role, seed) => {
        const placement = randomPlacer(role, random(seed))(shape);
        const positions = positionsOf(placement);
        expect(positions).toHaveLength(sizeOf(shape));
        for (const at of positions) expect(at >= 0 && at < placement.length).toBe(true);
        if (role === "out") expect(new Set(positions).size).toBe(positions.length);
      }),
    );
  });

  test("coordinates are row-major", () => {
    expect(coordinateOf([2, 3], 4)).toEqual([1, 1]);
    expect(coordinateOf([], 0)).toEqual([]);
  });
});

test("every form but the random one tries all operands together and each alone", () => {
  const roles: readonly Role[] = ["out", "in", "in"];
  const counts = FORMS.map((form) => [form, arrangements(form, roles, random(1)).length]);
  expect(Object.fromEntries(counts)).toEqual({
    contiguous: 1,
    transposed: 8,
    reversed: 12,
    offset: 16,
    gapped: 12,
    broadcast: 21,
    random: 60,
  });
});

describe("an operand in memory", () => {
  const placed = (source = heapMemory()) => {
    const one = allocate(source, createWorkspace(), "float32", place([2, 2], { gap: 2 }), 2);
    fill(one, 0xff, [1, 2, 3, 4]);
    return one;
  };

  test("reads what was written, through a window with guards", () => {
    const one = placed();
    const { data, offset, strides } = operandOf(one);
    expect(readAll(one)).toEqual([1, 2, 3, 4]);
    expect(data[offset + strides[0]! + strides[1]!]).toBe(4);
    expect(data[offset - 1]).toBeNaN();
    expect(findStray(one, false)).toBeUndefined();
    free(one);
  });

  test("finds a byte before, between and after its elements, and in them if it is an input", () => {
    for (const [at, index] of [
      [-1, -1],
      [1, 1],
      [8, 8],
    ] as const) {
      const one = placed();
      const { data, offset } = operandOf(one);
      data[offset + at] = 0;
      expect(findStray(one, true)).toEqual({ index, before: 255, after: 0 });
    }
    const one = placed();
    const { data, offset } = operandOf(one);
    data[offset] = 7;
    expect(findStray(one, false)?.index).toBeGreaterThanOrEqual(0);
    expect(findStray(one, true)).toBeUndefined();
  });
});

describe("createSlab", () => {
  test("blocks lie apart, never at byte 0, and are free again together", () => {
    const slab = createSlab(1024);
    const [a, b] = [slab.allocate(10), slab.allocate(100)];
    expect([a.address, b.address]).toEqual([64, 128]);
    expect(slab.bytes(a)).toBe(slab.bytes(b));
    slab.free(a);
    slab.free(b);
    expect(slab.allocate(5).address).toBe(64);
  });

  test("what is too large gets a buffer of its own", () => {
    const slab = createSlab(1024);
    const block = slab.allocate(5000);
    expect(slab.bytes(block).byteLength).toBe(5000);
    expect(slab.epoch).toBe(0);
  });
});

describe("random", () => {
  test("a seed determines the stream, and ids have seeds of their own", () => {
    const [a, b] = [random(5), random(5)];
    expect([a.next(), a.next()]).toEqual([b.next(), b.next()]);
    expect(seedOf("a/b")).toBe(seedOf("a/b"));
    expect(seedOf("a/b")).not.toBe(seedOf("a/c"));
  });

  test("numbers are spread over their range", () => {
    const source = random(1);
    const seen = new Set(Array.from({ length: 500 }, () => source.integer(-2, 2)));
    expect([...seen].sort((x, y) => x - y)).toEqual([-2, -1, 0, 1, 2]);
  });
});
