import { OPERATIONS } from "@sw/tensor/seam";
import { ROUNDED } from "../../bounds.js";
import { contiguous } from "../../operands/forms.js";
import { coordinateOf, type Placer, sizeOf } from "../../operands/placing.js";
import type { Random } from "../../random.js";
import { type DType, isFloat, roundTo, type Value, wrapTo } from "../../values.js";
import { type Draw, type KernelModel, type OwnCase, ordinaryDraw, type Problem, range } from "../model.js";
import { oneAxis } from "../one-axis.js";
import { everyday, unwritten, valued } from "../plans.js";
import type { Plan, Sample } from "../sample.js";

// A problem is the extents of the loops: of what is picked, or of what is put somewhere.

type Kernel = "gather" | "scatter" | "scatterAdd" | "indexSelect" | "indexAdd";

/** What tells the kernels apart. */
interface Kind {
  /** Whether indices name elements of the output. */
  readonly puts: boolean;
  /** Whether it adds. */
  readonly adds: boolean;
  /** Whether indices are a list along the axis. */
  readonly list: boolean;
}

const KINDS: { readonly [K in Kernel]: Kind } = {
  gather: { puts: false, adds: false, list: false },
  scatter: { puts: true, adds: false, list: false },
  scatterAdd: { puts: true, adds: true, list: false },
  indexSelect: { puts: false, adds: false, list: true },
  indexAdd: { puts: true, adds: true, list: true },
};

/** What is chosen beside the extents. */
interface Told {
  readonly axis: number;
  /** The extent that indices are below. */
  readonly extent: number;
  readonly index: DType;
}

function anything(shape: Problem, source: Random): Told {
  const axis = source.integer(0, shape.length - 1);
  return { axis, extent: source.integer(1, 5), index: source.pick(["int32", "int64"] as const) };
}

const replaced = (shape: Problem, axis: number, extent: number): Problem =>
  shape.map((own, a) => (a === axis ? extent : own));

/** The number, row-major, of the element that each turn of the loops is led to. */
function led(shape: Problem, { axis, extent }: Told, indices: readonly number[], list: boolean): readonly number[] {
  const other = replaced(shape, axis, extent);
  return range(0, sizeOf(shape) - 1).map((i) => {
    const coordinate = coordinateOf(shape, i);
    const index = indices[list ? coordinate[axis]! : i]!;
    return other.reduce((at, e, a) => at * e + (a === axis ? index : coordinate[a]!), 0);
  });
}

function added(dtype: DType, x: Value, y: Value): Value {
  if (isFloat(dtype)) return roundTo(dtype, (x as number) + (y as number));
  return wrapTo(dtype, BigInt(x) + BigInt(y));
}

/** Builds a call. Placers: output; then the inputs in the kernel's order. */
function build(
  kernel: Kernel,
  dtype: DType,
  shape: Problem,
  placers: readonly Placer[],
  draw: Draw,
  source: Random,
  told: Told = anything(shape, source),
): Sample {
  const { puts, adds, list } = KINDS[kernel];
  const { axis, extent } = told;
  const other = replaced(shape, axis, extent);
  const operand = (i: number, own: Problem): Plan =>
    valued(
      dtype,
      placers[i]!(own),
      draw(i, dtype, sizeOf(own), () => everyday(dtype, source)),
    );
  const indexShape = list ? [shape[axis]!] : shape;
  const numbers = range(1, sizeOf(indexShape)).map(() => wrapTo(told.index, BigInt(source.integer(0, extent - 1))));
  const index = valued(told.index, placers[puts ? 1 : 2]!(indexShape), numbers);
  const places = led(shape, told, index.values!.map(Number), list);
  if (!puts) {
    const x = operand(1, other);
    return {
      outputs: [unwritten(dtype, placers[0]!(shape))],
      inputs: [x, index],
      ints: [axis],
      floats: [],
      expected: () => [{ values: places.map((at) => x.values![at]!) }],
    };
  }
  const target = operand(0, other);
  const put = operand(2, shape);
  const expected = () => {
    const values = [...target.values!];
    places.forEach((at, i) => {
      const value = put.values![i]!;
      values[at] = adds ? added(dtype, values[at]!, value) : value;
    });
    return [{ values }];
  };
  return { outputs: [target], inputs: [index, put], ints: [axis], floats: [], expected };
}

const PLAIN: readonly Placer[] = [contiguous, contiguous, contiguous];

/** One case a dtype of the indices, since `supports` may take one and not the other; along every axis. */
function indexCases(kernel: Kernel): readonly OwnCase[] {
  return (["int32", "int64"] as const).map((index) => ({
    name: `index-${index}`,
    samples: (dtype, source) =>
      range(0, 2).flatMap((axis) =>
        [1, 2, 5, 40].map((extent) =>
          build(kernel, dtype, [3, 4, 5], PLAIN, ordinaryDraw, source, { axis, extent, index }),
        ),
      ),
  }));
}

const WRONG: readonly (readonly [DType, Value])[] = [
  ["int32", -1],
  ["int32", 3],
  ["int32", 2 ** 31 - 1],
  ["int64", -1n],
  ["int64", 3n],
  // Cut to 32 bits, it would be 0.
  ["int64", 2n ** 32n],
  ["int64", -(2n ** 63n)],
];

/** An index that names nothing, at every position: a `RangeError`, and nothing is written. */
function refusals(kernel: Kernel): OwnCase {
  return {
    name: "index-out-of-range",
    dtypes: ["float32", "int64"],
    samples: (dtype, source) =>
      WRONG.flatMap(([index, wrong]) =>
        [0, 1].flatMap((axis) => {
          const told = { axis, extent: 3, index };
          const count = KINDS[kernel].list ? [2, 4][axis]! : 8;
          return range(0, count - 1).map((position) => {
            const sample = build(kernel, dtype, [2, 4], PLAIN, ordinaryDraw, source, told);
            const at = KINDS[kernel].puts ? 0 : 1;
            const { outputs, ints, floats } = sample;
            const inputs = sample.inputs.map((plan, i) =>
              i === at ? { ...plan, values: plan.values!.map((v, k) => (k === position ? wrong : v)) } : plan,
            );
            return { outputs, inputs, ints, floats };
          });
        }),
      ),
  };
}

function model(kernel: Kernel): KernelModel {
  const { puts } = KINDS[kernel];
  return {
    ...oneAxis(),
    spec: OPERATIONS[kernel],
    bound: ROUNDED,
    roles: puts ? ["inout", "in", "in"] : ["out", "in", "in"],
    small: [[1], [2], [5], [2, 3], [3, 2]],
    pointwise: false,
    largest: true,
    special: puts ? [0, 2] : [1],
    own: [...indexCases(kernel), refusals(kernel)],
    sample: (dtype, shape, placers, draw, source) => build(kernel, dtype, shape, placers, draw, source),
  };
}

/** `gather`, `scatter`, `scatterAdd`, `indexSelect` and `indexAdd`. */
export function indexingModels(): readonly KernelModel[] {
  return (Object.keys(KINDS) as Kernel[]).map(model);
}
