import type { WasmBackend } from "@sw/kernels-wasm";
import type { Operand } from "@sw/tensor/seam";

/** A number that a kernel was measured with, and how far off it was. */
export interface Worst {
  /** The largest error, in units in the last place of the exact result; Infinity of a wrong special value. */
  ulp: number;
  at: number;
}

const bits = new Uint32Array(1);
const number = new Float32Array(bits.buffer);
const double = new Float64Array(1);
const high = new Uint32Array(double.buffer);

/** The distance of a float32 from the next larger one of its size: that of subnormal numbers is 2⁻¹⁴⁹. */
export function ulpOf(value: number): number {
  const size = Math.abs(value);
  if (size < 2 ** -126) return 2 ** -149;
  if (size >= 2 ** 128) return 2 ** 104;
  double[0] = size;
  return 2 ** ((high[1]! >> 20) - 1023 - 23);
}

/** The error of `got` where `exact` is the result; what rounds to infinity may be infinite. */
export function errorOf(got: number, exact: number): number {
  if (Number.isNaN(exact) || exact === 0 || !Number.isFinite(exact)) {
    return Object.is(got, exact) ? 0 : Number.POSITIVE_INFINITY;
  }
  if (!Number.isFinite(got)) {
    const sign = Math.sign(got) === Math.sign(exact);
    return sign && Math.abs(exact) >= 2 ** 128 - 2 ** 105 ? 0 : Number.POSITIVE_INFINITY;
  }
  // An error of less than half the smallest number may take the sign of a zero along.
  if (got === 0 && Math.sign(1 / got) !== Math.sign(exact)) return Number.POSITIVE_INFINITY;
  return Math.abs(got - exact) / ulpOf(exact);
}

const BLOCK = 2 ** 16;

/** Runs kernels of one input on float32 numbers given by their bits. */
export class Measure {
  private readonly input: Operand & { readonly data: Float32Array };
  private readonly output: Operand & { readonly data: Float32Array };
  private readonly patterns: Uint32Array;
  private readonly backend: WasmBackend;

  constructor(backend: WasmBackend) {
    this.backend = backend;
    const operand = (): Operand & { readonly data: Float32Array } => {
      const block = backend.memory.allocate(BLOCK * 4);
      const data = new Float32Array(backend.memory.bytes(block), block.address, BLOCK);
      return { dtype: "float32", data, offset: 0, shape: [BLOCK], strides: [1] };
    };
    // The first allocation may grow the memory, which ends windows made before.
    operand();
    operand();
    this.input = operand();
    this.output = operand();
    this.patterns = new Uint32Array(this.input.data.buffer, this.input.data.byteOffset, BLOCK);
  }

  /** Measures `count` patterns: `first`, `first + step`, …, modulo 2³². */
  run(kind: keyof WasmBackend["kernels"], exact: (x: number) => number, first: number, count: number, step = 1): Worst {
    const worst: Worst = { ulp: 0, at: 0 };
    const kernel = this.backend.kernels[kind];
    for (let done = 0; done < count; done += BLOCK) {
      const length = Math.min(BLOCK, count - done);
      for (let i = 0; i < length; i++) this.patterns[i] = first + (done + i) * step;
      const short = length === BLOCK ? {} : { shape: [length] };
      kernel([{ ...this.output, ...short }], [{ ...this.input, ...short }], [], []);
      const { data } = this.output;
      for (let i = 0; i < length; i++) {
        const x = this.input.data[i]!;
        const expected = exact(x);
        // Rounded correctly: no more than half a unit.
        if (worst.ulp >= 0.5 && data[i] === Math.fround(expected) && expected !== 0) continue;
        const ulp = errorOf(data[i]!, expected);
        if (ulp > worst.ulp) {
          worst.ulp = ulp;
          worst.at = x;
        }
      }
    }
    return worst;
  }
}

/** The bits of a float32. */
export function patternOf(value: number): number {
  number[0] = value;
  return bits[0]!;
}
