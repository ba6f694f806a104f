import {
  backward,
  checkpoint,
  defineOp,
  enableGrad,
  grad,
  gradcheck,
  gradgradcheck,
  hvp,
  jacobian,
  noGrad,
  parameter,
  requiresGrad,
  retainGrad,
  valueAndGrad,
  vjp,
} from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { mul, setKernels, sum, tensor } from "@sw/tensor";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

/** A wrong value of any type. */
const wrong = (value: unknown): never => value as never;
const x = () => parameter(tensor([1, 2], { dtype: "float64" }));

// VA-86: what is of the wrong type is a TypeError, which names the function that was called, the value and what to give.
describe("an argument of the wrong type is refused by name", () => {
  test.each<[name: string, call: (value: unknown) => unknown]>([
    ["noGrad", (value) => noGrad(wrong(value))],
    ["enableGrad", (value) => enableGrad(wrong(value))],
    ["vjp", (value) => vjp(wrong(value), x())],
    ["jacobian", (value) => jacobian(wrong(value), x())],
    ["hvp", (value) => hvp(wrong(value), x(), x())],
    ["valueAndGrad", (value) => valueAndGrad(wrong(value))],
    ["gradcheck", (value) => gradcheck(wrong(value), [])],
    ["gradgradcheck", (value) => gradgradcheck(wrong(value), [])],
    ["checkpoint", (value) => checkpoint(wrong(value))],
    ["defineOp", (value) => defineOp({ name: "mine", forward: wrong(value), backward: () => [] })],
    ["defineOp", (value) => defineOp({ name: "mine", forward: () => x(), backward: wrong(value) })],
  ])("%s, for a function", (name, call) => {
    for (const value of [undefined, null, 3, "x", {}]) {
      expect(() => call(value)).toThrow(TypeError);
      expect(() => call(value)).toThrow(new RegExp(`^${name}: .* is no function: got .*, expected one`));
    }
  });

  test.each<[name: string, call: (value: unknown) => unknown]>([
    ["grad", (value) => grad(wrong(value), [x()])],
    ["grad", (value) => grad([sum(x())], wrong(value))],
    ["grad", (value) => grad([sum(x())], [x()], wrong(value))],
    ["gradcheck", (value) => gradcheck((a) => a as never, wrong(value))],
    ["gradgradcheck", (value) => gradgradcheck((a) => a as never, wrong(value))],
    ["checkpoint", (value) => checkpoint((a) => a, { generators: wrong(value) })],
  ])("%s, for a list", (name, call) => {
    for (const value of [null, 3, "x", {}, tensor(5)]) {
      expect(() => call(value)).toThrow(TypeError);
      expect(() => call(value)).toThrow(new RegExp(`^${name}: .* are no list: got .*, expected an array`));
    }
  });

  test.each<[name: string, call: (value: unknown) => unknown]>([
    ["backward", (value) => backward(sum(x()), undefined, wrong(value))],
    ["parameter", (value) => parameter(tensor([1]), wrong(value))],
    ["grad", (value) => grad([sum(x())], [x()], [], wrong(value))],
    ["gradcheck", (value) => gradcheck((a) => mul(a, a), [], wrong(value))],
    ["gradgradcheck", (value) => gradgradcheck((a) => a as never, [], wrong(value))],
    ["checkpoint", (value) => checkpoint((a) => a, wrong(value))],
    ["defineOp", (value) => defineOp(wrong(value))],
  ])("%s, for options", (name, call) => {
    for (const value of [null, 3, "x"]) {
      expect(() => call(value)).toThrow(TypeError);
      expect(() => call(value)).toThrow(new RegExp(`^${name}: the options are no object: got .*, expected \\{`));
    }
  });

  test.each<[name: string, call: (value: unknown) => unknown]>([
    ["requiresGrad", (value) => requiresGrad(wrong(value))],
    ["retainGrad", (value) => retainGrad(wrong(value))],
    ["grad", (value) => grad([sum(x())], [wrong(value)])],
    ["grad", (value) => grad([wrong(value)], [x()])],
  ])("%s, for a tensor", (name, call) => {
    for (const value of [undefined, null, 5, { node: {} }]) {
      expect(() => call(value)).toThrow(TypeError);
      expect(() => call(value)).toThrow(new RegExp(`^${name}: not a tensor: got `));
    }
  });
});
