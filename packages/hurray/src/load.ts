import { type Allocator, type DataBuffer, wrapMemory } from "@sw/buffer";
import type { Layout } from "@sw/layout";
import { DTYPES, type DType, type Tensor } from "@sw/tensor";
import { current, fromBuffer } from "@sw/tensor/seam";
import { unpackBits } from "./bits.js";
import { elementBits } from "./descriptor/descriptor.js";
import { entryOf } from "./descriptor/layouts.js";
import { DYNAMIC } from "./descriptor/shape.js";
import type { Descriptor } from "./descriptor/types.js";
import { dtypeOfTag } from "./dtypes.js";
import { byteSpanOf, nameOfTag } from "./elements.js";
import { HurrayAlignmentError, HurrayLimitError, HurraySourceError, HurrayUnsupportedError } from "./errors.js";
import { placementOf } from "./placement.js";
import { type HurraySource, readBytes } from "./source/source.js";
import type { StoredTensor } from "./stored.js";

/** How a tensor is brought into memory. @since 0.1.0 */
export interface LoadOptions {
  /**
   * `"always"` (the default): into memory of its own, writable. `"if-needed"`: the source's own bytes,
   * read-only, where they are in memory and aligned. `"never"`: an error where that is not possible.
   */
  readonly copy?: "always" | "if-needed" | "never";
  /** Where the memory comes from; what is in force when the call is made, when absent. */
  readonly memory?: Allocator;
  readonly signal?: AbortSignal;
}

/** A tensor, and how it came into memory. @since 0.1.0 */
export interface Loaded {
  readonly tensor: Tensor;
  /** Whether the bytes were copied; otherwise the tensor is a window of the source's. */
  readonly copied: boolean;
  /** Whether the elements lay at no multiple of their size and were moved to one. */
  readonly realigned: boolean;
  /** Whether packed elements (bool, one bit each) were given a byte each. */
  readonly unpacked: boolean;
}

/** What is to be done to make a tensor, worked out before a byte is read. */
export interface LoadPlan {
  readonly dtype: DType;
  readonly layout: Layout;
  /** The box inside the layout, which tiled and Morton layouts pad. */
  readonly shape: readonly number[];
  /** Where index 0 lies in the memory to be made, in elements. */
  readonly origin: number;
  /** Bytes of buffer 0 that hold elements. */
  readonly start: bigint;
  readonly end: bigint;
  /** Elements from the lowest to the highest. */
  readonly count: number;
  /** For packed elements: which bit of the first byte is the lowest element. */
  readonly firstBit: number;
}

/** The most bytes of a tensor, and the largest extent (D4). */
export const LIMIT: bigint = 2n ** 31n - 1n;
/** Bytes read at a time. */
const PIECE = 1024 * 1024;
/** Bytes read by `readNow` before other work of the host has its turn. */
const STRETCH = 32 * PIECE;

/** Bytes read by `readNow` since then, of any source. */
let blocked = 0;

/**
 * Works out how a tensor is made of a descriptor.
 *
 * @throws HurrayUnsupportedError for element types, schemes and devices that tensors do not have.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` beyond the limits of a tensor.
 */
export function planLoad(descriptor: Descriptor, operation: string): LoadPlan {
  const dtype = supportedDType(descriptor, operation);
  checkLimits(descriptor, operation);
  const layout = placementOf(descriptor, operation);
  const shape = descriptor.shape.map(Number);
  const { byteOffset } = descriptor;
  // No element is a span of none.
  const { lowest, highest } = shape.includes(0)
    ? { lowest: 0n, highest: -1n }
    : entryOf(descriptor.layout.kind).span!(descriptor.layout, descriptor.shape);
  const bits = elementBits(descriptor)!;
  const span = byteSpanOf(bits, lowest, highest);
  const count = highest - lowest + 1n;
  const byteLength = count * BigInt(DTYPES[dtype].byteLength);
  if (byteLength > LIMIT)
    throw new HurrayLimitError(operation, "the bytes of a tensor", byteLength, `at most ${LIMIT}`);
  return {
    dtype,
    layout,
    shape,
    origin: Number(-lowest),
    start: byteOffset + span.start,
    end: byteOffset + span.end,
    count: Number(count),
    firstBit: bits === 1 ? Number(lowest - span.start * 8n) : 0,
  };
}

/**
 * Makes a tensor of a descriptor and its buffers, as `store` gives them.
 *
 * @throws HurrayUnsupportedError, HurrayLimitError as `HurrayFile.tensor`.
 * @throws HurrayAlignmentError `SW_HURRAY_ALIGNMENT` when `copy` is `"never"` and a copy is needed.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` when buffer 0 has fewer bytes than its elements need.
 * @since 0.1.0
 */
export function load(stored: StoredTensor, options: LoadOptions = {}): Loaded {
  const plan = planLoad(stored.descriptor, "load");
  const data = stored.buffers[0];
  if (data === undefined || BigInt(data.byteLength) < plan.end) {
    throw new HurraySourceError(
      "SW_HURRAY_SOURCE_SHORT",
      `load: buffer 0 is shorter than its elements need: got ${data?.byteLength ?? 0} bytes, expected at least ${plan.end}.`,
      0,
    );
  }
  const bytes = data.subarray(Number(plan.start), Number(plan.end));
  const shared = tryShare(bytes, plan, "load", options);
  if (shared !== undefined) return shared;
  const buffer = memoryOf(options).allocate(memoryLength(plan));
  write(bytes, 0, plan, buffer);
  return copied(buffer, plan, bytes.byteOffset);
}

/** The allocator that was asked for, or the one in force. */
export function memoryOf(options: { readonly memory?: Allocator }): Allocator {
  return options.memory ?? current().memory;
}

/** Reads a tensor from a source; `dataStart` is where buffer 0 starts there. The bytes are known to be there. */
export async function loadFrom(
  source: HurraySource,
  operation: string,
  plan: LoadPlan,
  dataStart: number,
  options: LoadOptions & { readonly memory: Allocator },
): Promise<Loaded> {
  const { copy, signal } = options;
  const start = dataStart + Number(plan.start);
  const end = dataStart + Number(plan.end);
  let whole: Uint8Array | undefined;
  // Packed elements are never shared: no need to look at them first.
  if (copy === "never" || (copy === "if-needed" && plan.dtype !== "bool")) {
    whole = await readBytes(source, operation, start, end, signal);
    signal?.throwIfAborted();
    const shared = tryShare(whole, plan, operation, options);
    if (shared !== undefined) return shared;
  }
  const buffer = options.memory.allocate(memoryLength(plan));
  const { generation } = buffer;
  try {
    let at = start;
    if (source.readNow !== undefined && whole === undefined && plan.dtype !== "bool") {
      for (let until = at; at < end; at = until) {
        until = Math.min(at + STRETCH, end);
        await turnFor(until - at);
        signal?.throwIfAborted();
        buffer.checkLive(generation, operation);
        source.readNow(at, buffer.view(Uint8Array).subarray(at - start, until - start));
      }
    }
    // A read under way never sees the memory of the tensor: it may move or change hands, and the read cannot be called back.
    const room = whole === undefined && source.readInto ? new Uint8Array(Math.min(PIECE, end - at)) : undefined;
    while (at < end) {
      const bytes =
        whole ??
        room?.subarray(0, end - at) ??
        (await readBytes(source, operation, at, Math.min(at + (source.pieceBytes ?? PIECE), end), signal));
      if (room !== undefined) await source.readInto?.(at, bytes);
      signal?.throwIfAborted();
      // Meanwhile the memory may have been taken back, and be another's.
      buffer.checkLive(generation, operation);
      write(bytes, at - start, plan, buffer);
      at += bytes.byteLength;
    }
    return copied(buffer, plan, whole?.byteOffset ?? start);
  } catch (error) {
    buffer.release(generation);
    throw error;
  }
}

/** Takes note of bytes that are to be read by `readNow`; other work of the host has its turn when enough have been. */
export function turnFor(byteLength: number): Promise<void> | undefined {
  blocked += byteLength;
  if (blocked <= STRETCH) return undefined;
  blocked = byteLength;
  return new Promise((resolve) => void (globalThis.setImmediate ?? setTimeout)(resolve));
}

/** Writes bytes of the elements, from `position` of them on, into the memory of the tensor. */
function write(bytes: Uint8Array, position: number, plan: LoadPlan, buffer: DataBuffer): void {
  const target = buffer.view(Uint8Array);
  if (plan.dtype !== "bool") {
    target.set(bytes, position);
    return;
  }
  const first = Math.max(0, position * 8 - plan.firstBit);
  const last = Math.min(plan.count, (position + bytes.byteLength) * 8 - plan.firstBit);
  unpackBits(bytes, position === 0 ? plan.firstBit : 0, target.subarray(first, last));
}

/** Makes a tensor over the bytes themselves, where that is wanted and possible. */
function tryShare(bytes: Uint8Array, plan: LoadPlan, operation: string, { copy }: LoadOptions): Loaded | undefined {
  if (copy !== "if-needed" && copy !== "never") return undefined;
  if (plan.dtype === "bool") {
    if (copy === "if-needed") return undefined;
    throw new HurrayUnsupportedError(
      "SW_HURRAY_TYPE_UNSUPPORTED",
      `${operation}: bits cannot be shared: got bool, expected whole bytes. Allow a copy.`,
      { typeTag: 0x20 },
    );
  }
  const width = DTYPES[plan.dtype].byteLength;
  if (bytes.byteOffset % width !== 0) {
    if (copy === "if-needed") return undefined;
    throw new HurrayAlignmentError(operation, bytes.byteOffset, width);
  }
  const buffer = wrapMemory(bytes, { readOnly: true });
  const tensor = tensorOf(plan, buffer);
  return { tensor, copied: false, realigned: false, unpacked: false };
}

function copied(buffer: DataBuffer, plan: LoadPlan, position: number): Loaded {
  const tensor = tensorOf(plan, buffer);
  const unpacked = plan.dtype === "bool";
  const realigned = !unpacked && position % DTYPES[plan.dtype].byteLength !== 0;
  return { tensor, copied: true, realigned, unpacked };
}

function tensorOf({ dtype, layout, origin, shape }: LoadPlan, buffer: DataBuffer): Tensor {
  return fromBuffer(dtype, buffer, layout, origin, shape);
}

function memoryLength(plan: LoadPlan): number {
  return plan.count * DTYPES[plan.dtype].byteLength;
}

/** Gives the dtype of tensors that a descriptor means. @throws HurrayUnsupportedError where there is none. */
export function supportedDType(descriptor: Descriptor, operation: string): DType {
  const { typeTag, quantisation } = descriptor;
  const device = descriptor.buffers[0]?.deviceTag ?? 0;
  if (device !== 0) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_DEVICE_UNSUPPORTED",
      `${operation}: no tensor has this device: got ${device}, expected 0, the CPU.`,
    );
  }
  if (quantisation !== undefined) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_QUANTISED_UNSUPPORTED",
      `${operation}: no tensor has this scheme: got ${quantisation.scheme}, expected none. Call loadCompound or valuesOf.`,
    );
  }
  const dtype = dtypeOfTag(typeTag);
  if (dtype === undefined) {
    const name = nameOfTag(typeTag) ?? `type tag 0x${typeTag.toString(16)}`;
    throw new HurrayUnsupportedError(
      "SW_HURRAY_TYPE_UNSUPPORTED",
      `${operation}: no tensor has this element type: got ${name}, expected one of ${Object.keys(DTYPES).join(", ")}. Read its buffers.`,
      { typeTag },
    );
  }
  return dtype;
}

/** The limits of a tensor (D4), before anything is made of it. */
function checkLimits({ shape, layout }: Descriptor, operation: string): void {
  const check = (what: string, given: bigint, size = given, limit = LIMIT): void => {
    if (size > limit) throw new HurrayLimitError(operation, what, given, `at most ${limit}`);
  };
  const rank = BigInt(shape.length);
  check("rank", rank, rank, 8n);
  let product = 1n;
  for (const extent of shape) {
    // A dynamic dimension is reported as such by placementOf.
    if (extent === DYNAMIC) return;
    check("extents", extent);
    product *= extent;
    check("the product of leading extents", product);
  }
  // 32 signed bits hold one more below 0.
  if (layout.kind === "strided") for (const s of layout.strides) check("strides", s, s < 0n ? -s - 1n : s);
}
