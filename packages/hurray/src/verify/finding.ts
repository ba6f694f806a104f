import { HurrayFormatError, HurrayLimitError, HurrayUnsupportedError, type Rule } from "../errors.js";

/** One thing that `verify` has to say of a file or stream: plain data. @since 0.1.0 */
export interface Finding {
  /** A `"violation"` breaks a rule, and readers refuse it; a `"note"` is allowed, or could not be checked. */
  readonly severity: "violation" | "note";
  /** The rule, by its number in the reject checklist; a note may have none. */
  readonly rule?: Rule;
  /** The tensor that it concerns, by its name in the file or as `#0` in the order of a stream. */
  readonly name?: string;
  /** The field, as the format names it. */
  readonly field: string;
  /** Where it lies, from the start of the file or stream. */
  readonly byteOffset: number;
  /** What is wrong, what was found and what was expected. */
  readonly message: string;
}

/** What a finding is about. */
export interface Subject {
  readonly name?: string;
  /** Where each buffer starts: errors of data count from there. */
  readonly starts?: readonly number[];
}

/** Gathers what checks throw, for as long as it takes to hand it on. */
export class Findings {
  /** What begins the messages of errors, and is taken off them again. */
  readonly operation: string;
  list: Finding[] = [];
  said: Set<string> = new Set();

  constructor(operation: string) {
    this.operation = operation;
  }

  /** Hands on what there is. */
  take(): Finding[] {
    const list = this.list;
    this.list = [];
    this.said.clear();
    return list;
  }

  /** Runs a check; what it refuses becomes a finding, and the result `undefined`. */
  attempt<T>(check: () => T, subject: Subject = {}): T | undefined {
    try {
      return check();
    } catch (error) {
      this.refuse(error, subject);
      return undefined;
    }
  }

  /** Takes an error as a finding: a broken rule, or a note of what cannot be checked. Throws what is neither. */
  refuse(error: unknown, { name, starts }: Subject = {}): void {
    if (error instanceof HurrayFormatError) {
      const { rule, field } = error;
      const tail = ` (${rule}, byte ${error.byteOffset}).`;
      const message = `${error.message.slice(this.operation.length + 2, -tail.length)}.`;
      const start = field.startsWith("buffer ") ? starts?.[Number(field.slice("buffer ".length))] : undefined;
      const byteOffset = error.byteOffset + (start ?? 0);
      this.add({ severity: "violation", rule, ...(name !== undefined && { name }), field, byteOffset, message });
    } else if (error instanceof HurrayLimitError || error instanceof HurrayUnsupportedError) {
      const message = `not checked: ${error.message.slice(this.operation.length + 2)}`;
      this.note("data", starts?.[0] ?? 0, message, name);
    } else {
      throw error;
    }
  }

  /** Says something that breaks no rule, or one that readers do not refuse for. */
  note(field: string, byteOffset: number, message: string, name?: string, rule?: Rule): void {
    this.add({
      severity: "note",
      ...(rule !== undefined && { rule }),
      ...(name !== undefined && { name }),
      field,
      byteOffset,
      message,
    });
  }

  /** The same fault shows in more than one way; it is said once. */
  add(finding: Finding): void {
    const { rule, byteOffset, name, message } = finding;
    const key = JSON.stringify([rule ?? message, byteOffset, name]);
    if (this.said.has(key)) return;
    this.said.add(key);
    this.list.push(finding);
  }
}
