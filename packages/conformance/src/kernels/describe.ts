import type { Plan, Sample, Whereabouts } from "./sample.js";

function describePlan(role: string, plan: Plan): string {
  const { shape, strides, offset } = plan.placement;
  return `  ${role}: ${plan.dtype} [${shape.join(",")}] strides [${strides.join(",")}] offset ${offset}`;
}

/** Writes a call down, an operand a line. */
export function describeCall(kernel: string, sample: Sample, where: Whereabouts | "tensors", seed: number): string {
  const place = where === "own" ? "in the candidate's memory, or on the heap where it has none" : where;
  return [
    `  kernel ${kernel}, ints [${sample.ints.join(",")}], floats [${sample.floats.join(",")}], seed ${seed}, operands ${place}`,
    ...sample.outputs.map((plan, i) => describePlan(`output ${i}`, plan)),
    ...sample.inputs.map((plan, i) =>
      describePlan(i === sample.inPlaceOf ? `input ${i}, in the place of output 0` : `input ${i}`, plan),
    ),
  ].join("\n");
}
