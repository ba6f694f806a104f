import { isInjective, type Layout } from "@sw/layout";
import { isBroadcastOnlyAliased } from "@sw/layout/algebra";
import { full, type Tensor } from "@sw/tensor";
import { plain } from "@sw/tensor/seam";
import { GradientError } from "./errors.js";
import { sameLayout, sameShape } from "./gradient-layout.js";

function show(shape: readonly number[]): string {
  return `[${shape.join(",")}]`;
}

/**
 * Admits the cotangent that a caller hands to a tensor: of its shape and dtype, and where the layout counts, of its
 * layout too (VA-72 to VA-74). Without one, a tensor of one element takes 1 (D6).
 *
 * @throws GradientError `SW_AUTOGRAD_COTANGENT_MISSING` or `SW_AUTOGRAD_COTANGENT`.
 */
export function admit(operation: string, t: Tensor, cotangent: Tensor | undefined): Tensor {
  if (cotangent === undefined) {
    if (t.size === 1) return full(t.shape, 1, { dtype: t.dtype });
    throw new GradientError(
      "SW_AUTOGRAD_COTANGENT_MISSING",
      `${operation}: a cotangent is needed: got none for shape ${show(t.shape)}, expected one of that shape, or a tensor of one element. Reduce it, by sum or mean, or pass a cotangent.`,
      { given: t.shape },
    );
  }
  plain(cotangent, operation);
  const fits = cotangent.rank === t.rank && cotangent.shape.every((extent, axis) => extent === t.shape[axis]);
  if (!fits || cotangent.dtype !== t.dtype) {
    throw new GradientError(
      "SW_AUTOGRAD_COTANGENT",
      `${operation}: the cotangent does not fit: got ${cotangent.dtype}${show(cotangent.shape)}, expected ${t.dtype}${show(t.shape)}.`,
      { given: cotangent.shape, expected: t.shape },
    );
  }
  if (t.node?.cotangent === "layout") checkLayout(operation, t.layout, cotangent.layout);
  return cotangent;
}

function checkLayout(operation: string, target: Layout, given: Layout): void {
  const refused = (problem: string, expected: string): GradientError =>
    new GradientError("SW_AUTOGRAD_COTANGENT", `${operation}: ${problem}, expected ${expected}`, {
      given: given.toString(),
      expected: target.toString(),
    });
  const problem = `the cotangent's layout does not fit: got ${given.toString()}`;
  if (isInjective(target)) {
    if (sameLayout(given, target)) return;
    throw refused(problem, `that of the tensor, ${target.toString()}. Copy it into a tensor of that layout.`);
  }
  if (!isBroadcastOnlyAliased(target)) {
    // A gradient per element would leave out what reached its place through other elements (VA-74).
    throw refused(
      `elements of the tensor share memory: got layout ${target.toString()}`,
      "a place for each, broadcasting aside. Use a contiguous() copy.",
    );
  }
  if (sameShape(given, target) && isInjective(given)) return;
  throw refused(problem, `the shape of ${target.toString()} and a place for each element. Use a contiguous() copy.`);
}
