import type { FormatCandidate } from "../../src/index.js";

/** A codec that refuses everything, which is right of what is cut off. */
export const refuser: FormatCandidate = {
  name: "refuser",
  decode() {
    throw Object.assign(new Error("no"), { byteOffset: 0 });
  },
};
