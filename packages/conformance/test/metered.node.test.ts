import { expect, test } from "vitest";
import { kernelKit, run } from "../src/index.js";
import { heapMeter } from "../src/node/index.js";
import { backendOf, codesOf, reference } from "./support.js";

// What a kernel takes of the heap is measured where the host can: here, and by the command.

const tools = { meter: heapMeter() };

test("kernels that work in place pass", async () => {
  const kernels = ["add", "exp", "where", "sum"].map((name) => [name, reference(name)] as const);
  const filter = (id: string): boolean => /^kernels\/(add|exp|where|sum)\/\w+\/no-allocation$/.test(id);
  const report = await run(kernelKit, backendOf("js", Object.fromEntries(kernels)), { tools, filter });
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report.passed).toHaveLength(4);
});

test("a kernel that copies its input first is caught", async () => {
  const add = reference("add");
  const copying = backendOf("copying", {
    add: (outputs, [a, b], ints, floats) => {
      add(outputs, [{ ...a!, data: a!.data.slice() }, b!], ints, floats);
    },
  });
  const id = "kernels/add/float32/no-allocation";
  const report = await run(kernelKit, copying, { tools, filter: (one) => one === id });
  expect(codesOf(report)).toEqual({ [id]: "SW_CONFORMANCE_ALLOCATED" });
  expect(report.failed[0]?.error.message).toMatch(
    /: a call takes memory that grows with its operands: got \d+ bytes more than on small ones, expected at most 24574\.5, an eighth of what the operands have more\./,
  );
});

test("a kernel that makes an array for each element is caught, one that the host makes numbers for is not", async () => {
  const id = "kernels/relu/float32/no-allocation";
  const reluBy = (element: (x: number) => number) =>
    backendOf("relu", {
      relu: ([out], [x]) => {
        const [to, from] = [out!.data as Float32Array, x!.data as Float32Array];
        const [count, step, xStep] = [out!.shape[0]!, out!.strides[0]!, x!.strides[0]!];
        for (let i = 0; i < count; i++) to[out!.offset + i * step] = element(from[x!.offset + i * xStep]!);
      },
    });
  const kept: number[][] = [];
  const listed = reluBy((x) => {
    kept[0] = [x, x, x, x, x, x];
    return x < 0 ? 0 : kept[0]![0]!;
  });
  expect(codesOf(await run(kernelKit, listed, { tools, filter: (one) => one === id }))).toEqual({
    [id]: "SW_CONFORMANCE_ALLOCATED",
  });
  const plain = reluBy((x) => (x < 0 ? 0 : x));
  expect((await run(kernelKit, plain, { tools, filter: (one) => one === id })).passed).toEqual([id]);
});

test("a kernel that returns a promise is caught here too", async () => {
  const id = "kernels/relu/float32/no-allocation";
  const late = backendOf("late", { relu: (async () => Promise.reject(new Error("late"))) as never });
  const report = await run(kernelKit, late, { tools, filter: (one) => one === id });
  expect(report.failed[0]?.error.message).toContain("the kernel returned a promise");
});
