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

/** Tests, under `packages`, in pages with or without isolation. */
function lane(name: string, isolated: boolean, tests: readonly string[]): UserProjectConfigExport {
  return defineProject({
    resolve: { conditions: ["@sw/source", "module", "browser", "development|production"] },
    // Found while the tests run, a dependency would reload the page under them.
    optimizeDeps: { include: ["fast-check"] },
    server: { headers: isolated ? ISOLATION : {} },
    test: {
      name,
      include: tests.map((path) => `packages/${path}`),
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

const everyTest = (folder: string): string => `${folder}/test/**/*.test.ts`;
const kernels = [everyTest("kernels-wasm"), "conformance/test/wasm.test.ts"];

// Memory differs by isolation, and so what works in it; layouts do not.
export default defineConfig({
  test: {
    projects: [
      lane("isolated", true, [everyTest("buffer"), ...kernels]),
      lane("not isolated", false, [everyTest("buffer"), everyTest("layout"), ...kernels]),
    ],
  },
});
