import type { IntTree } from "./tree.js";

// Copies of short lists. A literal of known length is made about seven times faster than a list that grows by push, and
// holds no spare room; a spread is next best, frozen or not. Ranks above four are rare.

/** Copies a list. */
export function copied<T extends IntTree>(list: readonly T[]): T[] {
  switch (list.length) {
    case 0:
      return [];
    case 1:
      return [list[0]!];
    case 2:
      return [list[0]!, list[1]!];
    case 3:
      return [list[0]!, list[1]!, list[2]!];
    case 4:
      return [list[0]!, list[1]!, list[2]!, list[3]!];
    default:
      return [...list];
  }
}

/** Copies a list with one entry replaced. */
export function replaced(list: readonly IntTree[], at: number, value: number): IntTree[] {
  const out = copied(list);
  out[at] = value;
  return out;
}

/** Copies a list without one entry. */
export function without(list: readonly IntTree[], at: number): IntTree[] {
  switch (list.length) {
    case 1:
      return [];
    case 2:
      return [list[at === 0 ? 1 : 0]!];
    case 3:
      return [list[at === 0 ? 1 : 0]!, list[at === 2 ? 1 : 2]!];
    case 4:
      return [list[at === 0 ? 1 : 0]!, list[at < 2 ? 2 : 1]!, list[at === 3 ? 2 : 3]!];
    default: {
      const out = [...list];
      out.splice(at, 1);
      return out;
    }
  }
}

/** Copies a list with one entry more. */
export function inserted(list: readonly IntTree[], at: number, value: number): IntTree[] {
  switch (list.length) {
    case 0:
      return [value];
    case 1:
      return at === 0 ? [value, list[0]!] : [list[0]!, value];
    case 2:
      return [entry(list, at, value, 0), entry(list, at, value, 1), entry(list, at, value, 2)];
    case 3:
      return [
        entry(list, at, value, 0),
        entry(list, at, value, 1),
        entry(list, at, value, 2),
        entry(list, at, value, 3),
      ];
    default: {
      const out = [...list];
      out.splice(at, 0, value);
      return out;
    }
  }
}

function entry(list: readonly IntTree[], at: number, value: number, j: number): IntTree {
  return j === at ? value : list[j < at ? j : j - 1]!;
}
