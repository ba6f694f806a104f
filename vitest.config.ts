import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const PACKAGES = readdirSync(new URL("packages", import.meta.url)).map((name) => `packages/${name}`);
/** The one published package that is a program: its layers end where those of the library do. */
const PROGRAM = "tools/hurray-cli";

export default defineConfig({
  test: {
    // By default one core is left to Vitest itself, which hardly needs it: of two cores half.
    maxWorkers: availableParallelism(),
    projects: ["packages/*", "examples/*", "bench", "tools", PROGRAM],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts", `${PROGRAM}/src/**/*.ts`],
      reporter: ["text-summary", "json-summary"],
      thresholds: Object.fromEntries([...PACKAGES, PROGRAM].map((path) => [`${path}/src/**`, { lines: 90 }])),
    },
  },
});
