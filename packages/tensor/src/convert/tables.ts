import { DTYPES, type DType, type DTypeInfo, type TypedArray } from "../dtype.js";
import { move, type Plan, planOf, runPlan } from "./plan.js";
import { stations } from "./station-loops.js";
import type { Loop } from "./stations.js";

// Elements of at most 16 bits have 65,536 patterns. Where they take arithmetic, many of them are cast by a table of
// what the arithmetic makes of each pattern.

/** From this many elements on a table is made: it costs as much as casting some ten thousand. */
const WORTH_A_TABLE = 16384;

/** By the dtype of the patterns, then by that of the entries. */
const tables: { [key in DType]?: { [entry in DType]?: TypedArray } } = {};

/** Plans a cast of `count` elements: as `planOf` does, but by a table where there is one or making it pays. */
export function planFor(to: DTypeInfo, from: DTypeInfo, count: number): Plan {
  if (!takesArithmetic(to, from)) return planOf(to, from);
  const key = from.byteLength === 2 ? from : from.kind === "int" ? DTYPES.int16 : DTYPES.uint16;
  // The host widens a float32.
  const entry = to.name === "float64" ? DTYPES.float32 : to;
  const table = tables[key.name]?.[entry.name] ?? (count < WORTH_A_TABLE ? undefined : createTable(entry, key));
  return table === undefined ? planOf(to, from) : planLookup(entry, from, table);
}

/** Tells whether a cast from at most 16 bits to at most 32 is more than moving, testing or shifting bits. */
function takesArithmetic(to: DTypeInfo, from: DTypeInfo): boolean {
  if (from.byteLength > 2 || to.kind === "bool") return false;
  if (to.kind === "float" && to.byteLength === 2) return true;
  if (from.kind !== "float") return false;
  return to.kind === "float" ? from.name === "float16" : to.byteLength <= 4;
}

/** Makes and keeps a table. */
function createTable(entry: DTypeInfo, key: DTypeInfo): TypedArray {
  const patterns = new key.array(65536) as Uint16Array;
  for (let k = 0; k < 65536; k++) patterns[k] = k;
  const entries = new entry.array(65536);
  runPlan(planOf(entry, key), entries, 0, patterns, 0, 65536);
  tables[key.name] = { ...tables[key.name], [entry.name]: entries };
  return entries;
}

function planLookup(entry: DTypeInfo, from: DTypeInfo, table: TypedArray): Plan {
  const { bytes, halves, floats, ints, loops } = stations();
  // A bool is 0 or 1 before it is widened; other elements of eight bits are widened as they arrive.
  const before: Loop[] = from.kind === "bool" ? [loops.nonzeroBytes, move(bytes, halves)] : [];
  const arrive = from.kind === "bool" ? bytes : halves;
  const { buffer } = table;
  switch (entry.byteLength) {
    case 1: {
      const entries = new Uint8Array(buffer);
      return { arrive, loops: [...before, (n) => loops.lookup8(n, entries)], depart: bytes };
    }
    case 2: {
      const entries = new Uint16Array(buffer);
      return { arrive, loops: [...before, (n) => loops.lookup16(n, entries)], depart: halves };
    }
    default: {
      const entries = new Int32Array(buffer);
      const depart = entry.kind === "float" ? floats : ints;
      return { arrive, loops: [...before, (n) => loops.lookup32(n, entries)], depart };
    }
  }
}
