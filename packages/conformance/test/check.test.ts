import { jsKernels } from "@sw/kernels-js";
import type { Backend } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { ConformanceError, kernelCases } from "../src/index.js";
import { backendOf, elementwise, positions, reference } from "./support.js";

function failureOf(backend: Backend, id: string): ConformanceError {
  try {
    kernelCases.find((one) => one.id === id)!.run(backend);
  } catch (error) {
    if (error instanceof ConformanceError) return error;
    throw error;
  }
  throw new Error(`${id} passes`);
}

describe("a failure", () => {
  test("names the case, the operands, the seed, the coordinate, both values and the bound", () => {
    const backend = backendOf("wrong", { add: elementwise((a, b) => a + b + 1) });
    const error = failureOf(backend, "kernels/add/float32/transposed");
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

  test("is the same every time, since the seed comes from the id", () => {
    const backend = backendOf("wrong", { exp: elementwise((x) => x) });
    const messages = [1, 2].map(() => failureOf(backend, "kernels/exp/float64/random").message);
    expect(messages[0]).toBe(messages[1]);
  });

  test("gives the bound of accumulated results in numbers", () => {
    const backend = backendOf("wrong", { matmul: (outputs) => outputs[0]!.data.fill(0 as never) });
    const error = failureOf(backend, "kernels/matmul/float64/extent-1");
    expect(error.code).toBe("SW_CONFORMANCE_CANARY");
    const zeros = backendOf("wrong", {
      matmul: ([out]) => {
        for (const at of positions(out!)) out!.data[at] = 0;
      },
    });
    expect(failureOf(zeros, "kernels/matmul/float64/contiguous").bound).toMatch(
      /^½ ulp \+ \(2 \+ 1·n\)·u·\(Σ\|a·b\|\), u of float64, n = 5: \|error\| <= \d/,
    );
  });

  test("tells where memory was written that is not the output's", () => {
    const backend = backendOf("wrong", {
      neg: (outputs, inputs, ints, floats) => {
        reference("neg")(outputs, inputs, ints, floats);
        const out = outputs[0]!;
        if (out.dtype === "int8") out.data[Math.max(...positions(out)) + 1] = 9;
      },
    });
    expect(failureOf(backend, "kernels/neg/int8/contiguous").message).toContain(
      "the kernel wrote into the memory of output 0 outside its elements: byte 165 at index 7 from its first element is now 9.",
    );
  });

  test("keeps what a kernel threw as its cause", () => {
    const cause = new Error("boom");
    const backend = backendOf("wrong", {
      log: () => {
        throw cause;
      },
    });
    expect(failureOf(backend, "kernels/log/float32/contiguous")).toMatchObject({
      code: "SW_CONFORMANCE_THROWN",
      cause,
    });
    const silent = backendOf("wrong", {
      log: () => {
        throw undefined;
      },
    });
    expect(failureOf(silent, "kernels/log/float32/contiguous").code).toBe("SW_CONFORMANCE_THROWN");
  });

  test("an error of another class than RangeError is no refusal", () => {
    const backend = backendOf("wrong", {
      nllLoss: () => {
        throw new TypeError("a class");
      },
    });
    expect(failureOf(backend, "kernels/nllLoss/float32/target-out-of-range").message).toContain(
      "got TypeError: a class, expected a RangeError.",
    );
  });
});

test("ids are unique, and say kernel, dtype and what is in question", () => {
  const ids = kernelCases.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, since, needs } of kernelCases) {
    expect(id).toMatch(/^kernels\/[a-zA-Z]+\/[a-z]+\d+(\/plain)?\/[a-z0-9-]+$/);
    expect(since).toBe("0.1.0");
    expect(id.split("/")[1]).toBe(needs.kernel);
  }
});

test("there are cases for every kernel of the JS set", () => {
  const kernels = new Set(kernelCases.map(({ needs }) => needs.kernel));
  expect([...kernels].sort()).toEqual(Object.keys(jsKernels.kernels).sort());
});
