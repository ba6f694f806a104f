import { BufferPool, heapMemory } from "@sw/buffer";
import { layout } from "@sw/layout";
import { explain, fromBuffer, setKernels, type Tensor, tensor, withKernels, zeros } from "@sw/tensor";
import { type Backend, checkProgram, defaultPool, type Kernel, type Program, runProgram } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";
import { plainBackend } from "./forty-line-backend.js";

const plain = plainBackend();

/** `relu(a · b + 10)`, in float32. */
const FUSED: Program = {
  inputs: ["float32", "float32"],
  constants: [{ dtype: "float32", value: 10 }],
  steps: [
    { kind: "mul", operands: [0, 1] },
    { kind: "add", operands: [3, 2] },
    { kind: "relu", operands: [4] },
  ],
  outputs: [5],
};

/** The sum of `a · b` over some axes. */
const DOT: Program = {
  inputs: ["float32", "float32"],
  constants: [],
  steps: [{ kind: "mul", operands: [0, 1] }],
  outputs: [2],
  reduce: "sum",
};

/** A backend that compiles every program to a kernel, and writes down what it is asked. */
function compiler(kernel: Kernel | undefined, asked: unknown[] = []): Backend {
  return {
    name: "compiler",
    seamVersion: 1,
    kernels: {},
    compile: (program) => {
      asked.push(program);
      return kernel;
    },
  };
}

function refusal(program: unknown): unknown {
  try {
    return checkProgram("test", program as Program);
  } catch (error) {
    return error;
  }
}

beforeEach(() => setKernels(plain));

describe("S-48: checkProgram", () => {
  test("finds the dtypes of values, each from those of the operands", () => {
    expect(checkProgram("test", FUSED)).toEqual(["float32", "float32", "float32", "float32", "float32", "float32"]);
    const choice: Program = {
      inputs: ["int64", "float16"],
      constants: [
        { dtype: "int64", value: 3n },
        { dtype: "float16", value: Number.NaN },
      ],
      steps: [
        { kind: "lt", operands: [0, 2] },
        { kind: "where", operands: [4, 1, 3] },
        { kind: "leakyRelu", operands: [5], floats: [0.1] },
        { kind: "isNaN", operands: [6] },
      ],
      outputs: [6, 7],
    };
    expect(checkProgram("test", choice).slice(4)).toEqual(["bool", "float16", "float16", "bool"]);
  });

  test.each<[what: string, change: Partial<Program>, position: number | undefined]>([
    ["an operation that does not exist", { steps: [{ kind: "sine", operands: [0] }], outputs: [3] }, 0],
    ["the name of a method of objects", { steps: [{ kind: "toString", operands: [0] }], outputs: [3] }, 0],
    ["a reduction among the steps", { steps: [{ kind: "sum", operands: [0] }], outputs: [3] }, 0],
    ["a step that reads its output", { steps: [{ kind: "accumulate", operands: [0] }], outputs: [3] }, 0],
    ["a step of an optimiser", { steps: [{ kind: "sgdStep", operands: [0] }], outputs: [3] }, 0],
    ["a cast, whose dtype nothing tells", { steps: [{ kind: "cast", operands: [0] }], outputs: [3] }, 0],
    ["too few operands", { steps: [{ kind: "add", operands: [0] }], outputs: [3] }, 0],
    ["a missing float", { steps: [{ kind: "leakyRelu", operands: [0] }], outputs: [3] }, 0],
    ["a float too many", { steps: [{ kind: "relu", operands: [0], floats: [1] }], outputs: [3] }, 0],
    ["a value that comes later", { steps: [{ kind: "relu", operands: [3] }], outputs: [3] }, 0],
    ["a value below zero", { steps: [{ kind: "relu", operands: [-1] }], outputs: [3] }, 0],
    ["operands of two dtypes", { inputs: ["float32", "float64"] }, 0],
    ["an operand that is no bool", { steps: [{ kind: "where", operands: [0, 0, 1] }], outputs: [3] }, 0],
    ["a dtype that the operation refuses", { inputs: ["bool", "bool"] }, 0],
    ["no outputs", { outputs: [] }, undefined],
    ["an output that is an input", { outputs: [0] }, undefined],
    ["an output that is no value", { outputs: [6] }, undefined],
    ["a reduction of two outputs", { outputs: [4, 5], reduce: "sum" }, undefined],
    ["a reduction that is none of a program", { reduce: "prod" as never }, undefined],
    ["a constant that is no bigint", { constants: [{ dtype: "int64", value: 3 }] }, undefined],
  ])("refuses %s", (_, change, position) => {
    expect(refusal({ ...FUSED, ...change })).toMatchObject({
      name: "TensorValueError",
      code: "SW_TENSOR_PROGRAM",
      position,
    });
  });

  test("refuses a reduction that is not for the output's dtype", () => {
    const steps = [{ kind: "isNaN", operands: [0] }];
    const program: Program = { inputs: ["float32"], constants: [], steps, outputs: [1], reduce: "mean" };
    expect(refusal(program)).toMatchObject({ code: "SW_TENSOR_PROGRAM", given: "bool" });
  });

  test("says in a message which step is wrong, what it has, and what it must have", () => {
    expect(refusal({ ...FUSED, inputs: ["float32", "float64"] })).toMatchObject({
      message: "test: step 0 (mul) has operands of several dtypes: got float32 and float64, expected one dtype.",
    });
  });

  test("refuses a constant that its dtype cannot hold", () => {
    expect(refusal({ ...FUSED, constants: [{ dtype: "uint8", value: 256 }] })).toMatchObject({
      code: "SW_TENSOR_VALUE",
    });
  });

  test.each([
    undefined,
    null,
    7,
    {},
    { ...FUSED, steps: 3 },
    { ...FUSED, steps: [null] },
    { ...FUSED, steps: [{ kind: "relu" }] },
    { ...FUSED, steps: [{ kind: "relu", operands: [0], floats: "1" }] },
    { ...FUSED, constants: [null] },
    { ...FUSED, inputs: ["float"] },
    { ...FUSED, constants: [{ dtype: "float32", value: "1" }] },
  ])("%j has not the form of a program: a TypeError", (program) => {
    expect(refusal(program)).toBeInstanceOf(TypeError);
    expect(refusal(program)).toMatchObject({ message: expect.stringMatching(/^test: .*: got .*, expected .*\.$/) });
  });
});

describe("S-52: runProgram without a backend that compiles", () => {
  test("runs the steps one by one, and returns their memory", () => {
    const [a, b] = [
      tensor([
        [1, -2],
        [3, 4],
      ]),
      tensor([5, 6]),
    ];
    const out = zeros([2, 2]);
    const { live } = defaultPool().statistics();
    const { calls } = explain(() => runProgram(FUSED, [out], [a, b]));
    expect(out.toArray()).toEqual([
      [15, 0],
      [25, 34],
    ]);
    expect(defaultPool().statistics().live).toBe(live);
    expect(calls.map(({ kernel, backend }) => `${kernel} ${backend}`)).toEqual([
      "program built-in",
      "mul plain",
      "add plain",
      "relu plain",
      "copy built-in",
    ]);
    expect(calls[0]?.declined).toEqual([{ backend: "plain", reason: "has no compile" }]);
  });

  test("reduces over the axes, counted from the end too, of inputs that broadcast to one another", () => {
    const a = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const b = tensor([[10], [100]]);
    const dot = (shape: readonly number[], axes?: readonly number[]): Tensor => {
      const out = zeros(shape);
      runProgram(DOT, [out], [a, b], axes);
      return out;
    };
    expect(dot([2], [-1]).toArray()).toEqual([60, 1500]);
    expect(dot([3], [0]).toArray()).toEqual([410, 520, 630]);
    expect(dot([]).toArray()).toEqual(1560);
    expect(dot([2, 3], []).toArray()).toEqual([
      [10, 20, 30],
      [400, 500, 600],
    ]);
  });

  test("may write into an input", () => {
    const a = tensor([1, 2]);
    const both: Program = { ...DOT, steps: [...DOT.steps, { kind: "add", operands: [2, 0] }], outputs: [3, 2] };
    const { reduce: _, ...program } = both;
    const other = zeros([2]);
    runProgram(program, [a, other], [a, tensor([10, 100])]);
    expect([a.toArray(), other.toArray()]).toEqual([
      [11, 202],
      [10, 200],
    ]);
  });

  test("tensors that do not fit the program are refused before anything is written", () => {
    const [a, out] = [tensor([1, 2]), tensor([7, 7])];
    const doubles = tensor([1, 2], { dtype: "float64" });
    const code = "SW_TENSOR_PROGRAM";
    expect(() => runProgram(FUSED, [out], [a])).toThrow(expect.objectContaining({ code, given: 1, expected: 2 }));
    expect(() => runProgram(FUSED, [out, out], [a, a])).toThrow(expect.objectContaining({ code }));
    expect(() => runProgram(FUSED, [out], [a, doubles])).toThrow(expect.objectContaining({ code, position: 1 }));
    expect(() => runProgram(DOT, [out], [a, a])).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH", given: [2], expected: [] }),
    );
    expect(() => runProgram(DOT, [out], [a, a], [1])).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS" }));
    expect(() => runProgram(DOT, [out], [a, a], [0, -1])).toThrow(/named twice/);
    expect(() => runProgram(FUSED, [out], [a, tensor([1, 2, 3])])).toThrow(
      expect.objectContaining({ code: "SW_LAYOUT_EXPAND" }),
    );
    expect(() => runProgram(FUSED, [out], [a, 1 as never])).toThrow(TypeError);
    expect(() => runProgram(undefined as never, [out], [a, a])).toThrow(TypeError);
    expect(() => runProgram(FUSED, [zeros([0])], [zeros([0]), zeros([3])])).toThrow(
      expect.objectContaining({ code: "SW_LAYOUT_EXPAND", message: expect.stringMatching(/^runProgram: /) }),
    );
    expect(out.toArray()).toEqual([7, 7]);
  });

  test("a step that no backend takes throws, and returns all memory", () => {
    const steps = [
      { kind: "mul", operands: [0, 1] },
      { kind: "exp", operands: [2] },
    ];
    const program: Program = { ...DOT, steps, outputs: [3] };
    const [a, out] = [tensor([1, 2]), zeros([])];
    const { live } = defaultPool().statistics();
    expect(() => runProgram(program, [out], [a, a])).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_KERNEL_MISSING", kernel: "exp" }),
    );
    expect(defaultPool().statistics().live).toBe(live);
  });
});

describe("S-49, S-50: runProgram with a backend that compiles", () => {
  test("asks it once for a program, and hands it one nest of loops, no ints and no floats", () => {
    const asked: unknown[] = [];
    const seen: unknown[] = [];
    const backend = compiler(([out], [a, b], ints, floats) => {
      seen.push([out?.shape, out?.strides, a?.strides, b?.strides, ints, floats]);
    }, asked);
    withKernels([backend, plain], () => {
      for (let i = 0; i < 3; i++) runProgram(FUSED, [zeros([2, 3])], [zeros([2, 3]), zeros([3])]);
      runProgram(DOT, [zeros([3])], [zeros([2, 3]), zeros([3])], [0]);
    });
    expect(asked).toEqual([FUSED, DOT]);
    expect(seen[0]).toEqual([[2, 3], [3, 1], [3, 1], [0, 1], [], []]);
    // The kept loop first, then the reduced one, where the output's stride is 0.
    expect(seen[3]).toEqual([[3, 2], [1, 0], [1, 3], [1, 0], [], []]);
  });

  test("passes on what it does not compile or take, and explain says so", () => {
    const asked: unknown[] = [];
    const cannot = { ...compiler(undefined, asked), name: "cannot" };
    const declines: Backend = { ...compiler(() => undefined), name: "declines", supports: () => false };
    const takes = compiler(() => undefined);
    const a = tensor([1]);
    const chain = [plain, cannot, declines, takes];
    const call = () => withKernels(chain, () => explain(() => runProgram(FUSED, [zeros([1])], [a, a])).calls);
    call();
    expect(call()).toEqual([
      {
        kernel: "program",
        backend: "compiler",
        staged: [],
        declined: [
          { backend: "plain", reason: "has no compile" },
          { backend: "cannot", reason: "does not compile the program" },
          { backend: "declines", reason: "supports() said no" },
        ],
      },
    ]);
    expect(asked).toHaveLength(1);
    const [first] = withKernels([cannot, plain], () => explain(() => runProgram(FUSED, [zeros([1])], [a, a])).calls);
    expect(first).toMatchObject({ kernel: "program", backend: "built-in", declined: [{}, { backend: "plain" }] });
  });

  test("lends copies of inputs whose nests have no loops in common", () => {
    const buffer = new BufferPool({ source: heapMemory() }).allocate(24);
    buffer.view(Float32Array).set([0, 1, 2, 3, 4, 5]);
    const a = fromBuffer("float32", buffer, layout([[2, 3]], [[3, 1]]));
    const b = fromBuffer("float32", buffer, layout([[3, 2]], [[2, 1]]));
    const out = zeros([6]);
    const seen: (readonly number[] | undefined)[] = [];
    const backend = compiler(([into], [x, y]) => {
      seen.push(into?.shape, x?.strides, y?.strides);
    });
    withKernels([backend, plain], () => runProgram(FUSED, [out], [a, b]));
    expect(seen).toEqual([[6], [1], [1]]);
    runProgram(FUSED, [out], [a, b]);
    expect(out.toArray()).toEqual([10, 16, 14, 14, 16, 35]);
  });

  test("outputs pass the write gate, and no elements are no call", () => {
    let calls = 0;
    const backend = compiler(() => {
      calls++;
    });
    withKernels([backend], () => {
      const out = zeros([2]);
      const { version } = out.buffer;
      runProgram(FUSED, [out], [tensor([1, 2]), tensor([1, 2])]);
      expect(out.buffer.version).toBe(version + 1);
      runProgram(FUSED, [zeros([0])], [zeros([0]), zeros([0])]);
      expect(calls).toBe(1);
      const gone = zeros([2]);
      gone.dispose();
      expect(() => runProgram(FUSED, [gone], [tensor([1, 2]), tensor([1, 2])])).toThrow(
        expect.objectContaining({ code: "SW_BUFFER_STALE" }),
      );
    });
  });
});
