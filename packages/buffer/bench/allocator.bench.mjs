// What does an allocate and free in WebAssembly memory cost on the tensors of a model, and with 50,000 small free
// ranges, beside best fit over one sorted list of the free ranges? Medians of the rounds, ns per allocate + free.
// Run: pnpm --filter @sw/buffer build && node packages/buffer/bench/allocator.bench.mjs
import { readFileSync } from "node:fs";
import ts from "typescript";
import { WasmMemory } from "../dist/wasm.js";

const ROUNDS = 9;
const OPERATIONS = 400_000;
const PAGES = 2 ** 15 - 1;

const { byteSizes, gpt2Small, resNet50 } = await testModule("model-sizes");
const { randomNumbers } = await testModule("random");

/** A module of the tests, which are not built. */
function testModule(name) {
  const source = readFileSync(new URL(`../test/${name}.ts`, import.meta.url), "utf8");
  const options = { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } };
  return import(`data:text/javascript,${encodeURIComponent(ts.transpileModule(source, options).outputText)}`);
}

/** What is compared with: the free ranges in order of address, searched from the first to the last. */
class LinearBestFit {
  constructor() {
    this.starts = [64];
    this.lengths = [PAGES * 65_536 - 64];
  }

  allocate(byteLength) {
    const { starts, lengths } = this;
    const room = Math.max(64, Math.ceil(byteLength / 64) * 64);
    let best = -1;
    for (let i = 0; i < lengths.length; i++) {
      if (lengths[i] >= room && (best < 0 || lengths[i] < lengths[best])) best = i;
      if (lengths[i] === room) break;
    }
    const block = { address: starts[best], byteLength: room };
    starts[best] += room;
    lengths[best] -= room;
    if (lengths[best] === 0) {
      starts.splice(best, 1);
      lengths.splice(best, 1);
    }
    return block;
  }

  free({ address, byteLength }) {
    const { starts, lengths } = this;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle] < address) low = middle + 1;
      else high = middle;
    }
    const joinsBefore = low > 0 && starts[low - 1] + lengths[low - 1] === address;
    const joinsAfter = low < starts.length && address + byteLength === starts[low];
    if (joinsBefore && joinsAfter) {
      lengths[low - 1] += byteLength + lengths[low];
      starts.splice(low, 1);
      lengths.splice(low, 1);
    } else if (joinsBefore) {
      lengths[low - 1] += byteLength;
    } else if (joinsAfter) {
      starts[low] = address;
      lengths[low] += byteLength;
    } else {
      starts.splice(low, 0, address);
      lengths.splice(low, 0, byteLength);
    }
  }
}

/** Allocations and frees at random, prepared: a size, or minus one minus the place of the block to be freed. */
function mix(sizes, usual) {
  const random = randomNumbers(1);
  const steps = new Int32Array(OPERATIONS);
  let held = 0;
  for (let i = 0; i < OPERATIONS; i++) {
    if (random(2 * usual) >= held) {
      steps[i] = sizes[random(sizes.length)];
      held++;
    } else {
      steps[i] = -1 - random(held);
      held--;
    }
  }
  return steps;
}

/** The same, by the usual number of tensors that makes 512 MiB. */
function modelMix(sizes) {
  return mix(sizes, Math.round(2 ** 29 / (sizes.reduce((a, b) => a + b) / sizes.length)));
}

function run(allocator, steps) {
  const held = [];
  const start = performance.now();
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    if (step >= 0) {
      held.push(allocator.allocate(step));
    } else {
      const index = -1 - step;
      const block = held[index];
      held[index] = held[held.length - 1];
      held.pop();
      allocator.free(block);
    }
  }
  return ((performance.now() - start) / steps.length) * 2e6;
}

/** An allocator in which `holes` ranges of one line are free and apart, below the rest of the memory. */
function checkered(allocator, holes) {
  const blocks = Array.from({ length: 2 * holes }, () => allocator.allocate(64));
  for (let i = 0; i < blocks.length; i += 2) allocator.free(blocks[i]);
  return allocator;
}

const wasm = () => new WasmMemory(new WebAssembly.Memory({ initial: PAGES, maximum: PAGES }));
const linear = () => new LinearBestFit();
const small = mix([64, 128, 256], 1000).subarray(0, 20_000);
const CASES = [
  ["ResNet-50, batch 4", modelMix(byteSizes(resNet50(4))), (allocator) => allocator],
  ["GPT-2 small, 4 × 64", modelMix(byteSizes(gpt2Small(4, 64))), (allocator) => allocator],
  ["50,000 free lines", small, (allocator) => checkered(allocator, 50_000)],
];

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
for (const [name, steps, prepare] of CASES) {
  const [tree, list] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    tree.push(run(prepare(wasm()), steps));
    list.push(run(prepare(linear()), steps));
  }
  const [ours, naive] = [median(tree), median(list)];
  console.log(`${name}: ${ours.toFixed(0)} ns, list ${naive.toFixed(0)} ns, ratio ${(naive / ours).toFixed(2)}`);
}
