import { describe } from "@sw/layout";
import { isModeSlice, type ModeSlice } from "@sw/layout/views";
import { TensorValueError } from "./errors.js";

// Keys as NumPy's basic indexing has them, as text and as lists. What they mean for a shape is in indexing.ts.

/**
 * One entry of a key: an integer, a slice `{ start, stop, step }`, `"..."` for the axes that no other entry names, or
 * `null` for a new axis.
 * @since 0.1.0
 */
export type IndexEntry = number | null | "..." | ModeSlice;

/** An entry, and where it stands: its first character, or its place in the list. */
export interface PlacedEntry {
  readonly entry: IndexEntry;
  readonly position: number;
}

/**
 * Reads a key.
 *
 * @throws TypeError for a key, an entry or a bound of another type; TensorValueError `SW_TENSOR_KEY`, with the
 * `position`, for text that is no key.
 */
export function readKey(operation: string, key: string | readonly IndexEntry[]): PlacedEntry[] {
  if (typeof key === "string") return parseKey(operation, key);
  if (!Array.isArray(key)) {
    throw new TypeError(
      `${operation}: the key is neither text nor a list: got ${describe(key)}, expected one like "1:5, ..." or [{ start: 1, stop: 5 }, "..."].`,
    );
  }
  // By Array.from, which gives holes to the check too.
  return Array.from(key, (entry: IndexEntry, position) => {
    checkEntry(operation, entry, position);
    return { entry, position };
  });
}

/** The error of a key that is well typed and means nothing for a tensor. */
export function keyError(operation: string, what: string, got: unknown, expected: string, position: number): Error {
  return new TensorValueError(
    "SW_TENSOR_KEY",
    `${operation}: ${what}: got ${String(got)} at position ${position} of the key, expected ${expected}.`,
    { given: got, expected, position },
  );
}

function checkEntry(operation: string, entry: unknown, position: number): void {
  if (entry === null || entry === "..." || Number.isInteger(entry)) return;
  if (!isModeSlice(entry)) throw wrongType(operation, "an entry", entry, position);
  const { start, stop, step } = entry;
  for (const bound of [start, stop, step]) {
    if (bound !== undefined && !Number.isInteger(bound)) throw wrongType(operation, "a bound", bound, position);
  }
}

function wrongType(operation: string, what: string, got: unknown, position: number): TypeError {
  const expected = what === "a bound" ? "an integer" : 'an integer, { start, stop, step }, "..." or null';
  return new TypeError(
    `${operation}: ${what} of the key has a wrong type: got ${describe(got)} at position ${position}, expected ${expected}.`,
  );
}

/** Integers, words, the ellipsis, and single characters; white space may stand between them. */
const TOKENS = /\.\.\.|[+-]?[0-9]+|\w+|\S/gu;

/**
 * Reads text as Python reads what stands between the brackets of `a[…]`, of integers those in digits, with a sign right
 * in front of them; one comma may stand at its end.
 */
function parseKey(operation: string, text: string): PlacedEntry[] {
  const tokens = [...text.matchAll(TOKENS)];
  const entries: PlacedEntry[] = [];
  let next = 0;
  const position = (): number => tokens[next]?.index ?? text.length;
  const take = (token: string): boolean => {
    if (tokens[next]?.[0] !== token) return false;
    next++;
    return true;
  };
  const unread = (expected: string): Error => {
    const token = tokens[next]?.[0];
    const got = token === undefined ? "its end" : JSON.stringify(token.length > 20 ? `${token.slice(0, 20)}…` : token);
    return keyError(operation, "the key cannot be read", got, expected, position());
  };
  const integer = (): number | undefined => {
    const token = tokens[next]?.[0] ?? "";
    // As in Python, 0 alone begins with 0.
    if (!/^[+-]?(0+|[1-9][0-9]*)$/.test(token)) return undefined;
    next++;
    // An integer of any length is one to Python: what is beyond every axis stays so.
    return Math.min(Math.max(Number(token), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  };
  const entry = (): IndexEntry => {
    if (take("...")) return "...";
    if (take("None") || take("newaxis")) return null;
    const start = integer();
    if (take(":")) return { start, stop: integer(), step: take(":") ? integer() : undefined };
    if (start === undefined) throw unread('an integer, a slice like 1:5:2, "..." or None');
    return start;
  };
  do {
    entries.push({ position: position(), entry: entry() });
    if (next < tokens.length && !take(",")) throw unread("a comma");
  } while (next < tokens.length);
  return entries;
}
