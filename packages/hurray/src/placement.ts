import { columnMajor, type Layout, rowMajor, strided } from "@sw/layout";
import { layoutTag } from "./descriptor/descriptor.js";
import { storageShape } from "./descriptor/schemes.js";
import { DYNAMIC } from "./descriptor/shape.js";
import type { Descriptor } from "./descriptor/types.js";
import { HurrayLimitError, HurrayUnsupportedError } from "./errors.js";

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Gives the layout that a descriptor means: from a coordinate to an element offset, relative to
 * the element at index 0.
 *
 * @throws HurrayUnsupportedError `SW_HURRAY_DYNAMIC_UNSUPPORTED` while a dimension is dynamic.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` for numbers that JavaScript does not hold exactly.
 * @since 0.1.0
 */
export function placementOf(descriptor: Descriptor, operation = "placementOf"): Layout {
  const shape = toNumbers(operation, "the size of a dimension", descriptor.shape);
  const { layout } = descriptor;
  if (layout.kind === "strided") {
    checkProduct(operation, descriptor.shape);
    const strides = toNumbers(operation, "a stride", layout.strides);
    let reach = 0n;
    descriptor.shape.forEach((extent, k) => {
      const far = (extent - 1n) * layout.strides[k]!;
      reach += far < 0n ? -far : far;
    });
    checkSafe(operation, "the reach of strides", reach);
    return strided(shape, strides);
  }
  if (layout.kind !== "rowMajor" && layout.kind !== "columnMajor") {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_LAYOUT_UNSUPPORTED",
      `${operation}: no strides give these elements: got layout ${layout.kind}, expected rowMajor, columnMajor or strided. Its descriptor and buffers can be read.`,
      { layoutTag: layoutTag(descriptor) },
    );
  }
  // A quantised axis is stored in whole blocks, which moves the strides but not the extents (A7).
  const stored = storageShape(descriptor.shape, descriptor.quantisation);
  checkProduct(operation, stored);
  const compact = layout.kind === "rowMajor" ? rowMajor : columnMajor;
  if (stored === descriptor.shape) return compact(shape);
  return strided(shape, compact(toNumbers(operation, "the size of a dimension", stored)).stride);
}

/** Every partial product is exact, so that strides are. */
function checkProduct(operation: string, shape: readonly bigint[]): void {
  let product = 1n;
  for (const extent of shape) if (extent > 0n) product *= extent;
  checkSafe(operation, "the number of elements", product);
}

function toNumbers(operation: string, what: string, values: readonly bigint[]): number[] {
  return values.map((value) => {
    if (value === DYNAMIC && what === "the size of a dimension") {
      throw new HurrayUnsupportedError(
        "SW_HURRAY_DYNAMIC_UNSUPPORTED",
        `${operation}: a dimension is not known yet: got a dynamic dimension, expected known sizes. Make a descriptor with the sizes filled in.`,
      );
    }
    checkSafe(operation, what, value);
    return Number(value);
  });
}

function checkSafe(operation: string, what: string, value: bigint): void {
  if (value > SAFE || value < -SAFE) {
    throw new HurrayLimitError(operation, what, value, "at most 2^53 - 1, which a number holds exactly");
  }
}
