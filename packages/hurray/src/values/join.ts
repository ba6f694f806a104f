// Elements of a byte each to packed ones, a word of them at a time; the reverse of `spread`. A multiplication by powers of
// two gathers the low bits of four bytes in the highest byte: the products lie side by side, so that nothing is carried.

/** Packs bytes, four in a word of `source`, into words; each width has a loop of its own. Only low bits count, of bools all. */
export function join(bits: number, source: Uint32Array, target: Uint32Array): void {
  if (bits === 1) join1(source, target);
  else if (bits === 2) join2(source, target);
  else if (bits === 4) join4(source, target);
  else join6(source, target);
}

function join1(source: Uint32Array, target: Uint32Array): void {
  for (let i = 0, at = 0; at < target.length; i += 8, at++) {
    let a = source[i]!;
    let b = source[i + 1]!;
    let c = source[i + 2]!;
    let d = source[i + 3]!;
    let e = source[i + 4]!;
    let f = source[i + 5]!;
    let g = source[i + 6]!;
    let h = source[i + 7]!;
    if (((a | b | c | d | e | f | g | h) & 0xfefefefe) !== 0) {
      a = onesOf(a);
      b = onesOf(b);
      c = onesOf(c);
      d = onesOf(d);
      e = onesOf(e);
      f = onesOf(f);
      g = onesOf(g);
      h = onesOf(h);
    }
    target[at] =
      (Math.imul(a | (b << 4), 0x01020408) >>> 24) |
      ((Math.imul(c | (d << 4), 0x01020408) >>> 16) & 0xff00) |
      ((Math.imul(e | (f << 4), 0x01020408) >>> 8) & 0xff0000) |
      (Math.imul(g | (h << 4), 0x01020408) & 0xff000000);
  }
}

/** A 1 for each byte that is not 0: adding 7F carries into bit 7 of any such byte, and into no other. */
function onesOf(word: number): number {
  return ((((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) >>> 7) & 0x01010101;
}

function join2(source: Uint32Array, target: Uint32Array): void {
  for (let i = 0, at = 0; at < target.length; i += 4, at++) {
    target[at] =
      (Math.imul(source[i]! & 0x03030303, 0x01041040) >>> 24) |
      ((Math.imul(source[i + 1]! & 0x03030303, 0x01041040) >>> 16) & 0xff00) |
      ((Math.imul(source[i + 2]! & 0x03030303, 0x01041040) >>> 8) & 0xff0000) |
      (Math.imul(source[i + 3]! & 0x03030303, 0x01041040) & 0xff000000);
  }
}

function join4(source: Uint32Array, target: Uint32Array): void {
  for (let i = 0, at = 0; at < target.length; i += 2, at++) {
    target[at] = nibbles(source[i]!) | (nibbles(source[i + 1]!) << 16);
  }
}

/** The low halves of four bytes, in 16 bits. */
function nibbles(word: number): number {
  const w = word & 0x0f0f0f0f;
  const bytes = (w | (w >>> 4)) & 0x00ff00ff;
  return (bytes | (bytes >>> 8)) & 0xffff;
}

function join6(source: Uint32Array, target: Uint32Array): void {
  for (let i = 0, at = 0; at < target.length; i += 4, at += 3) {
    const a = sixes(source[i]!);
    const b = sixes(source[i + 1]!);
    const c = sixes(source[i + 2]!);
    const d = sixes(source[i + 3]!);
    target[at] = a | (b << 24);
    target[at + 1] = (b >>> 8) | (c << 16);
    target[at + 2] = (c >>> 16) | (d << 8);
  }
}

/** The low six bits of four bytes, in 24 bits. */
function sixes(w: number): number {
  const halves = (w & 0x003f003f) | ((w & 0x3f003f00) >>> 2);
  return (halves & 0xfff) | ((halves >>> 4) & 0xfff000);
}
