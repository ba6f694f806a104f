import { layoutTag } from "../descriptor/descriptor.js";
import { kindOfTag } from "../descriptor/layouts.js";
import type { BufferHandle, Descriptor } from "../descriptor/types.js";
import { isPrivateTag } from "../elements.js";
import { HurrayFormatError, HurrayLimitError, HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import { createAssembly } from "../messages/assembly.js";
import { sizesOf } from "../messages/intake.js";
import type { LayoutPreference } from "../messages/types.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";
import { partsOf, type SendableItem } from "../stream/parts.js";
import type { LayoutTarget } from "../values/layout-target.js";
import { canRelayout, relayout } from "../values/relayout.js";
import { ERROR_CODES, Refusal } from "./error-codes.js";
import type { Gate } from "./gate.js";
import { CPU, LAYOUT_TAGS } from "./hello.js";

/** What a client asks for, and what it is given. */
export interface Selection {
  readonly preferred: readonly LayoutPreference[];
  /** The layouts that the client has said it takes. */
  readonly accepted: readonly LayoutPreference[];
  /** Bytes that a tensor in another layout may take; 0 where none is to be made. */
  readonly maximumBytes: number;
  /** Lets one tensor at a time be brought into another layout. */
  readonly gate: Gate;
  readonly signal: AbortSignal;
}

/** An item in the layout that was chosen. */
export interface Selected {
  readonly item: SendableItem;
  /** Lets go of the memory that was made for it. */
  readonly release: () => void;
}

/** How a tensor says that it cannot be given a layout, or not in so little memory. */
const REFUSALS = [HurrayUnsupportedError, HurrayFormatError, HurrayValueError, HurrayLimitError];

/** Of tiled layouts nobody has said how large the tiles should be. */
const TILED = 4;

/** Chooses the layout of an answer (11.3): the first preference that the item has or can be given, or the one it has. */
export async function select(item: SendableItem, selection: Selection): Promise<Selected> {
  const { preferred, accepted, maximumBytes, gate, signal } = selection;
  const stored = layoutTag(item.descriptor);
  const total = sizesOf(item.descriptor).reduce((sum, size) => sum + size, 0);
  let current = item;
  let release: (() => void) | undefined;
  try {
    for (const { tag, metadata } of preferred) {
      // What the metadata of a private layout asks for is not understood here.
      if (isPrivateTag(tag) && metadata?.byteLength) continue;
      if (tag === stored) break;
      // A composite is served as it is stored.
      if ("members" in current || tag === TILED || total > maximumBytes) continue;
      if (!canRelayout(current.descriptor, tag)) continue;
      release ??= await gate.enter(signal);
      if ("pieces" in current) current = await collect(current, signal);
      const changed = tryRelayout(current, tag, maximumBytes);
      if (changed !== undefined) return { item: changed, release };
    }
    const tags = [...LAYOUT_TAGS, ...[...preferred, ...accepted].map(({ tag }) => tag)];
    if (!tags.includes(stored)) {
      throw new Refusal(ERROR_CODES.layoutUnavailable, `it is stored in the private layout ${stored}`);
    }
    return { item: current, release: release ?? (() => {}) };
  } catch (error) {
    release?.();
    throw error;
  }
}

function tryRelayout(tensor: StoredTensor, tag: number, maximumBytes: number): StoredTensor | undefined {
  try {
    return relayout(tensor, { kind: kindOfTag(tag) } as LayoutTarget, { maximumBytes });
  } catch (error) {
    if (REFUSALS.some((Refused) => error instanceof Refused)) return undefined;
    throw error;
  }
}

/** Takes a tensor into memory. */
async function collect(tensor: StreamedTensor, signal: AbortSignal): Promise<StoredTensor> {
  const { descriptor } = tensor;
  const assembly = createAssembly(sizesOf(descriptor), "serve");
  const [part] = partsOf(tensor, "serve", { allowDynamic: true });
  for await (const piece of part!.pieces()) {
    signal.throwIfAborted();
    assembly.append(piece);
  }
  return { descriptor, buffers: assembly.buffers() };
}

/**
 * The item as it leaves: its bytes are those of the CPU, whole, of a memory class that the client takes, and it says
 * the alignment that was asked for. What is in the memory of another device is refused.
 */
export function asSent(item: SendableItem, minAlignment: number, memoryClasses: readonly number[]): SendableItem {
  const handle = (buffer: BufferHandle): BufferHandle => {
    if (buffer.deviceTag !== CPU) {
      throw new Refusal(ERROR_CODES.deviceUnavailable, `it is in the memory of device ${buffer.deviceTag}`);
    }
    const memoryClass = memoryClasses.includes(buffer.memoryClass) ? buffer.memoryClass : 0;
    return { ...buffer, memoryClass, alignment: Math.max(buffer.alignment, minAlignment) };
  };
  const descriptor: Descriptor = { ...item.descriptor, buffers: item.descriptor.buffers.map(handle) };
  if ("buffers" in item) return { descriptor, buffers: item.buffers };
  if ("pieces" in item) return { descriptor, pieces: (buffer) => item.pieces(buffer) };
  return { descriptor, members: item.members.map((member) => asSent(member, minAlignment, memoryClasses)) };
}
