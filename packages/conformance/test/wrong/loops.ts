import { dense, elementwise, positions, reference } from "../support.js";
import { afterwards, type Defect, isNumbers, seeing } from "./defect.js";

const add = reference("add");

/** Defects of the element-wise kernels and of the optimiser step. */
export const LOOP_DEFECTS: readonly Defect[] = [
  {
    what: "ignores the strides of inputs",
    kernels: { add: seeing(add, (o) => ({ ...o, strides: dense(o.shape) })) },
    caughtBy: "kernels/add/float32/transposed",
  },
  {
    what: "ignores the strides of the output",
    kernels: {
      neg: ([out], inputs) => reference("neg")([{ ...out!, strides: dense(out!.shape) }], inputs, [], []),
    },
    caughtBy: "kernels/neg/float64/gapped",
    code: "SW_CONFORMANCE_CANARY",
  },
  {
    what: "ignores the sign of strides",
    kernels: { sub: seeing(reference("sub"), (o) => ({ ...o, strides: o.strides.map(Math.abs) })) },
    caughtBy: "kernels/sub/float32/reversed",
  },
  {
    what: "takes a stride of 0 for 1",
    kernels: { mul: seeing(reference("mul"), (o) => ({ ...o, strides: o.strides.map((s) => (s === 0 ? 1 : s)) })) },
    caughtBy: "kernels/mul/float32/broadcast",
  },
  {
    what: "ignores the offset below a vector",
    kernels: { add: seeing(add, (o) => ({ ...o, offset: o.offset - (o.offset % 4) })) },
    caughtBy: "kernels/add/float32/offset",
  },
  {
    what: "is off by one in the tail",
    kernels: {
      exp: ([out], [input]) => {
        const last = out!.shape.length - 1;
        const shape = out!.shape.map((extent, axis) =>
          axis === last && extent > 4 && extent % 4 !== 0 ? extent - 1 : extent,
        );
        reference("exp")([{ ...out!, shape }], [{ ...input!, shape }], [], []);
      },
    },
    caughtBy: "kernels/exp/float32/sizes",
  },
  {
    what: "drops NaN in relu",
    kernels: { relu: elementwise((x) => (x > 0 ? x : 0)) },
    caughtBy: "kernels/relu/float32/special-values",
  },
  {
    what: "makes 0 of -0 in relu",
    kernels: { relu: elementwise((x) => (x <= 0 ? 0 : x)) },
    caughtBy: "kernels/relu/float64/special-values",
  },
  {
    what: "negates by subtracting from 0",
    kernels: {
      neg: afterwards(reference("neg"), ([out], [input]) => {
        if (isNumbers(out!)) elementwise((x) => 0 - x)([out!], [input!], [], []);
      }),
    },
    caughtBy: "kernels/neg/float32/special-values",
  },
  {
    what: "writes past the end",
    kernels: {
      add: afterwards(add, ([out]) => {
        if (isNumbers(out!)) out!.data[Math.max(...positions(out!)) + 1] = 0;
      }),
    },
    caughtBy: "kernels/add/float32/contiguous",
    code: "SW_CONFORMANCE_CANARY",
  },
  {
    what: "writes before the beginning",
    kernels: {
      div: afterwards(reference("div"), ([out]) => {
        out!.data[Math.min(...positions(out!)) - 1] = 0;
      }),
    },
    caughtBy: "kernels/div/float64/extent-1",
    code: "SW_CONFORMANCE_CANARY",
  },
  {
    what: "fills the gaps between elements",
    kernels: {
      relu: afterwards(reference("relu"), ([out]) => {
        const own = positions(out!);
        for (let at = Math.min(...own); at < Math.max(...own); at++) if (!own.includes(at)) out!.data[at] = 0;
      }),
    },
    caughtBy: "kernels/relu/float32/gapped",
    code: "SW_CONFORMANCE_CANARY",
  },
  {
    what: "field case 17: multiplies int32 in float64",
    kernels: {
      mul: afterwards(reference("mul"), ([out], inputs) => {
        if (out!.dtype === "int32") elementwise((x, y) => x * y)([out!], inputs, [], []);
      }),
    },
    caughtBy: "kernels/mul/int32/special-values",
  },
  {
    what: "adds int64 in float64",
    kernels: {
      add: (outputs, inputs, ints, floats) => {
        add(outputs, inputs, ints, floats);
        const out = outputs[0]!;
        if (out.dtype === "int64") for (const at of positions(out)) out.data[at] = BigInt(Number(out.data[at]));
      },
    },
    caughtBy: "kernels/add/int64/contiguous",
  },
  {
    what: "has an exponential of six digits",
    kernels: { exp: elementwise((x) => Math.exp(x) * (1 + 4e-7)) },
    caughtBy: "kernels/exp/float32/contiguous",
  },
  {
    what: "flushes subnormals to zero",
    kernels: {
      add: afterwards(add, ([out]) => {
        if (out!.dtype !== "float32") return;
        for (const at of positions(out!)) if (Math.abs(Number(out!.data[at])) < 2 ** -126) out!.data[at] = 0;
      }),
    },
    caughtBy: "kernels/add/float32/special-values",
  },
  {
    what: "adds overlapping contributions once",
    kernels: {
      accumulate: ([target], [source], ints, floats) => {
        if (!isNumbers(target!)) {
          reference("accumulate")([target!], [source!], ints, floats);
          return;
        }
        const before = positions(target!).map((at) => Number(target!.data[at]));
        const more = positions(source!).map((at) => Number(source!.data[at]));
        positions(target!).forEach((at, i) => {
          target!.data[at] = before[i]! + more[i]!;
        });
      },
    },
    caughtBy: "kernels/accumulate/float32/overlapping",
  },
  {
    what: "takes a Nesterov step for a plain one",
    kernels: { sgdStep: (outputs, inputs, _ints, floats) => reference("sgdStep")(outputs, inputs, [0], floats) },
    caughtBy: "kernels/sgdStep/float32/random",
  },
  {
    what: "forgets the velocity",
    kernels: {
      sgdStep: (outputs, inputs, ints, floats) => {
        const held = outputs[1]?.data.slice();
        reference("sgdStep")(outputs, inputs, ints, floats);
        if (held !== undefined) for (const at of positions(outputs[1]!)) outputs[1]!.data[at] = held[at]!;
      },
    },
    caughtBy: "kernels/sgdStep/float32/contiguous",
  },
  {
    what: "passes the cotangent where relu was 0",
    kernels: { reluBackward: elementwise((g, y) => (y < 0 ? 0 : g)) },
    caughtBy: "kernels/reluBackward/float32/special-values",
  },
  {
    what: "throws at lengths that are no multiple of four",
    kernels: {
      log: (outputs, inputs, ints, floats) => {
        if ((outputs[0]!.shape.at(-1) ?? 1) % 4 !== 0) throw new Error("not aligned");
        reference("log")(outputs, inputs, ints, floats);
      },
    },
    caughtBy: "kernels/log/float32/sizes",
    code: "SW_CONFORMANCE_THROWN",
  },
];
