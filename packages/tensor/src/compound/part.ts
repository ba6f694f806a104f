import type { DataBuffer } from "@sw/buffer";
import { describe, extents, isLayout, type Layout, maxIndex, minIndex } from "@sw/layout";
import { TensorValueError, ViewError } from "../errors.js";
import { checkShape, checkStrides } from "../handle.js";
import { isStorageDType, STORAGE, type StorageDType } from "./storage.js";

/**
 * One level of a tensor of several parts: elements of one storage dtype, placed in a buffer.
 *
 * It is no tensor: its elements may be narrower than a byte. `offset` and the layout count elements, packed ones from
 * the lowest bits of the first byte on.
 * @since 0.1.0
 */
export interface Part {
  readonly dtype: StorageDType;
  readonly buffer: DataBuffer;
  /** The generation of the buffer in which the part was made. */
  readonly generation: number;
  /** Where layout index 0 lies. */
  readonly offset: number;
  readonly layout: Layout;
}

/** Checks that a value is a part at all (VA-4). */
export function checkPart(operation: string, level: number, part: unknown): asserts part is Part {
  if (typeof part === "object" && part !== null) return;
  throw new TypeError(
    `${operation}: part ${level} is no part: got ${describe(part)}, expected { dtype, buffer, generation, offset, layout }.`,
  );
}

/**
 * Checks one part against its type's storage dtype and its buffer, in the order of VA-5.
 *
 * @throws TypeError, TensorValueError `SW_TENSOR_DTYPE_MISMATCH`, StaleBufferError, BufferStateError, ViewError
 * `SW_TENSOR_VIEW_BOUNDS`, TensorShapeError.
 */
export function checkPlaced(operation: string, level: number, part: Part, dtype: StorageDType): void {
  const where = `${operation}: part ${level}`;
  if (!isStorageDType(part.dtype)) {
    throw new TypeError(
      `${where} has an unknown storage dtype: got ${describe(part.dtype)}, expected one of ${Object.keys(STORAGE).join(", ")}.`,
    );
  }
  if (part.dtype !== dtype) {
    throw new TensorValueError(
      "SW_TENSOR_DTYPE_MISMATCH",
      `${where} has another storage dtype than its type: got ${part.dtype}, expected ${dtype}.`,
      { given: part.dtype, expected: dtype, position: level },
    );
  }
  const { buffer, generation, offset, layout } = part;
  if (typeof buffer !== "object" || buffer === null || typeof buffer.checkLive !== "function") {
    throw new TypeError(`${where} has no buffer: got ${describe(buffer)}, expected a DataBuffer.`);
  }
  buffer.checkLive(generation, operation);
  if (!Number.isInteger(offset)) {
    throw new TypeError(`${where}: the offset is no integer: got ${describe(offset)}, expected an integer.`);
  }
  const capacity = Math.floor((8 * buffer.byteLength) / STORAGE[dtype].bits);
  if (offset < 0) throw outside(where, [offset], capacity);
  if (!isLayout(layout)) {
    throw new TypeError(`${where} has no layout: got ${describe(layout)}, expected a value made by @sw/layout.`);
  }
  checkShape(operation, extents(layout));
  checkStrides(operation, layout);
  if (layout.size === 0) return;
  const reach = [offset + minIndex(layout), offset + maxIndex(layout)];
  if ((reach[0] as number) < 0 || (reach[1] as number) >= capacity) throw outside(where, reach, capacity);
}

function outside(where: string, reach: readonly number[], capacity: number): ViewError {
  return new ViewError(
    "SW_TENSOR_VIEW_BOUNDS",
    `${where} leaves its buffer: got elements ${reach.join(" to ")}, expected 0 to ${capacity - 1}.`,
    { given: reach, expected: [0, capacity - 1] },
  );
}
