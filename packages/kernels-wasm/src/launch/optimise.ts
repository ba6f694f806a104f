import type { Operand } from "@sw/tensor/seam";
import { allOf, type Engine, type Family, type RoomKernel } from "./family.js";

/** Elements of one call: an engine replaces slow first code between calls only. */
const MOST = 16_384;

type Run = (
  core: Engine["core"],
  count: number,
  at: readonly number[],
  ints: readonly number[],
  floats: readonly number[],
) => void;

/** Operands that do not lie side by side, or elsewhere, are copied, and what is changed is copied back. */
const inPlace = (run: Run): RoomKernel => ({
  objection: allOf("float32"),
  launch: ({ core }, room, outputs, inputs, ints, floats) => {
    const places = [
      ...outputs.map((operand) => room.locateChanged(operand)),
      ...inputs.map((operand) => room.locate(operand)),
    ];
    room.fill();
    const count = sizeOf(outputs[0]!);
    for (let i = 0; i < count; i += MOST) {
      run(
        core,
        Math.min(MOST, count - i),
        places.map(({ at }) => at + 4 * i),
        ints,
        floats,
      );
    }
    room.giveBack();
  },
});

export const OPTIMISERS: Family<"adamStep" | "sgdStep"> = {
  adamStep: inPlace((core, count, at, [decoupled], floats) => {
    const [rate, beta1, beta2, epsilon, decay, correction1, correction2] = floats as Seven;
    const [parameter, first, second, gradient] = at as [number, number, number, number];
    const added = decoupled ? 0 : decay;
    const kept = decoupled ? 1 - rate * decay : 1;
    core.adam(
      count,
      parameter,
      first,
      second,
      gradient,
      rate,
      beta1,
      beta2,
      epsilon,
      added,
      correction1,
      correction2,
      1 - beta1,
      1 - beta2,
      kept,
      Number(added !== 0),
    );
  }),
  sgdStep: inPlace((core, count, at, [nesterov], [rate, momentum, decay]) => {
    const decays = Number(decay !== 0);
    const [parameter, velocity, gradient] = at as [number, number, number?];
    // Without a velocity the second operand is the gradient.
    if (gradient === undefined) core.sgd(count, parameter, velocity, rate!, decay!, decays);
    else
      core.sgdMomentum(count, parameter, velocity, gradient, rate!, momentum!, decay!, decays, Number(nesterov !== 0));
  }),
};

type Seven = [number, number, number, number, number, number, number];

function sizeOf({ shape }: Operand): number {
  return shape.reduce((product, extent) => product * extent, 1);
}
