/** A fresh process: from before the import to the result of a product of 128×128. */
export const START_UP = [
  {
    id: "start-up",
    title: "import and first 128² matmul in a fresh process",
    unit: "ms",
    reach: [{ atMost: 20 }],
    programs: {
      strideweave: ["start-up", "strideweave"],
      "tfjs-wasm": ["start-up", "tfjs-wasm"],
      "jax-js": ["start-up", "jax-js"],
      "numpy-ts": ["start-up", "numpy-ts"],
      "ort-web": ["start-up", "ort-web"],
    },
    measure: "time",
  },
];
