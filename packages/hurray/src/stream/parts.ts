import { checkComposite } from "../composite/bind.js";
import { encodeDescriptor } from "../descriptor/descriptor.js";
import { isDynamic } from "../descriptor/shape.js";
import type { Descriptor } from "../descriptor/types.js";
import { HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import type { StoredItem, StoredTensor, StreamedTensor } from "../stored.js";
import { countedPieces } from "./counted.js";

/** What may be sent. @since 0.1.0 */
export interface SendOptions {
  /** Whether tensors may have dynamic dimensions: nothing says their sizes, so the reader has to know them (A43). */
  readonly allowDynamic?: boolean;
}

/** What can be sent: a tensor in memory or in pieces, or a composite of such members. @since 0.1.0 */
export type SendableItem = StoredItem | StreamedTensor | SendableComposite;

/** A composite whose members need not be in memory. @since 0.1.0 */
export interface SendableComposite {
  readonly descriptor: Descriptor;
  readonly members: readonly SendableItem[];
}

/** One tensor of what is sent, or the head of a composite. */
export interface Part {
  readonly descriptor: Descriptor;
  /** The bytes of the descriptor. */
  readonly encoded: Uint8Array;
  /** The bytes of all its buffers, one after the other. */
  pieces(): AsyncGenerator<Uint8Array, void, void>;
}

/**
 * Takes an item apart, members after their head, and checks it whole: its descriptors, the rules of composites, and
 * buffers that are in memory. Pieces are counted as they come.
 */
export function partsOf(item: SendableItem, operation: string, options: SendOptions): Part[] {
  checkItem(item, operation);
  if ("members" in item) checkComposite(item, operation);
  const parts: Part[] = [];
  append(parts, item, operation, options);
  return parts;
}

/**
 * Refuses what is no item by its form.
 *
 * @throws TypeError.
 */
export function checkItem(item: unknown, operation: string, depth = 0): asserts item is SendableItem {
  const given = item as Partial<StoredTensor & SendableComposite & StreamedTensor> | null | undefined;
  const descriptor = given?.descriptor;
  const hasDescriptor =
    typeof descriptor?.layout === "object" && Array.isArray(descriptor.shape) && Array.isArray(descriptor.buffers);
  const { buffers, members, pieces } = given ?? {};
  if (hasDescriptor && (typeof pieces === "function" || (Array.isArray(buffers) && buffers.every(isBytes)))) return;
  if (hasDescriptor && Array.isArray(members)) {
    // Heads within heads end at a depth of eight, which the rules of composites see to.
    if (depth < 8) for (const member of members) checkItem(member, operation, depth + 1);
    return;
  }
  throw new TypeError(
    `${operation}: not a stored item: got ${given === null ? "null" : typeof given}, expected a descriptor with buffers of bytes, with members, or with pieces(buffer).`,
  );
}

function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}

function append(parts: Part[], item: SendableItem, operation: string, options: SendOptions): void {
  const { descriptor } = item;
  const encoded = encodeDescriptor(descriptor, operation);
  checkSendable(item, operation, options);
  if ("members" in item) {
    parts.push({ descriptor, encoded, pieces: async function* () {} });
    for (const member of item.members) append(parts, member, operation, options);
    return;
  }
  const pieces =
    "buffers" in item
      ? async function* (): AsyncGenerator<Uint8Array, void, void> {
          yield* item.buffers;
        }
      : () => counted(item, operation);
  parts.push({ descriptor, encoded, pieces });
}

/** Refuses what no reader could make sense of: opaque descriptors, other buffers than they say, unknown sizes. */
export function checkSendable(item: SendableItem, operation: string, options: SendOptions): void {
  const { descriptor } = item;
  if (descriptor.opaque) {
    const problem = "the descriptor breaks a rule that its reader passed over";
    throw new HurrayValueError(operation, "opaque", problem, true, "a descriptor that a strict reader accepts");
  }
  if ("members" in item) return;
  if ("buffers" in item) checkBuffers(descriptor, item.buffers, operation);
  if (descriptor.layout.kind !== "composite" && !options.allowDynamic && isDynamic(descriptor.shape)) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_DYNAMIC_UNSUPPORTED",
      `${operation}: nothing beside the descriptor says how large a dynamic dimension is: got a dynamic dimension, expected known sizes. Fill the sizes in, or allow it.`,
    );
  }
}

/** Refuses buffers other than the descriptor says. */
function checkBuffers({ buffers }: Descriptor, given: readonly Uint8Array[], operation: string): void {
  const sizes = buffers.map(({ byteSize }) => `${byteSize}`).join(", ");
  const lengths = given.map((bytes) => `${bytes.byteLength}`).join(", ");
  if (sizes === lengths) return;
  const problem = "the buffers are not those of the descriptor";
  throw new HurrayValueError(operation, "buffers", problem, `[${lengths}] bytes`, `[${sizes}]`);
}

/** The pieces of a tensor, counted. */
async function* counted(tensor: StreamedTensor, operation: string): AsyncGenerator<Uint8Array, void, void> {
  for (const [buffer, { byteSize }] of tensor.descriptor.buffers.entries()) {
    const byteLength = Number(byteSize);
    yield* countedPieces(tensor.pieces(buffer), { operation, owner: "", buffer, byteLength });
  }
}
