import type { FunctionBuilder, Local } from "../assembler/index.js";

type Counter = Local<"i32">;

/** Adds a constant to a pointer or counter. */
export function advance(f: FunctionBuilder, pointer: Counter, by: number): void {
  f.get(pointer).i32(by).op("i32.add").set(pointer);
}

/** Adds a variable to a pointer or counter. */
export function advanceBy(f: FunctionBuilder, pointer: Counter, by: Counter): void {
  f.get(pointer).get(by).op("i32.add").set(pointer);
}

/** Repeats the body `counter` times and leaves the counter zero; it must be positive at the start. */
export function repeat(f: FunctionBuilder, counter: Counter, body: () => void): void {
  f.loop((top) => {
    body();
    f.get(counter).i32(1).op("i32.sub").tee(counter).brIf(top);
  });
}

/** As `repeat`, of a counter that may be zero. */
export function repeatIfAny(f: FunctionBuilder, counter: Counter, body: () => void): void {
  f.get(counter).if(() => repeat(f, counter, body));
}
