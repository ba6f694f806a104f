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
    /: a call takes memory of the heap that grows with its operands: got \d+ bytes more than on small ones, expected at most 24574\.5\./,
  );
});
