/** The SHA-256 of an array's bytes, as hexadecimal text. */
export async function sha256(data: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", data);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
