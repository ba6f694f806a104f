/** What is left to do when an object was forgotten. It must not reach the object, which would then never be collected. */
export interface Remainder {
  /** Called at most once, after the object was collected. What it throws ends the process: it has no caller. */
  forgotten(): void;
}

let registry: FinalizationRegistry<Remainder> | undefined;

/**
 * Has the remainder of an object dealt with once the object was collected. There is no way to take this back,
 * which would cost four times as much: a remainder that was dealt with earlier does nothing.
 */
export function watch(object: object, remainder: Remainder): void {
  registry ??= new FinalizationRegistry((left) => left.forgotten());
  registry.register(object, remainder);
}
