import { playwright } from "@vitest/browser-playwright";
import { defineConfig, defineProject, type UserProjectConfigExport } from "vitest/config";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether the lane serves its pages with cross-origin isolation. */
    isolated: boolean;
  }
}

/** What gives a page shared memory: its document and all that it loads opt in. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Headless, and as root too; `CHROME_PATH` is the browser (`tools/browser.mjs` finds one). */
const chromium = playwright({
  launchOptions: {
    executablePath: process.env["CHROME_PATH"]!,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  },
});

/** The tests of some packages in pages with or without isolation. */
function lane(name: string, isolated: boolean, packages: readonly string[]): UserProjectConfigExport {
  return defineProject({
    resolve: { conditions: ["@sw/source", "module", "browser", "development|production"] },
    // Found while the tests run, a dependency would reload the page under them.
    optimizeDeps: { include: ["fast-check"] },
    server: { headers: isolated ? ISOLATION : {} },
    test: {
      name,
      include: packages.map((folder) => `packages/${folder}/test/**/*.test.ts`),
      // `*.node.test.ts` need Node.
      exclude: ["**/*.node.test.ts", "**/*.slow.test.ts"],
      testTimeout: 60_000,
      provide: { isolated },
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: chromium,
        instances: [{ browser: "chromium" }],
      },
    },
  });
}

// Memory differs by isolation, layouts do not.
export default defineConfig({
  test: { projects: [lane("isolated", true, ["buffer"]), lane("not isolated", false, ["buffer", "layout"])] },
});
