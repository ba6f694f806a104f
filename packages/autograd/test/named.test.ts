import { Adam, loadParameters, type ModuleTree, namedParameters, parameter, parametersOf, Sgd } from "@sw/autograd";
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
    sgd.load({ "velocity.p": tensor([3, 4]) });
    expect(sgd.velocities[0]?.toArray()).toEqual([3, 4]);
    expect(sgd.state()).toEqual({ "velocity.p": sgd.velocities[0] });
    expect(new Sgd({ p }, { learningRate: 1 }).state()).toEqual({});
    expect(Object.keys(new Sgd(p, { learningRate: 1, momentum: 0.5 }).state())).toEqual(["velocity"]);
  });
  test("a state that does not fit changes nothing", () => {
    const p = parameter(zeros([2]));
    const adam = new Adam({ p }, { learningRate: 1 });
    const good = { "first.p": tensor([1, 1]), "second.p": tensor([1, 1]) };
    const steps = tensor([1], { dtype: "int32" });
    const bad: readonly (readonly [Record<string, Tensor>, string])[] = [
      [good, "SW_AUTOGRAD_NAME"],
      [{ ...good, steps, "first.q": tensor([1, 1]) }, "SW_AUTOGRAD_NAME"],
      [{ ...good, steps: tensor([1]) }, "SW_AUTOGRAD_STATE"],
      [{ ...good, steps: tensor([1, 1], { dtype: "int32" }) }, "SW_AUTOGRAD_STATE"],
      [{ ...good, steps: tensor([-1], { dtype: "int32" }) }, "SW_AUTOGRAD_STATE"],
      [{ ...good, steps, "second.p": tensor([1]) }, "SW_AUTOGRAD_STATE"],
    ];
    for (const [state, code] of bad) {
      expect(() => adam.load(state)).toThrow(expect.objectContaining({ code }));
      expect(adam.state()["first.p"]?.toArray()).toEqual([0, 0]);
      expect(adam.steps.toArray()).toEqual([0]);
    }
    adam.load({ ...good, steps });
    expect(adam.steps.toArray()).toEqual([1]);
  });
});
