import { describe, expect, it } from "vitest";
import { driveThree, driveTwo, rowOf } from "../src/driver.js";
import { KernelDTypeError } from "../src/index.js";
import { allocate, permuted } from "./operands.js";

describe("the drivers", () => {
  it("call the row once for every turn of the outer loops, row-major, at the right offsets", () => {
    const x = allocate("float32", [2, 3, 4, 5]);
    const y = permuted(allocate("float32", [5, 4, 3, 2], "reversed"), [3, 2, 1, 0]);
    const seen: number[][] = [];
    driveTwo(
      (n, _x, xo, xs, _y, yo, ys, ints, floats) => seen.push([n, xo, xs, yo, ys, ...ints, ...floats]),
      x,
      y,
      [7],
      [8],
    );
    const expected: number[][] = [];
    for (let i = 0; i < 2; i++) {
      for (let j = 0; j < 3; j++) {
        for (let k = 0; k < 4; k++) {
          expected.push([5, i * 60 + j * 20 + k * 5, 1, y.offset - i - j * 2 - k * 6, -24, 7, 8]);
        }
      }
    }
    expect(seen).toEqual(expected);
    const three: number[][] = [];
    driveThree((n, _x, xo, xs, _y, yo, ys, _z, zo, zs) => three.push([n, xo, xs, yo, ys, zo, zs]), x, y, x, [], []);
    expect(three).toEqual(expected.map(([n, xo, xs, yo, ys]) => [n, xo, xs, yo, ys, xo, xs]));
  });

  it("call no row for an empty shape of several loops, wherever the 0 is", () => {
    for (const shape of [
      [0, 3],
      [3, 0],
      [2, 0, 2],
    ]) {
      const x = allocate("float32", shape);
      const refuse = () => expect.fail("a row was called");
      driveTwo(refuse, x, x, [], []);
      driveThree(refuse, x, x, x, [], []);
    }
  });

  it("find the row of a dtype, or say which there are", () => {
    expect(rowOf("add", { float32: 1, int8: 2 }, "int8")).toBe(2);
    expect(() => rowOf("add", { float32: 1, int8: 2 }, "bool")).toThrow(KernelDTypeError);
  });
});
