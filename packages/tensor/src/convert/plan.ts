import { DTYPES, type DTypeInfo, type TypedArray } from "../dtype.js";
import { stations } from "./station-loops.js";
import { CHUNK, type Loop, type Stations } from "./stations.js";

/** How neighbouring elements are cast: where they arrive, which loops they pass, and from where they go to the target. */
export interface Plan {
  readonly arrive: TypedArray;
  readonly loops: readonly Loop[];
  readonly depart: TypedArray;
}

/**
 * Plans a cast, for all pairs of which the host's own `set` between two typed arrays is not the rule.
 *
 * Arrival and departure convert by the host's `set`: exactly, or to the float format that the elements are rounded to.
 */
export function planOf(to: DTypeInfo, from: DTypeInfo): Plan {
  const s = stations();
  if (to.kind === "bool") return toBool(s, from);
  if (from.kind === "bool") return fromBool(s, to);
  if (to.kind === "float") return from.kind === "float" ? floatToFloat(s, to, from) : integerToFloat(s, to, from);
  return from.kind === "float" ? floatToInteger(s, to, from) : integerToInteger(s, from);
}

/** Casts `count` neighbouring elements, a chunk at a time. */
export function runPlan(
  { arrive, loops, depart }: Plan,
  target: TypedArray,
  t: number,
  source: TypedArray,
  s: number,
  count: number,
): void {
  for (let k = 0; k < count; k += CHUNK) {
    const n = Math.min(CHUNK, count - k);
    (arrive as Float64Array).set((source as Float64Array).subarray(s + k, s + k + n));
    for (let i = 0; i < loops.length; i++) loops[i]!(n);
    (target as Float64Array).set((depart as Float64Array).subarray(0, n), t + k);
  }
}

/** Anything but 0 is true, NaN too. */
function toBool(s: Stations, from: DTypeInfo): Plan {
  const { loops } = s;
  // Of a float the sign does not count: −0 is false.
  const isFloat = from.kind === "float";
  const mask = isFloat ? 0x7fffffff : -1;
  switch (from.byteLength) {
    case 1:
      return { arrive: s.bytes, loops: [loops.nonzeroBytes], depart: s.bytes };
    case 2:
      return { arrive: s.halves, loops: [(n) => loops.nonzeroHalves(n, isFloat ? 0 : -1)], depart: s.halves };
    case 4:
      return { arrive: isFloat ? s.floats : s.ints, loops: [(n) => loops.nonzeroInts(n, mask)], depart: s.bytes };
    default:
      return {
        arrive: isFloat ? s.numbers : s.bigints,
        loops: [(n) => loops.nonzeroPairs(n, mask)],
        depart: s.bytes,
      };
  }
}

/** Any byte but 0 is true, also one that another program wrote; then they are integers like others. */
function fromBool(s: Stations, to: DTypeInfo): Plan {
  const clean = s.loops.nonzeroBytes;
  if (isPlain(to)) return { arrive: s.bytes, loops: [clean], depart: s.bytes };
  const { arrive, loops, depart } = planOf(to, DTYPES.uint8);
  return { arrive: s.bytes, loops: [clean, move(s.bytes, arrive), ...loops], depart };
}

function floatToFloat(s: Stations, to: DTypeInfo, from: DTypeInfo): Plan {
  const decode = from.byteLength === 2 ? [decoder(s, from)] : [];
  return {
    arrive: from.byteLength === 2 ? s.halves : s.floats,
    loops: to.byteLength === 2 ? [...decode, encoder(s, to)] : decode,
    depart: to.byteLength === 2 ? s.halves : s.floats,
  };
}

/**
 * An integer is rounded once. float64 and float32 may stand between it and binary16, where all that they have to round is
 * infinite; elsewhere what stands between is rounded to odd.
 */
function integerToFloat(s: Stations, to: DTypeInfo, from: DTypeInfo): Plan {
  const { loops } = s;
  const encode = encoder(s, to);
  const toFloats = move(s.numbers, s.floats);
  if (from.byteLength === 8) {
    const signed = from.kind === "int";
    const nearest = signed ? loops.int64Numbers : loops.uint64Numbers;
    const odd = signed ? loops.int64Odd : loops.uint64Odd;
    switch (to.name) {
      case "float64":
        return { arrive: s.bigints, loops: [nearest], depart: s.numbers };
      case "float32":
        return { arrive: s.bigints, loops: [odd], depart: s.numbers };
      case "float16":
        return { arrive: s.bigints, loops: [nearest, toFloats, encode], depart: s.halves };
      default:
        return { arrive: s.bigints, loops: [odd, loops.oddNumbers, toFloats, encode], depart: s.halves };
    }
  }
  if (from.byteLength === 4 && to.name === "bfloat16") {
    return { arrive: s.numbers, loops: [loops.oddNumbers, toFloats, encode], depart: s.halves };
  }
  return { arrive: s.floats, loops: [encode], depart: s.halves };
}

/** A float truncates toward zero, saturates, and NaN becomes 0 (D11). */
function floatToInteger(s: Stations, to: DTypeInfo, from: DTypeInfo): Plan {
  const loops = [saturation(s, to)];
  const depart = to.byteLength === 8 ? s.bigints : s.ints;
  if (from.byteLength > 2) return { arrive: s.numbers, loops, depart };
  return { arrive: s.halves, loops: [decoder(s, from), move(s.floats, s.numbers), ...loops], depart };
}

/** Between 64 bits and fewer: an integer wraps. */
function integerToInteger(s: Stations, from: DTypeInfo): Plan {
  const { widen, lowWords } = s.loops;
  if (from.byteLength === 8) return { arrive: s.bigints, loops: [lowWords], depart: s.ints };
  const signs = from.kind === "int" ? -1 : 0;
  return { arrive: s.ints, loops: [(n) => widen(n, signs)], depart: s.bigints };
}

function saturation({ loops }: Stations, to: DTypeInfo): Loop {
  const signed = to.kind === "int";
  if (to.byteLength === 8) return signed ? loops.saturateInt64 : loops.saturateUint64;
  if (to.byteLength === 4) return signed ? loops.saturateInt32 : loops.saturateUint32;
  const count = 2 ** (8 * to.byteLength);
  const low = signed ? -count / 2 : 0;
  return (n) => loops.saturate(n, low, low + count - 1);
}

function decoder({ loops }: Stations, from: DTypeInfo): Loop {
  return from.name === "float16" ? loops.decodeHalf : loops.decodeBfloat16;
}

function encoder({ loops }: Stations, to: DTypeInfo): Loop {
  return to.name === "float16" ? loops.encodeHalf : loops.encodeBfloat16;
}

/** A copy from station to station, by the host: it converts. */
export function move(from: TypedArray, to: TypedArray): Loop {
  return (n) => (to as Float64Array).set((from as Float64Array).subarray(0, n));
}

/** Tells whether typed arrays hold the elements as numbers of the same value. */
export function isPlain(info: DTypeInfo): boolean {
  return info.kind === "float" ? info.byteLength >= 4 : info.kind !== "bool" && info.byteLength <= 4;
}
