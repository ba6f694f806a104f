import type { Family } from "./family.js";

/** What moves elements as they are. */
export const MOVEMENT: Family<"copy"> = {
  copy: {
    objection: ([out], [input]) => (out!.dtype === input!.dtype ? undefined : "dtype"),
    launch: (_engine, room, [out], [input]) => room.copy(out!, input!),
  },
};
