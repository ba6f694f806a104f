import type { BackwardRecord, BackwardRule, DifferentiableKind } from "@sw/tensor/seam";
import { GradientError } from "./errors.js";
import { attentionRule } from "./rules/attention.js";
import * as elementwise from "./rules/elementwise.js";
import * as functions from "./rules/functions.js";
import * as images from "./rules/images.js";
import * as indexing from "./rules/indexing.js";
import * as loss from "./rules/loss.js";
import { matmulRule } from "./rules/matmul.js";
import * as normalise from "./rules/normalise.js";
import * as reduce from "./rules/reduce.js";
import * as rows from "./rules/rows.js";
import * as views from "./rules/views.js";

/**
 * How cotangents go back through each operation (OneModel section 8). Every rule is made of differentiable
 * operations.
 */
export const RULES: { readonly [K in DifferentiableKind]: BackwardRule } = {
  // Element-wise.
  add: elementwise.add,
  sub: elementwise.sub,
  mul: elementwise.mulRule,
  div: elementwise.divRule,
  pow: elementwise.powRule,
  remainder: elementwise.remainderRule,
  minimum: elementwise.minimum,
  maximum: elementwise.maximum,
  clamp: elementwise.clampRule,
  where: elementwise.whereRule,
  reluBackward: elementwise.reluBackwardRule,
  cast: elementwise.castRule,

  // Functions of one operand.
  neg: functions.negRule,
  abs: functions.abs,
  sign: functions.steps,
  floor: functions.steps,
  ceil: functions.steps,
  round: functions.steps,
  trunc: functions.steps,
  exp: functions.exp,
  expm1: functions.expm1,
  log: functions.log,
  log1p: functions.log1p,
  sqrt: functions.sqrt,
  rsqrt: functions.rsqrt,
  reciprocal: functions.reciprocal,
  sin: functions.sinRule,
  cos: functions.cosRule,
  tanh: functions.tanh,
  erf: functions.erf,
  relu: functions.relu,
  leakyRelu: functions.leakyRelu,
  elu: functions.elu,
  sigmoid: functions.sigmoidRule,
  silu: functions.silu,
  softplus: functions.softplus,
  gelu: functions.gelu,
  geluTanh: functions.geluTanh,

  // Reductions.
  sum: reduce.sumRule,
  prod: reduce.prodRule,
  mean: reduce.meanRule,
  min: reduce.extreme,
  max: reduce.extreme,
  variance: reduce.variance,
  norm: reduce.normRule,
  logSumExp: reduce.logSumExp,

  // Rows.
  cumsum: rows.cumsumRule,
  softmax: rows.softmax,
  logSoftmax: rows.logSoftmax,
  layerNorm: normalise.layerNorm,
  rmsNorm: normalise.rmsNorm,
  batchNorm: normalise.batchNorm,

  // Products.
  matmul: matmulRule,

  // Images and attention.
  conv2d: images.conv2dRule,
  conv2dInputBackward: images.conv2dInputBackwardRule,
  conv2dWeightBackward: images.conv2dWeightBackwardRule,
  maxPool2d: images.maxPool2dRule,
  avgPool2d: images.avgPool2dRule,
  avgPool2dBackward: images.avgPool2dBackwardRule,
  adaptiveAvgPool2d: images.adaptiveAvgPool2dRule,
  adaptiveAvgPool2dBackward: images.adaptiveAvgPool2dBackwardRule,
  attention: attentionRule,

  // Indexing and losses.
  gather: indexing.gatherRule,
  scatter: indexing.scatterRule,
  scatterAdd: indexing.scatterAddRule,
  indexSelect: indexing.indexSelectRule,
  indexAdd: indexing.indexAddRule,
  embedding: indexing.embeddingRule,
  concat: indexing.concatRule,
  nllLoss: loss.nllLossRule,
  nllLossBackward: loss.nllLossBackwardRule,

  // Views.
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
