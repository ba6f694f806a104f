import { blockInt4, blockInt8, type CompoundType, isStorageDType, mxfp4, type StorageDType } from "@sw/tensor/compound";
import type { Quantisation } from "../descriptor/types.js";
import { type ElementTypeName, elementTypeNamed } from "../elements.js";
import { newElements } from "../values/arrays.js";
import { toNumbers } from "../values/numbers.js";
import { bytesOf } from "../values/pack.js";
import { NF4, SCALE_TYPES } from "../values/parameters.js";

/** The schemes whose parameters we can read. */
export type ReadScheme = Exclude<Quantisation, { scheme: "private" | "unknown" }>;

/** Types that have no name in the tensor package, by what they are made of: the same object each time. */
const made = new Map<string, CompoundType>();

/** What the elements of a type are in the format, where no part holds them: their codes take a byte each. */
const codesOf = new WeakMap<CompoundType, ElementTypeName>();

/**
 * The type of the tensors that a scheme stores: that of the tensor package where it has one, else one of the same parts.
 * Elements that no part holds are codes of a byte, whose values are in a table.
 */
export function typeOfScheme(q: ReadScheme, storage: ElementTypeName): CompoundType {
  const scale: StorageDType =
    q.scheme === "mxfp"
      ? "float8_e8m0"
      : q.scheme === "perBlock"
        ? SCALE_TYPES[q.scaleTypeTag as 1 | 2 | 3]
        : "float32";
  const optional: StorageDType[] = ["int32"];
  const zeroPoints = q.scheme === "nf4" || q.scheme === "mxfp" ? {} : { optional };
  if (q.scheme === "nf4") {
    return typeNamed("nf4", () => ({ parts: ["uint4", scale], table: Float32Array.from(NF4), rules: [] }));
  }
  const name = `${storage} by ${scale}`;
  if (isStorageDType(storage)) {
    if (scale === "float8_e8m0" && storage === "float4_e2m1") return mxfp4;
    if (scale === "float32" && storage === "int8") return blockInt8;
    if (scale === "float32" && storage === "int4") return blockInt4;
    return typeNamed(name, () => ({ parts: [storage, scale], ...zeroPoints, rules: [] }));
  }
  const type = typeNamed(name, () => ({ parts: ["uint8", scale], ...zeroPoints, table: tableOf(storage), rules: [] }));
  codesOf.set(type, storage);
  return type;
}

/** What the format stores for the elements of a type, and by which schemes. */
export interface StoredForm {
  readonly storage: ElementTypeName;
  /** Those that differ in how parameters are shared only are `"affine"`. */
  readonly family: "affine" | "nf4" | "mxfp";
}

const INTEGERS: readonly string[] = ["int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32"];
const SCALES: readonly string[] = ["float16", "bfloat16", "float32"];
const SCALED_BY_POWERS: readonly string[] = ["float4_e2m1", "int8", "int4"];

/** How the format stores a type, wherever it was made; `undefined` where no scheme reckons as it does. */
export function storedForm(type: CompoundType): StoredForm | undefined {
  const [storage, scale = ""] = type.parts as readonly ElementTypeName[];
  const family = scale === "float8_e8m0" ? "mxfp" : SCALES.includes(scale) ? "affine" : undefined;
  if (storage === undefined || family === undefined || type.parts.length !== 2) return undefined;
  const codes = codesOf.get(type);
  if (codes !== undefined) return { storage: codes, family };
  if (type.table !== undefined) {
    const isNf4 =
      storage === "uint4" && scale === "float32" && type.table.every((x, code) => x === Math.fround(NF4[code]!));
    return isNf4 ? { storage, family: "nf4" } : undefined;
  }
  return (family === "affine" ? INTEGERS : SCALED_BY_POWERS).includes(storage) ? { storage, family } : undefined;
}

function typeNamed(name: string, make: () => Omit<CompoundType, "name">): CompoundType {
  let type = made.get(name);
  if (type === undefined) {
    type = { name, ...make() };
    made.set(name, type);
  }
  return type;
}

/** The value of each byte, of which only the bits of an element count. */
function tableOf(storage: ElementTypeName): Float32Array {
  const { bits } = elementTypeNamed(storage);
  const codes = newElements(storage, 256);
  bytesOf(codes).forEach((_, i, all) => {
    const code = i & (2 ** bits - 1);
    // Signed codes have their sign in the bits above.
    all[i] = storage === "int2" && code > 1 ? code - 4 : code;
  });
  return toNumbers(storage, codes, new Float32Array(256)) as Float32Array;
}
