import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { kernelBounds } from "@sw/conformance";
import { jsKernels } from "@sw/kernels-js";
import type { DTypeKind } from "@sw/tensor";
import { OPERATIONS, type OperationSpec } from "@sw/tensor/seam";

// The list of kernels in docs/kernel-seam.md: operands and numbers from the specs, formulas from the comments of the
// reference kernels, bounds from the conformance kit.

const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));

const FAMILIES = ["loops", "reduce", "axes"] as const;

/** The kernels that every process has without a backend, by the functions that they are. */
const BUILT_IN: { readonly [kind: string]: string | undefined } = { copy: "copyInto", cast: "castInto" };

const KINDS: { readonly [K in DTypeKind]: string } = {
  float: "floats",
  int: "integers",
  uint: "integers",
  bool: "bool",
};

/** What the comment right above each exported function says, on one line, without its tags; by the function's name. */
function comments(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const files = readdirSync(join(PACKAGES, folder), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".ts") && !name.includes("generated"))) {
    const text = readFileSync(join(PACKAGES, folder, file), "utf8");
    for (const [, comment, name] of text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport function (\w+)/g)) {
      found.set(name as string, plainText(comment as string));
    }
  }
  return found;
}

/** A comment as paragraphs: formulas that are indented keep their lines. */
function plainText(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
  const end = lines.findIndex((line) => line.startsWith("@"));
  const kept = end < 0 ? lines : lines.slice(0, end);
  const paragraphs: string[] = [];
  let open = false;
  for (const line of kept) {
    const formula = line.startsWith("    ");
    if (line === "") open = false;
    else if (open && !formula && !paragraphs.at(-1)?.startsWith("    "))
      paragraphs.push(`${paragraphs.pop()} ${line.trim()}`);
    else if (open && formula && paragraphs.at(-1)?.startsWith("    ")) paragraphs.push(`${paragraphs.pop()}\n${line}`);
    else {
      paragraphs.push(formula ? line : line.trim());
      open = true;
    }
  }
  return paragraphs
    .filter((text) => text !== "")
    .join("\n\n")
    .trim();
}

/** `r:bool ← x` as the specs write operands; what they mean is said above the list. */
function signature({ outputs, inputs, ints, floats }: OperationSpec): string {
  const numbers = floats.filter((name) => !name.endsWith("?"));
  const lists = [
    ...(ints.length === 0 ? [] : [`ints [${ints.join(", ")}]`]),
    ...(numbers.length === 0 ? [] : [`floats [${numbers.join(", ")}]`]),
  ];
  return [`\`${outputs.join(", ")} ← ${inputs.join(", ")}\``, ...lists].join(", ");
}

function dtypes({ kinds, outputs, inputs }: OperationSpec): string {
  const own = [...outputs, ...inputs].some((operand) => !operand.includes(":"));
  return own ? [...new Set(kinds.map((kind) => KINDS[kind]))].join(", ") : "bool";
}

/** Renders the list. */
export function kernelList(): string {
  const reference = comments("kernels-js/src");
  const builtIn = comments("tensor/src/convert");
  const bounds = new Map(kernelBounds().map(({ kernel, bound }) => [kernel, bound]));
  const specs: readonly OperationSpec[] = Object.values(OPERATIONS);
  return FAMILIES.map((family) => {
    const entries = specs
      .filter((spec) => spec.family === family)
      .map((spec) => {
        const name = jsKernels.kernels[spec.kind]?.name ?? "";
        const text = reference.get(name) ?? builtIn.get(BUILT_IN[spec.kind] ?? "");
        if (text === undefined) throw new Error(`${spec.kind}: no comment says what the kernel computes.`);
        const bound = bounds.get(spec.kind);
        const facts = [signature(spec), dtypes(spec), ...(bound === undefined ? [] : [`bound: ${bound}`])];
        return `#### ${spec.kind}\n\n${facts.join("; ")}.\n\n${text}`;
      });
    return `### Family ${family}\n\n${entries.join("\n\n")}`;
  }).join("\n\n");
}
