import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    modules: "src/modules.ts",
  },
  format: ["esm"],
  dts: true,
  sourcemap: true,
  clean: true,
  platform: "neutral",
  target: "es2022",
});
