import { isPrivateTag } from "../../elements.js";
import { FLAGS } from "../flags.js";
import { type EntryOf, refuseSection } from "../layout-entry.js";

const RULES = [undefined, "partition", "overlay", "group"] as const;
const OPERATIONS = ["none", "replace", "add"] as const;

/** Stands for a composite whose members are not counted yet, which the format reserves. */
const OPEN = 0xffffffff;

/** A head without data, which binds the tensors that follow as members (4.10). */
export const composite: EntryOf<"composite"> = {
  layoutClass: "virtual",
  bufferCount: () => 0,
  read: (reader, { flags, accept }) => {
    refuseSection(reader, flags, FLAGS.quantisation, "R50");
    refuseSection(reader, flags, FLAGS.compositeMember, "R51");
    const ruleTag = reader.u8("composition_rule");
    const rule = RULES[ruleTag] ?? ruleTag;
    if (typeof rule === "number") {
      if (!isPrivateTag(rule)) reader.refuse("R43", rule, "1, 2 or 3");
      if (!accept("rule", BigInt(rule))) reader.relax("R44", rule, "one that is accepted");
    }
    const operation = reader.u8("combine_op");
    const fits = rule === "overlay" ? operation === 1 || operation === 2 : operation === 0 || typeof rule === "number";
    if (!fits) {
      const expected = rule === "overlay" ? "1 or 2" : "0";
      reader.refuse("R45", operation, `${expected} with rule ${rule}`);
    }
    reader.reserved(2, "R46");
    const memberCount = reader.within("R47", reader.u32("member_count"), 0, OPEN - 1);
    return { kind: "composite", rule, combine: OPERATIONS[operation] ?? operation, memberCount };
  },
  write: (writer, { rule, combine, memberCount }) => {
    writer.u8(tagOf(rule, RULES), "composition_rule");
    writer.u8(tagOf(combine, OPERATIONS), "combine_op");
    writer.zeros(2);
    writer.u32(memberCount, "member_count");
  },
};

/** The tag of a name; what is none is left for the writer to judge. */
function tagOf(value: string | number, names: readonly unknown[]): number {
  const tag = names.indexOf(value);
  return tag < 0 ? (value as number) : tag;
}
