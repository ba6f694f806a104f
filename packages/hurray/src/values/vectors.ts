import { PACKING } from "../generated/packing.js";

// Loops with vectors, in WebAssembly: sixteen elements a step, for which words of JavaScript have four. The elements go
// through a memory of the module, a chunk at a time, that stays in the cache: two copies, which cost less than is saved.

/** Elements that are worth the way. */
const LEAST = 256;

/** The loops do so many elements a step, or half of them. */
const STEP = 32;

/** Elements that the memory takes at a time, and where they lie: after their packed form, which takes 6 bits each at most. */
const CHUNK = 32768;
const UNPACKED = 28672;

/**
 * A copy is several times slower where its source and target lie at the same place in a page, or just before: loads wait
 * for stores that they seem to depend on. Half a page apart they do not.
 */
const HALF_PAGE = 2048;

type Width = 1 | 2 | 4 | 6;
type Loops = { readonly [K in `unpack${Width}`]: (at: number, end: number, flip: number) => void } & {
  readonly [K in `pack${Width}`]: (at: number, end: number) => void;
};

/** The loops, and the memory that they work on, which never grows. */
interface Module {
  readonly run: Loops;
  readonly memory: Uint8Array;
}

let loaded: Module | null | undefined;

/** Unpacks as many of the elements as is worth it, and gives their number. `bits` is a width of packed elements. */
export function unpackMany(bits: number, signed: boolean, source: Uint8Array, target: Uint8Array): number {
  const flip = signed ? 1 << (bits - 1) : 0;
  return forEachChunk(target, (memory, run, at, start, end) => {
    memory.set(source.subarray((start / 8) * bits, (end / 8) * bits));
    run[`unpack${bits as Width}`](at, at + end - start, flip);
    target.set(memory.subarray(at, at + end - start), start);
  });
}

/** Packs as many of the elements as is worth it, and gives their number. */
export function packMany(bits: number, source: Uint8Array, target: Uint8Array): number {
  return forEachChunk(source, (memory, run, at, start, end) => {
    memory.set(source.subarray(start, end), at);
    run[`pack${bits as Width}`](at, at + end - start);
    target.set(memory.subarray(0, ((end - start) / 8) * bits), (start / 8) * bits);
  });
}

function forEachChunk(
  elements: Uint8Array,
  visit: (memory: Uint8Array, run: Loops, at: number, start: number, end: number) => void,
): number {
  const count = elements.length - (elements.length % STEP);
  if (count < LEAST) return 0;
  if (loaded === undefined) loaded = load();
  if (loaded === null) return 0;
  const { memory, run } = loaded;
  const at = UNPACKED + ((elements.byteOffset + HALF_PAGE) & 0xff0);
  for (let start = 0; start < count; start += CHUNK) visit(memory, run, at, start, Math.min(count, start + CHUNK));
  return count;
}

/** The loops, or null on a host without vectors, and on a page that lets no module in. */
function load(): Module | null {
  try {
    const bytes = Uint8Array.from(atob(PACKING), (letter) => letter.charCodeAt(0));
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
    const memory = new Uint8Array((exports["memory"] as WebAssembly.Memory).buffer);
    return { run: exports as unknown as Loops, memory };
  } catch {
    return null;
  }
}
