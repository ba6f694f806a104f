import { describe, extents, type IntTree, isLayout, type Layout, maxIndex, minIndex } from "@sw/layout";
import { TensorShapeError, TensorValueError } from "../errors.js";
import { showShape } from "../gate.js";
import { checkShape, checkStrides } from "../handle.js";
import { type CompoundType, checkType, partDTypes } from "./compound-type.js";
import { checkPart, checkPlaced, type Part } from "./part.js";

/**
 * Checks what a tensor of several parts is made of, in the order of VA-4 to VA-7, and gives its box.
 *
 * @throws as `makeCompound`.
 */
export function checkRepresentation(
  operation: string,
  type: CompoundType,
  parts: readonly Part[],
  adjacent: readonly Layout[],
  shape: readonly number[] | undefined,
): readonly number[] {
  checkType(operation, type);
  if (!Array.isArray(parts) || !Array.isArray(adjacent)) {
    throw new TypeError(
      `${operation}: parts or adjacent layouts are no list: got ${describe(parts)} and ${describe(adjacent)}, expected a list of each.`,
    );
  }
  parts.forEach((part, level) => {
    checkPart(operation, level, part);
  });
  const dtypes = partDTypes(type, parts.length);
  if (dtypes === undefined) {
    const expected = partDTypes(type)?.join(", ");
    throw unfit(operation, `${type.name} has other parts: got ${parts.length}, expected ${expected}`, parts.length);
  }
  if (adjacent.length !== parts.length - 1) {
    const expected = `${parts.length - 1} for ${parts.length} parts`;
    throw unfit(
      operation,
      `wrong number of adjacent layouts: got ${adjacent.length}, expected ${expected}`,
      adjacent.length,
    );
  }
  parts.forEach((part, level) => {
    checkPlaced(operation, level, part, dtypes[level]!);
  });
  adjacent.forEach((layout, level) => {
    checkAdjacent(operation, level, layout, parts[level]!.layout, parts[level + 1]!.layout);
  });
  return boxOf(operation, parts[0]!.layout, shape);
}

/** Checks one adjacent layout against the levels it connects (VA-7). */
function checkAdjacent(operation: string, level: number, layout: Layout, from: Layout, to: Layout): void {
  if (!isLayout(layout)) {
    throw new TypeError(
      `${operation}: adjacent layout ${level} is none: got ${describe(layout)}, expected a value made by @sw/layout.`,
    );
  }
  checkStrides(operation, layout);
  if (!sameIntTree(layout.shape, from.shape)) {
    const expected = `the shape of part ${level}, ${from.toString()}`;
    throw unfit(
      operation,
      `adjacent layout ${level} has another shape: got ${layout.toString()}, expected ${expected}`,
      level,
    );
  }
  if (minIndex(layout) >= 0 && maxIndex(layout) < to.size) return;
  const reach = `${minIndex(layout)} to ${maxIndex(layout)}`;
  const expected = `0 to ${to.size - 1}, the elements of part ${level + 1}`;
  throw unfit(
    operation,
    `adjacent layout ${level} leaves the next part: got ordinals ${reach}, expected ${expected}`,
    level,
  );
}

function sameIntTree(a: IntTree, b: IntTree): boolean {
  if (typeof a === "number" || typeof b === "number") return a === b;
  return a.length === b.length && a.every((entry, i) => sameIntTree(entry, b[i] as IntTree));
}

function boxOf(operation: string, layout: Layout, shape: readonly number[] | undefined): readonly number[] {
  const domain = extents(layout);
  if (shape === undefined) return domain;
  checkShape(operation, shape);
  if (shape.length === domain.length && shape.every((extent, axis) => extent <= domain[axis]!)) return [...shape];
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: the shape is no box inside the layout: got ${showShape(shape)}, expected at most ${showShape(domain)}.`,
    { given: shape, expected: domain, shape },
  );
}

function unfit(operation: string, problem: string, given: number): TensorValueError {
  return new TensorValueError("SW_TENSOR_PARTS", `${operation}: ${problem}.`, { given });
}
