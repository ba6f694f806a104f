import { cast, DTYPES, mul, norm, type Tensor } from "@sw/tensor";
import { defaultPool, withScope } from "@sw/tensor/seam";
import { checkNumber } from "../check-number.js";
import { GradientError } from "../errors.js";
import { leavesOf, type ModuleTree } from "./tree.js";

/**
 * Scales the gradients of a tree, in place, so that the norm of all of them together is at most a limit, and returns
 * the norm that they had. Parameters without a gradient do not count. With an infinite limit it only measures. Norms are
 * taken in float64: squares that overflow even there count as not finite.
 *
 * @throws TypeError as `parametersOf`, or for a limit that is no number; GradientError `SW_AUTOGRAD_OPTION` for one that is
 * negative or NaN; `SW_AUTOGRAD_NOT_FINITE` where the norm is not finite, and no gradient is changed.
 * @example
 * ```ts
 * import { backward, clipByNorm, parameter } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const p = parameter(tensor([0, 0]));
 * backward(p, tensor([3, 4]));
 * console.log(clipByNorm(p, 2.5), p.grad?.toArray()); // 5 [ 1.5, 2 ]
 * ```
 * @since 0.1.0
 */
export function clipByNorm(parameters: ModuleTree, limit: number): number {
  checkNumber("clipByNorm", "limit", limit, (x) => x >= 0, "a number of at least 0");
  const gradients = leavesOf("clipByNorm", parameters).flatMap(([, { grad }]) => (grad === undefined ? [] : [grad]));
  // Outside any arena, which would keep what is disposed here until its reset.
  return withScope({ memory: defaultPool(), recording: false }, () => {
    const total = gradients.reduce((norms, g) => Math.hypot(norms, normOf(g)), 0);
    if (!Number.isFinite(total)) {
      throw new GradientError(
        "SW_AUTOGRAD_NOT_FINITE",
        `clipByNorm: the gradients are not finite: got a norm of ${total}, expected a finite one. Skip this step, or lower the learning rate.`,
        { operation: "clipByNorm", given: total },
      );
    }
    if (total <= limit) return total;
    for (const g of gradients) g.buffer.checkWritable(g.generation, "clipByNorm");
    for (const g of gradients) scale(g, limit / total);
    return total;
  });
}

/** Multiplies in place. A factor would lose its bits, or all of itself, where the dtype has 16. */
function scale(g: Tensor, factor: number): void {
  if (DTYPES[g.dtype].byteLength > 2) {
    const scaled = mul(g, factor) as Tensor;
    g.copyFrom(scaled);
    scaled.dispose();
    return;
  }
  const wide = cast(g, "float32");
  scale(wide, factor);
  const rounded = cast(wide, g.dtype);
  g.copyFrom(rounded);
  for (const t of [wide, rounded]) t.dispose();
}

function normOf(t: Tensor): number {
  const length = norm(t, { dtype: "float64" });
  try {
    return length.item();
  } finally {
    length.dispose();
  }
}
