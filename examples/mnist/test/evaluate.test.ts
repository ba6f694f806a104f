import { jsKernels } from "@sw/kernels-js";
import { asTensor, setKernels } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { countDifferentBits, evaluate, worstMistakes } from "../src/evaluate.js";

beforeAll(() => setKernels(jsKernels));

/** Logits that are 0 except for the given class. */
function rowFor(predicted: number, logit: number): number[] {
  return Array.from({ length: 10 }, (_, c) => (c === predicted ? logit : 0));
}

const LOGITS = Float32Array.from([...rowFor(3, 2), ...rowFor(4, 9), ...rowFor(5, 1), ...rowFor(6, 4)]);
const LABELS = Uint8Array.of(3, 7, 0, 1);

describe("evaluate", () => {
  test("the largest logit is the prediction, and its probability the confidence", () => {
    const evaluation = evaluate(LOGITS, asTensor(LABELS));
    expect(evaluation).toMatchObject({ accuracy: 0.25, correct: 1, count: 4, predicted: [3, 4, 5, 6] });
    expect(evaluation.confidence[0]).toBeCloseTo(Math.exp(2) / (Math.exp(2) + 9), 6);
    expect(evaluation.confusion[7]).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
  });

  test("it keeps no memory", () => {
    const before = defaultPool().statistics().live;
    evaluate(LOGITS, asTensor(LABELS));
    expect(defaultPool().statistics().live).toBe(before);
  });
});

describe("worstMistakes", () => {
  test("the surest mistakes come first, right answers never", () => {
    const labels = asTensor(LABELS);
    const mistakes = worstMistakes(evaluate(LOGITS, labels), LOGITS, labels, 2);
    expect(mistakes.map(({ index, label, predicted }) => [index, label, predicted])).toEqual([
      [1, 7, 4],
      [3, 1, 6],
    ]);
    expect(mistakes[0]?.confidence).toBeGreaterThan(0.99);
  });

  test("fewer mistakes than asked for are all there are", () => {
    const labels = asTensor(LABELS);
    expect(worstMistakes(evaluate(LOGITS, labels), LOGITS, labels, 16)).toHaveLength(3);
  });
});

describe("countDifferentBits", () => {
  test("0 and -0 differ, a NaN equals itself, a missing element differs", () => {
    expect(countDifferentBits(Float32Array.of(0, Number.NaN, 1), Float32Array.of(-0, Number.NaN, 1))).toBe(1);
    expect(countDifferentBits(Float32Array.of(1, 2), Float32Array.of(1))).toBe(1);
  });

  test("windows of larger arrays are compared within their bounds", () => {
    const larger = Float32Array.of(9, 1, 2, 9);
    expect(countDifferentBits(larger.subarray(1, 3), Float32Array.of(1, 2))).toBe(0);
  });
});
