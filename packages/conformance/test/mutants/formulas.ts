import type { Kernel, Operand } from "@sw/tensor/seam";
import { kernelKit, run } from "../../src/index.js";
import { backendOf, positions } from "../support.js";

// The element-wise kernels of @sw/kernels-js come from formulas that are data: here they are changed one token at a
// time, made kernels of, and the kit has to see each change.

/** A row of `generate/formulas.mjs`. */
export type Formula = readonly [
  kernel: string,
  operands: string,
  statements: { readonly [className: string]: string },
  options?: { readonly before?: string },
];

/** The formulas, and the functions that they call. They are the generator's own, which no package exports. */
export async function loadFormulas(): Promise<{
  readonly formulas: readonly Formula[];
  readonly functions: Functions;
}> {
  const folder = new URL("../../../kernels-js/", import.meta.url);
  const lists = (await import(new URL("generate/formulas.mjs", folder).href)) as {
    readonly [list: string]: readonly Formula[];
  };
  const functions = (await import(new URL("src/functions.ts", folder).href)) as Functions;
  const names = ["BINARY", "COMPARISONS", "UNARY", "TERNARY"];
  return { formulas: names.flatMap((name) => lists[name]!), functions };
}

interface Functions {
  readonly [name: string]: unknown;
}

/** The dtype that a class of arrays is tried with. */
const DTYPES: { readonly [className: string]: string } = {
  float: "float32",
  int: "int32",
  wide: "int64",
  bool: "bool",
};

/** Tokens, and what each is changed to. */
const CHANGES: readonly (readonly [token: RegExp, change: (token: string) => string])[] = [
  [/ [+\-*/] /g, (token) => ({ " + ": " - ", " - ": " + ", " * ": " + ", " / ": " * " })[token]!],
  [/ [<>] /g, (token) => token.replace(/([<>])/, "$1=")],
  [/ [=!]== /g, (token) => (token === " === " ? " !== " : " === ")],
  [/ (&&|\|\|) /g, (token) => (token === " && " ? " || " : " && ")],
  [/Math\.(min|max)/g, (token) => (token === "Math.min" ? "Math.max" : "Math.min")],
  [/Math\.(exp|expm1|log|log1p|sin|cos|tanh|abs)\b/g, (token) => OTHERS[token]!],
  [/Math\.(floor|ceil|trunc)\b|roundToEven/g, (token) => OTHERS[token]!],
  [
    /\b\d+n?\b/g,
    (token) => (token.startsWith("0") ? token.replace("0", "1") : token.replace(/\d+/, (d) => String(2 * Number(d)))),
  ],
  [/(?<![\w$] )-(?=[$x1(M])/g, () => ""],
];

const OTHERS: { readonly [name: string]: string } = {
  "Math.exp": "Math.expm1",
  "Math.expm1": "Math.exp",
  "Math.log": "Math.log1p",
  "Math.log1p": "Math.log",
  "Math.sin": "Math.cos",
  "Math.cos": "Math.sin",
  "Math.tanh": "Math.atan",
  "Math.abs": "",
  "Math.floor": "Math.trunc",
  "Math.ceil": "Math.floor",
  "Math.trunc": "Math.floor",
  roundToEven: "Math.round",
};

/** Every statement that differs from one in a single place. */
export function mutationsOf(statement: string): readonly string[] {
  const found = CHANGES.flatMap(([token, change]) =>
    [...statement.matchAll(token)].map(
      (match) => statement.slice(0, match.index) + change(match[0]) + statement.slice(match.index + match[0].length),
    ),
  );
  // Branches that are gone: one side of a choice in the place of both.
  const choice = / = ([^?;]+) \? ([^;]+?) : ([^;]+);$/.exec(statement);
  if (choice !== null) {
    for (const side of [choice[2]!, choice[3]!]) found.push(`${statement.slice(0, choice.index)} = ${side};`);
  }
  return [...new Set(found)].filter((one) => one !== statement);
}

/** Makes a kernel of a statement for one element. */
function kernelOf([, operands, , options]: Formula, statement: string, functions: Functions): Kernel {
  const names = operands.split(" ").map((operand) => operand.split(":")[0]!);
  const before = (options?.before ?? "").replaceAll("!;", ";");
  const body = statement.replaceAll("wrap(", "BigInt.asIntN(64, ").replaceAll(/\$(\w)/g, "$1");
  const called = Object.keys(functions);
  const text = `let ${names[0]};\n${before}\n${body}\nreturn ${names[0]};`;
  const rule = new Function(...called, "floats", ...names.slice(1), text) as (...x: unknown[]) => unknown;
  const values = called.map((name) => functions[name]);
  return ([out], inputs, _ints, floats) => {
    const from = inputs.map((input) => ({ data: input.data, at: positions(input) }));
    const target = (out as Operand).data as { [at: number]: unknown };
    positions(out!).forEach((at, i) => {
      target[at] = rule(...values, floats, ...from.map(({ data, at: places }) => data[places[i]!]));
    });
  };
}

/** The changes of a formula that no case catches: `[kernel] [class]: [statement]`. */
export async function survivorsOf(formula: Formula, functions: Functions): Promise<readonly string[]> {
  const [kernel, , statements] = formula;
  const survivors: string[] = [];
  for (const [className, statement] of Object.entries(statements)) {
    const prefix = `kernels/${kernel}/${DTYPES[className]}/`;
    for (const changed of mutationsOf(statement)) {
      const backend = backendOf(changed, { [kernel]: kernelOf(formula, changed, functions) });
      const report = await run(kernelKit, backend, { filter: (id) => id.startsWith(prefix), until: "first failure" });
      if (report.ok) survivors.push(`${kernel} ${className}: ${changed}`);
    }
  }
  return survivors;
}
