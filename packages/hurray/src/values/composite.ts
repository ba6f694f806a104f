import { checkComposite } from "../composite/bind.js";
import type { ElementTypeName } from "../elements.js";
import { sizesOf } from "../placement.js";
import type { StoredComposite, StoredItem, StoredTensor } from "../stored.js";
import type { ElementArray } from "./arrays.js";
import { fromNumbers } from "./numbers.js";
import { isSparse } from "./sparse/lookup.js";
import { requireType, unsupportedLayout } from "./stored-tensor.js";

const sound = new WeakSet<StoredComposite>();

/** What the members of a composite mean together: none of it for groups and private rules. */
export interface Head {
  readonly type: ElementTypeName;
  readonly shape: readonly number[];
  /** What a member does to the elements below it. */
  readonly combine: "replace" | "add";
  readonly isOverlay: boolean;
}

/**
 * Checks a composite, once, and reads its head.
 *
 * @throws HurrayFormatError as `checkComposite`; HurrayUnsupportedError for groups, private rules and what is opaque.
 */
export function headOf(operation: string, item: StoredComposite): Head {
  const { descriptor } = item;
  const { layout } = descriptor;
  if (!sound.has(item)) {
    checkComposite(item, operation);
    sound.add(item);
  }
  const isOverlay = layout.kind === "composite" && layout.rule === "overlay";
  if (layout.kind !== "composite" || descriptor.opaque === true || !(isOverlay || layout.rule === "partition")) {
    const given = layout.kind === "composite" ? `a composite by rule ${layout.rule}` : `layout ${layout.kind}`;
    throw unsupportedLayout(operation, descriptor, given, " Its members can be read one by one.");
  }
  const type = requireType(operation, descriptor);
  const shape = sizesOf(descriptor, operation);
  return { type, shape, combine: layout.combine === "add" ? "add" : "replace", isOverlay };
}

/** Elements of a member as elements of the head: dequantised members are float32 and may fit other floats (A13). */
export function converted(type: ElementTypeName, from: ElementTypeName, elements: ElementArray): ElementArray {
  return type === from ? elements : fromNumbers(type, elements as Float32Array);
}

/** Whether an item is a sparse tensor. */
export function isSparseTensor(item: StoredItem): item is StoredTensor {
  return !("members" in item) && isSparse(item.descriptor.layout);
}
