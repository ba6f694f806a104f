import { backward, gradcheck, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { createGenerator, randn, setKernels, sum, TensorVersionError } from "@sw/tensor";
import { createModel, examples, train } from "./model.js";
import { swiglu } from "./swiglu.js";

setKernels(jsKernels);

// Its derivatives against differences, in float64.
const inputs = [1, 2].map((seed) => randn([3, 4], { seed, dtype: "float64" }));
const { compared } = gradcheck((gate, value) => swiglu(gate!, value!, { beta: 1.5 }), inputs);
console.log(`gradcheck: ${compared} derivatives agree`);

// What backward reads must be as it was: a change in between is noticed, and named.
const [gate, value] = [parameter(randn([4], { seed: 3 })), randn([4], { seed: 4 })];
const out = sum(swiglu(gate, value, { beta: 1 }));
value.fill(0);
try {
  backward(out);
} catch (error) {
  if (!(error instanceof TensorVersionError)) throw error;
  console.log(`a write in between: ${error.message}`);
}

const generator = createGenerator(1);
const losses = train(createModel(8, generator), examples(128, generator), 300);
console.log(`loss: ${losses[0]?.toFixed(4)} at first, ${losses.at(-1)?.toFixed(6)} after ${losses.length} steps`);
