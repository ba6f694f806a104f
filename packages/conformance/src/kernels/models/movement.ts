import { OPERATIONS } from "@sw/tensor/seam";
import { ROUNDED } from "../../bounds.js";
import { place, sizeOf } from "../../operands/placing.js";
import { type DType, isFloat, roundTo, type Value, wrapTo } from "../../values.js";
import { loops } from "../loops.js";
import type { KernelModel, Problem } from "../model.js";
import { everyday, valued } from "../plans.js";
import type { Plan, Sample } from "../sample.js";

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

const accumulate = (): KernelModel => ({
  ...loops(),
  spec: OPERATIONS.accumulate,
  bound: ROUNDED,
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
});

function overlapping(dtype: DType, shape: Problem, strides: Problem, length: number, values: readonly Value[]): Plan {
  const placement = { shape, strides, offset: 0, length };
  const held = new Map<number, Value>();
  const positions = positionsInOrder({ dtype, placement, loops: shape.length });
  positions.forEach((at, i) => {
    held.set(at, values[i]!);
  });
  return { dtype, placement, values: positions.map((at) => held.get(at)!), loops: shape.length };
}

/** `accumulate`. */
export function movementModels(): readonly KernelModel[] {
  return [accumulate()];
}
