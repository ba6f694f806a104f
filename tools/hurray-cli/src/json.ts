/** Writes a value as JSON: bigints as numbers while they are exact, else as text; bytes as hex digits; NaN and infinities as text. */
export function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, (_key, entry: unknown) => jsonValue(entry), indent);
}

function jsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return value;
}
