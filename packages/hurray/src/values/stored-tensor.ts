import { encodeDescriptor, layoutTag } from "../descriptor/descriptor.js";
import type { Descriptor } from "../descriptor/types.js";
import { type ElementTypeName, elementTypeOf } from "../elements.js";
import { HurrayFormatError, HurrayUnsupportedError, HurrayValueError, type Rule } from "../errors.js";
import { sizesOf } from "../placement.js";
import type { StoredItem, StoredTensor } from "../stored.js";

const sound = new WeakSet<StoredTensor>();

/**
 * Refuses a tensor whose data cannot be touched: looked at once, before the first byte.
 *
 * @throws HurrayFormatError, RangeError when the descriptor breaks a rule; RangeError `SW_HURRAY_VALUE` for buffers that are
 * not those of its table.
 * @throws HurrayUnsupportedError for opaque and dynamic descriptors and other devices than the CPU.
 */
export function requireTensor(operation: string, item: StoredItem): StoredTensor {
  if ("members" in item) {
    const problem = "the item is a composite";
    throw new HurrayValueError(operation, "item", problem, `${item.members.length} members`, "a tensor: one of them");
  }
  if (sound.has(item)) return item;
  const { descriptor, buffers } = item;
  if (descriptor.opaque === true) throw unsupportedLayout(operation, descriptor, "a descriptor that breaks rules");
  encodeDescriptor(descriptor, operation);
  if (buffers.length !== descriptor.buffers.length) {
    const expected = `${descriptor.buffers.length}, as the buffer table has`;
    throw new HurrayValueError(
      operation,
      "buffers",
      "the tensor has another number of buffers",
      buffers.length,
      expected,
    );
  }
  descriptor.buffers.forEach(({ byteSize, deviceTag }, k) => {
    if (deviceTag !== 0) {
      throw new HurrayUnsupportedError(
        "SW_HURRAY_DEVICE_UNSUPPORTED",
        `${operation}: the data is not in the memory of the CPU: got device tag ${deviceTag}, expected 0.`,
      );
    }
    if (BigInt(buffers[k]!.byteLength) >= byteSize) return;
    const given = `${buffers[k]!.byteLength} bytes`;
    throw new HurrayValueError(operation, "buffers", `buffer ${k} is too short`, given, `at least ${byteSize} bytes`);
  });
  sizesOf(descriptor, operation);
  sound.add(item);
  return item;
}

/** The element type of a descriptor. @throws HurrayUnsupportedError `SW_HURRAY_TYPE_UNSUPPORTED` for a private one. */
export function requireType(operation: string, { typeTag }: Descriptor): ElementTypeName {
  const type = elementTypeOf(typeTag);
  if (type !== undefined) return type.name;
  throw new HurrayUnsupportedError(
    "SW_HURRAY_TYPE_UNSUPPORTED",
    `${operation}: the numbers of the element type are not known: got type tag ${typeTag}, expected a type that the format names. Use elementPlace and its bytes.`,
    { typeTag },
  );
}

/** What says that a layout has not what was asked for. */
export function unsupportedLayout(operation: string, descriptor: Descriptor, given: string, advice = ""): Error {
  return new HurrayUnsupportedError(
    "SW_HURRAY_LAYOUT_UNSUPPORTED",
    `${operation}: the data has no meaning here: got ${given}, expected a layout that the operation reads.${advice}`,
    { layoutTag: layoutTag(descriptor) },
  );
}

/** What says that buffer `buffer` breaks a rule, at one of its bytes. */
export function dataError(
  operation: string,
  rule: Rule,
  buffer: number,
  byteOffset: number,
  problem: string,
  given: unknown,
  expected: string,
): HurrayFormatError {
  return new HurrayFormatError(operation, rule, `buffer ${buffer}`, byteOffset, problem, given, expected);
}
