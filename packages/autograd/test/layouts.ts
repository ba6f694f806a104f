import { columnMajor, isInjective, type Layout, leaves, maxIndex, minIndex } from "@sw/layout";
import { fromBuffer, type Tensor, zeros } from "@sw/tensor";
import { expect } from "vitest";
import { type LayoutPair, layoutOf, normalForm } from "./view-vectors.js";

/** A layout and the values by ordinal, first mode fastest. */
export interface Values {
  readonly l: LayoutPair;
  readonly v: readonly number[];
}

/** The places in memory of a tensor's elements, first mode fastest: straight from the definition (LA-20). */
export function places(t: Tensor): number[] {
  const strides = leaves(t.layout.stride);
  let list = [t.offset];
  leaves(t.layout.shape).forEach((extent, i) => {
    const steps = Array.from({ length: extent }, (_, k) => k * (strides[i] as number));
    list = steps.flatMap((step) => list.map((place) => place + step));
  });
  return list;
}

/** The values of a float64 tensor by ordinal. */
export function byOrdinal(t: Tensor): number[] {
  const memory = t.buffer.view(Float64Array);
  return places(t).map((place) => memory[place] as number);
}

/** A float64 tensor of a layout, its values given by ordinal. */
export function laidBy(layout: Layout, v: readonly number[]): Tensor<"float64"> {
  const { buffer } = zeros([maxIndex(layout) - minIndex(layout) + 1], { dtype: "float64" });
  const t = fromBuffer("float64", buffer, layout, 0 - minIndex(layout));
  const memory = buffer.view(Float64Array);
  places(t).forEach((place, i) => {
    memory[place] = v[i] as number;
  });
  return t;
}

/** The layout that a cotangent of a tensor may have: its own, or where that repeats elements, the compact one. */
export function cotangentLayout(t: Tensor): Layout {
  return isInjective(t.layout) ? t.layout : columnMajor(t.layout.shape);
}

/** Compares a gradient with a vector: layout, strides of extents of 1 aside, and values. */
export function expectGrad(given: Tensor | undefined, expected: Values, label: string, collapse = false): void {
  expect(given, label).toBeDefined();
  const { layout } = given as Tensor;
  expect(normalForm([layout.shape, layout.stride], collapse), label).toEqual(normalForm(expected.l, collapse));
  expect(byOrdinal(given as Tensor), label).toEqual(expected.v.map((x) => x + 0));
}

/** A cotangent as a vector gives it: in its layout, or in the tensor's where one-child modes set them apart. */
export function cotangentOf(t: Tensor, g: Values, ours = false): Tensor<"float64"> {
  return laidBy(ours ? cotangentLayout(t) : layoutOf(g.l), g.v);
}
