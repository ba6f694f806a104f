import type { Checks, Pending } from "../forms.js";

export const CHECKS: Checks = {};

/** Kinds whose rules are still to come. */
export const PENDING: Pending = [
  "conv2d",
  "conv2dInputBackward",
  "conv2dWeightBackward",
  "maxPool2d",
  "avgPool2d",
  "avgPool2dBackward",
  "adaptiveAvgPool2d",
  "adaptiveAvgPool2dBackward",
  "attention",
];
