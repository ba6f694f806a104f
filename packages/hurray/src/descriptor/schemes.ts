import { DYNAMIC } from "./shape.js";
import type { DescriptorLayout, Quantisation } from "./types.js";

/** The schemes of the format. */
export type Scheme = Exclude<Quantisation["scheme"], "private" | "unknown">;

/** What the format says of one scheme (section 7). */
export interface SchemeEntry {
  readonly tag: number;
  readonly length: number;
  /** Whether bit 0 of the flags, SYMMETRIC, is defined. */
  readonly symmetric: boolean;
  /** Tags of the element types that may hold the quantised values. */
  readonly storage: readonly number[];
  /** Smallest and largest block, where there are blocks. */
  readonly block?: readonly [number, number];
}

const INTS_8 = [0x4a, 0x4b, 0x48, 0x49, 0x10, 0x11] as const;
const INTS_32 = [...INTS_8, 0x12, 0x13, 0x14, 0x15] as const;
export const SCHEMES: { readonly [S in Scheme]: SchemeEntry } = {
  perTensor: { tag: 1, length: 16, symmetric: false, storage: INTS_32 },
  perChannel: { tag: 2, length: 20, symmetric: true, storage: INTS_32 },
  perBlock: { tag: 3, length: 24, symmetric: true, storage: INTS_8, block: [2, 0x80000000] },
  nf4: { tag: 4, length: 16, symmetric: false, storage: [0x49], block: [8, 0x80000000] },
  mxfp: {
    tag: 5,
    length: 16,
    symmetric: false,
    storage: [0x40, 0x41, 0x43, 0x44, 0x45, 0x10, 0x48],
    block: [16, 2048],
  },
};

/** The buffers that hold parameters, without repetition. */
export function parameterBuffers(q: Quantisation | undefined): number[] {
  if (q === undefined || !("scaleBuffer" in q)) return [];
  const zeroPoints = zeroPointsOf(q);
  return zeroPoints === undefined || zeroPoints === q.scaleBuffer ? [q.scaleBuffer] : [q.scaleBuffer, zeroPoints];
}

/** The exact byte sizes of the parameter buffers, or `undefined` while a dimension is dynamic (R85). */
export function parameterSizes(
  q: Quantisation,
  shape: readonly bigint[],
  layout: DescriptorLayout,
): Map<number, bigint> | undefined {
  const sizes = new Map<number, bigint>();
  if (!("scaleBuffer" in q)) return sizes;
  let count = shape[q.axis]!;
  if (q.scheme === "perBlock" && layout.kind === "blockPaged") {
    // One for each place of each page, whatever the shape (4.9).
    count = layout.numPages * BigInt(layout.pageSize);
  } else if (q.scheme !== "perChannel") {
    if (shape.includes(DYNAMIC)) return undefined;
    count = wholeBlocks(count, q.blockSize);
    shape.forEach((extent, k) => {
      if (k !== q.axis) count *= extent;
    });
  }
  sizes.set(q.scaleBuffer, count * scaleWidth(q));
  const zeroPoints = zeroPointsOf(q);
  if (zeroPoints !== undefined) sizes.set(zeroPoints, (sizes.get(zeroPoints) ?? 0n) + count * 4n);
  return sizes;
}

/** The shape that row-major and column-major strides follow: a quantised axis holds whole blocks (A7). */
export function storageShape(shape: readonly bigint[], q: Quantisation | undefined): readonly bigint[] {
  if (q === undefined || (q.scheme !== "perBlock" && q.scheme !== "nf4")) return shape;
  const size = BigInt(q.blockSize);
  return shape.map((extent, k) => (k === q.axis ? wholeBlocks(extent, q.blockSize) * size : extent));
}

/** Finds the scheme of a tag; `undefined` where the format gives it no meaning. */
export function schemeOf(tag: number): Scheme | undefined {
  return (Object.keys(SCHEMES) as Scheme[]).find((scheme) => SCHEMES[scheme].tag === tag);
}

/** The buffer of the zero points, where there is one. */
export function zeroPointsOf(q: Quantisation): number | undefined {
  return q.scheme === "perChannel" || q.scheme === "perBlock" ? q.zeroPointBuffer : undefined;
}

function scaleWidth(q: Quantisation): bigint {
  if (q.scheme === "mxfp") return 1n;
  return q.scheme === "perBlock" && q.scaleTypeTag !== 3 ? 2n : 4n;
}

function wholeBlocks(extent: bigint, blockSize: number): bigint {
  const size = BigInt(blockSize);
  return (extent + size - 1n) / size;
}
