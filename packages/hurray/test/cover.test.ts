import fc from "fast-check";
import { expect, test } from "vitest";
import { type Box, type Cover, coverOf } from "../src/composite/cover.js";
import { HurrayLimitError } from "../src/errors.js";
import { thrown } from "./support.js";

const STEPS = 2 ** 20;
const box = (offset: number[], shape: number[]): Box => ({ offset: offset.map(BigInt), shape: shape.map(BigInt) });
const cover = (parent: number[], boxes: Box[], steps = STEPS): Cover =>
  coverOf(parent.map(BigInt), boxes, steps, "test");

/** Every place of the parent counts how many boxes hold it. */
function counted(parent: number[], boxes: Box[]): boolean {
  const size = parent.reduce((product, extent) => product * extent, 1);
  for (let place = 0; place < size; place++) {
    let rest = place;
    const at = parent.map((extent) => {
      const coordinate = BigInt(rest % extent);
      rest = Math.floor(rest / extent);
      return coordinate;
    });
    const holds = boxes.filter((b) => at.every((c, k) => c >= b.offset[k]! && c < b.offset[k]! + b.shape[k]!));
    if (holds.length !== 1) return false;
  }
  return true;
}

/** Cuts a box in two until enough is cut: what a partition looks like. */
function cut(whole: Box, cuts: readonly (readonly [number, number, number])[]): Box[] {
  const boxes = [whole];
  for (const [which, axis, where] of cuts) {
    const k = which % boxes.length;
    const { offset, shape } = boxes[k]!;
    const a = axis % shape.length;
    const extent = Number(shape[a]!);
    if (extent < 2) continue;
    const first = BigInt(1 + (where % (extent - 1)));
    const left = { offset, shape: shape.map((s, d) => (d === a ? first : s)) };
    const right = {
      offset: offset.map((o, d) => (d === a ? o + first : o)),
      shape: shape.map((s, d) => (d === a ? s - first : s)),
    };
    boxes.splice(k, 1, left, right);
  }
  return boxes;
}

const natural = fc.nat({ max: 1000 });
const parents = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
const cuts = fc.array(fc.tuple(natural, natural, natural), { maxLength: 12 });

test("R118, R119 whatever is cut out of a parent covers it, in any order", () => {
  fc.assert(
    fc.property(parents, cuts, fc.boolean(), (parent, where, reversed) => {
      const boxes = cut(
        box(
          parent.map(() => 0),
          parent,
        ),
        where,
      );
      expect(cover(parent, reversed ? boxes.reverse() : boxes)).toBe("exact");
    }),
  );
});

test("R118, R119 boxes cover a parent exactly when a count of every place says so", () => {
  const disturbed = fc.tuple(parents, cuts, natural, natural, fc.constantFrom(-1n, 1n), fc.boolean());
  fc.assert(
    fc.property(disturbed, ([parent, where, which, axis, by, grow]) => {
      const boxes = cut(
        box(
          parent.map(() => 0),
          parent,
        ),
        where,
      );
      const k = which % boxes.length;
      const a = axis % parent.length;
      const { offset, shape } = boxes[k]!;
      const changed = {
        offset: grow ? offset : offset.map((o, d) => (d === a ? o + by : o)),
        shape: grow ? shape.map((s, d) => (d === a ? s + by : s)) : shape,
      };
      // Descriptors keep members inside their parent (R86), and boxes without elements are a matter of their own.
      fc.pre(
        changed.offset[a]! >= 0n && changed.offset[a]! + changed.shape[a]! <= parent[a]! && changed.shape[a]! > 0n,
      );
      const all = boxes.with(k, changed);
      expect(cover(parent, all) === "exact").toBe(counted(parent, all));
    }),
  );
});

test("R118 a member that is there twice overlaps; R119 one that is missing leaves a gap", () => {
  const quarters = [box([0, 0], [2, 2]), box([0, 2], [2, 2]), box([2, 0], [2, 2]), box([2, 2], [2, 2])];
  expect(cover([4, 4], quarters)).toBe("exact");
  expect(cover([4, 4], [...quarters, quarters[0]!])).toBe("overlap");
  expect(cover([4, 4], quarters.slice(1))).toBe("gap");
  // One twice for another: as many elements as the head, and not its elements.
  expect(cover([4, 4], [...quarters.slice(1), quarters[1]!])).toBe("overlap");
});

test("R119 no members cover an empty head, and no other (A14)", () => {
  expect(cover([0, 4], [])).toBe("exact");
  expect(cover([4, 4], [])).toBe("gap");
  expect(cover([], [box([], [])])).toBe("exact");
});

test("R118 an empty member overlaps where the formula of the format says so: strictly inside another", () => {
  expect(cover([4], [box([0], [4]), box([2], [0])])).toBe("overlap");
  expect(cover([4], [box([0], [2]), box([2], [0]), box([2], [2])])).toBe("exact");
  expect(cover([0], [box([0], [0]), box([0], [0])])).toBe("exact");
});

test("sizes beyond 2^53 are told apart to the last element", () => {
  const half = 2n ** 62n;
  const parent = [2n * half, 3n];
  const first = { offset: [0n, 0n], shape: [half, 3n] };
  expect(coverOf(parent, [first, { offset: [half, 0n], shape: [half, 3n] }], STEPS, "test")).toBe("exact");
  expect(coverOf(parent, [first, { offset: [half, 0n], shape: [half - 1n, 3n] }], STEPS, "test")).toBe("gap");
});

test("a grid of 64 by 64 members takes a few steps a member; a dimension that all members span takes none", () => {
  const grid = Array.from({ length: 4096 }, (_, k) => box([k >> 6, k & 63, 0], [1, 1, 7]));
  expect(cover([64, 64, 7], grid, 4 * grid.length)).toBe("exact");
  const ones = Array.from({ length: 64 }, () => 1);
  const rows = [0, 1].map((row) => box([...ones.map(() => 0), row], [...ones, 1]));
  expect(cover([...ones, 2], rows, 16)).toBe("exact");
});

test("SW_HURRAY_LIMIT: boxes in no order cost corners, and the number of steps is bounded", async () => {
  const ones = Array.from({ length: 30 }, () => 1);
  const scattered = [
    box(ones, ones),
    box(
      ones.map((_, k) => k % 2),
      ones,
    ),
  ];
  const error = await thrown(() =>
    cover(
      ones.map(() => 4),
      scattered,
      1000,
    ),
  );
  expect(error).toBeInstanceOf(HurrayLimitError);
  expect(error["code"]).toBe("SW_HURRAY_LIMIT");
  expect(error["given"]).toBe(1001n);
});
