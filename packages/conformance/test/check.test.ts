import { jsKernels } from "@sw/kernels-js";
import type { Backend } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { type ConformanceError, kernelKit, run } from "../src/index.js";
import { backendOf, elementwise, positions, reference } from "./support.js";

async function failureOf(backend: Backend, id: string): Promise<ConformanceError> {
  const { failed } = await run(kernelKit, backend, { filter: (one) => one === id });
  if (failed[0] === undefined) throw new Error(`${id} passes`);
  return failed[0].error;
}

describe("a failure", () => {
  test("names the case, the operands, the seed, the coordinate, both values and the bound", async () => {
    const backend = backendOf("wrong", { add: elementwise((a, b) => a + b + 1) });
    const error = await failureOf(backend, "kernels/add/float32/transposed");
    expect(error).toMatchObject({
      code: "SW_CONFORMANCE_VALUE",
      caseId: "kernels/add/float32/transposed",
      coordinate: [0],
      bound: "the exact result, rounded once",
    });
    expect(Number(error.got)).toBeCloseTo(Number(error.expected) + 1, 5);
    expect(error.message).toMatch(
      /^kernels\/add\/float32\/transposed: output 0 is wrong at \[0\]: got \S+, expected \S+ \(bound: the exact result, rounded once\)\.\n {2}kernel add, ints \[\], floats \[\], seed \d+, operands in the candidate's memory, or on the heap where it has none\n {2}output 0: float32 \[7\] strides \[1\] offset 0\n {2}input 0: float32 \[7\] strides \[1\] offset 0\n {2}input 1: float32 \[7\] strides \[1\] offset 0$/,
    );
  });

  test("is the same every time, since the seed comes from the id", async () => {
    const backend = backendOf("wrong", { exp: elementwise((x) => x) });
    const once = (await failureOf(backend, "kernels/exp/float64/random")).message;
    expect((await failureOf(backend, "kernels/exp/float64/random")).message).toBe(once);
  });

  test("gives the bound of accumulated results in numbers", async () => {
    const backend = backendOf("wrong", { matmul: (outputs) => outputs[0]!.data.fill(0 as never) });
    const error = await failureOf(backend, "kernels/matmul/float64/extent-1");
    expect(error.code).toBe("SW_CONFORMANCE_CANARY");
    const zeros = backendOf("wrong", {
      matmul: ([out]) => {
        for (const at of positions(out!)) out!.data[at] = 0;
      },
    });
    expect((await failureOf(zeros, "kernels/matmul/float64/contiguous")).bound).toMatch(
      /^½ ulp \+ \(2 \+ 1·n\)·u·\(Σ\|a·b\|\), u of float64, n = 5: \|error\| <= \d/,
    );
  });

  test("a kernel that returns a promise is not done when it returns, and a rejection ends no process", async () => {
    const backend = backendOf("late", {
      add: (async () => {
        throw new Error("too late");
      }) as never,
    });
    const error = await failureOf(backend, "kernels/add/float32/contiguous");
    expect(error.code).toBe("SW_CONFORMANCE_THROWN");
    expect(error.message).toContain("got TypeError: the kernel returned a promise");
  });

  test("tells where memory was written that is not the output's", async () => {
    const backend = backendOf("wrong", {
      neg: (outputs, inputs, ints, floats) => {
        reference("neg")(outputs, inputs, ints, floats);
        const out = outputs[0]!;
        if (out.dtype === "int8") out.data[Math.max(...positions(out)) + 1] = 9;
      },
    });
    expect((await failureOf(backend, "kernels/neg/int8/contiguous")).message).toContain(
      "the kernel wrote into the memory of output 0 outside its elements: byte 165 at index 7 from its first element is now 9.",
    );
  });

  test("keeps what a kernel threw as its cause", async () => {
    const cause = new Error("boom");
    const backend = backendOf("wrong", {
      log: () => {
        throw cause;
      },
    });
    expect(await failureOf(backend, "kernels/log/float32/contiguous")).toMatchObject({
      code: "SW_CONFORMANCE_THROWN",
      cause,
    });
    const silent = backendOf("wrong", {
      log: () => {
        throw undefined;
      },
    });
    expect((await failureOf(silent, "kernels/log/float32/contiguous")).code).toBe("SW_CONFORMANCE_THROWN");
  });

  test("an error of another class than RangeError is no refusal", async () => {
    const backend = backendOf("wrong", {
      nllLoss: () => {
        throw new TypeError("a class");
      },
    });
    expect((await failureOf(backend, "kernels/nllLoss/float32/target-out-of-range")).message).toContain(
      "got TypeError: a class, expected a RangeError.",
    );
  });
});

test("ids are unique, and say kernel, dtype and what is in question", () => {
  const cases = kernelKit.cases();
  const ids = cases.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, since, subject, needs } of cases) {
    expect(since).toBe("0.1.0");
    if (subject === "program") {
      expect(id).toMatch(/^programs\/[a-z-]+\/[a-z]+\d*\/[a-z0-9-]+$/);
      expect(needs).toContain("compile");
      continue;
    }
    expect(id).toMatch(/^(kernels\/\w+\/[a-z]+\d*|tensors\/\w+)(\/[a-z0-9-]+)?\/[a-z0-9-]+$/);
    expect(id.split("/")[1]).toBe(subject);
    expect(needs).toContain(`kernel:${subject}`);
  }
});

test("there are cases for every kernel of the JS set", () => {
  const kernels = new Set(kernelKit.cases((id) => id.startsWith("kernels/")).map(({ subject }) => subject));
  expect([...kernels].sort()).toEqual(Object.keys(jsKernels.kernels).sort());
});

test("no case is built that the filter does not let pass", () => {
  const ids = kernelKit.cases((id) => id.startsWith("kernels/sum/int64/")).map(({ id }) => id);
  expect(ids).toContain("kernels/sum/int64/wide-integers");
  expect(ids.every((id) => id.startsWith("kernels/sum/int64/"))).toBe(true);
});
