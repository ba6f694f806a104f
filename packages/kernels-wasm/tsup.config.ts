import { library } from "../../tsup.shared.ts";

export default {
  ...library({
    index: "src/index.ts",
    "assembler/index": "src/assembler/index.ts",
  }),
  publicDir: "src/generated/public",
};
