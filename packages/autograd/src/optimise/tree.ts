import { isTensor, type Tensor } from "@sw/tensor";
import { refuseCompound } from "@sw/tensor/seam";
import { GradientError } from "../errors.js";

/** Parameters as plain objects and lists of tensors, nested as a model likes. @since 0.1.0 */
export type ParameterTree = Tensor | readonly ParameterTree[] | { readonly [name: string]: ParameterTree };

/** Anything that says what its parameters are: a class of `@sw/autograd/modules`, or one of your own. @since 0.1.0 */
export interface Module {
  readonly parameters: ModuleTree;
}

/** Parameters as in a {@link ParameterTree}, with modules among them. @since 0.1.0 */
export type ModuleTree = Tensor | Module | readonly ModuleTree[] | { readonly [name: string]: ModuleTree };

/**
 * Lists the tensors of a tree, in the order of its keys; one that stands in several places (tied weights) once.
 *
 * @throws TypeError naming the path of what is no tensor, list, module or plain object, or of a tree that holds itself.
 * @since 0.1.0
 */
export function parametersOf(tree: ModuleTree): Tensor[] {
  return leavesOf("parametersOf", tree).map(([, t]) => t);
}

/**
 * Names the tensors of a tree by where they stand: keys and places in lists, joined by dots. The word `parameters` of
 * a module is left out. Tied weights have the first of their names; a tensor that is the whole tree has the name `""`.
 * The handles are those of the tree, and a file format takes the result as it is.
 *
 * @throws TypeError as {@link parametersOf}; GradientError `SW_AUTOGRAD_NAME` for two tensors of one name, as those of
 * `{ "a.b": t, a: { b: u } }`.
 * @example
 * ```ts
 * import { namedParameters } from "@sw/autograd";
 * import { zeros } from "@sw/tensor";
 * const layer = { weight: zeros([2, 2]), bias: zeros([2]) };
 * console.log(Object.keys(namedParameters({ layers: [layer], scale: zeros([]) })));
 * // [ 'layers.0.weight', 'layers.0.bias', 'scale' ]
 * ```
 * @since 0.1.0
 */
export function namedParameters(tree: ModuleTree): Record<string, Tensor> {
  return byName("namedParameters", leavesOf("namedParameters", tree));
}

/** Makes an object of named tensors. @throws GradientError `SW_AUTOGRAD_NAME` where two have one name. */
export function byName(operation: string, named: readonly (readonly [string, Tensor])[]): Record<string, Tensor> {
  const found = new Map<string, Tensor>();
  for (const [name, t] of named) {
    if (found.has(name)) {
      throw new GradientError(
        "SW_AUTOGRAD_NAME",
        `${operation}: two tensors have one name: got "${name}" twice, expected a name for each. Leave dots out of keys.`,
        { operation, given: name },
      );
    }
    found.set(name, t);
  }
  return Object.fromEntries(found);
}

/** A branch that is still to be walked, or the end of one. */
type Step = { readonly name: string; readonly branch: unknown } | { readonly end: object };

/** Walks a tree in the order of its keys, without recursion: a deep one would overflow the stack. */
export function leavesOf(operation: string, tree: ModuleTree): [name: string, leaf: Tensor][] {
  const leaves: [string, Tensor][] = [];
  const seen = new Set<object>();
  const open = new Set<object>();
  const steps: Step[] = [{ name: "", branch: tree }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ("end" in step) {
      open.delete(step.end);
      continue;
    }
    const { name, branch } = step;
    if (isTensor(branch)) {
      const leaf = branch.node ?? branch;
      if (!seen.has(leaf)) leaves.push([name, branch]);
      seen.add(leaf);
      continue;
    }
    const below = branchesOf(operation, name, branch);
    if (open.has(branch as object)) {
      throw new TypeError(`${operation}: the tree holds itself at ${pathTo(name)}: got a cycle, expected a tree.`);
    }
    open.add(branch as object);
    steps.push({ end: branch as object });
    for (const one of below.reverse()) steps.push(one);
  }
  return leaves;
}

function branchesOf(operation: string, name: string, branch: unknown): Step[] {
  if (Array.isArray(branch) || isPlainObject(branch)) {
    const prefix = name === "" ? "" : `${name}.`;
    return Object.entries(branch).map(([key, below]) => ({ name: prefix + key, branch: below }));
  }
  if (typeof branch === "object" && branch !== null && "parameters" in branch) {
    return [{ name, branch: branch.parameters }];
  }
  refuseCompound(branch, `${operation} ${pathTo(name)}`);
  const given = branch === null ? "null" : typeof branch === "object" ? "an object of a class" : typeof branch;
  throw new TypeError(
    `${operation}: no parameter at ${pathTo(name)}: got ${given}, expected a tensor, a list, a plain object or a module.`,
  );
}

function pathTo(name: string): string {
  return name === "" ? "parameters" : `parameters.${name}`;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also those of another realm, whose prototype is not this realm's.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
