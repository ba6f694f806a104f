import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "gradients/kit": "src/gradients/kit.ts",
    "node/index": "src/node/index.ts",
    "node/cli": "src/node/cli.ts",
    "node-test": "src/node-test.ts",
    vitest: "src/vitest.ts",
  },
  format: ["esm"],
  dts: true,
  sourcemap: true,
  clean: true,
  platform: "neutral",
  target: "es2022",
  external: [/^node:/],
});
