import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, ROUNDED, wide } from "../../bounds.js";
import { exactSum } from "../../exact-sums.js";
import { contiguous } from "../../operands/forms.js";
import type { Placer } from "../../operands/placing.js";
import type { Random } from "../../random.js";
import { type DType, type Value, wrapTo } from "../../values.js";
import { type Draw, type KernelModel, lengths, type OwnCase, ordinaryDraw, range } from "../model.js";
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

/** What a loss is told beside its operands. */
interface Told {
  /** 0 for the mean, 1 for the sum, 2 for none. */
  readonly reduction: number;
  readonly ignored: number | undefined;
  /** How likely a target is the ignored class. */
  readonly share: number;
  readonly target: DType;
}

function anything(source: Random): Told {
  const ignored = source.pick([undefined, undefined, -100, 0, 200]);
  return { reduction: source.integer(0, 2), ignored, share: 0.3, target: source.pick(["int32", "int64"] as const) };
}

function targets({ target, ignored, share }: Told, placer: Placer, n: number, classes: number, source: Random): Plan {
  const values: Value[] = range(1, n).map(() => {
    const skipped = ignored !== undefined && source.next() < share;
    return wrapTo(target, BigInt(skipped ? ignored : source.integer(0, classes - 1)));
  });
  return valued(target, placer([n]), values);
}

type Kernel = "nllLoss" | "nllLossBackward";

/** Builds the call of one of the two kernels. Placers: output, float input, target. */
function build(
  kernel: Kernel,
  dtype: DType,
  [n, classes]: readonly [number, number],
  placers: readonly Placer[],
  draw: Draw,
  source: Random,
  told: Told = anything(source),
): Sample {
  const { reduction, ignored } = told;
  const target = targets(told, placers[2]!, n, classes, source);
  const chosen = target.values!.map(Number);
  const counts = chosen.map((c) => c !== ignored);
  const divisor = reduction === 0 ? counts.filter(Boolean).length : 1;
  const rows = reduction === 2 ? [n] : [];
  const last = ignored === undefined ? [] : [ignored];
  if (kernel === "nllLoss") {
    const input = valued(
      dtype,
      placers[1]!([n, classes]),
      draw(1, dtype, n * classes, () => between(dtype, -9, 0, source)),
    );
    const values = numbersOf(input);
    const expected = (): readonly Expected[] => {
      const losses = chosen.map((c, i) => (counts[i]! ? 0 - values[i * classes + c]! : 0));
      if (reduction === 2) return [{ values: losses }];
      const { sum, magnitude } = exactSum(losses);
      return [{ values: [sum / divisor], magnitudes: [magnitude / divisor], terms: n }];
    };
    return {
      outputs: [unwritten(dtype, placers[0]!(rows))],
      inputs: [input, target],
      ints: [reduction, ...last],
      floats: [],
      expected,
    };
  }
  const cotangent = valued(
    dtype,
    placers[1]!(rows),
    draw(1, dtype, reduction === 2 ? n : 1, () => everyday(dtype, source)),
  );
  const given = numbersOf(cotangent);
  const values = chosen.flatMap((c, i) =>
    range(0, classes - 1).map((j) => (j === c && counts[i]! ? -given[reduction === 2 ? i : 0]! / divisor : 0)),
  );
  return {
    outputs: [unwritten(dtype, placers[0]!([n, classes]))],
    inputs: [cotangent, target],
    ints: [classes, reduction, ...last],
    floats: [],
    expected: () => [{ values }],
  };
}

const PLAIN: readonly Placer[] = [contiguous, contiguous, contiguous];
const MEAN: Told = { reduction: 0, ignored: undefined, share: 0, target: "int32" };
const EACH: readonly Told[] = [0, 1, 2].flatMap((reduction) =>
  [undefined, -100, 1].map((ignored) => ({ ...MEAN, reduction, ignored, share: 0.3 })),
);

/** Every reduction, with an ignored class and without one. */
function reductions(kernel: Kernel): OwnCase {
  return {
    name: "reductions",
    samples: (dtype, source) =>
      EACH.flatMap((told) => range(1, 9).map((n) => build(kernel, dtype, [n, 4], PLAIN, ordinaryDraw, source, told))),
  };
}

/** Nothing to average: of a loss NaN, of its gradient zeros. */
function allIgnored(kernel: Kernel): OwnCase {
  return {
    name: "all-ignored",
    samples: (dtype, source) =>
      range(0, 2).flatMap((reduction) =>
        [1, 5].map((n) =>
          build(kernel, dtype, [n, 4], PLAIN, ordinaryDraw, source, { ...MEAN, reduction, ignored: -1, share: 1 }),
        ),
      ),
  };
}

/** The sum of no losses is 0, their mean NaN. */
const NO_ROWS: OwnCase = {
  name: "no-rows",
  samples: (dtype, source) =>
    [0, 1].map((reduction) => build("nllLoss", dtype, [0, 4], PLAIN, ordinaryDraw, source, { ...MEAN, reduction })),
};

/** One case a dtype of the targets, since `supports` may take one and not the other. */
function targetCases(kernel: Kernel): readonly OwnCase[] {
  return (["int32", "int64"] as const).map((target) => ({
    name: `target-${target}`,
    samples: (dtype, source) =>
      range(1, 20).map((n) => build(kernel, dtype, [n, 10], PLAIN, ordinaryDraw, source, { ...MEAN, target })),
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
            const ignoring = { ...MEAN, ignored: -100, share: 0 };
            const sample = build(kernel, dtype, [n, 4], PLAIN, ordinaryDraw, source, ignoring);
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
    own: [
      reductions(kernel),
      allIgnored(kernel),
      ...(kernel === "nllLoss" ? [NO_ROWS] : []),
      ...targetCases(kernel),
      refusals(kernel),
    ],
    sample: (dtype, [n, classes], placers, draw, source) => build(kernel, dtype, [n!, classes!], placers, draw, source),
  };
}

/** `nllLoss` and `nllLossBackward`. */
export function lossModels(): readonly KernelModel[] {
  return (["nllLoss", "nllLossBackward"] as const).map(model);
}
