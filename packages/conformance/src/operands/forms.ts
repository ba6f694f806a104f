import type { Random } from "../random.js";
import { type PlaceOptions, type Placer, place } from "./placing.js";

/** What a kernel does with an operand; an `inout` is an output that is read as well. */
export type Role = "out" | "inout" | "in";

/** The ways of lying in memory that every kernel is tried on, one case each. */
export type Form = "contiguous" | "transposed" | "reversed" | "offset" | "gapped" | "broadcast" | "random";

export const FORMS: readonly Form[] = [
  "contiguous",
  "transposed",
  "reversed",
  "offset",
  "gapped",
  "broadcast",
  "random",
];

/** Row-major and dense: what the operands that are not in question look like. */
export const contiguous: Placer = (shape) => place(shape);

const all = (shape: readonly number[]): readonly boolean[] => shape.map(() => true);

/** The plain forms, each in the variants that differ for a kernel. */
const VARIANTS: { readonly [F in Form]?: readonly ((shape: readonly number[]) => PlaceOptions)[] } = {
  contiguous: [() => ({})],
  transposed: [
    (shape) => ({ order: shape.map((_, axis) => shape.length - 1 - axis) }),
    (shape) => ({ order: [...shape.keys()].slice(1).concat(shape.length > 0 ? [0] : []) }),
  ],
  reversed: [
    (shape) => ({ reversed: all(shape) }),
    (shape) => ({ reversed: shape.map((_, axis) => axis === shape.length - 1) }),
    (shape) => ({ reversed: shape.map((_, axis) => axis === 0) }),
  ],
  // Not one of these starts at a multiple of 16 bytes for 4-byte elements.
  offset: [1, 2, 3, 5].map((shift) => () => ({ shift })),
  gapped: [() => ({ gap: 3, pad: 2 }), () => ({ pad: 1 }), () => ({ gap: 2 })],
};

/**
 * Lists arrangements: for each, how every operand lies. All operands take the form together, and each one alone among
 * contiguous ones. Only inputs are broadcast: along each choice of axes that a bit mask names.
 */
export function arrangements(form: Form, roles: readonly Role[], source: Random): readonly (readonly Placer[])[] {
  if (form === "random") return Array.from({ length: 60 }, () => roles.map((role) => randomPlacer(role, source)));
  const found: Placer[][] = [];
  if (form === "broadcast") {
    const inputs = roles.flatMap((role, i) => (role === "in" ? [i] : []));
    for (let mask = 1; mask < 8; mask++) {
      const placer: Placer = (shape) => place(shape, { broadcast: shape.map((_, axis) => ((mask >> axis) & 1) === 1) });
      for (const chosen of inputs) found.push(roles.map((_, i) => (i === chosen ? placer : contiguous)));
      if (inputs.length > 1) found.push(roles.map((role) => (role === "in" ? placer : contiguous)));
    }
    return found;
  }
  for (const variant of VARIANTS[form]!) {
    const placer: Placer = (shape) => place(shape, variant(shape));
    found.push(roles.map(() => placer));
    if (form === "contiguous" || roles.length === 1) continue;
    for (let chosen = 0; chosen < roles.length; chosen++) {
      found.push(roles.map((_, i) => (i === chosen ? placer : contiguous)));
    }
  }
  return found;
}

/** Anything an operand of this role may be: any order of axes, directions, gaps, an offset, and inputs broadcast. */
export function randomPlacer(role: Role, source: Random): Placer {
  return (shape) => {
    const order = [...shape.keys()];
    for (let i = order.length - 1; i > 0; i--) {
      const j = source.integer(0, i);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    return place(shape, {
      order: source.next() < 0.5 ? [...shape.keys()] : order,
      gap: source.pick([1, 1, 1, 2, 3]),
      pad: source.pick([0, 0, 1, 4]),
      shift: source.pick([0, 0, 1, 2, 3, 7]),
      reversed: shape.map(() => source.next() < 0.25),
      broadcast: shape.map(() => role === "in" && source.next() < 0.2),
    });
  };
}
