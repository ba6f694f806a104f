import { HurrayFormatError } from "../errors.js";
import type { Placed } from "./read.js";
import type { MessageKind } from "./types.js";

/** Who sends: what a server answers, or what a client asks and puts. */
export type Side = "server" | "client";

/** What each side may begin with, and what only the other side sends. */
const SIDES: {
  readonly [side in Side]: { readonly first: readonly MessageKind[]; readonly never: readonly MessageKind[] };
} = {
  server: { first: ["serverHello", "error"], never: ["clientHello", "tensorRequest", "tensorPut"] },
  client: { first: ["clientHello"], never: ["serverHello", "tensorDescriptor", "tensorPutAck"] },
};

/** Refuses a connection that begins with another message than a hello (R160), and what only the other side sends (R158). */
export function checkSide({ message, start }: Placed, from: Side, greeted: boolean, operation: string): void {
  const { kind } = message;
  const { first, never } = SIDES[from];
  if (!greeted && !first.includes(kind)) {
    const problem = "the connection begins with another message";
    throw new HurrayFormatError(operation, "R160", "message_type", start, problem, kind, first.join(" or "));
  }
  if (never.includes(kind)) {
    const problem = `a ${from} sends no such message`;
    throw new HurrayFormatError(operation, "R158", "message_type", start, problem, kind, `a message of a ${from}`);
  }
}
