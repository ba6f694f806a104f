import type { Backend, Kernel, Operand } from "@sw/tensor/seam";

// The seam's own test backend: slow, plain, and enough to see what a kernel is handed.

type Numbers = { [i: number]: number };

/** Visits every element of loops of one shape, with each operand's position. */
export function everyElement(operands: readonly Operand[], visit: (positions: readonly number[]) => void): void {
  const shape = (operands[0] as Operand).shape;
  const walk = (axis: number, positions: readonly number[]): void => {
    if (axis === shape.length) {
      visit(positions);
      return;
    }
    for (let i = 0; i < (shape[axis] as number); i++) {
      walk(
        axis + 1,
        positions.map((p, k) => p + i * ((operands[k] as Operand).strides[axis] as number)),
      );
    }
  };
  walk(
    0,
    operands.map((o) => o.offset),
  );
}

function loops(compute: (...values: number[]) => number): Kernel {
  return ([out], inputs) => {
    everyElement([out as Operand, ...inputs], ([o, ...rest]) => {
      const values = rest.map((p, k) => ((inputs[k] as Operand).data as Numbers)[p] as number);
      ((out as Operand).data as Numbers)[o as number] = compute(...values);
    });
  };
}

const reduceSum: Kernel = ([out], [input]) => {
  const [o, x] = [out as Operand, input as Operand];
  // Once per element of the output, also where a reduced extent is 0.
  const kept = o.shape.map((extent, axis) => (o.strides[axis] === 0 ? 1 : extent));
  everyElement([{ ...o, shape: kept }], ([p]) => {
    (o.data as Numbers)[p as number] = 0;
  });
  everyElement([o, x], ([p, q]) => {
    (o.data as Numbers)[p as number] =
      ((o.data as Numbers)[p as number] as number) + ((x.data as Numbers)[q as number] as number);
  });
};

/** What the last call of any kernel was handed. */
export interface Seen {
  name: string;
  outputs: readonly Operand[];
  inputs: readonly Operand[];
  ints: readonly number[];
}

export function plainBackend(seen: Seen[] = []): Backend {
  const kernels: { [name: string]: Kernel } = {
    add: loops((a, b) => a + b),
    sub: loops((a, b) => a - b),
    mul: loops((a, b) => a * b),
    div: loops((a, b) => a / b),
    neg: loops((a) => -a),
    relu: loops((a) => (a < 0 ? 0 : a)),
    reluBackward: loops((g, y) => (y > 0 ? g : 0)),
    accumulate: ([out], [x]) => loops((a, b) => a + b)([out as Operand], [out as Operand, x as Operand], [], []),
    sum: reduceSum,
  };
  const watched = Object.entries(kernels).map(([name, kernel]): [string, Kernel] => [
    name,
    (outputs, inputs, ints, floats) => {
      seen.push({ name, outputs, inputs, ints });
      kernel(outputs, inputs, ints, floats);
    },
  ]);
  return { name: "plain", seamVersion: 1, kernels: Object.fromEntries(watched) };
}
