/** Defects that change nothing that a kernel promises, and why. */
export const EQUIVALENT: readonly (readonly [name: string, reason: string])[] = [];
