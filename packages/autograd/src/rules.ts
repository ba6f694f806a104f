import type { BackwardRecord, BackwardRule, DifferentiableKind } from "@sw/tensor/seam";
import { GradientError } from "./errors.js";
import * as elementwise from "./rules/elementwise.js";
import * as loss from "./rules/loss.js";
import { matmulRule } from "./rules/matmul.js";
import * as normalise from "./rules/normalise.js";
import * as reduce from "./rules/reduce.js";
import * as views from "./rules/views.js";

/**
 * How cotangents go back through each operation (OneModel section 8). Every rule is made of differentiable
 * operations. An operation that has none is in the list `PENDING` of the tests.
 */
export const RULES: { readonly [K in DifferentiableKind]?: BackwardRule } = {
  add: elementwise.add,
  sub: elementwise.sub,
  mul: elementwise.mulRule,
  div: elementwise.divRule,
  neg: elementwise.negRule,
  relu: elementwise.relu,
  reluBackward: elementwise.reluBackwardRule,
  exp: elementwise.exp,
  log: elementwise.log,
  cast: elementwise.castRule,
  sum: reduce.sum,
  mean: reduce.mean,
  matmul: matmulRule,
  softmax: normalise.softmax,
  logSoftmax: normalise.logSoftmax,
  nllLoss: loss.nllLossRule,
  nllLossBackward: loss.nllLossBackwardRule,
  scatterInto: views.scatterIntoRule,
  gatherFrom: views.gatherFromRule,
  views: views.viewsRule,
  slice: views.slice,
  select: views.select,
  flip: views.flip,
  permute: views.permute,
  reshape: views.reshape,
  expand: views.expand,
};

/**
 * Finds the rule of a record: its own, or the table's.
 *
 * @throws GradientError `SW_AUTOGRAD_RULE_MISSING` for a kind that this version has no rule for.
 */
export function ruleOf(record: BackwardRecord): BackwardRule {
  if (record.rule !== undefined) return record.rule;
  const rule = Object.hasOwn(RULES, record.kind) ? RULES[record.kind as DifferentiableKind] : undefined;
  if (rule !== undefined) return rule;
  throw new GradientError(
    "SW_AUTOGRAD_RULE_MISSING",
    `backward: no rule for the operation ${record.kind}: got a record of a kind this version has no rule for, expected one of its rules. Upgrade @sw/autograd.`,
    { operation: record.kind },
  );
}
