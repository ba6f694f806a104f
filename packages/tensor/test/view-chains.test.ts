import { arange, type Tensor } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coordinatesOf, type ElementMap, extentsOf, showsTwice, stepOf } from "./element-map.js";
import { STEPS } from "./view-steps.js";

const memoryOf = (t: Tensor): Float32Array => t.buffer.view(Float32Array);

/** What a refused call must leave as it was. */
const stateOf = (t: Tensor): unknown => [
  t.buffer.version,
  t.buffer.generation,
  defaultPool().statistics(),
  [...memoryOf(t)],
];

/** Compares a view with its map: values, shape, offset, and the strides that some element tells. */
function expectShows(t: Tensor, m: ElementMap, base: Tensor, label: string): void {
  expect([t.shape, t.layout.shape], label).toEqual([extentsOf(m.shape), m.shape]);
  expect([t.buffer, t.generation, t.dtype], label).toEqual([base.buffer, base.generation, base.dtype]);
  const memory = memoryOf(base);
  expect([...(t.data() as Float32Array)], label).toEqual(m.places.map((place) => memory[place]));
  if (m.places.length === 0) return;
  expect(t.offset, label).toBe(m.places[0]);
  m.shape.forEach((mode, axis) => {
    const step = stepOf(m, axis);
    if (typeof mode === "number" && step !== undefined) expect(t.layout.stride[axis], label).toBe(step);
  });
}

/** Writes one element through the view: just its place in memory changes, and nothing is written where some show twice. */
function expectWritesThrough(t: Tensor, m: ElementMap, at: number, label: string): void {
  const ordinal = at % m.places.length;
  const coordinate = coordinatesOf(extentsOf(m.shape))[ordinal] as number[];
  const place = m.places[ordinal] as number;
  const expected = [...memoryOf(t)].with(place, -1 - at);
  if (showsTwice(m)) {
    const before = stateOf(t);
    expect(() => t.set(-1 - at, ...coordinate), label).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
    expect(stateOf(t), label).toEqual(before);
    memoryOf(t)[place] = -1 - at;
  } else {
    const { version } = t.buffer;
    t.set(-1 - at, ...coordinate);
    expect(t.buffer.version, label).toBe(version + 1);
  }
  expect([...memoryOf(t)], label).toEqual(expected);
  expect(t.at(...coordinate), label).toBe(-1 - at);
}

/** A row-major tensor. */
function numbered(shape: readonly number[]): ElementMap {
  return { shape, places: coordinatesOf(shape).map((_, i) => i) };
}

const shapes = fc.array(
  fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.constant(0) }),
  { maxLength: 4 },
);
const integers = fc.array(fc.nat({ max: 1_000_000 }), { minLength: 6, maxLength: 6 });
const chains = fc.array(fc.tuple(fc.constantFrom(...Object.keys(STEPS)), integers), { minLength: 1, maxLength: 8 });

describe("chains of views", () => {
  test("law: up to eight of them show what a map of their elements shows, and write through; what is refused changes nothing", () => {
    fc.assert(
      fc.property(shapes, chains, (shape, steps) => {
        const { live } = defaultPool().statistics();
        let m = numbered(shape);
        let base: Tensor = arange(m.places.length).reshape(shape);
        let t = base;
        for (const [name, n] of steps) {
          const step = STEPS[name]?.(m, n);
          if (step === undefined) continue;
          const [call, outcome] = step;
          const label = `${name} of ${t.layout} (offset ${t.offset}): ${call}, ${JSON.stringify(n)}`;
          const before = stateOf(t);
          if (outcome === "refused") {
            expect(() => call(t), label).toThrow(RangeError);
            expect(stateOf(t), label).toEqual(before);
            continue;
          }
          const result = call(t);
          if (outcome === "none") {
            expect(result, label).toBeUndefined();
            expect(stateOf(t), label).toEqual(before);
            continue;
          }
          const next = result as Tensor;
          if ("copy" in outcome) {
            expect(next.buffer, label).not.toBe(t.buffer);
            expect(next.data(), label).toEqual(t.data());
            base.dispose();
            base = next;
            m = outcome.copy;
          } else {
            expect(stateOf(t), label).toEqual(before);
            m = outcome.view;
          }
          t = next;
          expectShows(t, m, base, label);
          if (m.places.length > 0) expectWritesThrough(t, m, n[0] as number, label);
        }
        for (let at = 0; at < m.places.length; at++) expectWritesThrough(t, m, at, `${t.layout}`);
        base.dispose();
        expect(defaultPool().statistics().live).toBe(live);
      }),
      { numRuns: 300 },
    );
  });

  test.each(Object.entries(STEPS))("%s is right and wrong often enough to tell", (name, make) => {
    const outcomes = fc
      .sample(fc.tuple(shapes, integers), { seed: 1, numRuns: 100 })
      .map(([shape, n]) => make(numbered(shape), n)?.[1]);
    expect(outcomes.filter((outcome) => typeof outcome === "object").length).toBeGreaterThan(9);
    // On flat tensors these are never wrong.
    if (["T", "squeezeAll", "views.rearrange"].includes(name)) return;
    expect(outcomes.filter((outcome) => outcome === "refused").length).toBeGreaterThan(4);
  });
});
