import type { BackwardRecord, Edge, GradNode, Tape } from "@sw/tensor/seam";
import { releaseAll } from "./scratch.js";

/** Whether a pass that is limited to a tape goes through a node; it ends before those that are on another. */
export function isOn(node: GradNode, tape: Tape | undefined): boolean {
  return tape === undefined || node.tape === tape;
}

/** The record of a node that a pass goes through. */
function recordOf(node: GradNode, tape: Tape | undefined): BackwardRecord | undefined {
  return isOn(node, tape) ? node.record : undefined;
}

/** The nodes that some roots reach, each before the nodes it came from. Iterative: histories are long. */
export function order(roots: readonly GradNode[], tape?: Tape): GradNode[] {
  const done: GradNode[] = [];
  const seen = new Set<GradNode>();
  const stack: GradNode[] = [];
  const position: number[] = [];
  const enter = (node: GradNode | undefined): void => {
    if (node === undefined || seen.has(node)) return;
    seen.add(node);
    stack.push(node);
    position.push(0);
  };
  for (const root of roots) {
    enter(root);
    while (stack.length > 0) {
      const node = stack[stack.length - 1] as GradNode;
      const inputs = recordOf(node, tape)?.inputs ?? [];
      const next = position[position.length - 1] as number;
      if (next === inputs.length) {
        done.push(node);
        stack.pop();
        position.pop();
        continue;
      }
      position[position.length - 1] = next + 1;
      enter(inputs[next]?.node);
    }
  }
  return done.reverse();
}

/** Those of some ordered nodes from which a cotangent comes to one that is wanted. */
export function leading(
  nodes: readonly GradNode[],
  wanted: (node: GradNode) => boolean,
  tape?: Tape,
): ReadonlySet<GradNode> {
  const found = new Set<GradNode>();
  const leads = ({ node }: Edge): boolean => node !== undefined && found.has(node);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i] as GradNode;
    if (wanted(node) || recordOf(node, tape)?.inputs.some(leads) === true) found.add(node);
  }
  return found;
}

/**
 * Frees what a history keeps, its inputs too: a loss that is held keeps no history alive. The nodes stay, so that a
 * later backward can say why it cannot go on (VA-84).
 */
export function releaseHistory(nodes: readonly GradNode[]): void {
  const owned = nodes.flatMap(({ record }) => record?.owned ?? []);
  for (const { record } of nodes) {
    if (record === undefined) continue;
    record.inputs = [];
    record.saved = [];
    record.owned = [];
    record.rule = undefined;
    record.released = true;
  }
  releaseAll(owned.map((t) => () => t.dispose()));
}
