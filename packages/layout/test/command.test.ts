import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Arrangement, rearrange } from "../src/algebra.js";
import {
  type EinsumCommand,
  type EinsumOperand,
  parseEinsum,
  parseRearrange,
  parseReduce,
  rearrangeBy,
  tokenizeCommand,
} from "../src/command.js";
import { layout, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

type VectorTree = number | "L" | readonly VectorTree[];
interface Refused {
  readonly err: string;
  readonly message: string;
}
interface Compiled {
  readonly selection: VectorTree;
  readonly output: VectorTree;
  readonly symbol_ids: readonly [string, number][];
}
interface Contraction {
  readonly [field: string]: unknown;
}
interface GrammarCase {
  readonly text: string;
  readonly lex: readonly [string, string, number, number][] | Refused;
  readonly rearrange: Compiled | Refused;
  readonly reduce: (Compiled & { readonly reduced: number[]; readonly rearrange_output: VectorTree }) | Refused;
  readonly einsum?: Contraction | Refused;
}

/** The trees of the vectors write an inserted extent of 1, and every leaf of a selection, as L. */
function asVector(tree: Arrangement, isSelection = false): VectorTree {
  if (typeof tree === "object") return tree.map((entry) => asVector(entry, isSelection));
  return isSelection || tree === "1" ? "L" : tree;
}

function symbolIds(names: readonly string[]): [string, number][] {
  return names.map((name, id): [string, number] => [name, id]).filter(([name]) => name !== "1");
}

function expectRefusal(refused: Refused, run: () => unknown): void {
  expect(refused.err).toBe("ValueError");
  const offset = / at offset (\d+)$/.exec(refused.message);
  const error = refusal("SW_LAYOUT_COMMAND", run);
  expect(error.position, error.message).toBe(offset === null ? undefined : Number(offset[1]));
}

/** The fields of the vectors, from ours: a contraction without batch is also one matrix product of groups. */
function contraction({ names, left, right, contracted, batch, output }: EinsumCommand): Contraction {
  const named = (places: readonly number[]): string[] => places.map((place) => names[place]!);
  const own = (operand: EinsumOperand, places: readonly number[]): number[] =>
    places.map((place) => operand.aligned[place] as number);
  const kept = [...left.free, ...right.free];
  const inMatmul = (tree: Arrangement): Arrangement => {
    if (typeof tree === "object") return tree.map(inMatmul);
    return tree === "1" ? tree : kept.indexOf(tree);
  };
  return {
    lhs_selection: asVector(left.selection, true),
    rhs_selection: asVector(right.selection, true),
    lhs_rearrange_output: [own(left, left.free), own(left, contracted)],
    rhs_rearrange_output: [own(right, right.free), own(right, contracted)],
    matmul_output_selection: [left.free.map(() => "L"), right.free.map(() => "L")],
    output: asVector(output.map(inMatmul)),
    lhs_symbol_ids: symbolIds(left.names),
    rhs_symbol_ids: symbolIds(right.names),
    common_symbols: named([...contracted, ...batch].sort((a, b) => a - b)),
    union_symbols: names,
    contraction_symbols: named(contracted),
    batch_symbols: named(batch),
    lhs_union_output: asVector(left.aligned),
    rhs_union_output: asVector(right.aligned),
    union_selection: names.map(() => "L"),
    general_output: asVector(output),
  };
}

describe("the command language", async () => {
  const all = await cases<GrammarCase>("views/command_grammar");

  test("VA-42 every vector: tokens, or the position of what is none", () => {
    expect(all.length).toBe(276);
    for (const c of all) {
      if ("err" in c.lex) expectRefusal(c.lex, () => tokenizeCommand(c.text));
      else expect(tokenizeCommand(c.text).map((t) => [t.kind, t.value, t.start, t.end])).toEqual(c.lex);
    }
  });

  test("VA-43 VA-44 VA-45 every vector: a rearrangement", () => {
    for (const c of all) {
      if ("err" in c.rearrange) {
        expectRefusal(c.rearrange, () => parseRearrange(c.text));
        continue;
      }
      const { selection, output, names } = parseRearrange(c.text);
      expect(asVector(selection, true)).toEqual(c.rearrange.selection);
      expect(asVector(output)).toEqual(c.rearrange.output);
      expect(symbolIds(names)).toEqual(c.rearrange.symbol_ids);
    }
  });

  test("VA-47 every vector: a reduction", () => {
    for (const c of all) {
      if ("err" in c.reduce) {
        expectRefusal(c.reduce, () => parseReduce(c.text));
        continue;
      }
      const { selection, output, names, reduced } = parseReduce(c.text);
      expect(asVector(selection, true)).toEqual(c.reduce.selection);
      expect(asVector(output)).toEqual(c.reduce.output);
      expect(reduced).toEqual(c.reduce.reduced);
      expect(asVector([output, reduced])).toEqual(c.reduce.rearrange_output);
      expect(symbolIds(names)).toEqual(c.reduce.symbol_ids);
    }
  });

  test("VA-47 every vector: a contraction", () => {
    const withEinsum = all.filter((c) => c.einsum !== undefined);
    expect(withEinsum.length).toBe(48);
    for (const { text, einsum } of withEinsum) {
      if ("err" in einsum!) expectRefusal(einsum as Refused, () => parseEinsum(text));
      else expect(contraction(parseEinsum(text))).toEqual(einsum);
    }
  });

  test("VA-45 names are resolved as they are read, before a parenthesis is missed", () => {
    const position = (text: string): number | undefined =>
      refusal("SW_LAYOUT_COMMAND", () => parseRearrange(text)).position;
    expect(position("(a b -> c")).toBe(0);
    expect(position("(a a -> c")).toBe(3);
    expect(position("a -> (a b")).toBe(8);
    expect(position("a -> (a (1")).toBe(8);
    expect(position("a () -> a")).toBe(2);
    expect(position("a ( ) -> a")).toBe(2);
    expect(position("a -> a)")).toBe(6);
    expect(position("a, -> a")).toBe(1);
    expect(position("( ->")).toBeUndefined();
  });

  test("VA-45 the message says what was found and what was expected", () => {
    expect(refusal("SW_LAYOUT_COMMAND", () => parseRearrange("a b -> a c")).message).toBe(
      'parseRearrange: command has an unknown name at position 9: got "c", expected a name that stands before the arrow.',
    );
    expect(refusal("SW_LAYOUT_COMMAND", () => tokenizeCommand("a é")).message).toBe(
      'tokenizeCommand: command has an unexpected character at position 2: got "é", expected a name, "1", a parenthesis, a comma or ->, all of ASCII.',
    );
    expect(refusal("SW_LAYOUT_COMMAND", () => parseEinsum("i k, k j, l -> i j")).message).toBe(
      "parseEinsum: command has the wrong number of commas before the arrow: got 2, expected one.",
    );
    expect(refusal("SW_LAYOUT_COMMAND", () => parseReduce("a -> a")).operation).toBe("parseReduce");
    expect(refusal("SW_LAYOUT_COMMAND", () => rearrangeBy(layout([2]), "a b")).operation).toBe("rearrangeBy");
  });

  test("VA-47 a contraction tells batch, contracted and free names apart", () => {
    const command = parseEinsum("n (i k) 1, k n j -> (n j) 1 i");
    expect(command.names).toEqual(["n", "i", "k", "j"]);
    expect(command.contracted).toEqual([2]);
    expect(command.batch).toEqual([0]);
    expect(command.left).toEqual({
      selection: [0, [1, 2], 3],
      names: ["n", "i", "k", "1"],
      aligned: [0, 1, 2, "1"],
      free: [1],
    });
    expect(command.right).toEqual({ selection: [0, 1, 2], names: ["k", "n", "j"], aligned: [1, "1", 0, 2], free: [3] });
    expect(command.output).toEqual([[0, 3], "1", 1]);
    const aligned = rearrange(parseLayout("(5,2,3):(1,5,10)"), command.right.aligned, command.right.selection);
    expect(String(aligned)).toBe("(2,1,5,3):(5,0,1,10)");
  });

  test("names are case-sensitive, any white space separates, and nothing does where tokens stay apart", () => {
    expect(parseRearrange("a\tA\n(b)\r\f(c)\v->A a(c)(b)")).toEqual({
      selection: [0, 1, [2], [3]],
      output: [1, 0, [3], [2]],
      names: ["a", "A", "b", "c"],
    });
    expect(parseRearrange("constructor -> constructor").output).toEqual([0]);
  });

  test("a megabyte is read in linear time without deep recursion, or refused for its depth", () => {
    const size = 1 << 20;
    const error = refusal("SW_LAYOUT_COMMAND", () => parseRearrange(`${"(".repeat(size)} -> a`));
    expect(error.position).toBe(63);
    expect(refusal("SW_LAYOUT_COMMAND", () => parseRearrange(`a -> ${")".repeat(size)}`)).position).toBe(5);
    expect(tokenizeCommand("a".repeat(size)).length).toBe(1);
    const names = (count: number): string => Array.from({ length: count }, (_, i) => `x${i}`).join(" ");
    expect(parseReduce(`${names(150_000)} -> x0`).reduced.length).toBe(149_999);
    expect(parseEinsum(`${names(9999)}, x1 -> ${names(9999)}`).batch).toEqual([1]);
    refusal("SW_LAYOUT_COMMAND", () => parseEinsum(`${names(9999)}, x1 -> x1`));
  });

  test("the deepest command that is read is one that a layout can have", () => {
    const deep = (levels: number): string => `${"(".repeat(levels)}a${")".repeat(levels)} -> a`;
    let shape: Tree = 3;
    for (let i = 0; i < 64; i++) shape = [shape];
    expect(String(rearrangeBy(layout(shape as readonly Tree[]), deep(63)))).toBe("(3):(1)");
    refusal("SW_LAYOUT_COMMAND", () => parseRearrange(deep(64)));
  });

  test("wrong input: a command that is not a string is a TypeError", () => {
    for (const value of [undefined, null, 5, ["a -> a"], Symbol("a"), new String("a -> a")]) {
      expect(() => tokenizeCommand(value as string)).toThrow(TypeError);
      expect(() => parseRearrange(value as string)).toThrow(TypeError);
      expect(() => parseReduce(value as string)).toThrow(TypeError);
      expect(() => parseEinsum(value as string)).toThrow(TypeError);
      expect(() => rearrangeBy(layout([2]), value as string)).toThrow(TypeError);
    }
    expect(() => rearrangeBy("(2):(1)" as never, "a -> a")).toThrow(TypeError);
  });

  test("law: any text is read or refused with a code, never anything else", () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."ab1()->, _>-9é\u{1f600}\t") }),
      fc
        .array(fc.constantFrom("a", "b", "c", "1", "(", ")", ",", "->", "->"), { maxLength: 14 })
        .map((t) => t.join(" ")),
    );
    fc.assert(
      fc.property(text, (command) => {
        for (const parse of [tokenizeCommand, parseRearrange, parseReduce, parseEinsum]) {
          try {
            parse(command);
          } catch (error) {
            expect(error).toMatchObject({ code: "SW_LAYOUT_COMMAND", operation: parse.name });
            const { position } = error as { position: number | undefined };
            if (position !== undefined) expect(position).toBeLessThan(command.length);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("rearrangeBy", () => {
  interface Case {
    readonly src: { readonly offset: number; readonly l: [Tree, Tree] };
    readonly text?: string;
    readonly output?: VectorTree;
    readonly selection?: readonly VectorTree[] | null;
    readonly raw?: string;
    readonly out: { readonly l: [Tree, Tree]; readonly offset: number } | { readonly err: string };
    readonly n1?: boolean;
  }
  const ours = (tree: VectorTree): Arrangement => {
    if (typeof tree === "object") return tree.map(ours);
    return tree === "L" ? "1" : tree;
  };

  test("VA-41 VA-46 every vector, as text and as trees", async () => {
    const all = await cases<Case>("views/rearrange");
    expect(all.length).toBe(421);
    for (const c of all) {
      // A plain list is how an arrangement is given here; the source of the vectors has a class for it.
      if (c.raw !== undefined && typeof c.output === "object") continue;
      const source = fromVector(c.src.l);
      const label = JSON.stringify({ ...c, backward: undefined });
      const run = (): unknown => {
        if (c.text === undefined) {
          const output = ours(c.output!) as Arrangement[];
          return c.selection == null ? rearrange(source, output) : rearrange(source, output, c.selection.map(ours));
        }
        return c.selection == null
          ? rearrangeBy(source, c.text)
          : rearrange(source, c.text as never, c.selection.map(ours)); // a text has its selection
      };
      if ("err" in c.out) {
        if (c.out.err === "TypeError") expect(run, label).toThrow(TypeError);
        else expect(run, label).toThrow(expect.objectContaining({ name: "LayoutError" }));
        continue;
      }
      const got = run() as ReturnType<typeof rearrange>;
      expect(normalForm(got.shape, got.stride, c.n1), label).toEqual(normalForm(...c.out.l, c.n1));
      expect(c.out.offset, label).toBe(c.src.offset);
    }
  });

  test("VA-46 a command of another form than the layout, or that omits elements, is refused in its name", () => {
    const l = parseLayout("(2,(3,4)):(1,(2,6))");
    const error = refusal("SW_LAYOUT_ARRANGEMENT", () => rearrangeBy(l, "a b c -> a b c"));
    expect(error).toMatchObject({ operation: "rearrangeBy", layout: l });
    refusal("SW_LAYOUT_ARRANGEMENT", () => rearrangeBy(l, "(a b) c -> a b c"));
    expect(refusal("SW_LAYOUT_ARRANGEMENT", () => rearrangeBy(l, "a b -> b")).value).toBe(0);
    refusal("SW_LAYOUT_ARRANGEMENT", () => rearrangeBy(l, "1 b -> b"));
  });

  test("law: the text of an arrangement does what the arrangement does", () => {
    const sources = layouts({ maxLeaves: 5, maxSize: 200 }).filter((l) => l.rank > 0);
    fc.assert(
      fc.property(sources, fc.nat(), (l, turn) => {
        let count = 0;
        const written = (tree: Tree): string =>
          typeof tree === "number" ? `x${count++}` : `(${tree.map(written).join(" ")})`;
        const input = l.shape.map(written).join(" ");
        const ids = [...flat(l.shape).keys()];
        const order = ids.map((_, i) => ids[(i + turn) % ids.length]!);
        const got = rearrangeBy(l, `${input}->${order.map((id) => `x${id}`).join(" ")}`);
        expect(String(got)).toBe(String(rearrange(l, order)));
        expect(enumerate(got).sort()).toEqual(enumerate(l).sort());
      }),
      { numRuns: 300 },
    );
  });
});
