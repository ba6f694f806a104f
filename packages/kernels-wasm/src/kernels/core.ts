import { ModuleBuilder } from "../assembler/index.js";
import { TILE_COLUMNS, TILE_ROWS } from "./blocking.js";
import { emitBinaryLoop, emitStridedBinaryLoop } from "./elementwise.js";
import { emitBlockProduct } from "./matmul.js";
import { emitPack } from "./pack.js";

/** What the core module exports. All numbers are integers; addresses and steps are in bytes. */
export interface CoreExports {
  readonly addVectorVector: BinaryCall;
  readonly addVectorScalar: BinaryCall;
  readonly addStrided: StridedBinaryCall;
  readonly packRows: PackCall;
  readonly packColumns: PackCall;
  readonly blockProduct: (
    rows: number,
    columns: number,
    depth: number,
    a: number,
    b: number,
    c: number,
    cRow: number,
    cColumn: number,
    tile: number,
    accumulate: number,
  ) => void;
}

/** A loop of `emitBinaryLoop`. */
export type BinaryCall = (
  rows: number,
  count: number,
  out: number,
  outStep: number,
  a: number,
  aStep: number,
  b: number,
  bStep: number,
) => void;

/** A loop of `emitStridedBinaryLoop`. */
export type StridedBinaryCall = (
  count: number,
  out: number,
  outStep: number,
  a: number,
  aStep: number,
  b: number,
  bStep: number,
) => void;

/** A packing of `emitPack`. */
export type PackCall = (
  target: number,
  source: number,
  panelStep: number,
  depthStep: number,
  count: number,
  depth: number,
) => void;

/** Assembles the module that the package carries. It works on the memory it is given as `env.memory`. */
export function assembleCore(): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.importMemory("env", "memory", { minimum: 0 });
  const instruction = "f32x4.add";
  emitBinaryLoop(module, { name: "addVectorVector", instruction, a: "vector", b: "vector" });
  emitBinaryLoop(module, { name: "addVectorScalar", instruction, a: "vector", b: "scalar" });
  emitStridedBinaryLoop(module, "addStrided", "f32.add");
  emitPack(module, "packRows", TILE_ROWS);
  emitPack(module, "packColumns", TILE_COLUMNS);
  emitBlockProduct(module, "blockProduct");
  return module.toBytes();
}
