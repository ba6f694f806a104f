import { describe, expect, it } from "vitest";
import { KernelTargetError } from "../src/index.js";
import { allocate, expectSame, FLOATS, INTEGERS, kernel, operand, PLACINGS, read, rounded, run } from "./operands.js";

const LOGS = [-0.1, -2.3, -4, -1.2, -0.7, -3.5, -2.1, -0.4, -1.6, -5, -0.01, -7];

describe("nllLoss", () => {
  it("averages what the targets pick, for every float dtype, integer dtype and placing", () => {
    for (const dtype of FLOATS) {
      for (const integer of INTEGERS) {
        for (const placing of PLACINGS) {
          const logs = operand(dtype, [4, 3], LOGS, placing);
          const out = allocate(dtype, [], placing);
          run("nllLoss", [out], [logs, operand(integer, [4], [0, 2, 1, 2], placing)]);
          const picked = [LOGS[0]!, LOGS[5]!, LOGS[7]!, LOGS[11]!].map((x) => rounded(dtype, x));
          expectSame(read(out), [rounded(dtype, picked.reduce((sum, x) => sum - x, 0) / 4)]);
        }
      }
    }
  });

  it("reads NaN and infinities only where a target picks them", () => {
    const logs = operand("float32", [2, 2], [NaN, -1, -2, -Infinity]);
    const out = allocate("float32", []);
    run("nllLoss", [out], [logs, operand("uint8", [2], [1, 0])]);
    expectSame(read(out), [1.5]);
    run("nllLoss", [out], [logs, operand("uint8", [2], [1, 1])]);
    expectSame(read(out), [Infinity]);
  });

  it("of certainty is +0, of no row NaN", () => {
    const out = allocate("float64", []);
    run("nllLoss", [out], [operand("float64", [2, 1], [0, -0]), operand("int64", [2], [0n, 0n])]);
    expectSame(read(out), [0]);
    run("nllLoss", [out], [operand("float64", [0, 3], []), operand("int64", [0], [])]);
    expectSame(read(out), [NaN]);
  });
});

describe("nllLossBackward", () => {
  it("writes the whole output: the negated share at each target, +0 elsewhere", () => {
    for (const dtype of FLOATS) {
      for (const integer of INTEGERS) {
        for (const placing of PLACINGS) {
          const out = allocate(dtype, [3, 4], placing);
          const cotangent = operand(dtype, [], [0.7], placing);
          run("nllLossBackward", [out], [cotangent, operand(integer, [3], [3, 0, 3], placing)], [4]);
          const share = rounded(dtype, -rounded(dtype, 0.7) / 3);
          expectSame(read(out), [0, 0, 0, share, share, 0, 0, 0, 0, 0, 0, share]);
        }
      }
    }
  });

  it("lets a NaN cotangent reach the targets only", () => {
    const out = allocate("float32", [1, 3]);
    run("nllLossBackward", [out], [operand("float32", [], [NaN]), operand("int32", [1], [1])], [3]);
    expectSame(read(out), [0, NaN, 0]);
  });
});

describe("a target that names no class", () => {
  const bad = [
    ["int32", -1],
    ["int8", -100],
    ["uint8", 3],
    ["int64", 3n],
    ["int64", -(2n ** 63n)],
    ["uint64", 2n ** 64n - 1n],
    ["int64", 4294967296n],
  ] as const;

  for (const [dtype, value] of bad) {
    it(`${dtype} ${value} is refused with its position and value, before anything is written`, () => {
      const target = operand(dtype, [4], [0, 1, value, value], "reversed");
      const loss = operand("float32", [], [7]);
      const gradient = operand("float32", [4, 3], new Array<number>(12).fill(7));
      const calls = {
        nllLoss: () => kernel("nllLoss")([loss], [operand("float32", [4, 3], LOGS), target], [], []),
        nllLossBackward: () => kernel("nllLossBackward")([gradient], [operand("float32", [], [1]), target], [3], []),
      };
      for (const [name, call] of Object.entries(calls)) {
        expect(call).toThrow(KernelTargetError);
        expect(call).toThrow(`${name}: target 2 names no class: got ${value}, expected an integer from 0 to 2.`);
        try {
          call();
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          expect(error).toMatchObject({
            name: "KernelTargetError",
            code: "SW_KERNELS_TARGET",
            position: 2,
            value,
            classes: 3,
          });
        }
      }
      expectSame(read(loss), [7]);
      expectSame(read(gradient), new Array<number>(12).fill(7));
    });
  }

  it("is every target where there are no classes", () => {
    const call = () =>
      kernel("nllLoss")(
        [allocate("float32", [])],
        [operand("float32", [1, 0], []), operand("int32", [1], [0])],
        [],
        [],
      );
    expect(call).toThrow("nllLoss: target 0 names no class: got 0, expected no target, since there are 0 classes.");
  });
});
