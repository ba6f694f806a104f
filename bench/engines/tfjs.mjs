import { locate, peer } from "../peers/load.mjs";

/** It knows images with their channels last: rows say how to turn their inputs, and results are turned back. */
const CHANNELS_FIRST = [0, 3, 1, 2];

/** TensorFlow.js on its WebAssembly backend, one thread. Products with the same B reuse its packed form. */
export async function start() {
  await peer("@tensorflow/tfjs-backend-cpu");
  const tf = await peer("@tensorflow/tfjs-core");
  const wasm = await peer("@tensorflow/tfjs-backend-wasm");
  wasm.setWasmPaths(locate("@tensorflow/tfjs-backend-wasm/dist/").pathname);
  await tf.setBackend("wasm");
  await tf.ready();
  return {
    version: `tfjs-wasm ${tf.version_core}`,
    prepare(task, inputs) {
      const operation = task(tf);
      const { orders } = task;
      const given = inputs.map(({ data, shape }, i) => {
        return tf.tidy(() => {
          const x = tf.tensor(data, shape);
          return orders === undefined ? x : tf.transpose(x, orders[i]);
        });
      });
      const once = () => tf.tidy(() => operation(...given));
      const [a, b, c] = given;
      // A tidy costs as much as a small operation: those of one call do without.
      const runs = [once, () => operation(a), () => operation(a, b), () => operation(a, b, c)];
      const plain = task.compound ? once : runs[given.length];
      return {
        run: () => plain().dispose(),
        values() {
          const result = tf.tidy(() => (orders === undefined ? once() : tf.transpose(once(), CHANNELS_FIRST)));
          const values = result.dataSync().slice();
          result.dispose();
          return values;
        },
        end: () => given.forEach((t) => void t.dispose()),
      };
    },
  };
}
