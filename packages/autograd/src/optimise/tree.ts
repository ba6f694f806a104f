import { isTensor, type Tensor } from "@sw/tensor";

/** Parameters as plain objects and lists of tensors, nested as a model likes. */
export type ParameterTree = Tensor | readonly ParameterTree[] | { readonly [name: string]: ParameterTree };

/** Lists the tensors of a tree, in the order of its keys. */
export function parametersOf(tree: ParameterTree): Tensor[] {
  if (isTensor(tree)) return [tree];
  return Object.values(tree).flatMap((branch) => parametersOf(branch as ParameterTree));
}
