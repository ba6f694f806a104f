import type { DType } from "@sw/tensor";
import type { Operand } from "@sw/tensor/seam";
import type { CoreExports } from "../kernels/core.js";
import { type StageName, stageBytes } from "../kernels/stages.js";
import { copyPlane, type Size } from "./copy.js";
import type { Engine, Family } from "./family.js";
import { eachTurn, longestLoop, nestOf } from "./nest.js";
import type { Located } from "./working-room.js";

/** Bytes of a block between two stages; there are three, which take turns. */
const BLOCK_BYTES = 4096;
/** Elements of a call that needs no block. */
const DIRECT = 16_384;

const ARRIVALS: { readonly [dtype in DType]: readonly [stages: readonly StageName[], station: string] } = {
  bool: [["u8_bool", "u8_i32"], "i32"],
  int8: [["i8_i32"], "i32"],
  uint8: [["u8_i32"], "i32"],
  int16: [["i16_i32"], "i32"],
  uint16: [["u16_i32"], "i32"],
  int32: [[], "i32"],
  uint32: [[], "u32"],
  int64: [[], "i64"],
  uint64: [[], "u64"],
  float16: [["f16_f32"], "f32"],
  bfloat16: [["bf16_f32"], "f32"],
  float32: [[], "f32"],
  float64: [[], "f64"],
};

const BITS: { readonly [dtype in DType]?: number } = {
  int8: 8,
  uint8: 8,
  int16: 16,
  uint16: 16,
  int32: 32,
  uint32: 32,
  int64: 64,
  uint64: 64,
};

/** The stages of a cast of one dtype to another: none where bits stay as they are, `undefined` where it is not there. */
export function stagesOf(to: DType, from: DType): readonly StageName[] | undefined {
  if (to === from) return to === "bool" ? ["u8_bool"] : [];
  if (BITS[to] !== undefined && BITS[to] === BITS[from]) return [];
  if (from === "bool" && BITS[to] === 8) return ["u8_bool"];
  if (from === "uint8" && to === "bool") return ["u8_bool"];
  const [arrival, station] = ARRIVALS[from];
  const rest = departure(to, station, arrival.length > 0);
  return rest && [...arrival, ...rest];
}

/** From a station to a dtype; `small` says that an integer there fits 16 bits. */
function departure(to: DType, station: string, small: boolean): readonly StageName[] | undefined {
  const short = to.replace("uint", "u").replace("int", "i") as "i8" | "u8" | "i16" | "u16";
  const integer = station !== "f32" && station !== "f64";
  const wide = station === "i64" || station === "u64";
  const words = wide ? (["i64_i32"] as const) : [];
  switch (to) {
    case "bool":
      return [station === "f32" ? "f32_bool" : station === "f64" ? "f64_bool" : wide ? "i64_bool" : "i32_bool"];
    case "int8":
    case "uint8":
    case "int16":
    case "uint16":
      if (integer) return [...words, BITS[to] === 8 ? "i32_low8" : "i32_low16"];
      return [station === "f32" ? "f32_i32" : "f64_i32", `i32_${short}`];
    case "int32":
    case "uint32":
      if (integer) return words;
      if (station === "f32") return [to === "int32" ? "f32_i32" : "f32_u32"];
      return [to === "int32" ? "f64_i32" : "f64_u32"];
    case "int64":
    case "uint64":
      if (integer) return [station === "u32" ? "u32_i64" : "i32_i64"];
      return [...(station === "f32" ? (["f32_f64"] as const) : []), to === "int64" ? "f64_i64" : "f64_u64"];
    case "float32":
      if (station === "f32") return [];
      return [`${station as "f64" | "i32" | "u32" | "i64" | "u64"}_f32`];
    case "float64":
      return [`${station as "f32" | "i32" | "u32" | "i64" | "u64"}_f64`];
    case "float16":
    case "bfloat16": {
      // An integer of more than 24 bits would be rounded twice; what binary16 holds is below that.
      if (to === "bfloat16" && integer && !small) return undefined;
      const first = departure("float32", station, small)!;
      return [...first, to === "float16" ? "f32_f16" : "f32_bf16"];
    }
  }
}

/** Casts, in stages over blocks that stay in the first cache. */
export const CASTS: Family<"cast"> = {
  cast: {
    objection: ([out], [input]) => (stagesOf(out!.dtype, input!.dtype) === undefined ? "dtype" : undefined),
    launch: (engine, room, [out], [input]) => {
      const stages = stagesOf(out!.dtype, input!.dtype)!;
      if (stages.length === 0) {
        room.copy(out!, input!);
        return;
      }
      const [to, from] = [room.locate(out!, true), room.locate(input!, true)];
      room.fill();
      castLocated(engine, stages, bytesOf(out!), to, bytesOf(input!), from);
      room.giveBack();
    },
  },
};

/** Casts elements by stages, from where they lie to where another operand of their shape does. */
export function castLocated(
  { core, blocks }: Pick<Engine, "core" | "blocks">,
  stages: readonly StageName[],
  toSize: number,
  to: Located,
  fromSize: number,
  from: Located,
): void {
  const inSteps = (strides: readonly number[], size: number): number[] => strides.map((stride) => stride * size);
  const nest = nestOf(
    to.shape,
    { at: to.at, steps: inSteps(to.strides, toSize) },
    { at: from.at, steps: inSteps(from.strides, fromSize) },
  );
  if (nest === undefined) return;
  const inner = nest.extents.length - 1;
  const row = longestLoop(nest.extents, inner);
  const side = ({ steps }: { readonly steps: readonly number[] }, size: number): Steps => ({
    size: size as Size,
    row: row < 0 ? 0 : steps[row]!,
    step: inner < 0 ? size : steps[inner]!,
  });
  const plane = { core, blocks, stages, to: side(nest.to, toSize), from: side(nest.from, fromSize) };
  const [rows, count] = [row < 0 ? 1 : nest.extents[row]!, inner < 0 ? 1 : nest.extents[inner]!];
  eachTurn(nest, inner, row, (toAt, fromAt) => castPlane(plane, rows, count, toAt, fromAt));
}

/** An operand along the two loops of a plane, in bytes. */
export interface Steps {
  readonly size: Size;
  readonly row: number;
  readonly step: number;
}

export interface Plane {
  readonly core: CoreExports;
  readonly blocks: number;
  readonly stages: readonly StageName[];
  readonly to: Steps;
  readonly from: Steps;
}

/** Casts `rows` × `count` elements, from address to address. */
export function castPlane(plane: Plane, rows: number, count: number, toAt: number, fromAt: number): void {
  const { stages, to, from } = plane;
  const dense = to.step === to.size && from.step === from.size;
  // The widest of what stands in a block.
  const widest = Math.max(...stages.map((name) => Math.max(stageBytes(name).from, stageBytes(name).to)));
  const held = BLOCK_BYTES / widest;
  const most = dense && stages.length === 1 ? DIRECT : held;
  const width = Math.min(count, most);
  const height = dense && width >= 64 ? 1 : Math.max(1, Math.floor(held / width));
  for (let i = 0; i < rows; i += height) {
    for (let j = 0; j < count; j += width) {
      const [tall, wide] = [Math.min(height, rows - i), Math.min(width, count - j)];
      const [target, source] = [toAt + i * to.row + j * to.step, fromAt + i * from.row + j * from.step];
      const whole = dense && tall === 1 ? wide & ~3 : 0;
      if (whole > 0) runStages(plane, whole / 4, target, source);
      if (whole === wide) continue;
      castApart(plane, tall, wide - whole, target + whole * to.size, source + whole * from.size);
    }
  }
}

/** Casts a part of a plane between blocks: the elements are brought together before and apart after it. */
function castApart(
  { core, blocks, stages, to, from }: Plane,
  rows: number,
  count: number,
  target: number,
  source: number,
): void {
  const last = blocks + (stages.length % 3) * BLOCK_BYTES;
  copyPlane(core, from.size, rows, count, blocks, count * from.size, from.size, source, from.row, from.step);
  runStages({ core, blocks, stages }, Math.ceil((rows * count) / 4), last, blocks);
  copyPlane(core, to.size, rows, count, target, to.row, to.step, last, count * to.size, to.size);
}

/** Runs stages over groups of four elements; stage `i` leaves its elements in block `i + 1`. */
function runStages(
  { core, blocks, stages }: Pick<Plane, "core" | "blocks" | "stages">,
  groups: number,
  to: number,
  from: number,
): void {
  let at = from;
  for (let i = 0; i < stages.length; i++) {
    const next = i === stages.length - 1 ? to : blocks + ((i + 1) % 3) * BLOCK_BYTES;
    core[stages[i]!](groups, next, at);
    at = next;
  }
}

function bytesOf({ data }: Operand): number {
  return data.BYTES_PER_ELEMENT;
}
