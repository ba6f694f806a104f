// An example promises what it prints: `console.log(…); // so`, or in comment lines right below a `console.log` that has
// no such comment. Other comments promise nothing.

/** Lists the lines that the comments of a program say it prints. */
export function promisedLines(program: string): string[] {
  const lines: string[] = [];
  let follows = false;
  for (const line of program.split("\n")) {
    const comment = /^\s*\/\/ ?(.*)$/.exec(line)?.[1];
    if (comment !== undefined) {
      if (follows) lines.push(comment.trimEnd());
      continue;
    }
    const promise = /\bconsole\.log\(.*\);? \/\/ (.*)$/.exec(line)?.[1];
    if (promise !== undefined) lines.push(promise.trimEnd());
    follows = promise === undefined && line.includes("console.log(");
  }
  return lines;
}

/** Finds the promised lines among those printed, in order; the rest that was not found. */
export function brokenPromises(promised: readonly string[], printed: readonly string[]): readonly string[] {
  let kept = 0;
  for (const line of printed) if (kept < promised.length && line.trimEnd() === promised[kept]) kept++;
  return promised.slice(kept);
}
