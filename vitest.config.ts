import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

const PACKAGES = readdirSync(new URL("packages", import.meta.url));

export default defineConfig({
  test: {
    projects: ["packages/*", "examples/*", "tools"],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: Object.fromEntries(PACKAGES.map((name) => [`packages/${name}/src/**`, { lines: 90 }])),
    },
  },
});
