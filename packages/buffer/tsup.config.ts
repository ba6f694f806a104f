import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    wasm: "src/wasm-memory.ts",
  },
  format: ["esm"],
  dts: true,
  sourcemap: true,
  clean: true,
  platform: "neutral",
  target: "es2022",
});
