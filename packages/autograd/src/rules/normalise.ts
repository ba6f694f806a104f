import { div, mean, mul, neg, sub, type Tensor } from "@sw/tensor";
import { type BackwardRecord, type BackwardRule, derive, record as recorded, save, unpack } from "@sw/tensor/seam";
import { isGradEnabled } from "../mode.js";
import { inputShape, needs } from "./needs.js";
import { sumTo } from "./sum-to.js";

// What is normalised is n = (x − c·mean x)·r, with c = 1, or of rmsNorm 0; r is the inverse of the deviation, or of the
// root. Both are saved, and the cotangent of x goes through them: for a cotangent h of n it is
// r·(h − c·mean h − n·mean(h·n)), the means over the elements that were normalised together. So is the derivative of n
// itself, and that of r is −r²·n / N: a closed system, in which any order of derivative can be computed.

/** Which axes are normalised together, and what a row of weights and biases looks like beside x. */
interface Form {
  readonly over: readonly number[];
  readonly parameter: readonly number[];
  readonly centred: boolean;
}

/** The last axes, as many as the record says. */
function lastAxes(record: BackwardRecord, centred: boolean): Form {
  const shape = inputShape(record, 0);
  const first = shape.length - (record.ints[0] ?? 1);
  return { over: shape.map((_, axis) => axis).slice(first), parameter: shape.slice(first), centred };
}

/** All axes but that of the channels. */
function allButChannels(record: BackwardRecord): Form {
  const shape = inputShape(record, 0);
  const over = shape.map((_, axis) => axis).filter((axis) => axis !== 1);
  return { over, parameter: [shape[1] ?? 0, ...shape.slice(2).map(() => 1)], centred: true };
}

/** The cotangent of x for a cotangent h of n. */
function through(h: Tensor, n: Tensor, r: Tensor, { over, centred }: Form): Tensor {
  const average = (t: Tensor): Tensor => mean(t, { axes: over, keepAxes: true }) as Tensor;
  const along = mul(n, average(mul(h, n)));
  return mul(r, sub(centred ? sub(h, average(h)) : h, along));
}

/** Gives r, or its cotangent, the rank of x. */
function beside(r: Tensor, shape: readonly number[], { over }: Form): Tensor {
  return r.reshape(shape.map((extent, axis) => (over.includes(axis) ? 1 : extent)));
}

/**
 * The saved n and r, where history is written as functions of x: new handles with records of their own, which save these
 * handles, so that what is computed of the derivatives has derivatives again. Only the cotangent of x reads r, and that
 * of a bias neither.
 */
function parts(record: BackwardRecord, form: Form): { readonly n?: Tensor; readonly r?: Tensor } {
  const [x] = record.inputs;
  if (x?.node === undefined) return needs(record, 1) ? { n: unpack(record, 0) } : {};
  const n = unpack(record, 0);
  const r = unpack(record, 1);
  if (!isGradEnabled()) return { n, r };
  const handle = (t: Tensor): Tensor => derive(t, { layout: t.layout, start: 0 }, undefined, record.kind);
  const [ownN, ownR] = [handle(n), handle(r)];
  const history = { inputs: [x], saved: [save(ownN), save(ownR)] };
  const spreadR = (own: BackwardRecord): Tensor => beside(unpack(own, 1), x.shape, form);
  const size = form.over.reduce((product, axis) => product * (x.shape[axis] ?? 1), 1);
  return {
    n: recorded(ownN, {
      kind: `${record.kind}.normalised`,
      ...history,
      rule: (own, h) => [through(h, unpack(own, 0), spreadR(own), form)],
    }),
    r: recorded(ownR, {
      kind: `${record.kind}.inverse`,
      ...history,
      rule: (own, h) => {
        const inverse = spreadR(own);
        const scaled = mul(beside(h, x.shape, form), mul(inverse, inverse));
        return [neg(div(mul(scaled, unpack(own, 0)), size))];
      },
    }),
  };
}

function cotangents(record: BackwardRecord, g: Tensor, form: Form): readonly (Tensor | undefined)[] {
  const { n, r } = parts(record, form);
  const toParameter = (input: number, t: Tensor): Tensor => sumTo(t, form.parameter).reshape(inputShape(record, input));
  const all = [
    () => {
      const scaled = record.saved[2] === undefined ? g : mul(g, unpack(record, 2).reshape(form.parameter));
      return through(scaled, n as Tensor, beside(r as Tensor, inputShape(record, 0), form), form);
    },
    () => toParameter(1, mul(g, n as Tensor)),
    () => toParameter(2, g),
  ];
  return record.inputs.map((_, input) => (needs(record, input) ? all[input]?.() : undefined));
}

export const layerNorm: BackwardRule = (record, g) => cotangents(record, g, lastAxes(record, true));

export const rmsNorm: BackwardRule = (record, g) => cotangents(record, g, lastAxes(record, false));

export const batchNorm: BackwardRule = (record, g) => cotangents(record, g, allButChannels(record));
