import type { Descriptor } from "../descriptor/types.js";
import { byteLengthOf, type ElementTypeName, elementTypeNamed, elementTypeOf } from "../elements.js";
import { type HurrayForeignError, HurraySourceError, HurrayValueError } from "../errors.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";
import { type Task, unsupported } from "./errors.js";
import type { Pieces } from "./pieces.js";

/** A tensor on its way into another format: dense, its elements one after the other. */
export interface Outgoing {
  readonly type: ElementTypeName;
  readonly shape: readonly bigint[];
  readonly isColumnMajor: boolean;
  readonly count: number;
  /** The bytes of the elements and no others, packed as the format has them. */
  pieces(): Pieces;
}

/**
 * Makes a tensor ready for another format. Nothing is converted on the way: what is not plain elements in one of the two
 * compact orders is refused, and the message says what makes it so.
 *
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_UNSUPPORTED`; HurrayValueError `SW_HURRAY_VALUE` for buffers that do not hold
 * the elements; TypeError for what is no tensor.
 */
export function outgoing(task: Task, item: StoredTensor | StreamedTensor): Outgoing {
  if (typeof item !== "object" || item === null || !("descriptor" in item)) {
    const given = item === null ? "null" : typeof item;
    throw new TypeError(
      `${task.operation}: not a stored tensor: got ${given}, expected { descriptor, buffers } or { descriptor, pieces }.`,
    );
  }
  const { descriptor } = item;
  const { layout, shape } = descriptor;
  const type = elementTypeOf(descriptor.typeTag)?.name;
  if (descriptor.opaque === true) {
    const problem = "its descriptor breaks a rule that its reader passed over";
    throw refused(task, "descriptor", problem, "an opaque descriptor", "Read it strictly.");
  }
  if (layout.kind === "composite" || !("buffers" in item || "pieces" in item)) {
    throw refused(task, "layout", "a composite is several tensors", "composite", "Write its members one by one.");
  }
  if (type === undefined) {
    const advice = "Write its bytes as uint8.";
    throw refused(task, "type", "the numbers of its type are not known", `type tag ${descriptor.typeTag}`, advice);
  }
  if (descriptor.quantisation !== undefined) {
    const advice = "Write what valuesOf of @sw/hurray/values gives, which is float32.";
    throw refused(task, "quantisation", "the tensor is quantised", descriptor.quantisation.scheme, advice);
  }
  if (layout.kind !== "rowMajor" && layout.kind !== "columnMajor") {
    const advice = 'Write relayout(item, { kind: "rowMajor" }) of @sw/hurray/values.';
    throw refused(task, "layout", "the elements do not lie one after the other", layout.kind, advice);
  }
  const count = shape.reduce((product, extent) => product * extent, 1n);
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) {
    const advice = "Fill dynamic sizes in by resolveShape of @sw/hurray.";
    throw refused(task, "shape", "a size is not known, or too large", `[${shape}]`, advice);
  }
  const device = descriptor.buffers.find(({ deviceTag }) => deviceTag !== 0);
  if (device !== undefined) {
    const advice = "Copy it into the memory of the CPU first.";
    throw refused(task, "device_tag", "its bytes are on another device", `device tag ${device.deviceTag}`, advice);
  }
  const start = Number(descriptor.byteOffset);
  const end = start + Number(byteLengthOf(elementTypeNamed(type).bits, count));
  checkBuffer(task, descriptor, item, end);
  return {
    type,
    shape,
    isColumnMajor: layout.kind === "columnMajor" && shape.length > 1,
    count: Number(count),
    pieces: () => ("buffers" in item ? [item.buffers[0]!.subarray(start, end)] : cut(task, item.pieces(0), start, end)),
  };
}

/** What says that a tensor has no counterpart. */
export function refused(
  task: Task,
  field: string,
  problem: string,
  given: unknown,
  advice: string,
): HurrayForeignError {
  return unsupported(
    task,
    field,
    undefined,
    `the tensor has no counterpart: ${problem}`,
    given,
    "plain elements",
    advice,
  );
}

/** Makes sure that buffer 0 has the elements, as far as that is known. */
function checkBuffer(
  { operation }: Task,
  { buffers }: Descriptor,
  item: StoredTensor | StreamedTensor,
  end: number,
): void {
  const declared = Number(buffers[0]?.byteSize ?? 0n);
  const given = "buffers" in item ? Math.min(declared, item.buffers[0]?.byteLength ?? 0) : declared;
  if (given >= end) return;
  throw new HurrayValueError(operation, "buffers", "buffer 0 is too short", `${given} bytes`, `at least ${end} bytes`);
}

/** The bytes from `start` to before `end` of what comes in pieces. */
async function* cut(
  { operation }: Task,
  pieces: Pieces,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, void> {
  let position = 0;
  if (end > start) {
    for await (const piece of pieces) {
      const from = Math.max(0, start - position);
      const until = Math.min(piece.byteLength, end - position);
      position += piece.byteLength;
      if (from < until) yield piece.subarray(from, until);
      if (position >= end) return;
    }
  }
  if (position >= end || end === start) return;
  throw new HurraySourceError(
    "SW_HURRAY_SOURCE_SHORT",
    `${operation}: a tensor that comes in pieces ends too early: got ${position} bytes, expected ${end}.`,
    position,
  );
}
