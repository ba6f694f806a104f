import { contiguous } from "../operands/forms.js";
import type { Random } from "../random.js";
import {
  type DType,
  isFloat,
  largestOf,
  limitsOf,
  smallestNormalOf,
  smallestOf,
  type Value,
  wrapTo,
} from "../values.js";
import { type Draw, type KernelModel, ordinaryDraw } from "./model.js";
import type { Sample } from "./sample.js";

/** The values that loops get wrong: what is no number, zeros, the ends of the range. */
export function specialValues(dtype: DType, largest: boolean): readonly Value[] {
  if (!isFloat(dtype)) {
    const [low, high] = limitsOf(dtype);
    const values = dtype === "bool" ? [low, high] : [low, high, 0n, 1n, -1n, low + 1n, high - 1n];
    return values.map((value) => wrapTo(dtype, value));
  }
  const smallest = smallestOf(dtype);
  const normal = smallestNormalOf(dtype);
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -0];
  values.push(smallest, -smallest, normal - smallest, normal);
  if (largest) values.push(largestOf(dtype), -largestOf(dtype));
  return values;
}

/**
 * Builds the calls with special values at every position of small operands. Where an element depends on its own
 * coordinate only, all positions hold one, and the list is turned from call to call; elsewhere one at a time.
 */
export function specialSamples(model: KernelModel, dtype: DType, source: Random): readonly Sample[] {
  const specials = specialValues(dtype, model.largest);
  const placers = model.roles.map(() => contiguous);
  const samples: Sample[] = [];
  const call = (problem: readonly number[], draw: Draw): void => {
    samples.push(model.sample(dtype, problem, placers, draw, source));
  };
  for (const problem of model.small) {
    for (const chosen of model.special) {
      if (model.pointwise) {
        for (let turn = 0; turn < specials.length; turn++) {
          call(problem, (operand, d, count, ordinary) =>
            operand === chosen
              ? Array.from({ length: count }, (_, i) => specials[(i + turn) % specials.length]!)
              : ordinaryDraw(operand, d, count, ordinary),
          );
        }
        continue;
      }
      // Operands are small here: their number of elements is learnt by drawing once.
      let elements = 0;
      model.sample(
        dtype,
        problem,
        placers,
        (operand, d, count, ordinary) => {
          if (operand === chosen) elements = count;
          return ordinaryDraw(operand, d, count, ordinary);
        },
        source,
      );
      for (let position = 0; position < elements; position++) {
        for (const special of specials) {
          call(problem, (operand, d, count, ordinary) => {
            const values = ordinaryDraw(operand, d, count, ordinary);
            if (operand === chosen) values[position] = special;
            return values;
          });
        }
      }
    }
  }
  if (model.pointwise && model.special.length > 1)
    call([specials.length ** model.special.length], everyPair(model, specials));
  if (!model.pointwise) for (const problem of model.small) call(problem, mixed(specials, source));
  return samples;
}

/** Every special value with every other one. */
function everyPair(model: KernelModel, specials: readonly Value[]): Draw {
  return (operand, dtype, count, ordinary) => {
    const place = model.special.indexOf(operand);
    if (place < 0) return ordinaryDraw(operand, dtype, count, ordinary);
    const turn = specials.length ** place;
    return Array.from({ length: count }, (_, i) => specials[Math.floor(i / turn) % specials.length]!);
  };
}

/** Specials and ordinary values in any mixture. */
function mixed(specials: readonly Value[], source: Random): Draw {
  return (operand, dtype, count, ordinary) =>
    ordinaryDraw(operand, dtype, count, () => (source.next() < 0.4 ? source.pick(specials) : ordinary()));
}
