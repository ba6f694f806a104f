/** A loop through two operands, what is written and what is read, with its steps in bytes. */
export interface Loop {
  readonly extent: number;
  readonly to: number;
  readonly from: number;
}

/** Joins neighbouring loops, outermost first, that step through both operands as one. */
export function joined(loops: readonly Loop[]): Loop[] {
  const result: Loop[] = [];
  for (const loop of loops) {
    const outer = result.at(-1);
    if (outer !== undefined && outer.to === loop.to * loop.extent && outer.from === loop.from * loop.extent) {
      result[result.length - 1] = { ...loop, extent: outer.extent * loop.extent };
    } else result.push(loop);
  }
  return result;
}

/** Visits every turn of loops, with the places of both operands there. */
export function eachPlace(
  loops: readonly Loop[],
  to: number,
  from: number,
  visit: (to: number, from: number) => void,
  depth = 0,
): void {
  const loop = loops[depth];
  if (loop === undefined) {
    visit(to, from);
    return;
  }
  for (let i = 0; i < loop.extent; i++) eachPlace(loops, to + i * loop.to, from + i * loop.from, visit, depth + 1);
}
