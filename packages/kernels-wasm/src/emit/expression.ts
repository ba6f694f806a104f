import type { FunctionBuilder, InstructionName, Local } from "../assembler/index.js";

/** A vector that an expression computes. Nodes are compared by identity: equal ones are one. */
export interface Node {
  readonly number: number;
  readonly operands: readonly Node[];
  /** Adds the instruction; the operands are on the stack. */
  readonly emit: (f: FunctionBuilder) => void;
  /** A constant is not worth a local. */
  readonly constant: boolean;
}

/** What is computed of one vector. */
export type Formula = (e: Expression, x: Node) => Node;

/** Instructions of vectors alone. */
export type LaneInstruction = Extract<InstructionName, `${"f32x4" | "f64x2" | "i32x4" | "i64x2" | "v128"}.${string}`>;
type Shift = `${"i32x4" | "i64x2"}.${"shl" | "shr_s" | "shr_u"}`;
type UntypedOp = (this: FunctionBuilder, name: string, ...immediates: readonly unknown[]) => FunctionBuilder;

/**
 * Builds what a loop computes of its inputs, as a graph: what is written twice is computed once, and each value that
 * is used more than once lies in a local.
 */
export class Expression {
  private readonly nodes = new Map<string, Node>();

  /** A value that the loop puts on the stack itself. */
  input(number: number, emit: (f: FunctionBuilder) => void): Node {
    return this.node(`input ${number}`, [], emit);
  }

  op(name: LaneInstruction, ...operands: readonly Node[]): Node {
    return this.node(name, operands, (f) => untyped(f, name));
  }

  shift(name: Shift, value: Node, by: number): Node {
    return this.node(`${name} ${by}`, [value], (f) => f.i32(by).op(name));
  }

  shuffle(a: Node, b: Node, bytes: readonly number[]): Node {
    return this.node(`shuffle ${bytes}`, [a, b], (f) => f.op("i8x16.shuffle", bytes));
  }

  constant(bytes: Uint8Array): Node {
    const list = Array.from(bytes);
    return this.node(`constant ${list}`, [], (f) => f.op("v128.const", list), true);
  }

  /** Of several instructions; `name` says which, for one that is written twice. */
  custom(name: string, operands: readonly Node[], emit: (f: FunctionBuilder) => void): Node {
    return this.node(name, operands, emit);
  }

  /**
   * Of one vector, in one of two ways: `rare` where the mask has a bit in any lane, `usual` elsewhere. Only one of them is
   * computed. `name` says which, for one that is written twice.
   */
  guarded(name: string, x: Node, mask: Formula, rare: Formula, usual: Formula): Node {
    return this.node(name, [x], (f) => {
      const local = f.local("v128", name);
      const value = (formula: Formula): void => {
        const own = new Expression();
        prepare(
          f,
          formula(
            own,
            own.input(0, () => f.get(local)),
          ),
        )();
      };
      f.set(local);
      value(mask);
      f.op("v128.any_true").if(
        () => value(rare),
        () => value(usual),
        "v128",
      );
    });
  }

  private node(name: string, operands: readonly Node[], emit: (f: FunctionBuilder) => unknown, constant = false): Node {
    const key = `${name} of ${operands.map(({ number }) => number)}`;
    let node = this.nodes.get(key);
    if (node === undefined) {
      node = { number: this.nodes.size, operands, emit, constant };
      this.nodes.set(key, node);
    }
    return node;
  }
}

/**
 * Prepares the emission of an expression. Gives what puts its value on the stack, as often as it is called. A constant
 * stands where it is used: the engine takes it out of the loop by itself, as fast as from a local (Node 20).
 */
export function prepare(f: FunctionBuilder, root: Node): () => void {
  const emitter = emitterOf(f, [root]);
  return () => emitter()(root);
}

/** Prepares the emission of several expressions. Gives what leaves their values in locals. */
export function prepareAll(f: FunctionBuilder, roots: readonly Node[], into: readonly Local[]): () => void {
  const emitter = emitterOf(f, roots);
  return () => {
    const emit = emitter();
    for (const [i, root] of roots.entries()) {
      emit(root);
      f.set(into[i]!);
    }
  };
}

/** What begins the emission of expressions anew: it gives what puts the value of a node on the stack. */
function emitterOf(f: FunctionBuilder, roots: readonly Node[]): () => (node: Node) => void {
  const uses = new Map<Node, number>();
  const visit = (node: Node): void => {
    const before = uses.get(node) ?? 0;
    uses.set(node, before + 1);
    if (before === 0) node.operands.forEach(visit);
  };
  roots.forEach(visit);
  const locals = new Map<Node, Local>();
  for (const [node, count] of uses) {
    if (count > 1 && !node.constant) locals.set(node, f.local("v128", `v${node.number}`));
  }
  return () => {
    const done = new Set<Node>();
    const emit = (node: Node): void => {
      const local = locals.get(node);
      if (local !== undefined && done.has(node)) {
        f.get(local);
        return;
      }
      node.operands.forEach(emit);
      node.emit(f);
      if (local !== undefined) f.tee(local);
      done.add(node);
    };
    return emit;
  };
}

/** Instructions of vectors alone have no immediates, which the types cannot tell of a name that is not known yet. */
function untyped(f: FunctionBuilder, name: LaneInstruction): void {
  (f.op as unknown as UntypedOp).call(f, name);
}
