import { checkHead, checkMember, coverError, type Head, tornError } from "../composite/bind.js";
import type { Descriptor } from "../descriptor/types.js";
import type { Surveyed } from "./descriptor.js";
import type { Findings } from "./finding.js";

/** A head whose members are counted. */
interface OpenHead extends Head<{ readonly descriptor: Descriptor }> {
  readonly name: string;
  count: number;
  /** Whether a member was refused: then nothing can be said of the cover. */
  isBroken: boolean;
}

/** Judges the members of composites one by one, in the order in which files and streams have them; a broken member counts. */
export class CompositeSurvey {
  readonly findings: Findings;
  readonly coverSteps: number;
  readonly heads: OpenHead[] = [];

  constructor(findings: Findings, coverSteps: number) {
    this.findings = findings;
    this.coverSteps = coverSteps;
  }

  /** Takes the next descriptor. */
  next({ descriptor, isHead }: Surveyed, name: string, byteOffset: number): void {
    const { operation } = this.findings;
    const head = this.heads.at(-1);
    if (head !== undefined) {
      head.count++;
      const fits =
        descriptor !== undefined && this.judge(name, () => checkMember(head, descriptor, operation, byteOffset));
      if (fits) head.members.push({ descriptor });
      else head.isBroken = true;
    }
    if (descriptor?.layout.kind === "composite") {
      const isSound = this.judge(name, () => checkHead(descriptor, this.heads.length + 1, operation, byteOffset));
      const { layout } = descriptor;
      this.heads.push({ descriptor, layout, byteOffset, members: [], name, count: 0, isBroken: !isSound });
    } else if (isHead) {
      // Nobody knows how many members it has, and so whose member is next.
      if (head !== undefined)
        this.findings.note("members", head.byteOffset, "not checked: a head in it is broken", head.name);
      this.heads.length = 0;
    }
    this.close();
  }

  /** Takes the end of the file or stream. */
  end(byteOffset: number): void {
    const head = this.heads.at(-1);
    if (head === undefined) return;
    this.findings.refuse(tornError(head, head.count, this.findings.operation, byteOffset), head);
  }

  /** Closes the heads that have all of their members. */
  close(): void {
    for (let head = this.heads.at(-1); head?.count === head?.layout.memberCount; head = this.heads.at(-1)) {
      if (head === undefined) return;
      this.heads.pop();
      const { isBroken, name } = head;
      if (isBroken) continue;
      const error = this.findings.attempt(() => coverError(head, this.findings.operation, this.coverSteps), { name });
      if (error !== undefined) this.findings.refuse(error, { name });
    }
  }

  /** Whether a check passes. */
  judge(name: string, check: () => void): boolean {
    return this.findings.attempt(() => [check()], { name }) !== undefined;
  }
}
