import type { Operand } from "@sw/tensor/seam";
import { positions, reference } from "../support.js";
import { afterwards, type Defect } from "./defect.js";

const matmul = reference("matmul");
const sum = reference("sum");

/** A product whose terms are added up in float32, one after another. */
export function float32Product([out]: readonly Operand[], [a, b]: readonly Operand[]): void {
  const rank = out!.shape.length;
  const [m, n, k] = [out!.shape[rank - 2]!, out!.shape[rank - 1]!, a!.shape[rank - 1]!];
  const [to, left, right] = [positions(out!), positions(a!), positions(b!)];
  to.forEach((at, i) => {
    const [batch, row, column] = [Math.floor(i / (m * n)), Math.floor(i / n) % m, i % n];
    let total = 0;
    for (let p = 0; p < k; p++) {
      const x = Number(a!.data[left[(batch * m + row) * k + p]!]);
      const y = Number(b!.data[right[(batch * k + p) * n + column]!]);
      total = Math.fround(total + Math.fround(x * y));
    }
    out!.data[at] = total;
  });
}

function float32Sum([out]: readonly Operand[], [input]: readonly Operand[]): void {
  if (input!.dtype !== "float32") {
    sum([out!], [input!], [], []);
    return;
  }
  const to = positions(out!);
  const totals = new Map<number, number>(to.map((at) => [at, 0]));
  positions(input!).forEach((at, i) => {
    totals.set(to[i]!, Math.fround(totals.get(to[i]!)! + Number(input!.data[at])));
  });
  for (const [at, total] of totals) out!.data[at] = total;
  if (input!.shape.includes(0)) sum([out!], [input!], [], []);
}

let calls = 0;

/** Defects of reductions, products, normalisations and losses. */
export const STRUCTURAL_DEFECTS: readonly Defect[] = [
  {
    what: "uses an input as working memory",
    kernels: {
      softmax: afterwards(reference("softmax"), (_, [input]) => {
        input!.data[input!.offset] = 0;
      }),
    },
    caughtBy: "kernels/softmax/float32/contiguous",
    code: "SW_CONFORMANCE_INPUT",
  },
  {
    what: "adds to what the output held",
    kernels: {
      matmul: (outputs, inputs, ints, floats) => {
        const before = positions(outputs[0]!).map((at) => Number(outputs[0]!.data[at]));
        matmul(outputs, inputs, ints, floats);
        // As a kernel does that takes the small number of the first run for zeros.
        positions(outputs[0]!).forEach((at, i) => {
          outputs[0]!.data[at] = Number(outputs[0]!.data[at]) + before[i]!;
        });
      },
    },
    caughtBy: "kernels/matmul/float32/contiguous",
    code: "SW_CONFORMANCE_PREVIOUS",
  },
  {
    what: "leaves the output alone where there is nothing to add up",
    kernels: {
      matmul: (outputs, inputs, ints, floats) => {
        if (!inputs[0]!.shape.includes(0)) matmul(outputs, inputs, ints, floats);
      },
    },
    caughtBy: "kernels/matmul/float32/empty",
  },
  {
    what: "writes the gradient of a loss at the targets only",
    kernels: {
      nllLossBackward: (outputs, inputs, ints, floats) => {
        const out = outputs[0]!;
        const before = positions(out).map((at) => Number(out.data[at]));
        reference("nllLossBackward")(outputs, inputs, ints, floats);
        positions(out).forEach((at, i) => {
          if (Object.is(out.data[at], 0)) out.data[at] = before[i]!;
        });
      },
    },
    caughtBy: "kernels/nllLossBackward/float32/contiguous",
  },
  {
    what: "gives other bits now and then",
    kernels: {
      mean: afterwards(reference("mean"), ([out]) => {
        calls += 1;
        if (calls % 5 === 0 && out!.dtype === "float32") {
          for (const at of new Set(positions(out!))) out!.data[at] = Number(out!.data[at]) * (1 + 2 ** -23);
        }
      }),
    },
    caughtBy: "kernels/mean/float32/sizes",
    code: "SW_CONFORMANCE_REPEAT",
  },
  {
    what: "lets the last of equals win in argmax",
    kernels: {
      argmax: ([out], [input]) => {
        const n = input!.shape.at(-1)!;
        const values = positions(input!).map((at) => input!.data[at]!);
        positions(out!).forEach((at, i) => {
          let best = 0;
          for (let j = 1; j < n; j++) {
            const [x, y] = [values[i * n + j]!, values[i * n + best]!];
            if (Number.isNaN(y)) break;
            if (x >= y || Number.isNaN(x)) best = j;
          }
          out!.data[at] = BigInt(best);
        });
      },
    },
    caughtBy: "kernels/argmax/int32/ties",
  },
  {
    what: "never lets NaN win in argmax",
    kernels: {
      argmax: ([out], [input]) => {
        const n = input!.shape.at(-1)!;
        const values = positions(input!).map((at) => input!.data[at]!);
        positions(out!).forEach((at, i) => {
          let best = 0;
          for (let j = 1; j < n; j++) if (values[i * n + j]! > values[i * n + best]!) best = j;
          out!.data[at] = BigInt(best);
        });
      },
    },
    caughtBy: "kernels/argmax/float32/special-values",
  },
  {
    what: "field case 17: sums in float32, one after another",
    kernels: { sum: float32Sum },
    caughtBy: "kernels/sum/float32/large-and-small-terms",
  },
  {
    what: "sums integers in 32 bits",
    kernels: {
      sum: afterwards(sum, ([out]) => {
        if (out!.dtype !== "int64") return;
        for (const at of new Set(positions(out!))) out!.data[at] = BigInt.asIntN(32, out!.data[at] as bigint);
      }),
    },
    caughtBy: "kernels/sum/int32/wide-integers",
  },
  {
    what: "does not subtract the largest element in softmax",
    kernels: {
      softmax: ([out], [input]) => {
        const n = input!.shape.at(-1)!;
        const e = positions(input!).map((at) => Math.fround(Math.exp(Number(input!.data[at]))));
        positions(out!).forEach((at, i) => {
          const start = i - (i % n);
          let total = 0;
          for (let j = 0; j < n; j++) total = Math.fround(total + e[start + j]!);
          out!.data[at] = e[i]! / total;
        });
      },
    },
    caughtBy: "kernels/softmax/float32/random",
  },
  {
    what: "takes the logarithm of a rounded softmax",
    kernels: {
      logSoftmax: (outputs, inputs, ints, floats) => {
        reference("softmax")(outputs, inputs, ints, floats);
        for (const at of positions(outputs[0]!)) outputs[0]!.data[at] = Math.log(Number(outputs[0]!.data[at]));
      },
    },
    caughtBy: "kernels/logSoftmax/float32/random",
  },
  {
    what: "divides a mean by the innermost extent only",
    kernels: {
      mean: (outputs, inputs, ints, floats) => {
        sum(outputs, inputs, ints, floats);
        const n = inputs[0]!.shape.at(-1) ?? 1;
        for (const at of new Set(positions(outputs[0]!))) outputs[0]!.data[at] = Number(outputs[0]!.data[at]) / n;
      },
    },
    caughtBy: "kernels/mean/float32/contiguous",
  },
  {
    what: "multiplies by the transposed matrix where it is square",
    kernels: {
      matmul: (outputs, [a, b], ints, floats) => {
        const strides = [...b!.strides];
        if (b!.shape.at(-1) === b!.shape.at(-2)) strides.push(...strides.splice(-2).reverse());
        matmul(outputs, [a!, { ...b!, strides }], ints, floats);
      },
    },
    caughtBy: "kernels/matmul/float32/sizes",
  },
  {
    what: "forgets what lies beyond a block of the depth",
    kernels: {
      matmul: (outputs, [a, b], ints, floats) => {
        const k = Math.min(512, a!.shape.at(-1)!);
        const shorter = (o: Operand, axis: number): Operand => ({ ...o, shape: o.shape.with(axis, k) });
        matmul(outputs, [shorter(a!, -1), shorter(b!, -2)], ints, floats);
      },
    },
    caughtBy: "kernels/matmul/float32/blocks",
  },
  {
    what: "skips products by zero, and so hides infinities",
    kernels: {
      matmul: ([out], [a, b], ints, floats) => {
        const clean = { ...b!, data: b!.data.slice() } as Operand;
        for (let i = 0; i < clean.data.length; i++) if (!Number.isFinite(clean.data[i])) clean.data[i] = 0;
        matmul([out!], [a!, clean], ints, floats);
      },
    },
    caughtBy: "kernels/matmul/float64/special-values",
  },
  {
    what: "takes any class number",
    kernels: {
      nllLoss: (outputs, inputs, ints, floats) => {
        try {
          reference("nllLoss")(outputs, inputs, ints, floats);
        } catch {
          outputs[0]!.data[outputs[0]!.offset] = 0;
        }
      },
    },
    caughtBy: "kernels/nllLoss/float32/target-out-of-range",
    code: "SW_CONFORMANCE_ACCEPTED",
  },
  {
    what: "writes before it refuses a class number",
    kernels: {
      nllLossBackward: (outputs, inputs, ints, floats) => {
        outputs[0]!.data[outputs[0]!.offset] = 0;
        reference("nllLossBackward")(outputs, inputs, ints, floats);
      },
    },
    caughtBy: "kernels/nllLossBackward/float64/target-out-of-range",
    code: "SW_CONFORMANCE_CANARY",
  },
];
