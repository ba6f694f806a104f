import type { Descriptor, DescriptorLayout } from "../descriptor/types.js";
import { byteLengthOf, type ElementTypeName, elementTypeNamed } from "../elements.js";
import type { HurrayForeignError } from "../errors.js";
import { invalid, type Task, unsupported } from "./errors.js";

/** The most dimensions that the format has (R15). */
export const MAXIMUM_RANK = 64;

/** What says that a tensor has more dimensions than the format has. */
export function rankError(task: Task, field: string, byteOffset: number, rank: string): HurrayForeignError {
  const problem = "the tensor has too many dimensions";
  const advice = "Reshape it before it is saved.";
  return unsupported(task, field, byteOffset, problem, rank, `at most ${MAXIMUM_RANK}`, advice);
}

/**
 * Counts the elements of a shape of safe integers; `undefined` beyond 2⁵³ − 1. The product of what is not 0 has to be exact
 * too: a dimension of 0 excuses nothing.
 */
export function countOf(shape: readonly number[]): number | undefined {
  let product = 1;
  for (const extent of shape) {
    // Both factors are exact; a product that is not was rounded to no safe integer.
    if (extent > 0) product *= extent;
    if (!Number.isSafeInteger(product)) return undefined;
  }
  return shape.includes(0) ? 0 : product;
}

/** What says that a shape has more elements than can be counted. */
export function countError(
  task: Task,
  field: string,
  byteOffset: number,
  shape: readonly number[],
): HurrayForeignError {
  const problem = "the dimensions are too large together";
  return invalid(task, field, byteOffset, problem, `[${shape}]`, "at most 2^53 - 1 elements");
}

/** Describes a dense tensor in one buffer. */
export function denseDescriptor(
  type: ElementTypeName,
  shape: readonly number[],
  isColumnMajor: boolean,
  count: number,
): Descriptor {
  const { tag, bits } = elementTypeNamed(type);
  // With fewer than two dimensions the two orders are one, and the plainer name is given.
  const layout: DescriptorLayout = { kind: isColumnMajor && shape.length > 1 ? "columnMajor" : "rowMajor" };
  const byteSize = byteLengthOf(bits, BigInt(count));
  return {
    versionMinor: 0,
    typeTag: tag,
    shape: shape.map(BigInt),
    byteOffset: 0n,
    layout,
    buffers: [{ byteSize, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
  };
}
