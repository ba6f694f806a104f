import { broadcastShapes } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import vectors from "./vectors/broadcast_shapes.json" with { type: "json" };

describe("broadcastShapes", () => {
  test("OneModel 3: every case of the vectors, accepted and refused", () => {
    const { cases } = vectors as unknown as {
      cases: readonly { a?: number[]; b?: number[]; shapes?: number[][]; out: number[] | { err: string } }[];
    };
    expect(cases.length).toBeGreaterThan(100);
    for (const { a, b, shapes = [a!, b!], out } of cases) {
      if (Array.isArray(out)) expect([shapes, broadcastShapes(...shapes)]).toEqual([shapes, out]);
      else {
        expect(() => broadcastShapes(...shapes), JSON.stringify(shapes)).toThrow(
          expect.objectContaining({ name: "LayoutError", code: "SW_LAYOUT_BROADCAST" }),
        );
      }
    }
  });

  test("any number of shapes, in lists of their own", () => {
    expect(broadcastShapes()).toEqual([]);
    const shape = [2, 3];
    expect(broadcastShapes(shape)).toEqual(shape);
    expect(broadcastShapes(shape) === shape).toBe(false);
    expect(broadcastShapes([5, 1, 1], [4, 1], [3])).toEqual([5, 4, 3]);
  });

  test("what is no shape is refused, a result beyond a tensor too", () => {
    expect(() => broadcastShapes([1.5])).toThrow(TypeError);
    expect(() => broadcastShapes(null as never)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISSING" }));
    expect(() => broadcastShapes([2 ** 16, 1], [1, 2 ** 16])).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }),
    );
  });
});
