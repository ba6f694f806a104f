import { allOf, type Family } from "./family.js";
import { launchMatmul } from "./matmul.js";
import type { Located } from "./working-room.js";

/** The product of matrices of float64, which are copied where they live elsewhere. */
export const WIDE_MATMUL: Family<"matmul"> = {
  matmul: {
    objection: allOf("float64"),
    launch: ({ products }, room, outputs, inputs) => {
      const operands = [...outputs, ...inputs].map((operand) => room.locate(operand, true));
      const [c, a, b] = operands as [Located, Located, Located];
      room.fill();
      launchMatmul(products.float64, c, c.at, a, a.at, b, b.at);
      room.giveBack();
    },
  },
};
