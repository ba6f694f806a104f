import type { Case, CaseOutcome } from "../case.js";
import { type Checks, checksOf } from "../expect.js";
import type { Kit } from "../kit.js";
import { FORMAT_LINES } from "./golden.js";
import { bytesOf, digitsOf, type FormatVector, linesOf } from "./vectors.js";

/**
 * A reader and writer of the Hurray format, over plain JSON: the words of the vectors' manifest. A member that is absent
 * is not tried. What is refused is thrown, as an error with the `byteOffset` where the fault was found.
 *
 * @since 0.1.0
 */
export interface FormatCandidate {
  readonly name: string;
  /** Decodes one descriptor. */
  decode(bytes: Uint8Array): unknown;
  /** Encodes what `decode` made of a descriptor, in canonical form. */
  encode?(facts: unknown): Uint8Array;
  /** Reads a file: its header, metadata, index, descriptors and buffers. */
  readFile?(bytes: Uint8Array): Promise<unknown>;
  /** Reads a stream to its end: its items. */
  readStream?(chunks: AsyncIterable<Uint8Array>): Promise<unknown>;
  /** The byte address of each element of a descriptor, the last axis fastest. */
  addresses?(bytes: Uint8Array): readonly number[];
}

type Check = (checks: Checks, candidate: FormatCandidate, bytes: Uint8Array, vector: FormatVector) => unknown;

const WRONG = "an error with the byteOffset of the fault";

/** Whether an error says where in the input the fault is. */
function saysWhere(bytes: Uint8Array): (error: unknown) => boolean {
  return (error) => {
    const at = (error as { readonly byteOffset?: unknown } | null | undefined)?.byteOffset;
    return error instanceof Error && typeof at === "number" && at >= 0 && at <= bytes.byteLength;
  };
}

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

/** Pieces that a stream may come in: whole, and byte by byte. */
const piecesOf = (bytes: Uint8Array): readonly number[] => [Math.max(1, bytes.byteLength), 1];

function checkDescriptor(checks: Checks, candidate: FormatCandidate, bytes: Uint8Array, vector: FormatVector): void {
  const facts = candidate.decode(bytes);
  checks.same(facts, vector.expect, "what was decoded");
  // Where bytes stand for what their canonical form says differently, it is what is read again that counts.
  if (candidate.encode === undefined) return;
  const again = candidate.encode(facts);
  if (vector.kind === "descriptor") checks.same(digitsOf(again), vector.bytes, "what was encoded again");
  else checks.same(candidate.decode(again), vector.expect, "what was encoded and decoded again");
}

function checkPrefixes(checks: Checks, candidate: FormatCandidate, bytes: Uint8Array): void {
  for (let length = 0; length < bytes.byteLength; length++) {
    const prefix = bytes.slice(0, length);
    const what = `the first ${length} bytes`;
    checks.refused(() => candidate.decode(prefix), what, WRONG, saysWhere(prefix));
  }
}

/** One changed byte at a time. Without the strict verdict, what the reference refuses is refused. */
async function checkChanges(
  checks: Checks,
  read: (bytes: Uint8Array) => unknown,
  bytes: Uint8Array,
  { rows = [] }: FormatVector,
): Promise<void> {
  for (const [offset, value, reference, strict] of rows) {
    const changed = bytes.slice();
    changed[offset] = value;
    const what = `byte ${offset} changed to ${value}`;
    const verdict = strict ?? reference;
    if (verdict === "accept") {
      if (strict === undefined) continue;
      await read(changed);
      checks.holds(true, what, "", "");
    } else await checks.refusedLater(() => read(changed), what, WRONG, saysWhere(changed));
  }
}

/** What is done with a vector, by its kind, and the member of a candidate that it needs. */
const CHECKS: { readonly [kind: string]: readonly [need: string, check: Check] } = {
  descriptor: ["decode", checkDescriptor],
  "odd-descriptor": ["decode", checkDescriptor],
  "invalid-descriptor": [
    "decode",
    (checks, candidate, bytes) =>
      checks.refused(() => candidate.decode(bytes), "the descriptor", WRONG, saysWhere(bytes)),
  ],
  truncation: ["decode", checkPrefixes],
  mutation: [
    "decode",
    (checks, candidate, bytes, vector) => checkChanges(checks, (b) => candidate.decode(b), bytes, vector),
  ],
  address: [
    "addresses",
    (checks, candidate, bytes, { addresses }) =>
      checks.same(candidate.addresses!(bytes), addresses, "the byte addresses"),
  ],
  stream: [
    "readStream",
    async (checks, candidate, bytes, { expect }) => {
      for (const size of piecesOf(bytes)) {
        checks.same(
          await candidate.readStream!(chunksOf(bytes, size)),
          expect,
          `the items, in pieces of ${size} bytes,`,
        );
      }
    },
  ],
  "invalid-stream": [
    "readStream",
    async (checks, candidate, bytes) => {
      for (const size of piecesOf(bytes)) {
        const read = (): unknown => candidate.readStream!(chunksOf(bytes, size));
        await checks.refusedLater(read, `the stream, in pieces of ${size} bytes,`, WRONG, saysWhere(bytes));
      }
    },
  ],
  file: [
    "readFile",
    async (checks, candidate, bytes, { expect }) => {
      checks.same(await candidate.readFile!(bytes), expect, "what was read of the file");
    },
  ],
  "invalid-file": [
    "readFile",
    (checks, candidate, bytes) =>
      checks.refusedLater(() => candidate.readFile!(bytes), "the file", WRONG, saysWhere(bytes)),
  ],
  "file-mutation": [
    "readFile",
    (checks, candidate, bytes, vector) => checkChanges(checks, (b) => candidate.readFile!(b), bytes, vector),
  ],
};

function formatCase(vector: FormatVector): Case<FormatCandidate> {
  const [need, check] = CHECKS[vector.kind]!;
  const id = `format/${vector.kind}/${vector.id}`;
  return {
    id,
    since: "0.1.0",
    subject: need,
    needs: [need],
    async run(candidate): Promise<CaseOutcome> {
      const checks = checksOf(id);
      const bytes = bytesOf(vector.bytes);
      await check(checks, candidate, bytes, vector);
      checks.same(digitsOf(bytes), vector.bytes, "the input, which nobody may write into,");
      return checks.outcome();
    },
  };
}

/** Whether a vector asks something: of elements that share bytes the manifest has groups, and no addresses. */
function isKnown({ kind, addresses }: FormatVector): boolean {
  return Object.hasOwn(CHECKS, kind) && (kind !== "address" || addresses !== undefined);
}

const MEMBERS = ["decode", "encode", "readFile", "readStream", "addresses"] as const;

function check(operation: string, candidate: unknown): asserts candidate is FormatCandidate {
  const value = candidate as Partial<FormatCandidate> | null | undefined;
  if (typeof value === "object" && value !== null && typeof value.decode === "function") return;
  throw new TypeError(
    `${operation}: the candidate reads no format: got ${value === null ? "null" : typeof value}, expected an object with name and decode.`,
  );
}

/**
 * Makes a kit of vectors of the Hurray format: `format/<kind>/<vector>`. Vectors of which it knows nothing to ask
 * are left out.
 *
 * @since 0.1.0
 */
export function formatKitOf(vectors: () => readonly FormatVector[]): Kit<FormatCandidate> {
  return {
    name: "format",
    check,
    nameOf: ({ name }) => name,
    subjects: (candidate) => MEMBERS.filter((member) => member !== "encode" && candidate[member] !== undefined),
    lacks: (candidate, need) =>
      candidate[need as keyof FormatCandidate] === undefined ? `the candidate has no ${need}` : undefined,
    cases: (filter = () => true) =>
      vectors()
        .filter(isKnown)
        .map(formatCase)
        .filter(({ id }) => filter(id)),
  };
}

/**
 * What a reader and writer of the Hurray format keeps to, by a small set of vectors that the package carries.
 *
 * @since 0.1.0
 */
export const formatKit: Kit<FormatCandidate> = formatKitOf(() => linesOf<FormatVector>(FORMAT_LINES));
