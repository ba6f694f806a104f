import { ELEMENTWISE } from "./elementwise.mjs";
import { IMAGES } from "./images.mjs";
import { MATMUL } from "./matmul.mjs";
import { MEMORY } from "./memory.mjs";
import { MOVEMENT } from "./movement.mjs";
import { NORMALISE } from "./normalise.mjs";
import { REDUCTIONS } from "./reductions.mjs";
import { SMALL } from "./small.mjs";
import { START_UP } from "./start-up.mjs";
import { TRAINING } from "./training.mjs";

/** Every row, in the order they are measured. Those after the kit come last: it changes the process for good. */
export const ROWS = [
  ...MATMUL,
  ...ELEMENTWISE,
  ...REDUCTIONS,
  ...NORMALISE,
  ...IMAGES,
  ...MOVEMENT,
  ...TRAINING,
  ...SMALL,
  ...MEMORY,
  ...START_UP,
];

/** The rows by their ids. */
export function rowsById() {
  return new Map(ROWS.map((row) => [row.id, row]));
}
