import { expect } from "vitest";
import type { Layout, Located } from "../src/index.js";
import { cases, fromVector, normalForm, type Tree } from "./support.js";

/** The part of a case of `views/` that concerns layouts. A null stride is one of any value. */
export interface ViewCase {
  readonly op: string;
  readonly src: { readonly offset: number; readonly l: [Tree, Tree] };
  readonly out:
    | { readonly offset: number; readonly l: [Tree, Tree] }
    | { readonly value_at: number }
    | { readonly err: string };
  readonly n1?: boolean;
  readonly raw?: boolean | string;
  readonly [field: string]: unknown;
}

/** Values of wrong types, by the name the vectors have for them. */
const WRONG: Readonly<Record<string, unknown>> = { str: "x", none: null, float: 1.5 };

/** Replaces the marks of wrong types, at any depth, by such values. */
export function unmarked<T>(value: unknown): T {
  if (Array.isArray(value)) return value.map(unmarked) as T;
  if (typeof value === "object" && value !== null && "bad" in value) return WRONG[String(value.bad)] as T;
  return value as T;
}

/** Runs every case of a family but those of given places, in which we decided otherwise. */
export async function expectViews(
  family: string,
  count: number,
  view: (l: Layout, c: ViewCase) => Located,
  but: readonly number[] = [],
): Promise<void> {
  const all = await cases<ViewCase>(`views/${family}`);
  expect(all.length).toBe(count);
  all.forEach((c, place) => {
    if (but.includes(place)) return;
    const { backward: _, ...shown } = c;
    const label = `${place}: ${JSON.stringify(shown)}`;
    const run = (): Located => view(fromVector(c.src.l), c);
    if ("err" in c.out) {
      if (c.out.err === "TypeError") expect(run, label).toThrow(TypeError);
      else expect(run, label).toThrow(expect.objectContaining({ name: "LayoutError" }));
      return;
    }
    const { layout, start } = run();
    if ("value_at" in c.out) {
      expect([layout.rank, c.src.offset + start], label).toEqual([0, c.out.value_at]);
      return;
    }
    expect(c.src.offset + start, label).toBe(c.out.offset);
    expect(normalForm(layout.shape, layout.stride, c.n1), label).toEqual(normalForm(...c.out.l, c.n1));
  });
}
