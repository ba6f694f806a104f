import { isTensor, type Tensor } from "@sw/tensor";
import { refuseCompound } from "@sw/tensor/seam";

/** Parameters as plain objects and lists of tensors, nested as a model likes. @since 0.1.0 */
export type ParameterTree = Tensor | readonly ParameterTree[] | { readonly [name: string]: ParameterTree };

/**
 * Lists the tensors of a tree, in the order of its keys; one that stands in several places (tied weights) once.
 *
 * @throws TypeError naming the path of what is no tensor, list or plain object, or of a tree that holds itself.
 * @since 0.1.0
 */
export function parametersOf(tree: ParameterTree): Tensor[] {
  const found: Tensor[] = [];
  collect(tree, "parameters", [], found);
  return found;
}

function collect(branch: unknown, path: string, above: readonly unknown[], found: Tensor[]): void {
  if (isTensor(branch)) {
    if (!found.some((t) => t === branch || (t.node !== undefined && t.node === branch.node))) found.push(branch);
    return;
  }
  if (!Array.isArray(branch) && !isPlainObject(branch)) {
    refuseCompound(branch, `parametersOf ${path}`);
    const given = branch === null ? "null" : typeof branch === "object" ? "an object of a class" : typeof branch;
    throw new TypeError(
      `parametersOf: no parameter at ${path}: got ${given}, expected a tensor, a list or a plain object.`,
    );
  }
  if (above.includes(branch)) {
    throw new TypeError(`parametersOf: the tree holds itself at ${path}: got a cycle, expected a tree.`);
  }
  for (const [name, below] of Object.entries(branch)) collect(below, `${path}.${name}`, [...above, branch], found);
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also those of another realm, whose prototype is not this realm's.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
