import type { CoreExports } from "../kernels/core.js";
import { launchMatmul, type ProductEngine } from "./matmul.js";
import type { LaunchInRoom, Located } from "./working-room.js";

/** Multiplies matrices that are copied where they live elsewhere. */
export const launchWideMatmul: LaunchInRoom<ProductEngine> = (engine, room, out, inputs) => {
  const [c, a, b] = [out, ...inputs].map((operand) => room.locate(operand, true)) as [Located, Located, Located];
  room.fill(c);
  launchMatmul(engine, c, c.at, a, a.at, b, b.at);
  room.giveBack(c);
};

/** The functions that a product of float64 is made of. */
export function wideCore(core: CoreExports): ProductEngine["core"] {
  const { packWideRows: packRows, packWideColumns: packColumns, wideBlockProduct: blockProduct } = core;
  return { ...core, packRows, packColumns, blockProduct };
}
