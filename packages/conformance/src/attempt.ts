import type { Case, CaseOutcome, Tools } from "./case.js";
import { ConformanceError, ConformanceRunError } from "./errors.js";
import type { Kit } from "./kit.js";

/** Runs one case, if its needs are met; what it throws beside a failure of its own counts as one. */
export async function attempt<C>(
  kit: Kit<C>,
  one: Case<C>,
  candidate: C,
  tools: Tools,
): Promise<CaseOutcome | ConformanceError> {
  try {
    for (const need of one.needs) {
      const skipped = need === "meter" ? withoutMeter(tools) : kit.lacks(candidate, need);
      if (skipped !== undefined) return { skipped, checks: 0, declined: 0 };
    }
    return await one.run(candidate, tools);
  } catch (error) {
    if (error instanceof ConformanceError) return error;
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const problem = `an error that the case does not look for: got ${text}, expected none.`;
    return new ConformanceError("SW_CONFORMANCE_THROWN", one.id, problem, { cause: error });
  }
}

function withoutMeter(tools: Tools): string | undefined {
  return tools.meter === undefined ? "no meter of the heap was handed in" : undefined;
}

/** @throws ConformanceRunError `SW_CONFORMANCE_CASE_ID` when two cases have one id. */
export function checkIds(operation: string, cases: readonly Case<never>[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) {
      throw new ConformanceRunError(
        "SW_CONFORMANCE_CASE_ID",
        `${operation}: two cases have one id: got ${id} twice, expected every id once. This is a fault of the kit.`,
        id,
      );
    }
    ids.add(id);
  }
  return ids;
}
