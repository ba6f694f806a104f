import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, ROUNDED, wide } from "../../bounds.js";
import { exactSum } from "../../exact-sums.js";
import { contiguous } from "../../operands/forms.js";
import type { Placer } from "../../operands/placing.js";
import type { Random } from "../../random.js";
import { type DType, INTEGER_DTYPES, type Value, wrapTo } from "../../values.js";
import { type Draw, type KernelModel, lengths, type OwnCase, ordinaryDraw, type Problem, range } from "../model.js";
import { between, everyday, numbersOf, unwritten, valued } from "../plans.js";
import type { Expected, Plan, Sample } from "../sample.js";

// A problem is `[n, classes]`.

function problems(): Pick<
  KernelModel,
  "problems" | "sizes" | "ones" | "small" | "pointwise" | "largest" | "randomProblem"
> {
  return {
    problems: [
      [7, 5],
      [4, 9],
      [10, 3],
    ],
    sizes: lengths().flatMap((n) => [
      [n, 3],
      [3, n],
    ]),
    ones: [
      [1, 1],
      [1, 4],
      [5, 1],
    ],
    small: [
      [1, 2],
      [3, 4],
      [5, 3],
    ],
    pointwise: false,
    largest: false,
    randomProblem: (source) => [source.integer(1, 9), source.integer(1, 9)],
  };
}

function targets(dtype: DType, placer: Placer, n: number, classes: number, source: Random): Plan {
  // Even int8 holds the class numbers of every dtype.
  const highest = Math.min(classes, 128) - 1;
  const values: Value[] = range(1, n).map(() => wrapTo(dtype, BigInt(source.integer(0, highest))));
  return valued(dtype, placer([n]), values);
}

type Kernel = "nllLoss" | "nllLossBackward";

/** Builds the call of one of the two kernels. Placers: output, float input, target. */
function build(
  kernel: Kernel,
  dtype: DType,
  [n, classes]: Problem,
  placers: readonly Placer[],
  draw: Draw,
  source: Random,
  targetDType: DType = "int32",
): Sample {
  const target = targets(targetDType, placers[2]!, n!, classes!, source);
  const chosen = target.values!.map(Number);
  if (kernel === "nllLoss") {
    const shape = [n!, classes!];
    const input = valued(
      dtype,
      placers[1]!(shape),
      draw(1, dtype, n! * classes!, () => between(dtype, -9, 0, source)),
    );
    const values = numbersOf(input);
    const expected = (): readonly Expected[] => {
      const { sum, magnitude } = exactSum(chosen.map((c, i) => values[i * classes! + c]!));
      return [{ values: [0 - sum / n!], magnitudes: [magnitude / n!], terms: n! }];
    };
    return {
      outputs: [unwritten(dtype, placers[0]!([]))],
      inputs: [input, target],
      ints: [],
      floats: [],
      expected,
    };
  }
  const cotangent = valued(
    dtype,
    placers[1]!([]),
    draw(1, dtype, 1, () => everyday(dtype, source)),
  );
  const share = -numbersOf(cotangent)[0]! / n!;
  const values = chosen.flatMap((c) => range(0, classes! - 1).map((j) => (j === c ? share : 0)));
  return {
    outputs: [unwritten(dtype, placers[0]!([n!, classes!]))],
    inputs: [cotangent, target],
    ints: [classes!],
    floats: [],
    expected: () => [{ values }],
  };
}

const PLAIN: readonly Placer[] = [contiguous, contiguous, contiguous];

/** One case a dtype of the targets, since `supports` may take some and not others. */
function targetCases(kernel: Kernel): readonly OwnCase[] {
  return INTEGER_DTYPES.map((targetDType) => ({
    name: `target-${targetDType}`,
    dtypes: ["float32", "float64"],
    samples: (dtype, source) =>
      range(1, 20).map((n) => build(kernel, dtype, [n, 10], PLAIN, ordinaryDraw, source, targetDType)),
  }));
}

/** A class that there is not, at every position: a `RangeError`, and nothing is written. */
function refusals(kernel: Kernel): OwnCase {
  return {
    name: "target-out-of-range",
    dtypes: ["float32", "float64"],
    samples: (dtype, source) =>
      range(1, 9).flatMap((n) =>
        range(0, n - 1).flatMap((position) =>
          [-1, 4, 2 ** 31 - 1].map((wrong) => {
            const sample = build(kernel, dtype, [n, 4], PLAIN, ordinaryDraw, source);
            const target = sample.inputs[1]!;
            const values = target.values!.map((value, i) => (i === position ? wrong : value));
            const { outputs, ints, floats } = sample;
            return { outputs, inputs: [sample.inputs[0]!, { ...target, values }], ints, floats };
          }),
        ),
      ),
  };
}

function model(kernel: Kernel): KernelModel {
  const ofMean: Pick<KernelModel, "bound" | "exactBound"> = {
    bound: accumulated("Σ|x| / n", { constant: 16, perDoubling: 2, perTermOfFloat64: 1 }),
    exactBound: wide("Σ|x| / n", { constant: 4, perTerm: 1 }),
  };
  return {
    ...problems(),
    spec: OPERATIONS[kernel],
    ...(kernel === "nllLoss" ? ofMean : { bound: ROUNDED }),
    roles: ["out", "in", "in"],
    empty: kernel === "nllLoss" ? [] : [[0, 4]],
    special: [1],
    own: [...targetCases(kernel), refusals(kernel)],
    sample: (dtype, problem, placers, draw, source) => build(kernel, dtype, problem, placers, draw, source),
  };
}

/** `nllLoss` and `nllLossBackward`. */
export function indexingModels(): readonly KernelModel[] {
  return (["nllLoss", "nllLossBackward"] as const).map(model);
}
