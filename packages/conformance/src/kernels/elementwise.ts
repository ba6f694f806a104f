import type { Role } from "../operands/forms.js";
import { place, sizeOf } from "../operands/placing.js";
import type { Random } from "../random.js";
import { type DType, isFloat, roundTo, type Value, wrapTo } from "../values.js";
import { type KernelModel, LENGTHS, type Problem, range } from "./model.js";
import { between, everyday, unwritten, valued } from "./plans.js";
import type { Expected, Plan, Sample } from "./sample.js";

/** What an element is of the elements at its coordinate: of floats in float64, of integers exactly. */
interface Rule {
  readonly kernel: KernelModel["kernel"];
  readonly inputs: number;
  readonly float: (a: number, b: number) => number;
  readonly integer?: (a: bigint, b: bigint) => bigint;
  readonly ordinary?: (dtype: DType, source: Random) => Value;
}

function forExp(dtype: DType, source: Random): Value {
  return source.next() < 0.5 ? between(dtype, -4, 4, source) : between(dtype, -110, 100, source);
}

function forLog(dtype: DType, source: Random): Value {
  const size = roundTo(dtype, 2 ** (source.next() * 40 - 20));
  const kind = source.next();
  if (kind < 0.1) return -size;
  return kind < 0.4 ? between(dtype, 0.5, 1.5, source) : size;
}

const RULES: readonly Rule[] = [
  { kernel: "add", inputs: 2, float: (a, b) => a + b, integer: (a, b) => a + b },
  { kernel: "sub", inputs: 2, float: (a, b) => a - b, integer: (a, b) => a - b },
  { kernel: "mul", inputs: 2, float: (a, b) => a * b, integer: (a, b) => a * b },
  { kernel: "div", inputs: 2, float: (a, b) => a / b },
  { kernel: "reluBackward", inputs: 2, float: (cotangent, output) => (output > 0 ? cotangent : 0) },
  { kernel: "neg", inputs: 1, float: (a) => -a, integer: (a) => -a },
  // Below zero makes +0; NaN and -0 pass.
  { kernel: "relu", inputs: 1, float: (a) => (a >= 0 || Number.isNaN(a) ? a : 0) },
  { kernel: "exp", inputs: 1, float: Math.exp, ordinary: forExp },
  { kernel: "log", inputs: 1, float: Math.log, ordinary: forLog },
];

/** What loops of every kernel of the family are like. */
export const LOOPS: Pick<
  KernelModel,
  "problems" | "sizes" | "ones" | "empty" | "small" | "pointwise" | "randomProblem"
> = {
  problems: [[7], [4, 5], [3, 9, 2], [2, 3, 1, 5]],
  sizes: [...LENGTHS.map((n) => [n]), ...[3, 4, 5, 7, 8, 9, 16, 17].map((n) => [3, n])],
  ones: [[], [1], [1, 1], [1, 1, 1], [1, 5], [5, 1], [1, 6, 1]],
  empty: [],
  small: range(1, 9)
    .concat(15, 16, 17)
    .map((n) => [n]),
  pointwise: true,
  randomProblem: (source) => Array.from({ length: source.integer(0, 4) }, () => source.integer(1, 6)),
};

function valuesOf({ float, integer }: Rule, dtype: DType, inputs: readonly Plan[], count: number): Value[] {
  const a = inputs[0]!.values!;
  const b = inputs[1]?.values ?? a;
  return Array.from({ length: count }, (_, i) =>
    isFloat(dtype) ? float(a[i] as number, b[i] as number) : wrapTo(dtype, integer!(BigInt(a[i]!), BigInt(b[i]!))),
  );
}

function model(rule: Rule): KernelModel {
  const roles: readonly Role[] = ["out", ...Array.from({ length: rule.inputs }, () => "in" as const)];
  const ordinary = rule.ordinary ?? everyday;
  return {
    ...LOOPS,
    kernel: rule.kernel,
    roles,
    largest: true,
    special: range(1, rule.inputs),
    own: [],
    sample(dtype, shape, placers, draw, source) {
      const count = sizeOf(shape);
      const inputs = range(1, rule.inputs).map((i) =>
        valued(
          dtype,
          placers[i]!(shape),
          draw(i, dtype, count, () => ordinary(dtype, source)),
        ),
      );
      const output = unwritten(dtype, placers[0]!(shape));
      const expected = (): readonly Expected[] => [{ values: valuesOf(rule, dtype, inputs, count) }];
      return { outputs: [output], inputs, ints: [], floats: [], expected };
    },
  };
}

/** The element-wise kernels that only write their output. */
export const ELEMENTWISE: readonly KernelModel[] = /* @__PURE__ */ RULES.map(model);

/** `accumulate` reads its target as well, which may overlap itself: so the reference is done step by step, in order. */
function accumulated(dtype: DType, target: Plan, added: Plan): Sample {
  const positions = positionsInOrder(target);
  const held = new Map<number, Value>();
  positions.forEach((at, i) => {
    held.set(at, target.values![i]!);
  });
  positions.forEach((at, i) => {
    const before = held.get(at)!;
    const more = added.values![i]!;
    const sum = isFloat(dtype)
      ? roundTo(dtype, (before as number) + (more as number))
      : wrapTo(dtype, BigInt(before) + BigInt(more));
    held.set(at, sum);
  });
  const values = positions.map((at) => held.get(at)!);
  return { outputs: [target], inputs: [added], ints: [], floats: [], expected: () => [{ values }] };
}

function positionsInOrder(plan: Plan): readonly number[] {
  const { shape, strides, offset } = plan.placement;
  const found: number[] = [];
  const walk = (axis: number, at: number): void => {
    if (axis === shape.length) found.push(at);
    else for (let i = 0; i < shape[axis]!; i++) walk(axis + 1, at + i * strides[axis]!);
  };
  walk(0, offset);
  return found;
}

/** Targets whose elements share places: [shape, strides, length of the area]. */
const OVERLAPS: readonly (readonly [Problem, Problem, number])[] = [
  [[9], [0], 1],
  [[3, 5], [0, 1], 5],
  [[5, 3], [1, 0], 5],
  [[4, 3], [1, 1], 6],
  [[6, 4], [2, 1], 14],
  [[2, 3, 4], [0, 1, 2], 9],
];

/** `target += source`. */
export const ACCUMULATE: KernelModel = {
  ...LOOPS,
  kernel: "accumulate",
  roles: ["inout", "in"],
  largest: true,
  special: [0, 1],
  own: [
    {
      name: "overlapping",
      samples: (dtype, source) =>
        OVERLAPS.map(([shape, strides, length]) => {
          const count = sizeOf(shape);
          const draw = (): Value[] => Array.from({ length: count }, () => everyday(dtype, source));
          const target = overlapping(dtype, shape, strides, length, draw());
          return accumulated(dtype, target, valued(dtype, place(shape), draw()));
        }),
    },
  ],
  sample(dtype, shape, placers, draw, source) {
    const count = sizeOf(shape);
    const ordinary = (): Value => everyday(dtype, source);
    const target = valued(dtype, placers[0]!(shape), draw(0, dtype, count, ordinary));
    return accumulated(dtype, target, valued(dtype, placers[1]!(shape), draw(1, dtype, count, ordinary)));
  },
};

function overlapping(dtype: DType, shape: Problem, strides: Problem, length: number, values: readonly Value[]): Plan {
  const placement = { shape, strides, offset: 0, length };
  const held = new Map<number, Value>();
  const positions = positionsInOrder({ dtype, placement, loops: shape.length });
  positions.forEach((at, i) => {
    held.set(at, values[i]!);
  });
  return { dtype, placement, values: positions.map((at) => held.get(at)!), loops: shape.length };
}
