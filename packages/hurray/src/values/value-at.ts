import type { ElementTypeName } from "../elements.js";
import { sizesOf } from "../placement.js";
import type { StoredComposite, StoredItem, StoredTensor } from "../stored.js";
import { adderOf } from "./add.js";
import { placeAt, placesOf, requireCoordinate } from "./address.js";
import { type ElementArray, newElements } from "./arrays.js";
import { isDense, rowMajorStrides } from "./cells.js";
import { checkDataOf } from "./check-data.js";
import { converted, headOf, isSparseTensor } from "./composite.js";
import { scaleRun } from "./dequantize.js";
import { type StoredNumber, storedNumberOf } from "./element.js";
import { unpackElements } from "./pack.js";
import { parameterAt, parametersOf } from "./parameters.js";
import { isSparse, sparseIndex } from "./sparse/lookup.js";
import { requireTensor, requireType, unsupportedLayout } from "./stored-tensor.js";

/** One element, unpacked and dequantised. */
interface One {
  readonly type: ElementTypeName;
  readonly elements: ElementArray;
}

/**
 * Gives one value of any item but a block-paged tensor: of a dense or sparse tensor, dequantised, of the member of a
 * partition that has the coordinate, or what an overlay makes of it. What is checked is remembered, so that each further
 * value is a matter of its place only.
 *
 * @throws TypeError, RangeError `SW_HURRAY_VALUE` for what is no coordinate of the item.
 * @throws HurrayUnsupportedError as `valuesOf`, and for block-paged tensors (see `pagedOffset`).
 * @throws HurrayFormatError for data or members that break a rule.
 * @since 0.1.0
 */
export function valueAt(item: StoredItem, coordinate: readonly number[]): StoredNumber {
  const operation = "valueAt";
  requireCoordinate(operation, sizesOf(item.descriptor, operation), coordinate);
  const { type, elements } = oneOf(operation, item, coordinate);
  return storedNumberOf(type, elements, 0);
}

function oneOf(operation: string, item: StoredItem, coordinate: readonly number[]): One {
  if ("members" in item) return memberElement(operation, item, coordinate);
  const one = tensorElement(operation, item, coordinate);
  if (one !== undefined) return one;
  const { descriptor } = item;
  const type = descriptor.quantisation === undefined ? requireType(operation, descriptor) : "float32";
  return { type, elements: newElements(type, 1) };
}

/** `undefined` where a sparse tensor stores nothing. */
function tensorElement(operation: string, item: StoredTensor, coordinate: readonly number[]): One | undefined {
  const t = requireTensor(operation, item);
  const { descriptor } = t;
  const { layout, quantisation } = descriptor;
  const type = requireType(operation, descriptor);
  checkDataOf(operation, t);
  let elements: ElementArray;
  if (isDense(descriptor)) {
    const places = placesOf(operation, descriptor);
    const { byteOffset, bit } = placeAt(descriptor, places, coordinate);
    elements = unpackElements(type, t.buffers[0]!.subarray(byteOffset), bit === 0 ? 0 : bit / places.bits, 1);
  } else if (isSparse(layout)) {
    const position = sparseIndex(operation, t).position(coordinate);
    if (position === undefined) return undefined;
    elements = unpackElements(type, t.buffers[0]!, position, 1);
  } else {
    throw unsupportedLayout(operation, descriptor, `layout ${layout.kind}`, " Pages are read by pagedOffset.");
  }
  if (quantisation === undefined) return { type, elements };
  const parameters = parametersOf(operation, t, quantisation);
  const strides = rowMajorStrides(descriptor.shape.map(Number));
  const ordinal = coordinate.reduce((sum, x, k) => sum + x * strides[k]!, 0);
  const value = new Float32Array(1);
  scaleRun(parameters, parameters.digitsOf(elements), value, 0, 1, parameterAt(parameters.grid, ordinal), 0);
  return { type: "float32", elements: value };
}

function memberElement(operation: string, item: StoredComposite, coordinate: readonly number[]): One {
  const { type, combine, isOverlay } = headOf(operation, item);
  let result: ElementArray | undefined;
  for (const member of item.members) {
    const inside = coordinate.map((x, k) => x - Number(member.descriptor.shard!.offset[k]));
    const { shape } = member.descriptor;
    if (!inside.every((x, k) => x >= 0 && BigInt(x) < shape[k]!)) continue;
    const one =
      isOverlay && isSparseTensor(member) ? tensorElement(operation, member, inside) : oneOf(operation, member, inside);
    if (one === undefined) continue;
    const elements = converted(type, one.type, one.elements);
    if (combine === "add" && result !== undefined) adderOf(operation, type, elements, result)(0, 1, 0, 1, 1);
    else result = elements;
  }
  // The base of an overlay covers all, members of a partition too, unless a sparse base stores nothing there.
  return { type, elements: result ?? newElements(type, 1) };
}
