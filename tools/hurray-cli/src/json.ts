/**
 * Writes a value as JSON: bigints as numbers while they are exact, else as text; bytes as hex digits; NaN, infinities and
 * a negative zero, which JSON or its readers do not have, as text.
 */
export function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, (_key, entry: unknown) => jsonValue(entry), indent);
}

function jsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) return numberText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return value;
}

/** A number as text, with the sign of a zero. */
export function numberText(value: number | bigint | boolean): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
