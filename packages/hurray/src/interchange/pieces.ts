import type { ElementTypeName } from "../elements.js";
import { packElements, unpackElements } from "../values/pack.js";

/** Bytes in order; a piece may be used again for the next one. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Elements that bits are made bytes of at a time. */
const AT_ONCE = 65536;

/** Regroups pieces so that each has a whole number of units; only the last may end within one. */
async function* inUnits(pieces: Pieces, unit: number): AsyncGenerator<Uint8Array, void, void> {
  const rest = new Uint8Array(unit);
  let held = 0;
  for await (let piece of pieces) {
    if (held > 0) {
      const part = piece.subarray(0, unit - held);
      rest.set(part, held);
      held += part.byteLength;
      piece = piece.subarray(part.byteLength);
      if (held < unit) continue;
      yield rest;
      held = 0;
    }
    const whole = piece.byteLength - (piece.byteLength % unit);
    if (whole > 0) yield piece.subarray(0, whole);
    held = piece.byteLength - whole;
    rest.set(piece.subarray(whole));
  }
  if (held > 0) yield rest.subarray(0, held);
}

/** Turns the bytes of each number around; a number has 2, 4 or 8 of them. The pieces themselves stay as they are. */
export async function* swapped(pieces: Pieces, width: number): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of inUnits(pieces, width)) {
    const copy = new Uint8Array(piece);
    if (width === 2) swap2(new Uint16Array(copy.buffer));
    else swap4(new Uint32Array(copy.buffer), width === 8);
    yield copy;
  }
}

function swap2(words: Uint16Array): void {
  for (let i = 0; i < words.length; i++) words[i] = (words[i]! << 8) | (words[i]! >>> 8);
}

function swap4(words: Uint32Array, isPair: boolean): void {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    words[i] = (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
  }
  if (!isPair) return;
  for (let i = 0; i + 1 < words.length; i += 2) {
    const first = words[i]!;
    words[i] = words[i + 1]!;
    words[i + 1] = first;
  }
}

/** Makes the elements of another format ours: a byte of a bool becomes a bit, everything else stays. */
export function fromForeign(type: ElementTypeName, pieces: Pieces): Pieces {
  return type === "bool" ? packed(pieces) : pieces;
}

/** Makes our elements those of another format: a bit of a bool becomes a byte, everything else stays. */
export function toForeign(type: ElementTypeName, count: number, pieces: Pieces): Pieces {
  return type === "bool" ? unpacked(count, pieces) : pieces;
}

async function* packed(pieces: Pieces): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of inUnits(pieces, 8)) {
    const bits = new Uint8Array(Math.ceil(piece.byteLength / 8));
    packElements("bool", piece, bits);
    yield bits;
  }
}

async function* unpacked(count: number, pieces: Pieces): AsyncGenerator<Uint8Array, void, void> {
  let left = count;
  for await (const piece of pieces) {
    const elements = Math.min(left, piece.byteLength * 8);
    for (let first = 0; first < elements; first += AT_ONCE) {
      yield unpackElements("bool", piece, first, Math.min(AT_ONCE, elements - first));
    }
    left -= elements;
  }
}
