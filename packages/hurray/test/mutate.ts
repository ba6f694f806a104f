import { expect } from "vitest";

/** Changes a few bytes, bits or 64-bit fields, cuts, or repeats a stretch. */
export function mutate(bytes: Uint8Array, random: () => number, focus: number): Uint8Array {
  const out = bytes.slice();
  const pick = (n: number): number => Math.floor(random() * n);
  // Most of a file is padding and data; the places that decide lie at both ends.
  const place = (): number =>
    random() < 0.7 ? pick(Math.min(focus, out.length)) : out.length - 1 - pick(Math.min(focus, out.length));
  for (let k = 1 + pick(3); k > 0; k--) {
    const at = place();
    switch (pick(5)) {
      case 0:
        out[at] = pick(256);
        break;
      case 1:
        out[at] = out[at]! ^ (1 << pick(8));
        break;
      case 2:
        out.fill([0, 0xff, 0x7f, 0x80][pick(4)]!, at, at + 8);
        break;
      case 3:
        out.copyWithin(at, pick(out.length), pick(out.length));
        break;
      default:
        if (random() < 0.2) return out.slice(0, pick(out.length));
        out[at] = [0, 1, 2, 0x40, 0x7f, 0x80, 0xf0, 0xff][pick(8)]!;
    }
  }
  return out;
}

/** Changes a few bytes anywhere, often to small numbers: what counts and indices are. */
export function mutateSmall(bytes: Uint8Array, random: () => number): Uint8Array {
  const out = bytes.slice();
  const pick = (n: number): number => Math.floor(random() * n);
  for (let k = 1 + pick(3); k > 0; k--) {
    const at = pick(out.length);
    if (random() < 0.3) out.fill([0, 0xff, 0x7f, 0x80][pick(4)]!, at, at + 8);
    else out[at] = random() < 0.5 ? pick(6) : pick(256);
  }
  return out;
}

/** Fails for anything but an error of ours. */
export function expectTyped(error: unknown, mutation: number): void {
  const { code } = error as { code?: string };
  // The stack is made when it is read, which takes longer than the rest.
  if (!/^SW_(HURRAY|TENSOR|LAYOUT|BUFFER)_/.test(`${code}`)) {
    expect.fail(`mutation ${mutation}: ${(error as Error).stack}`);
  }
}
