import { library } from "../../tsup.shared.ts";

const options = library({
  index: "src/index.ts",
  "assembler/index": "src/assembler/index.ts",
});

export default { ...options, publicDir: "src/generated/public" };
