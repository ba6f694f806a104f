// Packed elements to a byte each, a word of them at a time. A load, a store and the check of its bounds cost more than the
// arithmetic between them, so both are as wide as they can be: four elements are the bytes of one word, eight bools of two.

/** Spreads the codes in words to bytes; each width has a loop of its own. `target` is one that begins at a multiple of 8. */
export function spread(bits: number, signed: boolean, source: Uint32Array, target: Uint8Array | Int8Array): void {
  const { buffer, byteOffset, length } = target;
  if (bits === 1) spread1(source, new Float64Array(buffer, byteOffset, length >>> 3), boolTable());
  else if (bits === 2) spread2(source, new Uint32Array(buffer, byteOffset, length >>> 2), pairTable(signed));
  else if (bits === 4) (signed ? spread4Signed : spread4)(source, new Uint32Array(buffer, byteOffset, length >>> 2));
  else spread6(source, new Uint32Array(buffer, byteOffset, length >>> 2));
}

let bools: Float64Array | undefined;
const pairs: [Uint32Array?, Uint32Array?] = [];

/** Eight bytes of 0 and 1 for each byte. As a double they are a small number, never a NaN, so that a store keeps them. */
function boolTable(): Float64Array {
  if (bools === undefined) {
    const bytes = Uint8Array.from({ length: 2048 }, (_, i) => ((i >> 3) >> (i & 7)) & 1);
    bools = new Float64Array(bytes.buffer);
  }
  return bools;
}

/** Four bytes of two bits each for each byte, their sign extended. */
function pairTable(signed: boolean): Uint32Array {
  const k = signed ? 1 : 0;
  let table = pairs[k];
  if (table === undefined) {
    const shift = signed ? 30 : 0;
    const bytes = Uint8Array.from({ length: 1024 }, (_, i) => ((((i >> 2) >> ((i & 3) * 2)) & 3) << shift) >> shift);
    table = new Uint32Array(bytes.buffer);
    pairs[k] = table;
  }
  return table;
}

function spread1(source: Uint32Array, target: Float64Array, table: Float64Array): void {
  for (let i = 0, at = 0; i < source.length; i++, at += 4) {
    const w = source[i]!;
    target[at] = table[w & 255]!;
    target[at + 1] = table[(w >>> 8) & 255]!;
    target[at + 2] = table[(w >>> 16) & 255]!;
    target[at + 3] = table[w >>> 24]!;
  }
}

function spread2(source: Uint32Array, target: Uint32Array, table: Uint32Array): void {
  for (let i = 0, at = 0; i < source.length; i++, at += 4) {
    const w = source[i]!;
    target[at] = table[w & 255]!;
    target[at + 1] = table[(w >>> 8) & 255]!;
    target[at + 2] = table[(w >>> 16) & 255]!;
    target[at + 3] = table[w >>> 24]!;
  }
}

function spread4(source: Uint32Array, target: Uint32Array): void {
  for (let i = 0, at = 0; i < source.length; i++, at += 2) {
    const w = source[i]!;
    target[at] = nibbles(w & 0xffff);
    target[at + 1] = nibbles(w >>> 16);
  }
}

function spread4Signed(source: Uint32Array, target: Uint32Array): void {
  for (let i = 0, at = 0; i < source.length; i++, at += 2) {
    const w = source[i]!;
    const low = nibbles(w & 0xffff);
    const high = nibbles(w >>> 16);
    // A sign bit, times 1E, is the four bits above it.
    target[at] = low | Math.imul(low & 0x08080808, 0x1e);
    target[at + 1] = high | Math.imul(high & 0x08080808, 0x1e);
  }
}

/** Shifted copies of the bits overlap only where a mask cuts them off. */
function nibbles(w: number): number {
  const bytes = (w | (w << 8)) & 0x00ff00ff;
  return (bytes | (bytes << 4)) & 0x0f0f0f0f;
}

function spread6(source: Uint32Array, target: Uint32Array): void {
  for (let i = 0, at = 0; i < source.length; i += 3, at += 4) {
    const a = source[i]!;
    const b = source[i + 1]!;
    const c = source[i + 2]!;
    target[at] = sixes(a);
    target[at + 1] = sixes((a >>> 24) | (b << 8));
    target[at + 2] = sixes((b >>> 16) | (c << 16));
    target[at + 3] = sixes(c >>> 8);
  }
}

/** The low 24 bits as four bytes: first their halves, then the halves of those. */
function sixes(w: number): number {
  const halves = (w & 0xfff) | ((w & 0xfff000) << 4);
  return (halves & 0x003f003f) | ((halves & 0x0fc00fc0) << 2);
}
