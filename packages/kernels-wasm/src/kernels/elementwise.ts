import type { ModuleBuilder } from "../assembler/index.js";
import { emitBlockLoop } from "../emit/block-loop.js";
import type { Expression, Node } from "../emit/expression.js";
import { emitLargeReduction } from "../emit/functions/trigonometry.js";
import { BINARY_VALUES, UNARY_VALUES } from "../emit/values.js";
import { BINARY_KINDS, UNARY_KINDS } from "./kinds.js";

/** Emits the loops of every element-wise kernel. */
export function emitElementwise(module: ModuleBuilder): void {
  const reduction = emitLargeReduction(module);
  for (const kind of UNARY_KINDS) {
    const { unroll, value } = UNARY_VALUES[kind];
    emitBlockLoop(module, {
      name: `${kind}_v`,
      inputs: ["vector"],
      unroll,
      values: (e, x) => [value(e, x!, reduction)],
    });
  }
  for (const kind of BINARY_KINDS) {
    const values = (e: Expression, ...[a, b]: Node[]): Node[] => [BINARY_VALUES[kind](e, a!, b!)];
    emitBlockLoop(module, { name: `${kind}_vv`, inputs: ["vector", "vector"], unroll: 4, values });
    emitBlockLoop(module, { name: `${kind}_vs`, inputs: ["vector", "scalar"], unroll: 4, values });
    emitBlockLoop(module, { name: `${kind}_sv`, inputs: ["scalar", "vector"], unroll: 4, values });
  }
}
