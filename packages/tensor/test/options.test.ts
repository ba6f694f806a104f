import { layout } from "@sw/layout";
import {
  arange,
  asTensor,
  createGenerator,
  eye,
  format,
  fromBuffer,
  full,
  linspace,
  matrix,
  ones,
  rand,
  randn,
  setKernels,
  strided,
  tensor,
  withArena,
  zeros,
} from "@sw/tensor";
import { blockInt8, quantize } from "@sw/tensor/compound";
import { defaultPool } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";

type Call = (options: never) => unknown;

const CALLS: Readonly<Record<string, Call>> = {
  tensor: (o) => tensor([1], o),
  asTensor: (o) => asTensor(Float32Array.of(1), [1], o),
  matrix: (o) => matrix([1, 2], [1, 2], o),
  zeros: (o) => zeros([2], o),
  ones: (o) => ones([2], o),
  full: (o) => full([2], 1, o),
  eye: (o) => eye(2, o),
  arange: (o) => arange(0, 2, 1, o),
  linspace: (o) => linspace(0, 1, 2, o),
  rand: (o) => rand([2], o),
  randn: (o) => randn([2], o),
  strided: (o) => strided(Float32Array.of(1), o),
  window: (o) => zeros([2]).window(o),
  format: (o) => format(zeros([2]), o),
  quantize: (o) => quantize(zeros([32]), blockInt8, o),
};

describe("options that are none", () => {
  test.each(Object.entries(CALLS))("%s refuses null, a word and a list by name", (name, call) => {
    for (const [options, got] of [
      [null, "null"],
      ["int32", '"int32"'],
      [5, "5"],
      [[2], "a list"],
    ] as const) {
      expect(() => call(options as never)).toThrow(TypeError);
      expect(() => call(options as never)).toThrow(
        `${name}: the options are no object: got ${got}, expected one like {`,
      );
    }
  });
  test("matrix refuses them beside rows too", () => {
    expect(() => matrix([[1]], "int32" as never)).toThrow('matrix: the options are no object: got "int32", expected');
  });
  test("a window without strides says so by their name", () => {
    expect(() => zeros([2]).window({ shape: [2] } as never)).toThrow(
      new TypeError("window: the strides are no list: got undefined, expected one for each extent of [2]."),
    );
  });
});

describe("random numbers come of a seed or a generator", () => {
  const generator = createGenerator(1);
  test.each([
    ["rand", rand],
    ["randn", randn],
  ])("%s without a seed says what is wanted, in its own name", (name, make) => {
    const call = (...rest: unknown[]) => (make as (...args: unknown[]) => unknown)(...rest);
    expect(() => call([3, 4])).toThrow(
      new TypeError(`${name}: the options are no object: got undefined, expected one like { seed: 1 }.`),
    );
    const wanted = "expected { seed: 1 } or { generator }.";
    expect(() => call([2], {})).toThrow(
      new TypeError(`${name}: numbers come of a seed or of a generator: got neither, ${wanted}`),
    );
    expect(() => call([2], { seed: 1, generator })).toThrow(
      new TypeError(`${name}: numbers come of a seed or of a generator: got both, ${wanted}`),
    );
    for (const seed of [null, "1", 1n, 0.5, Number.NaN, {}]) {
      expect(() => call([2], { seed })).toThrow(TypeError);
      expect(() => call([2], { seed })).toThrow(`${name}: seed is not an integer: got `);
    }
    expect(() => call([2], { seed: -1 })).toThrow(expect.objectContaining({ code: "SW_TENSOR_OPTION", given: -1 }));
    expect(() => call([2], { seed: -1 })).toThrow(`${name}: seed is out of range: got -1, expected 0 to `);
    for (const bad of [null, {}, 5]) {
      expect(() => call([2], { generator: bad })).toThrow(`${name}: not a generator: got `);
    }
  });
  test("a bound that is no number is a TypeError, whatever it is", () => {
    for (const bad of [null, "1", 1n, Symbol("s"), {}]) {
      expect(() => rand([2], { seed: 1, low: bad as never })).toThrow(/^rand: low is not a number: got /);
      expect(() => randn([2], { seed: 1, deviation: bad as never })).toThrow(/^randn: deviation is not a number: got /);
    }
  });
});

test("field case 23: a shape of a wrong type is a TypeError, none at all has a code", () => {
  for (const make of [zeros, (shape: never) => ones(shape), (shape: never) => zeros([6]).reshape(shape)]) {
    for (const [shape, got] of [
      [3, "3"],
      ["3", '"3"'],
      [3n, "3n"],
      [Int32Array.of(2, 3), "an object of class Int32Array"],
      [{}, "{}"],
    ] as const) {
      expect(() => make(shape as never)).toThrow(TypeError);
      expect(() => make(shape as never)).toThrow(`the shape is no list: got ${got}, expected a list of extents like`);
    }
    expect(() => make(undefined as never)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISSING" }));
  }
});

test("fromBuffer says what is no buffer", () => {
  for (const [buffer, got] of [
    [null, "null"],
    [undefined, "undefined"],
    [{}, "{}"],
    [new Uint8Array(4), "an object of class Uint8Array"],
  ] as const) {
    expect(() => fromBuffer("int8", buffer as never, layout([1]))).toThrow(
      new TypeError(`fromBuffer: not a buffer: got ${got}, expected a value made by @sw/buffer.`),
    );
  }
});

test("what is refused allocates nothing", () => {
  const t = zeros([32]);
  const ready: Readonly<Record<string, Call>> = { ...CALLS, window: (o) => t.window(o), format: (o) => format(t, o) };
  const before = defaultPool().statistics();
  for (const [name, call] of Object.entries(ready)) {
    if (name !== "quantize") expect(() => call(null as never), name).toThrow(TypeError);
  }
  expect(() => quantize(t, blockInt8, null as never)).toThrow(TypeError);
  expect(defaultPool().statistics()).toEqual(before);
});

test("an object in the place of a word or a number is named, not printed", () => {
  const large = zeros([1000]);
  const stale = zeros([2]);
  stale.dispose();
  const calls: readonly Call[] = [
    (x) => zeros([2], { dtype: x }),
    (x) => rand([2], { seed: 1, dtype: x }),
    (x) => eye(2, { diagonal: x }),
    (x) => full([2], x),
    (x) => zeros([x]),
    (x) => fromBuffer("float32", large.buffer, layout([1]), x),
    (x) => withArena(x, () => 0),
    (x) => setKernels(x),
  ];
  for (const call of calls) {
    for (const wrong of [large, stale, Object.create(null), Symbol("s")]) {
      let message = "";
      try {
        call(wrong as never);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message, String(call)).toMatch(/: got (an object of class Tensor|\{\}|a symbol)/);
    }
  }
});
