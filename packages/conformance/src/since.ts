import { ConformanceRunError } from "./errors.js";

/**
 * Makes the question whether a version is not after another.
 *
 * @throws ConformanceRunError `SW_CONFORMANCE_SINCE` for what is no version of three numbers.
 */
export function notAfter(operation: string, limit: string): (version: string) => boolean {
  const last = numbersOf(operation, limit);
  return (version) => {
    const numbers = numbersOf(operation, version);
    const different = numbers.findIndex((value, i) => value !== last[i]);
    return different < 0 || numbers[different]! < last[different]!;
  };
}

function numbersOf(operation: string, version: string): readonly number[] {
  if (/^\d+\.\d+\.\d+$/.test(version)) return version.split(".").map(Number);
  throw new ConformanceRunError(
    "SW_CONFORMANCE_SINCE",
    `${operation}: since is no version: got ${version}, expected three numbers, e.g. 0.1.0.`,
    version,
  );
}
