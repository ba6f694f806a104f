import type { Checks, Pending } from "../forms.js";

export const CHECKS: Checks = {};

/** Kinds whose rules are still to come. */
export const PENDING: Pending = ["gather", "scatter", "scatterAdd", "indexSelect", "indexAdd", "embedding", "concat"];
