import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    algebra: "src/algebra.ts",
    command: "src/command.ts",
    index: "src/index.ts",
    maps: "src/maps.ts",
    pictures: "src/pictures.ts",
    recognise: "src/recognise.ts",
    views: "src/views.ts",
    walk: "src/walk.ts",
  },
  format: ["esm"],
  dts: true,
  sourcemap: true,
  clean: true,
  platform: "neutral",
  target: "es2022",
});
