import type { ElementTypeName } from "../elements.js";
import { HurrayLimitError } from "../errors.js";
import { countOption } from "../number-option.js";
import type { StoredTensor } from "../stored.js";
import { type ElementArray, newElements, unpackedBits, windowOf } from "./arrays.js";
import { gather, isDense, rowMajorStrides } from "./cells.js";
import { checkDataOf } from "./check-data.js";
import { wordCopier } from "./copy.js";
import { dequantize, scaleRun } from "./dequantize.js";
import { bytesOf, unpackElements } from "./pack.js";
import { gatherSlots, slotsOf } from "./paged.js";
import { type Parameters, parameterAt, parametersOf } from "./parameters.js";
import { isSparse, sparseIndex } from "./sparse/lookup.js";
import { requireTensor, requireType, unsupportedLayout } from "./stored-tensor.js";

/** The elements of an item in row-major order. @since 0.1.0 */
export interface Values {
  /** What the elements are; `float32` for a quantised tensor. */
  readonly type: ElementTypeName;
  readonly shape: readonly number[];
  /** One after another, the last dimension fastest, as `ElementArrays` says for the type. `toNumbers` converts them. */
  readonly elements: ElementArray;
  /** Whether `elements` are bytes of the item: then they are not to be written. */
  readonly shared: boolean;
}

/** What `valuesOf` is told beside the item. @since 0.1.0 */
export interface ValuesOptions {
  /** Bytes that the elements may take, 2³¹ − 1 when absent: sparse tensors and repeated elements are larger than what is stored. */
  readonly maximumBytes?: number;
  /** Of a block-paged tensor, the tokens of each sequence: the result has those of one sequence after the other. */
  readonly tokens?: readonly number[];
}

/** The values of a tensor. @throws as `valuesOf`. */
export function tensorValues(operation: string, item: StoredTensor, options: ValuesOptions): Values {
  const t = requireTensor(operation, item);
  const { descriptor } = t;
  const { layout, quantisation } = descriptor;
  const stored = requireType(operation, descriptor);
  const type = quantisation === undefined ? stored : "float32";
  const shape = descriptor.shape.map(Number);
  const count = checkSize(operation, unpackedBits(type), descriptor.shape, options);
  checkDataOf(operation, t);
  const parameters = quantisation && parametersOf(operation, t, quantisation);
  if (isDense(descriptor)) {
    const { cells, shared } = gather(operation, descriptor, t.buffers[0]!);
    const elements = windowOf(stored, cells);
    if (parameters === undefined) return { type, shape, elements, shared: shared && elements.buffer === cells.buffer };
    return { type, shape, elements: dequantize(parameters, elements), shared: false };
  }
  if (isSparse(layout)) {
    return { type, shape, elements: scatter(operation, t, count), shared: false };
  }
  if (layout.kind !== "blockPaged") throw unsupportedLayout(operation, descriptor, `layout ${layout.kind}`);
  return {
    type,
    shape,
    elements: pagedElements(operation, t, stored, count, parameters, options.tokens),
    shared: false,
  };
}

/** Counts the elements of a shape, and refuses more than may be allocated; `bits` is the width of an unpacked one. */
export function checkSize(operation: string, bits: number, shape: readonly bigint[], options: ValuesOptions): number {
  const count = shape.reduce((product, extent) => product * extent, 1n);
  const bytes = count * BigInt(bits / 8);
  const maximumBytes = countOption(operation, "maximumBytes", options.maximumBytes, 0, 2 ** 31 - 1);
  if (Number(bytes) <= maximumBytes) return Number(count);
  const expected = `at most ${maximumBytes}`;
  throw new HurrayLimitError(operation, "the bytes of the elements", bytes, expected, "Set maximumBytes for more.");
}

/** Puts the stored elements of a sparse tensor into their places among zeros. */
function scatter(operation: string, t: StoredTensor, count: number): ElementArray {
  const { type, elements, ordinals } = storedValues(operation, t);
  const result = newElements(type, count);
  const copy = wordCopier(unpackedBits(type), bytesOf(elements), bytesOf(result));
  for (let i = 0; i < ordinals.length; i++) copy(i, 1, ordinals[i]!, 1, 1);
  return result;
}

/** The stored elements of a sparse tensor, dequantised, and the row-major ordinals where they belong. */
export function storedValues(
  operation: string,
  t: StoredTensor,
): { readonly type: ElementTypeName; readonly elements: ElementArray; readonly ordinals: Float64Array } {
  const { descriptor } = t;
  const { nnz, ordinals: ordinalsBy } = sparseIndex(operation, t);
  const ordinals = ordinalsBy(rowMajorStrides(descriptor.shape.map(Number)));
  const type = requireType(operation, descriptor);
  const elements = unpackElements(type, t.buffers[0]!, 0, nnz);
  if (descriptor.quantisation === undefined) return { type, elements, ordinals };
  const parameters = parametersOf(operation, t, descriptor.quantisation);
  const digits = parameters.digitsOf(elements);
  const values = new Float32Array(nnz);
  for (let i = 0; i < nnz; i++)
    scaleRun(parameters, digits, values, i, 1, parameterAt(parameters.grid, ordinals[i]!), 0);
  return { type: "float32", elements: values, ordinals };
}

/** The elements of the tokens of one sequence after the other, dequantised. */
function pagedElements(
  operation: string,
  t: StoredTensor,
  stored: ElementTypeName,
  count: number,
  parameters: Parameters | undefined,
  tokens: readonly number[] | undefined,
): ElementArray {
  const slots = slotsOf(operation, t, tokens);
  const elements = windowOf(stored, gatherSlots(t, slots, count));
  if (parameters === undefined) return elements;
  if (!parameters.perSlot) return dequantize(parameters, elements);
  const row = count / slots.length;
  const digits = parameters.digitsOf(elements);
  const values = new Float32Array(count);
  slots.forEach((slot, i) => {
    parameters.check(slot);
    scaleRun(parameters, digits, values, i * row, row, slot, 0);
  });
  return values;
}
