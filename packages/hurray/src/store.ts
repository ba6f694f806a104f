import {
  isDense,
  type Layout,
  type TiledForm as LayoutForm,
  type TileOrder as LayoutOrder,
  maxIndex,
  minIndex,
} from "@sw/layout";
import { type NamedLayout, recognise } from "@sw/layout/recognise";
import { DTYPES, type Tensor } from "@sw/tensor";
import { checkLive, live, withRecording } from "@sw/tensor/seam";
import { packBits } from "./bits.js";
import { DEPTH } from "./descriptor/layouts/tiled.js";
import { entryOf } from "./descriptor/layouts.js";
import type { Descriptor, DescriptorLayout, TiledForm, TileOrder } from "./descriptor/types.js";
import { tagOfDType } from "./dtypes.js";
import { byteSpanOf } from "./elements.js";
import { HurraySourceError } from "./errors.js";
import { isTiled, placementOf } from "./placement.js";
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
 * plainest layout that the format has for them. No byte outside the tensor leaves: one with gaps or repeated elements is
 * packed first, the padding of tiles and Morton codes is written as zeros, and where it would take more room than the
 * elements the tensor is packed too. `version` is what its memory must still be at when the bytes are taken.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live tensor of one part.
 */
export function planStore(t: Tensor, operation: string, version: number = t.buffer.version): StorePlan {
  live(t, operation);
  const check = (): void => {
    checkLive(t, operation);
    if (t.buffer.version !== version) throw changed(operation, version, t.buffer.version);
  };
  check();
  const layout = writtenLayout(t.layout, t.shape);
  const room = layout === undefined ? Number.POSITIVE_INFINITY : reachOf(t, layout);
  if (layout === undefined || room > 2 * t.size) {
    const packed = withRecording(false, () => t.contiguous());
    return planDense(packed, { kind: "rowMajor" }, true, () => packed.dispose());
  }
  if (t.isPadded || room > t.size) {
    // A copy of the elements alone, between zeros.
    const target = placementOf(describe(t, layout, 0n, 0));
    const padded = withRecording(false, () => t.toLayout(target));
    return planDense(padded, layout, false, () => padded.dispose());
  }
  const plan = planDense(t, layout, false, () => {});
  const bytes = (start: number, end: number): Uint8Array => {
    check();
    return plan.bytes(start, end);
  };
  return { ...plan, bytes };
}

/**
 * Gives a tensor as the format has it. The bytes are a copy.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live tensor of one part.
 * @since 0.1.0
 */
export function store(t: Tensor): Stored {
  live(t, "store");
  const plan = planStore(t, "store");
  try {
    const { descriptor, packed } = plan;
    return { descriptor, buffers: [plan.bytes(0, plan.byteLength).slice()], packed };
  } finally {
    plan.dispose();
  }
}

/** The layout under which the format has a box where it lies; `undefined` where it has none, or its writers give none. */
export function writtenLayout(l: Layout, shape: readonly number[]): DescriptorLayout | undefined {
  const named = isDense(l) ? recognise(l, shape) : undefined;
  if (named === undefined) return undefined;
  const layout = layoutOf(named);
  // Codes of unequal bits have holes (A5); tiles in tiles are counted (R23).
  if (layout.kind === "morton" && layout.bits.some((bits) => bits === 0 || bits !== layout.bits[0])) return undefined;
  return layout.kind === "tiled" && levelsOf(layout) > DEPTH ? undefined : layout;
}

/** How many elements a layout reaches for a shape, padding included. */
function reachOf(t: Tensor, layout: DescriptorLayout): number {
  if (t.size === 0) return 0;
  const { lowest, highest } = entryOf(layout.kind).span!(layout, t.shape.map(BigInt));
  return Number(highest - lowest) + 1;
}

function describe(t: Tensor, layout: DescriptorLayout, byteOffset: bigint, byteLength: number): Descriptor {
  return {
    versionMinor: 0,
    typeTag: tagOfDType(t.dtype),
    shape: t.shape.map(BigInt),
    byteOffset,
    layout,
    buffers: [{ byteSize: BigInt(byteLength), alignment: BUFFER_ALIGNMENT, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
  };
}

function planDense(t: Tensor, layout: DescriptorLayout, packed: boolean, dispose: () => void): StorePlan {
  const lowest = minIndex(t.layout);
  const highest = maxIndex(t.layout);
  const bits = t.dtype === "bool" ? 1 : DTYPES[t.dtype].byteLength * 8;
  const span = highest < lowest ? { start: 0n, end: 0n } : byteSpanOf(bits, BigInt(lowest), BigInt(highest));
  const byteLength = Number(span.end - span.start);
  const descriptor = describe(t, layout, -span.start, byteLength);
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

function layoutOf(named: NamedLayout): DescriptorLayout {
  if (named.kind === "strided") return { kind: "strided", strides: named.strides.map(BigInt) };
  return named.kind === "tiled" ? { kind: "tiled", ...formOf(named.form) } : named;
}

function formOf({ tile, outer, inner }: LayoutForm): TiledForm {
  const inTile = typeof inner === "object" && "tile" in inner ? formOf(inner) : orderOf(inner);
  return { tile: tile.map(BigInt), outer: orderOf(outer), inner: inTile };
}

function orderOf(order: LayoutOrder): TileOrder {
  return typeof order === "string" ? order : { strides: order.strides.map(BigInt) };
}

function levelsOf({ inner }: TiledForm): number {
  return isTiled(inner) ? 1 + levelsOf(inner) : 1;
}

function changed(operation: string, version: number, present: number): HurraySourceError {
  return new HurraySourceError(
    "SW_HURRAY_CHANGED",
    `${operation}: a tensor was written to while it was being saved: got version ${present}, expected version ${version}. Wait for the save, or save a copy.`,
    0,
  );
}
