import { quote } from "../bytes/quote.js";
import type { ByteReader } from "../bytes/reader.js";
import { compareBytes, decodeText, isText } from "../bytes/text.js";
import type { Rule } from "../errors.js";

/** What the keys of a section are called, and the rules that they keep. */
export interface KeyRules {
  readonly field: "name" | "key";
  readonly empty: Rule;
  readonly text: Rule;
  readonly same: Rule;
  /** For keys that are said to ascend. */
  readonly order?: Rule;
}

/** Where the entries of a section begin: no object is made of any, so that what a section takes is bounded by its bytes. */
export interface Keyed {
  readonly bytes: Uint8Array;
  /** In the order of the file. */
  readonly starts: Positions;
  /** In ascending order of the bytes of their keys. */
  readonly byKey: Positions;
}

type Positions = Uint32Array | Float64Array;

/**
 * Reads the keys of as many entries, which are proven to have room; `pass` moves over the rest of an entry, checking it.
 * An entry begins with the length of its key, in 16 bits, and its key. Afterwards all keys are UTF-8, and all differ.
 */
export function readKeys(r: ByteReader, count: number, rules: KeyRules, pass: (start: number) => void): Keyed {
  const { bytes } = r;
  const starts: Positions = new (bytes.byteLength > 0xffffffff ? Float64Array : Uint32Array)(count);
  const lengthField = `${rules.field}_length`;
  let ascends = true;
  for (let k = 0; k < count; k++) {
    const start = r.position;
    r.advance(r.within(rules.empty, r.u16(lengthField), 1), rules.field);
    if (!isText(bytes, r.start, r.position)) r.refuse(rules.text, "other bytes", "UTF-8");
    if (ascends && k > 0 && compareKeys(bytes, start, starts[k - 1]!) <= 0) {
      if (rules.order !== undefined) refuseEntry(r, start, rules.order, "it there", "names that ascend");
      ascends = false;
    }
    starts[k] = start;
    pass(start);
  }
  if (ascends) return { bytes, starts, byKey: starts };
  const byKey = starts.slice();
  sortInto(byKey, starts, bytes, 0, count);
  starts.sort(); // back into the order of the file
  for (let k = 1; k < count; k++) {
    if (compareKeys(bytes, byKey[k]!, byKey[k - 1]!) === 0)
      {
      r.failAt(byKey[k]! + 2, rules.same, rules.field, quote(keyAt(bytes, byKey[k]!)), "one that no other entry has");
    }
  }
  return { bytes, starts, byKey };
}

/** Finds where the entry of a key begins. */
export function findKey({ bytes, byKey }: Keyed, key: string): number | undefined {
  const wanted = new TextEncoder().encode(key);
  let low = 0;
  let high = byKey.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = byKey[middle]!;
    if (compareBytes(bytes, wanted, start + 2, keyEnd(bytes, start)) < 0) low = middle + 1;
    else high = middle;
  }
  const start = byKey[low];
  // Half a surrogate pair is looked for as the character that stands for it.
  return start !== undefined && keyAt(bytes, start) === key ? start : undefined;
}

/** Compares the keys of two entries as bytes: negative, zero or positive. */
export function compareKeys(bytes: Uint8Array, a: number, b: number): number {
  return compareBytes(bytes, bytes, a + 2, keyEnd(bytes, a), b + 2, keyEnd(bytes, b));
}

/** Where the key of an entry ends. */
export function keyEnd(bytes: Uint8Array, start: number): number {
  return start + 2 + (bytes[start]! | (bytes[start + 1]! << 8));
}

/** The key of an entry that was read. */
export function keyAt(bytes: Uint8Array, start: number): string {
  return decodeText(bytes.subarray(start + 2, keyEnd(bytes, start)))!;
}

/** The first keys of a section, in its order; all of them when no number is given. */
export function keysOf({ bytes, starts }: Keyed, count?: number): string[] {
  return Array.from(starts.subarray(0, count), (start) => keyAt(bytes, start));
}

/** Throws for the field read last, which belongs to the entry that begins at `start`. */
export function refuseEntry(r: ByteReader, start: number, rule: Rule, given: unknown, expected: string): never {
  return r.refuse(rule, given, expected, `the entry of ${quote(keyAt(r.bytes, start))} is not allowed`);
}

/**
 * Sorts the entries from `start` to `end` by their keys, of one list into another that begins as its copy: by merging, which
 * takes n log n comparisons whatever the keys are.
 */
function sortInto(to: Positions, from: Positions, bytes: Uint8Array, start: number, end: number): void {
  if (end - start < 2) return;
  const middle = (start + end) >>> 1;
  sortInto(from, to, bytes, start, middle);
  sortInto(from, to, bytes, middle, end);
  let a = start;
  let b = middle;
  for (let k = start; k < end; k++) {
    const takesA = b === end || (a < middle && compareKeys(bytes, from[a]!, from[b]!) <= 0);
    to[k] = takesA ? from[a++]! : from[b++]!;
  }
}
