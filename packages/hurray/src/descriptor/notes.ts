import { elementTypeOf, isPrivateTag } from "../elements.js";
import { DEVICE_NAMES } from "./buffers.js";
import { LAYOUT_NAMES } from "./layouts.js";
import { DYNAMIC } from "./shape.js";

/** The numbers of the fields of a section so far, by name. */
export type Values = { [name: string]: number | bigint };

type Note = (value: number | bigint) => string | undefined;

/** Names by number. */
const named =
  (names: readonly string[]): Note =>
  (value) =>
    names[Number(value)];

/** Names of the bits that are set. */
const bits =
  (names: readonly string[]): Note =>
  (value) =>
    names.filter((_, k) => (Number(value) >>> k) & 1).join(", ") || undefined;

/** Where the largest number stands for "none". */
const none: Note = (value) => (value === 0xffffffff ? "none" : undefined);

const tag =
  (nameOf: (tag: number) => string | undefined): Note =>
  (value) =>
    nameOf(Number(value)) ?? (isPrivateTag(Number(value)) ? "private" : "of no meaning");

const ORDERS = ["", "row-major", "column-major", "strided", "tiled"];
const SCHEMES = ["", "per-tensor affine", "per-channel affine", "per-block affine", "NF4", "MXFP"];

/** What the numbers of a field mean, by its name. */
const NOTES: { readonly [field: string]: Note } = /* @__PURE__ */ (() => ({
  flags: bits(["HAS_QUANTIZATION", "HAS_SHARD", "HAS_EXTENSION_TYPE", "HAS_STATISTICS", "HAS_COMPOSITE_MEMBER"]),
  type_tag: tag((value) => elementTypeOf(value)?.name),
  layout_tag: tag((value) => LAYOUT_NAMES[value]),
  shape: (value) => (value === DYNAMIC ? "dynamic" : undefined),
  outer_layout: named(ORDERS),
  inner_layout: named(ORDERS),
  is_sorted: (value) => (value ? "sorted" : "in any order"),
  kv_role: named(["keys", "values", "both or other"]),
  layer_index: none,
  block_table_index_type: named(["u32", "u64"]),
  composition_rule: tag((value) => ["", "partition", "overlay", "group"][value]),
  combine_op: named(["none", "replace", "add"]),
  device_tag: tag((value) => DEVICE_NAMES[value]),
  sync_mode: named(["synchronised by the producer", "event", "stream of the consumer"]),
  memory_class: tag((value) => ["standard", "host-pinned", "unified", "peer"][value]),
  scheme_tag: tag((value) => SCHEMES[value]),
  scheme_flags: bits(["SYMMETRIC"]),
  zero_point_buffer_index: none,
  scale_type_tag: named(["", "float16", "bfloat16", "float32"]),
  computed_mask: bits(["nnz", "sparsity_ratio", "min, max, abs_max", "mean, stddev", "n:m", "nan, inf"]),
  member_role: named(["correction", "base"]),
}))();

/** The bit of the mask that says whether a field of the statistics counts. */
const MASK_BITS: { readonly [field: string]: number } = {
  nnz: 0,
  sparsity_ratio: 1,
  value_min: 2,
  value_max: 2,
  value_abs_max: 2,
  value_mean: 3,
  value_stddev: 3,
  nm_n: 4,
  nm_m: 4,
  has_nan: 5,
  has_inf: 5,
};

/** Says what the value of a field means; `undefined` where the number says it. `before` has the fields of its section so far. */
export function noteOf(field: string, value: number | bigint, before: Values): string | undefined {
  const mask = before["computedMask"];
  const bit = MASK_BITS[field];
  if (mask !== undefined && bit !== undefined && !((Number(mask) >>> bit) & 1)) return "not computed";
  return NOTES[field]?.(value) || undefined;
}
