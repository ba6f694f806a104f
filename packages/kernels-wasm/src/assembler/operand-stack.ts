import type { ValueType } from "./types.js";

/** A control construct that is open while its body is built. @since 0.1.0 */
export interface Frame {
  readonly kind: "function" | "block" | "loop" | "if";
  /** What the construct leaves on the stack when its end is reached. */
  readonly results: readonly ValueType[];
  /** What a branch to it takes: a loop is entered at its top again, with nothing. */
  readonly branch: readonly ValueType[];
  /** The stack's height outside of it, which its body may not go below. */
  readonly height: number;
  /** After a branch or return nothing is known of the stack, so any operand may be popped. */
  unreachable: boolean;
}

/** Says why an instruction cannot stand where it is; the caller adds where that is. */
export type Complain = (problem: string) => never;

/**
 * The types on the operand stack at the present point of a function, by the validation rules of the
 * WebAssembly specification.
 */
export class OperandStack {
  readonly frames: Frame[] = [];
  readonly types: ValueType[] = [];

  /** Opens a construct. */
  open(kind: Frame["kind"], results: readonly ValueType[]): Frame {
    const frame: Frame = {
      kind,
      results,
      branch: kind === "loop" ? [] : results,
      height: this.types.length,
      unreachable: false,
    };
    this.frames.push(frame);
    return frame;
  }

  /** Closes the innermost construct: its results, and nothing else, must be there. */
  close(complain: Complain): void {
    const frame = this.top();
    this.endOfBody(frame, complain);
    this.frames.pop();
    this.push(frame.results);
  }

  /** Ends the first arm of an `if` and starts the second. */
  otherwise(complain: Complain): void {
    const frame = this.top();
    this.endOfBody(frame, complain);
    frame.unreachable = false;
  }

  push(types: readonly ValueType[]): void {
    for (const type of types) this.types.push(type);
  }

  /** Takes operands off, the last one first. */
  pop(expected: readonly ValueType[], complain: Complain): void {
    for (let i = expected.length - 1; i >= 0; i--) this.popOne(expected[i]!, i, expected, complain);
  }

  /** The type on top, if the present construct has one there. */
  peek(): ValueType | undefined {
    return this.types.length > this.top().height ? this.types[this.types.length - 1] : undefined;
  }

  /** Takes one operand of any type off. */
  drop(complain: Complain): void {
    const frame = this.top();
    if (this.types.length > frame.height) this.types.pop();
    else if (!frame.unreachable) complain(`an operand is missing: got stack ${this.describe()}, expected any value.`);
  }

  /** Forgets the stack after an instruction that does not go on to the next one. */
  stop(): void {
    const frame = this.top();
    this.types.length = frame.height;
    frame.unreachable = true;
  }

  /** How many constructs a branch leaves to reach `frame`, or -1 when it is not open. */
  depthOf(frame: Frame): number {
    const at = this.frames.lastIndexOf(frame);
    return at < 0 ? -1 : this.frames.length - 1 - at;
  }

  private popOne(type: ValueType, index: number, all: readonly ValueType[], complain: Complain): void {
    const frame = this.top();
    if (this.types.length === frame.height) {
      if (frame.unreachable) return;
      complain(`operand ${index + 1} is missing: got stack ${this.describe()}, expected [${all.join(",")}].`);
    }
    const got = this.types[this.types.length - 1];
    if (got !== type) {
      complain(
        `operand ${index + 1} has the wrong type: got ${got}, expected ${type} (stack ${this.describe()}, expected [${all.join(",")}]).`,
      );
    }
    this.types.pop();
  }

  private endOfBody(frame: Frame, complain: Complain): void {
    this.pop(frame.results, complain);
    if (this.types.length !== frame.height) {
      complain(
        `values are left on the stack: got ${this.describe()} beside the results, expected results [${frame.results.join(",")}] only.`,
      );
    }
  }

  /** The part of the stack that the present construct may use. */
  private describe(): string {
    return `[${this.types.slice(this.top().height).join(",")}]`;
  }

  private top(): Frame {
    return this.frames[this.frames.length - 1]!;
  }
}
