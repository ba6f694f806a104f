import {
  Adam,
  backward,
  loadParameters,
  type ModuleTree,
  namedParameters,
  parameter,
  parametersOf,
  Sgd,
} from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { setKernels, type Tensor, tensor, zeros } from "@sw/tensor";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

/** A class with parameters, as those of `@sw/autograd/modules` are. */
class Layer {
  readonly parameters = { weight: parameter(tensor([1, 2])), bias: parameter(tensor([3])) };
}

describe("namedParameters", () => {
  test("joins keys and places in lists by dots; a module's own word is left out", () => {
    const [layer, scale] = [new Layer(), parameter(tensor(1))];
    const named = namedParameters({ layers: [layer, { scale }] });
    expect(Object.keys(named)).toEqual(["layers.0.weight", "layers.0.bias", "layers.1.scale"]);
    expect(named["layers.0.bias"]).toBe(layer.parameters.bias);
    expect(Object.keys(namedParameters(layer))).toEqual(["weight", "bias"]);
    expect(Object.keys(namedParameters(scale))).toEqual([""]);
  });
  test("modules may hold modules", () => {
    class Block {
      readonly layer = new Layer();
      readonly parameters = { inner: this.layer };
    }
    expect(Object.keys(namedParameters([new Block()]))).toEqual(["0.inner.weight", "0.inner.bias"]);
  });
  test("tied weights have the first of their names", () => {
    const p = parameter(tensor([1]));
    expect(Object.keys(namedParameters({ table: p, head: { weight: p } }))).toEqual(["table"]);
  });
  test("two tensors under one name are refused", () => {
    const tree = { "a.b": zeros([1]), a: { b: zeros([1]) } };
    expect(() => namedParameters(tree)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_NAME", given: "a.b" }));
    expect(() => namedParameters(tree)).toThrow(
      'namedParameters: two tensors have one name: got "a.b" twice, expected a name for each. Leave dots out of keys.',
    );
    expect(parametersOf(tree)).toHaveLength(2);
  });
  test("a key that every object has is a name like others", () => {
    const tree = JSON.parse('{"__proto__":1,"constructor":1}') as Record<string, ModuleTree>;
    for (const key of ["__proto__", "constructor"]) {
      Object.defineProperty(tree, key, { value: zeros([1]), enumerable: true });
    }
    expect(Object.keys(namedParameters(tree)).sort()).toEqual(["__proto__", "constructor"]);
  });
  test("a tree of any depth is walked without recursion", () => {
    let tree: ModuleTree = zeros([1]);
    for (let i = 0; i < 100_000; i++) tree = [tree];
    expect(parametersOf(tree)).toHaveLength(1);
  });
});

describe("loadParameters", () => {
  test("from the very tensors that are written to: parts change places", () => {
    const [a, b] = [parameter(tensor([1, 2])), parameter(tensor([3, 4]))];
    loadParameters({ a, b }, { a: b, b: a });
    expect([a.toArray(), b.toArray()]).toEqual([
      [3, 4],
      [1, 2],
    ]);
    loadParameters({ a, b }, { a, b });
    expect([a.toArray(), b.toArray()]).toEqual([
      [3, 4],
      [1, 2],
    ]);
  });
  test("copies into the parameters where they are, in their layouts", () => {
    const p = parameter(zeros([2, 3]).T);
    const { buffer, layout } = p;
    loadParameters(
      { p },
      {
        p: tensor([
          [1, 2],
          [3, 4],
          [5, 6],
        ]),
      },
    );
    expect(p.toArray()).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(p.buffer).toBe(buffer);
    expect(p.layout).toBe(layout);
  });
  test("a name that is missing or unknown, and a tensor that does not fit, change nothing", () => {
    const layer = new Layer();
    const weight = tensor([7, 8]);
    const refusal = (named: Record<string, unknown>): unknown => {
      try {
        loadParameters(layer, named as Record<string, Tensor>);
        return undefined;
      } catch (error) {
        return error;
      }
    };
    expect(refusal({ weight })).toMatchObject({ code: "SW_AUTOGRAD_NAME", given: "bias" });
    expect(refusal({ weight, bias: tensor([1]), more: weight })).toMatchObject({
      code: "SW_AUTOGRAD_NAME",
      given: "more",
      message:
        'loadParameters: a name is unknown: got "more" as well, expected exactly the names of what is loaded into.',
    });
    expect(refusal({ weight, bias: tensor([1, 2]) })).toMatchObject({
      code: "SW_AUTOGRAD_STATE",
      given: "float32 [2]",
      expected: "float32 [1]",
      message: 'loadParameters: "bias" does not fit: got float32 [2], expected float32 [1].',
    });
    expect(refusal({ weight, bias: tensor([1], { dtype: "float64" }) })).toMatchObject({ code: "SW_AUTOGRAD_STATE" });
    expect(refusal({ weight, bias: [1] })).toBeInstanceOf(TypeError);
    expect(refusal(null as never)).toBeInstanceOf(TypeError);
    const gone = tensor([1]);
    gone.dispose();
    expect(refusal({ weight, bias: gone })).toMatchObject({ code: "SW_BUFFER_STALE" });
    layer.parameters.bias.buffer.readOnly = true;
    expect(refusal({ weight, bias: tensor([1]) })).toMatchObject({ code: "SW_BUFFER_READ_ONLY" });
    expect(layer.parameters.weight.toArray()).toEqual([1, 2]);
  });
  test("field case 5: a parameter whose elements share memory is refused", () => {
    const p = parameter(tensor([1]).expand([4]));
    expect(() => loadParameters({ p }, { p: zeros([4]) })).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_OVERLAP" }),
    );
  });
});

describe("the state of an optimiser", () => {
  test("Sgd has its velocities, and nothing without momentum", () => {
    const p = parameter(zeros([2]));
    const sgd = new Sgd({ p }, { learningRate: 1, momentum: 0.5 });
    sgd.load({ "p.velocity": tensor([3, 4]) });
    expect(sgd.velocities[0]?.toArray()).toEqual([3, 4]);
    expect(sgd.state()).toEqual({ "p.velocity": sgd.velocities[0] });
    expect(new Sgd({ p }, { learningRate: 1 }).state()).toEqual({});
    expect(Object.keys(new Sgd(p, { learningRate: 1, momentum: 0.5 }).state())).toEqual(["velocity"]);
  });
  test("a state that does not fit changes nothing", () => {
    const p = parameter(zeros([2]));
    const adam = new Adam({ p }, { learningRate: 1 });
    const moments = { "p.first": tensor([1, 1]), "p.second": tensor([1, 1]) };
    const good = { ...moments, "p.steps": tensor(1, { dtype: "int32" }) };
    const bad: readonly (readonly [Record<string, Tensor>, string])[] = [
      [moments, "SW_AUTOGRAD_NAME"],
      [{ ...good, "q.first": tensor([1, 1]) }, "SW_AUTOGRAD_NAME"],
      [{ ...good, "p.steps": tensor(1) }, "SW_AUTOGRAD_STATE"],
      [{ ...good, "p.steps": tensor([1], { dtype: "int32" }) }, "SW_AUTOGRAD_STATE"],
      [{ ...good, "p.steps": tensor(-1, { dtype: "int32" }) }, "SW_AUTOGRAD_STATE"],
      [{ ...good, "p.second": tensor([1]) }, "SW_AUTOGRAD_STATE"],
    ];
    for (const [state, code] of bad) {
      expect(() => adam.load(state)).toThrow(expect.objectContaining({ code }));
      expect(adam.state()["p.first"]?.toArray()).toEqual([0, 0]);
      expect(adam.steps.toArray()).toEqual([0]);
    }
    adam.load(good);
    expect(adam.steps.toArray()).toEqual([1]);
  });
  test("a model whose parts are called as the state is saves and loads all of it", () => {
    // Each name stands at the top and below, before and after others.
    const start = (from: number) => parameter(tensor([from, from + 1]));
    const parts = () => ({ weight: start(1), first: start(2), second: start(3), velocity: start(4), steps: start(5) });
    const tree = () => ({ ...parts(), first: parts(), second: { velocity: parts() }, velocity: [parts()] });
    for (const make of [
      (model: ModuleTree) => new Adam(model, { learningRate: 0.1 }),
      (model: ModuleTree) => new Sgd(model, { learningRate: 0.1, momentum: 0.5 }),
    ]) {
      const [one, other] = [tree(), tree()];
      const [trained, resumed] = [make(one), make(other)];
      const step = (optimiser: Adam | Sgd): void => {
        optimiser.zeroGrad();
        // A gradient of its own for each, so that none can stand for another.
        for (const [i, p] of optimiser.parameters.entries()) backward(p, tensor([i + 1, -i]));
        optimiser.step();
      };
      step(trained);
      const [parameters, state] = [namedParameters(one), trained.state()];
      const saved = { ...parameters, ...state };
      expect(Object.keys(saved)).toHaveLength(Object.keys(parameters).length + Object.keys(state).length);
      const own = new Set(Object.keys(namedParameters(other)));
      const read = Object.entries(saved).map(
        ([name, t]) => [name, tensor(t.toArray() as number[], { dtype: t.dtype })] as const,
      );
      loadParameters(other, Object.fromEntries(read.filter(([name]) => own.has(name))));
      resumed.load(Object.fromEntries(read.filter(([name]) => !own.has(name))));
      for (const optimiser of [trained, resumed]) step(optimiser);
      for (const [name, t] of Object.entries({ ...parameters, ...state })) {
        expect({ ...namedParameters(other), ...resumed.state() }[name]?.toArray(), name).toEqual(t.toArray());
      }
    }
  });
  test("a key with a dot, by which a parameter has the name of a state, is refused on saving", () => {
    const tree = { p: parameter(zeros([1])), "p.first": parameter(zeros([1])) };
    expect(() => new Adam(tree, { learningRate: 1 }).state()).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_NAME", given: "p.first" }),
    );
  });
});
