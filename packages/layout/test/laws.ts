import fc from "fast-check";
import { expect } from "vitest";
import {
  coalesceByMode,
  complement,
  filter,
  inverseArrangement,
  isCompatible,
  leftInverse,
  logicalDivide,
  logicalProduct,
  maxCommonLayout,
  modeOf,
  nullspace,
  rearrange,
  rightInverse,
  zippedDivide,
} from "../src/algebra.js";
import {
  coalesce,
  compose,
  cosize,
  decode,
  encode,
  hashLayout,
  indexOf,
  isDense,
  isInjective,
  type Layout,
  LayoutError,
  layout,
  layoutEquals,
  layoutFromJSON,
  maxIndex,
  minIndex,
  parseLayout,
} from "../src/index.js";
import { enumerate, flat, type LayoutOptions, layouts, type Tree } from "./support.js";

/** A law of the algebra, checked against enumeration on random layouts. */
export interface Law {
  /** The rule and what it says. */
  readonly name: string;
  /** Checks so many cases; throws with the seed and the smallest counter-example. */
  check(cases: number): void;
}

/** Where a law speaks of what is accepted, `check` tells whether a case was, and a share of them must be. */
function law<T>(name: string, values: fc.Arbitrary<T>, check: (value: T) => unknown, leastShare = 0): Law {
  return {
    name,
    check(cases) {
      let accepted = 0;
      const property = fc.property(values, (value) => {
        if (check(value) === true) accepted++;
      });
      fc.assert(property, { numRuns: cases });
      expect(accepted / cases, "the share of cases that are accepted").toBeGreaterThanOrEqual(leastShare);
    },
  };
}

/** Extents 0–12, depth up to 4, strides signed and zero, in no order. */
const anyLayout = layouts({ maxLeaves: 5, maxSize: 400 });

/**
 * Layouts as people make them: compact in some order of the leaves, then some strides scaled, one negated or 0. Most
 * operations accept these and refuse most of the others.
 */
function tidy(options: LayoutOptions = {}): fc.Arbitrary<Layout> {
  const source = layouts({ maxLeaves: 5, maxSize: 200, minExtent: 1, ...options });
  const order = fc.array(fc.nat(99), { minLength: 6, maxLength: 6 });
  const gaps = fc.array(fc.constantFrom(1, 1, 1, 2, 3), { minLength: 6, maxLength: 6 });
  return fc.tuple(source, order, gaps, fc.nat(24), fc.nat(5)).map(([{ shape }, keys, factors, change, at]) => {
    const extents = flat(shape);
    const strides = extents.map(() => 0);
    let next = 1;
    for (const i of extents.map((_, k) => k).sort((a, b) => keys[a]! - keys[b]!)) {
      next *= factors[i]!;
      strides[i] = next;
      next *= Math.max(extents[i]!, 1);
    }
    if (at < extents.length && change === 0) strides[at] = 0;
    if (at < extents.length && change === 1) strides[at] = -strides[at]!;
    const refill = (tree: Tree): Tree => (typeof tree === "number" ? strides.shift()! : tree.map(refill));
    return layout(shape, shape.map(refill));
  });
}

const eitherLayout = fc.oneof(anyLayout, tidy({ minExtent: 0 }));
const small = fc.oneof(layouts({ maxLeaves: 3, maxSize: 60, minStride: -3 }), tidy({ maxLeaves: 3, maxSize: 60 }));
const pairs = fc.tuple(tidy(), small);

/** The value of a function, or undefined when it is refused. Any other error is a failure. */
function accepted<T>(fn: () => T): T | undefined {
  try {
    return fn();
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

function ascending(list: Iterable<number>): number[] {
  return [...list].sort((a, b) => a - b);
}

/** Whether the rule lets A after B be a layout, written from its text: the digits of A are given coalesced. */
export function isAdmissible(digits: readonly number[], b: Layout): boolean {
  const strides = flat(b.stride);
  const used = digits.map(() => 0);
  return (
    flat(b.shape).every((extent, leaf) => {
      let s = extent;
      let d = strides[leaf]!;
      if (s === 1 || d === 0) return true;
      if (d < 0) return false;
      for (let i = 0; i < digits.length; i++) {
        const a = digits[i]!;
        if (d >= a) {
          if (d % a !== 0) return false;
          d /= a;
        } else if ((s - 1) * d < a) {
          used[i]! += (s - 1) * d;
          return true;
        } else {
          if (a % d !== 0 || s % (a / d) !== 0) return false;
          used[i]! += a - d;
          s /= a / d;
          d = 1;
        }
      }
      return false;
    }) && used.every((most, i) => most < digits[i]!)
  );
}

/** The places in [0, cotarget) of copies of some indices that fill it, if they can: the first free place is always one. */
function placesOfCopies(indices: readonly number[], cotarget: number): number[] | undefined {
  const taken = new Set<number>();
  const places: number[] = [];
  for (let place = 0; place < cotarget; place++) {
    if (taken.has(place)) continue;
    for (const index of indices) {
      if (taken.has(place + index) || place + index >= cotarget) return undefined;
      taken.add(place + index);
    }
    places.push(place);
  }
  return places;
}

/** Whether some layout of one axis, of nested leaves, has these indices. */
function isNest(indices: readonly number[]): boolean {
  const count = indices.length;
  if (count < 2) return true;
  const step = indices[1]! - indices[0]!;
  for (let run = count; run > 1; run--) {
    if (count % run !== 0) continue;
    const fits = indices.every((index, i) => index === indices[i - (i % run)]! + (i % run) * step);
    if (fits && isNest(indices.filter((_, i) => i % run === 0))) return true;
  }
  return false;
}

export const LAWS: readonly Law[] = [
  law("LA-20 LA-22 LA-23 every form of a coordinate has the same index", eitherLayout, (l) => {
    enumerate(l).forEach((index, ordinal) => {
      const coordinate = decode(l.shape, ordinal);
      expect([indexOf(l, ordinal), indexOf(l, coordinate), encode(l.shape, coordinate)]).toEqual([
        index,
        index,
        ordinal,
      ]);
    });
  }),

  law("LA-30 LA-33 D3 bounds, injectivity and density are those of the indices", eitherLayout, (l) => {
    const indices = enumerate(l);
    const distinct = new Set(indices).size === indices.length;
    const low = indices.length === 0 ? 0 : Math.min(...indices);
    const high = indices.length === 0 ? -1 : Math.max(...indices);
    expect([l.size, minIndex(l), maxIndex(l), cosize(l)]).toEqual([indices.length, low, high, high - low + 1]);
    expect([isInjective(l), isDense(l)]).toEqual([distinct, distinct && high - low + 1 === indices.length]);
  }),

  law(
    "LA-8 parse ∘ print and the JSON form are the identity, and equal layouts have equal hashes",
    eitherLayout,
    (l) => {
      for (const again of [parseLayout(String(l)), layoutFromJSON(JSON.parse(JSON.stringify(l)))]) {
        expect([layoutEquals(again, l), hashLayout(again), String(again)]).toEqual([true, hashLayout(l), String(l)]);
      }
    },
  ),

  law("LA-50 LA-51 coalesce keeps the function, by the fewest flat modes", eitherLayout, (l) => {
    const { shape, stride } = coalesce(l);
    expect(enumerate(coalesce(l))).toEqual(enumerate(l));
    for (let i = 1; i < shape.length; i++) {
      expect(shape).not.toContain(1);
      expect(stride[i]).not.toBe((shape[i - 1] as number) * (stride[i - 1] as number));
    }
  }),

  law("LA-52 coalesce by mode keeps the function of each mode", eitherLayout, (l) => {
    const result = coalesceByMode(l);
    expect(result.rank).toBe(l.rank);
    for (let i = 0; i < l.rank; i++) expect(enumerate(modeOf(result, i))).toEqual(enumerate(modeOf(l, i)));
  }),

  law("LA-53 filter keeps the set of indices", eitherLayout, (l) => {
    expect(ascending(new Set(enumerate(filter(l))))).toEqual(ascending(new Set(enumerate(l))));
  }),

  law(
    "LA-60 LA-64 compose is A(B(i)) with the coordinates of B, and is refused exactly where the rule says",
    fc.tuple(fc.oneof(tidy(), anyLayout), small),
    ([a, b]) => {
      const result = accepted(() => compose(a, b));
      const digits = flat(coalesce(a).shape);
      expect(result !== undefined).toBe(b.size === 0 || (a.size > 0 && isAdmissible(digits, b)));
      if (result === undefined) return false;
      const outer = enumerate(a);
      expect(enumerate(result)).toEqual(enumerate(b).map((index) => outer[index]));
      expect(isCompatible(b.shape, result.shape)).toBe(true);
      return true;
    },
    0.2,
  ),

  law(
    "LA-70 LA-72 LA-73 a complement is disjoint, complete and ordered, and is refused only where there is none",
    fc.tuple(fc.oneof(tidy({ maxLeaves: 3, maxSize: 60 }), small), fc.nat(4), fc.nat(40)),
    ([l, spans, other]) => {
      const indices = enumerate(l);
      const cotarget = spans === 0 ? other : spans * Math.max(1, cosize(filter(l)));
      const result = accepted(() => complement(l, cotarget));
      if (result === undefined) {
        const places = indices.length === 0 || minIndex(l) < 0 ? undefined : placesOfCopies(indices, cotarget);
        expect(cotarget > 0 && places !== undefined && isNest(places)).toBe(false); // in 0 elements any l would do
        return false;
      }
      const rest = enumerate(result);
      const sums = indices.flatMap((index) => rest.map((place) => index + place));
      expect(ascending(sums)).toEqual(Array.from({ length: cotarget }, (_, i) => i));
      expect(rest).toEqual(ascending(rest));
      return true;
    },
    0.1,
  ),

  law(
    "LA-73 a complement rounded up covers the cotarget in whole spans",
    fc.tuple(tidy({ maxLeaves: 3, maxSize: 60 }), fc.integer({ min: 1, max: 200 })),
    ([l, cotarget]) => {
      const result = accepted(() => complement(l, cotarget, { roundUp: true }));
      if (result === undefined) return false;
      const rest = enumerate(result);
      const sums = ascending(enumerate(l).flatMap((index) => rest.map((place) => index + place)));
      expect(sums).toEqual(sums.map((_, i) => i));
      expect(sums.length).toBeGreaterThanOrEqual(cotarget);
      const span = cosize(l) + (complement(l).size > 1 ? maxIndex(complement(l)) : 0);
      expect(sums.length - cotarget).toBeLessThan(span);
      return true;
    },
    0.5,
  ),

  law(
    "LA-80 LA-81 a division keeps size and multiset of indices, its first mode is the tile in A",
    fc.tuple(tidy({ minExtent: 0 }), fc.oneof(small, fc.integer({ min: 1, max: 12 }))),
    ([a, tile]) => {
      const result = accepted(() => logicalDivide(a, tile));
      if (result === undefined) return false;
      expect([result.rank, result.size]).toEqual([2, a.size]);
      expect(ascending(enumerate(result))).toEqual(ascending(enumerate(a)));
      if (a.size > 0) expect(enumerate(modeOf(result, 0))).toEqual(enumerate(compose(a, tile)));
      return true;
    },
    0.1,
  ),

  law(
    "LA-67 LA-82 a division by mode keeps size and multiset too, and its first mode is the composition by mode",
    fc.tuple(tidy(), fc.array(fc.constantFrom(1, 2, 3, 4, null), { maxLength: 6 })),
    ([a, entries]) => {
      const tiler = entries.slice(0, a.rank);
      const result = accepted(() => zippedDivide(a, tiler));
      if (result === undefined) return false;
      expect(ascending(enumerate(result))).toEqual(ascending(enumerate(a)));
      if (tiler.length < a.rank || tiler.includes(null)) return true;
      expect(enumerate(modeOf(result, 0))).toEqual(enumerate(compose(a, tiler)));
      return true;
    },
    0.2,
  ),

  law(
    "LA-90 LA-91 a product keeps A, and its copies lie, disjoint, in the free places that B names",
    fc.tuple(tidy({ maxLeaves: 3, maxSize: 30 }), small),
    ([a, b]) => {
      const result = accepted(() => logicalProduct(a, b));
      if (result === undefined) return false;
      const block = enumerate(a);
      const named = enumerate(b);
      const count = Math.max(-1, ...named) + 1;
      const taken = new Set<number>();
      const free: number[] = [];
      for (let place = 0; free.length < count; place++) {
        if (taken.has(place)) continue;
        free.push(place);
        for (const index of block) {
          expect(taken.has(place + index)).toBe(false);
          taken.add(place + index);
        }
      }
      expect(result.rank).toBe(2);
      expect(enumerate(modeOf(result, 0))).toEqual(block);
      expect(enumerate(modeOf(result, 1))).toEqual(named.map((index) => free[index]));
      return true;
    },
    0.1,
  ),

  law("LA-100 a right inverse: L(R(i)) = i", eitherLayout, (l) => {
    const indices = enumerate(l);
    const back = enumerate(rightInverse(l)).map((ordinal) => indices[ordinal]);
    expect(back).toEqual(back.map((_, i) => i));
  }),

  law(
    "LA-102 LA-103 a left inverse: Q(L(i)) = i, of injective layouts only",
    fc.oneof(tidy(), anyLayout),
    (l) => {
      const result = accepted(() => leftInverse(l));
      if (result === undefined) return false;
      const indices = enumerate(l);
      expect(new Set(indices).size).toBe(indices.length);
      expect(indices.map((index) => indexOf(result, index))).toEqual(indices.map((_, i) => i));
      return true;
    },
    0.2,
  ),

  law("LA-104 what two layouts have in common: A(R(i)) = B(R(i)) = i", pairs, ([a, b]) => {
    const common = enumerate(maxCommonLayout(a, b));
    const identity = common.map((_, i) => i);
    expect(common.map((ordinal) => enumerate(a)[ordinal])).toEqual(b.size === 0 ? [] : identity);
    expect(common.map((ordinal) => enumerate(b)[ordinal])).toEqual(b.size === 0 ? [] : identity);
  }),

  law("LA-105 L(nullspace(i)) = 0, and all that is repeated along a leaf is there", eitherLayout, (l) => {
    const indices = enumerate(l);
    const ordinals = enumerate(nullspace(l));
    for (const ordinal of ordinals) expect(indices[ordinal]).toBe(0);
    expect(new Set(ordinals).size).toBe(ordinals.length);
    if (l.size > 0) expect(ordinals.length * filter(l).size).toBe(l.size);
  }),

  law(
    "LA-45 LA-47 a rearrangement moves coordinates, and its inverse moves them back",
    fc.tuple(eitherLayout, fc.array(fc.nat(99), { minLength: 6, maxLength: 6 })),
    ([l, keys]) => {
      const leaves = flat(l.shape).map((_, i) => i);
      const output = leaves.sort((a, b) => keys[a]! - keys[b]!);
      const moved = rearrange(l, output);
      expect(flat(moved.stride)).toEqual(output.map((leaf) => flat(l.stride)[leaf]));
      const back = inverseArrangement(output, l.shape);
      expect(String(rearrange(moved, back.output, back.selection))).toBe(String(l));
    },
  ),
];
