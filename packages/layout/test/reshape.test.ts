import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { broadcastExtents, inferExtent, parseLayout, reshapeRowMajor, rowMajor, strided } from "../src/index.js";
import { cases, enumerateRowMajor, flat, flatLayouts, layouts, refusal } from "./support.js";

/** All flat layouts of a shape that visit given indices in row-major order: strides follow from the indices. */
function fits(indices: readonly number[], shape: readonly number[]): boolean {
  let inner = 1;
  const strides: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides.unshift(shape[axis] === 1 ? 0 : indices[inner]! - indices[0]!);
    inner *= shape[axis]!;
  }
  return enumerateRowMajor(strided(shape, strides)).every((index, i) => index === indices[i]! - indices[0]!);
}

function factorings(size: number): number[][] {
  if (size === 1) return [[]];
  const out: number[][] = [];
  for (let f = 2; f <= size; f++) if (size % f === 0) for (const rest of factorings(size / f)) out.push([f, ...rest]);
  return out;
}

describe("reshapeRowMajor", () => {
  interface ReshapeCase {
    readonly shape: number[];
    readonly strides: number[];
    readonly to: number[];
    readonly viewable: boolean;
    readonly strides_out: (number | null)[] | null;
  }

  test("VA-103: the shared vectors", async () => {
    for (const c of await cases<ReshapeCase>("numeric/reshape_view")) {
      const result = reshapeRowMajor(strided(c.shape, c.strides), c.to);
      const label = JSON.stringify(c);
      expect(result !== undefined, label).toBe(c.viewable);
      if (result === undefined) continue;
      expect(result.shape, label).toEqual(c.to);
      const strides = result.stride.map((d, axis) => (c.strides_out![axis] === null ? null : d));
      expect(strides, label).toEqual(c.strides_out);
    }
  });

  test("VA-103 law: the same elements in the same order, and a copy only when no strides would do", () => {
    const sources = fc.oneof(
      layouts({ minExtent: 1, maxExtent: 4, minStride: -4, maxStride: 8, maxSize: 48 }),
      flatLayouts({ minExtent: 1, maxExtent: 6, minStride: 0, maxStride: 6, maxSize: 48 }),
      layouts({ minExtent: 1, maxExtent: 4, maxSize: 48 }).map((l) => rowMajor(l.shape)),
    );
    fc.assert(
      fc.property(sources, fc.nat(), (l, n) => {
        const shapes = factorings(l.size);
        const shape = [...shapes[n % shapes.length]!];
        if (n % 3 === 0) shape.splice(n % (shape.length + 1), 0, 1);
        const result = reshapeRowMajor(l, shape);
        const indices = enumerateRowMajor(l);
        if (result === undefined) expect(fits(indices, shape), `${l} to ${shape}`).toBe(false);
        else {
          expect(result.shape).toEqual(shape);
          expect(enumerateRowMajor(result)).toEqual(indices);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("VA-103 nested sources are read by their leaves, slowest first", () => {
    expect(reshapeRowMajor(parseLayout("((2,2),3):((3,6),1)"), [12])?.stride).toEqual([1]);
    expect(reshapeRowMajor(parseLayout("((2,2),3):((1,2),4)"), [4, 3])?.stride).toEqual([1, 4]);
    expect(reshapeRowMajor(parseLayout("((2,2),3):((1,6),2)"), [2, 2, 3])?.stride).toEqual([6, 1, 2]);
    expect(reshapeRowMajor(parseLayout("((2,2),3):((1,6),2)"), [4, 3])).toBeUndefined();
  });

  test("empty layouts are always viewable, contiguous; so are single elements", () => {
    expect(String(reshapeRowMajor(strided([3, 0], [7, 9]), [0, 5]))).toBe("(0,5):(5,1)");
    expect(String(reshapeRowMajor(strided([1, 1], [7, 9]), []))).toBe("():()");
    expect(String(reshapeRowMajor(rowMajor([]), [1, 1]))).toBe("(1,1):(1,1)");
  });

  test("a -1 is inferred", () => {
    expect(reshapeRowMajor(rowMajor([4, 6]), [2, -1])?.shape).toEqual([2, 12]);
  });

  test("an extent-1 axis never gets an unsafe stride", () => {
    expect(reshapeRowMajor(strided([2], [2 ** 52]), [1, 2])?.stride).toEqual([1, 2 ** 52]);
  });

  test("the argument is not touched", () => {
    const shape = [2, -1];
    reshapeRowMajor(rowMajor([4, 6]), shape);
    expect(shape).toEqual([2, -1]);
  });
});

describe("inferExtent", () => {
  test("fills in one -1, or checks the size", () => {
    expect(inferExtent(24, [2, -1, 3])).toEqual([2, 4, 3]);
    expect(inferExtent(24, [4, 6])).toEqual([4, 6]);
    expect(inferExtent(0, [-1, 5])).toEqual([0, 5]);
    expect(inferExtent(1, [])).toEqual([]);
    expect(inferExtent(1, [-1])).toEqual([1]);
  });

  test("sizes that do not fit are refused with both", () => {
    const error = refusal("SW_LAYOUT_RESHAPE", () => inferExtent(24, [5, 5]));
    expect(error).toMatchObject({ shape: [5, 5], value: 24, operation: "inferExtent" });
    expect(error.message).toBe("inferExtent: sizes differ: got shape [5,5] of 25 elements, expected 24 elements.");
    expect(refusal("SW_LAYOUT_RESHAPE", () => inferExtent(24, [5, -1])).message).toBe(
      "inferExtent: no extent fits for -1: got shape [5,-1], expected extents whose product divides 24.",
    );
    expect(refusal("SW_LAYOUT_RESHAPE", () => inferExtent(0, [0, -1], "view")).message).toBe(
      "view: no extent fits for -1: got shape [0,-1], expected no extent of 0 beside it.",
    );
    refusal("SW_LAYOUT_RESHAPE", () => reshapeRowMajor(rowMajor([2, 3]), [7]));
  });

  test("extents that are none are refused", () => {
    expect(refusal("SW_LAYOUT_EXTENT", () => inferExtent(24, [-1, -1])).message).toBe(
      "inferExtent: an extent is negative: got shape [-1,-1], expected extents of 0 or more, and -1 at most once.",
    );
    refusal("SW_LAYOUT_EXTENT", () => inferExtent(24, [-2, 12]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => inferExtent(24, [2 ** 30, 2 ** 30]));
    expect(() => inferExtent(24, [1.5, 16])).toThrow(TypeError);
    expect(() => inferExtent(24, [[24]] as never)).toThrow(TypeError);
    expect(() => inferExtent(24, 24 as never)).toThrow(TypeError);
  });

  test("D5 wrong input: a size that is no integer, a layout that is none", () => {
    for (const wrong of [Number.NaN, "6", null, 1.5]) expect(() => inferExtent(wrong as never, [6])).toThrow(TypeError);
    for (const wrong of [null, 3, { shape: [6], stride: [1], size: 6 }]) {
      expect(() => reshapeRowMajor(wrong as never, [6])).toThrow("reshapeRowMajor: argument is not a layout");
    }
  });
});

describe("broadcastExtents", () => {
  interface BroadcastCase {
    readonly a?: number[];
    readonly b?: number[];
    readonly shapes?: number[][];
    readonly out: number[] | { err: string };
  }

  test("OneModel section 3: the shared vectors", async () => {
    for (const c of await cases<BroadcastCase>("numeric/broadcast_shapes")) {
      const shapes = c.shapes ?? [c.a!, c.b!];
      const run = (): readonly number[] => shapes.reduce<readonly number[]>((a, b) => broadcastExtents(a, b), []);
      if (Array.isArray(c.out)) expect(run(), JSON.stringify(shapes)).toEqual(c.out);
      else refusal("SW_LAYOUT_BROADCAST", run);
    }
  });

  test("one of the arguments is returned when it is the answer", () => {
    const a = [4, 3];
    const b = [3];
    expect(broadcastExtents(a, b)).toBe(a);
    expect(broadcastExtents(b, a)).toBe(a);
    expect(broadcastExtents(a, a)).toBe(a);
    expect(broadcastExtents([4, 1], [3])).toEqual([4, 3]);
  });

  test("shapes that do not broadcast are both named", () => {
    const error = refusal("SW_LAYOUT_BROADCAST", () => broadcastExtents([2, 3], [4, 3, 4], "add"));
    expect(error).toMatchObject({ shape: [2, 3], otherShape: [4, 3, 4], operation: "add", axis: 2 });
    expect(error.message).toBe(
      "add: shapes do not broadcast: got [2,3] and [4,3,4], expected equal extents, or 1, on axis 2 of the result.",
    );
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => broadcastExtents([2 ** 30, 1], [2 ** 30]));
  });

  test("law: order does not matter, and the result is at least each shape", () => {
    const shapes = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(shapes, shapes, (a, b) => {
        const run = (x: number[], y: number[]): string => {
          try {
            return JSON.stringify(broadcastExtents(x, y));
          } catch (error) {
            return (error as { code: string }).code;
          }
        };
        expect(run(a, b)).toBe(run(b, a));
        expect(flat(a)).toEqual(a);
      }),
      { numRuns: 500 },
    );
  });

  test("D5 wrong input: shapes that are no lists of extents", () => {
    for (const wrong of [null, undefined, "ab", 3, [1.5], ["1"], [Number.NaN], [[2]], new Array(2 ** 32 - 1)]) {
      expect(() => broadcastExtents(wrong as never, [1])).toThrow(TypeError);
      expect(() => broadcastExtents([1], wrong as never)).toThrow(TypeError);
      expect(() => broadcastExtents(wrong as never, wrong as never)).toThrow(TypeError);
    }
    expect(refusal("SW_LAYOUT_EXTENT", () => broadcastExtents([-1], [-1])).value).toBe(-1);
    expect(refusal("SW_LAYOUT_EXTENT", () => broadcastExtents([1], [-1])).value).toBe(-1);
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => broadcastExtents([2 ** 53], [1])).value).toBe(2 ** 53);
  });

  test("D5 a shape with a wrong extent after a negative one is refused by name", () => {
    expect(() => inferExtent(0, [-2, "x" as never])).toThrow(/^inferExtent: an extent is not an integer/);
  });
});
