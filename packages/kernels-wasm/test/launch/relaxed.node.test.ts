import { setFlagsFromString } from "node:v8";
import { type WasmBackend, wasmKernelsSync } from "@sw/kernels-wasm";
import { expect, test } from "vitest";
import { noise, place, values } from "../operands.js";
import { productChecks } from "../products.js";

const without = wasmKernelsSync({ initialBytes: 2 ** 24, relaxed: false });
// Node 20 has the instructions behind a flag, which counts from the next module on.
setFlagsFromString("--experimental-wasm-relaxed-simd");
const relaxed = wasmKernelsSync({ initialBytes: 2 ** 26 });
const { checkPlaced } = productChecks(relaxed);

function bits({ memory, kernels }: WasmBackend, m: number, k: number, n: number): number[] {
  const [a, b] = [place(memory, [m, k], noise(1)), place(memory, [k, n], noise(2))];
  const out = place(memory, [m, n], () => 0);
  kernels.matmul([out], [a, b], [], []);
  return values(out);
}

test("it is used where the host has it, unless the options say otherwise", () => {
  expect([relaxed.relaxed, without.relaxed]).toEqual([true, false]);
  const refused = wasmKernelsSync({ initialBytes: 2 ** 22, relaxed: false });
  expect(refused.relaxed).toBe(false);
  expect(bits(refused, 37, 41, 29)).toEqual(bits(without, 37, 41, 29));
  expect(bits(relaxed, 37, 41, 29)).toEqual(bits(relaxed, 37, 41, 29));
});

test("a product is not rounded before it is added, on a host that fuses", () => {
  const tiny = 1 + 2 ** -12;
  const { memory, kernels } = relaxed;
  const a = place(memory, [3, 2], (i) => (i % 2 === 0 ? -1 : tiny));
  const b = place(memory, [2, 8], (i) => (i < 8 ? 1 : tiny));
  const out = place(memory, [3, 8], () => 0);
  kernels.matmul([out], [a, b], [], []);
  const [rounded, fused] = [Math.fround(tiny * tiny) - 1, Math.fround(tiny * tiny - 1)];
  expect(rounded).not.toBe(fused);
  // A host may do either, but the same everywhere.
  const got = new Set(values(out));
  expect(got.size).toBe(1);
  expect([rounded, fused]).toContain([...got][0]);
});

test("every size around the tile, blocks, and every placing keep to the bound", () => {
  for (let m = 0; m <= 14; m++) for (let n = 0; n <= 17; n++) checkPlaced([m, 7, n]);
  for (const m of [119, 120, 121, 245]) checkPlaced([m, 3, 9]);
  for (const k of [255, 257, 784]) checkPlaced([13, k, 70]);
  checkPlaced([122, 258, 1030]);
  checkPlaced([130, 300, 70], [], { order: [1, 0] }, { order: [1, 0] }, { order: [1, 0] });
  checkPlaced([130, 300, 70], [2], { gap: 3 }, { reversed: [1] }, { reversed: [0, 2] });
});

test("an element has the same bits in every size of product of three rows and columns or more", () => {
  const whole = bits(relaxed, 67, 523, 45);
  for (const rows of [3, 6, 7, 66]) expect(bits(relaxed, rows, 523, 45)).toEqual(whole.slice(0, rows * 45));
});
