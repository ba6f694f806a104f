import type { Shape } from "@sw/layout";
import { type IndexEntry, type Tensor, views } from "@sw/tensor";
import {
  coordinatesOf,
  type ElementMap,
  extentsOf,
  hasStrides,
  inFirstFastestOrder,
  picked,
  stepOf,
} from "./element-map.js";

// Steps of a chain of views: what the library is called with, and what must come of it by the definition of the view.
// Random integers choose the arguments, wrong ones among them.

/** What must come of a step: a view, a copy of the elements in order, no view, or an error. */
export type Outcome = { readonly view: ElementMap } | { readonly copy: ElementMap } | "none" | "refused";
export type Step = readonly [call: (t: Tensor) => Tensor | undefined, outcome: Outcome];
/** Makes a step, by six random integers of 0 or more; none where the step says nothing of such a tensor. */
export type StepMaker = (m: ElementMap, n: readonly number[]) => Step | undefined;

const MAX_RANK = 8;
const MAX_SIZE = 300;

/** An integer from `low` to `high`, by entry `i` of random ones. */
function within(low: number, high: number, n: readonly number[], i: number): number {
  return low + ((n[i % n.length] as number) % (high - low + 1));
}

/** One time in eight. */
const isRare = (n: readonly number[], i: number): boolean => within(0, 7, n, i) === 0;

const shows = (view: ElementMap): Outcome => (view.shape.length > MAX_RANK ? "refused" : { view });
const isLeaf = (m: ElementMap, axis: number): boolean => typeof m.shape[axis] === "number";
const product = (extents: readonly number[]): number => extents.reduce((size, extent) => size * extent, 1);

/** An axis of so many, that now and then does not exist, and how it is given: some count from the end. */
function axisOf(count: number, n: readonly number[], i: number): { given: number; axis: number | undefined } {
  if (count === 0 || isRare(n, i + 1)) return { given: count, axis: undefined };
  const axis = within(0, count - 1, n, i);
  return { given: within(0, 1, n, i + 1) === 0 ? axis : axis - count, axis };
}

function permuted(m: ElementMap, order: readonly number[]): Outcome {
  const shape = order.map((axis) => m.shape[axis] as Shape[number]);
  return shows(picked(m, shape, (c) => order.map((_, axis) => c[order.indexOf(axis)] as number)));
}

/** Some order of the axes; now and then a list that is none. */
function orderOf(m: ElementMap, n: readonly number[]): { order: number[]; outcome: Outcome } {
  const order = m.shape.map((_, axis) => axis);
  for (let i = order.length - 1; i > 0; i--) {
    const j = within(0, i, n, i);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return isRare(n, 0) ? { order: [...order, 0], outcome: "refused" } : { order, outcome: permuted(m, order) };
}

/** The same elements, row-major, in another shape. */
const inShape = (m: ElementMap, shape: Shape): ElementMap => ({ shape, places: m.places });

/** Some shape of as many elements; now and then of more. */
function reshapeOf(m: ElementMap, n: readonly number[]): { given: number[]; target: ElementMap | undefined } {
  const shape: number[] = [];
  let rest = m.places.length;
  for (let i = 0; i < 3 && rest > 1; i++) {
    const divisors = Array.from({ length: rest }, (_, k) => k + 1).filter((k) => rest % k === 0);
    const extent = divisors[within(0, divisors.length - 1, n, i)] as number;
    shape.push(extent);
    rest /= extent;
  }
  if (rest !== 1 || within(0, 2, n, 3) === 0) shape.push(rest);
  const target = inShape(m, shape);
  if (isRare(n, 4)) return { given: [...shape, 2], target: rest === 0 ? inShape(m, [...shape, 2]) : undefined };
  // One extent is left to be found, where it can be.
  if (rest === 0 || shape.length === 0 || within(0, 1, n, 5) === 0) return { given: shape, target };
  return { given: shape.with(within(0, shape.length - 1, n, 3), -1), target };
}

const permute: StepMaker = (m, n) => {
  const { order, outcome } = orderOf(m, n);
  return [(t) => t.permute(order), outcome];
};

const transpose: StepMaker = (m, n) => {
  const [a, b] = [axisOf(m.shape.length, n, 0), axisOf(m.shape.length, n, 2)];
  const call = (t: Tensor): Tensor => t.transpose(a.given, b.given);
  if (a.axis === undefined || b.axis === undefined) return [call, "refused"];
  const order = m.shape.map((_, axis) => axis);
  order[a.axis] = b.axis;
  order[b.axis] = a.axis;
  return [call, permuted(m, order)];
};

const reverse: StepMaker = (m) => [(t) => t.T, permuted(m, m.shape.map((_, axis) => axis).reverse())];

const slice: StepMaker = (m, n) => {
  const { given, axis } = axisOf(m.shape.length, n, 0);
  const extent = axis === undefined ? 1 : (extentsOf(m.shape)[axis] as number);
  const start = within(isRare(n, 5) ? -1 : 0, extent, n, 2);
  const end = isRare(n, 4) ? within(start - 1, extent + 1, n, 3) : within(start, extent, n, 3);
  const step = within(isRare(n, 3) ? 0 : 1, 3, n, 4);
  const call = (t: Tensor): Tensor => t.slice(given, start, end, step);
  const isWhole = start === 0 && end === extent && step === 1;
  const fits = axis !== undefined && start >= 0 && start <= end && end <= extent && step > 0;
  if (!fits || !(isLeaf(m, axis) || isWhole)) return [call, "refused"];
  const shape = isWhole ? m.shape : m.shape.with(axis, Math.ceil((end - start) / step));
  return [call, shows(picked(m, shape, (c) => c.with(axis, start + step * (c[axis] as number))))];
};

const select: StepMaker = (m, n) => {
  const { given, axis } = axisOf(m.shape.length, n, 0);
  const extent = axis === undefined ? 0 : (extentsOf(m.shape)[axis] as number);
  const index = isRare(n, 3) ? within(-1, extent, n, 2) : within(0, Math.max(0, extent - 1), n, 2);
  const call = (t: Tensor): Tensor => t.select(given, index);
  if (axis === undefined || index < 0 || index >= extent) return [call, "refused"];
  return [call, shows(picked(m, m.shape.toSpliced(axis, 1), (c) => c.toSpliced(axis, 0, index)))];
};

const flip: StepMaker = (m, n) => {
  const { given, axis } = axisOf(m.shape.length, n, 0);
  if (axis === undefined || !isLeaf(m, axis)) return [(t) => t.flip(given), "refused"];
  const last = (m.shape[axis] as number) - 1;
  return [(t) => t.flip(given), shows(picked(m, m.shape, (c) => c.with(axis, last - (c[axis] as number))))];
};

/** `t.unsqueeze` and `views.unsqueeze` differ in a stride that is never taken. */
function unsqueezeBy(call: (t: Tensor, axis: number) => Tensor): StepMaker {
  return (m, n) => {
    const { given, axis } = axisOf(m.shape.length + 1, n, 0);
    const outcome = axis === undefined ? "refused" : shows(inShape(m, m.shape.toSpliced(axis, 0, 1)));
    return [(t) => call(t, given), outcome];
  };
}

function squeezeBy(call: (t: Tensor, axis: number) => Tensor): StepMaker {
  return (m, n) => {
    const ones = m.shape.flatMap((extent, axis) => (extent === 1 ? [axis] : []));
    const isOne = ones.length > 0 && !isRare(n, 2);
    const axis = isOne ? (ones[within(0, ones.length - 1, n, 0)] as number) : axisOf(m.shape.length, n, 0).given;
    const place = axis < 0 ? axis + m.shape.length : axis;
    const outcome = m.shape[place] === 1 ? shows(inShape(m, m.shape.toSpliced(place, 1))) : "refused";
    return [(t) => call(t, axis), outcome];
  };
}

const squeezeAll: StepMaker = (m) => {
  const isRefused = extentsOf(m.shape).some((extent, axis) => extent === 1 && !isLeaf(m, axis));
  const shape = m.shape.filter((extent) => extent !== 1);
  return [(t) => t.squeeze(), isRefused ? "refused" : shows(inShape(m, shape))];
};

const expand: StepMaker = (m, n) => {
  const extents = extentsOf(m.shape);
  const added = Array.from({ length: within(0, 2, n, 0) }, (_, i) => within(0, 2, n, i + 1));
  const kept = extents.map((extent, axis) => (extent === 1 || isRare(n, axis) ? within(0, 3, n, axis + 2) : extent));
  const target = [...added, ...kept];
  if (product(target) > MAX_SIZE) return undefined;
  if (extents.some((extent, axis) => extent !== 1 && extent !== kept[axis]))
    return [(t) => t.expand(target), "refused"];
  const modes = kept.map((extent, axis) => (extent === extents[axis] ? (m.shape[axis] as Shape[number]) : extent));
  const source = (c: readonly number[]): number[] =>
    extents.map((extent, axis) => (extent === 1 ? 0 : (c[added.length + axis] as number)));
  return [(t) => t.expand(target), shows(picked(m, [...added, ...modes], source))];
};

function reshapeBy(call: (t: Tensor, shape: number[]) => Tensor | undefined, orElse: Outcome | "copy"): StepMaker {
  return (m, n) => {
    const { given, target } = reshapeOf(m, n);
    const outcome = (): Outcome => {
      if (target === undefined) return "refused";
      if (hasStrides(target)) return shows(target);
      return orElse === "copy" ? { copy: { shape: target.shape, places: target.places.map((_, i) => i) } } : orElse;
    };
    return [(t) => call(t, given), outcome()];
  };
}

const window: StepMaker = (m, n) => {
  const size = m.places.length;
  const shape = [within(0, 3, n, 0), within(1, 3, n, 1)];
  const [rows = 0, columns = 0] = [within(0, 4, n, 2) - 1, within(0, 3, n, 3) - 1];
  const offset = isRare(n, 5) ? -1 : within(0, Math.max(0, size - 1), n, 4);
  const call = (t: Tensor): Tensor => t.window({ shape, strides: [rows, columns], offset });
  const run = inShape(m, [size]);
  const ordinalOf = (c: readonly number[]): number => offset + (c[0] as number) * rows + (c[1] as number) * columns;
  const leaves = coordinatesOf(shape).some((c) => ordinalOf(c) < 0 || ordinalOf(c) >= size);
  if (offset < 0 || leaves || !hasStrides(run)) return [call, "refused"];
  return [call, shows(picked(run, shape, (c) => [ordinalOf(c)]))];
};

/** The indices that a slice takes of an axis, counted one by one. */
function counted(extent: number, start: number, stop: number, step: number): number[] {
  const all = Array.from({ length: extent }, (_, i) => i);
  const ahead = step > 0 ? all.slice(start, stop) : all.slice(stop + 1, start + 1).reverse();
  return ahead.filter((_, i) => i % Math.abs(step) === 0);
}

const index: StepMaker = (m, n) => {
  const key: IndexEntry[] = [];
  const shape: Shape[number][] = [];
  const parts: { row: readonly number[]; axis: number | undefined }[] = [];
  let isRefused = false;
  const take = (entry: IndexEntry, row: readonly number[], mode: Shape[number]): void => {
    key.push(entry);
    parts.push({ row, axis: shape.length });
    shape.push(mode);
  };
  extentsOf(m.shape).forEach((extent, axis) => {
    const mode = m.shape[axis] as Shape[number];
    const whole = counted(extent, 0, extent, 1);
    const [start, stop, step] = [within(0, extent, n, axis), within(0, extent, n, axis + 1), within(1, 3, n, axis + 2)];
    const kind = within(0, 4, n, axis + 3);
    if (kind === 0 && extent > 0) {
      const at = within(0, extent - 1, n, axis);
      key.push(step === 1 ? at : at - extent);
      parts.push({ row: [at], axis: undefined });
    } else if (kind === 1) {
      key.push(null);
      shape.push(1);
      take({}, whole, mode);
    } else if (kind === 2 || extent === 0) take({}, whole, mode);
    else {
      const forward = counted(extent, start, stop, step);
      const backward = counted(extent, extent - 1, start - 1, -step);
      const row = kind === 3 ? forward : backward;
      // Bounds count from the end, or lie past it.
      const entry =
        kind === 3
          ? { start: start === extent ? 99 : start - extent, stop: stop === extent ? 99 : stop, step }
          : { step: -step, ...(start > 0 ? { stop: start - 1 } : {}) };
      if (!isLeaf(m, axis)) isRefused ||= kind !== 3 || start !== 0 || row.length !== extent || step !== 1;
      take(entry, row, isLeaf(m, axis) ? row.length : mode);
    }
  });
  if (isRare(n, 5)) return [(t) => t.index([...key, 0]), "refused"];
  const call = (t: Tensor): Tensor => t.index(within(0, 1, n, 4) === 0 ? key : textOf(key));
  if (isRefused) return [call, "refused"];
  const source = (c: readonly number[]): number[] =>
    parts.map(({ row, axis }) => row[axis === undefined ? 0 : (c[axis] as number)] as number);
  return [call, shows(picked(m, shape, source))];
};

/** A key as text. */
function textOf(key: readonly IndexEntry[]): string {
  if (key.length === 0) return "...";
  const one = (entry: IndexEntry): string => {
    if (entry === null) return "None";
    if (typeof entry !== "object") return String(entry);
    return `${entry.start ?? ""}:${entry.stop ?? ""}:${entry.step ?? ""}`;
  };
  return key.map(one).join(", ");
}

const viewsPermute: StepMaker = (m, n) => {
  const { order, outcome } = orderOf(m, n);
  return [(t) => views.permute(t, ...order), outcome];
};

const viewsSlice: StepMaker = (m, n) => {
  const mode = within(0, Math.max(0, m.shape.length - 1), n, 0);
  const extent = extentsOf(m.shape)[mode];
  if (extent === undefined || extent === 0) return undefined;
  const whole = m.shape.map(() => ({}));
  // No slice is empty, not even the whole of an empty mode.
  const isRefused = m.shape.some((other, i) => i !== mode && other === 0);
  const start = within(0, extent - 1, n, 1);
  if (m.shape.length > 1 && within(0, 1, n, 2) === 0) {
    const view = picked(m, m.shape.toSpliced(mode, 1), (c) => c.toSpliced(mode, 0, start));
    return [(t) => views.slice(t, whole.with(mode, start as never)), isRefused ? "refused" : shows(view)];
  }
  const step = within(1, 3, n, 3);
  const call = (t: Tensor): Tensor => views.slice(t, whole.with(mode, { start, step }));
  if (isRefused || !isLeaf(m, mode) || (extent - start) % step !== 0) return [call, "refused"];
  const shape = m.shape.with(mode, (extent - start) / step);
  return [call, shows(picked(m, shape, (c) => c.with(mode, start + step * (c[mode] as number))))];
};

/** The shape with some extents replaced: of modes of extent 1 mostly, which alone is right. */
function widened(m: ElementMap, n: readonly number[]): { shape: Shape; isRight: boolean } {
  const shape = m.shape.map((mode, i) => (mode === 1 || isRare(n, i) ? within(0, 3, n, i + 1) : mode));
  return { shape, isRight: shape.every((mode, i) => mode === m.shape[i] || m.shape[i] === 1) };
}

const viewsBroadcastTo: StepMaker = (m, n) => {
  const { shape, isRight } = widened(m, n);
  if (product(extentsOf(shape)) > MAX_SIZE) return undefined;
  const call = (t: Tensor): Tensor => views.broadcastTo(t, shape);
  if (!isRight) return [call, "refused"];
  return [call, shows(picked(m, shape, (c) => c.map((digit, i) => (m.shape[i] === 1 ? 0 : digit))))];
};

const viewsBroadcastInDim: StepMaker = (m, n) => {
  const { shape: modes, isRight } = widened(m, n);
  const added = within(0, m.shape.length, n, 0);
  const shape = modes.toSpliced(added, 0, within(0, 3, n, 1));
  if (product(extentsOf(shape)) > MAX_SIZE) return undefined;
  const places = m.shape.map((_, i) => (i < added ? i : i + 1));
  const call = (t: Tensor): Tensor => views.broadcastInDim(t, shape, places);
  if (!isRight) return [call, "refused"];
  const source = (c: readonly number[]): number[] =>
    places.map((place, i) => (m.shape[i] === 1 ? 0 : (c[place] as number)));
  return [call, shows(picked(m, shape, source))];
};

/** The first two modes become one, the first of them the fastest in it. */
const viewsNest: StepMaker = (m) => {
  const [first, second, ...rest] = m.shape;
  if (first === undefined || second === undefined) return undefined;
  const modes = m.shape.map((_, i) => i);
  const [inner = 0] = extentsOf([first]);
  const shape: Shape = [[first, second], ...rest];
  const view = picked(m, shape, ([c = 0, ...others]) => [c % inner, Math.floor(c / inner), ...others]);
  return [(t) => views.rearrange(t, [[0, 1], ...modes.slice(2)], modes), shows(view)];
};

const viewsReshape: StepMaker = (m, n) => {
  const { given, target } = reshapeOf(m, n.with(5, 0));
  const call = (t: Tensor): Tensor => views.reshape(t, given);
  if (target === undefined) return [call, "refused"];
  const run = inFirstFastestOrder(m);
  if (!hasStrides(run) || (stepOf(run, 0) ?? 0) < 0) return [call, "refused"];
  const extents = extentsOf(target.shape);
  const ordinalOf = (c: readonly number[]): number =>
    c.reduceRight((ordinal, digit, axis) => ordinal * (extents[axis] as number) + digit, 0);
  return [call, shows(picked(run, target.shape, (c) => [ordinalOf(c)]))];
};

const viewsAsStrided: StepMaker = (m, n) => {
  const [extent, stride] = [within(1, 4, n, 0), within(0, 4, n, 1)];
  const call = (t: Tensor): Tensor => views.asStrided(t, [extent], [stride]);
  if ((extent - 1) * stride >= m.places.length) return [call, "refused"];
  const view = picked(inFirstFastestOrder(m), [extent], ([c = 0]) => [c * stride]);
  const isOnce = extent === 1 || stepOf(view, 0) !== 0;
  return [call, isOnce && hasStrides(view) ? shows(view) : "refused"];
};

/** Every step, by name. */
export const STEPS: Readonly<Record<string, StepMaker>> = {
  permute,
  transpose,
  T: reverse,
  slice,
  select,
  flip,
  unsqueeze: unsqueezeBy((t, axis) => t.unsqueeze(axis)),
  squeeze: squeezeBy((t, axis) => t.squeeze(axis)),
  squeezeAll,
  expand,
  reshape: reshapeBy((t, shape) => t.reshape(shape), "copy"),
  tryReshape: reshapeBy((t, shape) => t.tryReshape(shape), "none"),
  view: reshapeBy((t, shape) => t.view(shape), "refused"),
  index,
  window,
  "views.permute": viewsPermute,
  "views.slice": viewsSlice,
  "views.broadcastTo": viewsBroadcastTo,
  "views.broadcastInDim": viewsBroadcastInDim,
  "views.unsqueeze": unsqueezeBy((t, axis) => views.unsqueeze(t, axis)),
  "views.squeeze": squeezeBy((t, axis) => views.squeeze(t, axis)),
  "views.rearrange": viewsNest,
  "views.reshape": viewsReshape,
  "views.asStrided": viewsAsStrided,
};
