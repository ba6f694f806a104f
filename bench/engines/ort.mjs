import { peer } from "../peers/load.mjs";
import { model } from "./onnx.mjs";

/** Elements of an output from which on a graph holds the operation four times only. */
const LARGE = 5e6;

/**
 * onnxruntime-web. The boundary of a session costs more than a small operation, so a graph holds the operation 16 times
 * and the time is a sixteenth: what is measured is the kernel.
 *
 * @param {{ threads?: number }} options
 */
export async function start({ threads = 1 } = {}) {
  const ort = await peer("onnxruntime-web");
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = "error";
  return {
    version: `onnxruntime-web ${ort.env.versions.common} on ${threads} thread${threads === 1 ? "" : "s"}`,
    /** A task gives the shape of the output, and nodes for the inputs `a`, `b`, `c` whose output is `y${turn}`. */
    async prepare(task, inputs) {
      const { nodes, shape, constants = [] } = task(ort);
      const times = shape.reduce((product, extent) => product * extent, 1) >= LARGE ? 4 : 16;
      const named = inputs.map(({ data, shape }, i) => ["abc"[i], shape, data]);
      const bytes = model({
        nodes: Array.from({ length: times }, (_, turn) => nodes(turn)).flat(),
        inputs: named,
        outputs: [[`y${times - 1}`, shape]],
        constants,
      });
      const session = await ort.InferenceSession.create(bytes, {
        executionProviders: ["wasm"],
        // Equal nodes are one node to an optimiser.
        graphOptimizationLevel: "disabled",
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        logSeverityLevel: 3,
      });
      const feeds = Object.fromEntries(
        named.map(([name, shape, data]) => [name, new ort.Tensor("float32", data, shape)]),
      );
      return {
        isAsync: true,
        times,
        run: () => session.run(feeds),
        values: async () => (await session.run(feeds))[`y${times - 1}`].data,
        end: () => session.release(),
      };
    },
  };
}
