import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Arrangement, inverseArrangement, rearrange } from "../src/algebra.js";
import { layout, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

type VectorTree = number | "L" | readonly VectorTree[];
interface Case {
  readonly l: [Tree, Tree];
  readonly output: readonly VectorTree[];
  readonly selection: readonly VectorTree[] | null;
  readonly sw: [Tree, Tree] | { readonly err: string };
  readonly reverse?: {
    readonly output: readonly VectorTree[];
    readonly selection: readonly VectorTree[];
    readonly back: [Tree, Tree];
  };
  readonly n1?: boolean;
}

function arrangement(tree: readonly VectorTree[]): Arrangement[] {
  return tree.map((e) => (e === "L" ? "1" : typeof e === "number" ? e : arrangement(e)));
}

/** A selection with nothing but its form. */
function form(tree: Arrangement): unknown {
  return typeof tree === "object" ? tree.map(form) : "L";
}

describe("rearrange", () => {
  test("LA-45 LA-46 LA-47 every vector, both ways", async () => {
    const all = await cases<Case>("layout/rearrange");
    expect(all.length).toBe(314);
    for (const c of all) {
      const source = fromVector(c.l);
      const output = arrangement(c.output);
      const selection = c.selection === null ? source.shape : arrangement(c.selection);
      if (!Array.isArray(c.sw)) {
        refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(source, output, selection));
        continue;
      }
      const got = c.selection === null ? rearrange(source, output) : rearrange(source, output, selection);
      expect(normalForm(got.shape, got.stride, c.n1), String(source)).toEqual(normalForm(c.sw[0], c.sw[1], c.n1));
      if (c.reverse === undefined) continue;
      const inverse = inverseArrangement(output, selection);
      expect(inverse.output).toEqual(arrangement(c.reverse.output));
      expect(form(inverse.selection)).toEqual(form(arrangement(c.reverse.selection)));
      const back = rearrange(got, inverse.output, inverse.selection);
      const [shape, stride] = c.reverse.back;
      expect(normalForm(back.shape, back.stride, c.n1)).toEqual(normalForm(shape, stride, c.n1));
    }
  });

  test("LA-47 law: a rearrangement and its inverse give the layout back, and keep the indices", () => {
    const shuffled = layouts({ maxLeaves: 5, maxSize: 300 }).chain((l) =>
      fc
        .tuple(
          fc.shuffledSubarray([...flat(l.shape).keys()], { minLength: flat(l.shape).length }),
          fc.array(fc.nat({ max: 6 }), { maxLength: 3 }),
          fc.boolean(),
        )
        .map(([order, ones, nest]) => ({ l, order, ones, nest })),
    );
    fc.assert(
      fc.property(shuffled, ({ l, order, ones, nest }) => {
        const output: Arrangement[] = [...order];
        for (const at of ones) output.splice(Math.min(at, output.length), 0, "1");
        const tree: Arrangement[] = nest && output.length > 0 ? [output.slice(0, 2), ...output.slice(2)] : output;
        const got = rearrange(l, tree);
        const sorted = (list: number[]): number[] => list.sort((a, b) => a - b);
        expect(sorted(enumerate(got))).toEqual(sorted(enumerate(l)));
        const inverse = inverseArrangement(tree, l.shape);
        const back = rearrange(got, inverse.output, inverse.selection);
        expect([back.shape, back.stride]).toEqual([l.shape, l.stride]);
      }),
      { numRuns: 300 },
    );
  });

  test("LA-45 a leaf of the selection takes a whole mode, and LA-7 keeps its nest", () => {
    const l = parseLayout("(2,((3),4),5):(1,((2),6),24)");
    expect(String(rearrange(l, [[1], 0, 2], [0, "1", 7]))).toBe("((((3),4)),2,5):((((2),6)),1,24)");
    expect(
      String(
        rearrange(
          l,
          [1, 0, 2],
          l.shape.map(() => 0),
        ),
      ),
    ).toBe("(((3),4),2,5):(((2),6),1,24)");
  });

  test("rank 0, ones only, extents of 0", () => {
    expect(String(rearrange(layout([]), []))).toBe("():()");
    expect(String(rearrange(layout([]), ["1", ["1"]]))).toBe("(1,(1)):(0,(0))");
    expect(String(rearrange(layout([1, 1]), []))).toBe("():()");
    expect(String(rearrange(layout([0, 3]), [1, 0]))).toBe("(3,0):(0,1)");
    expect(refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(layout([0, 3]), [1])).value).toBe(0);
  });

  test("LA-46 wrong input", () => {
    const l = parseLayout("(2,(3,4)):(1,(2,6))");
    const left = refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(l, [0, 1]));
    expect(left.message).toBe(
      "rearrange: part 2 is left out: got size 4, expected size 1 (layout (2,(3,4)):(1,(2,6))).",
    );
    expect(left.value).toBe(2);
    expect(left.layout).toBe(l);
    expect(refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(l, [0, 1, 2, 3])).value).toBe(3);
    expect(refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(l, [0, 1, 2, -1])).value).toBe(-1);
    expect(refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(l, [0, [1, 1], 2])).value).toBe(1);
    refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(l, [0, 1], [0, [1, 2, 3]]));
    refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(l, [0, 1], [[0], 1]));
    refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(layout([]), [0]));
    refusal("SW_LAYOUT_EMPTY_MODE", () => rearrange(l, [0, 1, 2, []]));
    const cyclic: Arrangement[] = [];
    cyclic.push(cyclic);
    expect(refusal("SW_LAYOUT_DEPTH", () => rearrange(l, cyclic)).value).toBe(65);
    refusal("SW_LAYOUT_DEPTH", () => rearrange(l, [0, 1, 2], cyclic));
    for (const bad of [null, undefined, "0", "x", {}, true, 1.5, Number.NaN]) {
      expect(() => rearrange(l, [0, 1, 2, bad as never])).toThrow(TypeError);
      expect(() => inverseArrangement([0, bad as never], [0])).toThrow(TypeError);
    }
    expect(() => rearrange(l, 0 as never)).toThrow(TypeError);
    expect(() => rearrange(l, [0, 1, 2], 0 as never)).toThrow(TypeError);
    expect(() => rearrange([] as never, [])).toThrow(TypeError);
    expect(refusal("SW_LAYOUT_ARRANGEMENT", () => inverseArrangement([0, 0], [0])).value).toBe(0);
    expect(refusal("SW_LAYOUT_ARRANGEMENT", () => inverseArrangement([1], [0])).value).toBe(1);
    expect(refusal("SW_LAYOUT_ARRANGEMENT", () => inverseArrangement([-2], [0])).value).toBe(-2);
  });

  test("D5 wrong input: what is not a layout is named as such", () => {
    for (const wrong of [null, undefined, 3]) {
      expect(() => rearrange(wrong as never, [0])).toThrow("rearrange: argument is not a layout");
    }
  });

  test("LA-43 a tree holds numbers, markers and lists, and nothing else", () => {
    const l = parseLayout("(2,(3,4)):(1,(2,6))");
    expect(
      String(
        rearrange(l, [
          [0, ["1"]],
          [1, 2],
        ]),
      ),
    ).toBe("((2,(1)),(3,4)):((1,(0)),(2,6))");
    for (const wrong of ["0", "2", null, undefined, true, 1.5, {}, Number.NaN]) {
      expect(() => rearrange(l, [0, wrong as never, 1, 2])).toThrow(TypeError);
      expect(() => inverseArrangement([0], [wrong as never])).toThrow(TypeError);
    }
    refusal("SW_LAYOUT_ARRANGEMENT", () => rearrange(l, [0, -1, 2]));
  });
});
