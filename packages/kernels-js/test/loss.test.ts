import { describe, expect, it } from "vitest";
import { KernelTargetError } from "../src/index.js";
import { allocate, expectSame, FLOATS, HALVES, kernel, operand, PLACINGS, read, rounded, run } from "./operands.js";

const LOGS = [-0.1, -2.3, -4, -1.2, -0.7, -3.5, -2.1, -0.4, -1.6, -5, -0.01, -7];

const MEAN = 0;
const SUM = 1;
const NONE = 2;
const DTYPES = [...FLOATS, ...HALVES];
const INDICES = ["int32", "int64"] as const;

const total = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0);

describe("nllLoss", () => {
  it("takes what the targets pick, for every float dtype, dtype of targets, placing and reduction", () => {
    for (const dtype of DTYPES) {
      for (const integer of INDICES) {
        for (const placing of PLACINGS) {
          const logs = operand(dtype, [4, 3], LOGS, placing);
          const target = operand(integer, [4], [0, 2, 1, 2], placing);
          const losses = [LOGS[0]!, LOGS[5]!, LOGS[7]!, LOGS[11]!].map((x) => -rounded(dtype, x));
          const out = allocate(dtype, [], placing);
          run("nllLoss", [out], [logs, target], [MEAN]);
          expectSame(read(out), [rounded(dtype, total(losses) / 4)]);
          run("nllLoss", [out], [logs, target], [SUM]);
          expectSame(read(out), [rounded(dtype, total(losses))]);
          const each = allocate(dtype, [4], placing);
          run("nllLoss", [each], [logs, target], [NONE]);
          expectSame(read(each), losses);
        }
      }
    }
  });

  it("an ignored class counts as no row, wherever it is", () => {
    for (const ignored of [-100, 1, 7]) {
      const logs = operand("float64", [3, 3], [-1, -2, -3, NaN, NaN, NaN, -4, -5, -6]);
      const target = operand("int32", [3], [0, ignored, 2]);
      const out = allocate("float64", []);
      run("nllLoss", [out], [logs, target], [MEAN, ignored]);
      expectSame(read(out), [3.5]);
      run("nllLoss", [out], [logs, target], [SUM, ignored]);
      expectSame(read(out), [7]);
      const each = allocate("float64", [3]);
      run("nllLoss", [each], [logs, target], [NONE, ignored]);
      expectSame(read(each), [1, 0, 6]);
    }
  });

  it("reads NaN and infinities only where a target picks them", () => {
    const logs = operand("float32", [2, 2], [NaN, -1, -2, -Infinity]);
    const out = allocate("float32", []);
    run("nllLoss", [out], [logs, operand("int32", [2], [1, 0])], [MEAN]);
    expectSame(read(out), [1.5]);
    run("nllLoss", [out], [logs, operand("int32", [2], [1, 1])], [MEAN]);
    expectSame(read(out), [Infinity]);
  });

  it("of certainty is +0; of no row the mean is NaN and the sum +0", () => {
    const out = allocate("float64", []);
    const certain = [operand("float64", [2, 1], [0, -0]), operand("int64", [2], [0n, 0n])];
    run("nllLoss", [out], certain, [MEAN]);
    expectSame(read(out), [0]);
    const each = allocate("float64", [2]);
    run("nllLoss", [each], certain, [NONE]);
    expectSame(read(each), [0, 0]);
    const nothing = [operand("float64", [0, 3], []), operand("int64", [0], [])];
    run("nllLoss", [out], nothing, [MEAN]);
    expectSame(read(out), [NaN]);
    run("nllLoss", [out], nothing, [SUM]);
    expectSame(read(out), [0]);
    const ignored = [operand("float64", [1, 1], [-3]), operand("int64", [1], [9n])];
    run("nllLoss", [out], ignored, [MEAN, 9]);
    expectSame(read(out), [NaN]);
  });
});

describe("nllLossBackward", () => {
  it("writes the whole output: the negated share at each target, +0 elsewhere", () => {
    for (const dtype of DTYPES) {
      for (const integer of INDICES) {
        for (const placing of PLACINGS) {
          const out = allocate(dtype, [3, 4], placing);
          const cotangent = operand(dtype, [], [0.7], placing);
          const target = operand(integer, [3], [3, 0, 3], placing);
          for (const reduction of [MEAN, SUM]) {
            run("nllLossBackward", [out], [cotangent, target], [4, reduction]);
            const share = rounded(dtype, -rounded(dtype, 0.7) / (reduction === MEAN ? 3 : 1));
            expectSame(read(out), [0, 0, 0, share, share, 0, 0, 0, 0, 0, 0, share]);
          }
          const each = operand(dtype, [3], [1, 2, -4], placing);
          run("nllLossBackward", [out], [each, target], [4, NONE]);
          expectSame(read(out), [0, 0, 0, -1, -2, 0, 0, 0, 0, 0, 0, 4]);
        }
      }
    }
  });

  it("gives rows of the ignored class zeros, all of them where all are ignored", () => {
    const out = allocate("float32", [2, 2]);
    const cotangent = operand("float32", [], [3]);
    run("nllLossBackward", [out], [cotangent, operand("int32", [2], [-100, 1])], [2, MEAN, -100]);
    expectSame(read(out), [0, 0, 0, -3]);
    run("nllLossBackward", [out], [cotangent, operand("int32", [2], [-100, -100])], [2, MEAN, -100]);
    expectSame(read(out), [0, 0, 0, 0]);
  });

  it("lets a NaN cotangent reach the targets only", () => {
    const out = allocate("float32", [1, 3]);
    run("nllLossBackward", [out], [operand("float32", [], [NaN]), operand("int32", [1], [1])], [3, MEAN]);
    expectSame(read(out), [0, NaN, 0]);
  });
});

describe("a target that names no class", () => {
  const bad = [
    ["int32", -1],
    ["int32", 3],
    ["int32", -100],
    ["int64", 3n],
    ["int64", -(2n ** 63n)],
    ["int64", 4294967296n],
  ] as const;

  for (const [dtype, value] of bad) {
    it(`${dtype} ${value} is refused with its position and value, before anything is written`, () => {
      const target = operand(dtype, [4], [0, 1, value, value], "reversed");
      const loss = operand("float32", [], [7]);
      const gradient = operand("float32", [4, 3], new Array<number>(12).fill(7));
      const calls = {
        nllLoss: () => kernel("nllLoss")([loss], [operand("float32", [4, 3], LOGS), target], [MEAN], []),
        nllLossBackward: () =>
          kernel("nllLossBackward")([gradient], [operand("float32", [], [1]), target], [3, MEAN, 17], []),
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
        [MEAN],
        [],
      );
    expect(call).toThrow("nllLoss: target 0 names no class: got 0, expected no target, since there are 0 classes.");
  });
});
