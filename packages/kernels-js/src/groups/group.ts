import type { Kernel, Operand, OperationKind } from "@sw/tensor/seam";
import type { RowTable } from "../rows.js";

/**
 * What a kernel takes beside what its operation's spec says of operands: the dtypes of those without one of their own,
 * as the table of its loops; or a rule, where operands of one call may differ.
 */
export type Takes = RowTable<unknown> | ((outputs: readonly Operand[], inputs: readonly Operand[]) => boolean);

/** Kernels that belong together, and what each of them takes. */
export interface KernelGroup {
  readonly kernels: { readonly [K in OperationKind]?: Kernel };
  readonly dtypes: { readonly [K in OperationKind]?: Takes };
}
