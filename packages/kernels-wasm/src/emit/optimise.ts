import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, repeatIfAny } from "../kernels/loops.js";

// Steps of optimisers: a pass over elements that lie side by side, in float64 throughout, each output rounded once. So
// they have the bits of the kernels in JavaScript.

type Vector = Local<"v128">;
/** Puts a value on the stack. */
type Value = () => void;

const LOW = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const UPPER = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];
const NEGATIVE_ZERO = Array.from(new Uint8Array(new Float64Array([-0, -0]).buffer));

/** What a step sees of two elements: values to read, and what sets them. */
interface Step {
  readonly f: FunctionBuilder;
  readonly get: (name: string) => Value;
  readonly set: (name: string, value: Value) => void;
  readonly op: (name: "add" | "sub" | "mul" | "div", a: Value, b: Value) => Value;
}

/**
 * Emits `count, …operands, …numbers, …flags`: for every element a step that changes the first operands, all but the last,
 * in place. Numbers are f64, flags i32; in the step they are vectors, flags as masks.
 */
function emitStep(
  module: ModuleBuilder,
  name: string,
  operands: readonly string[],
  numbers: readonly string[],
  flags: readonly string[],
  step: (s: Step) => void,
): void {
  const parameters: Record<string, "i32" | "f64"> = { count: "i32" };
  for (const operand of operands) parameters[operand] = "i32";
  for (const number of numbers) parameters[number] = "f64";
  for (const flag of flags) parameters[flag] = "i32";
  module.function(name, parameters, [], (f, given) => {
    const p = given as unknown as Record<string, Local<"i32">>;
    const left = f.local("i32", "left");
    const values: Record<string, Vector> = {};
    const value = (key: string): Vector => {
      values[key] ??= f.local("v128", key);
      return values[key];
    };
    const changed = operands.slice(0, -1);
    const get =
      (key: string): Value =>
      () =>
        f.get(value(key));
    const s: Step = {
      f,
      get,
      set: (key, from) => {
        from();
        f.set(value(key));
      },
      op: (operation, a, b) => () => {
        a();
        b();
        f.op(`f64x2.${operation}`);
      },
    };
    for (const number of numbers) {
      f.get(given[number] as Local<"f64">)
        .op("f64x2.splat")
        .set(value(number));
    }
    for (const flag of flags) f.i32(0).get(p[flag]!).op("i32.sub").op("i32x4.splat").set(value(flag));
    for (const [load, elements] of [
      ["v128.load", 4],
      ["v128.load32_zero", 1],
    ] as const) {
      f.get(p["count"]!);
      if (elements === 4) f.i32(2).op("i32.shr_u");
      else f.i32(3).op("i32.and");
      f.set(left);
      repeatIfAny(f, left, () => {
        for (const operand of operands)
          f.get(p[operand]!)
            .op(load)
            .set(value(`${operand}s`));
        for (const half of elements === 4 ? ["low", "high"] : ["low"]) {
          for (const operand of operands) {
            f.get(value(`${operand}s`));
            if (half === "high") f.get(value(`${operand}s`)).op("i8x16.shuffle", UPPER);
            f.op("f64x2.promote_low_f32x4").set(value(operand));
          }
          step(s);
          for (const operand of changed) {
            f.get(value(operand))
              .op("f32x4.demote_f64x2_zero")
              .set(value(`${operand} ${half}`));
          }
        }
        for (const operand of changed) {
          f.get(p[operand]!).get(value(`${operand} low`));
          if (elements === 4)
            f.get(value(`${operand} high`))
              .op("i8x16.shuffle", LOW)
              .op("v128.store");
          else f.op("v128.store32_lane", 0, 0);
        }
        for (const operand of operands) advance(f, p[operand]!, 4 * elements);
      });
    }
  });
}

/** `gradient + weightDecay · parameter`, and the gradient itself where there is no decay, whatever the parameter is. */
function decayed({ f, get, op }: Step): Value {
  return op("add", get("gradient"), () => {
    op("mul", get("weightDecay"), get("parameter"))();
    // What nothing is added by is -0.
    f.op("v128.const", NEGATIVE_ZERO);
    get("decays")();
    f.op("v128.bitselect");
  });
}

/** Emits the steps of stochastic gradient descent, without and with a velocity, and that of Adam. */
export function emitOptimisers(module: ModuleBuilder): void {
  emitStep(module, "sgd", ["parameter", "gradient"], ["learningRate", "weightDecay"], ["decays"], (s) => {
    const { get, set, op } = s;
    set("parameter", op("sub", get("parameter"), op("mul", get("learningRate"), decayed(s))));
  });
  const momentum = ["learningRate", "momentum", "weightDecay"];
  emitStep(module, "sgdMomentum", ["parameter", "velocity", "gradient"], momentum, ["decays", "nesterov"], (s) => {
    const { f, get, set, op } = s;
    set("d", decayed(s));
    set("velocity", op("add", op("mul", get("momentum"), get("velocity")), get("d")));
    const step: Value = () => {
      op("add", get("d"), op("mul", get("momentum"), get("velocity")))();
      get("velocity")();
      get("nesterov")();
      f.op("v128.bitselect");
    };
    set("parameter", op("sub", get("parameter"), op("mul", get("learningRate"), step)));
  });
  const adam = ["learningRate", "beta1", "beta2", "epsilon", "weightDecay", "correction1", "correction2"];
  const rest = ["rest1", "rest2", "kept"];
  emitStep(module, "adam", ["parameter", "first", "second", "gradient"], [...adam, ...rest], ["decays"], (s) => {
    const { f, get, set, op } = s;
    set("d", decayed(s));
    set("first", op("add", op("mul", get("beta1"), get("first")), op("mul", get("rest1"), get("d"))));
    const square = op("mul", get("d"), get("d"));
    set("second", op("add", op("mul", get("beta2"), get("second")), op("mul", get("rest2"), square)));
    const root: Value = () => {
      op("div", get("second"), get("correction2"))();
      f.op("f64x2.sqrt");
    };
    const ratio = op("div", op("div", get("first"), get("correction1")), op("add", root, get("epsilon")));
    const kept = op("mul", get("parameter"), get("kept"));
    set("parameter", op("sub", kept, op("mul", get("learningRate"), ratio)));
  });
}
