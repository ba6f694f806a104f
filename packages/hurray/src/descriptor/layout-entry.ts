import type { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import type { Rule } from "../errors.js";
import type { DescriptorLayout } from "./types.js";

/**
 * What kind of thing a layout is (section 4): `"dense"`, every element at an offset by formula; `"sparse"`, some
 * elements by their coordinates; `"indirect"`, every element through an index; `"virtual"`, a head without data;
 * `"private"`, by agreement, which includes layouts that are unknown.
 * @since 0.1.0
 */
export type LayoutClass = "dense" | "sparse" | "indirect" | "virtual" | "private";

/** What the payload of a layout is read against. */
export interface LayoutContext {
  readonly tag: number;
  readonly shape: readonly bigint[];
  /** Flags of the header. */
  readonly flags: number;
  /** Which private layouts and rules the caller knows. */
  accept(what: "layout" | "scheme" | "rule", id: bigint): boolean;
}

/** The offsets of elements that a layout reaches, relative to the element at index 0, both inclusive. */
export interface ElementSpan {
  readonly lowest: bigint;
  readonly highest: bigint;
}

/** Everything the codec has to know of one layout. A layout is added to the format by adding an entry. */
export interface LayoutEntry<L extends DescriptorLayout = DescriptorLayout> {
  readonly layoutClass: LayoutClass;
  /** Whether strides follow the shape with a quantised axis rounded up to whole blocks (A7). */
  readonly storesWholeBlocks?: true;
  /** How many buffers the layout itself owns; `undefined` where only the parties know. */
  bufferCount(rank: number): number | undefined;
  /** Reads and checks the payload. */
  read(reader: ByteReader, context: LayoutContext): L;
  /** Writes the payload. */
  write(writer: ByteWriter, layout: L, rank: number): void;
  /** Which element offsets a dense layout reaches; the shape as stored, static and not empty. */
  span?(layout: L, stored: readonly bigint[]): ElementSpan;
  /** How many bytes each buffer of a sparse or paged layout has at least; 0 where that depends on a dynamic dimension or on data. `bits` is the width of an element. */
  needs?(layout: L, shape: readonly bigint[], bits: number): readonly bigint[];
}

/** The entry of the layouts of one kind. */
export type EntryOf<K extends DescriptorLayout["kind"]> = LayoutEntry<Extract<DescriptorLayout, { kind: K }>>;

/** Refuses an optional section that a layout cannot have. */
export function refuseSection(reader: ByteReader, flags: number, bit: number, rule: Rule): void {
  if ((flags & bit) !== 0) reader.failAt(10, rule, "flags", flags, `bit ${bit} clear`);
}

/** Refuses a rank that a layout cannot have. */
export function refuseRank(reader: ByteReader, rank: number, rule: Rule, expected: string): never {
  return reader.failAt(16, rule, "rank", rank, expected);
}
