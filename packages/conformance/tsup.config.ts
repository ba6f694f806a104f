import { library } from "../../tsup.shared.ts";

export default library({
  index: "src/index.ts",
  "gradients/kit": "src/gradients/kit.ts",
  "node/index": "src/node/index.ts",
  "node/cli": "src/node/cli.ts",
  "node-test": "src/node-test.ts",
  vitest: "src/vitest.ts",
});
