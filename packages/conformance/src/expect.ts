import type { CaseOutcome } from "./case.js";
import { ConformanceError } from "./errors.js";

/** Compares and counts, for one case: what differs is thrown as a failure of the case. */
export interface Checks {
  readonly count: number;
  /** @throws ConformanceError `SW_CONFORMANCE_VALUE` unless something holds. */
  holds(holds: boolean, problem: string, got: unknown, expected: string): void;
  /** @throws ConformanceError `SW_CONFORMANCE_VALUE` unless two values of JSON are the same. */
  same(got: unknown, expected: unknown, what: string): void;
  /**
   * @param isRight - whether the error is one that the contract names.
   * @throws ConformanceError `SW_CONFORMANCE_ACCEPTED` where nothing is thrown, `SW_CONFORMANCE_THROWN` for another error.
   */
  refused(work: () => unknown, what: string, rule: string, isRight: (error: unknown) => boolean): void;
  /** The same, of what answers later. */
  refusedLater(work: () => unknown, what: string, rule: string, isRight: (error: unknown) => boolean): Promise<void>;
  outcome(): CaseOutcome;
}

/** Begins the checks of a case. */
export function checksOf(caseId: string): Checks {
  let count = 0;
  const judge = (thrown: unknown, what: string, rule: string, isRight: (error: unknown) => boolean): void => {
    count += 1;
    if (thrown !== NOTHING && isRight(thrown)) return;
    const got = thrown === NOTHING ? "no error" : show(thrown);
    const code = thrown === NOTHING ? "SW_CONFORMANCE_ACCEPTED" : "SW_CONFORMANCE_THROWN";
    const facts = { got, expected: rule, ...(thrown === NOTHING ? {} : { cause: thrown }) };
    throw new ConformanceError(code, caseId, `${what}: got ${got}, expected ${rule}.`, facts);
  };
  const checks: Checks = {
    get count(): number {
      return count;
    },
    holds(holds, problem, got, expected) {
      count += 1;
      if (holds) return;
      const shown = show(got);
      const text = `${problem}: got ${shown}, expected ${expected}.`;
      throw new ConformanceError("SW_CONFORMANCE_VALUE", caseId, text, { got: shown, expected });
    },
    same(got, expected, what) {
      const difference = firstDifference(got, expected, "");
      if (difference === undefined) {
        count += 1;
        return;
      }
      const [path, left, right] = difference;
      checks.holds(false, `${what} is wrong${path === "" ? "" : ` at ${path}`}`, left, show(right));
    },
    refused(work, what, rule, isRight) {
      let thrown: unknown = NOTHING;
      try {
        work();
      } catch (error) {
        thrown = error;
      }
      judge(thrown, what, rule, isRight);
    },
    async refusedLater(work, what, rule, isRight) {
      let thrown: unknown = NOTHING;
      try {
        await work();
      } catch (error) {
        thrown = error;
      }
      judge(thrown, what, rule, isRight);
    },
    outcome: () => ({ checks: count, declined: 0 }),
  };
  return checks;
}

const NOTHING = Symbol("nothing was thrown");

/** The value of a failure's text, which is cut where it is long. */
function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (Object.is(value, -0)) return "-0";
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Finds the first place where two values of JSON differ: its path, and what stands there. */
function firstDifference(
  got: unknown,
  expected: unknown,
  path: string,
): readonly [string, unknown, unknown] | undefined {
  if (Object.is(got, expected)) return undefined;
  if (typeof got !== "object" || typeof expected !== "object" || got === null || expected === null) {
    return [path, got, expected];
  }
  if (Array.isArray(got) !== Array.isArray(expected)) return [path, got, expected];
  const left = got as { readonly [key: string]: unknown };
  const right = expected as { readonly [key: string]: unknown };
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = firstDifference(left[key], right[key], `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
