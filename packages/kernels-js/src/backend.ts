import type { Backend, Kernel } from "@sw/tensor/seam";
import { GROUPS } from "./groups.js";
import { compile } from "./program.js";
import { supports } from "./supports.js";

/**
 * The reference backend: scalar loops over operands of any strides, which define what every kernel means (OneModel
 * section 9). It computes in float64 and rounds once, which is what *exact* means; another backend is measured against
 * it. It has no memory of its own: its operands live anywhere. Put it in force by `setKernels(jsKernels)`, or last in
 * a chain, where it takes what the backends before it lack.
 * @since 0.1.0
 */
export const jsKernels: Backend = {
  name: "js",
  seamVersion: 1,
  kernels: /* @__PURE__ */ everyKernel(),
  supports,
  compile,
};

function everyKernel(): { readonly [name: string]: Kernel | undefined } {
  return Object.assign({}, ...GROUPS.map((group) => group.kernels));
}
