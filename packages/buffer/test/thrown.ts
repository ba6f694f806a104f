/** What a function throws, for tests that look at the fields of an error. */
export function thrown(fn: () => unknown): unknown {
  try {
    fn();
  } catch (error) {
    return error;
  }
  throw new Error("expected a throw, got a return");
}
