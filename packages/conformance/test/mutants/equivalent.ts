/** Defects that change nothing that a kernel promises, and why. */
export const EQUIVALENT: readonly (readonly [name: string, reason: string])[] = [
  ["isInfinite takes NaN for 0", "neither is infinite"],
];

const EITHER = "of two equal integers either one is right";
const ZERO = "the integer 0 is its own negative";

/** Changes of formulas that change no result, and why. */
export const EQUIVALENT_FORMULAS: readonly (readonly [changed: string, reason: string])[] = [
  ["minimum int: const x = $a;\nconst y = $b;\n$r = x <= y ? x : y;", EITHER],
  ["minimum wide: const x = $a;\nconst y = $b;\n$r = x <= y ? x : y;", EITHER],
  ["maximum int: const x = $a;\nconst y = $b;\n$r = x >= y ? x : y;", EITHER],
  ["maximum wide: const x = $a;\nconst y = $b;\n$r = x >= y ? x : y;", EITHER],
  ["abs int: const x = $a;\n$r = x < 1 ? -x : x;", ZERO],
  ["abs int: const x = $a;\n$r = x <= 0 ? -x : x;", ZERO],
  ["abs wide: const x = $a;\n$r = x < 1n ? wrap(-x) : x;", ZERO],
  ["abs wide: const x = $a;\n$r = x <= 0n ? wrap(-x) : x;", ZERO],
  ["elu float: const x = $a;\n$r = x >= 0 ? x : alpha * Math.expm1(x);", "expm1 of a zero is that zero"],
  ["clamp int: const x = $a;\nconst y = x < $l ? $l : x;\n$r = y >= $h ? $h : y;", EITHER],
  ["clamp int: const x = $a;\nconst y = x <= $l ? $l : x;\n$r = y > $h ? $h : y;", EITHER],
  ["clamp wide: const x = $a;\nconst y = x < $l ? $l : x;\n$r = y >= $h ? $h : y;", EITHER],
  ["clamp wide: const x = $a;\nconst y = x <= $l ? $l : x;\n$r = y > $h ? $h : y;", EITHER],
];
