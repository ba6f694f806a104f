import { elementBits } from "../descriptor/descriptor.js";
import { isDynamic } from "../descriptor/shape.js";
import type { Descriptor, DescriptorLayout } from "../descriptor/types.js";
import { HurrayFormatError, type Rule } from "../errors.js";
import { countOption } from "../number-option.js";
import type { StoredComposite, StoredItem } from "../stored.js";
import { coverOf } from "./cover.js";

/** Heads within each other, the outermost counted (A15). */
const DEPTH = 8;

/** Steps that the check of a cover may take; enough for 65,536 members in a grid of four dimensions. */
export const COVER_STEPS: number = 2 ** 20;

/** How members are bound to heads. */
export interface BinderOptions {
  readonly operation: string;
  /** `"permissive"` passes over overlaps and gaps of a partition; its descriptor is `opaque` then. */
  readonly mode?: "strict" | "permissive";
  /** What the check of a partition's cover may cost, in corners; 2²⁰ when absent. */
  readonly coverSteps?: number;
}

/** Binds members to heads, in the order in which streams and files have them: each head before its members. */
export interface Binder {
  /** Heads that wait for members. */
  readonly open: number;
  /** Takes the next descriptor, which lies at `byteOffset`; rules of composites speak before any data is read. */
  begin(descriptor: Descriptor, byteOffset: number): void;
  /** Takes the data of that descriptor; gives the outermost item that is complete now, if one is. */
  finish(buffers: readonly Uint8Array[]): StoredItem | undefined;
  /** Takes the end of stream or file. */
  end(byteOffset: number): void;
}

export type HeadLayout = Extract<DescriptorLayout, { kind: "composite" }>;

/** A head that waits for members; of a member its descriptor is judged. */
export interface Head<M extends Described = StoredItem> {
  readonly descriptor: Descriptor;
  readonly layout: HeadLayout;
  readonly byteOffset: number;
  readonly members: M[];
}

type Described = { readonly descriptor: Descriptor };

/** Makes a binder; rules R111 to R124. */
export function createBinder(options: BinderOptions): Binder {
  const { operation } = options;
  const coverSteps = countOption(operation, "coverSteps", options.coverSteps, 0, COVER_STEPS);
  const heads: Head[] = [];
  let pending: { readonly descriptor: Descriptor; readonly byteOffset: number } | undefined;

  const close = (head: Head): StoredComposite => {
    const { descriptor, members } = head;
    const error = coverError(head, operation, coverSteps);
    if (error === undefined) return { descriptor, members };
    if (options.mode === "permissive") return { descriptor: { ...descriptor, opaque: true }, members };
    throw error;
  };

  return {
    get open() {
      return heads.length;
    },
    begin: (descriptor, byteOffset) => {
      const head = heads.at(-1);
      if (head !== undefined) checkMember(head, descriptor, operation, byteOffset);
      checkHead(descriptor, heads.length + 1, operation, byteOffset);
      pending = { descriptor, byteOffset };
    },
    finish: (buffers) => {
      const { descriptor, byteOffset } = pending!;
      let item: StoredItem = { descriptor, buffers };
      if (descriptor.layout.kind === "composite") {
        heads.push({ descriptor, layout: descriptor.layout, byteOffset, members: [] });
      } else if (heads.length === 0) return item;
      else heads.at(-1)!.members.push(item);
      for (let head = heads.at(-1)!; head.members.length === head.layout.memberCount; head = heads.at(-1)!) {
        item = close(head);
        heads.pop();
        if (heads.length === 0) return item;
        heads.at(-1)!.members.push(item);
      }
      return undefined;
    },
    end: (byteOffset) => {
      const head = heads.at(-1);
      if (head !== undefined) throw tornError(head, head.members.length, operation, byteOffset);
    },
  };
}

/** What says that the members of a partition do not cover it once; `undefined` where they do. @throws HurrayLimitError */
export function coverError(
  { descriptor, layout, byteOffset, members }: Head<Described>,
  operation: string,
  coverSteps: number,
): HurrayFormatError | undefined {
  if (layout.rule !== "partition") return undefined;
  const boxes = members.map(({ descriptor: d }) => ({ offset: d.shard!.offset, shape: d.shape }));
  const cover = coverOf(descriptor.shape, boxes, coverSteps, operation);
  if (cover === "exact") return undefined;
  const [rule, problem]: [Rule, string] =
    cover === "overlap"
      ? ["R118", "members of the partition overlap"]
      : ["R119", "the members leave out a part of the partition"];
  const given = `${members.length} members`;
  const expected = "boxes that cover the head once";
  return new HurrayFormatError(operation, rule, "shard_offset", byteOffset, problem, given, expected);
}

/** What says that an input ended within a composite. */
export function tornError(
  { layout }: Head<Described>,
  count: number,
  operation: string,
  byteOffset: number,
): HurrayFormatError {
  const problem = "the input ends within a composite";
  const given = `${count} members`;
  return new HurrayFormatError(operation, "R121", "member_count", byteOffset, problem, given, `${layout.memberCount}`);
}

/** What the rules of composites speak of: descriptors, and what binds them. Data is not looked at. @since 0.1.0 */
export interface DescribedItem {
  readonly descriptor: Descriptor;
  /** Of a head. */
  readonly members?: readonly DescribedItem[];
}

/**
 * Checks a composite in memory by the rules for composites in streams and files.
 *
 * @throws HurrayFormatError `SW_HURRAY_COMPOSITE_INVALID` (R111 to R124), with 0 for the byte offset.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when the cover takes too many steps to check.
 * @since 0.1.0
 */
export function checkComposite(item: DescribedItem, operation = "checkComposite"): void {
  const binder = createBinder({ operation });
  const bind = (part: DescribedItem): void => {
    const { descriptor } = part;
    binder.begin(descriptor, 0);
    const { members = [] } = part;
    const expected = descriptor.layout.kind === "composite" ? descriptor.layout.memberCount : 0;
    if (members.length !== expected) {
      const problem = "the head announces another number of members";
      throw new HurrayFormatError(operation, "R122", "member_count", 0, problem, members.length, `${expected}`);
    }
    binder.finish([]);
    members.forEach(bind);
  };
  bind(item);
}

type Refuse = (rule: Rule, field: string, problem: string, given: unknown, expected: string) => never;

function refuser(operation: string, byteOffset: number): Refuse {
  return (rule, field, problem, given, expected) => {
    throw new HurrayFormatError(operation, rule, field, byteOffset, problem, given, expected);
  };
}

/** Refuses a head that no members can make right; `depth` counts the heads around it, and itself. */
export function checkHead({ layout, shape }: Descriptor, depth: number, operation: string, byteOffset: number): void {
  if (layout.kind !== "composite") return;
  const refuse: Refuse = refuser(operation, byteOffset);
  const { rule, memberCount } = layout;
  if (depth > DEPTH) refuse("R123", "layout_tag", "composites are nested too deeply", depth, `at most ${DEPTH} heads`);
  if ((rule === "partition" || rule === "overlay") && isDynamic(shape)) {
    refuse("R124", "shape", `the ${rule} has a dynamic dimension`, "dynamic", "known sizes");
  }
  if (rule === "overlay" && memberCount === 0) {
    refuse("R120", "member_count", "the overlay has no base", memberCount, "at least 1 member");
  }
}

/** Refuses what cannot be the next member of a head. */
export function checkMember(
  { descriptor: head, layout, members }: Head<Described>,
  descriptor: Descriptor,
  operation: string,
  byteOffset: number,
): void {
  const refuse: Refuse = refuser(operation, byteOffset);
  const { rule } = layout;
  // What parties agreed on is theirs to check.
  if (typeof rule === "number") return;
  const { shape, shard, memberRole } = descriptor;
  if (rule !== "overlay" && memberRole !== undefined) {
    refuse("R115", "flags", `a member of a ${rule} has a role`, memberRole, "no member section");
  }
  if (rule === "group") return;
  if (shard === undefined) {
    refuse("R111", "flags", `a member of the ${rule} does not say where it lies`, "no shard", "a shard section");
  }
  const { parentShape, offset } = shard;
  const rank = head.shape.length;
  if (!sameNumbers(parentShape, head.shape) || offset.length !== rank || shape.length !== rank) {
    refuse("R112", "parent_shape", "the member is a shard of another shape", listed(parentShape), listed(head.shape));
  }
  if (!fits(descriptor, head)) {
    refuse("R113", "type_tag", "the member decodes to another type", tagged(descriptor), tagged(head));
  }
  if (rule === "partition") return;
  if (memberRole === undefined) {
    refuse("R114", "flags", "a member of the overlay has no role", "none", "a member section");
  }
  const due = members.length === 0 ? "base" : "correction";
  if (memberRole !== due) {
    refuse("R116", "member_role", `member ${members.length} of the overlay has another role`, memberRole, due);
  }
  if (due === "base" && !sameNumbers(shape, head.shape)) {
    refuse("R117", "shape", "the base does not span the overlay", listed(shape), listed(head.shape));
  }
}

/** Whether a member holds what the head promises; quantised members decode to floats (A13). */
function fits(member: Descriptor, head: Descriptor): boolean {
  if (member.quantisation !== undefined) return head.typeTag >= 0x01 && head.typeTag <= 0x04;
  return member.typeTag === head.typeTag && elementBits(member) === elementBits(head);
}

function sameNumbers(a: readonly bigint[], b: readonly bigint[]): boolean {
  return a.length === b.length && a.every((value, k) => value === b[k]);
}

function listed(shape: readonly bigint[]): string {
  return `[${shape.slice(0, 8)}${shape.length > 8 ? ",…" : ""}]`;
}

function tagged({ typeTag }: Descriptor): string {
  return `type tag 0x${typeTag.toString(16)}`;
}
