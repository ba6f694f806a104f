import { quote } from "../bytes/quote.js";
import { encodeText } from "../bytes/text.js";
import { HurrayValueError } from "../errors.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";

/** Tensors and their names: a Map, or `Object.entries` of an object. @since 0.1.0 */
export type NamedTensors = Iterable<readonly [name: string, item: StoredTensor | StreamedTensor]>;

/** A tensor and its name, which is text, and no other's. */
export interface NamedTensor {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly item: StoredTensor | StreamedTensor;
}

/**
 * Takes tensors and their names.
 *
 * @throws TypeError for what is no list of pairs; HurrayValueError `SW_HURRAY_VALUE` for names that are no text, taken,
 * `reserved`, or longer than `maximumBytes`.
 */
export function takeNamed(
  operation: string,
  entries: NamedTensors,
  { reserved, maximumBytes }: { readonly reserved?: string; readonly maximumBytes?: number } = {},
): NamedTensor[] {
  if (typeof entries !== "object" || entries === null || !(Symbol.iterator in entries)) {
    throw notPairs(operation, entries);
  }
  const names = new Set<string | undefined>([reserved]);
  return Array.from(entries, (pair) => {
    if (!Array.isArray(pair)) throw notPairs(operation, pair);
    const [name, item] = pair as unknown as readonly [string, StoredTensor];
    const nameBytes = encodeText(name, operation, "tensor name");
    if (names.has(name)) {
      const expected = reserved === undefined ? "another" : `another, and not ${reserved}`;
      throw new HurrayValueError(operation, "name", "a name is taken", quote(name), expected);
    }
    if (maximumBytes !== undefined && nameBytes.byteLength > maximumBytes) {
      const given = `${nameBytes.byteLength} bytes`;
      throw new HurrayValueError(operation, "name", "a name is too long", given, `at most ${maximumBytes}`);
    }
    names.add(name);
    return { name, nameBytes, item };
  });
}

function notPairs(operation: string, given: unknown): TypeError {
  return new TypeError(
    `${operation}: not names and tensors: got ${given === null ? "null" : typeof given}, expected a Map, or a list of [name, tensor]. Of an object: Object.entries(object).`,
  );
}
