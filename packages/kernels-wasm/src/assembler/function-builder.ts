import { ByteWriter } from "./encoder.js";
import { AssemblerError, type AssemblerErrorCode } from "./errors.js";
import { writeImmediates } from "./immediates.js";
import { type ImmediatesOf, INSTRUCTIONS, type Instruction, type InstructionName } from "./instructions.js";
import { type Complain, type Frame, OperandStack } from "./operand-stack.js";
import {
  type FunctionReference,
  type FunctionType,
  type Local,
  typesOf,
  VALUE_TYPE_CODES,
  type ValueType,
} from "./types.js";

/** A place that `br` and `brIf` go to: the end of a block or `if`, the top of a loop. @since 0.1.0 */
export interface Label {
  readonly frame: Frame;
}

const END = 0x0b;
const EMPTY_BLOCK = 0x40;

/**
 * Builds the body of one function, instruction by instruction. Every instruction is checked against the types on
 * the operand stack when it is added, so that a wrong kernel fails where it is written. All methods return the
 * builder; operands are pushed first, as in the text format.
 *
 * @since 0.1.0
 */
export class FunctionBuilder {
  readonly name: string;
  readonly type: FunctionType;
  private readonly code = new ByteWriter();
  private readonly stack = new OperandStack();
  private readonly variables: Local[] = [];
  private position = 0;
  private finished = false;

  constructor(name: string, params: { readonly [name: string]: ValueType }, results: readonly ValueType[]) {
    this.name = name;
    for (const [parameter, type] of Object.entries(params)) this.local(type, parameter);
    this.type = { params: this.variables.map((variable) => variable.type), results };
    this.stack.open("function", results);
  }

  /** The parameters, in order. */
  parameters(): readonly Local[] {
    return this.variables.slice(0, this.type.params.length);
  }

  /** Makes a local variable, zero at first. */
  local<T extends ValueType>(type: T, name: string): Local<T> {
    const made: Local<T> = { index: this.variables.length, type, name };
    this.variables.push(made);
    return made;
  }

  /**
   * Adds an instruction of the table.
   *
   * @throws AssemblerError `SW_WASM_ASM_STACK` when the stack does not hold its operands,
   * `SW_WASM_ASM_IMMEDIATE` when an immediate is out of range.
   */
  op<N extends InstructionName>(name: N, ...immediates: ImmediatesOf<N>): this {
    const instruction: Instruction = INSTRUCTIONS[name];
    const [opcode, types] = instruction;
    const arrow = types.indexOf(">");
    this.stack.pop(typesOf(types.slice(0, arrow)), this.complain("SW_WASM_ASM_STACK", name));
    if (opcode > 0xff) this.code.byte(opcode >> 12).unsigned(opcode & 0xfff);
    else this.code.byte(opcode);
    writeImmediates(this.code, instruction, immediates, this.complain("SW_WASM_ASM_IMMEDIATE", name));
    this.stack.push(typesOf(types.slice(arrow + 1)));
    return this.step();
  }

  /** Pushes a 32-bit integer. */
  i32(value: number): this {
    return this.op("i32.const", value);
  }

  /**
   * Pushes a variable.
   *
   * @throws AssemblerError `SW_WASM_ASM_LOCAL` for a variable of another function.
   */
  get(variable: Local): this {
    this.checkLocal("local.get", variable);
    this.code.byte(0x20).unsigned(variable.index);
    this.stack.push([variable.type]);
    return this.step();
  }

  /** Pops into a variable. */
  set(variable: Local): this {
    this.checkLocal("local.set", variable);
    this.stack.pop([variable.type], this.complain("SW_WASM_ASM_STACK", `local.set ${variable.name}`));
    this.code.byte(0x21).unsigned(variable.index);
    return this.step();
  }

  /** Stores the top of the stack in a variable and leaves it there. */
  tee(variable: Local): this {
    this.checkLocal("local.tee", variable);
    this.stack.pop([variable.type], this.complain("SW_WASM_ASM_STACK", `local.tee ${variable.name}`));
    this.stack.push([variable.type]);
    this.code.byte(0x22).unsigned(variable.index);
    return this.step();
  }

  /** Throws the top of the stack away. */
  drop(): this {
    this.stack.drop(this.complain("SW_WASM_ASM_STACK", "drop"));
    this.code.byte(0x1a);
    return this.step();
  }

  /** Pops an i32 and two values of one type: pushes the first of these, or the second where the i32 is zero. */
  select(): this {
    this.stack.pop(["i32"], this.complain("SW_WASM_ASM_STACK", "select"));
    const type = this.stack.peek();
    if (type !== undefined) {
      this.stack.pop([type, type], this.complain("SW_WASM_ASM_STACK", "select"));
      this.stack.push([type]);
    } else this.stack.drop(this.complain("SW_WASM_ASM_STACK", "select"));
    this.code.byte(0x1b);
    return this.step();
  }

  /** Adds a block; a branch to its label goes to its end. */
  block(body: (label: Label) => void, result?: ValueType): this {
    return this.construct("block", 0x02, body, result);
  }

  /** Adds a loop; a branch to its label goes to its top, and without one it runs once. */
  loop(body: (label: Label) => void, result?: ValueType): this {
    return this.construct("loop", 0x03, body, result);
  }

  /** Adds a choice on the i32 on top of the stack: `then` when it is not zero. */
  if(then: (label: Label) => void, otherwise?: ((label: Label) => void) | undefined, result?: ValueType): this {
    this.stack.pop(["i32"], this.complain("SW_WASM_ASM_STACK", "if"));
    return this.construct(
      "if",
      0x04,
      (label) => {
        then(label);
        if (otherwise === undefined) {
          if (result !== undefined) {
            this.complain("SW_WASM_ASM_STACK", "if")(`else is missing: got one arm, expected two (result ${result}).`);
          }
          return;
        }
        this.stack.otherwise(this.complain("SW_WASM_ASM_STACK", "else"));
        this.code.byte(0x05);
        otherwise(label);
      },
      result,
    );
  }

  /**
   * Goes to a label.
   *
   * @throws AssemblerError `SW_WASM_ASM_LABEL` when the label's construct is not open here.
   */
  br(label: Label): this {
    this.branch("br", 0x0c, label);
    this.stack.stop();
    return this.step();
  }

  /** Goes to a label when the i32 on top of the stack is not zero. */
  brIf(label: Label): this {
    this.stack.pop(["i32"], this.complain("SW_WASM_ASM_STACK", "br_if"));
    this.branch("br_if", 0x0d, label);
    this.stack.push(label.frame.branch);
    return this.step();
  }

  /** Leaves the function with the results on top of the stack. */
  return(): this {
    this.stack.pop(this.type.results, this.complain("SW_WASM_ASM_STACK", "return"));
    this.code.byte(0x0f);
    this.stack.stop();
    return this.step();
  }

  /** Calls a function of the same module. */
  call(target: FunctionReference): this {
    this.stack.pop(target.type.params, this.complain("SW_WASM_ASM_STACK", `call ${target.name}`));
    this.code.byte(0x10).unsigned(target.index);
    this.stack.push(target.type.results);
    return this.step();
  }

  /**
   * Ends the body and gives its bytes: the declaration of the locals, then the code.
   *
   * @throws AssemblerError `SW_WASM_ASM_STACK` when the stack does not hold exactly the results.
   */
  finish(): readonly number[] {
    if (!this.finished) {
      this.stack.close(this.complain("SW_WASM_ASM_STACK", "end"));
      this.code.byte(END);
      this.finished = true;
    }
    const runs: { count: number; readonly type: ValueType }[] = [];
    for (const { type } of this.variables.slice(this.type.params.length)) {
      const last = runs[runs.length - 1];
      if (last?.type === type) last.count++;
      else runs.push({ count: 1, type });
    }
    return new ByteWriter()
      .vector(runs, (writer, run) => writer.unsigned(run.count).byte(VALUE_TYPE_CODES[run.type]))
      .append(this.code.bytes).bytes;
  }

  private construct(kind: Frame["kind"], opcode: number, body: (label: Label) => void, result?: ValueType): this {
    const frame = this.stack.open(kind, result === undefined ? [] : [result]);
    this.code.byte(opcode).byte(result === undefined ? EMPTY_BLOCK : VALUE_TYPE_CODES[result]);
    this.step();
    body({ frame });
    this.stack.close(this.complain("SW_WASM_ASM_STACK", `end of ${kind}`));
    this.code.byte(END);
    return this.step();
  }

  private branch(instruction: string, opcode: number, label: Label): void {
    const depth = this.stack.depthOf(label.frame);
    if (depth < 0) {
      this.complain(
        "SW_WASM_ASM_LABEL",
        instruction,
      )(`the label is not open: got a ${label.frame.kind} that has ended, expected one around the instruction.`);
    }
    this.stack.pop(label.frame.branch, this.complain("SW_WASM_ASM_STACK", instruction));
    this.code.byte(opcode).unsigned(depth);
  }

  private checkLocal(instruction: string, variable: Local): void {
    if (this.variables[variable.index] === variable) return;
    this.complain(
      "SW_WASM_ASM_LOCAL",
      instruction,
    )(`the variable is of another function: got "${variable.name}", expected one that ${this.name} made.`);
  }

  private complain(code: AssemblerErrorCode, instruction: string): Complain {
    return (problem) => {
      throw new AssemblerError(code, this.name, instruction, this.position, problem);
    };
  }

  private step(): this {
    this.position++;
    return this;
  }
}
