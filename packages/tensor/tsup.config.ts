import { library } from "../../tsup.shared.ts";

export default library(
  {
    index: "src/index.ts",
    seam: "src/seam.ts",
    compound: "src/compound.ts",
    fusion: "src/fusion.ts",
  },
  [],
);
