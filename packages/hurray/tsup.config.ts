import { library } from "../../tsup.shared.ts";

export default library({
  index: "src/index.ts",
  "descriptor/index": "src/descriptor/index.ts",
  "stream/index": "src/stream/index.ts",
  "interchange/index": "src/interchange/index.ts",
  "messages/index": "src/messages/index.ts",
  "http/index": "src/http/index.ts",
  "sequential/index": "src/sequential/index.ts",
  "transport/index": "src/transport/index.ts",
  "node/index": "src/node/index.ts",
  "compound/index": "src/compound/index.ts",
  "values/index": "src/values/index.ts",
  "verify/index": "src/verify/index.ts",
  // No entry of the package: what nobody else uses would lie in the main entry itself, and its imports stay wherever that is used.
  box: "src/box.ts",
});
