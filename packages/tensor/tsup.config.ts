import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    seam: "src/seam.ts",
    compound: "src/compound.ts",
  },
  format: ["esm"],
  dts: true,
  sourcemap: true,
  clean: true,
  platform: "neutral",
  target: "es2022",
});
