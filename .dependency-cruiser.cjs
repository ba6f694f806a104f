// The import order of the packages (docs/architecture.md): an import against it fails CI.
const { readdirSync } = require("node:fs");
const { join } = require("node:path");

const ALLOWED = {
  layout: [],
  buffer: [],
  tensor: ["layout", "buffer"],
  "kernels-js": ["layout", "buffer", "tensor"],
  "kernels-wasm": ["layout", "buffer", "tensor"],
  autograd: ["layout", "buffer", "tensor"],
  hurray: ["layout", "buffer", "tensor"],
  // The kit of gradients alone needs autograd, which is an optional peer.
  conformance: ["layout", "buffer", "tensor", "autograd"],
};

const missing = readdirSync(join(__dirname, "packages")).filter((name) => !(name in ALLOWED));
if (missing.length > 0)
  throw new Error(`No import order is written down for: ${missing.join(", ")}. Add it to ALLOWED.`);

const layers = Object.entries(ALLOWED).map(([name, allowed]) => ({
  name: `layers-${name}`,
  comment: `@sw/${name} may import ${allowed.length === 0 ? "no other package" : allowed.map((p) => `@sw/${p}`).join(", ")}.`,
  severity: "error",
  from: { path: `^packages/${name}/src/` },
  to: { path: "^packages/", pathNot: `^packages/(${[name, ...allowed].join("|")})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    {
      name: "layers-program",
      comment: "The program stands on the library, and nothing stands on the program.",
      severity: "error",
      from: { path: "^(packages|examples)/" },
      to: { path: "^tools/" },
    },
    {
      name: "no-cycle-at-run-time",
      comment: "Inside a package no import cycle at run time; `import type` may close one.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "entry-points-only",
      comment: "A relative path never leaves its package.",
      severity: "error",
      from: { path: "^(packages/[^/]+|examples/[^/]+|bench|tools/hurray-cli|tools)/" },
      to: { dependencyTypes: ["local"], path: "^(packages/[^/]+|examples/[^/]+|bench|tools)/", pathNot: "^$1/" },
    },
    {
      name: "could-not-resolve",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { couldNotResolve: true },
    },
    {
      name: "node-only-in-node-entries",
      comment: "What needs a Node module is exported as ./node (or is a test).",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: "src/node\\.ts$|src/node/" },
      to: { dependencyTypes: ["core"] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    doNotFollow: { path: ["node_modules", "dist"] },
    exclude: { path: ["/dist/", "/test/", "/generated/"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@sw/source", "import", "types", "default"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
  },
};
