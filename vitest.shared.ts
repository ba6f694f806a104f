import { fileURLToPath } from "node:url";
import { defineProject, type UserProjectConfigExport } from "vitest/config";

/** Runs before each test file where `SW_TEST_MEMORY` names a memory. */
const MEMORY_LANE = fileURLToPath(new URL("packages/tensor/test/memory-lane.ts", import.meta.url));
/** Runs before each test file where `SW_TEST_KERNELS` names a backend. */
const KERNELS_LANE = fileURLToPath(new URL("packages/kernels-wasm/test/kernels-lane.ts", import.meta.url));
/** The packages whose tests make tensors and do not choose the memory of all of them. */
const OVER_TENSORS = ["tensor", "autograd", "kernels-js", "hurray"];

/**
 * The configuration every package's tests share: workspace packages resolve to
 * their sources, so a test never depends on another package's `dist`.
 * Long-running files (`*.slow.test.ts`) belong to the long lane, those that need
 * a page (`*.browser.test.ts`) to the browser lane: `vitest.browser.config.ts`.
 * With `SW_TEST_MEMORY=wasm` tensors live in WebAssembly memory, with `SW_TEST_KERNELS=wasm`
 * kernels are those of WebAssembly, with `SW_CHECKED=1` pools are in checked mode (`@sw/buffer` reads it).
 */
export function packageTests(name: string): UserProjectConfigExport {
  const lanes = [
    ...((process.env["SW_TEST_MEMORY"] ?? "") === "" ? [] : [MEMORY_LANE]),
    ...((process.env["SW_TEST_KERNELS"] ?? "") === "" ? [] : [KERNELS_LANE]),
  ];
  const long = process.env["SW_LONG"] === "1";
  return defineProject({
    ssr: { resolve: { conditions: ["@sw/source", "module", "node", "development|production"] } },
    resolve: { conditions: ["@sw/source", "module", "node", "development|production"] },
    test: {
      name,
      include: ["test/**/*.test.ts"],
      exclude: ["test/**/*.browser.test.ts", ...(long ? [] : ["test/**/*.slow.test.ts"])],
      setupFiles: OVER_TENSORS.includes(name) ? lanes : [],
      // A time limit ends what hangs; it is no measure, and machines are shared. Checked mode reads a stack for each buffer.
      testTimeout: long ? 600_000 : process.env["SW_CHECKED"] === "1" ? 240_000 : 120_000,
    },
  });
}
