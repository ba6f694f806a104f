import { readFileSync } from "node:fs";
import { type Layout, layout, type Shape, type Stride } from "@sw/layout";
import { type Tensor, views } from "@sw/tensor";

/** A tree of the vectors: numbers, nested lists, `"L"` for an inserted or identified leaf, null for any stride. */
export type Tree = number | "L" | null | { readonly bad: string } | readonly Tree[];
export type LayoutPair = readonly [Tree, Tree];

/** A case of a view: the operation and its arguments, beside what is specific to a file. */
export interface ViewCase {
  readonly op: string;
  readonly n1?: boolean;
  readonly raw?: boolean | string;
  readonly [field: string]: unknown;
}

export function readViews<C>(family: string): readonly C[] {
  const text = readFileSync(new URL(`vectors/views/${family}.json`, import.meta.url), "utf8");
  return (JSON.parse(text) as { cases: C[] }).cases;
}

export function layoutOf([shape, stride]: LayoutPair): Layout {
  return layout(shape as Shape, stride as Stride);
}

/** A layout as the vectors compare it: strides of extents of 1 aside, and where a case says so, nests of one child. */
export function normalForm([shape, stride]: readonly [unknown, unknown], collapse = false): [unknown, unknown] {
  const walk = (s: unknown, d: unknown, top: boolean): [unknown, unknown] => {
    if (!Array.isArray(s)) return [s, s === 1 ? 0 : d];
    const modes = s.map((mode, i) => walk(mode, (d as unknown[])[i], false));
    if (collapse && !top && modes.length === 1) return modes[0] as [unknown, unknown];
    return [modes.map((m) => m[0]), modes.map((m) => m[1])];
  };
  return walk(shape, stride, true);
}

const WRONG: Readonly<Record<string, unknown>> = { str: "x", none: null, float: 1.5 };

/** Replaces the marks of wrong types, at any depth, by such values. */
function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value === "object" && value !== null && "bad" in value) return WRONG[String(value.bad)];
  return value;
}

function sliceEntry(entry: unknown): unknown {
  if (!Array.isArray(entry)) return unmarked(entry);
  const names = ["start", "stop", "step"];
  return Object.fromEntries(entry.flatMap((bound, i) => (bound === null ? [] : [[names[i], unmarked(bound)]])));
}

function arrangement(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(arrangement);
  return tree === "L" ? "1" : tree;
}

/** Calls the function of `views` that a case means, with the case's arguments. */
export function callView(t: Tensor, op: string, c: { readonly [field: string]: unknown }): unknown {
  // A case marked raw hands over something that is no shape, or no tree; all of them, or the one it names.
  const given = (field: string): never => {
    return (c["raw"] === true || c["raw"] === field ? null : unmarked(c[field])) as never;
  };
  switch (op) {
    case "slice":
      return views.slice(t, (c["key"] as unknown[]).map(sliceEntry) as never);
    case "rearrange": {
      const output = (c["text"] ?? arrangement(given("output"))) as never;
      const selection = c["selection"] ?? undefined;
      return selection === undefined
        ? views.rearrange(t, output)
        : views.rearrange(t, output, arrangement(selection) as never);
    }
    case "permute":
      return views.permute(t, ...(unmarked(c["order"]) as number[]));
    case "reshape":
      return views.reshape(t, given("target"));
    case "as_strided":
      return views.asStrided(t, given("shape"), given("stride"));
    case "broadcast_to":
      return views.broadcastTo(t, given("target"));
    case "broadcast_in_dim":
      return views.broadcastInDim(t, given("target"), unmarked(c["dims"]) as never);
    case "unsqueeze":
      return views.unsqueeze(t, unmarked(c["dim"]) as number);
    case "squeeze":
      return views.squeeze(t, unmarked(c["dim"]) as number);
    default:
      throw new Error(`no such view in the vectors: ${op}`);
  }
}
