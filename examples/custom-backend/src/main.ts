import { jsKernels } from "@sw/kernels-js";
import { createGenerator, explain, setKernels } from "@sw/tensor";
import { handmade } from "./backend.js";
import { accuracy, createModel, forward, spiral, train } from "./model.js";

const [arms, pointsAnArm, hidden, steps] = [3, 100, 32, 400];

// Tensors live in the memory of the first backend. What it does not take, the reference kernels do.
setKernels(handmade(), jsKernels);

const generator = createGenerator(1);
const points = spiral(arms, pointsAnArm, generator);
const model = createModel(hidden, arms, generator);
console.log(`before training: ${(100 * accuracy(model, points)).toFixed(1)} %`);
const loss = train(model, points, steps);
console.log(`after ${steps} steps: ${(100 * accuracy(model, points)).toFixed(1)} %, loss ${loss.toFixed(4)}`);

const { calls } = explain(() => forward(model, points.at));
console.log(`kernels of a forward pass: ${calls.map(({ kernel, backend }) => `${kernel} by ${backend}`).join(", ")}`);
