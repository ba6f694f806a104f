import { engineOf, isPeer } from "./engines.mjs";
import { sampleOf } from "./format.mjs";
import { shuffled } from "./statistics.mjs";

/** Whom a row is measured on: ours, limits, and its peers; of these the first alone in a quick run. */
export function contestantsOf(row, { quick, peers }) {
  const names = Object.keys(row.runs);
  const others = peers ? names.filter(isPeer) : [];
  return [...names.filter((name) => !isPeer(name)), ...(quick ? others.slice(0, 1) : others)];
}

/**
 * Measures a row: each contestant checks its result and warms up, then all take turns for some rounds, a batch each in
 * a new order.
 *
 * @returns what was measured, and what there is to say of it.
 */
export async function measure(row, contestants, processes, { rounds, batch, warm, quick }) {
  const samples = {};
  const notes = [];
  let limit;
  const ready = [];
  for (const contestant of contestants) {
    const process = await processes.of(engineOf(contestant));
    const { error, work } = process.error
      ? process
      : await process.ask("prepare", { row: row.id, contestant, warm, length: batch, quick });
    if (error !== undefined) {
      notes.push(`${contestant}: ${error}`);
      continue;
    }
    if (contestant === "machine") limit = { name: contestant, work };
    samples[contestant] = [];
    ready.push({ contestant, process });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contestant, process } of shuffled(ready, Math.random)) {
      const { error, nanoseconds } = await process.ask("time", { contestant });
      if (error === undefined) samples[contestant].push(sampleOf(row.unit, nanoseconds));
      else notes.push(`${contestant}: ${error}`);
    }
  }
  for (const { contestant, process } of ready) await process.ask("end", { contestant });
  const measured = { samples, ours: row.ours ?? "strideweave", peers: contestants.filter(isPeer) };
  if (row.work !== undefined) measured.work = row.work;
  if (limit !== undefined) measured.limit = limit;
  return { measured, notes: [...(row.note === undefined ? [] : [row.note]), ...notes] };
}
