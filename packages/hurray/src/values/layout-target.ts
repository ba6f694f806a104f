import { isInjective } from "@sw/layout";
import { ByteWriter } from "../bytes/writer.js";
import { encodeDescriptor, layoutTag } from "../descriptor/descriptor.js";
import type { LayoutClass } from "../descriptor/layout-entry.js";
import { entryOf } from "../descriptor/layouts.js";
import { zeroPointsOf } from "../descriptor/schemes.js";
import type { BufferHandle, Descriptor, DescriptorLayout, Quantisation } from "../descriptor/types.js";
import { elementTypeOf } from "../elements.js";
import { type HurrayErrorCode, HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import { placementOf, sizesOf, tilesDivide } from "../placement.js";
import { isSparse } from "./sparse/lookup.js";

/** A layout to bring a tensor into: as descriptors have it, or without what follows from the tensor. @since 0.1.0 */
export type LayoutTarget =
  | DescriptorLayout
  | {
      /**
       * `"strided"` alone has row-major strides, `"morton"` as many bits a dimension as the longest needs, `"hilbert"` the
       * order that the dimensions have. How many elements a sparse layout stores is counted, whatever is given.
       */
      readonly kind: "rowMajor" | "columnMajor" | "strided" | "morton" | "hilbert" | "coo" | "csr" | "csc" | "csf";
      /** Of COO, whether coordinates that do not ascend are to be sorted. Those of a tensor that was no COO always are. */
      readonly isSorted?: boolean;
      /** Of CSF, the dimension that each level stores; 0, 1, 2, … when absent. */
      readonly modeOrder?: readonly number[];
    };

/** As large as it must be: what a layout is tried with before anything is known of its size. */
const ROOM = 2n ** 63n;

/** What it may take to find out whether interleaved strides collide. */
const SEARCH_STEPS = 1_000_000;

/**
 * Completes a layout for a tensor, and finds out whether the tensor can be brought into it.
 *
 * @throws as `relayout`, but for what only the data tells.
 */
export function targetOf(operation: string, descriptor: Descriptor, to: LayoutTarget): DescriptorLayout {
  if (typeof to !== "object" || to === null || entryOf(to.kind) === undefined) {
    throw new TypeError(
      `${operation}: no such layout: got ${String(to)}, expected one with a kind, as descriptors have.`,
    );
  }
  const shape = sizesOf(descriptor, operation);
  const layout = completed(to, descriptor.layout, shape);
  if (hasLayout(operation, descriptor, layout)) return layout;
  refuseClasses(operation, descriptor, layout);
  refuseQuantisation(operation, descriptor);
  // The codec knows what each layout asks of a shape.
  const { layoutClass, bufferCount } = entryOf(layout.kind);
  const sizes = Array.from({ length: bufferCount(shape.length)! }, () => 2n * ROOM - 1n);
  const draft = placed(descriptor, layout, layoutClass === "dense" ? ROOM : 0n, sizes);
  encodeDescriptor(draft, operation);
  refuseCollisions(operation, draft);
  return layout;
}

/** Whether a tensor lies in a layout already. */
export function hasLayout(operation: string, { layout, shape }: Descriptor, target: DescriptorLayout): boolean {
  if (layout.kind !== target.kind) return false;
  const payload = (form: DescriptorLayout): Uint8Array => {
    const writer = new ByteWriter(operation);
    entryOf(form.kind).write(writer, form, shape.length);
    return writer.done();
  };
  const [present, wanted] = [payload(layout), payload(target)];
  return present.length === wanted.length && present.every((byte, i) => byte === wanted[i]);
}

/**
 * The descriptor of the same values in another layout, whose buffers have these sizes. Parameters keep their buffers, which
 * follow; so do the sections that speak of values. Sections of later versions may speak of anything and go.
 */
export function placed(
  source: Descriptor,
  layout: DescriptorLayout,
  byteOffset: bigint,
  sizes: readonly bigint[],
): Descriptor {
  const { typeTag, shape, quantisation, shard, statistics, extensionType, memberRole } = source;
  const own = entryOf(source.layout.kind).bufferCount(shape.length)!;
  const parameters = source.buffers.slice(own).map(({ byteSize }) => byteSize);
  return {
    versionMinor: 0,
    typeTag,
    shape,
    byteOffset,
    layout,
    buffers: [...sizes, ...parameters].map(handleOf),
    ...(quantisation && { quantisation: moved(quantisation, sizes.length - own) }),
    ...(shard && { shard }),
    ...(statistics && { statistics }),
    ...(extensionType && { extensionType }),
    ...(memberRole && { memberRole }),
  };
}

function handleOf(byteSize: bigint): BufferHandle {
  return { byteSize, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
}

/** A scheme whose buffers have moved along in the table. */
function moved(q: Quantisation, by: number): Quantisation {
  if (!("scaleBuffer" in q)) return q;
  const zeroPoints = zeroPointsOf(q);
  const scaleBuffer = q.scaleBuffer + by;
  return { ...q, scaleBuffer, ...(zeroPoints !== undefined && { zeroPointBuffer: zeroPoints + by }) } as Quantisation;
}

function completed(to: LayoutTarget, from: DescriptorLayout, shape: readonly number[]): DescriptorLayout {
  // How many elements are stored is known when they have been counted.
  const nnz = isSparse(from) ? from.nnz : 0n;
  switch (to.kind) {
    case "strided": {
      if ("strides" in to) return to;
      const strides = shape.map((_, k) => shape.slice(k + 1).reduce((count, extent) => count * BigInt(extent), 1n));
      return { kind: "strided", strides };
    }
    case "morton": {
      const most = Math.max(...shape.map(bitsOf));
      return "bits" in to ? to : { kind: "morton", bits: shape.map(() => most) };
    }
    case "hilbert":
      return "order" in to ? to : { kind: "hilbert", order: bitsOf(shape[0] ?? 1) };
    case "coo":
      return { kind: "coo", nnz, isSorted: to.isSorted === true || from.kind !== "coo" || from.isSorted };
    case "csr":
    case "csc":
      return { kind: to.kind, nnz };
    case "csf":
      return { kind: "csf", nnz, modeOrder: to.modeOrder ?? shape.map((_, k) => k) };
    default:
      // Nothing follows from the tensor.
      return to as DescriptorLayout;
  }
}

/** Bits of a coordinate along an extent, 1 at least. */
function bitsOf(extent: number): number {
  return Math.max(1, extent - 1).toString(2).length;
}

const UNREACHED: { readonly [C in LayoutClass]?: string } = {
  indirect: "which page holds which token is for its writer to say",
  virtual: "a composite is its members",
  private: "only the parties know what it means",
};

/** Refuses layouts that have no elements of their own, and those between which zeros change their meaning. */
function refuseClasses(operation: string, descriptor: Descriptor, layout: DescriptorLayout): void {
  const from = entryOf(descriptor.layout.kind).layoutClass;
  const to = entryOf(layout.kind).layoutClass;
  const refuse = (code: HurrayErrorCode, problem: string, expected: string): never => {
    const given = `${descriptor.layout.kind} to ${layout.kind}`;
    throw new HurrayUnsupportedError(code, `${operation}: ${problem}: got ${given}, expected ${expected}.`, {
      layoutTag: layoutTag({ ...descriptor, layout }),
      typeTag: descriptor.typeTag,
    });
  };
  const unreached = UNREACHED[to] ?? (from === "indirect" ? undefined : UNREACHED[from]);
  if (unreached !== undefined) refuse("SW_HURRAY_LAYOUT_UNSUPPORTED", unreached, "dense and sparse layouts");
  if ((from === "sparse") === (to === "sparse")) return;
  if (elementTypeOf(descriptor.typeTag) === undefined) {
    const problem = "what is zero is not known of a private element type";
    refuse("SW_HURRAY_TYPE_UNSUPPORTED", problem, "both layouts sparse, or neither");
  }
  if (descriptor.memberRole === "correction") {
    const problem = "a sparse correction replaces what it stores, a dense one everything in its box";
    refuse("SW_HURRAY_LAYOUT_UNSUPPORTED", problem, "both layouts sparse, or neither");
  }
}

/** Refuses schemes whose parameters mean nothing to us, or belong to the layout and not to the values. */
function refuseQuantisation(operation: string, { layout, quantisation: q }: Descriptor): void {
  if (q === undefined) return;
  const isPerSlot = layout.kind === "blockPaged" && q.scheme === "perBlock";
  if (!isPerSlot && !("data" in q)) return;
  const problem = isPerSlot ? "the parameters belong to places in pages" : "the quantisation scheme is not known";
  const expected = isPerSlot ? "parameters of the tensor, of a channel or of elements" : "one that the format names";
  throw new HurrayUnsupportedError(
    "SW_HURRAY_QUANTISED_UNSUPPORTED",
    `${operation}: ${problem}: got scheme ${q.scheme}, expected ${expected}. valuesOf gives the values where it can.`,
  );
}

/** Refuses what readers take and writers do not give: elements in one place, and Morton codes with holes (A5, A6). */
function refuseCollisions(operation: string, draft: Descriptor): void {
  const { layout } = draft;
  const refuse = (problem: string, given: string, expected: string): never => {
    throw new HurrayValueError(operation, "to", problem, given, expected);
  };
  if (layout.kind === "morton" && layout.bits.some((bits) => bits !== layout.bits[0])) {
    refuse("Morton codes have holes", `bits [${layout.bits.slice(0, 8).join(",")}]`, "as many bits in each dimension");
  }
  if (layout.kind !== "strided" && layout.kind !== "tiled") return;
  if (layout.kind === "tiled" && !tilesDivide(layout)) {
    refuse(
      "a tile is not made of whole tiles",
      "a nested tile that does not divide",
      "one that divides the tile around it",
    );
  }
  const layoutMeant = placementOf(draft, operation);
  if (isInjective(layoutMeant, SEARCH_STEPS)) return;
  refuse("elements would lie in one place", String(layoutMeant), "a layout that keeps them apart");
}
