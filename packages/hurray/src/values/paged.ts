import { elementBits } from "../descriptor/descriptor.js";
import type { Descriptor, DescriptorLayout } from "../descriptor/types.js";
import { HurrayValueError } from "../errors.js";
import type { StoredTensor } from "../stored.js";
import { cellReader, cellWidth } from "./cells.js";
import { type Fail, integersOf, requirePointers } from "./integers.js";
import { dataError, requireTensor, unsupportedLayout } from "./stored-tensor.js";

/** Which pages hold which sequence, read and checked. */
export interface Pages {
  readonly pageSize: number;
  readonly sequences: number;
  /** Token slots of a sequence. */
  slotsOf(sequence: number): number;
  /** The number of the slot of a token in the pool: `page * pageSize + slot`. */
  slot(sequence: number, token: number): number;
}

type PagedLayout = Extract<DescriptorLayout, { kind: "blockPaged" }>;

const known = new WeakMap<StoredTensor, Pages>();

/**
 * Gives the element offset in the page pool of one component of a block-paged tensor (4.9).
 *
 * Pages are checked at the first call (R108, R109). How many tokens a sequence has is not stored: any slot of its pages
 * has an offset (A33).
 *
 * @throws RangeError `SW_HURRAY_VALUE` for a sequence, token, head or dim that is not there.
 * @throws HurrayFormatError `SW_HURRAY_DATA_INVALID` for tables that break a rule.
 * @throws HurrayUnsupportedError `SW_HURRAY_LAYOUT_UNSUPPORTED` for another layout.
 * @since 0.1.0
 */
export function pagedOffset(t: StoredTensor, sequence: number, token: number, head: number, dim: number): number {
  const operation = "pagedOffset";
  const pages = pagesOf(operation, t);
  const [, heads, dims] = t.descriptor.shape.map(Number);
  requireBelow(operation, "sequence", sequence, pages.sequences);
  requireBelow(operation, "token", token, pages.slotsOf(sequence));
  requireBelow(operation, "head", head, heads!);
  requireBelow(operation, "dim", dim, dims!);
  return (pages.slot(sequence, token) * heads! + head) * dims! + dim;
}

/**
 * Reads and checks the page tables of a block-paged tensor, once.
 *
 * @throws as `pagedOffset`.
 */
export function pagesOf(operation: string, item: StoredTensor): Pages {
  const present = known.get(item);
  if (present !== undefined) return present;
  const t = requireTensor(operation, item);
  const { layout } = t.descriptor;
  if (layout.kind !== "blockPaged") throw unsupportedLayout(operation, t.descriptor, `layout ${layout.kind}`);
  const pages = readPages(operation, t, layout);
  known.set(t, pages);
  return pages;
}

/**
 * The slot of every token, one sequence after the other: of as many tokens as are given, or of all slots where they are as
 * many as the shape says (A33). None where a token has no component, since then there may be any number of them.
 *
 * @throws as `pagedOffset`; RangeError `SW_HURRAY_VALUE` for tokens that do not fit.
 */
export function slotsOf(operation: string, t: StoredTensor, given: readonly number[] | undefined): number[] {
  const pages = pagesOf(operation, t);
  const tokens = tokensOf(operation, t.descriptor, pages, given);
  const slots: number[] = [];
  if (t.descriptor.shape.includes(0n)) return slots;
  tokens.forEach((length, sequence) => {
    for (let token = 0; token < length; token++) slots.push(pages.slot(sequence, token));
  });
  return slots;
}

/** Copies the components of tokens into cells, which are `count` in all. */
export function gatherSlots(
  { descriptor, buffers }: StoredTensor,
  slots: readonly number[],
  count: number,
): Uint8Array {
  const bits = elementBits(descriptor)!;
  const cells = new Uint8Array(count * cellWidth(bits));
  const copy = cellReader(descriptor, bits, buffers[0]!, cells);
  const row = count / slots.length;
  for (let i = 0; i < slots.length; i++) copy(slots[i]! * row, 1, i * row, 1, row);
  return cells;
}

/** The tokens of every sequence. @throws RangeError `SW_HURRAY_VALUE`. */
function tokensOf(
  operation: string,
  descriptor: Descriptor,
  pages: Pages,
  given: readonly number[] | undefined,
): readonly number[] {
  const slots = Array.from({ length: pages.sequences }, (_, s) => pages.slotsOf(s));
  const tokens = given ?? slots;
  const total = Number(descriptor.shape[0]);
  const fits =
    tokens.length === slots.length && tokens.every((n, s) => Number.isInteger(n) && n >= 0 && n <= slots[s]!);
  if (fits && tokens.reduce((sum, n) => sum + n, 0) === total) return tokens;
  const list = given === undefined ? "no counts" : `[${given.slice(0, 8).join(",")}]`;
  const expected = `${slots.length} counts within the pages of their sequences, ${total} tokens in all`;
  throw new HurrayValueError(operation, "tokens", "the tokens of the sequences are not known", list, expected);
}

function readPages(operation: string, t: StoredTensor, layout: PagedLayout): Pages {
  const { pageSize, numSeqs, indexBits } = layout;
  const width = indexBits / 8;
  const fail: Fail = (rule, buffer, index, problem, given, expected) => {
    throw dataError(operation, rule, buffer, index * width, problem, given, expected);
  };
  const starts = integersOf(indexBits, t.buffers[2]!, numSeqs + 1);
  const room = Math.floor(Number(t.descriptor.buffers[1]!.byteSize) / width);
  requirePointers(fail, "R108", 2, starts, room);
  const table = integersOf(indexBits, t.buffers[1]!, starts[numSeqs]!);
  const numPages = Number(layout.numPages);
  table.forEach((page, i) => {
    if (page >= numPages) fail("R109", 1, i, "a page is not in the pool", page, `below ${numPages}`);
  });
  return {
    pageSize,
    sequences: numSeqs,
    slotsOf: (sequence) => (starts[sequence + 1]! - starts[sequence]!) * pageSize,
    slot: (sequence, token) => table[starts[sequence]! + Math.floor(token / pageSize)]! * pageSize + (token % pageSize),
  };
}

function requireBelow(operation: string, field: string, value: number, end: number): void {
  if (Number.isInteger(value) && value >= 0 && value < end) return;
  throw new HurrayValueError(operation, field, `${field} is not there`, value, `an integer from 0, below ${end}`);
}
