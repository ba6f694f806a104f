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
  readonly order?: Rule | undefined;
}

/** Where the entries of a section begin: no object is made of any, so that what a section takes is bounded by its bytes. */
export interface Keyed {
  readonly bytes: Uint8Array;
  /** In ascending order of the bytes of their keys, as in the file where the flag SORTED_INDEX says so (section 9, R143). */
  readonly byKey: Uint32Array | Float64Array;
}

/**
 * Reads the keys of as many entries, which are proven to have room; `pass` moves over the rest of an entry, checking it.
 * An entry begins with the length of its key, in 16 bits, and its key. Afterwards all keys are UTF-8, and all differ.
 * Steps are linear in the bytes; keys that do not ascend are sorted, in n log n comparisons.
 */
export function readKeys(r: ByteReader, count: number, rules: KeyRules, pass: (start: number) => void): Keyed {
  const { bytes } = r;
  const { field } = rules;
  const byKey = new (bytes.byteLength > 0xffffffff ? Float64Array : Uint32Array)(count);
  const lengthField = `${field}_length`;
  let ascends = true;
  for (let k = 0; k < count; k++) {
    const start = r.position;
    r.advance(r.within(rules.empty, r.u16(lengthField), 1), field);
    if (!isText(bytes, r.start, r.position)) r.refuse(rules.text, "other bytes", "UTF-8");
    if (ascends && k > 0 && compareKeys(bytes, start, byKey[k - 1]!) <= 0) {
      if (rules.order !== undefined) refuseEntry(r, start, rules.order, "it there", "ascending names");
      ascends = false;
    }
    byKey[k] = start;
    pass(start);
  }
  if (ascends) return { bytes, byKey };
  byKey.sort((a, b) => compareKeys(bytes, a, b));
  byKey.forEach((start, k) => {
    if (k > 0 && compareKeys(bytes, start, byKey[k - 1]!) === 0) {
      r.failAt(start + 2, rules.same, field, quote(keyAt(bytes, start)), "one of its own");
    }
  });
  return { bytes, byKey };
}

/** Where the entries begin, in the order of the file. */
export function startsOf({ byKey }: Keyed): Keyed["byKey"] {
  return byKey.slice().sort();
}

/** Finds where the entry of a key begins, by a binary search. */
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

/** The keys of a section, in its order. */
export function keysOf(keyed: Keyed): string[] {
  return Array.from(startsOf(keyed), (start) => keyAt(keyed.bytes, start));
}

/** Throws for the field read last, which belongs to the entry that begins at `start`. */
export function refuseEntry(r: ByteReader, start: number, rule: Rule, given: unknown, expected: string): never {
  return r.refuse(rule, given, expected, `the entry of ${quote(keyAt(r.bytes, start))} is not allowed`);
}
