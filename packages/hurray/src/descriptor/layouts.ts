import type { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import { HurrayUnsupportedError } from "../errors.js";
import type { DescriptorLayout, LayoutKind } from "./types.js";

/** What kind of thing a layout is (section 4): where elements lie by formula, by coordinates, by an index, nowhere, or by agreement. @since 0.1.0 */
export type LayoutClass = "dense" | "sparse" | "indirect" | "virtual" | "private";

/** The offsets of elements that a layout reaches, relative to the element at index 0, both inclusive. */
interface ElementSpan {
  readonly lowest: bigint;
  readonly highest: bigint;
}

/** Everything the codec has to know of one layout. A layout is added to the format by adding an entry. */
export interface LayoutEntry<L extends DescriptorLayout = DescriptorLayout> {
  readonly kind: L["kind"];
  readonly tag: number;
  readonly layoutClass: LayoutClass;
  /** Whether strides follow the shape with a quantised axis rounded up to whole blocks (A7). */
  readonly storesWholeBlocks: boolean;
  /** How many buffers the layout itself owns; `undefined` where only the parties know. */
  bufferCount(rank: number): number | undefined;
  /** Reads and checks the payload. */
  read(reader: ByteReader, rank: number, shape: readonly bigint[]): L;
  /** Writes the payload. */
  write(writer: ByteWriter, layout: L): void;
  /** Which element offsets a dense layout reaches; the shape as stored, static and not empty. */
  span?(layout: L, stored: readonly bigint[]): ElementSpan;
  /** The bytes that each buffer of a sparse or paged layout has at least; the shape is static. `bits` is the width of an element. */
  needs?(layout: L, shape: readonly bigint[], bits: number): readonly bigint[];
}

/** Every layout tag of the format, with the name it has there. @since 0.1.0 */
export const LAYOUT_NAMES: { readonly [tag: number]: string } = {
  1: "row-major",
  2: "column-major",
  3: "strided",
  4: "tiled",
  5: "Morton",
  6: "COO",
  7: "CSR",
  8: "CSC",
  9: "CSF",
  10: "block-paged",
  11: "composite head",
  64: "Hilbert",
};

/** Tells whether the format gives a meaning to a layout tag. */
export function isKnownLayoutTag(tag: number): boolean {
  return Object.hasOwn(LAYOUT_NAMES, tag);
}

const ONE_BUFFER = (): number => 1;

const compactSpan = (_layout: DescriptorLayout, shape: readonly bigint[]): ElementSpan => {
  let count = 1n;
  for (const extent of shape) count *= extent;
  return { lowest: 0n, highest: count - 1n };
};

const ENTRIES: { readonly [K in LayoutKind]?: LayoutEntry<Extract<DescriptorLayout, { kind: K }>> } = {
  rowMajor: {
    kind: "rowMajor",
    tag: 0x01,
    layoutClass: "dense",
    storesWholeBlocks: true,
    bufferCount: ONE_BUFFER,
    read: () => ({ kind: "rowMajor" }),
    write: () => {},
    span: compactSpan,
  },
  columnMajor: {
    kind: "columnMajor",
    tag: 0x02,
    layoutClass: "dense",
    storesWholeBlocks: true,
    bufferCount: ONE_BUFFER,
    read: () => ({ kind: "columnMajor" }),
    write: () => {},
    span: compactSpan,
  },
  strided: {
    kind: "strided",
    tag: 0x03,
    layoutClass: "dense",
    storesWholeBlocks: false,
    bufferCount: ONE_BUFFER,
    read: (reader, rank) => ({ kind: "strided", strides: reader.i64s(rank, "strides") }),
    write: (writer, layout) => {
      for (const stride of layout.strides) writer.i64(stride, "strides");
    },
    span: (layout, shape) => {
      let lowest = 0n;
      let highest = 0n;
      shape.forEach((extent, k) => {
        const reach = (extent - 1n) * layout.strides[k]!;
        if (reach < 0n) lowest += reach;
        else highest += reach;
      });
      return { lowest, highest };
    },
  },
};

const BY_TAG: { readonly [tag: number]: LayoutKind } = { 1: "rowMajor", 2: "columnMajor", 3: "strided" };

/** Finds the entry of a layout tag; `undefined` when this version does not read the layout. */
export function layoutEntryOf(tag: number): LayoutEntry | undefined {
  const kind = BY_TAG[tag];
  return kind === undefined ? undefined : entryOf(kind);
}

/** Finds the entry of a layout. */
export function entryOf(kind: LayoutKind): LayoutEntry {
  // A lookup by kind gives the entry of that kind's layout; the compiler cannot follow the correlation.
  const entry = ENTRIES[kind] as unknown as LayoutEntry | undefined;
  if (entry === undefined) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_LAYOUT_UNSUPPORTED",
      `layout: this layout is not written yet: got ${kind}, expected one of ${readableLayouts()}.`,
    );
  }
  return entry;
}

/** The layouts that this version reads, for messages. */
export function readableLayouts(): string {
  return Object.keys(BY_TAG)
    .map((tag) => LAYOUT_NAMES[Number(tag)])
    .join(", ");
}
