import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { load, loadRows, plane, store } from "./planes.js";

/**
 * Writes `r[…,i,:] = Σj wj · v[…,j,:]` with `wj = exp(sj − max s) / Σ exp(s − max s)` and
 * `sj = scale · Σ q[…,i,:]·k[…,j,:] + mask[…,i,j]`, for operands `[…batch, n, e]`, `[…batch, m, e]`, `[…batch, m, f]` and a
 * mask `[…batch, n, m]` of any strides. A mask of bool adds 0 where true, −Infinity where false. With causal, j is from
 * 0 to i only: what is beyond is not read.
 *
 * All in float64, every sum sequential from +0 in the order of its index, divided once at the end, rounded once. Scores
 * follow softmax: weight 0 at −Infinity, where v must be finite (0 · Infinity is NaN here, and nothing a caller may rely
 * on); NaN throughout where a score is NaN or +Infinity, where all are −Infinity, and where there is no key.
 * With u the unit roundoff of float64 the error is below `(2m + 16 + 4d) · u · Σ|w·v|`, d the largest over the keys of
 * `|s − max s| + (e + 2) · |scale| · Σ|q·k| + |mask|`: weights are as exact as their scores. Source: PyTorch
 * scaled_dot_product_attention.
 */
export function attention(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
): void {
  const out = outputs[0]!;
  const [q, k, v, mask] = inputs as [Operand, Operand, Operand, Operand?];
  const batch = out.shape.length - 2;
  const [n, f] = out.shape.slice(batch) as [number, number];
  const [m, e] = k.shape.slice(batch) as [number, number];
  const causal = ints[0] !== 0;
  const scale = floats[0]!;
  const keys = plane(0, m * e);
  const values = plane(1, m * f);
  const query = plane(2, e);
  const weights = plane(3, m);
  const sums = plane(4, f);
  let batches = 1;
  for (let axis = 0; axis < batch; axis++) batches *= out.shape[axis]!;
  for (let b = 0; b < batches; b++) {
    load("attention", k, batch, offsetOf(k, batch, b), keys);
    load("attention", v, batch, offsetOf(v, batch, b), values);
    for (let i = 0; i < n; i++) {
      const seen = causal ? Math.min(m, i + 1) : m;
      load("attention", q, batch + 1, offsetOf(q, batch, b) + i * q.strides[batch]!, query);
      if (mask === undefined) weights.fill(0, 0, seen);
      else loadMask(mask, offsetOf(mask, batch, b) + i * mask.strides[batch]!, mask.strides[batch + 1]!, seen, weights);
      const total = weigh(seen, e, scale, query, keys, weights);
      sums.fill(0, 0, f);
      for (let j = 0; j < seen; j++) {
        const weight = weights[j]!;
        for (let c = 0; c < f; c++) sums[c] = sums[c]! + weight * values[j * f + c]!;
      }
      for (let c = 0; c < f; c++) sums[c] = sums[c]! / total;
      store("attention", out, batch + 1, offsetOf(out, batch, b) + i * out.strides[batch]!, sums);
    }
  }
}

/** Turns what a mask adds into exponentials of scores, the largest one subtracted. Answers their sum. */
function weigh(
  m: number,
  e: number,
  scale: number,
  query: Float64Array,
  keys: Float64Array,
  weights: Float64Array,
): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < m; j++) {
    let sum = 0;
    for (let p = 0; p < e; p++) sum += query[p]! * keys[j * e + p]!;
    const score = scale * sum + weights[j]!;
    weights[j] = score;
    if (score > max) max = score;
  }
  let total = 0;
  for (let j = 0; j < m; j++) {
    const weight = Math.exp(weights[j]! - max);
    weights[j] = weight;
    total += weight;
  }
  return total;
}

/** Reads what a row of the mask adds to `m` scores. */
function loadMask(mask: Operand, at: number, stride: number, m: number, to: Float64Array): void {
  if (mask.dtype === "bool") {
    for (let j = 0; j < m; j++) to[j] = mask.data[at + j * stride] === 0 ? Number.NEGATIVE_INFINITY : 0;
  } else {
    rowOf("attention", loadRows, mask.dtype)(m, to, 0, mask.data, at, stride);
  }
}

/** Where batch number `b`, row-major, begins in an operand. */
function offsetOf(o: Operand, batch: number, b: number): number {
  let offset = o.offset;
  let rest = b;
  for (let axis = batch - 1; axis >= 0; axis--) {
    const extent = o.shape[axis]!;
    offset += (rest % extent) * o.strides[axis]!;
    rest = Math.floor(rest / extent);
  }
  return offset;
}
