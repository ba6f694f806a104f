import { ModuleBuilder } from "../assembler/index.js";
import { FUSED_TILE_ROWS } from "./blocking.js";
import type { CoreExports } from "./core.js";
import { emitBlockProduct } from "./matmul.js";
import { emitPack } from "./pack.js";
import { FLOAT32, type ProductElement } from "./tile.js";

/** What takes the place of functions of the core module. */
export type FusedExports = Pick<CoreExports, "packRows" | "blockProduct">;

const FUSED: ProductElement = { ...FLOAT32, rows: FUSED_TILE_ROWS, fused: "f32x4.relaxed_madd" };

/** Emits the product of float32 by fused multiply-add: a product is not rounded before it is added, where hosts do so. */
export function emitFusedProduct(module: ModuleBuilder): void {
  emitPack(module, "packRows", FUSED_TILE_ROWS);
  emitBlockProduct(module, "blockProduct", FUSED);
}

/** Whether this host has the relaxed vector instructions. */
export function hasFusedProduct(): boolean {
  const probe = new ModuleBuilder();
  probe.function("probe", { x: "v128" }, ["v128"], (f, { x }) => f.get(x).get(x).get(x).op("f32x4.relaxed_madd"));
  return WebAssembly.validate(probe.toBytes());
}
