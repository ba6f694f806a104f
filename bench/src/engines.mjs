/**
 * The contestants: the module of `engines/` that a process of each loads, and what it is started with. `isOurs` tells
 * which are this project's, `isLimit` what is no library at all; all others are peers.
 */
export const ENGINES = {
  strideweave: { module: "strideweave", isOurs: true },
  "strideweave-2t": { module: "strideweave", options: { threads: 2 }, isOurs: true },
  machine: { module: "machine", isLimit: true },
  "tfjs-wasm": { module: "tfjs" },
  "jax-js": { module: "jax" },
  "numpy-ts": { module: "numpy-ts" },
  "ort-web": { module: "ort" },
  "ort-web-2t": { module: "ort", options: { threads: 2 } },
};

/** The engine that measures a contestant: `strideweave untransposed` is measured by `strideweave`. */
export function engineOf(contestant) {
  return contestant.split(" ")[0];
}

/** Whether a contestant is a peer. What is no engine at all is a program of ours. */
export function isPeer(contestant) {
  const { isOurs = false, isLimit = false } = ENGINES[engineOf(contestant)] ?? { isOurs: true };
  return !isOurs && !isLimit;
}
