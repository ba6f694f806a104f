// `npm start`: install, build what the example needs, train MNIST, save, reopen.
// What follows `--` reaches the example: `npm start -- --backend wasm --epochs 2`.
import { install, must, run, step, turbo } from "./bootstrap.mjs";

install();
step("building");
must(turbo(["build"], ["@sw/example-mnist..."]));
process.exit(run("node", ["examples/mnist/dist/main.js", ...process.argv.slice(2)]));
