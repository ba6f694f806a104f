import { library } from "../../tsup.shared.ts";

export default library(
  {
    algebra: "src/algebra.ts",
    command: "src/command.ts",
    index: "src/index.ts",
    maps: "src/maps.ts",
    pictures: "src/pictures.ts",
    recognise: "src/recognise.ts",
    views: "src/views.ts",
    walk: "src/walk.ts",
  },
  // All that a tensor needs.
  ["index", "views", "walk", "algebra", "command"],
);
