import { defineProject, type UserProjectConfigExport } from "vitest/config";

/**
 * The configuration every package's tests share: workspace packages resolve to
 * their sources, so a test never depends on another package's `dist`.
 * Long-running files (`*.slow.test.ts`) belong to the long lane, those that need
 * a page (`*.browser.test.ts`) to the browser lane: `vitest.browser.config.ts`.
 */
export function packageTests(name: string): UserProjectConfigExport {
  const long = process.env["SW_LONG"] === "1";
  return defineProject({
    ssr: { resolve: { conditions: ["@sw/source", "module", "node", "development|production"] } },
    resolve: { conditions: ["@sw/source", "module", "node", "development|production"] },
    test: {
      name,
      include: ["test/**/*.test.ts"],
      exclude: ["test/**/*.browser.test.ts", ...(long ? [] : ["test/**/*.slow.test.ts"])],
      testTimeout: long ? 600_000 : 30_000,
    },
  });
}
