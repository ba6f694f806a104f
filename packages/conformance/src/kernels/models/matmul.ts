import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, wide } from "../../bounds.js";
import { Accumulator } from "../../exact-sums.js";
import { contiguous } from "../../operands/forms.js";
import { sizeOf } from "../../operands/placing.js";
import type { DType } from "../../values.js";
import { type KernelModel, type OwnCase, ordinaryDraw, range } from "../model.js";
import { between, numbersOf, unwritten, valued } from "../plans.js";
import type { Expected, Plan } from "../sample.js";

// A problem is `[...batch, m, k, n]`.

function product(a: Plan, b: Plan, batches: number, m: number, k: number, n: number): Expected {
  const left = numbersOf(a);
  const right = numbersOf(b);
  const values: number[] = [];
  const magnitudes: number[] = [];
  // A product of two narrower floats is exact in float64: only those of float64 need more.
  const exact = a.dtype !== "float64";
  for (let batch = 0; batch < batches; batch++) {
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        const total = new Accumulator();
        for (let p = 0; p < k; p++) {
          const x = left[(batch * m + i) * k + p]!;
          const y = right[(batch * k + p) * n + j]!;
          if (exact) total.add(x * y);
          else total.addProduct(x, y);
        }
        const { sum, magnitude } = total.result();
        values.push(sum);
        magnitudes.push(magnitude);
      }
    }
  }
  return { values, magnitudes, terms: k };
}

/** One extent at a time beyond the blocks that products are cut into. */
const blocks = (sample: KernelModel["sample"]): OwnCase => ({
  name: "blocks",
  dtypes: ["float32", "float64"],
  samples: (dtype, source) =>
    [
      [5, 300, 9],
      [3, 1030, 5],
      [130, 3, 7],
      [260, 5, 6],
      [6, 5, 600],
      [4, 3, 1100],
      [66, 20, 70],
      [33, 257, 34],
    ].map((problem) => sample(dtype, problem, [contiguous, contiguous, contiguous], ordinaryDraw, source)),
});

const sample: KernelModel["sample"] = (dtype, problem, placers, draw, source) => {
  const batch = problem.slice(0, -3);
  const [m, k, n] = problem.slice(-3) as [number, number, number];
  const operand = (i: number, rows: number, columns: number): Plan => {
    const shape = [...batch, rows, columns];
    return valued(
      dtype,
      placers[i]!(shape),
      draw(i, dtype, sizeOf(shape), () => factor(dtype, source.next())),
    );
  };
  const a = operand(1, m, k);
  const b = operand(2, k, n);
  const output = unwritten(dtype, placers[0]!([...batch, m, n]));
  return {
    outputs: [output],
    inputs: [a, b],
    ints: [],
    floats: [],
    expected: () => [product(a, b, sizeOf(batch), m, k, n)],
  };

  function factor(d: DType, kind: number): number {
    return kind < 0.2 ? source.integer(-2, 2) + 0 : between(d, -2, 2, source);
  }
};

/** `matmul`. */
export function matmulModels(): readonly KernelModel[] {
  return [
    {
      spec: OPERATIONS.matmul,
      bound: accumulated("Σ|a·b|", { constant: 2, perTerm: 1 }),
      exactBound: wide("Σ|a·b|", { constant: 2, perTerm: 1 }),
      roles: ["out", "in", "in"],
      problems: [
        [4, 5, 6],
        [7, 3, 9],
        [3, 2, 4, 3],
        [2, 2, 3, 1, 5],
      ],
      sizes: [
        ...range(1, 67).flatMap((n) => [
          [3, 5, n],
          [n, 5, 3],
          [3, n, 5],
        ]),
        ...range(1, 19).map((n) => [n, n, n]),
      ],
      ones: [
        [1, 1, 1],
        [1, 5, 1],
        [4, 1, 5],
        [1, 3, 5],
        [5, 3, 1],
        [1, 1, 2, 3, 2],
      ],
      empty: [
        [3, 0, 4],
        [9, 0, 17],
        [2, 3, 0, 1],
        [1, 0, 1],
      ],
      small: [
        [1, 3, 1],
        [2, 3, 2],
        [5, 4, 9],
        [1, 9, 3],
      ],
      pointwise: false,
      largest: false,
      special: [1, 2],
      own: [blocks(sample)],
      randomProblem(source) {
        const batch = Array.from({ length: source.integer(0, 2) }, () => source.integer(1, 3));
        return [...batch, source.integer(1, 9), source.integer(1, 9), source.integer(1, 17)];
      },
      sample,
    },
  ];
}
