import type { SocketAddress } from "@sw/hurray/node";
import { CliError, EXIT } from "./failure.js";

/** Where a server is, and the key that an address names beside it. */
export interface Address {
  readonly where: SocketAddress;
  readonly key?: string;
}

const FORMS = "hurray://host:port, hurray://host:port/name, host:port, :port, or unix:/path";

/** Reads the address of a server: `hurray://host:port/name`, `host:port`, `:port`, `unix:/path`. */
export function parseAddress(text: string): Address {
  const [, path] = /^unix:(?:\/\/)?(\/.+)$/.exec(text) ?? [];
  if (path !== undefined) return { where: { path } };
  const [, host, digits, key] = /^(?:hurray:\/\/)?(\[[\da-fA-F:]+\]|[\w.-]*):(\d{1,5})(?:\/(.*))?$/.exec(text) ?? [];
  const port = Number(digits);
  if (host === undefined || port > 65_535) throw wrongAddress(text);
  const named = host === "" ? {} : { host: host.replace(/^\[|\]$/g, "") };
  return { where: { ...named, port }, ...(key !== undefined && key !== "" && { key: decoded(key, text) }) };
}

/** An address as `parseAddress` reads it. */
export function addressText(where: SocketAddress): string {
  if ("path" in where) return `unix:${where.path}`;
  const { host = "127.0.0.1", port } = where;
  return `hurray://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function decoded(key: string, text: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    throw wrongAddress(text);
  }
}

function wrongAddress(text: string): CliError {
  return new CliError(EXIT.usage, `this is no address of a server: got ${JSON.stringify(text)}, expected ${FORMS}.`);
}
