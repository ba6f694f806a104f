import { noGrad, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  batchNormTraining,
  layerNorm,
  maxPool2d,
  randn,
  rmsNorm,
  setKernels,
  type Tensor,
  withKernels,
} from "@sw/tensor";
import { type Backend, isRecorded, type Kernel } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { CHECKS } from "./checks/all.js";
import { Counting } from "./counting.js";
import type { F64 } from "./forms.js";

beforeAll(() => setKernels(jsKernels));

/** What a call cost: every kernel with its operands and numbers, and every allocation. */
interface Cost {
  readonly kernels: readonly string[];
  readonly asked: readonly number[];
  readonly recorded: boolean;
}

/** Runs a function on a backend and a memory that note what they are asked for. */
function costOf(fn: () => Tensor): Cost {
  const memory = new Counting();
  const calls: string[] = [];
  const kernels = Object.fromEntries(
    Object.entries(jsKernels.kernels).map(([kind, kernel]): [string, Kernel] => [
      kind,
      (outputs, inputs, ints, floats) => {
        const shapes = [outputs, inputs].map((operands) => operands.map((o) => `${o.dtype}[${o.shape}]`).join());
        calls.push(`${kind} ${outputs.length} ${shapes.join(" < ")} ${ints}`);
        (kernel as Kernel)(outputs, inputs, ints, floats);
      },
    ]),
  );
  const spy: Backend = { ...jsKernels, kernels };
  const out = withKernels([spy], () => memory.run(fn) as never) as Tensor;
  return { kernels: calls, asked: memory.asked, recorded: out.node?.record !== undefined };
}

describe("nothing is recorded, allocated or computed when it is not wanted", () => {
  for (const [kind, checks] of Object.entries(CHECKS)) {
    test(kind, () => {
      for (const [fn, inputs] of checks()) {
        const leaves = inputs.map((input) => parameter(input));
        const inference = (of: readonly F64[]) => costOf(() => noGrad(() => fn(...of) as never) as Tensor);
        const plain = inference(inputs);
        expect(plain.recorded).toBe(false);
        expect(inference(leaves), "parameters under noGrad").toEqual(plain);
        expect(
          costOf(() => fn(...inputs)),
          "plain tensors while recording",
        ).toEqual(plain);
        const recorded = costOf(() => fn(...leaves));
        expect(recorded.recorded, "parameters while recording").toBe(true);
        // What a record needs is more outputs of the same kernels, if anything.
        const kinds = (cost: Cost) => cost.kernels.map((call) => call.split(" ")[0]);
        expect(kinds(recorded), "parameters while recording").toEqual(kinds(plain));
      }
    });
  }
});

describe("what backward alone needs is an output of kernels only while recorded", () => {
  const image = randn([2, 3, 4, 4], { seed: 1 });
  const rows4 = randn([2, 4], { seed: 2 });
  test.each([
    ["maxPool2d", () => image, (x: Tensor) => maxPool2d(x, { kernel: 2 }), 1, 2],
    ["layerNorm", () => rows4, (x: Tensor) => layerNorm(x, [4]), 1, 3],
    ["rmsNorm", () => rows4, (x: Tensor) => rmsNorm(x, [4]), 1, 3],
    ["batchNorm", () => rows4, (x: Tensor) => batchNormTraining(x).output, 3, 5],
  ] as const)("%s", (kind, make, fn, without, withHistory) => {
    const outputs = (run: () => Tensor): string | undefined =>
      costOf(run)
        .kernels.find((call) => call.startsWith(`${kind} `))
        ?.split(" ")[1];
    const x = make();
    expect(outputs(() => fn(x))).toBe(String(without));
    expect(outputs(() => noGrad(() => fn(parameter(x)) as never) as Tensor)).toBe(String(without));
    expect(outputs(() => fn(parameter(x)))).toBe(String(withHistory));
  });
});

test("a result takes part only where recording is on and a leaf is upstream", () => {
  const x = randn([2], { seed: 1 });
  const p = parameter(x);
  expect([isRecorded(x), isRecorded(p), noGrad(() => isRecorded(p))]).toEqual([false, true, false]);
});
