import { isDense, maxIndex, minIndex } from "@sw/layout";
import { type NamedLayout, recognise } from "@sw/layout/recognise";
import { DTYPES, type Tensor } from "@sw/tensor";
import { checkLive, plain, withRecording } from "@sw/tensor/seam";
import { packBits } from "./bits.js";
import type { Descriptor, DescriptorLayout } from "./descriptor/types.js";
import { tagOfDType } from "./dtypes.js";
import { byteSpanOf } from "./elements.js";
import { HurraySourceError } from "./errors.js";
import type { StoredTensor } from "./stored.js";

/** The alignment that buffers of ours promise. */
const BUFFER_ALIGNMENT = 64;

/** A tensor of ours as the format has it, and how it came there. @since 0.1.0 */
export interface Stored extends StoredTensor {
  /** Whether the elements were gathered into a row-major copy, because they have gaps, repeat, or follow no layout that the format names. */
  readonly packed: boolean;
}

/** A tensor made ready to be stored. Its bytes are taken when they are needed, since memory may move in between. */
export interface StorePlan {
  readonly descriptor: Descriptor;
  readonly packed: boolean;
  readonly byteLength: number;
  /** A window of the bytes from `start` to before `end`, good until the next allocation; a copy where elements are packed. */
  bytes(start: number, end: number): Uint8Array;
  /** Returns what was allocated for the purpose. */
  dispose(): void;
}

/**
 * Works out how a tensor is stored: the bytes from its lowest to its highest element, under the
 * plainest layout that the format has for them. A tensor with gaps or repeated elements is packed
 * first, so that no byte outside it leaves. `version` is what its memory must still be at when the bytes are taken.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live, plain tensor.
 */
export function planStore(t: Tensor, operation: string, version: number = t.buffer.version): StorePlan {
  plain(t, operation);
  const check = (): void => {
    checkLive(t, operation);
    if (t.buffer.version !== version) throw changed(operation, version, t.buffer.version);
  };
  check();
  const named = isDense(t.layout) ? recognise(t.layout, t.shape) : undefined;
  if (named === undefined || named.kind === "tiled" || named.kind === "morton") {
    const packed = withRecording(false, () => t.contiguous());
    return planDense(packed, { kind: "rowMajor" }, true, () => packed.dispose());
  }
  const plan = planDense(t, named, false, () => {});
  const bytes = (start: number, end: number): Uint8Array => {
    check();
    return plan.bytes(start, end);
  };
  return { ...plan, bytes };
}

/**
 * Gives a tensor as the format has it. The bytes are a copy.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live, plain tensor.
 * @since 0.1.0
 */
export function store(t: Tensor): Stored {
  plain(t, "store");
  const plan = planStore(t, "store");
  try {
    const { descriptor, packed } = plan;
    return { descriptor, buffers: [plan.bytes(0, plan.byteLength).slice()], packed };
  } finally {
    plan.dispose();
  }
}

/** The names that are written; tiled and Morton layouts are packed. */
type WrittenLayout = Exclude<NamedLayout, { kind: "tiled" | "morton" }>;

function planDense(t: Tensor, named: WrittenLayout, packed: boolean, dispose: () => void): StorePlan {
  const lowest = minIndex(t.layout);
  const highest = maxIndex(t.layout);
  const bits = t.dtype === "bool" ? 1 : DTYPES[t.dtype].byteLength * 8;
  const span = highest < lowest ? { start: 0n, end: 0n } : byteSpanOf(bits, BigInt(lowest), BigInt(highest));
  const byteLength = Number(span.end - span.start);
  const descriptor: Descriptor = {
    versionMinor: 0,
    typeTag: tagOfDType(t.dtype),
    shape: t.shape.map(BigInt),
    byteOffset: -span.start,
    layout: layoutOf(named),
    buffers: [{ byteSize: BigInt(byteLength), alignment: BUFFER_ALIGNMENT, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
  };
  const width = DTYPES[t.dtype].byteLength;
  const first = t.offset + lowest;
  if (t.dtype !== "bool") {
    const bytes = (start: number, end: number): Uint8Array =>
      t.buffer.view(Uint8Array).subarray(first * width + start, first * width + end);
    return { descriptor, packed, byteLength, bytes, dispose };
  }
  // Bit 8·start of the packed bytes is element `first - firstBit + 8·start` of the buffer.
  const firstBit = byteLength === 0 ? 0 : lowest - Number(span.start) * 8;
  const count = highest - lowest + 1;
  const bytes = (start: number, end: number): Uint8Array => {
    const from = Math.max(0, start * 8 - firstBit);
    const until = Math.min(count, end * 8 - firstBit);
    const target = new Uint8Array(end - start);
    const values = t.buffer.view(Uint8Array).subarray(first + from, first + until);
    packBits(values, from + firstBit - start * 8, target);
    return target;
  };
  return { descriptor, packed, byteLength, bytes, dispose };
}

function layoutOf(named: WrittenLayout): DescriptorLayout {
  return named.kind === "strided" ? { kind: "strided", strides: named.strides.map(BigInt) } : { kind: named.kind };
}

function changed(operation: string, version: number, present: number): HurraySourceError {
  return new HurraySourceError(
    "SW_HURRAY_CHANGED",
    `${operation}: a tensor was written to while it was being saved: got version ${present}, expected version ${version}. Wait for the save, or save a copy.`,
    0,
  );
}
