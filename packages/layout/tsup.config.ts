import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    algebra: "src/algebra.ts",
    index: "src/index.ts",
    pictures: "src/pictures.ts",
  },
  format: ["esm"],
  dts: true,
  sourcemap: true,
  clean: true,
  platform: "neutral",
  target: "es2022",
});
