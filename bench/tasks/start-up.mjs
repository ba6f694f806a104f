// From before the import to the first product of 128×128, in this process, which did nothing before.
import process from "node:process";
import { locate, peer } from "../peers/load.mjs";

const SIDE = 128;
const shape = [SIDE, SIDE];
const a = new Float32Array(SIDE * SIDE).fill(1);
const b = new Float32Array(SIDE * SIDE).fill(2);

const programs = {
  async strideweave() {
    const [{ matmul, setKernels, tensor }, { wasmKernels }] = await Promise.all([
      import("@sw/tensor"),
      import("@sw/kernels-wasm"),
    ]);
    setKernels(await wasmKernels());
    return matmul(tensor(a).reshape(shape), tensor(b).reshape(shape)).at(0, 0);
  },
  async "tfjs-wasm"() {
    await peer("@tensorflow/tfjs-backend-cpu");
    const tf = await peer("@tensorflow/tfjs-core");
    const wasm = await peer("@tensorflow/tfjs-backend-wasm");
    wasm.setWasmPaths(locate("@tensorflow/tfjs-backend-wasm/dist/").pathname);
    await tf.setBackend("wasm");
    return tf.matMul(tf.tensor2d(a, shape), tf.tensor2d(b, shape)).dataSync()[0];
  },
  async "jax-js"() {
    const { numpy: np } = await peer("@jax-js/jax");
    return (await np.matmul(np.array(a).reshape(shape), np.array(b).reshape(shape)).data())[0];
  },
  async "numpy-ts"() {
    const np = await peer("numpy-ts");
    return np.matmul(np.array(a).reshape(shape), np.array(b).reshape(shape)).data[0];
  },
  async "ort-web"() {
    const { start } = await import("../engines/ort.mjs");
    const call = await (await start()).prepare(
      () => ({ nodes: (turn) => [{ op: "MatMul", from: ["a", "b"], to: `y${turn}` }], shape }),
      [
        { data: a, shape },
        { data: b, shape },
      ],
    );
    return (await call.values())[0];
  },
};

// What others print is not the answer.
console.log = console.info = () => {};
const start = performance.now();
const value = await programs[process.argv[2]]();
const time = performance.now() - start;
if (value !== 2 * SIDE) throw new Error(`wrong values: got ${value}, expected ${2 * SIDE}`);
process.stdout.write(JSON.stringify({ time }), () => process.exit());
