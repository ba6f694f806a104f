import { GradientError, gradcheck } from "@sw/autograd";
import { KernelMissingError, type Tensor, tensor, withKernels } from "@sw/tensor";
import { type Backend, OPERATIONS, type OperationSpec } from "@sw/tensor/seam";
import type { Case, CaseOutcome } from "../case.js";
import { ConformanceError } from "../errors.js";
import { check, lacks, nameOf, subjects } from "../kernels/candidate.js";
import type { Kit } from "../kit.js";
import { type Random, random, seedOf } from "../random.js";
import { type CheckedKernel, FUNCTIONS, type Operand } from "./functions.js";

type F64 = Tensor<"float64">;

/** How the operands of a case lie. */
const FORMS = {
  contiguous: (shape: readonly number[], values: Float64Array): F64 => tensor(values, { shape: [...shape] }) as F64,
  transposed: (shape: readonly number[], values: Float64Array): F64 =>
    (tensor(values, { shape: [...shape].reverse() }) as F64).T,
  reversed: (shape: readonly number[], values: Float64Array): F64 =>
    (tensor(values, { shape: [...shape] }) as F64).flip(shape.length - 1),
} as const;

/** Steps of 0.1 in no order, around 0 or from 0.5 on; the operands of a call have no number in common. */
function valuesOf({ shape, values }: Operand, position: number, source: Random): Float64Array {
  const size = shape.reduce((product, extent) => product * extent, 1);
  const first = (values === "positive" ? 0.5 : 0.02 - 0.1 * (size >> 1)) + 0.03 * position;
  const list = Float64Array.from({ length: size }, (_, i) => first + 0.1 * i);
  for (let i = size - 1; i > 0; i--) {
    const k = source.integer(0, i);
    const held = list[i]!;
    list[i] = list[k]!;
    list[k] = held;
  }
  return list;
}

function gradientCase(checked: CheckedKernel, form: keyof typeof FORMS): Case<Backend> {
  const { kernel, operands, fn } = checked;
  const id = `gradients/${kernel}/${form}`;
  const compare = (): CaseOutcome => {
    const source = random(seedOf(id));
    const inputs = operands.map((operand, i) => FORMS[form](operand.shape, valuesOf(operand, i, source)));
    try {
      gradcheck((...given) => fn(...given) as F64, inputs);
      return { checks: 1, declined: 0 };
    } finally {
      for (const input of inputs) input.dispose();
    }
  };
  return {
    id,
    since: "0.1.0",
    subject: kernel,
    needs: [`kernel:${kernel}`],
    run: (candidate) => {
      try {
        return withKernels([candidate], compare);
      } catch (error) {
        if (error instanceof KernelMissingError) {
          return { skipped: `float64, or what the gradient is made of: ${error.message}`, checks: 0, declined: 1 };
        }
        if (!(error instanceof GradientError)) throw error;
        throw new ConformanceError(
          "SW_CONFORMANCE_GRADIENT",
          id,
          `the gradient is not that of the values: ${error.message}`,
          { cause: error },
        );
      }
    },
  };
}

/**
 * Whether gradients through a backend are those of its values: `gradcheck` of `@sw/autograd`, with the backend alone in
 * force, on float64 operands that lie contiguous, transposed and reversed. It finds kernels of backward passes that do
 * not fit their forward ones. `gradients/<kernel>/<how operands lie>`. A case is skipped where the backend lacks what the
 * gradient is made of.
 *
 * @example
 * ```ts
 * import { run } from "@sw/conformance";
 * import { gradientKit } from "@sw/conformance/gradients";
 * import { jsKernels } from "@sw/kernels-js";
 * const report = await run(gradientKit, jsKernels, { filter: (id) => id.startsWith("gradients/conv2d/") });
 * console.log(report.ok, report.passed.length); // true 3
 * ```
 * @since 0.1.0
 */
export const gradientKit: Kit<Backend> = {
  name: "gradients",
  check,
  nameOf,
  subjects: (candidate) =>
    subjects(candidate).filter((kernel) => {
      const specs: { readonly [kind: string]: OperationSpec } = OPERATIONS;
      return specs[kernel]?.differentiable === true;
    }),
  lacks,
  cases: (filter = () => true) =>
    FUNCTIONS.flatMap((checked) =>
      (Object.keys(FORMS) as (keyof typeof FORMS)[]).map((form) => gradientCase(checked, form)),
    ).filter(({ id }) => filter(id)),
};
